package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/simulation"
	"github.com/beameval/beameval/metrics/confidence"
)

// The simulation behind docs/studies.md: samples are drawn from populations with known values,
// which 95 in 100 of the samples' intervals should cover.
const (
	trials      = 2000 // if all are drawn
	sampleSize  = 1000
	groupsDrawn = 50
)

// population has a few examples, from which samples are drawn with replacement.
type population struct {
	params *Params
	share  []float64 // of each example: how likely it is drawn
	// values returns the metrics of params, in their order, for a sample that has each example
	// count[i] times. For count = share it returns the true values.
	values func(count []float64) []float64
	// batch returns a sample of the examples with these indices.
	batch func(of []int) *Batch
}

// sampler returns a function that draws an example.
func (p *population) sampler(r *rand.Rand) func() int {
	sums, total := make([]float64, len(p.share)), 0.0
	for i, s := range p.share {
		total += s
		sums[i] = total
	}
	return func() int {
		i, _ := slices.BinarySearch(sums, r.Float64()*total)
		return i
	}
}

// sample counts the examples of each group.
type sample [groupsDrawn][]float64

// draw draws a sample. Each example belongs to a group of its own.
func (p *population) draw(r *rand.Rand) (s sample) {
	for g := range s {
		s[g] = make([]float64, len(p.share))
	}
	next := p.sampler(r)
	for range sampleSize {
		s[r.IntN(groupsDrawn)][next()]++
	}
	return s
}

// drawUsers draws a sample of 50 users, of whom each has only four examples, over and over. The
// same rows are divided among groups by row and by user.
func (p *population) drawUsers(r *rand.Rand) (byRow, byUser sample) {
	for g := range byRow {
		byRow[g], byUser[g] = make([]float64, len(p.share)), make([]float64, len(p.share))
	}
	next := p.sampler(r)
	const users = 50
	for range users {
		own, group := fill(4, next), r.IntN(groupsDrawn)
		for range sampleSize / users {
			i := pick(r, own...)
			byRow[r.IntN(groupsDrawn)][i]++
			byUser[group][i]++
		}
	}
	return byRow, byUser
}

// evaluate returns the values of a sample, and those without each group that has examples.
func (p *population) evaluate(s sample) (all []Result, without [][]Result) {
	total, rest := make([]float64, len(p.share)), make([]float64, len(p.share))
	for _, group := range s {
		for i, n := range group {
			total[i] += n
		}
	}
	for _, group := range s {
		if slices.ContainsFunc(group, func(n float64) bool { return n > 0 }) {
			for i, n := range group {
				rest[i] = total[i] - n
			}
			without = append(without, p.results(rest))
		}
	}
	return p.results(total), without
}

func (p *population) results(count []float64) (list []Result) {
	for i, v := range p.values(count) {
		list = append(list, Result{p.params.Metrics[i], -1, Value{Number: v, Trials: sampleSize}, sampleSize})
	}
	return list
}

// requireTrue compares values with an evaluation: of a sample, and of the whole population with the
// shares as weights, for the true values.
func (p *population) requireTrue(t *testing.T) {
	r := source(1)
	drawn, count := fill(sampleSize, p.sampler(r)), make([]float64, len(p.share))
	for _, i := range drawn {
		count[i]++
	}
	sampled, whole := p.batch(drawn), p.batch(firstLabels(len(p.share)))
	whole.Weight = p.share
	for batch, want := range map[*Batch][]float64{sampled: p.values(count), whole: p.values(p.share)} {
		list, err := p.params.Evaluate(collected(t, r, p.params, batch), Options{})
		require.NoError(t, err)
		require.Len(t, list, len(want))
		for i := range list {
			require.InEpsilon(t, want[i], list[i].Number, 1e-12, list[i].Name)
		}
	}
}

const levels = 50 // of scores

// scoreAt returns the score of a level. Decisions use threshold 0.5.
func scoreAt(level int) float64 { return (float64(level) + 0.5) / levels }

// scoredExample is an example with the levels of its scores by two models.
type scoredExample struct {
	positive bool
	level    [2]int
}

// twoModels returns a population as two models score it. Positives have higher scores, which are
// no good probabilities. pair returns the two models' levels for a level, in one of three ways.
func twoModels(pair func(positive bool, level, way int) [2]int) (models [2]*population) {
	return scoredTwice(pair, []string{"accuracy", "log_loss", "roc_auc"}, binaryValues)
}

