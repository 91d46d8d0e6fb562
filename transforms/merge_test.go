package transforms

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/parts"
)

// reported writes the report of an evaluation, on direct.
func reported(t *testing.T, e func(beam.Scope) Evaluation, out Output) (dir string) {
	t.Helper()
	dir, err := tryReport(t, e, out)
	require.NoError(t, err)
	return dir
}

func tryReport(t *testing.T, e func(beam.Scope) Evaluation, out Output) (dir string, err error) {
	t.Helper()
	out.Dir = filepath.Join(t.TempDir(), "report")
	p, s := beam.NewPipelineWithRoot()
	e(s).WriteReport(s, out)
	_, err = beam.Run(t.Context(), "direct", p)
	return out.Dir, err
}

// ofShards evaluates shards; direct takes no bundles of their own.
func ofShards(spec Spec, shards ...input.Shard) func(beam.Scope) Evaluation {
	return func(s beam.Scope) Evaluation { return must(Parquet(s, spec, beam.CreateList(s, shards))) }
}

// merging merges reports.
func merging(t *testing.T, dirs ...string) string {
	t.Helper()
	p, err := OpenParts(t.Context(), dirs, PartsOptions{})
	require.NoError(t, err)
	return reported(t, func(s beam.Scope) Evaluation { return Merge(s, p) }, p.Output)
}

// requireSameReport requires that reports have the same files with the same bytes, except for run.json.
func requireSameReport(t *testing.T, want, got string) {
	t.Helper()
	list := func(dir string) (names []string) {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	require.Equal(t, list(want), list(got))
	for _, name := range list(want) {
		if name == report.RunJSON {
			continue
		}
		a, err := os.ReadFile(filepath.Join(want, name))
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(got, name))
		require.NoError(t, err)
		if name == report.MetricsJSON {
			require.Equal(t, string(a), string(b))
		}
		require.Equal(t, a, b, name)
	}
}

// mergeCase is a way to evaluate examples, whose parts are merged.
type mergeCase struct {
	name string
	spec Spec
}

// mergeCases are the scenarios, each plain and with intervals, and others with groups and a baseline.
func mergeCases(t *testing.T) (list []mergeCase) {
	for _, s := range scenarios(t) {
		if CheckStatistics(&s.spec, false) != nil { // see TestStatisticsThatCannotBeMerged
			s.spec.Params.Portable = true
		}
		if CheckStatistics(&s.spec, false) != nil {
			continue
		}
		list = append(list, mergeCase{s.name, s.spec}, mergeCase{s.name + ", with intervals", inGroups(s.spec, 10)})
	}
	compared := scenarioNamed(t, "binary").spec
	compared.Params.Portable = true
	compared.Slices = []Slice{by("device")}
	compared.Groups = &Groups{By: []string{"device"}, Reference: map[string]string{"device": "phone"}, Metrics: []string{"accuracy", "fnr", "fpr", "predicted_positive_rate", "recall"}}
	before := scenarioNamed(t, "multiclass").spec
	compared.Worst, before.Changed = &Worst{Count: 6, PerSlice: true}, &Worst{Count: 9, PerLabel: true}
	before.Columns.Baseline, before.Params.Portable, before.Params.Metrics = "guess", true, nil
	before.Params.Has = metrics.HasBaseline
	before = complete(t, before)
	return append(list, mergeCase{"groups", inGroups(compared, 10)}, mergeCase{"baseline", before}, mergeCase{"baseline, with intervals", inGroups(before, 10)})
}

