package why_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/why"
	"github.com/beameval/beameval/internal/testing/simulation"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

func in(country string) slice.Key {
	return slice.Key{{Column: "country", Value: slice.String(country)}}
}

// counted are the outcomes of some examples of a slice, in one fold.
type counted struct{ tn, fp, fn, tp float64 }

func (c *counted) add(d counted) {
	c.tn, c.fp, c.fn, c.tp = c.tn+d.tn, c.fp+d.fp, c.fn+d.fn, c.tp+d.tp
}

func (c *counted) sum() float64 { return c.tn + c.fp + c.fn + c.tp }

// values are metrics that follow from counts.
func (c *counted) values() map[string]float64 {
	return map[string]float64{
		"accuracy": (c.tn + c.tp) / c.sum(), "precision": c.tp / (c.tp + c.fp), "recall": c.tp / (c.tp + c.fn),
		"tn": c.tn, "fp": c.fp, "fn": c.fn, "tp": c.tp, "roc_auc": 0.5,
	}
}

// reported returns a report of the folds of slices, by country; "" is no slice.
func reported(digest uint64, folds map[string][]counted) *report.Report {
	r := &report.Report{Task: "binary", Labels: []string{"0", "1"}, Confidence: &report.Folding{Level: 0.95, By: "id"}}
	everything := map[string][]counted{}
	for country, list := range folds {
		if country != "" {
			everything[country] = list
		}
		for i, c := range list {
			if len(everything["*"]) <= i {
				everything["*"] = append(everything["*"], counted{})
			}
			everything["*"][i].add(c)
		}
	}
	for country, list := range everything {
		key := in(country)
		if country == "*" {
			key = nil
		}
		var all counted
		for _, c := range list {
			all.add(c)
		}
		rows := map[string]*report.Row{}
		for name, value := range all.values() {
			rows[name] = &report.Row{Name: name, Slice: key, Value: value, Support: int64(all.sum())}
		}
		for i, c := range list {
			without := counted{all.tn - c.tn, all.fp - c.fp, all.fn - c.fn, all.tp - c.tp}
			for name, value := range without.values() {
				rows[name].Replicates, rows[name].Folds = append(rows[name].Replicates, value), append(rows[name].Folds, int32(i))
			}
			rows["accuracy"].Weights = append(rows["accuracy"].Weights, c.sum())
		}
		for _, row := range rows {
			r.Metrics = append(r.Metrics, *row)
		}
		if key == nil {
			r.Examples, r.Confidence.Folds, r.Confidence.Digests = int64(all.sum()), len(list), []report.FoldDigest{{Rows: int64(all.sum()), Digest: digest}}
		}
	}
	r.Sort()
	return r
}

// explained compares two reports and returns why the metrics of asked differ.
func explained(t *testing.T, a, b *report.Report, asked ...string) map[string]changes.Why {
	t.Helper()
	c, err := comparison.Compare(a, b, changes.BenjaminiHochberg)
	require.NoError(t, err)
	c.Headline = asked
	dir := t.TempDir()
	require.NoError(t, why.Explain(t.Context(), c, a, b, [2]string{dir, dir}, nil))
	found := map[string]changes.Why{}
	for _, w := range c.Why {
		found[w.Metric] = w
	}
	require.Len(t, c.Why, len(found))
	return found
}

// divided returns counts in equal folds.
func divided(c counted, folds float64) (list []counted) {
	for range int(folds) {
		list = append(list, counted{c.tn / folds, c.fp / folds, c.fn / folds, c.tp / folds})
	}
	return list
}

