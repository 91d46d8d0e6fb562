package pipeline

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	analysis "github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/analysis/why"
	"github.com/beameval/beameval/internal/testing/simulation"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/statistics"
)

// countries are examples of three countries with these shares, in which positives have higher scores by some.
type countries struct{ shares, by [3]float64 }

// drawn returns a CSV of n examples. weightOf, if not nil, is the weight of examples of a country.
func (c *countries) drawn(r *rand.Rand, n int, weightOf func(country int) float64) string {
	var b strings.Builder
	b.WriteString("id,y,p,country,w\n")
	for i := range n {
		country, x := 0, r.Float64()
		for x -= c.shares[0]; x > 0 && country < 2; x -= c.shares[country] {
			country++
		}
		y, p, w := r.IntN(3) == 0, r.Float64(), 1.0
		if y {
			p += c.by[country]
		}
		if weightOf != nil {
			w = weightOf(country)
		}
		fmt.Fprintf(&b, "%d,%t,%.3f,%s,%v\n", i, y, p/2, []string{"de", "fr", "it"}[country], w)
	}
	return b.String()
}

const ofCountries = "input: {columns: {label: y, score: p, example: id}}\nconfidence: {}\nslices: [country]\nmetrics: [roc_auc, average_precision, ece, accuracy, f1]\noutput: {formats: [json, parquet], statistics: true}\n"

// explain compares two reports and explains why their metrics differ.
func explain(t *testing.T, a, b string) (*comparison.Comparison, error) {
	t.Helper()
	read, err := reports.ReadAll(t.Context(), []string{a, b})
	require.NoError(t, err)
	c, err := analysis.Compare(read[0], read[1], comparison.BenjaminiHochberg)
	require.NoError(t, err)
	return c, why.Explain(t.Context(), c, read[0], read[1], [2]string{a, b}, statistics.Read)
}

// explainedOf returns why metrics differ between two reports.
func explainedOf(t *testing.T, a, b string) map[string]comparison.Why {
	t.Helper()
	c, err := explain(t, a, b)
	require.NoError(t, err)
	found := map[string]comparison.Why{}
	for _, w := range c.Why {
		found[w.Metric] = w
	}
	return found
}

// TestWhyOfCurves: with the shares of other data, a metric of curves has the value of weighted examples.
func TestWhyOfCurves(t *testing.T) {
	t.Parallel()
	a, b := countries{[3]float64{0.5, 0.3, 0.2}, [3]float64{1, 0.5, 0.2}}, countries{[3]float64{0.2, 0.3, 0.5}, [3]float64{0.9, 0.5, 0.3}}
	const n = 2000
	drawnA, drawnB := a.drawn(rand.New(rand.NewPCG(62, 1)), n, nil), b.drawn(rand.New(rand.NewPCG(62, 2)), n, nil)
	ratio := func(of, to string, country int) float64 {
		name := "," + []string{"de", "fr", "it"}[country] + ","
		return float64(strings.Count(to, name)) / float64(strings.Count(of, name))
	}
	weightedA := a.drawn(rand.New(rand.NewPCG(62, 1)), n, func(c int) float64 { return ratio(drawnA, drawnB, c) })
	weightedB := b.drawn(rand.New(rand.NewPCG(62, 2)), n, func(c int) float64 { return ratio(drawnB, drawnA, c) })
	for mode, within := range map[string]float64{"bounded": 1e-8, "exact": 1e-3} {
		cfg := ofCountries + "curves: {mode: " + mode + "}\n"
		evaluated := func(text, cfg string) string {
			return evaluate(t, parse(t, cfg, namedTexts(t, [2]string{"a.csv", text})...))
		}
		weighted := strings.Replace(cfg, "example: id", "example: id, weight: w", 1)
		dirA, dirB := evaluated(drawnA, cfg), evaluated(drawnB, cfg)
		ofA, ofB := readReport(t, dirA), readReport(t, dirB)
		aWithB, bWithA := readReport(t, evaluated(weightedA, weighted)), readReport(t, evaluated(weightedB, weighted))
		found := explainedOf(t, dirA, dirB)
		for _, name := range []string{"roc_auc", "average_precision", "ece", "f1"} {
			w := found[name]
			require.Equal(t, map[bool]string{true: "biased"}[name == "ece"], w.Reason, name)
			x, y := rowOf(t, ofA, name), rowOf(t, ofB, name)
			require.InDelta(t, (rowOf(t, aWithB, name)-x)/2+(y-rowOf(t, bWithA, name))/2, w.Mix.Value, within, name)
			require.InDelta(t, y-x, w.Mix.Value+w.Performance.Value, 1e-15, name)
			if name != "ece" {
				require.Less(t, w.Mix.Low, w.Mix.Value)
				require.Less(t, w.Mix.Value, w.Mix.High)
			}
			require.Len(t, w.Slices, 3)
			require.Equal(t, "de", w.Slices[0].Slice[0].Value.String())
		}
		require.Negative(t, found["roc_auc"].Mix.High)
	}
}

