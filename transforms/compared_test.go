package transforms

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/internal/testing/simulation"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// trial is a sample of examples with the scores of two models, in slices and groups.
type trial struct {
	examples *metrics.Batch // without scores
	scores   [2][]float64
	rows     map[int][][]int32 // by slice, 0 for all, and group: the examples
	keys     []slice.Key
}

const trialGroups = 50

// draw draws a trial of n examples, all together and in slices; prevalence is the share of
// positives. Both models see the same signal, each with noise of its own; better says by how much
// less noise the second model has in a slice.
func draw(r *rand.Rand, n, inSlices int, prevalence float64, better func(slice int) float64) *trial {
	t := &trial{examples: &metrics.Batch{Rows: n, Labels: 1, Class: make([]int32, n), Key: make([]uint64, n), Truth: make([]bool, n)}, rows: map[int][][]int32{}}
	for s := range inSlices + 1 {
		t.rows[s] = make([][]int32, trialGroups)
		t.keys = append(t.keys, slice.Key{{Column: "s", Value: slice.Int(int64(s))}})
	}
	t.keys[0] = nil
	for i := range int32(n) {
		t.examples.Key[i], t.examples.Truth[i] = r.Uint64(), r.Float64() < prevalence
		t.examples.Class[i] = int32(map[bool]int{true: 1}[t.examples.Truth[i]])
		at, group := 0, r.IntN(trialGroups)
		t.rows[0][group] = append(t.rows[0][group], i)
		if inSlices > 0 {
			at = 1 + r.IntN(inSlices)
			t.rows[at][group] = append(t.rows[at][group], i)
		}
		seen := float64(2*t.examples.Class[i]-1) + r.NormFloat64()
		for m := range t.scores {
			noise := 0.7 * r.NormFloat64()
			if m == 1 {
				noise *= 1 - better(at)
			}
			t.scores[m] = append(t.scores[m], 1/(1+math.Exp(-seen-noise)))
		}
	}
	return t
}

// report evaluates a model with what evaluates the statistics of a pipeline.
func (tr *trial) report(t *testing.T, out *evaluable, model int) *report.Report {
	b := *tr.examples
	b.Probability = tr.scores[model]
	b.Score = b.Probability
	for _, p := range b.Probability {
		b.Predicted = append(b.Predicted, int32(map[bool]int{true: 1}[p >= 0.5]))
	}
	job := &out.spec.Job
	r := &report.Report{Task: out.spec.Params.Task.String(), Examples: int64(b.Rows)}
	for s := range tr.keys {
		p := shuffle.NewPartial()
		for g, rows := range tr.rows[s] {
			if len(rows) == 0 {
				continue
			}
			stats, err := job.Params.New()
			require.NoError(t, err)
			stats.Fold(&b, rows)
			p.Folds = append(p.Folds, shuffle.Fold{Number: int32(g), Stats: stats})
		}
		joinFolds(&p)
		rows, _, err := out.rows(tr.keys[s], &p)
		require.NoError(t, err)
		r.Metrics = append(r.Metrics, rows...)
		if s == 0 {
			r.Confidence = out.folding(&p)
		}
	}
	return r
}

var trialMetrics = []string{"accuracy", "f1", "log_loss"}

func trialSpec(t *testing.T, names ...string) *evaluable {
	spec, err := settle(Spec{
		Params:     metrics.Params{Task: metrics.Binary, Metrics: names},
		Columns:    input.Columns{Label: "label", Score: "score", Example: "id"},
		Confidence: &Confidence{Folds: trialGroups, By: "id"},
	}, false)
	require.NoError(t, err)
	out, err := readOutcome(spec, func(*outcomeElement) bool { return false })
	require.NoError(t, err)
	return out
}

func equallyGood(int) float64 { return 0 }

// outcomes counts, by metric, the trials in which something was so.
type outcomes map[string]int

func (o outcomes) percent(name string, trials int) float64 {
	return 100 * float64(o[name]) / float64(trials)
}

