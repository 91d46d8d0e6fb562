package pipeline

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// identified is an example with an id. Some are bad, some have no weight.
type identified struct {
	ID string `parquet:"example_id"`
	example
}

func identifiedExamples(n int) []identified {
	rows := make([]identified, n)
	for i, e := range examples(n) {
		if i%11 == 0 {
			e.Score, e.Target, e.Scores, e.Labels = 1.5, math.NaN(), nil, []string{"nonsense"}
		}
		if i%7 == 0 {
			e.Weight = 0
		}
		rows[i] = identified{fmt.Sprintf("id %03d", i*271%1000), e}
	}
	return rows
}

// worstRow is a row of worst_examples.csv.
type worstRow map[string]string

func worstRows(t *testing.T, dir string) (rows []worstRow) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "worst_examples.csv"))
	require.NoError(t, err)
	lines, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	require.NoError(t, err)
	for _, line := range lines[1:] {
		row := worstRow{}
		for i, column := range lines[0] {
			row[column] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// worstPlaces returns what run.json says about where they are.
func worstPlaces(t *testing.T, dir string) []report.WorstPlace {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, report.RunJSON))
	require.NoError(t, err)
	var run report.Run
	require.NoError(t, json.Unmarshal(data, &run))
	return run.WorstExamples
}

func minusLog(p float64) float64 { return -math.Log(p) }

// surprise returns how surprising it is that a label is true, or not, given its probability.
func surprise(p float64, truth bool) float64 {
	if !truth {
		p = 1 - p
	}
	return minusLog(p)
}

// TestWorstExamplesOfEveryTask sorts the examples itself, and finds each where run.json says.
func TestWorstExamplesOfEveryTask(t *testing.T) {
	t.Parallel()
	const (
		count, files, group = 9, 3, 37
		common              = "bad_rows: skip\nslices: [country]\nconfidence: {groups: 10}\nworst_examples: {count: 9, per: [slice]}\ninput: {columns: {example: example_id, weight: weight, "
	)
	names := []string{"a", "b", "c", "d"}
	zeroOne := func(wrong bool) float64 { return map[bool]float64{true: 1}[wrong] }
	rows := identifiedExamples(600)
	dir := write(t, rows, files, group)
	for name, c := range map[string]struct {
		yaml, loss      string
		of              func(e *identified) float64
		true, predicted func(e *identified) string
		score           func(e *identified) float64
	}{
		"binary": {
			common + "label: label, score: score}}\ntask: binary\n", "log_loss",
			func(e *identified) float64 { return surprise(e.Score, e.Label == 1) },
			func(e *identified) string { return fmt.Sprint(e.Label) },
			func(e *identified) string { return strconv.Itoa(int(math.Floor(e.Score + .5))) },
			func(e *identified) float64 { return e.Score },
		},
		"regression": {
			common + "label: target, prediction: predicted_value}}\ntask: regression\n", "absolute_error",
			func(e *identified) float64 { return math.Abs(e.Target - e.Predicted) },
			func(e *identified) string { return strconv.FormatFloat(e.Target, 'g', -1, 64) },
			func(e *identified) string { return strconv.FormatFloat(e.Predicted, 'g', -1, 64) }, nil,
		},
		"multiclass": {
			common + "label: class, score: scores, prediction: guess}}\ntask: multiclass\nlabels: [a, b, c, d]\n", "log_loss",
			func(e *identified) float64 { return minusLog(e.Scores[slices.Index(names, e.Class)]) },
			func(e *identified) string { return e.Class }, func(e *identified) string { return e.Guess },
			func(e *identified) float64 { return e.Scores[slices.Index(names, e.Guess)] },
		},
		"multiclass decisions": {
			common + "label: class, prediction: guess}}\ntask: multiclass\n", "zero_one_loss",
			func(e *identified) float64 { return zeroOne(e.Class != e.Guess) },
			func(e *identified) string { return e.Class }, func(e *identified) string { return e.Guess }, nil,
		},
		"multilabel": {
			common + "label: labels, score: scores}}\ntask: multilabel\nlabels: [a, b, c, d]\n", "log_loss",
			func(e *identified) (sum float64) {
				for k, name := range names {
					sum += surprise(e.Scores[k], slices.Contains(e.Labels, name)) / 4
				}
				return sum
			},
			func(e *identified) string { return strings.Join(e.Labels, ", ") }, nil, nil,
		},
		"multilabel decisions": {
			common + "label: labels, score: logits}, score_type: score}\ndecision: {threshold: 1}\ntask: multilabel\nlabels: [a, b, c, d]\n", "hamming_loss",
			func(e *identified) (sum float64) {
				for k, name := range names {
					sum += zeroOne((e.Logits[k] >= 1) != slices.Contains(e.Labels, name)) / 4
				}
				return sum
			},
			func(e *identified) string { return strings.Join(e.Labels, ", ") },
			func(e *identified) string {
				return strings.Join(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return e.Logits[slices.Index(names, name)] < 1 }), ", ")
			}, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := evaluate(t, parse(t, c.yaml, dir))
			bySlice := map[string][]int{}
			for i := range rows {
				e := &rows[i]
				bad := i%11 == 0 && c.loss != "zero_one_loss"
				if bad || e.Weight == 0 || c.of(e) == 0 {
					continue
				}
				country := "null"
				if e.Country != nil {
					country = *e.Country
				}
				bySlice[""], bySlice[country] = append(bySlice[""], i), append(bySlice[country], i)
			}
			var want []int
			for _, of := range []string{"", "null", "country 1", "country 2", "country 3", "country 4"} {
				slices.SortFunc(bySlice[of], func(i, j int) int {
					a, b := c.of(&rows[i]), c.of(&rows[j])
					return cmp.Or(cmp.Compare(math.Round(b*1e9), math.Round(a*1e9)), strings.Compare(rows[i].ID, rows[j].ID))
				})
				want = append(want, bySlice[of][:count]...)
			}
			got, places := worstRows(t, out), worstPlaces(t, out)
			require.Len(t, got, len(want))
			require.Len(t, places, len(want))
			for i, at := range want {
				e, row := &rows[at], got[i]
				require.Equal(t, e.ID, row["example"], "row %d", i)
				require.Equal(t, c.loss, row["name"])
				require.Equal(t, strconv.Itoa(i%count+1), row["rank"])
				loss, err := strconv.ParseFloat(row["loss"], 64)
				require.NoError(t, err)
				require.InEpsilon(t, c.of(e), loss, 1e-12)
				require.Equal(t, c.true(e), row["true"])
				if c.predicted != nil {
					require.Equal(t, c.predicted(e), row["predicted"])
				}
				if c.score == nil {
					require.Empty(t, row["score"])
				} else {
					require.Equal(t, strconv.FormatFloat(c.score(e), 'g', -1, 64), row["score"])
				}
				p := places[i]
				require.Equal(t, i%count+1, p.Rank)
				file, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(p.File), "part-"), ".parquet"))
				require.NoError(t, err)
				require.Equal(t, at, file*len(rows)/files+*p.RowGroup*group+int(*p.Row))
			}
		})
	}
}