// outputOf is the output of a report with statistics. Its configuration says how curves are computed.
func outputOf(spec *Spec) Output {
	config := func(mode metrics.CurveMode) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"task":%q,"curves":{"mode":%q}}`, spec.Params.Task, mode))
	}
	out := Output{Formats: report.Formats(), Config: config(spec.Params.Curves), Statistics: new(Statistics)}
	if spec.Params.Portable {
		out.Statistics.Config = config(metrics.BoundedCurves)
	}
	if len(spec.Params.Metrics) > 0 {
		out.Gates = []report.Gate{{Metric: spec.Params.Metrics[0], Limits: report.Limits{Min: new(0.0)}}}
	}
	return out
}

// TestMergeIsEvaluationOfTheUnion: the report that is merged from the reports of random parts has the bytes of the
// report of all examples, with bounded curves, of every task, plain and with intervals, groups and a baseline; and so
// does what is merged from merged reports, in any order.
func TestMergeIsEvaluationOfTheUnion(t *testing.T) {
	t.Parallel()
	rows := drawExamples(400)
	for i, c := range mergeCases(t) {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(i), 61))
			n := 1 + i%5
			split := make([][]example, n)
			for _, row := range rows {
				k := r.IntN(n)
				split[k] = append(split[k], row)
			}
			all := c.spec
			if all.Params.Portable {
				all.Params, _ = c.spec.Params.Bounded()
			}
			want := reported(t, ofShards(all, written(t, rows, 50)), outputOf(&all))
			var dirs []string
			for _, part := range split {
				dirs = append(dirs, reported(t, ofShards(c.spec, written(t, part, 30)), outputOf(&c.spec)))
			}
			requireSameReport(t, want, merging(t, dirs...))
			if n > 2 {
				slices.Reverse(dirs)
				requireSameReport(t, want, merging(t, merging(t, dirs[1:]...), dirs[0]))
			}
		})
	}
}

// TestMergeOfExactCurves: where scores are kept, the merged report has the bytes of the report of all examples with exact
// curves, too.
func TestMergeOfExactCurves(t *testing.T) {
	t.Parallel()
	rows := drawExamples(400)
	merged := 0
	for i, s := range scenarios(t) {
		for _, spec := range []Spec{s.spec, inGroups(s.spec, 10)} {
			spec.Columns.Weight = ""
			if !spec.Params.Curving() || CheckStatistics(&spec, true) != nil {
				continue
			}
			merged++
			t.Run(fmt.Sprintf("%s, with intervals %v", s.name, spec.Confidence != nil), func(t *testing.T) {
				out := outputOf(&spec)
				out.Statistics.Exact = true
				r := rand.New(rand.NewPCG(uint64(i), 63))
				split := make([][]example, 3)
				for _, row := range rows {
					k := r.IntN(3)
					split[k] = append(split[k], row)
				}
				want := reported(t, ofShards(spec, written(t, rows, 50)), out)
				var dirs []string
				for _, part := range split {
					dirs = append(dirs, reported(t, ofShards(spec, written(t, part, 30)), out))
				}
				requireSameReport(t, want, merging(t, dirs...))
				requireSameReport(t, want, merging(t, merging(t, dirs[2], dirs[0]), dirs[1]))
			})
		}
	}
	require.Greater(t, merged, 5)
}

// TestStatisticsChangeNoReport: with statistics, all other files have the bytes that they have without.
func TestStatisticsChangeNoReport(t *testing.T) {
	t.Parallel()
	rows := drawExamples(200)
	for _, c := range mergeCases(t) {
		if !c.spec.Params.Portable || c.spec.Params.Curves != metrics.ExactCurves {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			with := reported(t, ofShards(c.spec, written(t, rows, 50)), outputOf(&c.spec))
			plain, out := c.spec, outputOf(&c.spec)
			plain.Params.Portable, out.Statistics = false, nil
			want := reported(t, ofShards(plain, written(t, rows, 50)), out)
			require.NoError(t, os.Remove(filepath.Join(with, report.StatisticsBin)))
			requireSameReport(t, want, with)
		})
	}
}

// TestMergeOfOtherLabels: labels that were found in the data are merged by name, whichever of them a part has; the
// digests of intervals alone differ.
func TestMergeOfOtherLabels(t *testing.T) {
	t.Parallel()
	rows := drawExamples(300)
	for _, name := range []string{"multiclass, labels found", "multilabel, labels found"} {
		spec := scenarioNamed(t, name).spec
		var split [3][]example
		for i, row := range rows {
			has := func(label string) bool {
				return row.Class == label || row.Guess == label || slices.Contains(row.Labels, label) || slices.Contains(row.Guesses, label)
			}
			switch {
			case !has("b"):
				split[0] = append(split[0], row)
			case !has("a") && i%2 == 0:
				split[1] = append(split[1], row)
			default:
				split[2] = append(split[2], row)
			}
		}
		want := reported(t, ofShards(spec, written(t, rows, 50)), outputOf(&spec))
		var dirs []string
		for _, part := range split {
			require.NotEmpty(t, part)
			dirs = append(dirs, reported(t, ofShards(spec, written(t, part, 30)), outputOf(&spec)))
		}
		requireSameReport(t, want, merging(t, dirs...))
		requireSameReport(t, want, merging(t, dirs[1], merging(t, dirs[2], dirs[0])))
	}
}

// TestMergeOfWorstExamplesOfOtherLabels: they are merged by name, unless their losses depend on all labels.
func TestMergeOfWorstExamplesOfOtherLabels(t *testing.T) {
	t.Parallel()
	rows := drawExamples(300)
	with := slices.DeleteFunc(slices.Clone(rows), func(row example) bool { return row.Class == "b" || row.Guess == "b" })
	without := slices.DeleteFunc(slices.Clone(rows), func(row example) bool { return row.Class != "b" && row.Guess != "b" })
	classes := scenarioNamed(t, "multiclass, labels found").spec
	classes.Worst = &Worst{Count: 5, PerLabel: true}
	of := func(spec *Spec, rows []example) string {
		return reported(t, ofShards(*spec, written(t, rows, 50)), outputOf(spec))
	}
	requireSameReport(t, of(&classes, rows), merging(t, of(&classes, with), of(&classes, without)))

	labels := scenarioNamed(t, "multilabel, labels found").spec
	labels.Worst = &Worst{Count: 5}
	some := slices.DeleteFunc(slices.Clone(rows), func(row example) bool { return slices.Contains(row.Labels, "b") || slices.Contains(row.Guesses, "b") })
	p, err := OpenParts(t.Context(), []string{of(&labels, some), of(&labels, rows)}, PartsOptions{})
	require.NoError(t, err)
	_, err = tryReport(t, func(s beam.Scope) Evaluation { return Merge(s, p) }, p.Output)
	require.ErrorContains(t, err, "it lists its worst examples by their losses of other labels than other reports have: name the labels")
}

// TestPartsThatDoNotBelongTogether: the error names the difference.
func TestPartsThatDoNotBelongTogether(t *testing.T) {
	t.Parallel()
	rows := drawExamples(60)
	s := scenarioNamed(t, "binary").spec
	s.Params.Portable = true
	write := func(change func(*Spec, *Output)) string {
		spec := s
		out := outputOf(&spec)
		change(&spec, &out)
		return reported(t, ofShards(spec, written(t, rows, 50)), out)
	}
	first := write(func(*Spec, *Output) {})
	for want, change := range map[string]func(*Spec, *Output){
		"Spec.Params.Bins is 10 in ":        func(s *Spec, _ *Output) { s.Params.Bins = 12 },
		"Spec.PositiveLabel is \"ham\" in ": func(s *Spec, _ *Output) { s.PositiveLabel = "spam" },
		"Spec.Slices is ":                   func(s *Spec, _ *Output) { s.Slices = s.Slices[:1] },
		"Spec.Params.Metrics is ":           func(s *Spec, _ *Output) { s.Params.Metrics = s.Params.Metrics[1:] },
		"Output.Formats is [":               func(_ *Spec, o *Output) { o.Formats = o.Formats[:2] },
		"Output.Gates is ":                  func(_ *Spec, o *Output) { o.Gates = nil },
		"curves.bins is not set in ": func(_ *Spec, o *Output) {
			o.Statistics.Config = json.RawMessage(`{"task":"binary","curves":{"mode":"bounded","bins":3}}`)
		},
		"Spec.Confidence is ": func(s *Spec, _ *Output) { *s = inGroups(*s, 10) },
	} {
		_, err := OpenParts(t.Context(), []string{first, write(change)}, PartsOptions{})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "only reports of one configuration can be merged")
	}
	_, err := OpenParts(t.Context(), nil, PartsOptions{})
	require.EqualError(t, err, "no reports to merge")
	require.NoError(t, os.Remove(filepath.Join(first, report.StatisticsBin)))
	_, err = OpenParts(t.Context(), []string{first}, PartsOptions{})
	require.ErrorContains(t, err, "has no statistics.bin, which reports are merged from: evaluate it again with output.statistics: true")

	named := scenarioNamed(t, "multiclass").spec
	named.Params.Portable = true
	other := named
	other.Labels.Names = []string{"a", "b", "d", "c"}
	a := reported(t, ofShards(named, written(t, rows, 50)), outputOf(&named))
	b := reported(t, ofShards(other, written(t, rows, 50)), outputOf(&other))
	_, err = OpenParts(t.Context(), []string{a, b}, PartsOptions{})
	require.ErrorContains(t, err, `label "c" follows "d", and in other reports it precedes it: labels must have the same order`)
}

// TestStatisticsThatCannotBeMerged: the error says why, before anything is evaluated.
func TestStatisticsThatCannotBeMerged(t *testing.T) {
	s := scenarioNamed(t, "binary").spec
	require.EqualError(t, CheckStatistics(&s, false), "exact curves cannot be merged: set either Params.Portable, so that bounded ones are kept, or Statistics.Exact, so that scores are")
	require.ErrorContains(t, CheckStatistics(&s, true), "scores of examples with weights or costs are not kept")
	unweighted := s
	unweighted.Columns.Weight = ""
	require.NoError(t, CheckStatistics(&unweighted, true))
	s.Params.Portable = true
	require.NoError(t, CheckStatistics(&s, false))
	require.Error(t, CheckStatistics(&s, true))
	for want, change := range map[string]func(*Spec){
		"slices of quantiles":              func(s *Spec) { s.Slices = []Slice{{{Column: "target", Quantiles: 4}}} },
		"calibration bins of equal weight": func(s *Spec) { s.Params.Quantiles = true },
	} {
		changed := s
		change(&changed)
		require.ErrorContains(t, CheckStatistics(&changed, false), want)
	}
	counted := scenarioNamed(t, "multilabel, sparse, propensities").spec
	require.ErrorContains(t, CheckStatistics(&counted, false), "propensities of labels are counted")
}

// TestDamagedParts: a damaged file is an error of the run, and no other number.
func TestDamagedParts(t *testing.T) {
	t.Parallel()
	s := inGroups(scenarioNamed(t, "binary").spec, 10)
	s.Params.Portable = true
	dir := reported(t, ofShards(s, written(t, drawExamples(100), 50)), outputOf(&s))
	name := filepath.Join(dir, report.StatisticsBin)
	good, err := os.ReadFile(name)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(7, 61))
	for i := range 40 {
		bad := slices.Clone(good)
		if i%4 == 0 {
			bad = bad[:r.IntN(len(bad))]
		} else {
			bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
		}
		require.NoError(t, os.WriteFile(name, bad, 0o644))
		p, err := OpenParts(t.Context(), []string{dir}, PartsOptions{})
		if err == nil {
			_, err = tryReport(t, func(s beam.Scope) Evaluation { return Merge(s, p) }, p.Output)
		}
		require.Error(t, err)
		require.True(t, slices.ContainsFunc([]string{"is damaged", "is no file of statistics", "has version"}, func(want string) bool { return strings.Contains(err.Error(), want) }), err)
	}
	newer := slices.Clone(good)
	newer[strings.IndexByte(string(newer), '\n')+1] = parts.Version + 1
	require.NoError(t, os.WriteFile(name, newer, 0o644))
	_, err = OpenParts(t.Context(), []string{dir}, PartsOptions{})
	require.ErrorContains(t, err, "statistics.bin has version 2, and this program reads version 1: use a newer beameval")
}

// preferred is a row of preferences.
type preferred struct {
	ID      string `parquet:"id"`
	A       string `parquet:"a"`
	B       string `parquet:"b"`
	Outcome string `parquet:"outcome"`
}

// comparisonsOf returns n comparisons of four systems.
func comparisonsOf(n int) (list []preferred) {
	r := rand.New(rand.NewPCG(uint64(n), 61))
	for i := range n {
		two := r.Perm(4)[:2]
		list = append(list, preferred{fmt.Sprint(i), labelNames[two[0]], labelNames[two[1]], []string{"a", "b", "tie"}[r.IntN(3)]})
	}
	return list
}

func comparedSystems(t *testing.T) Spec {
	return Spec{
		Params: metrics.Params{Task: metrics.Preference}, Columns: input.Columns{Label: "outcome", First: "a", Second: "b"},
		PerLabel: PerLabel{All: true}, Confidence: &Confidence{Folds: 10, By: "id"},
	}
}

// TestMergeOfSystems: systems that only some parts compare are systems of the whole.
func TestMergeOfSystems(t *testing.T) {
	t.Parallel()
	rows, spec := comparisonsOf(200), comparedSystems(t)
	spec.Confidence = nil
	var split [2][]preferred
	for _, c := range rows {
		k := 0
		if c.A == "b" || c.B == "b" {
			k = 1
		}
		split[k] = append(split[k], c)
	}
	out := outputOf(&Spec{Params: metrics.Params{Task: metrics.Preference, Metrics: []string{"bradley_terry"}}})
	out.Gates = nil
	want := reported(t, ofShards(spec, written(t, rows, 50)), out)
	requireSameReport(t, want, merging(t, reported(t, ofShards(spec, written(t, split[0], 50)), out), reported(t, ofShards(spec, written(t, split[1], 50)), out)))
}

func oneIf(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

var updateStatistics = flag.Bool("golden", false, "write statistics of the current version to testdata/statistics, where there are none")

// TestGoldenStatistics: the statistics in the files of all versions give the metrics that they gave when they were
// written. A file never changes: what changes the encoding of a statistic needs a new version of the files, and a
// golden file of it.
func TestGoldenStatistics(t *testing.T) {
	t.Parallel()
	rows := drawExamples(40)
	version := fmt.Sprintf("testdata/statistics/version%d", parts.Version)
	if _, err := os.Stat(version); *updateStatistics && errors.Is(err, os.ErrNotExist) {
		keep := func(i int, spec Spec, shard input.Shard, out Output) {
			out.Formats = []report.Format{report.JSON}
			merged := merging(t, reported(t, ofShards(spec, shard), out))
			require.NoError(t, os.Remove(filepath.Join(merged, report.RunJSON)))
			require.NoError(t, os.CopyFS(filepath.Join(version, fmt.Sprintf("%02d", i)), os.DirFS(merged)))
		}
		write := func(i int, spec Spec, shard input.Shard) { keep(i, spec, shard, outputOf(&spec)) }
		all := mergeCases(t)
		for i, c := range all {
			if strings.Contains(c.name, "with intervals") && i > 1 {
				continue
			}
			c.spec.Slices = c.spec.Slices[:min(len(c.spec.Slices), oneIf(c.spec.Groups != nil))]
			write(i, c.spec, written(t, rows, 50))
		}
		queries := queryRows(40, func(i int) string { return fmt.Sprint("query ", i) })
		ranking := rankingSpec(t, metrics.ExpectedTies)
		ranking.Slices = nil
		write(len(all), ranking, written(t, queries, 7))
		write(len(all)+1, comparedSystems(t), written(t, comparisonsOf(80), 20))
		scored := inGroups(scenarioNamed(t, "binary").spec, 10)
		scored.Columns.Weight, scored.Slices, scored.KeepIDs = "", nil, true
		out := outputOf(&scored)
		out.Statistics.Exact = true
		keep(len(all)+2, scored, written(t, rows, 50), out)
	}
	dirs, err := filepath.Glob("testdata/statistics/*/*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		want, err := report.Open(t.Context(), dir)
		require.NoError(t, err)
		got, err := report.Open(t.Context(), merging(t, dir))
		require.NoError(t, err)
		require.NotEmpty(t, want.Metrics)
		require.Len(t, got.Metrics, len(want.Metrics), dir)
		for i := range want.Metrics {
			require.Equal(t, rowText(want.Metrics[i]), rowText(got.Metrics[i]), dir)
		}
		require.Equal(t, want.Rows, got.Rows)
	}
}
