package comparison_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

const groups = 20

var germany = slice.Key{{Column: "country", Value: slice.String("de")}}

// reportOf returns a report of a binary task with replicates. Values of accuracy are near the given
// one; everything else follows from the seed.
func reportOf(seed uint64, accuracy float64) *report.Report {
	random := rand.New(rand.NewPCG(seed, 1))
	r := &report.Report{Task: "binary", Examples: 1000, Config: []byte(`{}`), Confidence: &report.Folding{
		Level: 0.95, Folds: groups, By: "id", Digests: []report.FoldDigest{{Rows: 1000, Digest: 7}},
	}}
	row := func(name string, key slice.Key, label *string, value float64) {
		row := report.Row{Name: name, Slice: key, Label: label, Value: value, Support: 1000}
		for g := range int32(groups) {
			if len(key) > 0 && g == 3 {
				continue // a group without examples of the slice
			}
			row.Folds, row.Replicates = append(row.Folds, g), append(row.Replicates, value+1e-3*random.NormFloat64())
		}
		r.Metrics = append(r.Metrics, row)
	}
	for _, key := range []slice.Key{nil, germany} {
		row("accuracy", key, nil, accuracy)
		row("log_loss", key, nil, 1-accuracy)
		row("prevalence", key, nil, 0.5)
	}
	row("mean_bias", nil, nil, accuracy-0.8)
	row("recall", nil, new("yes"), accuracy)
	return r
}

// systems returns reports with the given accuracies, named a, b, c …
func systems(accuracies ...float64) (list []comparison.System) {
	for i, x := range accuracies {
		name := string(rune('a' + i))
		list = append(list, comparison.System{Name: name, Path: "runs/" + name, Report: reportOf(uint64(i), x)})
	}
	return list
}

func rank(t *testing.T, list []comparison.System, o comparison.Options) *changes.Leaderboard {
	t.Helper()
	if o.Adjust == "" {
		o.Adjust = changes.BenjaminiHochberg
	}
	l, err := comparison.Rank(t.Context(), list, o)
	require.NoError(t, err)
	return l
}

// changesOf returns the differences between two systems without their adjustment and verdict.
func changesOf(l *changes.Leaderboard, a, b string) (list []changes.Change) {
	for _, d := range l.Differences.All() {
		if d.SystemA == a && d.SystemB == b {
			d.PAdjusted, d.Verdict = 0, ""
			list = append(list, d.Change)
		}
	}
	return sorted(list)
}

func sorted(list []changes.Change) []changes.Change {
	slices.SortFunc(list, func(a, b changes.Change) int { return strings.Compare(keyOf(&a), keyOf(&b)) })
	return keyed(list)
}

// keyed replaces the names and labels of changes by their keys: labels are pointers, which may differ.
func keyed(list []changes.Change) []changes.Change {
	for i := range list {
		list[i].Name, list[i].Label = keyOf(&list[i]), nil
	}
	return list
}

func keyOf(d *changes.Change) string {
	return string((&report.Row{Name: d.Name, Slice: d.Slice, Label: d.Label}).Key())
}

// TestDifferencesAreThoseOfPairs: each difference equals the difference in a comparison of two
// reports.
func TestDifferencesAreThoseOfPairs(t *testing.T) {
	list := systems(0.8, 0.81, 0.79, 0.9)
	list[2].Report.Confidence.Seed = 1 // cannot be paired
	l := rank(t, list, comparison.Options{AllPairs: true, Reference: "b"})
	require.Equal(t, 6*8, l.Differences.Len)
	for _, pair := range [][2]int{{1, 0}, {1, 2}, {1, 3}, {0, 2}, {0, 3}, {2, 3}} {
		a, b := list[pair[0]], list[pair[1]]
		want, err := comparison.Compare(a.Report, b.Report, changes.Unadjusted)
		require.NoError(t, err)
		for i := range want.Changes {
			want.Changes[i].PAdjusted, want.Changes[i].Verdict = 0, ""
		}
		requireSame(t, sorted(want.Changes), changesOf(l, a.Name, b.Name))
	}
	require.Equal(t, []string{"a is b, b is c: the seed of the groups is 0 in a, 1 in b: differences are unpaired, which shows only large ones"}, l.Warnings)
	require.Equal(t, []changes.Pairing{changes.Paired, "", changes.Unpaired, changes.Paired}, pairings(l))

	list[0].Report.Confidence.Seed = 1
	l = rank(t, list, comparison.Options{Reference: "b"})
	require.Equal(t, []string{"a is b, b is a, and for 1 more pair: the seed of the groups is 0 in a, 1 in b: differences are unpaired, which shows only large ones"}, l.Warnings, "what holds for many pairs is said once")
}

