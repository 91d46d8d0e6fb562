package pipeline

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/clouds"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/parquet"
	"github.com/beameval/beameval/io/report"
)

// single is a row of single values, for the tasks that need no lists.
type single struct {
	Label     int32   `parquet:"label"`
	Score     float64 `parquet:"score"`
	Class     string  `parquet:"class"`
	Guess     string  `parquet:"guess"`
	A         float64 `parquet:"s_a"`
	B         float64 `parquet:"s_b"`
	C         float64 `parquet:"s_c"`
	D         float64 `parquet:"s_d"`
	IsA       bool    `parquet:"is_a"`
	IsB       bool    `parquet:"is_b"`
	Target    float64 `parquet:"target"`
	Predicted float64 `parquet:"predicted_value"`
	Weight    float64 `parquet:"weight"`
	Country   *string `parquet:"country,optional"`
	Device    int64   `parquet:"device"`
	Year      *int64  `parquet:"year,optional"`
	Paid      bool    `parquet:"paid"`
	Price     float64 `parquet:"price"`
}

func singles(n int) (rows []single) {
	countries := []string{"plain", `say "hi"`, "a, b", "two\nlines", " spaces ", "größe", "tab\there"}
	for i, e := range examples(n) {
		s := single{
			Label: e.Label, Score: e.Score, Class: e.Class, Guess: e.Guess, A: e.Scores[0], B: e.Scores[1], C: e.Scores[2], D: e.Scores[3],
			IsA: slices.Contains(e.Labels, "a"), IsB: slices.Contains(e.Labels, "b"), Target: e.Target, Predicted: e.Predicted, Weight: e.Weight,
			Device: e.Device, Paid: i%3 == 0, Price: float64(i%4) / 2,
		}
		if e.Country != nil {
			s.Country = &countries[i%len(countries)]
			s.Year = new(2000 + int64(i%2))
		}
		rows = append(rows, s)
	}
	return rows
}

// writeText writes rows to a file with a header, in the format that its ending indicates.
func writeText[T any](t *testing.T, file string, rows []T) {
	t.Helper()
	f, err := os.Create(file)
	require.NoError(t, err)
	defer f.Close()
	var out io.Writer = f
	switch filepath.Ext(file) {
	case ".gz":
		z := gzip.NewWriter(f)
		defer z.Close()
		out = z
	case ".zst":
		z, err := zstd.NewWriter(f)
		require.NoError(t, err)
		defer z.Close()
		out = z
	}
	w := csv.NewWriter(out)
	if strings.Contains(file, ".tsv") {
		w.Comma = '\t'
	}
	var header []string
	var columns []int
	typ := reflect.TypeFor[T]()
	for i := range typ.NumField() {
		if name, _, _ := strings.Cut(typ.Field(i).Tag.Get("parquet"), ","); name != "-" {
			header, columns = append(header, name), append(columns, i)
		}
	}
	require.NoError(t, w.Write(header))
	for _, row := range rows {
		var record []string
		for _, i := range columns {
			v := reflect.ValueOf(row).Field(i)
			if v.Kind() == reflect.Pointer {
				if v.IsNil() {
					record = append(record, "")
					continue
				}
				v = v.Elem()
			}
			if v.Kind() == reflect.Float64 {
				record = append(record, strconv.FormatFloat(v.Float(), 'g', -1, 64))
			} else {
				record = append(record, fmt.Sprint(v.Interface()))
			}
		}
		require.NoError(t, w.Write(record))
	}
	w.Flush()
	require.NoError(t, w.Error())
}

// writeTexts divides rows among files of a new folder, with these endings.
func writeTexts[T any](t *testing.T, rows []T, endings ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i, ending := range endings {
		part := rows[i*len(rows)/len(endings) : (i+1)*len(rows)/len(endings)]
		writeText(t, filepath.Join(dir, fmt.Sprintf("part-%d%s", i, ending)), part)
	}
	return dir
}

