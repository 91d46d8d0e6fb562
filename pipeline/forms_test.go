package pipeline

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// TestSpellingsOfMetrics: metrics, gates and headlines name metrics as other tools do; the report has their main names.
func TestSpellingsOfMetrics(t *testing.T) {
	t.Parallel()
	files := namedTexts(t, [2]string{"p.csv", "label,score,country\n1,0.9,de\n0,0.2,de\n1,0.8,at\n0,0.7,at\n"})
	cfg := parse(t, "metrics: [F1_score, ROC-AUC, recall_score, Brier_Score_Loss]\nslices: country\nreport: {headline: [Recall]}\n"+
		"gates: [{metric: f1_score, min: 50%}, {metric: AUC, min: 90%, slice: country=de}, {metric: AUC, max: 10%, slice: country=at}]\n", files...)
	got := readReport(t, evaluate(t, cfg))
	values := overallValues(got)
	require.Len(t, values, 4)
	require.Equal(t, 0.8, values["f1"])
	require.Equal(t, 1.0, values["roc_auc"])
	require.Equal(t, 1.0, values["recall"])
	require.Contains(t, values, "brier")
	require.Len(t, got.Gates, 3)
	require.Equal(t, []string{"f1", "roc_auc", "roc_auc"}, []string{got.Gates[0].Metric, got.Gates[1].Metric, got.Gates[2].Metric})
	require.Equal(t, []any{0.5, 0.9, 0.1}, []any{*got.Gates[0].Min, *got.Gates[1].Min, *got.Gates[2].Max})
	require.Equal(t, []report.Verdict{report.Pass, report.Pass, report.Fail}, []report.Verdict{got.Gates[0].Verdict, got.Gates[1].Verdict, got.Gates[2].Verdict})
}

// TestBracketsOfIRMeasures: they are keys here, and the message says which.
func TestBracketsOfIRMeasures(t *testing.T) {
	t.Parallel()
	files := namedTexts(t, [2]string{"p.csv", "query_id,doc_id,score,relevance\n1,a,0.9,1\n1,b,0.2,0\n"})
	require.ErrorContains(t, refused(t, "task: ranking\nmetrics: ['AP(rel=2)@10']\n", files...), `metrics[0]: metric "AP(rel=2)@10" has parameters in brackets, as in ir_measures: write map@10, and set ranking.relevance_threshold to 2`)
}

// refused returns the error of planning or executing an evaluation of files.
func refused(t *testing.T, yaml string, files ...string) error {
	t.Helper()
	cfg := parse(t, yaml, files...)
	cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
	plan, err := Make(t.Context(), cfg)
	if err == nil {
		err = execute(t.Context(), plan, "direct")
	}
	return err
}

// TestMissingRoles: everything that is missing is named at once, with columns that may be meant.
func TestMissingRoles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ yaml, header, truth, want string }{
		{"task: ranking\n", "user_id,movie_id,rating", "", `no columns for label, score and query: set input.columns.label, perhaps to "rating"; input.columns.score; and input.columns.query, perhaps to "user_id" (`},
		{"task: ranking\n", "user_id,movie_id,rating", "user_id,movie_id,rating", `truth: no columns for label, query and item: set truth.columns.label, perhaps to "rating"; truth.columns.query, perhaps to "user_id"; and truth.columns.item, perhaps to "movie_id" (`},
		{"task: ranking\n", "user_id,movie_id,rating", "query,item,relevance", `no columns for score, query and item: set input.columns.score; input.columns.query, perhaps to "user_id"; and input.columns.item, perhaps to "movie_id" (`},
		{"task: ranking\n", "UserId,score,relevance", "", `no query column, which says which rows belong together: set input.columns.query, perhaps to "UserId", (`},
		{"", "x,actual_class", "", `no columns for label and score: set input.columns.label, perhaps to "actual_class"; and input.columns.score (`},
		{"", "actual,forecast", "", `no columns for label and prediction: set input.columns.label, perhaps to "actual"; and input.columns.prediction, perhaps to "forecast" (`},
		{"", "y,y_hat", "", `neither a score nor a prediction column: set input.columns.score or input.columns.prediction, perhaps to "y_hat" (`},
		{"task: regression\n", "sales,sales_forecast", "", `no columns for label and prediction: set input.columns.label; and input.columns.prediction, perhaps to "sales_forecast" (`},
		{"task: preference\n", "x,y,z", "", `no columns for a and b: set input.columns.a and input.columns.b (`},
		{"task: preference\n", "x,z", "", `no columns for label, a and b: set input.columns.label, input.columns.a and input.columns.b (`},
		{"", "y,row_uuid", "y,id", `no columns for score and example: set input.columns.score; and input.columns.example, perhaps to "row_uuid" (`},
		{"task: multilabel\ninput: {layout: label}\n", "x,tag,y", "", `no columns for score, class and example: set input.columns.score, input.columns.class and input.columns.example (`},
	} {
		texts := [][2]string{{"p.csv", c.header + "\n1,2,3\n"[:2*len(strings.Split(c.header, ","))] + "\n"}}
		if c.truth != "" {
			texts = append(texts, [2]string{"t.csv", c.truth + "\n" + "1,2,3"[:2*len(strings.Split(c.truth, ","))-1] + "\n"})
		}
		require.ErrorContains(t, refused(t, c.yaml, namedTexts(t, texts...)...), c.want)
	}
}

