package evaluate

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/slice"
)

// gated are runs with gates.
var gated = []scenario{
	{
		name:   "gates that pass",
		config: "metrics: [accuracy]\nslices: [country]\ngates: [{metric: accuracy, min: 0.75, max: 0.75}, {metric: accuracy, min: 0.5, slice: each}]",
		stdout: `
binary: …

 gate  metric    slice       asked               found
─…
 pass  accuracy  overall     min 0.75, max 0.75  0.7500
 pass  accuracy  country=de  min 0.5             1.0000
 pass  accuracy  country=fr  min 0.5             0.5000
 gates: 0 failed, 3 passed
…
report: out`,
	}, {
		name: "gates that fail", code: 3, stderr: "evaluate: a gate failed: 2 of 4, see the report",
		config: "metrics: [accuracy, f1]\nslices: [country]\ngates: [{metric: accuracy, min: 0.75}, {metric: accuracy, max: 0.75, slice: each}, {metric: f1, min: 0.9, slice: {country: fr}}]",
		stdout: `
binary: …

 gate  metric    slice       asked     found
─…
 fail  f1        country=fr  min 0.9   0.0000
 fail  accuracy  country=de  max 0.75  1.0000
 pass  accuracy  overall     min 0.75  0.7500
 pass  accuracy  country=fr  max 0.75  0.5000
 gates: 2 failed, 2 passed
…
report: out`,
		check: func(t *testing.T, dir string) {
			gates := readReport(t, filepath.Join(dir, "out")).Gates
			require.Len(t, gates, 4)
			require.Equal(t, []report.Verdict{report.Pass, report.Fail, report.Pass, report.Fail},
				[]report.Verdict{gates[0].Verdict, gates[1].Verdict, gates[2].Verdict, gates[3].Verdict})
			text, err := os.ReadFile(filepath.Join(dir, "out", report.ReportMarkdown))
			require.NoError(t, err)
			require.Regexp(t, `(?s)^# [^#]*## What stands out\n\n.*## Gates\n\n.*fail.*## Metrics`, string(text))
		},
	}, {
		name: "gates without a value", code: 3, stderr: "evaluate: a gate failed: 2 of 4, see the report",
		config: `
metrics: [roc_auc]
slices: [country, {country: [it]}]
gates:
  - {metric: roc_auc, min: 0, slice: {country: it}}
  - {metric: roc_auc, min: 0, slice: {country: at}}
  - {metric: roc_auc, min: 0, slice: {country: it}, allow_undefined: true}
  - {metric: roc_auc, min: 0, slice: {country: at}, allow_undefined: true}`,
		stdout: `
binary: …

 gate     metric   slice       asked  found
─…
 fail     roc_auc  country=it  min 0  undefined
 fail     roc_auc  country=at  min 0  undefined
 unknown  roc_auc  country=it  min 0  undefined
 unknown  roc_auc  country=at  min 0  undefined
 roc_auc, country=it: no examples
 roc_auc, country=at: not in the report
 gates: 2 failed, 0 passed, 2 unknown
…
report: out`,
	}, {
		name: "gates of labels", preds: "class:string predicted:string\na b\n---\nc c", code: 3, stderr: "evaluate: a gate failed: 2 of 3, see the report",
		config: "input: {columns: {label: class}}\ngates: [{metric: recall, label: c, min: 1}, {metric: recall, label: a, min: 1}, {metric: recall, label: x, min: 1}]",
		stdout: `
multiclass: …

 gate  metric  slice    label  asked  found
─…
 fail  recall  overall  x      min 1  undefined
 fail  recall  overall  a      min 1  0.0000
 pass  recall  overall  c      min 1  1.0000
 recall, x: not in the report
 gates: 2 failed, 1 passed
…
report: out`,
	}, {
		name: "gates of weights that are too large", preds: heavy, code: 3, stderr: "evaluate: a gate failed: 2 of 3, see the report",
		config: "gates: [{metric: ece, max: 0.05}, {metric: accuracy, min: 0}, {metric: roc_auc, min: 0, allow_undefined: true}]",
		stdout: `
binary: …

 gate     metric    slice    asked     found
─…
 fail     ece       overall  max 0.05  undefined
 fail     accuracy  overall  min 0     undefined
 unknown  roc_auc   overall  min 0     undefined
 ece: weights are too large
 accuracy: weights are too large
 roc_auc: weights are too large
 gates: 2 failed, 0 passed, 1 unknown
…
report: out`,
	},
}

