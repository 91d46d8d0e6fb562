package scoreruns

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/exact"
)

// source returns random numbers that a seed determines.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x6a09e667f3bcc909)) }

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// example is a score of a label as a Builder takes it.
type example struct {
	score  float64
	label  uint32
	tag    uint32
	weight float64
}

// addTo adds the example to a builder.
func (e *example) addTo(b *Builder) { b.Add(Image(e.score), e.label, e.tag, e.weight) }

// Kinds of scores: as models give them, and scores that are hard to keep apart.
var scorings = []func(*rand.Rand) float64{
	(*rand.Rand).Float64,
	func(r *rand.Rand) float64 { return float64(r.Float32()) },
	func(r *rand.Rand) float64 { return 3 * r.NormFloat64() },
	func(r *rand.Rand) float64 { return float64(r.IntN(11)) / 10 },
	func(*rand.Rand) float64 { return 0.5 },
	func(r *rand.Rand) float64 { return pick(r, 0.3, math.Nextafter(0.3, 0), math.Nextafter(0.3, 1), 0.3) },
	func(r *rand.Rand) float64 { return pick(r, 0, math.Copysign(0, -1), 5e-324, -5e-324) },
	func(r *rand.Rand) float64 {
		return pick(r, math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 0, 1, 1e-310, r.Float64())
	},
	func(r *rand.Rand) float64 {
		for {
			if x := math.Float64frombits(r.Uint64()); !math.IsNaN(x) {
				return x
			}
		}
	},
}

var weighings = []func(*rand.Rand) float64{
	func(*rand.Rand) float64 { return 1 },
	func(r *rand.Rand) float64 { return 3 * r.Float64() },
	func(r *rand.Rand) float64 { return pick(r, 0, 1, 2.5) },
	func(r *rand.Rand) float64 { return float64(r.IntN(100)) / 10 },
	func(r *rand.Rand) float64 {
		return pick(r, 0, math.Copysign(0, -1), 1, 0.1, 5e-324, 1e-300, 1e300, 1<<52, r.Float64())
	},
}

// drawExamples draws n examples of up to 7 labels, with tags below a number.
func drawExamples(r *rand.Rand, n, tags int) []example {
	score, weigh := pick(r, scorings...), pick(r, weighings...)
	labels := 1 + r.IntN(7)
	list := make([]example, n)
	for i := range list {
		list[i] = example{score(r), uint32(r.IntN(labels)), uint32(r.IntN(tags)), weigh(r)}
	}
	return list
}

// drawSize says how many examples to draw: none, few, or several blocks.
func drawSize(r *rand.Rand) int { return pick(r, 0, 1, 2, 10, 300, blockSize, blockSize+1, 3000) }

// parts divides examples at random.
func parts(r *rand.Rand, list []example, n int) [][]example {
	parts := make([][]example, n)
	for _, e := range list {
		i := r.IntN(n)
		parts[i] = append(parts[i], e)
	}
	return parts
}

func runOf(list []example) []byte {
	var b Builder
	for _, e := range list {
		e.addTo(&b)
	}
	return b.AppendRun(nil)
}

// total holds the fields that equal entries have in common, and their sums. Joining changes
// neither.
type total struct {
	image      uint64
	label, tag uint32
	one        bool // they weigh 1
	rows       int64
	weight     string // exact
}

// totalsOf are the totals of examples.
func totalsOf(list []example) []total {
	entries := make([]Entry, len(list))
	for i, e := range list {
		entries[i] = Entry{Image: Image(e.score), Weight: e.weight + 0, Label: e.label, Tag: e.tag, Count: 1}
	}
	return totals(entries)
}

// totals are the totals of entries, sorted.
func totals(entries []Entry) []total {
	sums := make(map[total]*exact.Tally)
	for _, e := range entries {
		key := total{image: e.Image, label: e.Label, tag: e.Tag, one: e.Weight == 1}
		if sums[key] == nil {
			sums[key] = new(exact.Tally)
		}
		sums[key].AddRows(e.Weight, int64(e.Count))
	}
	list := make([]total, 0, len(sums))
	for key, sum := range sums {
		key.rows, key.weight = sum.Rows(), string(sum.Append(nil))
		list = append(list, key)
	}
	slices.SortFunc(list, func(a, b total) int {
		return cmp.Or(cmp.Compare(b.image, a.image), cmp.Compare(a.label, b.label), cmp.Compare(a.tag, b.tag), cmp.Compare(a.weight, b.weight))
	})
	return list
}

func readAll(t testing.TB, run []byte) []Entry {
	t.Helper()
	entries, err := entriesRead(run)
	require.NoError(t, err)
	require.Len(t, entries, Count(run))
	return entries
}

// entriesRead are the entries of a run up to its first error.
func entriesRead(run []byte) ([]Entry, error) {
	entries := []Entry{}
	left := blocks{rest: run}
	var b block
	for left.decode(&b) {
		for i := range b.n {
			entries = append(entries, Entry{b.images[i], math.Float64frombits(b.weights[i]), uint32(b.labels[i]), uint32(b.tags[i]), uint32(b.counts[i] + 1)})
		}
	}
	return entries, left.err
}

// sameTags are the tags of a run whose tags are the common ones.
func sameTags(n int) []uint32 {
	tags := make([]uint32, n)
	for i := range tags {
		tags[i] = uint32(i)
	}
	return tags
}
