package evaluate

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/pipeline/finished"
)

// evaluated runs the command with a configuration in a directory.
func evaluated(t *testing.T, dir, config string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	text("eval.yaml", config)(t, dir)
	return call{dir, shortTempDir(t), append([]string{"--quiet", "--config", "eval.yaml"}, args...)}.run(t)
}

// TestComparedReports compares reports of the two models of the worked example.
func TestComparedReports(t *testing.T) {
	data, err := os.ReadFile(workedFile)
	require.NoError(t, err)
	type part struct {
		Groups     []int
		Difference map[string]struct {
			Difference *float64
			StdError   *float64 `json:"std_error"`
			DOF        *float64
			Low        *float64 `json:"ci_low"`
			High       *float64 `json:"ci_high"`
			PValue     *float64 `json:"p_value"`
		}
	}
	var worked struct {
		Overall part
		ByUser  part `json:"by_user"`
		First8  part `json:"first_8"`
		Slices  map[string]part
	}
	require.NoError(t, json.Unmarshal(data, &worked))
	for _, c := range []struct {
		name, config string
		rows         int
		overall      part
		slices       map[string]part
	}{
		{"by example", "confidence: {groups: 20}\nslices: [country]", 60, worked.Overall, worked.Slices},
		{"by user", "confidence: {groups: 20, by: user}", 60, worked.ByUser, nil},
		{"few examples", "confidence: {groups: 20}", 8, worked.First8, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, model := range []string{"a", "b"} {
				writeTable(t, filepath.Join(dir, model+".parquet"), workedRows(model, c.rows))
				code, _, stderr := evaluated(t, dir, c.config, "--input", model+".parquet", "--output", model)
				require.Zero(t, code, stderr)
			}
			got, err := finished.Compare(t.Context(), finished.Source{Dir: filepath.Join(dir, "a")}, finished.Source{Dir: filepath.Join(dir, "b")}, comparison.BenjaminiHochberg, nil)
			require.NoError(t, err)
			require.Equal(t, comparison.Paired, got.Pairing)
			require.Empty(t, got.Warnings)
			found := 0
			of, adjusted := map[string][]float64{}, map[string][]float64{} // of a metric in all slices, and of all examples alone
			for _, d := range got.Changes {
				part := c.overall
				if len(d.Slice) > 0 {
					part = c.slices[d.Slice[0].Value.Text()]
				}
				want, listed := part.Difference[d.Name]
				if !listed {
					continue
				}
				found++
				require.Len(t, part.Groups, d.Groups)
				if want.PValue != nil {
					family := d.Name + fmt.Sprint(len(d.Slice))
					of[family], adjusted[family] = append(of[family], *want.PValue), append(adjusted[family], d.PAdjusted)
				}
				for what, x := range map[string]struct {
					want *float64
					got  float64
				}{
					"difference": {want.Difference, d.Difference}, "std_error": {want.StdError, d.StdError}, "dof": {want.DOF, d.DOF},
					"low": {want.Low, d.Low}, "high": {want.High, d.High}, "p": {want.PValue, d.PValue},
				} {
					switch {
					case x.want != nil:
						require.InDelta(t, *x.want, x.got, 1e-12, "%s of %s of %s", what, d.Name, d.Slice)
					case what != "difference": // the example says nothing of a difference without a test
						require.True(t, math.IsNaN(x.got), "%s of %s of %s is %v", what, d.Name, d.Slice, x.got)
					}
				}
			}
			require.Equal(t, len(c.overall.Difference)*(1+len(c.slices)), found)
			for family, p := range of {
				require.InDeltaSlice(t, confidence.BenjaminiHochberg(p), adjusted[family], 1e-12, family)
			}
		})
	}
}

// TestSureGates: taking chance into account, one model is not worse than the other, but far from
// certainly good.
func TestSureGates(t *testing.T) {
	dir := t.TempDir()
	for _, model := range []string{"a", "b"} {
		writeTable(t, filepath.Join(dir, model+".parquet"), workedRows(model, 60))
	}
	code, _, stderr := evaluated(t, dir, "confidence: {groups: 20}", "--input", "a.parquet", "--output", "a")
	require.Zero(t, code, stderr)
	code, stdout, stderr := evaluated(t, dir, `
metrics: [roc_auc, log_loss, ece]
confidence: {groups: 20}
gates:
  - {metric: log_loss, max_rise: 0.01}
  - {metric: log_loss, max_rise: 0.01, sure: true}
  - {metric: roc_auc, min: 0.8}
  - {metric: roc_auc, min: 0.8, sure: true}
  - {metric: ece, max: 0.5, sure: true}
  - {metric: ece, max_rise: 0, sure: true, allow_undefined: true}`, "--input", "b.parquet", "--output", "b", "--baseline", "a")
	require.Equal(t, command.GateFailed, code, stderr)
	requireText(t, `
binary: …

 gate     metric    slice    asked                found
─…
 fail     log_loss  overall  max rise 0.01        0.4934 (+0.0280)
 fail     roc_auc   overall  min 0.8, sure        0.8480 [0.6973, 0.9311]
 fail     ece       overall  max 0.5, sure        0.1844
 unknown  ece       overall  max rise 0, sure     0.1844 (+0.0034)
 pass     log_loss  overall  max rise 0.01, sure  0.4934 (+0.0280)
 pass     roc_auc   overall  min 0.8              0.8480
 ece: no interval: biased
 ece: no p-value: biased
 gates: 3 failed, 2 passed, 1 unknown
…
report: b`, stdout)
	gates := readReport(t, filepath.Join(dir, "b")).Gates
	var verdicts []report.Verdict
	for _, g := range gates {
		verdicts = append(verdicts, g.Verdict)
	}
	require.Equal(t, []report.Verdict{report.Fail, report.Pass, report.Pass, report.Fail, report.Fail, report.Unknown}, verdicts)
	require.InDelta(t, 0.10424611236731036, gates[1].PAdjusted, 1e-12)
	require.Equal(t, "no interval: biased", gates[4].Reason)
	require.Equal(t, "no p-value: biased", gates[5].Reason)
}

