package pipeline

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// sparseExample has the same labels and scores in every supported form. The names of labels are
// their numbers.
type sparseExample struct {
	Labels []int32   `parquet:"labels,list"`
	Names  []string  `parquet:"names,list"`
	Class  int32     `parquet:"class"`
	Dense  []float64 `parquet:"dense,list"` // -1 where there is no score

	Scores      []scoredIndex      `parquet:"scores,list"`
	Named       []scoredName       `parquet:"named,list"`
	Odd         []oddlyScored      `parquet:"odd,list"`
	ByLabel     map[int32]float64  `parquet:"by_label"`
	ByName      map[string]float64 `parquet:"by_name"`
	ScoreIDs    []int64            `parquet:"score_ids,list"`
	ScoreValues []float64          `parquet:"score_values,list"`
}

type scoredIndex struct {
	Label int32   `parquet:"label"`
	Score float64 `parquet:"score"`
}

type scoredName struct {
	Name        string  `parquet:"Name"`
	Probability float64 `parquet:"probability"`
}

type oddlyScored struct {
	Item   int32   `parquet:"item"`
	Belief float64 `parquet:"belief"`
}

// sparseClasses is how many labels a sparseExample can have.
const sparseClasses = 9

func sparseExamples(n int) []sparseExample {
	r := rand.New(rand.NewPCG(1, 9))
	rows := make([]sparseExample, n)
	for i := range rows {
		e := &rows[i]
		e.Class = int32(r.IntN(sparseClasses))
		for label := range int32(sparseClasses) {
			if r.IntN(4) == 0 {
				e.Labels = append(e.Labels, label)
				e.Names = append(e.Names, strconv.Itoa(int(label)))
			}
		}
		e.Dense = slices.Repeat([]float64{-1}, sparseClasses)
		e.ByLabel, e.ByName = map[int32]float64{}, map[string]float64{}
		for _, k := range r.Perm(sparseClasses)[:1+r.IntN(5)] { // in no order
			score, name := float64(r.IntN(9))/8, strconv.Itoa(k)
			e.Dense[k], e.ByLabel[int32(k)], e.ByName[name] = score, score, score
			e.Scores = append(e.Scores, scoredIndex{int32(k), score})
			e.Named = append(e.Named, scoredName{name, score})
			e.Odd = append(e.Odd, oddlyScored{int32(k), score})
			e.ScoreIDs, e.ScoreValues = append(e.ScoreIDs, int64(k)), append(e.ScoreValues, score)
		}
	}
	return rows
}

// ofCurve matches the metrics of curves, which need a score for every label.
var ofCurve = regexp.MustCompile(`^(roc_auc(_ov.*|_m.*|_weighted)?|average_precision(_m.*|_weighted)?|max_f1(_micro|_threshold)?|ndcg_micro)$`)