func pairings(l *changes.Leaderboard) (list []changes.Pairing) {
	for _, s := range l.Systems {
		list = append(list, s.Pairing)
	}
	return list
}

// requireSame compares values in which NaN equals NaN.
func requireSame(t *testing.T, want, got any) {
	t.Helper()
	require.Equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got))
}

// TestTwoSystems: two systems, on two data sets, have the numbers of a comparison of two reports.
func TestTwoSystems(t *testing.T) {
	for _, adjust := range changes.Adjustments() {
		list := slices.Concat(systems(0.8, 0.81), systems(0.7, 0.69))
		for i := range list {
			list[i].Data = []string{"x", "y"}[i/2]
		}
		l := rank(t, list, comparison.Options{Adjust: adjust})
		for i, data := range []string{"x", "y"} {
			want, err := comparison.Compare(list[2*i].Report, list[2*i+1].Report, adjust)
			require.NoError(t, err)
			var got []changes.Change
			for _, d := range l.Differences.All() {
				if d.Data == data {
					got = append(got, d.Change)
				}
			}
			requireSame(t, keyed(want.Changes), keyed(got))
		}
	}
}

// TestPermutation: the order of the systems does not matter.
func TestPermutation(t *testing.T) {
	list := systems(0.8, 0.803, 0.799, 0.9, 0.801)
	type result struct {
		difference, p, adjusted float64
		low, high               int
	}
	results := func(l *changes.Leaderboard) map[string]result {
		found := map[string]result{}
		for _, d := range l.Differences.All() {
			key := keyOf(&d.Change)
			if math.IsNaN(d.PValue) {
				continue
			}
			found[d.SystemA+d.SystemB+key] = result{difference: d.Difference, p: d.PValue, adjusted: d.PAdjusted}
			found[d.SystemB+d.SystemA+key] = result{difference: -d.Difference, p: d.PValue, adjusted: d.PAdjusted}
		}
		for _, r := range l.Ranks {
			found[r.System+string((&report.Row{Name: r.Metric, Slice: r.Slice, Label: r.Label}).Key())] = result{low: r.Low, high: r.High}
		}
		return found
	}
	for _, adjust := range changes.LeaderboardAdjustments() {
		for _, all := range []bool{false, true} {
			options := comparison.Options{Adjust: adjust, AllPairs: all, OverMetrics: all, Reference: "b"}
			want := results(rank(t, list, options))
			for _, order := range [][]int{{4, 3, 2, 1, 0}, {1, 3, 0, 4, 2}} {
				var permuted []comparison.System
				for _, i := range order {
					permuted = append(permuted, list[i])
				}
				require.Equal(t, want, results(rank(t, permuted, options)), "%s, all pairs: %v, %v", adjust, all, order)
			}
		}
	}
}

// TestFamilies: p-values are adjusted over the systems for each metric, in the overall slice apart
// from other slices; if asked, over the headline metrics as well.
func TestFamilies(t *testing.T) {
	list := systems(0.8, 0.808, 0.8, 0.81)
	of := func(o comparison.Options, name string, key slice.Key) (p, adjusted float64) {
		o.Adjust = changes.Holm
		least := math.Inf(1)
		for _, d := range rank(t, list, o).Differences.All() {
			if d.Name == name && d.Slice.Compare(key) == 0 && d.PValue < least {
				least, p, adjusted = d.PValue, d.PValue, d.PAdjusted
			}
		}
		return p, adjusted
	}
	for _, c := range []struct {
		options comparison.Options
		key     slice.Key
		tests   float64
	}{
		{comparison.Options{}, nil, 3},
		{comparison.Options{}, germany, 3},
		{comparison.Options{AllPairs: true}, nil, 6},
	} {
		p, adjusted := of(c.options, "accuracy", c.key)
		require.Equal(t, min(1, p*c.tests), adjusted)
	}
	p, adjusted := of(comparison.Options{OverMetrics: true}, "accuracy", nil)
	_, alone := of(comparison.Options{}, "accuracy", nil)
	require.Greater(t, adjusted, alone)
	require.LessOrEqual(t, adjusted, min(1, p*9))
}