// rejected counts the differences of all examples with p < 0.05.
func (o outcomes) rejected(t *testing.T, a, b *report.Report, pairing changes.Pairing) {
	c, err := comparison.Compare(a, b, changes.BenjaminiHochberg)
	require.NoError(t, err)
	require.Equal(t, pairing, c.Pairing)
	for i := range c.Changes {
		if d := &c.Changes[i]; len(d.Slice) == 0 {
			require.Empty(t, d.Reason)
			require.Equal(t, d.PValue <= 0.05, d.Verdict == changes.Better || d.Verdict == changes.Worse)
			if d.PValue < 0.05 {
				o[d.Name]++
			}
		}
	}
}

// The simulation behind docs/studies.md: if two models are equally good, one is called better in 5
// of 100 samples, on the same examples or on different ones. For paired intervals, replicates must
// be paired by group: paired with other groups, the models look equal even if one is better.
func TestSimulatedTypeIErrorsOfCompare(t *testing.T) {
	t.Parallel()
	const all, n = 2000, 1000
	trials, slack := simulation.Draws(all), 100*simulation.Slack(0.05, all)
	out, r := trialSpec(t, trialMetrics...), rand.New(rand.NewPCG(15, 1))
	paired, unpaired, broken, found, foundUnpaired := outcomes{}, outcomes{}, outcomes{}, outcomes{}, outcomes{}
	var last *report.Report
	for i := range trials {
		sample := draw(r, n, 0, 0.5, equallyGood)
		a, b := sample.report(t, out, 0), sample.report(t, out, 1)
		paired.rejected(t, a, b, changes.Paired)
		if last != nil {
			unpaired.rejected(t, last, b, changes.Unpaired)
		}
		last = a
		for k := range b.Metrics { // each replicate is that of the group before
			of := b.Metrics[k].Replicates
			b.Metrics[k].Replicates = append(of[1:len(of):len(of)], of[0])
		}
		broken.rejected(t, a, b, changes.Paired)
		if i%10 == 0 {
			sample := draw(r, n, 0, 0.5, func(int) float64 { return 0.6 })
			a, b := sample.report(t, out, 0), sample.report(t, out, 1)
			found.rejected(t, a, b, changes.Paired)
			b.Confidence.Seed = 1
			foundUnpaired.rejected(t, a, b, changes.Unpaired)
		}
	}
	for _, name := range trialMetrics {
		p, u, wrong := paired.percent(name, trials), unpaired.percent(name, trials-1), broken.percent(name, trials)
		power, powerUnpaired := found.percent(name, (trials+9)/10), foundUnpaired.percent(name, (trials+9)/10)
		t.Logf("%s: %.1f %% paired, %.1f %% of other examples; a better model is found in %.0f %%, unpaired in %.0f %%; pairs of other groups: %.1f %%",
			name, p, u, power, powerUnpaired, wrong)
		for _, share := range []float64{p, u} {
			require.True(t, 3-slack <= share && share <= 6.5+slack, "%s: %v %% of equal models are declared different", name, share)
		}
		require.Less(t, wrong, 3+slack, "%s: the test is blind to wrong pairs", name)
		slack := 100 * simulation.Slack(0.8, all/10)
		require.Greater(t, power, powerUnpaired-slack, "%s: pairs show more", name)
		require.Greater(t, power, 80-slack, name)
	}
}

