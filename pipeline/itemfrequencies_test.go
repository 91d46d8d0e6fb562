package pipeline

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// itemRow is how many users have an item.
type itemRow struct {
	Item  int64   `parquet:"item_id"`
	Users float64 `parquet:"users"`
}

// frequencyOf is the frequency of an item in these tests. A multiple of 53 has none.
func frequencyOf(item int64) float64 { return float64(item * 7919 % 53) }

// itemRows returns a row for each item with a frequency, in no order.
func itemRows(items int64) (rows []itemRow) {
	for i := range items {
		if item := (i * 97) % items; frequencyOf(item) > 0 {
			rows = append(rows, itemRow{item, frequencyOf(item)})
		}
	}
	return rows
}

// withFrequencies is a pair with the frequency of its item.
type withFrequencies struct {
	Session int64   `parquet:"session"`
	Item    int64   `parquet:"item_id"`
	Grade   float64 `parquet:"grade"`
	Score   float64 `parquet:"score"`
	Country *string `parquet:"country,optional"`
	Users   float64 `parquet:"users"`
}

// TestItemFrequencies: frequencies may come from a file as well as from a column, and the
// frequencies of all items in the file determine which items are in the tail.
func TestItemFrequencies(t *testing.T) {
	t.Parallel()
	var rows []withFrequencies
	for _, p := range pairsOf(200) {
		rows = append(rows, withFrequencies{p.Session, p.Item, p.Grade, p.Score, p.Country, frequencyOf(p.Item)})
	}
	const yaml = "task: ranking\nslices: [country]\nk: [1, 3]\nmetrics: [novelty@k, average_popularity@k, tail_share@k]\n" +
		"input: {columns: {query: session, label: grade, item: item_id%s}}\nranking: {frequency_total: 99, ties: item%s}\n"
	dir := write(t, rows, 2, 90)
	want := valuesOf(readReport(t, evaluate(t, parse(t, fmt.Sprintf(yaml, ", item_frequency: users", ""), dir))))
	items := itemRows(600) // of which 150 are shown
	files := write(t, items, 3, 40)
	dirOf := evaluate(t, parse(t, fmt.Sprintf(yaml, "", ", item_frequencies: {files: "+files+", count: users}"), dir))
	got := valuesOf(readReport(t, dirOf))
	require.Len(t, got, len(want))
	for key, row := range want {
		if !strings.HasPrefix(key.name, "tail_share") {
			require.Equal(t, textOfRow(row), textOfRow(got[key]), key)
		}
	}
	require.InDelta(t, tailShareOfFirst(rows, items), got[keyOf(nil, "tail_share@1", nil)].Value, 1e-12)
	require.Contains(t, echo(t, contents(t, dirOf)), `"item_frequencies":{"files":["file"]}`)
	require.Equal(t, 2+3, filesOf(t, dirOf).Count, "predictions and frequencies")
	require.Equal(t, filepath.Join(files, "part-0.parquet"), filesOf(t, dirOf).Names[2])

	csv := filepath.Join(t.TempDir(), "items.csv")
	lines := "doc,count\n"
	for _, i := range items {
		lines += fmt.Sprintf("%d,%v\n", i.Item, i.Users)
	}
	require.NoError(t, os.WriteFile(csv, []byte(lines), 0o600))
	again := valuesOf(readReport(t, evaluate(t, parse(t, fmt.Sprintf(yaml, "", ", item_frequencies: {files: "+csv+", item: doc}"), dir))))
	for key, row := range got {
		require.Equal(t, textOfRow(row), textOfRow(again[key]), key)
	}
}

// tailShareOfFirst returns the share of first places, ties by item, that are not of the items that have 80
// % of all frequencies.
func tailShareOfFirst(rows []withFrequencies, items []itemRow) float64 {
	all := slices.Clone(items)
	slices.SortFunc(all, func(a, b itemRow) int { return int(b.Users - a.Users) })
	whole, above, lowest := 0.0, 0.0, math.Inf(1)
	for _, i := range all {
		whole += i.Users
	}
	for _, i := range all {
		if i.Users < lowest && above >= 0.8*whole {
			break
		}
		lowest, above = i.Users, above+i.Users
	}
	best := make(map[int64]withFrequencies)
	for _, r := range rows {
		b, known := best[r.Session]
		if !known || r.Score > b.Score || r.Score == b.Score && fmt.Sprint(r.Item) > fmt.Sprint(b.Item) {
			best[r.Session] = r
		}
	}
	tail := 0.0
	for _, b := range best {
		if b.Users < lowest {
			tail++
		}
	}
	return tail / float64(len(best))
}

// filesOf returns the files that run.json lists.
func filesOf(t *testing.T, dir string) report.Files {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, report.RunJSON))
	require.NoError(t, err)
	var run report.Run
	require.NoError(t, json.Unmarshal(data, &run))
	return run.Files
}

// TestItemFrequenciesElsewhere: workers in other directories find the files.
func TestItemFrequenciesElsewhere(t *testing.T) {
	var pairs []withFrequencies
	for _, p := range pairsOf(20) {
		pairs = append(pairs, withFrequencies{Session: p.Session, Item: p.Item, Grade: p.Grade, Score: p.Score})
	}
	predictions, items := write(t, pairs, 1, 90), write(t, itemRows(600), 2, 90)
	t.Chdir(filepath.Dir(items))
	cfg := parse(t, "task: ranking\nmetrics: [novelty@3]\ninput: {columns: {query: session, label: grade, item: item_id}}\n"+
		"ranking: {item_frequencies: {files: ./"+filepath.Base(items)+", count: users}}\n", predictions)
	want := contents(t, evaluate(t, cfg))
	cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
	plan, err := Make(t.Context(), cfg)
	require.NoError(t, err)
	p, s := beam.NewPipelineWithRoot()
	require.NoError(t, plan.Build(s, "dataflow", time.Now()))
	t.Chdir(t.TempDir())
	_, err = beam.Run(t.Context(), "direct", p)
	require.NoError(t, err)
	require.Equal(t, want, contents(t, cfg.Output.Dir))
}

