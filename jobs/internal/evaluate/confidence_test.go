package evaluate

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// intervals are runs with confidence intervals. The numbers are from the worked example of package
// confidence.
var intervals = []scenario{
	{
		name: "intervals", preds: workedRows("a", 60), config: "confidence: {groups: 20}\nslices: [country]",
		check: func(t *testing.T, dir string) {
			g := readWorked(t)
			requireWorked(t, dir, "", g.Overall.A)
			for country, part := range g.Slices {
				requireWorked(t, dir, "country="+country, part.A)
			}
			_, err := os.Stat(filepath.Join(dir, "out", report.ReplicatesParquet))
			require.NoError(t, err)
		},
		stdout: `
binary: …

What stands out:
 - Probabilities are too high on the whole: their mean is 0.44, and the share of
   positives is 0.27 (difference +0.18 ± 0.12); recalibration would mend it

 metric …
─…
 accuracy                 0.73 ± 0.13
…
 ± and [ ]: 95% confidence, from 20 groups by id.
…
report: out`,
	},
	{
		name: "intervals of the other model", preds: workedRows("b", 60), config: "confidence: {groups: 20}",
		check: func(t *testing.T, dir string) { requireWorked(t, dir, "", readWorked(t).Overall.B) },
	},
	{
		name: "intervals by user", preds: workedRows("a", 60), config: "confidence: {groups: 20, by: user}",
		check: func(t *testing.T, dir string) { requireWorked(t, dir, "", readWorked(t).ByUser.A) },
	},
	{
		name: "intervals of few examples", preds: workedRows("a", 8), config: "confidence: {groups: 20}",
		check: func(t *testing.T, dir string) { requireWorked(t, dir, "", readWorked(t).First8.A) },
	},
	{
		name: "intervals of some metrics", preds: workedRows("a", 60), config: "metrics: [accuracy, roc_auc]\nconfidence: {groups: 20, metrics: [accuracy]}",
		check: func(t *testing.T, dir string) {
			rows := readReport(t, filepath.Join(dir, "out")).Metrics
			require.Equal(t, "accuracy", rows[0].Name)
			require.NotNil(t, rows[0].Confidence)
			require.Nil(t, rows[1].Confidence)
		},
	},
	{
		name: "intervals without curves, which no metric needs", preds: workedRows("a", 60), config: "metrics: [accuracy]\ncurves: {mode: bounded}\nconfidence: {groups: 20}",
		check: func(t *testing.T, dir string) {
			require.NoFileExists(t, filepath.Join(dir, "out", report.CurvesParquet))
		},
	},
	{
		name: "intervals of squares that one error decides", config: "confidence: {groups: 20}\nslices: [half]",
		preds: lines("id:int64 target:double prediction:double half:string", 400, func(i int) string {
			miss := i%7 - 3
			if i == 300 {
				miss = 40
			}
			return fmt.Sprint(i, " ", i%11, " ", i%11+miss, " ", []string{"calm", "wild"}[i/200])
		}),
		check: func(t *testing.T, dir string) {
			for _, row := range readReport(t, filepath.Join(dir, "out")).Metrics {
				want := map[bool]string{true: "", false: "heavy tails"}[row.Slice.String() == "half=calm"]
				switch row.Name {
				case "mse", "rmse", "r2", "explained_variance", "pearson", "concordance":
					require.Equal(t, want, row.Confidence.Warning, "%s of %s", row.Name, row.Slice)
					require.Less(t, row.Confidence.Low, row.Confidence.High)
				case "mae", "mean_bias":
					require.Empty(t, row.Confidence.Warning)
				}
			}
		},
		stdout: `
regression: …
…
warning: heavy tails: a few errors decide concordance, explained_variance, mse,
pearson, r2, rmse of all examples and some slices (1), and intervals of these
values are too narrow
…`,
	},
	{
		name: "intervals of two clusters", config: "confidence: {by: country}",
		stdout: `
binary: …
…
 There are no confidence intervals: examples are in 2 of the 50 groups by
 country, and 10 are needed.

report: out`,
	},
	{
		name: "intervals of examples without ids", config: "metrics: [accuracy]\nconfidence: {groups: 10}",
		preds: lines("label:int64 score:double", 100, func(i int) string { return fmt.Sprint(i%2, " 0.", 1+i*7%9) }),
		stdout: `
binary: …
…
 ± and [ ]: 95% confidence, from 10 groups by the position of rows, taken as
 independent.

report: out`,
	},
	{
		name: "an example without a cluster", preds: "label:int64 score:double user:string?\n0 0.1 a\n---\n1 0.9 null", config: "confidence: {by: user}", code: 1,
		stderr: row + `"user": null: the row does not say which cluster it is in; see confidence.by` + end,
	},
	{
		name: "an example without a cluster that is skipped", config: "bad_rows: skip\nmetrics: [accuracy]\nconfidence: {by: user, groups: 30}",
		preds: lines("label:int64 score:double user:string?", 60, func(i int) string {
			return fmt.Sprint(i%2, " 0.", 1+i*7%9, " ", []string{fmt.Sprint("u", i/5), "null"}[i/59])
		}),
		stdout: `
binary: 59 of 60 rows evaluated, 1 skipped (null cluster: 1), 59 examples, 2
…
 ± and [ ]: 95% confidence, from examples in 11 of 30 groups by user.

report: out`,
	},
}

