package fold

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/element"
)

// testJob is a binary task with bounded curves.
func testJob(t *testing.T) *element.Job {
	j := &element.Job{Spec: input.Spec{Params: metrics.Params{Task: metrics.Binary, Labels: 2, Scores: true, Decisions: true, Curves: metrics.BoundedCurves}}}
	var err error
	j.Params.Metrics, err = j.Params.Select(nil, metrics.DefaultArguments())
	require.NoError(t, err)
	require.NoError(t, j.Params.Complete())
	return j
}

func testBatch(r *rand.Rand, rows int) *metrics.Batch {
	b := &metrics.Batch{Rows: rows, Labels: 1}
	for range rows {
		score := r.Float64()
		class := int32(r.IntN(2))
		predicted := int32(0)
		if score >= .5 {
			predicted = 1
		}
		b.Class, b.Predicted = append(b.Class, class), append(b.Predicted, predicted)
		b.Truth, b.Probability, b.Weight = append(b.Truth, class == 1), append(b.Probability, score), append(b.Weight, 2*r.Float64())
	}
	b.Complete(metrics.Binary)
	return b
}

// TestCellsAddUpToSlices compares with folding each row into every slice that it is in. In the last
// case there are more cells than slices, so cells are merged now and then.
func TestCellsAddUpToSlices(t *testing.T) {
	j := testJob(t)
	r := rand.New(rand.NewPCG(1, 13))
	for _, c := range []struct{ tuples, slices, groups int }{{1, 1, 0}, {20, 7, 0}, {20, 7, 3}, {3000, 3000, 0}, {3 * fewCells, 10, 2}} {
		cellOf := func(tuple int32) element.Cell {
			cell := element.Cell{Slices: []string{element.Overall, key(int(tuple) % c.slices), key(-1 - int(tuple)%3)}, Fold: element.NoFold}
			if c.groups > 0 {
				cell.Fold = tuple / 2 % int32(c.groups)
			}
			return cell
		}
		if j.Confidence = nil; c.groups > 0 {
			j.Confidence = &input.Confidence{Groups: c.groups}
		}
		b := testBatch(r, 3*c.tuples+50)
		want := make(map[part]*metrics.Partial)
		parts := []*partials{newPartials(j, j.Params.New, cellOf, element.Overall), newPartials(j, j.Params.New, cellOf, element.Overall)}
		for row := range int32(b.Rows) {
			tuple := int32(r.IntN(c.tuples))
			for _, slice := range cellOf(tuple).Slices {
				of := part{slice, cellOf(tuple).Fold}
				if want[of] == nil {
					var err error
					want[of], err = j.Params.New()
					require.NoError(t, err)
				}
				want[of].Fold(b, []int32{row})
			}
			into := parts[r.IntN(2)]
			require.NoError(t, into.fold(b, []int32{row}, tuple, nil))
			require.LessOrEqual(t, len(into.tuples), max(fewCells, len(into.parts)))
		}
		require.NoError(t, parts[0].merge(parts[1]))
		check := func(of part, p *metrics.Partial) {
			require.Equal(t, want[of].Append(nil), p.Append(nil), "%v, %v", c, of)
			delete(want, of)
		}
		parts[0].flush()
		for slice := range parts[0].slices {
			p := parts[0].take(slice)
			if c.groups == 0 {
				check(part{slice, element.NoFold}, p.Stats)
			}
			for i, g := range p.Folds {
				require.True(t, i == 0 || p.Folds[i-1].Number < g.Number)
				check(part{slice, g.Number}, g.Stats)
			}
		}
		require.Empty(t, want)
	}
}

func key(value int) string {
	return string(slice.Key{{Column: "column", Value: slice.Int(int64(value))}}.AppendBinary(nil))
}

// TestTooManySlices: the first row of one slice too many is an error.
func TestTooManySlices(t *testing.T) {
	j := testJob(t)
	j.MaxSlices = 5
	p := newPartials(j, j.Params.New, func(tuple int32) element.Cell {
		return element.Cell{Slices: []string{element.Overall, key(int(tuple))}, Fold: element.NoFold}
	}, element.Overall)
	b := testBatch(rand.New(rand.NewPCG(1, 13)), 1)
	for tuple := range int32(5) {
		require.NoError(t, p.fold(b, []int32{0}, tuple, nil))
	}
	require.ErrorContains(t, p.fold(b, []int32{0}, 5, nil), `more than 5 slices: column "column" alone has 6 values`)
}
