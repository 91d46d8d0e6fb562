package fold

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// testJob is a binary task with bounded curves.
func testJob(t *testing.T) *shuffle.Job {
	j := &shuffle.Job{Spec: input.Spec{Params: metrics.Params{Task: metrics.Binary, Labels: 2, Scores: true, Decisions: true, Curves: metrics.BoundedCurves}}}
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

// TestFolding compares with folding each row into every slice that it is in, bit for bit: batches whose rows have
// random tuples are folded through cells, straight into the slices, or as the batch suggests. In the last two cases
// there are more tuples than cells, so that cells are merged now and then.
func TestFolding(t *testing.T) {
	j := testJob(t)
	r := rand.New(rand.NewPCG(1, 13))
	ways := []func(p *partials, b *metrics.Batch, rows, tuples []int32) error{
		func(p *partials, b *metrics.Batch, rows, tuples []int32) error { return p.fold(b, rows, tuples, nil) },
		func(p *partials, b *metrics.Batch, rows, tuples []int32) error {
			require.NoError(t, p.meetTuples(p.groups.Met(tuples, rows)))
			return p.foldCells(rows, tuples, func(cell *metrics.Partial, rows []int32) { cell.Fold(b, rows) })
		},
		func(p *partials, b *metrics.Batch, rows, tuples []int32) error {
			require.NoError(t, p.meetTuples(p.groups.Met(tuples, rows)))
			return p.foldParts(b, rows, tuples, nil)
		},
	}
	for _, c := range []struct{ tuples, slices, folds, rows int }{
		{1, 1, 0, 50}, {20, 7, 0, 200}, {20, 7, 3, 200}, {300, 200, 5, 3000}, {3 * mostCells, 10, 2, 9000}, {3 * mostCells, 3 * mostCells, 0, 9000},
	} {
		membershipOf := func(tuple int32) shuffle.Membership {
			cell := shuffle.Membership{Slices: []string{shuffle.Overall, key(int(tuple) % c.slices)}, Fold: shuffle.NoFold}
			if tuple%4 != 0 { // not all tuples are in as many slices
				cell.Slices = append(cell.Slices, key(-1-int(tuple)%3))
			}
			if tuple%7 == 6 {
				cell.Slices = nil // of another pass
			}
			if c.folds > 0 {
				cell.Fold = tuple / 2 % int32(c.folds)
			}
			return cell
		}
		if j.Confidence = nil; c.folds > 0 {
			j.Confidence = &input.Confidence{Folds: c.folds}
		}
		var parts []*partials
		for range 2 { // two workers
			maker, err := j.Params.Maker()
			require.NoError(t, err)
			parts = append(parts, newPartials(j, maker, membershipOf, shuffle.Overall))
		}
		want := make(map[part]*metrics.Partial)
		for left := c.rows; left > 0; {
			b := testBatch(r, 1+r.IntN(left))
			left -= b.Rows
			tuples, rows := make([]int32, b.Rows), []int32(nil)
			for row := range tuples {
				tuple := int32(r.IntN(c.tuples))
				if tuples[row] = tuple; r.IntN(5) == 0 { // a bad row
					continue
				}
				rows = append(rows, int32(row))
				for _, slice := range membershipOf(tuple).Slices {
					of := part{slice, membershipOf(tuple).Fold}
					if want[of] == nil {
						var err error
						want[of], err = j.Params.New()
						require.NoError(t, err)
					}
					want[of].Fold(b, []int32{int32(row)})
				}
			}
			into := parts[r.IntN(2)]
			require.NoError(t, ways[r.IntN(len(ways))](into, b, rows, tuples))
			require.LessOrEqual(t, len(into.cells), mostCells)
		}
		require.NoError(t, parts[0].merge(parts[1]))
		check := func(of part, p *metrics.Partial) {
			require.Equal(t, want[of].Append(nil), p.Append(nil), "%v, %v", c, of)
			delete(want, of)
		}
		for slice := range parts[0].slices {
			p := parts[0].take(slice)
			if c.folds == 0 && p.Stats.Examples() > 0 {
				check(part{slice, shuffle.NoFold}, p.Stats)
			}
			for i, g := range p.Folds {
				require.True(t, i == 0 || p.Folds[i-1].Number < g.Number)
				check(part{slice, g.Number}, g.Stats)
			}
		}
		require.Empty(t, want)
	}
}

// TestManyTuples: rows whose tuples are many are folded straight into their slices, unless cells have enough rows
// of each.
func TestManyTuples(t *testing.T) {
	j := testJob(t)
	maker, err := j.Params.Maker()
	require.NoError(t, err)
	for _, c := range []struct{ rows, tuples, cells int }{
		{1, mostCells, mostCells}, {1, mostCells + 1, 0}, {rowsOfCell - 1, mostCells + 1, 0}, {rowsOfCell, mostCells + 1, 1},
	} {
		p := newPartials(j, maker, func(tuple int32) shuffle.Membership {
			return shuffle.Membership{Slices: []string{shuffle.Overall, key(int(tuple) % 10)}, Fold: shuffle.NoFold}
		}, shuffle.Overall)
		b := testBatch(rand.New(rand.NewPCG(1, 13)), c.rows*c.tuples)
		tuples := make([]int32, b.Rows)
		for row := range tuples {
			tuples[row] = int32(row % c.tuples)
		}
		require.NoError(t, p.fold(b, metrics.AllRows(nil, b.Rows), tuples, nil))
		require.Len(t, p.cells, c.cells, c)
	}
}

func key(value int) string {
	return slice.Key{{Column: "column", Value: slice.Int(int64(value))}}.Encoded()
}

// TestTooManySlices: the first row of one slice too many is an error.
func TestTooManySlices(t *testing.T) {
	j := testJob(t)
	j.MaxSlices = 5
	maker, err := j.Params.Maker()
	require.NoError(t, err)
	p := newPartials(j, maker, func(tuple int32) shuffle.Membership {
		return shuffle.Membership{Slices: []string{shuffle.Overall, key(int(tuple))}, Fold: shuffle.NoFold}
	}, shuffle.Overall)
	b := testBatch(rand.New(rand.NewPCG(1, 13)), 1)
	for tuple := range int32(5) {
		require.NoError(t, p.fold(b, []int32{0}, []int32{tuple}, nil))
	}
	require.ErrorContains(t, p.fold(b, []int32{0}, []int32{5}, nil), `more than 5 slices: column "column" alone has 6 values`)
}