// TestMaxT: it finds at least as much as Holm, and needs pairs.
func TestMaxT(t *testing.T) {
	list := systems(0.8, 0.801, 0.7995, 0.802, 0.8005)
	holm, maxt := rank(t, list, comparison.Options{Adjust: changes.Holm}), rank(t, list, comparison.Options{Adjust: changes.MaxT})
	adjusted := map[string]float64{}
	for _, d := range holm.Differences.All() {
		adjusted[d.SystemB+keyOf(&d.Change)] = d.PAdjusted
	}
	less := false
	for _, d := range maxt.Differences.All() {
		if math.IsNaN(d.PValue) {
			continue
		}
		p := adjusted[d.SystemB+keyOf(&d.Change)]
		require.LessOrEqual(t, d.PAdjusted, p)
		require.GreaterOrEqual(t, d.PAdjusted, d.PValue)
		less = less || d.PAdjusted < p
	}
	require.True(t, less)
	list[1].Report.Confidence.Seed = 1
	holm, maxt = rank(t, list, comparison.Options{Adjust: changes.Holm}), rank(t, list, comparison.Options{Adjust: changes.MaxT})
	for i, want := range holm.Differences.All() {
		requireSame(t, *want, *maxt.Differences.At(i, new(changes.Difference)))
	}
	require.Equal(t, append(holm.Warnings,
		"maxt needs reports that can be paired: holm, which finds no more, adjusts differences instead in 8 families, the first of accuracy",
		"maxt needs reports that can be paired: holm, which finds no more, adjusts ranks instead in 6 families, the first of accuracy"), maxt.Warnings)
}

// TestMaxTOfMany: it adjusts up to 2,000 differences together.
func TestMaxTOfMany(t *testing.T) {
	list := systems(0.8, 0.801, 0.7995)
	for i := range list {
		r := list[i].Report
		for n := range int64(1000) {
			row := r.Metrics[0]
			row.Slice = slice.Key{{Column: "shop", Value: slice.Int(n)}}
			r.Metrics = append(r.Metrics, row)
		}
	}
	require.Equal(t, []string{
		"maxt adjusts at most 2,000 differences together: holm, which finds no more, adjusts differences instead in 1 family, the first of accuracy",
		"maxt adjusts at most 2,000 differences together: holm, which finds no more, adjusts ranks instead in 1 family, the first of accuracy",
	}, rank(t, list, comparison.Options{Adjust: changes.MaxT}).Warnings)
}

// TestRanks: systems that do not differ significantly share places, lower losses are better, and a
// value that is missing says so.
func TestRanks(t *testing.T) {
	list := systems(0.8, 0.9, 0.9001, 0.7)
	list[3].Report.Metrics = slices.DeleteFunc(list[3].Report.Metrics, func(r report.Row) bool { return r.Name == "log_loss" && len(r.Slice) > 0 })
	for i := range list[0].Report.Metrics {
		if row := &list[0].Report.Metrics[i]; row.Name == "accuracy" && len(row.Slice) > 0 {
			row.Value, row.Undefined, row.Replicates, row.Folds = math.NaN(), "no examples", nil, nil
		}
	}
	l := rank(t, list, comparison.Options{Adjust: changes.Holm})
	require.Equal(t, []string{"accuracy", "log_loss", "mean_bias"}, l.Headline, "no value of prevalence is better")
	got := map[string][]string{}
	for _, r := range l.Ranks {
		key := r.Metric + " " + r.Slice.String()
		got[key] = append(got[key], fmt.Sprintf("%s %d-%d %v %v %s", r.System, r.Low, r.High, r.TiedForFirst, r.Best, r.Reason))
	}
	require.Equal(t, []string{"c 1-2 true true ", "b 1-2 true false ", "a 3-3 false false ", "d 4-4 false false "}, got["accuracy overall"])
	require.Equal(t, []string{"c 1-2 true true ", "b 1-2 true false ", "a 3-3 false false ", "d 4-4 false false "}, got["log_loss overall"])
	require.Equal(t, []string{"c 1-2 true true ", "b 1-2 true false ", "a 3-3 false false ", "d 0-0 false false not in the report"}, got["log_loss country=de"])
	require.Equal(t, []string{"c 1-2 true true ", "b 1-2 true false ", "d 3-3 false false ", "a 0-0 false false no examples"}, got["accuracy country=de"])
	require.Len(t, got["recall overall"], 4)

	for _, s := range list { // whoever asks for a metric gets it
		s.Report.Config = []byte(`{"metrics": ["prevalence", "mean_bias"]}`)
	}
	got = map[string][]string{}
	for _, r := range rank(t, list, comparison.Options{}).Ranks {
		if len(r.Slice) == 0 && r.Label == nil {
			got[r.Metric] = append(got[r.Metric], fmt.Sprintf("%s %d-%d %s", r.System, r.Low, r.High, r.Reason))
		}
	}
	require.Equal(t, map[string][]string{
		"prevalence": {"a 0-0 " + comparison.NoDirection, "b 0-0 " + comparison.NoDirection, "c 0-0 " + comparison.NoDirection, "d 0-0 " + comparison.NoDirection},
		"mean_bias":  {"a 1-1 ", "b 2-4 ", "d 2-4 ", "c 2-4 "},
	}, got, "the bias that is nearest to 0 is best")
}