// TestNumberedTexts: labels that are the texts "0" and "1" have the scores of columns proba_0 and proba_1, in any order
// of columns and in any number of digits.
func TestNumberedTexts(t *testing.T) {
	t.Parallel()
	for _, labels := range [][]string{{"0", "1"}, {"0", "1", "2"}, {"2", "0", "1"}, {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}} {
		rows := ""
		for i, label := range labels {
			rows += fmt.Sprintf(`{"y":%q`, label)
			for j, of := range labels {
				rows += fmt.Sprintf(`,"proba_%s":%g`, of, map[bool]float64{true: 0.75, false: 0.25 / float64(len(labels)-1)}[i == j])
			}
			rows += "}\n"
		}
		for _, yaml := range []string{"", "task: multiclass\ninput: {columns: {label: y, score: proba_*}}\n"} {
			values := overallValues(readReport(t, evaluate(t, parse(t, yaml, namedTexts(t, [2]string{"p.jsonl", rows})...))))
			require.Equal(t, 1.0, values["accuracy"], "%q %s", labels, yaml)
		}
	}
}

// TestEmptyParts: text files of zero bytes among others have no rows; if all have none, there is nothing to evaluate.
func TestEmptyParts(t *testing.T) {
	t.Parallel()
	csv, run := "label,score\n1,0.9\n0,0.2\n", "q 0 d 1 0.5 t\nq 0 e 2 0.25 t\n"
	for _, c := range []struct{ yaml, ending, some string }{{"", "csv", csv}, {"", "tsv", strings.ReplaceAll(csv, ",", "\t")}, {"", "jsonl", `{"label":1,"score":0.9}` + "\n" + `{"label":0,"score":0.1}` + "\n"}} {
		files := namedTexts(t, [2]string{"a." + c.ending, ""}, [2]string{"b." + c.ending, c.some}, [2]string{"c." + c.ending, ""})
		report := readReport(t, evaluate(t, parse(t, c.yaml, filepath.Dir(files[0]))))
		require.Equal(t, int64(2), report.Rows.Read)
		cfg := parse(t, c.yaml)
		cfg.Input.Files = []string{files[0], files[2]}
		requireRefused(t, cfg, "no rows: all files have zero bytes (files: 2, such as "+files[0])
	}
	files := namedTexts(t, [2]string{"a.run", ""}, [2]string{"b.run", run}, [2]string{"t.qrels", "q 0 d 1\n"})
	cfg := parse(t, "", files[0], files[2])
	cfg.Input.Files = files[:2]
	require.Equal(t, 1.0, overallValues(readReport(t, evaluate(t, cfg)))["mrr"])
}