// TestWorstQueries: they are those with the lowest ndcg in per_query.parquet, and each is where its
// first row is, however its rows are scattered.
func TestWorstQueries(t *testing.T) {
	t.Parallel()
	rows := pairsOf(60)
	data := spreadOf(t, rows)
	out := evaluate(t, parse(t, "task: ranking\noutput: {per_query: true}\nworst_examples: 8\ninput: {columns: {query: session, item: doc, label: grade}}", data.parts))
	r := readReport(t, out)
	require.NoError(t, report.ReadFile(t.Context(), out, report.PerQueryParquet, r.ReadQueries))
	ndcg := slices.Index(r.Queries.Names, "ndcg")
	worst := slices.DeleteFunc(r.Queries.List, func(q report.Query) bool { return math.IsNaN(q.Values[ndcg]) })
	number := func(q report.Query) int {
		n, err := strconv.Atoi(q.ID.Text())
		require.NoError(t, err)
		return n
	}
	slices.SortFunc(worst, func(a, b report.Query) int {
		return cmp.Or(cmp.Compare(a.Values[ndcg], b.Values[ndcg]), cmp.Compare(number(a), number(b)))
	})
	got := worstRows(t, out)
	require.Len(t, got, 8)
	for i, row := range got {
		require.Equal(t, worst[i].ID.Text(), row["example"])
		require.Equal(t, "1 - ndcg", row["name"])
		require.Equal(t, strconv.FormatFloat(1-worst[i].Values[ndcg], 'g', -1, 64), row["loss"])
	}
	require.Equal(t, []string{"worst_examples.csv", "worst_examples.parquet"}, worstFiles(contents(t, out)))

	whole := evaluate(t, parse(t, "task: ranking\nworst_examples: 8\ninput: {columns: {query: session, item: doc, label: grade}}", data.whole))
	for i, p := range worstPlaces(t, whole) {
		query, err := strconv.Atoi(got[i]["example"])
		require.NoError(t, err)
		require.Equal(t, int64(query+20)*int64(len(pairClasses)), *p.Row)
	}
}

