package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/reports"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
)

// unnamed is a row without an id.
type unnamed struct {
	Label   bool    `parquet:"label"`
	Old     float64 `parquet:"old"`
	New     float64 `parquet:"new"`
	Value   float64 `parquet:"value"`
	Class   string  `parquet:"class_name,dict"`
	Country string  `parquet:"country,dict"`
}

func unnamedRows(n int) (rows []unnamed) {
	for _, e := range examples(n) {
		rows = append(rows, unnamed{e.Label == 1, e.Score, (e.Score + float64(e.Label)) / 2, e.Target, e.Class, fmt.Sprint(len(e.Labels))})
	}
	return rows
}

// TestIntervalsByPosition: rows without ids have intervals, which depend neither on the runner, nor on the number of
// goroutines, nor on where the files lie and how rows are grouped in them.
func TestIntervalsByPosition(t *testing.T) {
	t.Parallel()
	rows := unnamedRows(600)
	for name, yaml := range map[string]string{
		"binary":     "task: binary\ninput: {columns: {label: label, score: new}}\nslices: [country]\n",
		"regression": "task: regression\ninput: {columns: {label: value, prediction: old}}\n",
		"multiclass": "task: multiclass\ninput: {columns: {label: class_name, prediction: country}}\nlabels: [a, b, c, d, '0', '1', '2', '3', '4']\n",
		"searched":   "task: binary\ninput: {columns: {label: label, score: new}}\nsearch: {columns: [country], measure: log_loss}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := parse(t, yaml+"confidence: {groups: 20}\n", write(t, rows, 3, 1000))
			dir := evaluate(t, cfg)
			want := contents(t, dir)
			require.Equal(t, want, contents(t, evaluateOn(t, parse(t, yaml+"confidence: {groups: 20}\n", write(t, rows, 3, 17)), "direct", 3)), "row groups and folder")
			r := readReport(t, dir)
			require.True(t, r.Confidence.Position)
			require.Empty(t, r.Confidence.By)
			require.False(t, r.Confidence.Clustered)
			total, fewest := int64(0), int64(len(rows))
			for _, g := range r.Confidence.Digests {
				total, fewest = total+g.Rows, min(fewest, g.Rows)
			}
			require.EqualValues(t, len(rows), total)
			require.Greater(t, fewest, int64(len(rows)/20/3), "rows are divided evenly")
			require.True(t, slices.ContainsFunc(r.Metrics, func(row report.Row) bool { return row.Confidence.HasInterval() }))
		})
	}
}

// TestPositionsInTexts: empty lines, line ends and the size of blocks do not matter.
func TestPositionsInTexts(t *testing.T) {
	t.Parallel()
	csv, jsonl := []string{"label,score"}, []string{}
	for _, row := range unnamedRows(300) {
		csv = append(csv, fmt.Sprintf("%v,%v", row.Label, row.New))
		jsonl = append(jsonl, fmt.Sprintf(`{"label": %v, "score": %v}`, row.Label, row.New))
	}
	texts := map[string][]string{"same.csv": {strings.Join(csv, "\n") + "\n", strings.Join(csv, "\r\n")}, "same.jsonl": {strings.Join(jsonl, "\n"), strings.Join(jsonl, "\n\n") + "\n"}}
	for name, spellings := range texts {
		var want map[string]string
		for _, text := range spellings {
			file := filepath.Join(t.TempDir(), name)
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			got := contents(t, evaluate(t, parse(t, "confidence: {groups: 10}\n", file)))
			if want == nil {
				want = got
			}
			require.Equal(t, want, got)
		}
	}
}