// reportOf writes a report of an earlier run with these rows to out/metrics.json.
func reportOf(task string, rows ...report.Row) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		before := filepath.Join(dir, "before")
		require.NoError(t, os.Mkdir(before, 0o755))
		require.NoError(t, export.Write(&report.Report{Task: task, Metrics: rows}, nil, nil, func(name string) (io.Writer, error) {
			return os.Create(filepath.Join(before, name))
		}))
	}
}

// baselined are runs with gates that compare with a report.
var baselined = []scenario{
	{
		name: "gates that compare", args: flagsOf + " --baseline before", code: 3, stderr: "evaluate: a gate failed: 2 of 5, see the report",
		setup: reportOf("binary", report.Row{Name: "accuracy", Value: 0.76}, report.Row{Name: "f1", Value: 0.5},
			report.Row{Name: "accuracy", Slice: slice.Key{{Column: "country", Value: slice.String("de")}}, Value: 0.5},
			report.Row{Name: "accuracy", Slice: slice.Key{{Column: "country", Value: slice.String("fr")}}, Value: 0.52}),
		config: `
metrics: [accuracy, f1]
slices: [country]
gates:
  - {metric: accuracy, max_drop: 0.01}
  - {metric: accuracy, slice: each, max_drop: 0.01}
  - {metric: f1, max_rise: 0.1, min: 0.2}
  - {metric: f1, slice: {country: de}, max_drop: 1, allow_undefined: true}`,
		stdout: `
binary: …

 gate     metric    slice       asked                  found
─…
 fail     f1        overall     min 0.2, max rise 0.1  0.6667 (+0.1667)
 fail     accuracy  country=fr  max drop 0.01          0.5000 (-0.0200)
 unknown  f1        country=de  max drop 1             1.0000
 pass     accuracy  overall     max drop 0.01          0.7500 (-0.0100)
 pass     accuracy  country=de  max drop 0.01          1.0000 (+0.5000)
 f1, country=de: no difference: only in b
 gates: 2 failed, 2 passed, 1 unknown

What stands out:
…

warning: the baseline, a, and this report, b: the labels differ, and with them
what averages are of: only b has "0", "1"
…
report: out`,
	}, {
		name: "no baseline yet", args: flagsOf + " --baseline before", setup: folder("before"), // without a finished report
		config: `
metrics: [accuracy, roc_auc]
output: {formats: [json, markdown, html, prometheus]}
slices: [country]
gates: [{metric: accuracy, min: 0.5, max_drop: 0.01}, {metric: roc_auc, max_drop: 0}, {metric: accuracy, slice: each, max_rise: 1%}]`,
		notes: `
label: column "label"
score: column "score"
task: binary (one label, one score)
predictions: score >= 0.5
no baseline: there is no finished report in "before", other than that of this run or later ones`,
		stdout: `
binary: …

 gate     metric    slice       asked                   found
─…
 unknown  accuracy  overall     min 0.5, max drop 0.01  0.7500
 unknown  roc_auc   overall     max drop 0              1.0000
 unknown  accuracy  country=de  max rise 1%             1.0000
 unknown  accuracy  country=fr  max rise 1%             0.5000
 gates: 0 failed, 0 passed, 4 unknown

What stands out:
…

warning: there is no baseline, so max_drop and max_rise are not judged (gates:
3)
…
report: out`,
		check: func(t *testing.T, dir string) {
			for file, want := range map[string]string{
				report.MetricsJSON:    `{"metric":"roc_auc","slice":{},"label":null,"max_drop":0,"value":1,"verdict":"unknown","reason":"no baseline"},`,
				report.ReportMarkdown: "| unknown | roc_auc | overall |",
				report.ReportHTML:     "Passed: gates: 0 failed, 0 passed, 4 unknown.",
				"metrics.prom":        `beameval_gates{verdict="unknown"} 4`,
			} {
				text, err := os.ReadFile(filepath.Join(dir, "out", file))
				require.NoError(t, err)
				require.Contains(t, string(text), want)
			}
			require.Equal(t, &report.Baseline{}, readReport(t, filepath.Join(dir, "out")).Baseline)
		},
	}, {
		name: "no baseline, and another requirement is not met", code: 3, stderr: "evaluate: a gate failed: 2 of 3, see the report",
		config: "metrics: [accuracy, roc_auc]\nslices: [country]\ngates: [{metric: accuracy, min: 0.9, max_drop: 1}, {metric: roc_auc, slice: {country: it}, max_drop: 1}, {metric: accuracy, max_drop: 1}]",
		stdout: `
binary: …

 gate     metric    slice       asked                found
─…
 fail     roc_auc   country=it  max drop 1           undefined
 fail     accuracy  overall     min 0.9, max drop 1  0.7500
 unknown  accuracy  overall     max drop 1           0.7500
 roc_auc, country=it: not in the report
 gates: 2 failed, 0 passed, 1 unknown
…
report: out`,
	}, {
		name: "gates that compare by shares", args: flagsOf + " --baseline before", code: 3, stderr: "evaluate: a gate failed: 5 of 8, see the report",
		setup: reportOf("binary", report.Row{Name: "accuracy", Value: 0.78}, report.Row{Name: "f1", Value: 0.5}, report.Row{Name: "fpr", Value: 0},
			report.Row{Name: "mcc", Value: -0.5}),
		config: `
metrics: [accuracy, f1, fpr, mcc]
gates:
  - {metric: accuracy, max_drop: 3%}
  - {metric: accuracy, max_drop: 4%}
  - {metric: f1, max_rise: 33.3%, max_drop: 0.1}
  - {metric: f1, max_rise: 0.3, max_drop: 1%}
  - {metric: mcc, max_rise: 2e2%}
  - {metric: fpr, max_rise: 10%}
  - {metric: fpr, max_rise: 10%, allow_undefined: true}
  - {metric: fpr, max_rise: 0, max_drop: 1%}`,
		stdout: `
binary: …

 gate     metric    slice    asked                         found
─…
 fail     mcc       overall  max rise 200%                 0.5774 (+1.0774, +215.4701%)
 fail     accuracy  overall  max drop 3%                   0.7500 (-0.0300, -3.8462%)
 fail     f1        overall  max drop 0.1, max rise 33.3%  0.6667 (+0.1667, +33.3333%)
 fail     fpr       overall  max drop 1%, max rise 0       0.0000 (+0.0000)
 fail     fpr       overall  max rise 10%                  0.0000 (+0.0000)
 unknown  fpr       overall  max rise 10%                  0.0000 (+0.0000)
 pass     accuracy  overall  max drop 4%                   0.7500 (-0.0300, -3.8462%)
 pass     f1        overall  max drop 1%, max rise 0.3     0.6667 (+0.1667, +33.3333%)
 fpr: a share of 0, the baseline, is undefined
 gates: 5 failed, 2 passed, 1 unknown
…
report: out`,
		check: func(t *testing.T, dir string) {
			data, err := os.ReadFile(filepath.Join(dir, "out", report.MetricsJSON))
			require.NoError(t, err)
			for _, line := range []string{
				`{"metric":"accuracy","slice":{},"label":null,"max_drop":"3%","value":0.75,"difference":-0.030000000000000027,"verdict":"fail"},`,
				`{"metric":"f1","slice":{},"label":null,"max_drop":0.1,"max_rise":"33.3%","value":0.6666666666666666,"difference":0.16666666666666663,"verdict":"fail"},`,
			} {
				require.Contains(t, string(data), line)
			}
			require.Equal(t, report.Limit{Value: 3, Percent: true}, *readReport(t, filepath.Join(dir, "out")).Gates[0].MaxDrop)
		},
	},
}

