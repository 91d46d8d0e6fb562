// Package metricstest tests statistics: whether they obey the laws of [metrics.Statistic].
// The same tests run over all statistics of package metrics.
//
//	func TestLaws(t *testing.T) {
//		batch := &metrics.Batch{Rows: 3, Target: []float64{1, 2, 4}, Estimate: []float64{1, 1, 5}}
//		metricstest.Laws(t, newSpread, &metrics.Params{Task: metrics.Regression}, batch)
//	}
package metricstest

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics"
)

// Laws fails t unless the statistics that empty makes for p obey the laws of metrics.Statistic, bit
// for bit, on the rows of a batch. It divides, folds, merges, encodes and decodes the rows in
// several ways, which are the same in every run. Choose rows that are hard to sum: with weights,
// with numbers far apart, with equal numbers. Decoding describes how encodings are tested.
func Laws[S metrics.Statistic](t testing.TB, empty func(p *metrics.Params) S, p *metrics.Params, b *metrics.Batch) {
	t.Helper()
	l := &laws{t, func(p *metrics.Params) metrics.Statistic { return empty(p) }, p, b}
	r := rand.New(rand.NewPCG(uint64(b.Rows), 1))
	for range divisions {
		l.hold(r)
	}
	data := l.fold(metrics.AllRows(nil, b.Rows)).Append(nil)
	for _, damaged := range damages(data) {
		Decoding(t, empty, damaged)
	}
}

// divisions is the number of ways in which the rows are divided.
const divisions = 3

// laws tests the laws on the rows of a batch.
type laws struct {
	testing.TB
	empty  func(*metrics.Params) metrics.Statistic
	params *metrics.Params
	batch  *metrics.Batch
}

// fresh returns an empty statistic that can fold; bare returns one for merging.
func (l *laws) fresh() metrics.Statistic { return l.empty(l.params) }
func (l *laws) bare() metrics.Statistic  { return l.empty(new(metrics.Params)) }

func (l *laws) fold(rows []int32) metrics.Statistic {
	s := l.fresh()
	s.Fold(l.batch, rows)
	return s
}

// merged returns a new statistic: the merge of all in the list.
func (l *laws) merged(list ...metrics.Statistic) metrics.Statistic {
	sum := l.bare()
	for _, s := range list {
		sum.Merge(s)
	}
	return sum
}

func (l *laws) decoded(into metrics.Statistic, data []byte) metrics.Statistic {
	l.Helper()
	d := wire.NewDecoder(data)
	into.Decode(d)
	if err := d.Err(); err != nil {
		l.Fatalf("codec: Decode fails on what Append wrote: %v", err)
	}
	if d.Len() > 0 {
		l.Fatalf("codec: Decode leaves %d of the %d bytes that Append wrote", d.Len(), len(data))
	}
	return into
}

// same fails the test unless the encoding of a statistic is want.
func (l *laws) same(law string, want []byte, s metrics.Statistic) {
	l.Helper()
	if got := s.Append(nil); !bytes.Equal(want, got) {
		l.Fatalf("%s: want the encoding %x, got %x", law, want, got)
	}
}

// hold tests the laws on the rows of the batch, divided at random.
func (l *laws) hold(r *rand.Rand) {
	l.Helper()
	all := metrics.AllRows(nil, l.batch.Rows)
	rows := parts(r, l.batch.Rows)
	x, y, z := l.fold(rows[0]), l.fold(rows[1]), l.fold(rows[2])
	bx, by := x.Append(nil), y.Append(nil)
	whole := l.fold(all).Append(nil)

	l.same("identity: merging into nothing", bx, l.merged(x))
	l.merged(x, y)
	l.same("Merge leaves its argument as it was", bx, x)
	l.same("Merge leaves its argument as it was", by, y)
	l.same("identity: merging nothing", bx, l.merged(x, l.fresh()))
	l.same("identity: merging nothing, made for the zero Params", bx, l.merged(x, l.bare()))
	l.same("commutativity: merging y and x, instead of x and y", l.merged(x, y).Append(nil), l.merged(y, x))
	l.same("folding all rows is merging the folds of their parts, x and y first", whole, l.merged(l.merged(x, y), z))
	l.same("folding all rows is merging the folds of their parts, y and z first", whole, l.merged(x, l.merged(y, z)))
	l.same("folding all rows is merging the folds of their parts, z first", whole, l.merged(z, x, y))

	l.ownership(x, y, rows)
	l.order(whole, r)
	l.codec(x, bx, whole, y, z)

	used := l.fold(all)
	used.Reset()
	l.same("Reset empties the statistic", l.fresh().Append(nil), used)
	used.Fold(l.batch, rows[0])
	l.same("after Reset, folding x", bx, used)
}

// ownership tests that statistics share no memory with each other or with batches.
func (l *laws) ownership(x, y metrics.Statistic, rows [3][]int32) {
	l.Helper()
	want := l.merged(x, y, l.fold(rows[2]), y).Append(nil)
	sum := l.fresh()
	sum.Merge(x)
	sum.Merge(y)
	sum.Fold(l.batch, rows[2])
	sum.Merge(y)
	l.same("ownership: merging into a statistic, folding, and merging again", want, sum)

	batch := Take(l.batch, metrics.AllRows(nil, l.batch.Rows))
	s := l.fresh()
	s.Fold(batch, metrics.AllRows(nil, batch.Rows))
	before := s.Append(nil)
	scribble(batch)
	l.same("ownership: after Fold, the batch is used for other rows", before, s)
}

// order tests that neither the order of rows nor their places in a batch matter.
func (l *laws) order(whole []byte, r *rand.Rand) {
	l.Helper()
	order := make([]int32, l.batch.Rows)
	for i, j := range r.Perm(len(order)) {
		order[i] = int32(j)
	}
	cut := r.IntN(len(order) + 1)
	steps := l.fold(order[:cut])
	steps.Fold(l.batch, order[cut:])
	l.same("folding the rows in another order, in two calls", whole, steps)
	moved := l.fresh()
	moved.Fold(Take(l.batch, order), metrics.AllRows(nil, len(order)))
	l.same("folding the same rows from other places of a batch", whole, moved)
}

// codec tests that decoding restores what was encoded, and that the result merges alike.
func (l *laws) codec(x metrics.Statistic, bx, whole []byte, y, z metrics.Statistic) {
	l.Helper()
	back := l.decoded(l.bare(), bx)
	l.same("codec: decoding and encoding", bx, back)
	l.same("codec: Decode replaces what was there", bx, l.decoded(l.fold(metrics.AllRows(nil, l.batch.Rows)), bx))
	l.same("codec: merging what was decoded", whole, l.merged(z, back, y))
	back.Merge(y)
	back.Merge(z)
	l.same("codec: merging into what was decoded", whole, back)
	if got := x.Append([]byte("before")); !bytes.Equal(got, append([]byte("before"), bx...)) {
		l.Fatalf("codec: Append appends: want %x after \"before\", got %x", bx, got)
	}
	l.same("Append leaves the statistic as it was", bx, x)
}

// parts divides n rows, shuffled, into three lists, which may be empty.
func parts(r *rand.Rand, n int) (lists [3][]int32) {
	for _, i := range r.Perm(n) {
		at := r.IntN(len(lists))
		lists[at] = append(lists[at], int32(i))
	}
	return lists
}
