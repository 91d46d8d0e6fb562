package metrics

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// naiveValue computes a metric of curves by its name, of a label or (-1) of all.
func naiveValue(t *testing.T, p *Params, b *Batch, k key) float64 {
	name, arg, _ := strings.Cut(k.name, "@")
	if of, average, averaged := strings.Cut(arg, "_"); averaged { // lift@0.1_macro
		name, arg = name+"_"+average, of
	}
	at, _ := strconv.ParseFloat(arg, 64)
	labels := make([]naiveCurve, 0, p.scored())
	if p.Task != Regression {
		for label := range p.scored() {
			labels = append(labels, naiveOf(p, b, label))
		}
	}
	switch name {
	case "median_absolute_error":
		return naiveMedian(b)
	case "ece", "mce":
		if p.Task == Multiclass {
			return naiveCalibration(p, name)(naiveOf(p, b, TopClass), at)
		}
	case "classwise_ece":
		return naiveAverage(labels, false, func(c naiveCurve) float64 { return naiveCalibration(p, "ece")(c, at) })
	case "roc_auc_ovo_macro", "roc_auc_ovo_weighted":
		return naiveOvO(labels, name == "roc_auc_ovo_weighted")
	}
	definition := func(name string) func(naiveCurve, float64) float64 {
		if name == "ece" || name == "mce" || name == "ace" || name == "ece_debiased" {
			return naiveCalibration(p, name)
		}
		if strings.HasSuffix(name, "miscalibration") || strings.HasSuffix(name, "discrimination") {
			return func(c naiveCurve, _ float64) float64 { return c.decomposed(p, name) }
		}
		return naiveMetrics[name]
	}
	if of := definition(name); of != nil {
		switch {
		case k.label >= 0:
			return of(labels[k.label], at)
		case p.Task == Binary:
			return of(labels[0], at)
		}
		return of(naiveOf(p, b, PooledLabel), at)
	}
	end := strings.LastIndex(name, "_")
	of := definition(name[:end])
	require.NotNil(t, of, "no definition of %s", name)
	if name[end:] == micro {
		return of(naiveOf(p, b, PooledLabel), at)
	}
	return naiveAverage(labels, name[end:] == weighted, func(c naiveCurve) float64 { return of(c, at) })
}

// naiveCalibration is a metric of bins of equal weight.
func naiveCalibration(p *Params, name string) func(naiveCurve, float64) float64 {
	return func(c naiveCurve, _ float64) float64 {
		ece, mce, debiased := c.calibration(p.Bins, func(score float64) float64 {
			if p.ScoreType == Logit && p.Task != Multiclass {
				return 1 / (1 + math.Exp(-score))
			}
			return score
		})
		switch name {
		case "mce":
			return mce
		case "ece_debiased":
			return debiased
		}
		return ece
	}
}

// naiveAverage leaves undefined labels out; where no label has weight, all weigh
// the same.
func naiveAverage(labels []naiveCurve, byWeight bool, of func(naiveCurve) float64) float64 {
	sum, weights, plain, n := 0.0, 0.0, 0.0, 0.0
	for _, c := range labels {
		v := of(c)
		if math.IsNaN(v) {
			continue
		}
		w, _ := c.totals()
		sum, weights, plain, n = sum+w*v, weights+w, plain+v, n+1
	}
	if byWeight && weights > 0 {
		return sum / weights
	}
	return plain / n
}

// isThreshold says whether a metric is a score that occurs.
func isThreshold(name string) bool { return strings.Contains(name, "threshold") }

// TestCurvesByDefinition compares every metric of curves with its definition.
func TestCurvesByDefinition(t *testing.T) {
	for i, p := range curveCases(t) {
		t.Run(fmt.Sprintf("%d %s", i, p.Task), func(t *testing.T) {
			t.Parallel()
			undefined, all := 0, 0
			for seed := range uint64(72) {
				r := source(seed)
				b := curveBatch(r, p, rowsOf(seed, p))
				for k, got := range results(t, p, collected(t, r, p, b), Options{PerLabel: everyLabel}) {
					want := naiveValue(t, p, b, k)
					all++
					switch {
					case math.IsNaN(want):
						require.True(t, math.IsNaN(got.Number), "seed %d: %v is %v", seed, k, got.Number)
						undefined++
					case isThreshold(k.name):
						require.Equal(t, defined(want), got.Value, "seed %d: %v", seed, k)
					default:
						require.InDelta(t, want, got.Number, tolerance, "seed %d: %v", seed, k)
					}
					require.False(t, got.Bounded)
				}
			}
			require.Positive(t, undefined)
			require.Less(t, 3*undefined, 2*all)
		})
	}
}

// TestWholeWeightsAreRepeatedRows: a weight is a number of examples, bit for bit.
func TestWholeWeightsAreRepeatedRows(t *testing.T) {
	t.Parallel()
	for _, p := range curveCases(t) {
		for seed := range uint64(20) {
			r := source(seed)
			b := curveBatch(r, p, 12)
			b.Weight = fill(b.Rows, func() float64 { return float64(r.IntN(4)) })
			var rows []int32
			for row, w := range b.Weight {
				rows = append(rows, slices.Repeat([]int32{int32(row)}, int(w))...)
			}
			repeated := take(b, rows)
			repeated.Weight = nil
			want := results(t, p, collected(t, r, p, repeated), Options{PerLabel: everyLabel})
			for k, got := range results(t, p, collected(t, r, p, b), Options{PerLabel: everyLabel}) {
				if k.name == "ndcg_micro" || len(rows) == 0 || rowOf(t, p.Task, k.name).metric.also == kindLabelLosses {
					continue // weights do not count there; losses times weights are rounded
				}
				require.Equal(t, math.Float64bits(want[k].Number), math.Float64bits(got.Number), "seed %d: %v", seed, k)
			}
		}
	}
}

func TestMedianOfInfiniteResiduals(t *testing.T) {
	p := curveParams(t, Params{Task: Regression, Curves: ExactCurves})
	b := &Batch{Rows: 3, Labels: 1, Target: []float64{math.MaxFloat64, math.MaxFloat64, 1}, Estimate: []float64{-math.MaxFloat64, -math.MaxFloat64, 0}}
	got := results(t, p, collected(t, source(1), p, b), Options{})
	require.Equal(t, defined(inf), got[key{"median_absolute_error", -1}].Value)
}

// TestCurvesOfNothing: without examples, or with none that weigh, nothing is defined
// but ndcg_micro, which counts rows.
func TestCurvesOfNothing(t *testing.T) {
	for _, mode := range []CurveMode{ExactCurves, BoundedCurves} {
		for _, p := range curveCases(t) {
			if p.Task == Regression && mode == BoundedCurves {
				continue // has no such metrics
			}
			p := curveParams(t, Params{Task: p.Task, Labels: p.Labels, Scores: p.Scores, ScoreType: p.ScoreType, Quantiles: p.Quantiles, Curves: mode, CurveBins: 10})
			b := curveBatch(source(3), p, 5)
			b.Weight = make([]float64, b.Rows)
			weightless := collected(t, source(1), p, b)
			for i, partial := range []*Partial{new(Partial), folded(t, p, &Batch{}), weightless} {
				for k, r := range results(t, p, partial, Options{PerLabel: everyLabel, ZeroDivision: 1}) {
					if k.name != "ndcg_micro" || i < 2 {
						require.True(t, math.IsNaN(r.Number), "%s %v is %v", p.Task, k, r.Number)
					}
				}
			}
		}
	}
}
