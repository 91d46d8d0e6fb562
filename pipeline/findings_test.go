package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/simulation"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/findings"
)

func findingNamed(r *report.Report, name string) *findings.Finding {
	for i := range r.Findings {
		if r.Findings[i].Name == name {
			return &r.Findings[i]
		}
	}
	return nil
}

// calibrated returns a CSV of n examples with calibrated scores. flip is the probability with which the label of an example in a
// country is the opposite.
func calibrated(r *rand.Rand, n int, flip func(country int) float64) string {
	var b strings.Builder
	b.WriteString("y,p,country,device\n")
	for range n {
		p := 1 / (1 + math.Exp(-2*r.NormFloat64()))
		country, device := r.IntN(8), r.IntN(3)
		if r.IntN(3) > 0 {
			country = 0
		}
		y := r.Float64() < p
		if r.Float64() < flip(country) {
			y = !y
		}
		fmt.Fprintf(&b, "%t,%v,c%d,d%d\n", y, p, country, device)
	}
	return b.String()
}

func never(int) float64 { return 0 }

// ofFindings is a configuration with slices, groups and costs.
const ofFindings = "input: {columns: {label: y, score: p}}\nconfidence: {}\nslices: [country, device, [country, device]]\ngroups: {by: [country], metrics: [recall, fpr]}\n" +
	"costs: {fp: 1, fn: 1}\nmetrics: [accuracy, f1, recall, fpr, roc_auc, log_loss, ece, expected_cost]\noutput: {formats: [json]}\n"

// TestFindings: a country whose labels are often wrong stands out, and a threshold that costs say is wrong.
func TestFindings(t *testing.T) {
	t.Parallel()
	file := namedTexts(t, [2]string{"a.csv", calibrated(rand.New(rand.NewPCG(1, 60)), 6000, func(country int) float64 { return []float64{0, 0, 0, 0.3, 0, 0, 0, 0}[country] })})
	r := readReport(t, evaluate(t, parse(t, ofFindings, file...)))
	worst := findingNamed(r, findings.WorstSlice)
	require.NotNil(t, worst)
	require.Contains(t, worst.Slice.String(), "country=c3")
	require.Contains(t, worst.Message, worst.Slice.String()+": accuracy 0.")
	require.Contains(t, worst.Message, "more slice")
	require.Nil(t, findingNamed(r, "best_threshold"), "costs are equal, and scores calibrated")
	require.NotNil(t, findingNamed(r, "groups_differ"))

	file = namedTexts(t, [2]string{"b.csv", calibrated(rand.New(rand.NewPCG(2, 60)), 4000, never)})
	r = readReport(t, evaluate(t, parse(t, strings.Replace(ofFindings, "fn: 1", "fn: 10", 1), file...)))
	threshold := findingNamed(r, "best_threshold")
	require.NotNil(t, threshold)
	require.Contains(t, threshold.Message, "instead of 0.5 would lower expected_cost from")
	require.InDelta(t, 1.0/11, threshold.Values["threshold"], 0.08, "the best threshold of calibrated scores")
	require.Equal(t, valuesOf(r)[keyOf(nil, "expected_cost", nil)].Value, threshold.Values["before"])
	require.Less(t, threshold.Values["after"], threshold.Values["before"])
	require.Nil(t, findingNamed(r, findings.WorstSlice))

	// Since another night, with which a gate compares, one country became worse.
	night := func(seed uint64, bad func(int) float64) string {
		return evaluateOn(t, parse(t, "input: {columns: {label: y, score: p}}\nconfidence: {}\nslices: [country]\nmetrics: [accuracy]\n", namedTexts(t, [2]string{"n.csv", calibrated(rand.New(rand.NewPCG(seed, 60)), 4000, bad)})...), "direct", 0)
	}
	before := night(3, never)
	after := parse(t, fmt.Sprintf("input: {columns: {label: y, score: p}}\nconfidence: {}\nslices: [country]\nmetrics: [accuracy]\nbaseline: %q\ngates: [{metric: accuracy, max_drop: 0.5}]\n", before),
		namedTexts(t, [2]string{"n.csv", calibrated(rand.New(rand.NewPCG(4, 60)), 4000, func(country int) float64 { return []float64{0.2, 0, 0, 0, 0, 0, 0, 0}[country] })})...)
	moved := findingNamed(readReport(t, evaluateOn(t, after, "direct", 0)), "changed")
	require.NotNil(t, moved)
	require.Contains(t, moved.Message, "Since the baseline, accuracy became worse")
	require.Contains(t, moved.Message, ". By country, mix makes ")
	require.Contains(t, moved.Message, "of it in country=c0)")
	require.InDelta(t, moved.Values["difference"], moved.Values["mix"]+moved.Values["performance"], 1e-12)

	without := readReport(t, evaluate(t, parse(t, strings.Replace(ofFindings, "confidence: {}\n", "", 1), file...)))
	require.Len(t, without.Findings, 1)
	require.Equal(t, findings.NoIntervals, without.Findings[0].Name)
}

// The simulation behind docs/findings.md: of data sets in which slices and groups have no effect and no other threshold is
// better, at most 7 % show a finding of slices, groups or thresholds; nor do more say that calibrated scores are miscalibrated.
func TestSimulatedFalseFindings(t *testing.T) {
	const all, most = 1000, 0.07
	trials, dir := simulation.Draws(all), t.TempDir()
	const miscalibrated = "miscalibrated"
	kinds := []string{findings.WorstSlice, "groups_differ", "best_threshold"}
	found, some := map[string]int{}, 0
	few := strings.Replace(ofFindings, "slices: [country, device, [country, device]]\ngroups: {by: [country], metrics: [recall, fpr]}\n", "slices: [device]\n", 1)
	configs := []string{ofFindings, few, strings.Replace(few, "slices: [device]\n", "", 1)} // the fewer are tested, the less each is adjusted
	for seed := range trials {
		file := filepath.Join(dir, "null.csv")
		require.NoError(t, os.WriteFile(file, []byte(calibrated(rand.New(rand.NewPCG(uint64(seed), 61)), 2000, never)), 0o644))
		r := readReport(t, evaluateOn(t, parse(t, configs[seed%len(configs)], file), "direct", 0))
		if slices.ContainsFunc(kinds, func(name string) bool { return findingNamed(r, name) != nil }) {
			some++
		}
		for _, name := range append(kinds, miscalibrated) {
			if findingNamed(r, name) != nil {
				found[name]++
			}
		}
	}
	share := float64(some) / float64(trials)
	t.Logf("%.1f %% of %d data sets show a finding: %v", 100*share, trials, found)
	require.LessOrEqual(t, share, most+simulation.Slack(most, all))
	require.LessOrEqual(t, float64(found[miscalibrated])/float64(trials), most+simulation.Slack(most, all))
}