// TestTextsGiveTheReportsOfParquet: the same rows in Parquet, CSV and TSV, compressed or not, give
// the same report, except for run.json.
func TestTextsGiveTheReportsOfParquet(t *testing.T) {
	t.Parallel()
	pairs := pairsOf(100)
	run := slices.DeleteFunc(slices.Clone(pairs), func(p pair) bool { return !p.Retrieve })
	type forms struct{ parquet, texts string }
	data := map[string]forms{
		"singles": {write(t, singles(600), 3, 100), writeTexts(t, singles(600), ".csv", ".csv.gz", ".csv.zst")},
		"preds":   {write(t, pairs, 2, 61), writeTexts(t, pairs, ".tsv.gz", ".tsv", ".tsv.zst")},
		"run":     {write(t, run, 2, 61), writeTexts(t, run, ".csv")},
	}
	const (
		bySlice = "slices: [[country], [device], [country, device], [paid], [%s]]\n"
		labels  = "labels: [a, b, c, d, e]\n"
		byTruth = "task: ranking\noutput: {per_query: true}\ninput: {columns: {query: session, item: doc}}\ntruth: {files: [t], columns: {label: grade}}\n"
	)
	for name, c := range map[string]struct{ preds, truth, yaml string }{
		"binary":                   {"singles", "", "task: binary\ntune_thresholds: youden\ninput: {columns: {label: label, score: score, weight: weight}}\n"},
		"multiclass":               {"singles", "", "task: multiclass\nlabels: [a, b, c, d]\ninput: {columns: {label: class, score: [s_a, s_b, s_c, s_d]}}\n"},
		"multiclass of decisions":  {"singles", "", "task: multiclass\ninput: {columns: {label: class, prediction: guess}}\n"},
		"multilabel, wide columns": {"singles", "", "task: multilabel\ninput: {columns: {label: {a: is_a, b: is_b}, score: {a: s_a, b: s_b}}}\n"},
		"regression":               {"singles", "", "task: regression\ninput: {columns: {label: target, prediction: predicted_value}}\n"},
		"multilabel, row a label":  {"preds", "", labels + "task: multilabel\ninput: {columns: {class: class}}\n"},
		"ranking":                  {"run", "", "task: ranking\noutput: {per_query: true}\ninput: {columns: {query: session, label: grade}}\n"},
		"ranking by truth":         {"run", "preds", byTruth},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			by := strings.ReplaceAll(bySlice, ", [paid], [%s]", "")
			if c.preds == "singles" {
				by = fmt.Sprintf(bySlice, "year, price")
			}
			inParquet, inTexts := []string{data[c.preds].parquet}, []string{data[c.preds].texts}
			if c.truth != "" {
				inParquet, inTexts = append(inParquet, data[c.truth].parquet), append(inTexts, data[c.truth].texts)
			}
			want := contents(t, evaluateOn(t, parse(t, c.yaml+by, inParquet...), "direct", 1))
			require.Contains(t, want, report.MetricsParquet)
			requireSame(t, want, contents(t, evaluateOn(t, parse(t, c.yaml+by, inTexts...), "prism", 4)))
		})
	}
}

func requireSame(t *testing.T, want, got map[string]string) {
	t.Helper()
	require.Equal(t, len(want), len(got))
	for file, content := range want {
		require.True(t, content == got[file], "%s differs", file)
	}
}

// TestTREC: runs and qrels in the format of trec_eval give the same report as Parquet, whether the
// format is recognized by the ending or configured.
func TestTREC(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := rowsOf(t, "../testdata/trec_eval/run.parquet", "query_id", "doc_id", "score")
	qrels := rowsOf(t, "../testdata/trec_eval/qrels.parquet", "query_id", "doc_id", "relevance")
	var runs, judged strings.Builder
	for i, r := range run {
		fmt.Fprintf(&runs, "%s\tQ0 %s %d %s  STANDARD\n", r[0], r[1], i, r[2])
	}
	for _, r := range qrels {
		fmt.Fprintf(&judged, "%s 0 %s %s\r\n", r[0], r[1], r[2])
	}
	put := func(name, content string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
		return name
	}
	want := contents(t, evaluate(t, bundled(t, "trec_eval/config.yaml")))
	for name, c := range map[string]struct{ run, qrels, format string }{
		"endings":       {put("a.run", runs.String()), put("a.qrels", judged.String()), ""},
		"configuration": {put("results.txt", runs.String()), put("judgements", judged.String()), "trec"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := bundled(t, "trec_eval/config.yaml")
			cfg.Input.Files, cfg.Truth.Files = []string{c.run}, []string{c.qrels}
			if c.format != "" {
				cfg.Input.Format, cfg.Truth.Format = "trec_run", "trec_qrels"
			}
			requireSame(t, want, contents(t, evaluate(t, cfg)))
		})
	}
}