// TestFormsOfSparseScores: all forms give the same report as the dense scores, except for metrics
// that need a score for every label.
func TestFormsOfSparseScores(t *testing.T) {
	t.Parallel()
	rows := sparseExamples(200)
	preds := write(t, rows, 1, 50)
	var lines, counts strings.Builder
	var pairs []frequency
	for k := range sparseClasses {
		fmt.Fprintln(&lines, k)
		n := 0
		for _, e := range rows {
			if slices.Contains(e.Labels, int32(k)) {
				n++
			}
		}
		fmt.Fprintln(&counts, n)
		pairs = append(pairs, frequency{strconv.Itoa(k), int64(n)})
	}
	labelsFile, countsFile := filepath.Join(t.TempDir(), "labels.txt"), filepath.Join(t.TempDir(), "counts.txt")
	require.NoError(t, os.WriteFile(labelsFile, []byte(lines.String()), 0o666))
	require.NoError(t, os.WriteFile(countsFile, []byte(counts.String()), 0o666))
	pairsFile := filepath.Join(write(t, pairs, 1, 50), "part-0.parquet")

	values := func(t *testing.T, yaml string) map[rowKey]report.Row {
		return valuesOf(readReport(t, evaluate(t, parse(t, "k: [1, 3, 9]\n"+yaml, preds))))
	}
	var (
		task     = "task: multilabel\ndecision: {threshold: 0.5}\n"
		truth    = "propensity: {frequencies: truth}\n"
		ofFile   = "propensity: {frequencies: " + countsFile + ", examples: 200}\n"
		ofPairs  = "propensity: {frequencies: " + pairsFile + ", examples: 200, columns: {label: name, count: times}}\n"
		number   = "num_labels: 9\n"
		named    = "labels: [0, 1, 2, 3, 4, 5, 6, 7, 8]\n"
		inFile   = "labels_file: " + labelsFile + "\n"
		columns  = "input: {columns: {label: labels, score: "
		ofNames  = "input: {columns: {label: names, score: "
		anyScore = "}, score_type: score}\n"
	)
	dense := func(yaml string) map[rowKey]report.Row {
		rows := values(t, yaml)
		maps.DeleteFunc(rows, func(k rowKey, _ report.Row) bool { return ofCurve.MatchString(k.name) })
		return rows
	}
	multilabel := dense(task + truth + columns + "dense" + anyScore)
	require.Contains(t, multilabel, rowKey{"{}", "psp@3", ""})
	for name, yaml := range map[string]string{
		"by default":                  number + truth,
		"list of structs":             number + truth + columns + "scores}}",
		"raw":                         number + truth + columns + "scores" + anyScore,
		"labels by name":              named + truth + ofNames + "named}}",
		"labels in a file":            inFile + truth + ofNames + "named}}",
		"indices with names":          inFile + truth + columns + "scores}}",
		"labels found":                truth + columns + "scores}}",
		"names found":                 truth + ofNames + "named}}",
		"unusual names":               number + truth + columns + "odd.belief, score_label: odd.item}}",
		"map":                         number + truth + columns + "by_label}}",
		"map of names":                named + truth + ofNames + "by_name}}",
		"map of names, found":         truth + ofNames + "by_name}}",
		"two lists":                   number + truth + columns + "score_values, score_label: score_ids}}",
		"two lists, found":            truth + columns + "score_values, score_label: score_ids}}",
		"frequencies of a file":       number + ofFile + columns + "scores}}",
		"frequencies of pairs":        named + ofPairs + columns + "scores}}",
		"frequencies of a names file": inFile + ofPairs + ofNames + "by_name}}",
	} {
		t.Run("multilabel, "+name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, multilabel, values(t, task+yaml))
		})
	}
	multiclass := dense("task: multiclass\ninput: {columns: {label: class, score: dense}, score_type: score}")
	for name, yaml := range map[string]string{
		"list of structs": number + "input: {columns: {label: class, score: scores}}",
		"labels found":    "input: {columns: {label: class, score: scores}}",
		"two lists":       number + "input: {columns: {label: class, score: score_values, score_label: score_ids}}",
	} {
		t.Run("multiclass, "+name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, multiclass, values(t, "task: multiclass\n"+yaml))
		})
	}
}

// frequency is of how many examples a label is true.
type frequency struct {
	Name  string `parquet:"name"`
	Times int64  `parquet:"times"`
}

// TestManyNames: names above a certain number stay in their file, for labels given as numbers and
// as names; the report has them nevertheless.
func TestManyNames(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for k := range manyNames + 1 {
		fmt.Fprintf(&lines, "label %d\r\n", k)
	}
	labels := filepath.Join(t.TempDir(), "labels.txt")
	require.NoError(t, os.WriteFile(labels, []byte(lines.String()), 0o666))
	rows := []sparseExample{{
		Labels: []int32{7, manyNames}, Names: []string{"label 7", fmt.Sprint("label ", manyNames)},
		Scores: []scoredIndex{{manyNames, .9}, {3, .2}}, Named: []scoredName{{fmt.Sprint("label ", manyNames), .9}, {"label 3", .2}},
	}}
	preds := write(t, rows, 1, 50)
	var want map[rowKey]report.Row
	for _, columns := range []string{"label: labels, score: scores", "label: names, score: named"} {
		cfg := parse(t, "task: multilabel\nlabels_file: "+labels+"\nper_label: 2\nmetrics: [recall, precision_micro]\n"+
			"decision: {threshold: {default: 0.5, label 3: 0.1}}\ninput: {columns: {"+columns+"}}", preds)
		r := readReport(t, evaluate(t, cfg))
		require.Equal(t, manyNames+1, r.NumLabels)
		require.Equal(t, []string{"label 3", "label 7"}, r.Labels)
		require.Equal(t, 0.5, overallValues(r)["precision_micro"])
		if want == nil {
			want = valuesOf(r)
		}
		require.Equal(t, want, valuesOf(r))
	}

	cfg := parse(t, "task: multilabel\nlabels_file: "+labels+"\ninput: {columns: {label: names, score: named}}\ndecision: {threshold: 0.5}", preds)
	cfg.Output.Dir = filepath.Join(t.TempDir(), "out")
	plan, err := Make(t.Context(), cfg)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(labels, []byte("label 7\nlabel 3"), 0o666))
	err = execute(t.Context(), plan, "prism")
	require.ErrorContains(t, err, "labels.txt: the file has changed since the run was planned: then ")
}