// TestSameExamples: of the same examples, mix is 0, also of precision, whose slices have other shares of what is
// predicted positive.
func TestSameExamples(t *testing.T) {
	a := reported(1, map[string][]counted{"de": divided(counted{700, 20, 200, 80}, 20), "fr": divided(counted{860, 40, 40, 60}, 20)})
	b := reported(1, map[string][]counted{"de": divided(counted{660, 60, 40, 240}, 20), "fr": divided(counted{860, 40, 40, 60}, 20)})
	found := explained(t, a, b, "precision", "accuracy", "roc_auc")
	w := found["precision"]
	require.Empty(t, w.Reason)
	require.Zero(t, w.Mix.Value)
	require.InDelta(t, 0.75-0.7, w.Performance.Value, 1e-15)
	require.Equal(t, []string{"country"}, w.By)
	require.Len(t, w.Slices, 2)
	require.Equal(t, in("de"), w.Slices[0].Slice)
	require.InDelta(t, 0.5, w.Slices[0].ShareA, 1e-15)
	require.InDelta(t, 0.8, w.Slices[0].A, 1e-15)
	require.InDelta(t, 0.8, w.Slices[0].B, 1e-15)
	require.True(t, math.IsNaN(w.Slices[0].Mix.Value), "contributions to a ratio do not add up")
	require.Zero(t, found["accuracy"].Mix.Value)
	require.Zero(t, found["accuracy"].Slices[0].Mix.Value)
	require.Equal(t, "no statistics.bin", found["roc_auc"].Reason)
}

// TestMeans: the parts of a mean, and of its slices, with a slice that one report lacks and examples in no slice.
func TestMeans(t *testing.T) {
	a := reported(1, map[string][]counted{"de": divided(counted{300, 0, 100, 0}, 20), "fr": divided(counted{300, 0, 100, 0}, 20), "": divided(counted{100, 0, 100, 0}, 20)})
	b := reported(2, map[string][]counted{"de": divided(counted{140, 0, 60, 0}, 20), "it": divided(counted{400, 0, 0, 0}, 20), "": divided(counted{200, 0, 200, 0}, 20)})
	w := explained(t, a, b, "accuracy")["accuracy"]
	require.Empty(t, w.Reason)
	require.InDelta(t, 0.7, w.A, 1e-15)
	require.InDelta(t, 0.74, w.B, 1e-15)
	require.InDelta(t, w.Difference, w.Mix.Value+w.Performance.Value, 1e-15)
	require.InDelta(t, (0.4+0.2)/2*(0.7-0.75), w.Performance.Value, 1e-15, "only de changed")
	require.Len(t, w.Slices, 4)
	var mixes, performances float64
	for _, s := range w.Slices {
		mixes, performances = mixes+s.Mix.Value, performances+s.Performance.Value
	}
	require.InDelta(t, w.Mix.Value, mixes, 1e-15)
	require.InDelta(t, w.Performance.Value, performances, 1e-15)
	fr, it, rest := w.Slices[1], w.Slices[2], w.Slices[3]
	require.Equal(t, in("it"), it.Slice)
	require.Zero(t, it.ShareA)
	require.True(t, math.IsNaN(it.A))
	require.True(t, math.IsNaN(fr.B))
	require.Zero(t, fr.Performance.Value)
	require.True(t, rest.Rest)
	require.InDelta(t, 0.2, rest.ShareA, 1e-15)
	require.InDelta(t, 0.5, rest.B, 1e-15)
}

