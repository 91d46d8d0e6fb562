package transforms

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// partials folds parts of the same examples, with some skipped ones.
func partials(t testing.TB, s scenario, parts ...[]example) []shuffle.Partial {
	list := make([]shuffle.Partial, len(parts))
	for i, rows := range parts {
		var err error
		list[i], err = shuffle.DecodePartial([]byte(foldPredictions(t, s, rows, 100)[shuffle.Overall]))
		require.NoError(t, err)
		for k := range 15 * i {
			list[i].Counts.Skip(report.SkippedRow{File: "f", RowGroup: k % 3, Row: int64(i * k), Reason: []string{"bad", "worse"}[k%2]})
		}
	}
	return list
}

func encoded(t testing.TB, p shuffle.Partial) string {
	data, err := p.Encode()
	require.NoError(t, err)
	return string(data)
}

// withQueries are partials that say where the metrics of queries are.
func withQueries(t testing.TB) []shuffle.Partial {
	p := partials(t, scenarios(t)[0], drawExamples(10))[0]
	q := partials(t, scenarios(t)[0], drawExamples(3))[0]
	p.Queries = []shuffle.Spilled{{Bytes: []byte("some")}, {File: "\xff", Parts: []shuffle.FilePart{{Offset: math.MaxInt64, Size: math.MinInt64}}}, {}}
	q.Queries = []shuffle.Spilled{{File: "another", Parts: []shuffle.FilePart{{Offset: 1, Size: 2}}}}
	p.Worst = &shuffle.Worst{Count: 2, Lists: map[int32][]shuffle.WorstExample{
		shuffle.AllLabels: {{Loss: math.Inf(1), ID: slice.String("\xff"), True: "a", Predicted: "b", Score: math.NaN()}, {Loss: 1, Margin: -3, ID: slice.Int(7), At: report.SkippedRow{File: "f", RowGroup: -1, Row: 3}}},
		5:                 {{Loss: 1, At: report.SkippedRow{File: "f", Line: 3}}},
	}}
	p.Changed, q.Changed = p.Worst, nil
	q.Worst = &shuffle.Worst{Count: 2, Lists: map[int32][]shuffle.WorstExample{shuffle.AllLabels: {{Loss: 2}}, 0: nil}}
	return []shuffle.Partial{p, q}
}

// TestQueriesOfPartials: what was collected of queries survives encoding and merging.
func TestQueriesOfPartials(t *testing.T) {
	list := withQueries(t)
	sum := shuffle.NewPartial()
	for _, p := range list {
		back := mustDecode(t, encoded(t, p))
		require.Equal(t, p.Queries, back.Queries)
		require.Equal(t, encoded(t, p), encoded(t, back))
		sum.Merge(&back)
	}
	require.Equal(t, append(slices.Clone(list[0].Queries), list[1].Queries...), sum.Queries)
	require.Equal(t, []float64{math.Inf(1), 2}, collections.Map(sum.Worst.Lists[shuffle.AllLabels], func(e shuffle.WorstExample) float64 { return e.Loss }))
}

func TestDecodePartialErrors(t *testing.T) {
	s := scenarios(t)[0]
	data := encoded(t, partials(t, s, drawExamples(10))[0])
	for n := range len(data) {
		// Statistics that end early may be fewer statistics; never a panic.
		_, err := shuffle.DecodePartial([]byte(data[:n]))
		if n < 5 {
			require.Error(t, err)
		}
	}
	_, err := shuffle.DecodePartial([]byte("\x02{["))
	require.ErrorContains(t, err, "decoding row counts")
	_, err = shuffle.DecodePartial([]byte("\x02{}\x00\x00\x01\xff"))
	require.ErrorContains(t, err, "decoding statistics")
}

// TestMergeLaws: merging is associative and commutative, has an identity, and
// leaves its right argument as it is, bit for bit.
func TestMergeLaws(t *testing.T) {
	sum := func(list ...shuffle.Partial) shuffle.Partial {
		acc := shuffle.NewPartial()
		for i := range list {
			acc.Merge(&list[i])
		}
		return acc
	}
	rows := drawExamples(90)
	for _, s := range scenarios(t) {
		t.Run(s.name, func(t *testing.T) {
			parts := partials(t, s, rows[:10], rows[10:70], rows[70:])
			x, y, z := parts[0], parts[1], parts[2]
			var before []string
			for _, p := range parts {
				before = append(before, encoded(t, p))
				require.Equal(t, before[len(before)-1], encoded(t, through(t, p)))
			}
			want := encoded(t, sum(x, y, z))
			require.Equal(t, before[0], encoded(t, sum(x)))
			require.Equal(t, before[1], encoded(t, sum(sum(y), sum())))
			require.Equal(t, before[1], encoded(t, sum(sum(), sum(y))))
			require.Equal(t, want, encoded(t, sum(z, x, y)))
			require.Equal(t, want, encoded(t, sum(sum(x), sum(y, z))))
			require.Equal(t, want, encoded(t, sum(sum(z, x), sum(y))))

			acc := sum(x, y)
			acc.Merge(&z)
			acc.Merge(&acc)
			for i, p := range parts {
				require.Equal(t, before[i], encoded(t, p), "an input has changed")
			}
		})
	}
}

// TestSampleOfSkippedRows keeps the first rows, in whatever order and however
// divided they come.
func TestSampleOfSkippedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var all shuffle.RowCounts
	var rows []report.SkippedRow
	for range 300 {
		row := report.SkippedRow{
			File: []string{"a", "b", "c"}[r.IntN(3)], RowGroup: r.IntN(3) - 1, Row: int64(r.IntN(20)),
			Column: []string{"label", "score"}[r.IntN(2)], Value: []string{"null", "7"}[r.IntN(2)], Reason: []string{"x", "y"}[r.IntN(2)],
		}
		rows = append(rows, row)
		all.Skip(row)
	}
	require.Len(t, all.Sample, 20)
	require.EqualValues(t, 300, all.Skipped["x"]+all.Skipped["y"])
	for range 50 {
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		counts := make([]shuffle.RowCounts, 1+r.IntN(8))
		for _, row := range rows {
			counts[r.IntN(len(counts))].Skip(row)
		}
		for len(counts) > 1 {
			i := r.IntN(len(counts) - 1)
			counts[i].Merge(&counts[len(counts)-1])
			counts = counts[:len(counts)-1]
		}
		require.Equal(t, all, counts[0])
	}
}
