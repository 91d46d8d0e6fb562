package pipeline

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/beameval/beameval/pipeline/config"
	"github.com/stretchr/testify/require"
)

// setRow has a prediction set in all forms: names, numbers and indicators of the classes.
type setRow struct {
	ID      int64    `parquet:"id"`
	Label   string   `parquet:"label"`
	Class   int64    `parquet:"class"`
	Best    string   `parquet:"best"`
	BestNum int64    `parquet:"best_num"`
	Country string   `parquet:"country"`
	Names   []string `parquet:"names,list"`
	Numbers []int64  `parquet:"numbers,list"`
	Flags   []bool   `parquet:"flags,list"`
	InA     int64    `parquet:"in_a"`
	InB     int64    `parquet:"in_b"`
	InC     int64    `parquet:"in_c"`
	InD     int64    `parquet:"in_d"` // a class that is in sets only
}

func setRows(n int) (rows []setRow) {
	r := rand.New(rand.NewPCG(64, 4))
	names := []string{"a", "b", "c", "d"}
	for i := range n {
		class, best := r.IntN(3), r.IntN(3)
		row := setRow{ID: int64(i), Label: names[class], Class: int64(class), Best: names[best], BestNum: int64(best), Country: []string{"ch", "de"}[r.IntN(2)], Flags: make([]bool, 4)}
		in := []*int64{&row.InA, &row.InB, &row.InC, &row.InD}
		for c := range names {
			if r.IntN(3) == 0 || c == class && r.IntN(3) > 0 {
				row.Names, row.Numbers = append(row.Names, names[c]), append(row.Numbers, int64(c))
				row.Flags[c], *in[c] = true, 1
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// TestPredictionSets: all forms of a set give the same values, which are counted here, on every runner and from files of
// every kind.
func TestPredictionSets(t *testing.T) {
	t.Parallel()
	rows := setRows(400)
	dir := write(t, rows, 2, 70)
	csv := t.TempDir()
	lines := []string{"id,label,best,country,in_a,in_b,in_c,in_d"}
	for _, r := range rows {
		lines = append(lines, fmt.Sprintf("%d,%s,%s,%s,%d,%d,%d,%d", r.ID, r.Label, r.Best, r.Country, r.InA, r.InB, r.InC, r.InD))
	}
	require.NoError(t, os.WriteFile(filepath.Join(csv, "p.csv"), []byte(strings.Join(lines, "\n")+"\n"), 0o644))

	const common = "task: multiclass\nslices: [country]\nper_label: all\nconfidence: {groups: 20, by: id}\nk: [1, 2, 3, 4]\ngates: [{metric: set_coverage, min: 0.5}, {metric: class_conditional_coverage, label: b, min: 0.99}]\n"
	const four = "labels: [a, b, c, d]\n"
	want := valuesOf(readReport(t, evaluateOn(t, parse(t, common+"input: {columns: {label: label, prediction: best, set: names}}\n", dir), "direct", 0)))
	for name, c := range map[string]struct{ yaml, runner string }{
		"names on prism":    {"input: {columns: {label: label, prediction: best, set: names}}\n", "prism"},
		"names, labels":     {four + "input: {columns: {label: label, prediction: best, set: names}}\n", "direct"},
		"flags":             {four + "input: {columns: {label: label, prediction: best, set: flags}}\n", "direct"},
		"indexes":           {four + "input: {columns: {label: class, prediction: best_num, set: numbers}}\n", "direct"},
		"flags of indexes":  {four + "input: {columns: {label: class, prediction: best_num, set: flags}}\n", "direct"},
		"a column a class":  {"input: {columns: {label: label, prediction: best, set: in_*}}\n", "direct"},
		"columns in a list": {four + "input: {columns: {label: label, prediction: best, set: [in_a, in_b, in_c, in_d]}}\n", "direct"},
		"columns by class":  {"input: {columns: {label: label, prediction: best, set: {d: in_d, a: in_a, b: in_b, c: in_c}}}\n", "direct"},
		"columns of CSV":    {"input: {columns: {label: label, prediction: best, set: in_*}}\n", "csv"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, runner := dir, c.runner
			if runner == "csv" {
				from, runner = csv, "direct"
			}
			got := valuesOf(readReport(t, evaluateOn(t, parse(t, common+c.yaml, from), runner, 0)))
			require.Len(t, got, len(want))
			for key, row := range want {
				require.Equal(t, textOfRow(row), textOfRow(got[key]), key)
			}
		})
	}

	covered, sizes, ofSize, coveredOfSize := 0, 0, map[int]int{}, map[int]int{}
	for _, r := range rows {
		in := r.Flags[r.Class]
		n := len(r.Names)
		sizes += n
		ofSize[n]++
		if in {
			covered++
			coveredOfSize[n]++
		}
	}
	value := func(name string) float64 { return want[keyOf(nil, name, nil)].Value }
	require.Equal(t, float64(covered)/400, value("set_coverage"))
	require.Equal(t, float64(sizes)/400, value("mean_set_size"))
	require.Equal(t, float64(ofSize[1])/400, value("singleton_rate"))
	require.Equal(t, float64(ofSize[0])/400, value("empty_set_rate"))
	for n := 1; n <= 4; n++ {
		require.Equal(t, float64(coveredOfSize[n])/float64(ofSize[n]), value(fmt.Sprintf("set_coverage@%d", n)))
	}
	require.Zero(t, value("size_stratified_coverage"), "an empty set covers nothing")
	require.NotNil(t, want[keyOf(nil, "set_coverage", nil)].Confidence)
}

// TestPredictionSetsAreChecked: what is no set of classes is a bad row, and says why.
func TestPredictionSetsAreChecked(t *testing.T) {
	t.Parallel()
	rows := setRows(30)
	rows[3].Names = append(rows[3].Names, "zebra")
	rows[5].Names = []string{"a", "a"}
	rows[7].Flags = []bool{true}
	dir := write(t, rows, 1, 30)
	const named = "task: multiclass\nlabels: [a, b, c, d]\n"
	skipped := func(columns string) map[string]int64 {
		return readReport(t, evaluate(t, parse(t, named+"bad_rows: skip\ninput: {columns: {label: label, prediction: best, "+columns+"}}\n", dir))).Rows.Skipped
	}
	require.Equal(t, map[string]int64{"unknown label name": 1, "duplicate label": 1}, skipped("set: names"))
	require.Equal(t, map[string]int64{"wrong number of values": 1}, skipped("set: flags"))
	for columns, want := range map[string]string{
		"set: names":        `column "names"`,
		"set: best":         `column "best" is string: the set of task multiclass must be a list`,
		"set: [in_a, in_b]": `4 labels, but a column for each of 2`,
	} {
		require.ErrorContains(t, refused(t, named+"input: {columns: {label: label, prediction: best, "+columns+"}}\n", dir), want)
	}
	_, err := config.Parse([]byte("task: multilabel\ninput: {columns: {label: names, prediction: names, set: names}}\n"), "test.yaml")
	require.ErrorContains(t, err, "only for task multiclass")
}