// scoredTwice is [twoModels] with other metrics, which values returns for a model.
func scoredTwice(pair func(positive bool, level, way int) [2]int, names []string, values func(examples []scoredExample, model int, count []float64) []float64) (models [2]*population) {
	var examples []scoredExample
	var share []float64
	for _, positive := range []bool{false, true} {
		mean, prevalence := -0.6, 0.6
		if positive {
			mean, prevalence = 0.6, 0.4
		}
		for level := range levels {
			z := (float64(level)-levels/2+0.5)/10 - mean
			for way := range 3 {
				both := pair(positive, level, way)
				for i := range both {
					both[i] = min(max(both[i], 0), levels-1)
				}
				examples = append(examples, scoredExample{positive, both})
				share = append(share, prevalence*math.Exp(-z*z/2))
			}
		}
	}
	for m := range models {
		models[m] = &population{
			params: &Params{Task: Binary, Metrics: names},
			share:  share,
			values: func(count []float64) []float64 { return values(examples, m, count) },
			batch: func(of []int) *Batch {
				b := &Batch{Rows: len(of), Labels: 1}
				for _, i := range of {
					p := scoreAt(examples[i].level[m])
					b.Class = append(b.Class, int32(oneIf(examples[i].positive)))
					b.Predicted = append(b.Predicted, int32(oneIf(p >= 0.5)))
					b.Probability = append(b.Probability, p)
				}
				return finish(b, Binary)
			},
		}
	}
	return models
}

// binaryValues returns accuracy, log_loss and roc_auc of a model.
func binaryValues(examples []scoredExample, model int, count []float64) []float64 {
	var of [2][levels]float64 // negatives and positives
	for i, n := range count {
		of[oneIf(examples[i].positive)][examples[i].level[model]] += n
	}
	var right, loss, pairs, negatives, positives float64
	for level := range levels {
		n, p := of[0][level], of[1][level]
		if level < levels/2 {
			right += n
		} else {
			right += p
		}
		loss -= n*logScore[levels-1-level] + p*logScore[level]
		pairs += p * (negatives + n/2)
		negatives += n
		positives += p
	}
	all := negatives + positives
	return []float64{right / all, loss / all, pairs / (negatives * positives)}
}

var logScore = func() (logs [levels]float64) {
	for level := range logs {
		logs[level] = math.Log(scoreAt(level))
	}
	return logs
}()

// fourClasses is a population of four classes that are confused with each other.
func fourClasses() *population {
	share := []float64{
		0.32, 0.04, 0.03, 0.01,
		0.05, 0.20, 0.03, 0.02,
		0.01, 0.02, 0.15, 0.02,
		0.01, 0.01, 0.02, 0.06,
	}
	return &population{
		params: &Params{Task: Multiclass, Labels: 4, Decisions: true, Metrics: []string{"f1_macro"}},
		share:  share,
		values: func(count []float64) []float64 {
			total := 0.0
			for class := range 4 {
				both := 0.0 // true and predicted
				for other := range 4 {
					both += count[4*class+other] + count[4*other+class]
				}
				total += 2 * count[4*class+class] / both
			}
			return []float64{total / 4}
		},
		batch: func(of []int) *Batch {
			b := &Batch{Rows: len(of), Labels: 4}
			for _, i := range of {
				b.Class, b.Predicted = append(b.Class, int32(i/4)), append(b.Predicted, int32(i%4))
			}
			return b
		},
	}
}

// manyQueries is a population of 300 queries with 30 items each. The more their scores are blurred,
// the worse they are ranked.
func manyQueries(t *testing.T, blur float64) *population {
	p := &population{params: &Params{Task: Ranking, Metrics: []string{"ndcg@10"}}}
	r, noise := source(5), source(6)
	relevances := fill(300, func() []float64 {
		return fill(30, func() float64 { return pick(r, 0.0, 0, 0, 0, 0, 0, 0, 0, 1, 2) })
	})
	scores := fill(300, func() []float64 { return fill(30, r.NormFloat64) })
	for q := range scores {
		relevances[q][0] = 3 // no query is without
		for i := range scores[q] {
			scores[q][i] += relevances[q][i]/2 + blur*noise.NormFloat64()
		}
	}
	p.batch = func(of []int) *Batch {
		b := &Batch{Rows: len(of), Labels: 1, ItemOffset: []int32{0}}
		for _, i := range of {
			b.Relevance, b.Score = append(b.Relevance, relevances[i]...), append(b.Score, scores[i]...)
			b.ItemOffset = append(b.ItemOffset, int32(len(b.Score)))
		}
		return b
	}
	var values []float64
	for i := range scores {
		p.share = append(p.share, 1.0/300)
		values = append(values, evaluated(t, p.params, p.batch([]int{i}), Options{})[key{"ndcg@10", -1}].Number)
	}
	p.values = func(count []float64) []float64 {
		var total, n float64
		for i, c := range count {
			total += c * values[i]
			n += c
		}
		return []float64{total / n}
	}
	return p
}