// realPairs are two models of the bundled data, with the tests of their differences computed by
// statsmodels and SciPy.
var realPairs = []struct{ dir, config, other string }{
	{"digits", "digits/config.yaml", "digits/other.parquet"},
	{"digits_retrieval", "digits_retrieval/trec_eval.yaml", "digits_retrieval/other.parquet"},
}

// TestRealPairs: McNemar's test uses every example, the jackknife uses groups of them: with m
// groups, its standard error, and with it the statistic, varies by a share of 1/sqrt(2 (m − 1)).
// The directions are the same, and so are the verdicts that are not close. For rankings, each of
// the 60 queries is a group, and the statistic equals the paired t-test's over queries.
func TestRealPairs(t *testing.T) {
	repository, err := filepath.Abs("../../..")
	require.NoError(t, err)
	for _, pair := range realPairs {
		t.Run(pair.dir, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.Symlink(filepath.Join(repository, "testdata"), filepath.Join(dir, "testdata")))
			config, err := os.ReadFile(filepath.Join(dir, "testdata", pair.config))
			require.NoError(t, err)
			for output, input := range map[string][]string{"a": nil, "b": {"--input", "testdata/" + pair.other}} {
				code, _, stderr := evaluated(t, dir, string(config)+"confidence: {}\n", append(input, "--output", output)...)
				require.Zero(t, code, stderr)
			}
			got, err := finished.Compare(t.Context(), finished.Source{Dir: filepath.Join(dir, "a")}, finished.Source{Dir: filepath.Join(dir, "b")}, comparison.Unadjusted, nil)
			require.NoError(t, err)
			require.Equal(t, comparison.Paired, got.Pairing)
			require.Empty(t, got.Warnings)

			data, err := os.ReadFile(filepath.Join(dir, "testdata", pair.dir, "compared.json"))
			require.NoError(t, err)
			var want struct {
				Rows []struct {
					Name         string
					Slice        slice.Key
					A, B         float64
					Statistic, P float64
				}
			}
			require.NoError(t, json.Unmarshal(data, &want))
			require.NotEmpty(t, want.Rows)
			for _, w := range want.Rows {
				i := slices.IndexFunc(got.Changes, func(d comparison.Change) bool {
					return d.Name == w.Name && d.Label == nil && slices.Equal(d.Slice, w.Slice)
				})
				require.GreaterOrEqual(t, i, 0, w)
				d := got.Changes[i]
				require.InDelta(t, w.A, d.A, 1e-12, w.Name)
				require.InDelta(t, w.B, d.B, 1e-12, w.Name)
				statistic := d.Difference / d.StdError
				t.Logf("%s of %s: statistic %.3f, expected %.3f; p %.4g, expected %.4g; %d groups", w.Name, w.Slice, statistic, w.Statistic, d.PValue, w.P, d.Groups)
				if got.Task == "ranking" {
					require.Equal(t, 60, d.Groups)
					require.InEpsilon(t, w.Statistic, statistic, 1e-9, "%s of %s", w.Name, w.Slice)
				}
				require.InDelta(t, w.Statistic, statistic, math.Abs(w.Statistic)*3/math.Sqrt(2*float64(d.Groups-1)), "%s of %s", w.Name, w.Slice)
				switch {
				case w.P < 0.02 && w.Statistic > 0:
					require.Equal(t, comparison.Better, d.Verdict, "%s of %s", w.Name, w.Slice)
				case w.P < 0.02:
					require.Equal(t, comparison.Worse, d.Verdict, "%s of %s", w.Name, w.Slice)
				case w.P > 0.1:
					require.Equal(t, comparison.NoSignificantChange, d.Verdict, "%s of %s", w.Name, w.Slice)
				}
			}
		})
	}
}