// TestItemFrequenciesOfRealData: the example of docs/metrics/ranking.md. A file that says of each image how many
// queries it is relevant to has the values of the truth.
func TestItemFrequenciesOfRealData(t *testing.T) {
	t.Parallel()
	judgements, err := parquet.ReadFile[struct {
		Image     string `parquet:"image_id"`
		Relevance int64  `parquet:"relevance"`
	}]("../testdata/digits_retrieval/qrels.parquet")
	require.NoError(t, err)
	counts := make(map[string]int)
	for _, j := range judgements {
		if j.Relevance >= 1 {
			counts[j.Image]++
		}
	}
	csv := filepath.Join(t.TempDir(), "images.csv")
	lines := "image_id,count\n"
	for image, n := range counts {
		lines += fmt.Sprintf("%s,%d\n", image, n)
	}
	require.NoError(t, os.WriteFile(csv, []byte(lines), 0o600))
	yaml := "task: ranking\ninput: {columns: {item: image_id}}\ntruth: {files: [../testdata/digits_retrieval/qrels.parquet]}\n" +
		"metrics: [novelty@10, average_popularity@10, tail_share@10]\nslices: [[digit]]\nranking: {frequency_total: 60, item_frequencies: {files: " + csv + "}}\n"
	got := valuesOf(readReport(t, evaluate(t, parse(t, yaml, "../testdata/digits_retrieval/run.parquet"))))
	for name, want := range map[string]float64{"novelty@10": 5.0114295882319055, "average_popularity@10": 1.9661825396825394, "tail_share@10": 0.066} {
		require.InDelta(t, want, got[keyOf(nil, name, nil)].Value, 1e-12, name)
	}
}

// TestBadItemFrequencies: files that cannot say how frequent items are fail the plan, or the run with the
// place of the bad row.
func TestBadItemFrequencies(t *testing.T) {
	t.Parallel()
	data := write(t, pairsOf(20), 1, 50)
	yaml := func(of string) string {
		return "task: ranking\nmetrics: [average_popularity@3]\ninput: {columns: {query: session, label: grade, item: item_id}}\nranking: {item_frequencies: {files: " + of + "}}\n"
	}
	good := write(t, itemRows(50), 1, 20)
	words := write(t, []struct {
		Item  string `parquet:"item_id"`
		Count int64  `parquet:"count"`
	}{{"a", 1}}, 1, 1)
	for _, c := range []struct{ files, want string }{
		{good, `4:29: ranking.item_frequencies: `},
		{good + ", count: nosuch", `no column "nosuch"; the file has item_id, users; set count`},
		{good + ", count: users, item: nosuch", `no column "nosuch"; the file has item_id, users; set item`},
		{words, `column "item_id" is string, but column "item_id" of the predictions is int64`},
		{words + ", count: item_id", `the frequency of an item must be of type int or float`},
		{"nowhere.parquet", "nowhere.parquet"},
	} {
		requireRefused(t, parse(t, yaml(c.files), data), c.want)
	}
	bare := write(t, []struct {
		Session int64   `parquet:"session"`
		Grade   float64 `parquet:"grade"`
		Score   float64 `parquet:"score"`
	}{{1, 1, 1}}, 1, 1)
	requireRefused(t, parse(t, "task: ranking\ninput: {columns: {query: session, label: grade}}\nranking: {item_frequencies: {files: x}}", bare), "3:29: ranking.item_frequencies: needs the column of the items: set input.columns.item")

	type nullable struct {
		Item  *int64   `parquet:"item_id,optional"`
		Count *float64 `parquet:"count,optional"`
	}
	one, two, three, minus, inf := int64(1), int64(2), 3., -1., math.Inf(1)
	for want, rows := range map[string][]nullable{
		`row group 1, row 0: column "item_id": null: expected the id of an item`:             {{&one, &three}, {nil, &three}},
		`row group 1, row 0: column "count": null: expected a frequency of 0 or more`:        {{&one, &three}, {&two, nil}},
		`row group 0, row 0: column "count": -1: expected a finite frequency of 0 or more`:   {{&one, &minus}},
		`row group 0, row 0: column "count": +Inf: expected a finite frequency of 0 or more`: {{&one, &inf}},
		`row group 1, row 0: column "item_id": the item is there twice`:                      {{&one, &three}, {&one, &three}},
		`the files have no items`:                                   nil,
		`more than 2 items: set ranking.item_frequencies.max_items`: {{&one, &three}, {&two, &three}, {new(int64), &three}},
		`the frequencies are all 0`:                                 {{&one, new(float64)}},
	} {
		cfg := parse(t, yaml(write(t, rows, 1, 1)+", max_items: 2"), data)
		cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
		plan, err := Make(t.Context(), cfg)
		require.NoError(t, err)
		require.ErrorContains(t, execute(t.Context(), plan, "direct"), want)
		_, err = os.Stat(cfg.Output.Dir)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}