// TestReportsByPositionPair: reports of two columns of the same files are compared in pairs; others are not, and
// the comparison says why.
func TestReportsByPositionPair(t *testing.T) {
	t.Parallel()
	rows := unnamedRows(400)
	turned := slices.Clone(rows)
	slices.Reverse(turned)
	of := func(score string, rows []unnamed, files int, more string) *report.Report {
		dir := evaluateOn(t, parse(t, "task: binary\ninput: {columns: {label: label, score: "+score+"}}\nconfidence: {groups: 10"+more+"}\n", write(t, rows, files, 50)), "direct", 2)
		r, err := reports.Read(t.Context(), dir)
		require.NoError(t, err)
		return r
	}
	a := of("old", rows, 2, "")
	pairing := func(b *report.Report) (string, string) {
		c, err := comparison.Compare(a, b, changes.BenjaminiHochberg)
		require.NoError(t, err)
		return fmt.Sprint(c.Pairing), strings.Join(c.Warnings, "\n")
	}
	how, why := pairing(of("new", rows, 2, ""))
	require.Equal(t, "paired", how)
	require.Empty(t, why)
	for name, b := range map[string]*report.Report{"turned": of("new", turned, 2, ""), "divided": of("new", rows, 3, "")} {
		how, why = pairing(b)
		require.Equal(t, "unpaired", how, name)
		require.Contains(t, why, "the groups are by the position of rows, and the files or their true labels differ in 10 of 10 groups", name)
	}
	how, why = pairing(of("new", rows, 2, ", by: country"))
	require.Equal(t, "unpaired", how)
	require.Contains(t, why, `the groups are by the position of rows in a, by "country" in b`)
}

// rankedRow is a query without an id, whose items are lists.
type rankedRow struct {
	Relevance []float64 `parquet:"relevance,list"`
	Score     []float64 `parquet:"score,list"`
}

// TestRankingsByPosition: queries that are rows of lists need no id. Each of 12 queries has two
// items, one of them relevant. 9 queries rank it first: their nDCG is 1. The other queries have
// 1/log2(3) = 0.630930 (Järvelin & Kekäläinen 2002). By hand, the mean is (9 + 3·0.630930)/12 =
// 0.907732, and if each query is in a group of its own, the standard error of the jackknife is
// √(Σ(x - mean)²/(12·11)) = √(9·(1-m)² + 3·(m-0.630930)²)/√132 = 0.0481852. For mrr, it is
// √(9·0.125² + 3·0.375²)/√132 = 0.0652791.
func TestRankingsByPosition(t *testing.T) {
	t.Parallel()
	var rows []rankedRow
	for i := range 12 {
		relevant := map[bool][]float64{true: {1, 0}, false: {0, 1}}[i%4 != 3]
		rows = append(rows, rankedRow{relevant, []float64{0.75, 0.25}})
	}
	const yaml = "task: ranking\nmetrics: [ndcg, mrr]\nconfidence: {groups: 1000}\n"
	dir := evaluate(t, parse(t, yaml, write(t, rows, 1, 1000)))
	for _, runner := range []string{"direct", "prism"} {
		for _, perGroup := range []int{1, 5, 1000} {
			require.Equal(t, contents(t, dir), contents(t, evaluateOn(t, parse(t, yaml, write(t, rows, 1, perGroup)), runner, 2)), "%s, row groups of %d", runner, perGroup)
		}
	}
	r := readReport(t, dir)
	require.True(t, r.Confidence.Position)
	values := valuesOf(r)
	for name, want := range map[string]struct{ value, stdError float64 }{"ndcg": {0.9077324383928644, 0.0481852}, "mrr": {0.875, 0.0652791}} {
		row := values[rowKey{"{}", name, ""}]
		require.InDelta(t, want.value, row.Value, 1e-15, name)
		require.InDelta(t, want.stdError, row.Confidence.StdError, 1e-7, name)
		require.Equal(t, 12, row.Confidence.Folds, name)
	}
}

// TestPositionIsNoted: people read how rows are divided, and an unsuitable column with a usual name of ids is not one.
func TestPositionIsNoted(t *testing.T) {
	t.Parallel()
	type withList struct {
		ID    []int64 `parquet:"id,list"`
		Label bool    `parquet:"label"`
		Score float64 `parquet:"score"`
	}
	for _, dir := range []string{write(t, []withList{{[]int64{1}, true, 0.5}}, 1, 9), write(t, []struct {
		Label bool    `parquet:"label"`
		Score float64 `parquet:"score"`
	}{{true, 0.5}}, 1, 9)} {
		cfg := parse(t, "confidence: {}\n", dir)
		cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
		plan, err := Make(t.Context(), cfg)
		require.NoError(t, err)
		notes := strings.Join(plan.Notes, "\n")
		require.Contains(t, notes, "rows have no id")
		require.Contains(t, notes, "confidence.by")
	}
}
