package finished

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	analysis "github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/monitor"
	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/testing/clouds"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/pipeline/config"
)

// filesOfReport returns the files of a report of labels with replicates.
func filesOfReport(t *testing.T, accuracy float64) map[string]*bytes.Buffer {
	r := &report.Report{Task: "multiclass", Examples: 100, Labels: []string{"cat", "dog"}, Confidence: &report.Folding{
		Level: 0.95, Folds: 20, By: "id", Digests: []report.FoldDigest{{Rows: 100, Digest: 7}},
	}}
	row := report.Row{Name: "accuracy", Value: accuracy}
	for i := range int32(20) {
		row.Folds = append(row.Folds, i)
		row.Replicates = append(row.Replicates, accuracy*(1+float64(i%7)/1e3))
	}
	r.Metrics = []report.Row{row, {Name: "recall", Label: &r.Labels[0], Value: accuracy}}
	written := map[string]*bytes.Buffer{}
	require.NoError(t, export.Write(r, nil, []report.Format{report.Parquet}, func(name string) (io.Writer, error) {
		written[name] = new(bytes.Buffer)
		return written[name], nil
	}))
	return written
}

// TestCompareInClouds compares reports in cloud storage. The result must equal that for local ones.
func TestCompareInClouds(t *testing.T) {
	dir := t.TempDir()
	a, b := filesOfReport(t, 0.5), filesOfReport(t, 0.75)
	for name, written := range map[string]map[string]*bytes.Buffer{"a": a, "b": b} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
		for file, content := range written {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name, file), content.Bytes(), 0o644))
		}
	}
	compare := func(dir string, cfg *config.Config) *comparison.Comparison {
		c, err := Compare(t.Context(), Source{dir + "/a", dir + "/a"}, Source{dir + "/b", dir + "/b"}, comparison.Holm, cfg)
		require.NoError(t, err)
		require.Equal(t, dir+"/b", c.B.Name)
		c.A.Name, c.B.Name = "a", "b"
		return c
	}
	jsonOf := func(c *comparison.Comparison) string {
		var content bytes.Buffer
		require.NoError(t, comparison.Write(c, func(name string) (io.Writer, error) {
			if name == comparison.JSON {
				return &content, nil
			}
			return io.Discard, nil
		}))
		return content.String()
	}
	cfg, err := config.ParseGates([]byte("gates: [{metric: accuracy, max_rise: 0.1, sure: true}]"), "gates.yaml")
	require.NoError(t, err)
	local := compare(dir, cfg)
	require.Equal(t, comparison.Paired, local.Pairing)
	require.Equal(t, comparison.Better, local.Changes[0].Verdict)
	require.Equal(t, 1, report.CountVerdicts(local.Gates)[report.Fail])
	want := jsonOf(local)
	clouds.Each(t, func(t *testing.T, bucket *clouds.Bucket) {
		for name, written := range map[string]map[string]*bytes.Buffer{"a": a, "b": b} {
			for file, content := range written {
				bucket.Put(t, name+"/"+file, content.String())
			}
		}
		require.Equal(t, want, jsonOf(compare(bucket.Name, cfg)))
		_, err := Compare(t.Context(), Source{Dir: bucket.Name + "/a"}, Source{Dir: bucket.Name + "/none"}, comparison.Holm, nil)
		require.ErrorContains(t, err, "there is no report in "+bucket.Name+"/none")
	})
}

// TestGatesOfLabels: gates on labels that a report lacks are rejected, with the nearest name.
func TestGatesOfLabels(t *testing.T) {
	r, err := report.Read(filesOfReport(t, 0.5)[report.MetricsJSON].Bytes())
	require.NoError(t, err)
	for gate, want := range map[string]string{
		"{metric: recall, label: cat, min: 0}":                        "",
		"{metric: recall, label: cow, min: 0}":                        `gates.yaml:1:33: gates[0].label: the report has no recall of label "cow"; did you mean "cat"?`,
		"{metric: recall, label: 1, min: 0}":                          `gates.yaml:1:33: gates[0].label: the report has no recall of label "1"; did you mean "cat"?`,
		"{metric: recall, min: 0}":                                    "gates.yaml:1:9: gates[0]: recall is a metric of each label: set label",
		"{metric: accuracy, slice: each, min: 0}":                     "gates.yaml:1:35: gates[0].slice: the report has no slices",
		"{metric: accuracy, slice: {x: y}, min: 0}":                   "gates.yaml:1:35: gates[0].slice: the report has no slices",
		"{metric: f1, min: 0}":                                        `gates.yaml:1:18: gates[0].metric: "f1" is not computed: add it to metrics`,
		"{metric: balanced_acuracy, min: 0}":                          `gates.yaml:1:18: gates[0].metric: unknown metric "balanced_acuracy" of task multiclass; did you mean "accuracy"?`,
		"{metric: recall, label: cow, min: 0, allow_undefined: true}": "",
	} {
		cfg, err := config.ParseGates([]byte("gates: ["+gate+"]"), "gates.yaml")
		require.NoError(t, err)
		_, err = gatesFor(r, cfg)
		if want == "" {
			require.NoError(t, err, gate)
		} else {
			require.EqualError(t, err, want, gate)
		}
	}
}