// intervalRefusals are configurations of confidence intervals that are inconsistent with the input
// or with other keys.
var intervalRefusals = []refusal{
	{"a cluster that is no column", people, "confidence: {by: user}", `eval.yaml:1:18: confidence.by: preds.parquet: no column "user"; …`},
	{"a cluster of many", "label:int64 score:double users:[]string\n1 0.5 [a]", "confidence: {by: users}", `eval.yaml:1:18: confidence.by: column "users" is …: a slice column must hold one value a row`},
	{"few groups", people, "confidence: {by: country, groups: 9}", `eval.yaml:1:35: confidence.groups: must be from 10 to 1000, is 9`},
	{"no level", people, "confidence: {by: country, level: 95}", `eval.yaml:1:34: confidence.level: must be greater than 0 and less than 1, is 95`},
	{"intervals of a metric that is not computed", people, "metrics: [accuracy]\nconfidence: {by: country, metrics: [f1]}", `eval.yaml:2:37: confidence.metrics[0]: "f1" is not computed: add it to metrics`},
	{"intervals of an unknown metric", people, "confidence: {by: country, metrics: [acuracy]}", `eval.yaml:1:37: confidence.metrics[0]: unknown metric "acuracy" of task binary; did you mean "accuracy"?`},
}

// worked is the worked example.
type worked struct {
	Rows []struct {
		ID, User, Country string
		Label             int
		A, B              float64
	}
	Overall workedPart
	ByUser  workedPart `json:"by_user"`
	First8  workedPart `json:"first_8"`
	Slices  map[string]workedPart
}

type workedPart struct{ A, B map[string]workedRow }

type workedRow struct {
	Value      *float64
	Groups     int
	StdError   *float64 `json:"std_error"`
	DOF        *float64
	Method     string
	NoInterval string   `json:"no_interval"`
	Low        *float64 `json:"ci_low"`
	High       *float64 `json:"ci_high"`
}

const workedFile = "../../../metrics/confidence/testdata/golden.json"

func readWorked(t *testing.T) (w worked) {
	data, err := os.ReadFile(workedFile)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &w))
	return w
}

// workedRows are the first rows of the example, with the scores of a model.
func workedRows(model string, n int) string {
	data, err := os.ReadFile(workedFile)
	if err != nil {
		return "" // in a command that a test runs, elsewhere
	}
	var w worked
	if err := json.Unmarshal(data, &w); err != nil {
		panic(err)
	}
	lines := []string{"id:string user:string country:string label:int64 score:double"}
	for i, r := range w.Rows[:n] {
		score := r.A
		if model == "b" {
			score = r.B
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %d %v", r.ID, r.User, r.Country, r.Label, score))
		if i%23 == 22 {
			lines = append(lines, "---")
		}
	}
	return strings.Join(lines, "\n")
}

// requireWorked requires the rows of a slice.
func requireWorked(t *testing.T, dir, slice string, want map[string]workedRow) {
	t.Helper()
	found := 0
	for _, r := range readReport(t, filepath.Join(dir, "out")).Metrics {
		w, listed := want[r.Name]
		if !listed || r.Slice.String() != slice && !(slice == "" && len(r.Slice) == 0) {
			continue
		}
		found++
		c := r.Confidence
		require.Equal(t, []any{w.Groups, w.Method, w.NoInterval}, []any{c.Folds, c.Method, c.NoInterval}, "%s of %s", r.Name, slice)
		for what, x := range map[string]struct {
			want *float64
			got  float64
		}{"value": {w.Value, r.Value}, "low": {w.Low, c.Low}, "high": {w.High, c.High}, "std_error": {w.StdError, c.StdError}, "dof": {w.DOF, c.DOF}} {
			switch {
			case x.want != nil:
				require.InDelta(t, *x.want, x.got, 1e-12, "%s of %s of %s", what, r.Name, slice)
			case what != "value": // which zero_division may replace
				require.True(t, math.IsNaN(x.got), "%s of %s of %s is %v", what, r.Name, slice, x.got)
			}
		}
	}
	require.Len(t, want, found)
}