// With few positives, equally good models decide hardly any pair differently, and the test shows
// too little. If only one of two reports of other examples has few, it shows too much: recall is
// often 0 or 1, and its standard error tiny.
func TestSimulatedFewPositivesOfCompare(t *testing.T) {
	t.Parallel()
	const all, n = 1000, 1000
	trials, slack := simulation.Draws(all), 100*simulation.Slack(0.05, all)
	names := []string{"accuracy", "log_loss", "f1", "precision", "recall", "mcc"}
	out, r := trialSpec(t, names...), rand.New(rand.NewPCG(15, 3))
	for _, positives := range []int{2, 5, 10, 20} {
		paired, unpaired := outcomes{}, outcomes{}
		prevalence := float64(positives) / n
		for i := range trials {
			sample := draw(r, n, 0, prevalence, equallyGood)
			a := sample.report(t, out, 0)
			paired.differ(t, a, sample.report(t, out, 1))
			if i%5 == 0 {
				unpaired.differ(t, a, draw(r, 10*n, 0, prevalence, equallyGood).report(t, out, 1))
			}
		}
		for _, name := range names {
			p, u := paired.percent(name, trials), unpaired.percent(name, (trials+4)/5)
			t.Logf("%d positives, %s: %.1f %% paired, %.1f %% of other examples, ten times as many", positives, name, p, u)
			switch {
			case name == "accuracy" || name == "log_loss":
				require.True(t, 3-slack <= p && p <= 6.5+slack, "%s: %v %% of equal models are declared different", name, p)
			case positives < 20:
				require.Less(t, p, 2+slack, name)
			default:
				require.Less(t, p, 5+slack, name)
			}
			if name == "recall" && positives < 10 {
				require.Greater(t, u, 10-100*simulation.Slack(0.1, all/5))
			}
		}
	}
}

// differ counts the differences that are tested, and shown.
func (o outcomes) differ(t *testing.T, a, b *report.Report) {
	c, err := comparison.Compare(a, b, changes.Unadjusted)
	require.NoError(t, err)
	for i := range c.Changes {
		if d := &c.Changes[i]; c.Shown(d) {
			o[d.Name]++
		}
	}
}

// If models differ in none of ten slices, a slice is shown in at most 5 of 100 samples. If they
// differ in three, these are found, and at most 5 in 100 shown slices are wrong.
func TestSimulatedFalseDiscoveriesOfCompare(t *testing.T) {
	t.Parallel()
	const all, n, inSlices = 200, 3000, 10
	trials := simulation.Draws(all)
	out, r := trialSpec(t, trialMetrics...), rand.New(rand.NewPCG(15, 2))
	shown := func(better func(int) float64) (any outcomes, right, wrong outcomes, share map[string]float64) {
		any, right, wrong, share = outcomes{}, outcomes{}, outcomes{}, map[string]float64{}
		for range trials {
			sample := draw(r, n, inSlices, 0.5, better)
			c, err := comparison.Compare(sample.report(t, out, 0), sample.report(t, out, 1), changes.BenjaminiHochberg)
			require.NoError(t, err)
			now := map[string][2]int{}
			for i := range c.Changes {
				d := &c.Changes[i]
				if len(d.Slice) == 0 || d.Verdict != changes.Better && d.Verdict != changes.Worse {
					continue
				}
				of, k := now[d.Name], 0
				for s := range sample.keys {
					if sample.keys[s].Compare(d.Slice) == 0 && better(s) > 0 && d.Verdict == changes.Better {
						k = 1
					}
				}
				of[k]++
				now[d.Name] = of
			}
			for name, of := range now {
				any[name]++
				wrong[name], right[name] = wrong[name]+of[0], right[name]+of[1]
				share[name] += float64(of[0]) / float64(of[0]+of[1]) / float64(trials)
			}
		}
		return any, right, wrong, share
	}
	slack := 100 * simulation.Slack(0.05, all)
	noise := 3*1.54 + slack // three standard errors of 5 % in 200 trials
	null, _, _, _ := shown(equallyGood)
	_, right, _, share := shown(func(s int) float64 { return map[bool]float64{true: 1}[s >= 1 && s <= 3] })
	for _, name := range trialMetrics {
		any, power := null.percent(name, trials), 100*float64(right[name])/float64(3*trials)
		t.Logf("%s: any of ten equal slices shown in %.1f %% of samples; of three that differ, %.0f %% are found, and %.1f %% of those shown are wrong", name, any, power, 100*share[name])
		require.True(t, 1-slack <= any && any <= 5+noise, "%s: %v %%", name, any)
		require.LessOrEqual(t, 100*share[name], 5+noise, name)
		require.Greater(t, power, 10-100*simulation.Slack(0.1, all), name)
	}
}