// rowOf returns the value of a metric of all examples.
func rowOf(t *testing.T, r *report.Report, name string) float64 {
	t.Helper()
	for i := range r.Metrics {
		if row := &r.Metrics[i]; row.Name == name && len(row.Slice) == 0 && row.Label == nil {
			return row.Value
		}
	}
	t.Fatalf("no %s", name)
	return 0
}

// TestWhyNotOfCurves: what cannot be divided has a reason.
func TestWhyNotOfCurves(t *testing.T) {
	t.Parallel()
	of := countries{[3]float64{0.5, 0.3, 0.2}, [3]float64{1, 0.5, 0.2}}
	file := namedTexts(t, [2]string{"a.csv", of.drawn(rand.New(rand.NewPCG(62, 1)), 500, nil)})
	other := namedTexts(t, [2]string{"a.csv", of.drawn(rand.New(rand.NewPCG(62, 2)), 500, nil)})
	with := func(old, changed string) string {
		cfg := strings.Replace(ofCountries, old, changed, 1)
		require.NotEqual(t, ofCountries, cfg)
		return cfg
	}
	a := evaluate(t, parse(t, ofCountries, file...))
	for reason, cfg := range map[string]string{
		"no statistics.bin":                    with(", statistics: true", ""),
		"reports were made with other options": with("metrics:", "calibration: {bins: 5}\nmetrics:"),
		"no replicates":                        with("confidence: {}\n", ""),
	} {
		b := evaluate(t, parse(t, cfg, other...))
		require.Equal(t, reason, explainedOf(t, a, b)["roc_auc"].Reason)
	}
	scores := with("statistics: true", "statistics: {curves: exact}")
	exact := evaluate(t, parse(t, scores, file...))
	require.Equal(t, "does not follow from statistics.bin", explainedOf(t, exact, exact)["roc_auc"].Reason)

	damaged := filepath.Join(evaluate(t, parse(t, ofCountries, other...)), report.StatisticsBin)
	data, err := os.ReadFile(damaged)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(damaged, data[:len(data)/2], 0o644))
	_, err = explain(t, a, filepath.Dir(damaged))
	require.ErrorContains(t, err, "is damaged")
}

// TestSimulatedShiftsOfCurves: if only the shares of slices change, few differences of performance are significant, and the
// reverse; the part that did change is found.
func TestSimulatedShiftsOfCurves(t *testing.T) {
	const all, most = 1000, 0.07
	draws, dir, cfg := simulation.Draws(all), t.TempDir(), strings.Replace(ofCountries, "metrics: [roc_auc, average_precision, ece, accuracy, f1]", "metrics: [roc_auc]", 1)
	before := countries{[3]float64{0.5, 0.3, 0.2}, [3]float64{1, 0.6, 0.2}}
	shifted, worse := before, before
	shifted.shares, worse.by = [3]float64{0.2, 0.3, 0.5}, [3]float64{0.8, 0.4, 0.1}
	evaluated := func(of countries, seed int) string {
		file := filepath.Join(dir, "drawn.csv")
		require.NoError(t, os.WriteFile(file, []byte(of.drawn(rand.New(rand.NewPCG(62, uint64(seed))), 1000, nil)), 0o644))
		return evaluateOn(t, parse(t, cfg, file), "direct", 0)
	}
	found := map[string]int{}
	count := func(of, name string, p report.Estimate) {
		if p.Low > 0 || p.High < 0 {
			found[of+": "+name]++
		}
	}
	for i := range draws {
		a := evaluated(before, 3*i)
		for name, b := range map[string]string{"mix": evaluated(shifted, 3*i+1), "performance": evaluated(worse, 3*i+2)} {
			w := explainedOf(t, a, b)["roc_auc"]
			require.Empty(t, w.Reason)
			count("only "+name, "mix", w.Mix)
			count("only "+name, "performance", w.Performance)
		}
	}
	t.Logf("of %d shifts each, significant are: %v", draws, found)
	require.LessOrEqual(t, float64(found["only mix: performance"])/float64(draws), most+simulation.Slack(most, all))
	require.LessOrEqual(t, float64(found["only performance: mix"])/float64(draws), most+simulation.Slack(most, all))
	if draws > 20 {
		require.Greater(t, found["only mix: mix"], 3*found["only mix: performance"])
		require.Greater(t, found["only performance: performance"], 3*found["only performance: mix"])
	}
}
