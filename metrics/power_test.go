package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/simulation"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/power"
)

// The simulation behind docs/plan.md: pilots say how many examples a known difference takes, and
// experiments of that size show it as often as they were planned to.
const (
	experiments = 10_000 // if all are drawn
	pilots      = 2_000  // likewise
)

// study compares two models that truly differ.
type study struct {
	name   string
	effect float64 // the true value of the second model less the true value of the first
	// draw returns both values for n examples, and their replicates.
	draw func(r *rand.Rand, n, folds int) (values [2]float64, without [2][]float64)
}

// pairOf returns studies of the metrics of two populations, which have the same examples.
func pairOf(models [2]*population) (all []study) {
	truth := [2][]float64{models[0].values(models[0].share), models[1].values(models[1].share)}
	for i, name := range models[0].params.Metrics {
		all = append(all, study{name, truth[1][i] - truth[0][i], func(r *rand.Rand, n, folds int) (values [2]float64, without [2][]float64) {
			total, groups := make([]float64, len(models[0].share)), make([][]float64, folds)
			for g := range groups {
				groups[g] = make([]float64, len(total))
			}
			next := models[0].sampler(r)
			for range n {
				example := next()
				total[example]++
				groups[r.IntN(folds)][example]++
			}
			for m, p := range models {
				values[m] = p.values(total)[i]
			}
			rest := make([]float64, len(total))
			for _, group := range groups {
				for k, c := range group {
					rest[k] = total[k] - c
				}
				for m, p := range models {
					without[m] = append(without[m], p.values(rest)[i])
				}
			}
			return values, without
		}})
	}
	return all
}

// curveValues returns average_precision, f1 and roc_auc of a model.
func curveValues(examples []scoredExample, model int, count []float64) []float64 {
	var of [2][levels]float64 // negatives and positives
	var positives, negatives float64
	for i, n := range count {
		if e := &examples[i]; e.positive {
			of[1][e.level[model]] += n
			positives += n
		} else {
			of[0][e.level[model]] += n
			negatives += n
		}
	}
	var tp, fp, precisions, pairs, f1 float64
	for level := levels - 1; level >= 0; level-- {
		n, p := of[0][level], of[1][level]
		pairs += n * (tp + p/2)
		tp, fp = tp+p, fp+n
		if p > 0 {
			precisions += p * (tp / (tp + fp))
		}
		if level == levels/2 {
			f1 = 2 * tp / (tp + fp + positives)
		}
	}
	return []float64{precisions / positives, f1, pairs / (negatives * positives)}
}

// worsened has a second model that is worse.
func worsened(positive bool, level, way int) [2]int {
	pair := improved(positive, level, way)
	return [2]int{pair[1], pair[0]}
}

// twoForecasts are populations of a regression. The errors of the second model are those of the first times
// one of three factors.
func twoForecasts() (models [2]*population) {
	factors := []float64{0.9, 1, 1.2}
	var errors [2][]float64
	var share []float64
	for level := range levels {
		z := (float64(level) + 0.5 - levels/2) / 8
		for _, f := range factors {
			errors[0], errors[1] = append(errors[0], z), append(errors[1], f*z)
			share = append(share, math.Exp(-z*z/2))
		}
	}
	for m := range models {
		models[m] = &population{
			params: &Params{Task: Regression, Metrics: []string{"rmse"}},
			share:  share,
			values: func(count []float64) []float64 {
				var squares, n float64
				for i, c := range count {
					squares += c * errors[m][i] * errors[m][i]
					n += c
				}
				return []float64{math.Sqrt(squares / n)}
			},
			batch: func(of []int) *Batch {
				b := &Batch{Rows: len(of), Labels: 1}
				for _, i := range of {
					b.Target, b.Estimate = append(b.Target, 1), append(b.Estimate, 1+errors[m][i])
				}
				return b
			},
		}
	}
	return models
}

// clusteredAccuracy is a study of users with 20 rows each, in folds by user. Users differ in how many of
// their rows are right, and in whether the second model helps or harms them.
func clusteredAccuracy() study {
	const rows, harmed, helped = 20, 0.06, -0.04
	return study{"accuracy of users", -(harmed + helped) / 2, func(r *rand.Rand, n, folds int) (values [2]float64, without [2][]float64) {
		right, of := make([][2]float64, folds), make([]float64, folds)
		var all [2]float64
		users := (n + rows - 1) / rows
		for range users {
			p, worse, fold := pick(r, 0.5, 0.7, 0.9), pick(r, harmed, helped), r.IntN(folds)
			of[fold] += rows
			for range rows {
				u := r.Float64()
				for m, limit := range []float64{p, p - worse} {
					hit := float64(oneIf(u < limit))
					right[fold][m] += hit
					all[m] += hit
				}
			}
		}
		size := float64(users * rows)
		for m := range values {
			values[m] = all[m] / size
			for fold := range folds {
				if of[fold] > 0 {
					without[m] = append(without[m], (all[m]-right[fold][m])/(size-of[fold]))
				}
			}
		}
		return values, without
	}}
}

// planned returns how many examples the study takes, as pilots of n examples tell: from the mean of their
// variances and the median of their degrees of freedom.
func (s *study) planned(t *testing.T, r *rand.Rand, n, folds int) int {
	var variance float64
	dof := make([]float64, simulation.Draws(pilots))
	for i := range dof {
		values, without := s.draw(r, n, folds)
		d := confidence.Paired(values[0], values[1], without[0], without[1], 0.95)
		require.Empty(t, d.NoInterval, s.name)
		dof[i] = d.DOF
		variance += d.StdError * d.StdError / float64(len(dof))
	}
	slices.Sort(dof)
	test := power.Test{Level: 0.95, DOF: dof[len(dof)/2]}
	return int(math.Ceil(test.Examples(float64(n), math.Sqrt(variance), s.effect, power.Usual)))
}

// TestSimulatedPower: of experiments that are as large as they are planned to be for a power of 80 %,
// 80 % show the difference.
func TestSimulatedPower(t *testing.T) {
	t.Parallel()
	binary := scoredTwice(worsened, []string{"average_precision", "f1", "roc_auc"}, curveValues)
	queries, forecasts := [2]*population{manyQueries(t, 0), manyQueries(t, 0.4)}, twoForecasts()
	studies := []study{clusteredAccuracy()}
	for _, models := range [][2]*population{binary, queries, forecasts} {
		models[1].requireTrue(t)
		studies = append(studies, pairOf(models)...)
	}
	for seed, s := range studies {
		for _, folds := range []int{50, 10} {
			r := source(uint64(100*seed + folds))
			n := 4000
			for range 2 { // the second pilots are about as large as the experiments
				n = s.planned(t, r, n, folds)
			}
			shown, draws := 0, simulation.Draws(experiments)
			for range draws {
				values, without := s.draw(r, n, folds)
				d := confidence.Paired(values[0], values[1], without[0], without[1], 0.95)
				shown += oneIf(d.PValue <= 0.05 && (d.Difference > 0) == (s.effect > 0))
			}
			share := 100 * float64(shown) / float64(draws)
			t.Logf("%s, %d folds: %.1f %% of %d experiments of %d examples show a difference of %.4f", s.name, folds, share, draws, n, s.effect)
			require.InDelta(t, 80, share, 2+100*simulation.Slack(0.8, experiments), s.name)
		}
	}
}