// gatedRefusals are gates that no report can satisfy or violate.
var gatedRefusals = []refusal{
	{"a gate that compares with nothing", "", "baseline_missing: fail\ngates: [{metric: f1, min: 0}, {metric: f1, max_drop: 0.1}]", "eval.yaml:2:31: gates[1]: max_drop and max_rise need a report to compare with: set baseline or --baseline"},
	{"a baseline that no gate compares with", "", "baseline: before\nchecks: {off: [volume]}\ngates: [{metric: f1, min: 0.1}]", "eval.yaml:1:11: baseline: no gate has max_drop or max_rise, and the check volume is off: set gates to compare with it, or leave it out; beameval compare compares finished reports"},
	{"a sure gate without intervals", "", "gates: [{metric: f1, min: 0.1, sure: true}]", "eval.yaml:1:38: gates[0].sure: there are no intervals: set confidence, to {} for its defaults"},
	{"a baseline that is not there", "", "baseline: [before, 'dt=*']\nbaseline_missing: fail\ngates: [{metric: f1, max_rise: 0.1}]",
		`eval.yaml:1:11: baseline: there is no finished report in "before", "dt=*", other than that of this run or later ones`},
	{"a sure gate on the change from several reports", "", "baseline: before\nbaseline_window: 3\nconfidence: {by: country}\ngates: [{metric: f1, max_drop: 0.1, sure: true}]",
		"eval.yaml:4:43: gates[0].sure: only the difference from a single report can be tested: set baseline_window to 1, or leave sure out"},
	{"a gate for a metric that is unknown", "", "gates: [{metric: acuracy, min: 1}]", `eval.yaml:1:18: gates[0].metric: unknown metric "acuracy" of task binary; did you mean "accuracy"?`},
	{"a gate for a metric that is not computed", "", "metrics: [recall]\ngates: [{metric: precision, min: 1}]", `eval.yaml:2:18: gates[0].metric: "precision" is not computed: add it to metrics`},
	{"a gate for several metrics", "", "gates: [{metric: f<beta>, min: 1}]", `eval.yaml:1:18: gates[0].metric: metric "f<beta>" has a parameter, and no argument is given`},
	{"a gate for a slice that is not asked for", "", "gates: [{metric: f1, min: 1, slice: {country: de}}]", `eval.yaml:1:37: gates[0].slice: there is no such slice: add ["country"] to slices`},
	{"a gate for a misspelled slice", "", "slices: [country, [country, device]]\ngates: [{metric: f1, min: 1, slice: {contry: de}}]", `eval.yaml:2:37: gates[0].slice: there is no such slice: add ["contry"] to slices; did you mean "country"?`},
	{"a gate for columns that are not crossed", "", "slices: [country, device]\ngates: [{metric: f1, min: 1, slice: {country: de, device: a}}]", `eval.yaml:2:37: gates[0].slice: there is no such slice: add ["country","device"] to slices`},
	{"a gate for each label at once", "class:string predicted:string\na b", "input: {columns: {label: class}}\nmetrics: [f1, f1_macro]\ngates: [{metric: f1, min: 1}]",
		"eval.yaml:3:9: gates[0]: f1 is a metric of each label: set label, or take an average: f1_macro"},
	{"a gate for a label of an average", "class:string predicted:string\na b", "input: {columns: {label: class}}\ngates: [{metric: f1_macro, label: a, min: 1}]",
		"eval.yaml:2:9: gates[0]: f1_macro is one number for all labels: leave label out"},
}

// heavy has weights whose sum overflows a float64.
const heavy = `
label:int64 score:double weight:double country:string
0           0.6          1e308         de
1           0.9          1e308         de
0           0.2          1e308         fr
1           0.7          1            fr
`