// TestUntested: a system that cannot be tested against some others says why.
func TestUntested(t *testing.T) {
	list := systems(0.8, 0.8, 0.9)
	list[1].Report = reportOf(0, 0.8) // equal to a
	for _, r := range rank(t, list, comparison.Options{}).Ranks {
		if r.Metric == "accuracy" && len(r.Slice) == 0 && r.System == "a" {
			require.Equal(t, "not tested against 1 of 2 systems: no variation", r.Reason)
			require.Equal(t, []int{2, 3}, []int{r.Low, r.High})
		}
	}
}

// TestQueries: rankings with queries also have tests over queries.
func TestQueries(t *testing.T) {
	list := systems(0.8, 0.81, 0.82)
	for i := range list[:2] {
		q := &report.Queries{Names: []string{"accuracy"}}
		for id := range int64(6) {
			q.List = append(q.List, report.Query{ID: slice.Int(id), Values: []float64{float64(id)/10 + float64(i)*[]float64{0.1, 0.3, -0.1, 0.2, 0.4, 0.15}[id]}})
		}
		list[i].Report.Queries = q
	}
	for _, d := range rank(t, list, comparison.Options{}).Differences.All() {
		if d.SystemB == "b" && d.Name == "accuracy" && len(d.Slice) == 0 {
			// scipy 1.17.1: ttest_1samp([.1, .3, -.1, .2, .4, .15], 0) and, of the 64 assignments of signs,
			// 6 with a mean as far from 0.
			require.InDelta(t, 0.055482915203073566, d.PPairedT, 1e-12)
			require.Equal(t, 6./64, d.PRandomization)
		} else {
			require.True(t, math.IsNaN(d.PPairedT) && math.IsNaN(d.PRandomization), d.Name)
		}
	}
}

// TestDataSets: the mean ranks and Friedman's test of Demšar (2006) over data sets.
func TestDataSets(t *testing.T) {
	values := map[string][]float64{"x": {0.8, 0.9, 0.7}, "y": {0.81, 0.82, 0.83}, "z": {0.5, 0.6, 0.4}, "w": {0.7, 0.9, 0.7}}
	var list []comparison.System
	for _, data := range []string{"x", "y", "z", "w"} {
		for _, s := range systems(values[data]...) {
			s.Data = data
			list = append(list, s)
		}
	}
	l := rank(t, list, comparison.Options{})
	require.Len(t, l.DataSets, 3)
	test := l.DataSets[0]
	require.Equal(t, "accuracy", test.Metric)
	require.Equal(t, []changes.MeanRank{{System: "a", Mean: 2.375}, {System: "b", Mean: 1.25}, {System: "c", Mean: 2.375}}, test.MeanRanks)
	// scipy 1.17.1: friedmanchisquare; scikit-posthocs and Demšar's table 5: q = 2.343.
	require.InDelta(t, 3.6, test.ChiSquare, 1e-12)
	require.InDelta(t, 0.16529888822158653, test.PValue, 1e-12)
	require.InDelta(t, 2.343*math.Sqrt(3*4/(6*4.)), test.CriticalDifference, 1e-3)
	require.Equal(t, 2., test.DOF)
	require.Len(t, l.Systems, 12)

	list[4].Report.Metrics[1].Value = math.NaN()
	require.Equal(t, "b has no value on y", rank(t, list, comparison.Options{}).DataSets[1].Reason)
}

