package metricstest_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/metricstest"
)

// targets is a statistic that obeys the laws: the sum of all targets, and the number of each.
type targets struct {
	sum   exact.Sum
	count map[float64]uint64
	broken
}

// broken says which laws do not hold.
type broken struct {
	first, float, aliasRows, aliasMerge, index, lossy, cut, greedy, panics, appending, keeping, changing bool
}

func (b broken) empty(*metrics.Params) *targets {
	return &targets{count: make(map[float64]uint64), broken: b}
}

var (
	naive    = make(map[*targets]float64)   // sums that are not exact
	borrowed = make(map[*targets][]float64) // columns of batches
)

func (s *targets) Fold(b *metrics.Batch, rows []int32) {
	for _, r := range rows {
		y := b.Target[r]
		if s.index {
			y += float64(r)
		}
		s.sum.Add(y)
		s.count[y]++
		naive[s] += y
	}
	if s.aliasRows && borrowed[s] == nil {
		borrowed[s] = b.Target
	}
}

func (s *targets) Merge(from metrics.Statistic) {
	f := from.(*targets)
	if s.first && !s.sum.Empty() {
		return
	}
	if s.aliasMerge && len(s.count) == 0 {
		s.count = f.count
	} else {
		for y, n := range f.count {
			s.count[y] += n
		}
	}
	s.sum.Merge(&f.sum)
	naive[s] += naive[f]
	if borrowed[s] == nil {
		borrowed[s] = borrowed[f]
	}
	if s.changing {
		f.count[0]++
	}
}

func (s *targets) Append(dst []byte) []byte {
	if s.appending {
		s.sum.Add(1)
	}
	if s.float {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(naive[s]))
	}
	if s.aliasRows && len(borrowed[s]) > 0 {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(borrowed[s][0]))
	}
	if s.lossy {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(float64(float32(s.sum.Float64()))))
	} else {
		dst = s.sum.Append(dst)
	}
	dst = binary.AppendUvarint(dst, uint64(len(s.count)))
	keys := make([]float64, 0, len(s.count))
	for y := range s.count {
		keys = append(keys, y)
	}
	slices.Sort(keys)
	for _, y := range keys {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(y))
		dst = binary.AppendUvarint(dst, s.count[y])
	}
	return dst
}

func (s *targets) Decode(d *metrics.Decoder) {
	if s.float {
		naive[s] = d.Float()
	}
	if s.lossy {
		s.sum.Reset()
		s.sum.Add(d.Float())
	} else {
		s.sum.Decode(d)
	}
	if s.cut {
		return
	}
	if !s.keeping {
		s.count = make(map[float64]uint64)
	}
	n := 0
	switch {
	case s.greedy:
		runtime.KeepAlive(make([]byte, d.Count(1<<28)))
		d.Fail("too much")
	case s.panics:
		n = int(d.Uint())
		_ = make([]bool, 100)[n]
	default:
		n = d.Elements()
	}
	for range n {
		y := d.Float()
		s.count[y] = d.Uint()
	}
}

func (s *targets) Reset() {
	s.sum.Reset()
	clear(s.count)
	delete(naive, s)
}

// failing is a testing.TB that notes how a test fails.
type failing struct {
	testing.TB
	message string
}

func (f *failing) Helper() {}
func (f *failing) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// failure returns how the laws fail.
func failure(b broken) string {
	f, done := new(failing), make(chan struct{})
	go func() {
		defer close(done)
		metricstest.Laws(f, b.empty, new(metrics.Params), batch)
	}()
	<-done
	return f.message
}

var batch = &metrics.Batch{Rows: 9, Target: []float64{0.1, 1e17, 0.2, -1e17, 0.1, 3, 3, 0.7, 1e-9}}

func TestLawsHold(t *testing.T) {
	metricstest.Laws(t, broken{}.empty, new(metrics.Params), batch)
	metricstest.Laws(t, broken{}.empty, new(metrics.Params), new(metrics.Batch))
}

// Every law is tested: a statistic that breaks it fails.
func TestBrokenStatisticsFail(t *testing.T) {
	for want, b := range map[string]broken{
		"commutativity: merging y and x":                     {first: true},
		"commutativity|folding all rows":                     {float: true},
		"ownership: after Fold, the batch is used":           {aliasRows: true},
		"ownership|Merge leaves its argument as it was":      {aliasMerge: true},
		"folding the same rows from other places of a batch": {index: true},
		"codec|identity": {lossy: true},
		"codec: Decode leaves \\d+ of the \\d+ bytes": {cut: true},
		"codec: Decode fails on what Append wrote":    {greedy: true},
		"codec: decoding [0-9a-f]+ panics":            {panics: true},
		"identity: merging into nothing":              {appending: true},
		"codec: Decode replaces what was there":       {keeping: true},
		"Merge leaves its argument as it was":         {changing: true},
	} {
		require.Regexp(t, "^("+want+")", failure(b), "%+v", b)
	}
}

// A length of a few bytes must not make Decode take much memory.
func TestHostileLengths(t *testing.T) {
	f, done := new(failing), make(chan struct{})
	go func() {
		defer close(done)
		metricstest.Decoding(f, broken{greedy: true}.empty, binary.AppendUvarint(new(exact.Sum).Append(nil), 1<<28))
	}()
	<-done
	require.Regexp(t, `^codec: decoding the \d+ bytes [0-9a-f]+ takes 2\d\d MB`, f.message)
}
