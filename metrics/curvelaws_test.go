package metrics

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/curves"
)

// curveCases are the tasks whose curves are traced.
func curveCases(t testing.TB) []*Params {
	var list []*Params
	for _, p := range []Params{
		{Task: Binary, Scores: true},
		{Task: Binary, Scores: true, ScoreType: Logit},
		{Task: Multiclass, Labels: 3, Scores: true},
		{Task: Multiclass, Labels: 4, Scores: true, ScoreType: Logit},
		{Task: Multilabel, Labels: 4, Scores: true, ScoreType: RawScore},
		{Task: Multilabel, Labels: 3, Scores: true, ScoreType: Logit},
		{Task: Regression},
	} {
		p.Curves = ExactCurves
		list = append(list, curveParams(t, p))
		if p.Quantiles = p.ScoreType != RawScore && p.Scores; p.Quantiles {
			list = append(list, curveParams(t, p))
		}
	}
	return list
}

// TestLawsOfCurves: the encoding of traced curves does not depend on how rows were divided among
// runs and ranges, nor on the order of merging.
func TestLawsOfCurves(t *testing.T) {
	few := curveParams(t, Params{Task: Binary, Scores: true, Curves: ExactCurves, MaxDistinct: 4}) // isotonic fits join blocks
	for i, p := range append(curveCases(t), few) {
		t.Run(fmt.Sprintf("%d %s", i, p.Task), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(18) {
				r := source(seed)
				b := curveBatch(r, p, rowsOf(seed, p))
				whole := mergedParts(t, r, collectedRanges(t, p, b, [][]int32{AllRows(nil, b.Rows)}, 1)).Append(nil)
				for range 4 {
					list := collectedRanges(t, p, b, parts(r, b.Rows, 1+r.IntN(5)), 1+r.IntN(9))
					before := bytesOfParts(list)
					require.Equal(t, whole, mergedParts(t, r, list).Append(nil), "seed %d", seed)
					require.Equal(t, before, bytesOfParts(list), "merging changes nothing on its right")
					mergingLaws(t, list)
				}
				require.Equal(t, collected(t, r, p, b).Append(nil), collected(t, r, p, b).Append(nil))
			}
		})
	}
}

func bytesOfParts(list []*Partial) (all [][]byte) {
	for _, partial := range list {
		all = append(all, partial.Append(nil))
	}
	return all
}

// mergingLaws checks the laws of a commutative monoid on ranges of one trace.
func mergingLaws(t *testing.T, list []*Partial) {
	merged := func(list ...*Partial) *Partial {
		sum := new(Partial)
		for _, partial := range list {
			sum.Merge(partial)
		}
		return sum
	}
	for len(list) >= 3 {
		x, y, z := list[0], list[1], list[2]
		list = list[3:]
		require.Equal(t, x.Append(nil), merged(x).Append(nil))
		require.Equal(t, x.Append(nil), merged(x, new(Partial)).Append(nil))
		require.Equal(t, merged(x, y).Append(nil), merged(y, x).Append(nil))
		require.Equal(t, merged(merged(x, y), z).Append(nil), merged(x, merged(y, z)).Append(nil))
	}
}

// TestDrawingsOfRanges: their encodings may have ends of ranges that the drawings
// leave out.
func TestDrawingsOfRanges(t *testing.T) {
	p := *curveParams(t, Params{Task: Binary, Scores: true, Curves: ExactCurves})
	p.CurveLines = 8
	outline := func(partial *Partial) *curves.Outline {
		return &partial.stats[kindLabelCurves].(*labelCurves).Lookup(0).To.Outline
	}
	drawn := 0
	for seed := range uint64(20) {
		r := source(seed)
		b := curveBatch(r, &p, 200)
		want := outline(mergedParts(t, r, collectedRanges(t, &p, b, [][]int32{AllRows(nil, b.Rows)}, 1)))
		drawn += len(want.ROC())
		got := outline(collected(t, r, &p, b))
		require.Equal(t, want.ROC(), got.ROC())
		require.Equal(t, want.PR(), got.PR())
	}
	require.Greater(t, drawn, 50)
}

// TestDecodingCurves damages the bytes of partials: decoding fails, or what comes
// of it can be used.
func TestDecodingCurves(t *testing.T) {
	t.Parallel()
	all := curveCases(t)
	for i, p := range all {
		r := source(uint64(i))
		b := curveBatch(r, p, 3)
		data := collected(t, r, p, b).Append(nil)
		for cut := range data {
			if partial, err := DecodePartial(data[:cut]); err == nil {
				partial.Append(nil) // a statistic less
			}
		}
		refused := 0
		for range 300 {
			damaged := append([]byte(nil), data...)
			for range 1 + r.IntN(2) {
				damaged[r.IntN(len(damaged))] = pick(r, 0, 1, 0x7f, 0x80, 0xff, byte(r.IntN(256)))
			}
			partial, err := DecodePartial(damaged)
			if err != nil {
				refused++
				continue
			}
			exercise(t, partial, []*Params{p, all[(i+1)%len(all)]})
		}
		require.Positive(t, refused)
	}
}

func TestCurvesOfOtherTotalsAreAnError(t *testing.T) {
	p := curveParams(t, Params{Task: Binary, Scores: true, Curves: ExactCurves})
	r := source(1)
	one, other := collected(t, r, p, curveBatch(r, p, 30)), collected(t, r, p, curveBatch(r, p, 31))
	_, err := p.Evaluate(one, Options{})
	require.NoError(t, err)
	one.Merge(other)
	_, err = p.Evaluate(one, Options{})
	require.ErrorContains(t, err, "other Params")
	sum := new(Partial)
	sum.Merge(one)
	_, err = p.Evaluate(sum, Options{})
	require.ErrorContains(t, err, "other Params")
}