// holed is a row whose scores may be missing, and parts of them.
type holed struct {
	Labels []int32 `parquet:"labels,list"`
	Scores []*struct {
		Label *int32   `parquet:"label,optional"`
		Score *float64 `parquet:"score,optional"`
	} `parquet:"scores,list"`
}

// TestHolesInSparseScores: the message says where a label or a score is missing.
func TestHolesInSparseScores(t *testing.T) {
	label, score := int32(1), 0.5
	type element = struct {
		Label *int32   `parquet:"label,optional"`
		Score *float64 `parquet:"score,optional"`
	}
	whole := &element{&label, &score}
	for name, c := range map[string]struct {
		scores []*element
		want   string
	}{
		"null struct": {[]*element{whole, nil}, `column "scores.label": null (element 1): the label is missing`},
		"null label":  {[]*element{{nil, &score}}, `column "scores.label": null (element 0): the label is missing`},
		"null score":  {[]*element{{&label, nil}}, `column "scores.score": null (element 0): the score is missing`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row := holed{Labels: []int32{1}, Scores: c.scores}
			rows := slices.Repeat([]holed{{Labels: []int32{0}, Scores: []*element{}}}, 51)
			cfg := parse(t, "task: multilabel\nnum_labels: 2", write(t, append(rows, row), 1, 50))
			cfg.Output.Dir = filepath.Join(t.TempDir(), "out")
			plan, err := Make(t.Context(), cfg)
			require.NoError(t, err)
			require.ErrorContains(t, execute(t.Context(), plan, "prism"), "part-0.parquet: row group 1, row 1: "+c.want)
		})
	}
}

// TestPartsOfSparseScores: columns without usual names must be configured.
func TestPartsOfSparseScores(t *testing.T) {
	t.Parallel()
	preds := write(t, sparseExamples(3), 1, 50)
	for yaml, want := range map[string]string{
		"input: {columns: {score: odd}}": `column "odd" has the columns odd.item, odd.belief: ` +
			`set input.columns.score and input.columns.score_label to those with the scores and their labels`,
		"input: {columns: {score: odd.belief, score_label: odd.itme}}":  `/part-0.parquet: no column "odd.itme"; did you mean "odd.item"?`,
		"input: {columns: {score: scores, score_label: class}}":         `/part-0.parquet: column "scores" is a group of columns: name one of scores.label, scores.score`,
		"input: {columns: {score: scores.score, score_label: class}}":   `/part-0.parquet: column "class" is int32: the score_label of task multilabel must be a list`,
		"task: binary\ninput: {columns: {label: class, score: scores}}": `scores by label are for tasks multiclass and multilabel, the task is binary`,
		"task: regression\ninput: {columns: {label: class}}":            `regression needs a prediction column`,
		"input: {columns: {label: names, score: scores}}":               `column "names" is list<string> but column "scores.label" is list<int32>: they must both have names or both numbers, or set labels`,
	} {
		requireRefused(t, parse(t, yaml, preds), want)
	}
}

// TestCutOffs: values of k beyond the labels are omitted, except those requested explicitly.
func TestCutOffs(t *testing.T) {
	t.Parallel()
	preds := write(t, sparseExamples(20), 1, 50)
	names := func(yaml string) map[string]float64 {
		return overallValues(readReport(t, evaluate(t, parse(t, "task: multilabel\nnum_labels: 9\n"+yaml, preds))))
	}
	all := names("")
	require.Contains(t, all, "ndcg@5")
	require.NotContains(t, all, "ndcg@10")
	asked := names("metrics: [ndcg, ndcg@100, precision@100, recall@100, label_cardinality]")
	require.Equal(t, asked["ndcg"], asked["ndcg@100"])
	require.InDelta(t, asked["label_cardinality"]/100, asked["precision@100"], 1e-15)
	require.Greater(t, asked["recall@100"], 0.9)
}

// TestPropensitiesOfNothing: counting frequencies requires no set of labels, reading them from a
// file does.
func TestPropensitiesOfNothing(t *testing.T) {
	t.Parallel()
	cfg := parse(t, "task: multilabel\npropensity: {frequencies: counts.txt, examples: 9}", write(t, sparseExamples(20), 1, 50))
	requireRefused(t, cfg, "test.yaml:2:27: propensity.frequencies: needs a set of labels: set labels, labels_file or num_labels")
}
