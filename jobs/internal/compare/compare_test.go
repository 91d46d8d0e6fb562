package compare

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/interrupted"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/jobs/internal/command"
)

// write writes a report of two metrics in two slices, and further rows, to a directory. Its
// replicates vary.
func write(t *testing.T, dir, task string, accuracy float64, spread float64, more ...report.Row) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	var groups []int32
	for i := range int32(20) {
		groups = append(groups, i)
	}
	r := &report.Report{Task: task, Examples: 100, Confidence: &report.Folding{
		Level: 0.95, Folds: 20, By: "id", Digests: []report.FoldDigest{{Rows: 100, Digest: 7}},
	}}
	de := slice.Key{{Column: "country", Value: slice.String("de")}}
	for _, key := range []slice.Key{nil, de} {
		more = append(more, report.Row{Name: "accuracy", Slice: key, Value: accuracy, Support: 100})
		r.Metrics = append(r.Metrics, report.Row{Name: "f1", Slice: key, Value: 0.5, Support: 100})
	}
	for _, row := range more {
		row.Folds = groups
		for i := range groups {
			row.Replicates = append(row.Replicates, row.Value+spread*float64(i%5-2))
		}
		r.Metrics = append(r.Metrics, row)
	}
	require.NoError(t, export.Write(r, nil, report.Formats(), func(name string) (io.Writer, error) {
		f, err := os.Create(filepath.Join(dir, name))
		t.Cleanup(func() { f.Close() })
		return f, err
	}))
}

// compare runs the command in a directory with the reports a, b and other, which is of another
// task. The report old has an older schema. An output is passed unless args contain one.
func compare(t *testing.T, config string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	write(t, "a", "binary", 0.75, 0)
	write(t, "b", "binary", 0.5, 1e-3)
	write(t, "other", "multiclass", 0.5, 1e-3)
	write(t, "fair", "binary", 0.5, 0, report.Row{Name: "demographic_parity_difference", Value: 0.1})
	write(t, "unfair", "binary", 0.5, 1e-3, report.Row{Name: "demographic_parity_difference", Value: 0.25})
	var slices []report.Row
	for i := range int64(30) {
		slices = append(slices, report.Row{Name: "recall", Slice: slice.Key{{Column: "shop", Value: slice.Int(i)}}, Value: 0.5})
	}
	write(t, "shops", "binary", 0.5, 0, slices...)
	write(t, "busy", "binary", 0.5, 1e-3, slices...)
	require.NoError(t, os.Mkdir("old", 0o755))
	require.NoError(t, os.WriteFile("old/metrics.json", []byte(`{"schema": "beameval.report/v0"}`), 0o644))
	require.NoError(t, os.WriteFile("gates.yaml", []byte(config), 0o644))
	if config != "" {
		args = append(args, "--config", "gates.yaml")
	}
	var out, errors bytes.Buffer
	code = command.Run(t.Context(), Command(), args, &out, &errors)
	return code, out.String(), errors.String()
}

func TestCompare(t *testing.T) {
	code, stdout, stderr := compare(t, "", "a", "--output", "out", "b", "--adjust=holm")
	require.Zero(t, code, stderr)
	require.Empty(t, stderr)
	require.Equal(t, `binary: b compared with a
 a: a, 100 examples
 b: b, 100 examples
 paired: both are of the same examples, in 20 groups

 metric         a       b      difference        p  verdict  reason
───────────────────────────────────────────────────────────────────────────
 accuracy  0.7500  0.5000  -0.250 ± 0.013  6.4e-20  worse
 f1        0.5000  0.5000          0.0000           unknown  no replicates
 ±: 95% confidence, of each difference alone. p: adjusted for the slices and
 labels of a metric (Holm); up to 0.05, a difference is significant.
 accuracy fell by 0.250 ± 0.013. By country, all of it is performance, because
 the shares of the slices are the same (100% of it in country=de).

significantly worse: 2 of 4; in slices and labels, by well-known metrics
 metric    slice            a       b      difference        p
───────────────────────────────────────────────────────────────
 accuracy  country=de  0.7500  0.5000  -0.250 ± 0.013  6.4e-20

4 differences: 2 worse, 0 better, 0 with no significant change, 2 unknown

comparison: out
`, stdout)
	for _, name := range []string{"comparison.json", "comparison.csv", "comparison.parquet", "comparison.md", "comparison.html"} {
		require.FileExists(t, filepath.Join("out", name))
	}
}