// TestReasons: what cannot be divided says why.
func TestReasons(t *testing.T) {
	with := func(change func(b *report.Report)) changes.Why {
		a := reported(1, map[string][]counted{"de": divided(counted{300, 10, 100, 10}, 20), "fr": divided(counted{300, 10, 100, 10}, 20)})
		b := reported(1, map[string][]counted{"de": divided(counted{300, 10, 100, 10}, 20), "fr": divided(counted{310, 10, 90, 10}, 20)})
		change(b)
		return explained(t, a, b, "accuracy")["accuracy"]
	}
	each := func(r *report.Report, change func(row *report.Row)) {
		for i := range r.Metrics {
			change(&r.Metrics[i])
		}
	}
	require.Empty(t, with(func(*report.Report) {}).Reason)
	for want, change := range map[string]func(b *report.Report){
		"slices overlap": func(b *report.Report) {
			for _, row := range b.Metrics {
				if len(row.Slice) > 0 {
					row.Slice = in("all of " + row.Slice[0].Value.Text())
					b.Metrics = append(b.Metrics, row)
				}
			}
		},
		"no slice in common": func(b *report.Report) {
			each(b, func(row *report.Row) {
				if len(row.Slice) > 0 {
					row.Slice = in("x" + row.Slice[0].Value.Text())
				}
			})
		},
		"undefined for some examples": func(b *report.Report) {
			each(b, func(row *report.Row) { row.Undefined = "3 of 840 examples undefined" })
		},
		"does not follow from the values of the slices": func(b *report.Report) {
			each(b, func(row *report.Row) {
				if len(row.Slice) == 0 {
					row.Value += 0.01
				}
			})
		},
		"no replicates": func(b *report.Report) {
			each(b, func(row *report.Row) { row.Replicates, row.Folds, row.Weights = nil, nil, nil })
		},
		"the weights of slices are unknown: evaluate with confidence": func(b *report.Report) {
			b.Config = []byte(`{"input": {"columns": {"weight": "w"}}}`)
			each(b, func(row *report.Row) { row.Replicates, row.Folds, row.Weights = nil, nil, nil })
		},
	} {
		w := with(change)
		require.Equal(t, want, w.Reason)
		require.Equal(t, want == "no replicates", !math.IsNaN(w.Mix.Value), want)
		require.True(t, math.IsNaN(w.Mix.Low))
	}

	bins := func(low float64, r *report.Report) *report.Report {
		for i := range r.Metrics {
			switch row := &r.Metrics[i]; {
			case len(row.Slice) == 0:
			case row.Slice[0].Value.Text() == "de":
				row.Slice = slice.Key{{Column: "age", Value: slice.Interval(math.Inf(-1), low)}}
			default:
				row.Slice = slice.Key{{Column: "age", Value: slice.Interval(low, math.Inf(1))}}
			}
		}
		return r
	}
	of := func() *report.Report {
		return reported(1, map[string][]counted{"de": divided(counted{300, 10, 100, 10}, 20), "fr": divided(counted{300, 10, 100, 10}, 20)})
	}
	require.Empty(t, explained(t, bins(18, of()), bins(18, of()), "accuracy")["accuracy"].Reason)
	require.Equal(t, "reports have other bins", explained(t, bins(18, of()), bins(21, of()), "accuracy")["accuracy"].Reason)
}

// TestNoColumns: reports by other columns are said to have nothing in common.
func TestNoColumns(t *testing.T) {
	a := reported(1, map[string][]counted{"de": divided(counted{300, 10, 100, 10}, 20)})
	b := reported(1, map[string][]counted{"de": divided(counted{300, 10, 100, 10}, 20)})
	for i := range b.Metrics {
		if len(b.Metrics[i].Slice) > 0 {
			b.Metrics[i].Slice = slice.Key{{Column: "device", Value: slice.String("phone")}}
		}
	}
	c, err := comparison.Compare(a, b, changes.BenjaminiHochberg)
	require.NoError(t, err)
	require.NoError(t, why.Explain(t.Context(), c, a, b, [2]string{t.TempDir(), t.TempDir()}, nil))
	require.Empty(t, c.Why)
	require.Contains(t, c.Warnings, "a and b have no slices by the same columns, so nothing says why metrics differ")
}