func TestGates(t *testing.T) {
	list := systems(0.8, 0.9, 0.7)
	gate := report.Gate{Metric: "accuracy"}
	gate.MaxDrop = &report.Limit{Value: 0.05}
	gates := map[string][]report.Gate{}
	for _, s := range list {
		gates[s.Path] = []report.Gate{gate}
	}
	l := rank(t, list, comparison.Options{Gates: gates})
	require.Len(t, l.Gates, 2)
	require.Equal(t, "b", l.Gates[0].System)
	require.Equal(t, report.Pass, l.Gates[0].Verdict)
	require.Equal(t, report.Fail, l.Gates[1].Verdict)
	require.Equal(t, 1, report.CountVerdicts(l.GateResults())[report.Fail])
}

func TestErrors(t *testing.T) {
	change := func(do func(list []comparison.System)) []comparison.System {
		list := systems(0.8, 0.9, 0.7)
		do(list)
		return list
	}
	many := systems(make([]float64, 51)...)
	for want, list := range map[string][]comparison.System{
		"there are 51 systems: at most 50 can be compared at once":                                                many,
		"the reports are of different tasks: runs/a is binary, runs/c is ranking":                                 change(func(l []comparison.System) { l[2].Report.Task = "ranking" }),
		"runs/b has no replicates, so systems cannot be ranked: evaluate it with confidence in the configuration": change(func(l []comparison.System) { l[1].Report.Confidence = nil }),
		"runs/b has no replicates.parquet, so systems cannot be ranked: evaluate it with parquet in output.formats": change(func(l []comparison.System) {
			for i := range l[1].Report.Metrics {
				l[1].Report.Metrics[i].Replicates = nil
			}
		}),
		"the level of confidence is 0.95 in runs/a, 0.9 in runs/c: evaluate all systems with the same confidence.level": change(func(l []comparison.System) { l[2].Report.Confidence.Level = 0.9 }),
		`two reports are of system "b": runs/b and runs/c`:                                                              change(func(l []comparison.System) { l[2].Name = "b" }),
		`all reports are of data set "x": --by-dataset needs at least two; set report.data in the configurations, or give reports in directories such as data/system`: change(func(l []comparison.System) {
			l[0].Data, l[1].Data, l[2].Data = "x", "x", "x"
		}),
		`system "c" has no report on data set "x": every system needs one on each of the 2 data sets`: change(func(l []comparison.System) {
			l[0].Data, l[1].Data, l[2].Data = "x", "x", "y"
		}),
		`two reports are of system "a" on data set "x": runs/a and runs/b; set report.model and report.data in their configurations`: change(func(l []comparison.System) {
			l[0].Data, l[1].Data, l[1].Name = "x", "x", "a"
		}),
	} {
		_, err := comparison.Rank(t.Context(), list, comparison.Options{Adjust: changes.Holm})
		require.EqualError(t, err, want)
	}
	_, err := comparison.Rank(t.Context(), systems(0.8, 0.9, 0.7), comparison.Options{Adjust: changes.Holm, Reference: "aa"})
	require.EqualError(t, err, `--reference: there is no system "aa"; did you mean "a"? The systems are "a", "b", "c"`)
}

func TestNames(t *testing.T) {
	model := func(config string) *report.Report { return &report.Report{Config: []byte(config)} }
	none, gbm := model(`{}`), model(`{"report": {"model": "gbm", "data": "nightly"}}`)
	names := func(list []comparison.System) (names []string) {
		for _, s := range list {
			names = append(names, strings.TrimPrefix(s.Data+"/"+s.Name, "/"))
		}
		return names
	}
	dirs := []string{"runs/x/a/", "runs/y/a", "runs/y/b"}
	require.Equal(t, []string{"x/a", "y/a", "y/b"}, names(comparison.Named(dirs, []*report.Report{gbm, none, gbm})))
	require.Equal(t, []string{"gbm", "net"}, names(comparison.Named(dirs[:2], []*report.Report{gbm, model(`{"report": {"model": "net"}}`)})))
	require.Equal(t, []string{"nightly/gbm", "y/a", "y/b"}, names(comparison.NamedByDataSet(dirs, []*report.Report{gbm, none, none})))
}