// TestPrinted: without an output, the summary or comparison.json is printed alone.
func TestPrinted(t *testing.T) {
	for _, reports := range [][]string{{"a", "b"}, {"a", "b", "fair"}} {
		code, whole, stderr := compare(t, "", append(reports, "--output", "out")...)
		require.Zero(t, code, stderr)
		document, err := os.ReadFile("out/comparison.json")
		require.NoError(t, err)

		code, stdout, stderr := compare(t, "", reports...)
		require.Zero(t, code, stderr)
		require.Equal(t, whole, stdout+"\ncomparison: out\n")
		require.NoDirExists(t, "out")

		code, stdout, stderr = compare(t, "", append(reports, "--json")...)
		require.Zero(t, code, stderr)
		require.Equal(t, string(document), stdout)

		code, stdout, stderr = compare(t, "gates: [{metric: accuracy, min: 0.9}]", append(reports, "--json")...)
		require.Equal(t, command.GateFailed, code)
		require.Contains(t, stderr, "a gate failed")
		require.Contains(t, stdout, `"gates"`)
	}
}

// TestIdentical: a report compared with itself is identical.
func TestIdentical(t *testing.T) {
	code, stdout, stderr := compare(t, "", "a", "a")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "\nidentical: none of 4 values differs\n")
	_, stdout, _ = compare(t, "", "a", "b")
	require.NotContains(t, stdout, "identical")
}

// TestHolmOfManySlices: with few groups, none of many differences is significant.
func TestHolmOfManySlices(t *testing.T) {
	const warning = `
warning: holm adjusts 30 differences of recall together: with 20 groups, one is
shown from 3.7 standard errors on; with many groups, from 3.1 on. Evaluate with
more confidence.groups, or use bh
`
	for adjust, warned := range map[string]bool{"holm": true, "bh": false, "none": false} {
		_, stdout, stderr := compare(t, "", "shops", "busy", "-o", "out", "--adjust", adjust)
		require.Empty(t, stderr)
		if warned {
			require.Contains(t, stdout, warning)
		} else {
			require.NotContains(t, stdout, "warning")
		}
	}
}

func TestGates(t *testing.T) {
	code, stdout, stderr := compare(t, "input: {files: x}\ngates: [{metric: accuracy, max_drop: 0.3}, {metric: accuracy, slice: each, max_drop: 0.1, sure: true}, {metric: accuracy, max_drop: 33%}, {metric: accuracy, slice: each, max_drop: 33%, sure: true}]",
		"a", "b", "--output", "out")
	require.Equal(t, command.GateFailed, code)
	require.Equal(t, "compare: a gate failed: 3 of 4, see the comparison\n", stderr)
	require.Contains(t, stdout, `
 gate  metric    slice       asked               found
─────────────────────────────────────────────────────────────────────────────
 fail  accuracy  country=de  max drop 0.1, sure  0.5000 (-0.2500)
 fail  accuracy  overall     max drop 33%        0.5000 (-0.2500, -33.3333%)
 fail  accuracy  country=de  max drop 33%, sure  0.5000 (-0.2500, -33.3333%)
 pass  accuracy  overall     max drop 0.3        0.5000 (-0.2500)
 gates: 3 failed, 1 passed
`)
	text, err := os.ReadFile("out/comparison.md")
	require.NoError(t, err)
	require.Contains(t, string(text), "## Gates")
	require.Contains(t, string(text), "| -0.25, -33.3333% |")
	require.Contains(t, string(text), "| 33% |")
}

// Gates may refer to metrics that compare groups, as in evaluate.
func TestGatesOfGroups(t *testing.T) {
	code, stdout, stderr := compare(t, "gates: [{metric: demographic_parity_difference, max_rise: 0.01, sure: true}, {metric: demographic_parity_difference, max: 0.5}]",
		"fair", "unfair", "--output", "out")
	require.Equal(t, command.GateFailed, code, stderr)
	require.Contains(t, stdout, `
 fail  demographic_…_difference  overall  max rise 0.01, sure  0.2500 (+0.1500)
 pass  demographic_…_difference  overall  max 0.5              0.2500
`)
}