// TestGatesOfFurtherColumns: metrics of each label need no row of all labels, also if they come from a judge or a baseline.
func TestGatesOfFurtherColumns(t *testing.T) {
	cat := "cat"
	for _, of := range []struct{ task, metric string }{{"multiclass", "prediction_powered_mean"}, {"multilabel", "flip_rate"}} {
		r := &report.Report{Task: of.task, Metrics: []report.Row{{Name: of.metric, Label: &cat, Value: 0.3}}}
		cfg, err := config.ParseGates([]byte("gates: [{metric: "+of.metric+", label: cat, min: 0}]"), "gates.yaml")
		require.NoError(t, err)
		gates, err := gatesFor(r, cfg)
		require.NoError(t, err)
		require.Equal(t, of.metric, gates[0].Metric)
	}
}

// TestGatesOfFewBits: in a finished report, a value of a column of 32 or 16 bits is the number that rounds
// to it, unless the report has this number.
func TestGatesOfFewBits(t *testing.T) {
	at := func(x float64) slice.Key { return slice.Key{{Column: "x", Value: slice.Float(x)}} }
	rows := func(values ...float64) (r []report.Row) {
		for _, x := range values {
			r = append(r, report.Row{Name: "accuracy", Slice: at(x)})
		}
		return r
	}
	float32s, float16s := float64(float32(0.7)), 0.7001953125
	for _, c := range []struct {
		has  []report.Row
		gate string
		want float64
	}{
		{rows(0.3, float32s), "0.7", float32s},
		{rows(0.3, float32s), "70e-2", float32s},
		{rows(0.3, float16s), "0.7", float16s},
		{rows(0.3, float16s, float32s), "0.7", float32s},
		{rows(0.7, float32s), "0.7", 0.7},
		{rows(0.7, float32s), "0.699999988079071", float32s},
		{rows(0.7, float32s), "0.69999999", float32s},
		{rows(0.7, float32s), "0.6999", 0},
	} {
		cfg, err := config.ParseGates([]byte("gates: [{metric: accuracy, slice: {x: "+c.gate+"}, min: 0}]"), "gates.yaml")
		require.NoError(t, err)
		gates, err := gatesFor(&report.Report{Task: "binary", Metrics: c.has}, cfg)
		if c.want == 0 {
			require.ErrorContains(t, err, `the report has no accuracy of slice x="`+c.gate, c.gate)
			continue
		}
		require.NoError(t, err)
		var o monitor.Options
		cfg.Monitor.Bounds = []config.MonitorBound{{Metric: "accuracy", Slice: cfg.Gates[0].Slice}}
		require.NoError(t, findMonitored(&report.Report{Task: "binary", Metrics: c.has}, cfg, &o))
		for _, row := range c.has {
			require.Equal(t, row.Slice[0].Value == slice.Float(c.want), gates[0].IsFor("accuracy", row.Slice, nil), c)
			require.Equal(t, row.Slice[0].Value == slice.Float(c.want), o.Bounds[0].IsFor("accuracy", row.Slice, nil), c)
		}
	}
}

// TestGatesByNamesOfOtherTools: what a name implies is checked against the options of the report.
func TestGatesByNamesOfOtherTools(t *testing.T) {
	cfg, err := config.ParseGates([]byte(`gates: [{metric: nDCG@10, min: 0}]`), "gates.yaml")
	require.NoError(t, err)
	r := &report.Report{Task: "ranking", Metrics: []report.Row{{Name: "ndcg@10"}}, Config: []byte(`{"ranking":{"gain":"linear","relevance_threshold":1}}`)}
	gates, err := gatesFor(r, cfg)
	require.NoError(t, err)
	require.Equal(t, "ndcg@10", gates[0].Metric)
	r.Config = []byte(`{"ranking":{"gain":"exponential"}}`)
	_, err = gatesFor(r, cfg)
	require.ErrorContains(t, err, `metric "nDCG@10" has linear gains`)
}