// same gives both models the same score.
func same(_ bool, level, _ int) [2]int { return [2]int{level, level} }

// equal swaps the levels of two ways, so that neither model is better.
func equal(_ bool, level, way int) [2]int {
	return [][2]int{{level, level}, {level, level + 4}, {level + 4, level}}[way]
}

// improved has a second model that is better.
func improved(positive bool, level, way int) [2]int {
	return [2]int{level, level + []int{0, 4, 3*oneIf(positive) - 3}[way]}
}

// hits counts, by metric, in how many trials something was so.
type hits map[string]int

// covers counts the intervals that cover the true values.
func (c hits) covers(t *testing.T, p *population, o IntervalOptions, s sample) {
	all, without := p.evaluate(s)
	o.Level = 0.95
	truth := p.values(p.share)
	for i, v := range p.params.Intervals(o, all, without) {
		require.Empty(t, v.NoInterval)
		c[all[i].Name] += oneIf(v.Low <= truth[i] && truth[i] <= v.High)
	}
}

// percent returns the share of all trials, and prints it: docs/studies.md has these numbers.
func (c hits) percent(t *testing.T, name, what string) float64 {
	share := 100 * float64(c[name]) / float64(simulation.Draws(trials))
	t.Logf("%s: %.1f %% %s", name, share, what)
	return share
}

// slackOf is [simulation.Slack] of the trials, in percent.
func slackOf(share float64) float64 { return 100 * simulation.Slack(share, trials) }

func TestSimulatedCoverage(t *testing.T) {
	t.Parallel()
	for seed, p := range []*population{twoModels(same)[0], fourClasses(), manyQueries(t, 0)} {
		p.requireTrue(t)
		r, covered := source(uint64(seed)), hits{}
		for range simulation.Draws(trials) {
			covered.covers(t, p, IntervalOptions{}, p.draw(r))
		}
		for _, name := range p.params.Metrics {
			require.InDelta(t, 95, covered.percent(t, name, "covered"), 2+slackOf(0.95), name)
		}
	}
}

// Rows of the same user resemble each other. Only intervals of groups of users know that.
func TestSimulatedCoverageByUser(t *testing.T) {
	t.Parallel()
	p := twoModels(same)[0]
	r, rows, users := source(1), hits{}, hits{}
	for range simulation.Draws(trials) {
		byRow, byUser := p.drawUsers(r)
		rows.covers(t, p, IntervalOptions{}, byRow)
		users.covers(t, p, IntervalOptions{Clustered: true}, byUser)
	}
	for _, name := range p.params.Metrics {
		require.Less(t, rows.percent(t, name, "covered by row"), 70+slackOf(0.7), name)
		require.GreaterOrEqual(t, users.percent(t, name, "covered by user"), 93-slackOf(0.93), name)
	}
}

// compare counts the paired differences whose interval covers the true one, and those that the
// test at 5 % declares to be real.
func compare(t *testing.T, models [2]*population, seed uint64) (covered, rejected hits) {
	r := source(seed)
	covered, rejected = hits{}, hits{}
	a, b := models[0].values(models[0].share), models[1].values(models[1].share)
	for range simulation.Draws(trials) {
		s := models[0].draw(r)
		allA, withoutA := models[0].evaluate(s)
		allB, withoutB := models[1].evaluate(s)
		for i, v := range allA {
			of := func(without [][]Result) (replicates []float64) {
				for _, results := range without {
					replicates = append(replicates, results[i].Number)
				}
				return replicates
			}
			d := confidence.Paired(v.Number, allB[i].Number, of(withoutA), of(withoutB), 0.95)
			require.Empty(t, d.NoInterval)
			covered[v.Name] += oneIf(d.Low <= b[i]-a[i] && b[i]-a[i] <= d.High)
			rejected[v.Name] += oneIf(d.PValue < 0.05)
		}
	}
	return covered, rejected
}

func TestSimulatedCoverageOfDifferences(t *testing.T) {
	t.Parallel()
	better := twoModels(improved)
	better[1].requireTrue(t)
	covered, _ := compare(t, better, 1)
	none := twoModels(equal)
	_, rejected := compare(t, none, 2)
	for _, name := range none[0].params.Metrics {
		require.InDelta(t, 95, covered.percent(t, name, "covered"), 2+slackOf(0.95), name)
		share := rejected.percent(t, name, "rejected")
		require.True(t, 3-slackOf(0.05) <= share && share <= 6.5+slackOf(0.05), "%s: %v %% of equal models are declared different", name, share)
	}
}