// rowsOf returns values of a Parquet file as text.
func rowsOf(t *testing.T, name string, paths ...string) (rows [][]string) {
	source, err := files.Open(t.Context(), name)
	require.NoError(t, err)
	defer source.Close()
	file, err := parquet.Open(source, columns.Options{})
	require.NoError(t, err)
	for g := range file.RowGroups() {
		for batch, err := range file.Read(g, paths, nil, 1000) {
			require.NoError(t, err)
			for i := range batch.Rows {
				var row []string
				for c := range batch.Columns {
					row = append(row, textOf(&batch.Columns[c], i))
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// TestTypesOfTexts: the inferred types hold all values of all files, and a note names them.
func TestTypesOfTexts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.csv": "id,label,score,zip,only\n1,0,1,10115,\n2,1,0,20095,\n",
		"b.csv": "id,label,score,zip,only\n3,1,0.37,01067,\n4,0,1,80331,x\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	cfg := parse(t, "task: binary\nslices: [zip]\n", dir)
	cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
	plan, err := Make(t.Context(), cfg)
	require.NoError(t, err)
	require.Equal(t, `types of columns, by all their values: "id" int, "label" int, "score" float, "zip" string (numbers that begin with 0 or +, or are too long), "only" string`, plan.Notes[0])
	require.NoError(t, execute(t.Context(), plan, "prism"))
	require.Contains(t, contents(t, cfg.Output.Dir)["metrics.csv"], "01067")
}

// TestTextsRefused: malformed text is reported with its place before anything runs.
func TestTextsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ a, b, why string }{
		"ragged":            {"label,score\n1,0.5\n0\n", "", "a.csv: line 3: the row has 1 values, but the header 2 names: write as many"},
		"wrong type":        {"label,score\n1,0.5\n0,bad\n", "", `column "score" is string ("bad" in %s/a.csv, line 3)`},
		"wrong type, other": {"label,score\n1,0.5\n", "label,score\n0,\n0,bad\n", `column "score" is string ("bad" in %s/b.csv, line 3)`},
		"mixed columns":     {"label,score\n1,0.5\n", "label,points\n1,0.5\n", `b.csv: no column "score"`},
		"header only":       {"label,score\n", "", "no rows to evaluate"},
		"empty":             {"", "", "a.csv: the file is empty: it must begin with the names of the columns"},
		"quote":             {"label,score\n1,0.5\n\"1,0.5\n", "", "a.csv: line 3: a quote of this row does not close"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "a.csv"), []byte(c.a), 0o600))
			if c.b != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "b.csv"), []byte(c.b), 0o600))
			}
			why := c.why
			if strings.Contains(why, "%s") {
				why = fmt.Sprintf(why, dir)
			}
			requireRefused(t, parse(t, "task: binary\ninput: {columns: {label: label, score: score}}\n", dir), why)
		})
	}
}

// TestTextsInClouds: text files in cloud storage give the same report as on local disk.
func TestTextsInClouds(t *testing.T) {
	local := writeTexts(t, singles(300), ".csv", ".csv.gz")
	const yaml = "task: binary\nslices: [[country]]\ninput: {columns: {label: label, score: score}}\n"
	want := contents(t, evaluate(t, parse(t, yaml, local)))
	clouds.Each(t, func(t *testing.T, bucket *clouds.Bucket) {
		bucket.Upload(t, local, "in/")
		requireSame(t, want, contents(t, evaluate(t, parse(t, yaml, bucket.Name+"/in"))))
	})
}

// TestIDsOfTextsJoinText: ids that look like integers are text if the ids of the other side are.
func TestIDsOfTextsJoinText(t *testing.T) {
	t.Parallel()
	type item struct {
		Query     string  `parquet:"query_id"`
		Doc       string  `parquet:"doc_id"`
		Score     float64 `parquet:"score"`
		Relevance int64   `parquet:"relevance"`
	}
	items := []item{{"7", "1", 0.5, 0}, {"7", "2", 0.3, 1}, {"8", "1", 0.1, 1}, {"8", "30", 0.7, 0}, {"9", "4", 0.2, 2}}
	inParquet, inText := write(t, items, 2, 2), writeTexts(t, items, ".csv", ".csv.gz")
	const yaml = "task: ranking\noutput: {per_query: true}\n"
	want := contents(t, evaluate(t, parse(t, yaml, inParquet, inParquet)))
	for name, sides := range map[string][]string{"predictions": {inText, inParquet}, "truth": {inParquet, inText}} {
		cfg := parse(t, yaml, sides...)
		cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
		plan, err := Make(t.Context(), cfg)
		require.NoError(t, err, name)
		require.Contains(t, strings.Join(plan.Notes, "\n"), `query: column "query_id" of `+sides[slices.Index([]string{"predictions", "truth"}, name)])
		require.NoError(t, execute(t.Context(), plan, "prism"))
		requireSame(t, want, contents(t, cfg.Output.Dir))
	}

	numbers := []struct {
		Query int64  `parquet:"query_id"`
		Doc   string `parquet:"doc_id"`
		Label int64  `parquet:"relevance"`
	}{{7, "1", 1}}
	words := []struct {
		Query string  `parquet:"query_id"`
		Doc   string  `parquet:"doc_id"`
		Score float64 `parquet:"score"`
	}{{"q7", "1", 1}}
	requireRefused(t, parse(t, yaml, writeTexts(t, words, ".csv"), write(t, numbers, 1, 1)), `ids must be of one type, as 1 and "1" are not the same: write both as text, or both as integers`)
	json := filepath.Join(t.TempDir(), "a.jsonl")
	require.NoError(t, os.WriteFile(json, []byte(`{"query_id": 7, "doc_id": "1", "score": 0.5}`), 0o600))
	requireRefused(t, parse(t, yaml, json, inParquet), `ids must be of one type`)
}