// TestMonitor monitors what a configuration says, by the names of other tools, too.
func TestMonitor(t *testing.T) {
	dir := t.TempDir()
	for night := range 30 {
		at := filepath.Join(dir, fmt.Sprintf("dt=2026-11-%02d", night+1))
		require.NoError(t, os.Mkdir(at, 0o755))
		accuracy := 0.9 + float64(night*7%10)/1000
		if night >= 20 {
			accuracy -= 0.1
		}
		for file, content := range filesOfReport(t, accuracy) {
			require.NoError(t, os.WriteFile(filepath.Join(at, file), content.Bytes(), 0o644))
		}
	}
	m, err := Monitor(t.Context(), []string{dir}, nil, monitor.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"accuracy"}, m.Metrics)
	require.Equal(t, 1, m.Alarms())
	require.Equal(t, "2026-11-21", m.Series[0].Since)
	require.Equal(t, 365.0, m.Series[0].Threshold)

	cfg, err := config.ParseMonitor([]byte(`{decision: {top_k: 1}, monitor: {metrics: [Recal], slices: none, nights_to_false_alarm: 100, season: 7,
bounds: [{metric: recall, label: cat, min: 0.95}, {metric: accuracy, min: 0.1}]}}`), "m.yaml")
	require.NoError(t, err)
	m, err = Monitor(t.Context(), []string{dir}, cfg, monitor.Options{})
	require.ErrorContains(t, err, `m.yaml:1:44: monitor.metrics[0]: unknown metric "Recal" of task multiclass; did you mean "recall"?`)
	require.Nil(t, m)
	cfg.Monitor.Metrics[0] = "Recall"
	m, err = Monitor(t.Context(), []string{dir}, cfg, monitor.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"recall"}, m.Metrics)
	require.Len(t, m.Series, 1)
	require.Equal(t, 100.0, m.Series[0].Threshold)
	require.Equal(t, 7, m.Season)
	require.True(t, m.Bounds[0].Alarm)
	require.False(t, m.Bounds[1].Alarm)
	require.Equal(t, "accuracy", m.Bounds[1].Metric)

	since, err := time.Parse(time.DateOnly, "2026-11-30")
	require.NoError(t, err)
	m, err = Monitor(t.Context(), []string{dir}, nil, monitor.Options{Since: since})
	require.NoError(t, err)
	require.Zero(t, m.Alarms())

	for bound, want := range map[string]string{
		"{metric: f1, min: 0}":                        `m.yaml:1:29: monitor.bounds[0].metric: "f1" is not computed: add it to metrics`,
		"{metric: recall, min: 0}":                    "m.yaml:1:20: monitor.bounds[0]: recall is a metric of each label: set label",
		"{metric: recall, label: cow, min: 0}":        "monitor.bounds[0]: no report has recall of label cow",
		"{metric: accuracy, slice: each, min: 0}":     "monitor.bounds[0]: no report has accuracy of any slice",
		"{metric: accuracy, slice: {x: y}, min: 0.5}": "monitor.bounds[0]: no report has accuracy of x=y",
	} {
		cfg, err := config.ParseMonitor([]byte("monitor: {bounds: ["+bound+"]}"), "m.yaml")
		require.NoError(t, err)
		_, err = Monitor(t.Context(), []string{dir}, cfg, monitor.Options{})
		require.EqualError(t, err, want, bound)
	}
}

// TestGatesOfVolume: gates on how much data there are are judged of reports that do not list it, in every comparison.
func TestGatesOfVolume(t *testing.T) {
	sources, systems := []Source{}, map[string]int64{"all": 1000, "most": 850, "some": 700}
	for _, name := range []string{"all", "most", "some"} {
		dir := t.TempDir()
		r := &report.Report{Task: "multiclass", Examples: systems[name], Labels: []string{"cat", "dog"}, Confidence: &report.Folding{
			Level: 0.95, Folds: 2, By: "id", Digests: []report.FoldDigest{{Rows: systems[name], Digest: 7}},
		}, Metrics: []report.Row{
			{Name: "accuracy", Value: 0.5, Support: systems[name], Folds: []int32{0, 1}, Replicates: []float64{0.4, 0.6}},
			{Name: "accuracy", Slice: slice.Key{{Column: "country", Value: slice.String("de")}}, Value: 0.5, Support: systems[name] - 690},
		}}
		require.NoError(t, export.Write(r, nil, []report.Format{report.JSON, report.Parquet}, func(file string) (io.Writer, error) {
			return os.Create(filepath.Join(dir, file))
		}))
		sources = append(sources, Source{dir, name})
	}
	cfg, err := config.ParseGates([]byte("gates: [{metric: examples, max_drop: 20%}, {metric: support, slice: {country: de}, min: 50}]"), "gates.yaml")
	require.NoError(t, err)
	for i, want := range map[int][]report.Verdict{1: {report.Pass, report.Pass}, 2: {report.Fail, report.Fail}} {
		c, err := Compare(t.Context(), sources[0], sources[i], comparison.Holm, cfg)
		require.NoError(t, err)
		require.Equal(t, want, collections.Map(c.Gates, func(g report.GateResult) report.Verdict { return g.Verdict }))
		require.Equal(t, float64(systems[sources[i].Name]), c.Gates[0].Value)
	}
	l, err := Rank(t.Context(), sources, analysis.Options{Adjust: comparison.Holm}, false, cfg)
	require.NoError(t, err)
	require.Equal(t, []report.Verdict{report.Pass, report.Pass, report.Fail, report.Fail}, collections.Map(l.Gates, func(g comparison.Gate) report.Verdict { return g.Verdict }))
	misspelt, err := config.ParseGates([]byte("gates: [{metric: exampels, min: 3}]"), "gates.yaml")
	require.NoError(t, err)
	_, err = Compare(t.Context(), sources[0], sources[1], comparison.Holm, misspelt)
	require.ErrorContains(t, err, `did you mean "examples"?`)
}