// TestMatrices: without counts among the metrics, they come from confusion.parquet, and there are no intervals.
func TestMatrices(t *testing.T) {
	folds := map[string][]counted{"de": divided(counted{100, 20, 30, 80}, 20), "fr": divided(counted{60, 40, 50, 60}, 20)}
	others := map[string][]counted{"de": divided(counted{200, 40, 70, 150}, 20), "fr": divided(counted{60, 40, 40, 70}, 20)}
	a, b := reported(1, folds), reported(2, others)
	want := explained(t, a, b, "precision")["precision"]
	require.Empty(t, want.Reason)
	var dirs [2]string
	for i, r := range []*report.Report{a, b} {
		for j := range r.Metrics {
			row := &r.Metrics[j]
			for k, name := range []string{"tn", "fp", "fn", "tp"} {
				if row.Name == name {
					class := []string{"0", "1"}
					r.Confusion = append(r.Confusion, report.ConfusionCell{Slice: row.Slice, True: class[k/2], Predicted: class[k%2], TrueIndex: k / 2, PredictedIndex: k % 2, Count: int64(row.Value), Weight: row.Value})
					row.Name += "_of_another"
				}
			}
		}
		r.Sort()
		dirs[i] = t.TempDir()
		f, err := os.Create(filepath.Join(dirs[i], report.ConfusionParquet))
		require.NoError(t, err)
		require.NoError(t, r.WriteConfusion(f))
		require.NoError(t, f.Close())
	}
	c, err := comparison.Compare(a, b, changes.BenjaminiHochberg)
	require.NoError(t, err)
	c.Headline = []string{"precision"}
	require.NoError(t, why.Explain(t.Context(), c, a, b, dirs, nil))
	got := c.Why[0]
	require.Equal(t, "no replicates", got.Reason)
	require.Equal(t, want.Mix.Value, got.Mix.Value)
	require.Equal(t, want.Performance.Value, got.Performance.Value)

	c.Why = nil
	require.NoError(t, why.Explain(t.Context(), c, a, b, [2]string{dirs[0], t.TempDir()}, nil))
	require.Equal(t, "no confusion.parquet", c.Why[0].Reason)
}

// drawn draws examples of slices in 20 folds.
func drawn(r *rand.Rand, n int, shares, right, positive []float64) map[string][]counted {
	folds := map[string][]counted{"de": make([]counted, 20), "fr": make([]counted, 20), "it": make([]counted, 20)}
	names := []string{"de", "fr", "it"}
	for i := range n {
		at, x := 0, r.Float64()
		for x -= shares[0]; x > 0 && at < 2; x -= shares[at] {
			at++
		}
		c := &folds[names[at]][i%20]
		switch isPositive, isRight := r.Float64() < positive[at], r.Float64() < right[at]; {
		case isPositive && isRight:
			c.tp++
		case isPositive:
			c.fn++
		case isRight:
			c.tn++
		default:
			c.fp++
		}
	}
	return folds
}

// TestSimulatedShifts: if only the shares of slices change, few differences of performance are significant, and the reverse;
// the part that did change is found.
func TestSimulatedShifts(t *testing.T) {
	before, after := []float64{0.5, 0.3, 0.2}, []float64{0.3, 0.3, 0.4}
	good, bad, positive := []float64{0.9, 0.8, 0.6}, []float64{0.85, 0.75, 0.55}, []float64{0.3, 0.5, 0.4}
	r := rand.New(rand.NewPCG(62, 1))
	off := func(p report.Estimate) int {
		if p.Low > 0 || p.High < 0 {
			return 1
		}
		return 0
	}
	const all, most = 1000, 0.07
	draws := simulation.Draws(all)
	for _, of := range []string{"accuracy", "precision"} {
		var mixOnly, performanceOnly [2]int // significant mix, significant performance
		for i := range draws {
			a := reported(uint64(2*i), drawn(r, 1000, before, good, positive))
			shifted := explained(t, a, reported(uint64(2*i+1), drawn(r, 1000, after, good, positive)), of)[of]
			worse := explained(t, a, reported(uint64(2*i+1), drawn(r, 1000, before, bad, positive)), of)[of]
			mixOnly[0], mixOnly[1] = mixOnly[0]+off(shifted.Mix), mixOnly[1]+off(shifted.Performance)
			performanceOnly[0], performanceOnly[1] = performanceOnly[0]+off(worse.Mix), performanceOnly[1]+off(worse.Performance)
		}
		t.Logf("%s: of %d shifts of mix, %d have a significant mix and %d a significant performance; of performance, %d and %d", of, draws, mixOnly[0], mixOnly[1], performanceOnly[0], performanceOnly[1])
		require.LessOrEqual(t, float64(mixOnly[1])/float64(draws), most+simulation.Slack(most, all))
		require.LessOrEqual(t, float64(performanceOnly[0])/float64(draws), most+simulation.Slack(most, all))
		if draws > 20 {
			require.Greater(t, mixOnly[0], 3*mixOnly[1])
			require.Greater(t, performanceOnly[1], 3*performanceOnly[0])
		}
	}
}