func worstFiles(files map[string]string) (names []string) {
	for name := range files {
		if strings.HasPrefix(name, "worst") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TestWorstExamplesWithoutIDs: run.json identifies them; the other files are the same however the
// rows are divided, even if many rows are alike.
func TestWorstExamplesWithoutIDs(t *testing.T) {
	t.Parallel()
	rows := examples(500)
	for i := range rows {
		rows[i].Score = math.Round(rows[i].Score*4) / 4
	}
	data := spreadOf(t, rows)
	const yaml = "task: binary\nworst_examples: 30\ninput: {columns: {label: label, score: score}}"
	whole, parts := evaluate(t, parse(t, yaml, data.whole)), evaluate(t, parse(t, yaml, data.parts))
	requireSame(t, contents(t, whole), contents(t, parts))
	seen := map[string]bool{}
	for i, p := range worstPlaces(t, parts) {
		at := fmt.Sprint(p.File, *p.RowGroup, *p.Row)
		require.False(t, seen[at])
		seen[at] = true
		require.Empty(t, worstRows(t, parts)[i]["example"])
	}
	require.Len(t, seen, 30)
	for _, p := range worstPlaces(t, whole) {
		e := rows[*p.Row]
		require.True(t, e.Score == 0 && e.Label == 1 || e.Score == 1 && e.Label == 0)
	}

	cfg := parse(t, yaml, data.whole)
	cfg.Output.Dir = t.TempDir()
	plan, err := Make(t.Context(), cfg)
	require.NoError(t, err)
	require.Contains(t, plan.Notes, "worst_examples: the examples have no id, only their files and rows in run.json: set input.columns.example to name them")

	without := evaluate(t, parse(t, "task: binary\ninput: {columns: {label: label, score: score}}", data.whole))
	require.Empty(t, worstFiles(contents(t, without)))
	require.NotContains(t, contents(t, without)[report.ReportMarkdown], "Worst examples")
	run, err := os.ReadFile(filepath.Join(without, report.RunJSON))
	require.NoError(t, err)
	require.NotContains(t, string(run), "worst")
}

// TestWorstExamplesOfTexts: a row of a text has a line.
func TestWorstExamplesOfTexts(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "p.csv")
	require.NoError(t, os.WriteFile(file, []byte("id,label,score\n\n7,1,0.9\n8,0,0.9\n=x,1,0.5\n"), 0o600))
	out := evaluate(t, parse(t, "task: binary\nworst_examples: 2", file))
	rows := worstRows(t, out)
	require.Equal(t, []string{"8", "'=x"}, []string{rows[0]["example"], rows[1]["example"]})
	places := worstPlaces(t, out)
	require.Nil(t, places[0].Row)
	require.Equal(t, []int64{4, 5}, []int64{places[0].Line, places[1].Line})
	require.Equal(t, file, places[0].File)
}

// TestUnsuitableIDs: a column that was found by its name is left out, one that was set is an error.
func TestUnsuitableIDs(t *testing.T) {
	t.Parallel()
	type row struct {
		ID    []string `parquet:"id,list"`
		Label int32    `parquet:"label"`
		Score float64  `parquet:"score"`
	}
	dir := write(t, []row{{[]string{"a"}, 1, .5}, {nil, 0, .5}}, 1, 10)
	cfg := parse(t, "worst_examples: 3\ntask: binary", dir)
	cfg.Output.Dir = t.TempDir()
	plan, err := Make(t.Context(), cfg)
	require.NoError(t, err)
	require.Contains(t, strings.Join(plan.Notes, "\n"), `column "id" is`)
	require.Len(t, worstRows(t, evaluate(t, parse(t, "worst_examples: 3\ntask: binary", dir))), 2)
	requireRefused(t, parse(t, "worst_examples: 3\ntask: binary\ninput: {columns: {example: id}}", dir), "ids must be one value a row")
	requireRefused(t, parse(t, "worst_examples: 3\ntask: binary\ninput: {columns: {example: name}}", dir), `"name"`)
}