// TestRecognizedTREC: runs and qrels under any name, plain and compressed, give the report of the usual names, and what
// is neither is not taken for one.
func TestRecognizedTREC(t *testing.T) {
	t.Parallel()
	const run = "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 1 bm25\n\nq2\tQ0\td1\t1\t-3e-1\tbm25\r\nq2 Q0 d9 2 -4 bm25\n"
	const qrels = "q1 0 d2 1\nq1 0 d1 0\nq2 0 d1 2\n"
	of := func(yaml, runName, qrelsName string) map[string]float64 {
		return overallValues(readReport(t, evaluate(t, parse(t, yaml, namedTexts(t, [2]string{runName, run}, [2]string{qrelsName, "\ufeff" + qrels})...))))
	}
	want := of("", "a.run", "b.qrels")
	require.Equal(t, 0.75, want["mrr"])
	for _, names := range [][2]string{{"run.txt", "judgements.txt"}, {"bm25.trec", "qrels.trec"}, {"bm25.res", "qrels"}, {"A.RUN", "B.QRELS"}, {"run", "b"}} {
		require.Equal(t, want, of("", names[0], names[1]), names)
	}
	require.Equal(t, want, of("input: {format: run}\ntruth: {files: x, format: qrels}\n", "a.csv", "b.csv"), "names of formats")
	require.Equal(t, want, of("task: ranking\ninput: {format: trec_run}\ntruth: {files: x, format: trec_qrels}\n", "a", "b"))

	plan := planned(t, parse(t, "", namedTexts(t, [2]string{"run.txt", run}, [2]string{"q.txt", qrels})...))
	require.Contains(t, strings.Join(plan.Notes, "\n"), `run.txt: read as trec_run, by its lines; set input.format if it is something else`)
	require.Contains(t, strings.Join(plan.Notes, "\n"), `q.txt: read as trec_qrels, by its lines; set truth.format if it is something else`)
	for _, other := range []string{"q1 Q0 d1 1 2.5\n", "q1 Q0 d1 one 2.5 t\n", "q1 Q0 d1 1 high t\n", "q1 0 d1 0.5\n", run + qrels, qrels + "q1 0 d2\n", "label,score\n1,0.5\n", "a b c d\n"} {
		require.ErrorContains(t, refused(t, "", namedTexts(t, [2]string{"p.txt", other})...), "not a Parquet file", other)
	}
	require.ErrorContains(t, refused(t, "", namedTexts(t, [2]string{"p.txt", run})...), "is a TREC run, which has no judgements")
}

// TestNullValues: texts of the configuration are nulls in CSV and TSV, in columns of every type and
// role, in quotes or not; the report is the same as with empty values. They are texts in other
// formats.
func TestNullValues(t *testing.T) {
	t.Parallel()
	const rows = "id,label,score,weight,country\n1,1,0.9,1,de\nNA,0,0.5,2,-\n3,1,NA,1,\"NA\"\n4,-,0.25,1,at\n5,0,0.125,-,de\n6,0,0.25,1,N/A\n"
	empty := strings.NewReplacer("\"NA\"", "", "NA", "", ",-", ",").Replace(rows)
	const yaml = "slices: country\nbad_rows: skip\nworst_examples: 2\n"
	for ending, comma := range map[string]string{"csv": ",", "tsv": "\t"} {
		of := func(yaml, rows string) string {
			return evaluate(t, parse(t, yaml, namedTexts(t, [2]string{"p." + ending, strings.ReplaceAll(rows, ",", comma)})...))
		}
		want, got := of(yaml, empty), of(yaml+`input: {null_values: [NA, "-"]}`, rows)
		require.Equal(t, contents(t, want)["metrics.csv"], contents(t, got)["metrics.csv"])
		require.Equal(t, map[string]int64{"null label": 1, "null score": 1, "null weight": 1}, readReport(t, got).Rows.Skipped)
	}
	jsonl := `{"label":"NA","prediction":"NA"}` + "\n" + `{"label":"b","prediction":"b"}` + "\n"
	got := readReport(t, evaluate(t, parse(t, "input: {null_values: NA}\n", namedTexts(t, [2]string{"p.jsonl", jsonl})...)))
	require.Equal(t, int64(2), got.Rows.Evaluated, "text in JSON says what it is")
}