// TestRefused: errors are reported, and nothing is written.
func TestRefused(t *testing.T) {
	both := []string{"a", "b", "--output", "out"}
	for _, c := range []struct {
		name, config string
		args         []string
		want         string
	}{
		{"no arguments", "", nil, "expected two or more reports, found none: compare A B, where A and B are directories of reports"},
		{"one report", "", []string{"a", "--output", "out"}, "expected at least two reports or predictions, found a"},
		{"a report and a directory that holds it", "", []string{"a", "a/*", "--output", "out"}, "there is no report in a/*; as predictions: "},
		{"a reference of two", "", append(both, "--reference", "b"), "--reference is for three or more reports: of two, the first is compared with the second"},
		{"data sets of two", "", append(both, "--by-dataset"), "--by-dataset is for three or more reports: of two, the first is compared with the second"},
		{"max-T of two", "", append(both, "--adjust", "maxt"), "--adjust: maxt is for three or more reports: expected bh, holm or none"},
		{"an unknown flag", "", []string{"a", "b", "--ouput", "out"}, "unknown flag --ouput; did you mean --output? --help lists all"},
		{"an unknown adjustment", "", append(both, "--adjust", "bonferroni"), `--adjust: unknown "bonferroni": expected bh, holm, maxt or none`},
		{"a report that is not there", "", []string{"a", "c", "--output", "out"}, "there is no report in c; as predictions: "},
		{"a report of an older schema", "", []string{"old", "b", "--output", "out"}, `old/metrics.json: report: the schema is "beameval.report/v0", not "beameval.report/v1": evaluate again, or use `},
		{"another task", "", []string{"a", "other", "--output", "out"}, "the reports are of different tasks: a is binary, b is multiclass"},
		{"an output that is not empty", "", []string{"a", "b", "--output", "a"}, "a: output exists and is not empty (it holds metrics.csv); choose another directory, or remove this one; --overwrite replaces a finished comparison"},
		{"an unknown configuration", "", append(both, "--config", "none.yaml"), "--config: "},
		{"no gates", "k: [1]", both, "gates: there are no gates to judge: set gates, or leave the configuration out"},
		{"an unknown key", "gats: []", both, `gates.yaml:1:1: unknown key "gats" (did you mean "gates"?)`},
		{"a gate without limits", "gates: [{metric: f1}]", both, "gates.yaml:1:9: gates[0]: needs min, max, max_drop or max_rise"},
		{"an unknown metric", "gates: [{metric: acuracy, min: 1}]", both, `gates.yaml:1:18: gates[0].metric: unknown metric "acuracy" of task binary; did you mean "accuracy"?`},
		{"a metric that b does not have", "gates: [{metric: mcc, min: 1}]", both, `gates.yaml:1:18: gates[0].metric: "mcc" is not computed: add it to metrics`},
		{"an unknown slice", "gates: [{metric: f1, min: 1, slice: {country: dee}}]", both, "gates.yaml:1:37: gates[0].slice: the report has no f1 of slice country=dee; did you mean country=de?"},
		{"a label", "gates: [{metric: f1, min: 1, label: x}]", both, "gates.yaml:1:9: gates[0]: f1 is one number for all labels: leave label out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, stderr := compare(t, c.config, c.args...)
			require.Equal(t, command.BadUsage, code)
			require.Empty(t, stdout)
			require.Contains(t, stderr, "compare: "+c.want)
			require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
			require.NoDirExists(t, "out")
		})
	}
}

func TestSliceThatMayBeMissing(t *testing.T) {
	code, stdout, stderr := compare(t, "gates: [{metric: f1, min: 1, slice: {country: fr}, allow_undefined: true}]", "a", "b", "--output", "out")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "\n f1, country=fr: not in the report\n gates: 0 failed, 0 passed, 1 unknown")
}

// A finished comparison is replaced, but a report is not.
func TestOverwrite(t *testing.T) {
	args := []string{"a", "b", "--output", "out", "--overwrite"}
	code, _, stderr := compare(t, "", args...)
	require.Zero(t, code, stderr)
	var stdout, errors bytes.Buffer
	require.Zero(t, command.Run(t.Context(), Command(), []string{"b", "a", "--output", "out", "--overwrite"}, &stdout, &errors), errors.String())
	text, err := os.ReadFile("out/comparison.json")
	require.NoError(t, err)
	require.Contains(t, string(text), `"a": {"report":"b"`)
	require.Equal(t, command.BadUsage, command.Run(t.Context(), Command(), []string{"a", "b", "--output", "a", "--overwrite"}, &stdout, &errors))
	require.Contains(t, errors.String(), "a: output exists and is not a finished comparison, which alone is replaced: it has no comparison.csv, but ")
	require.FileExists(t, "a/metrics.json")
}

// TestInterrupted: the command can be interrupted at any time until the comparison is complete.
func TestInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a", "binary", 0.5, 0)
	for looks := int32(0); ; looks++ {
		ctx := interrupted.After(t.Context(), looks)
		var stdout, stderr bytes.Buffer
		code := command.Run(ctx, Command(), []string{"a", "a", "--output", "out"}, &stdout, &stderr)
		if code == 0 {
			require.DirExists(t, "out")
			require.Greater(t, looks, int32(10), "it is looked at while it is written")
			return
		}
		require.Equal(t, command.Failed, code, looks)
		require.Equal(t, "compare: interrupted; nothing was written\n", stderr.String(), looks)
		require.NoDirExists(t, "out")
	}
}
