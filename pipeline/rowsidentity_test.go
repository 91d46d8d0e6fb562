package pipeline

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// pair is a row for a label of an example, or for an item of a query.
type pair struct {
	Example  string  `parquet:"example_id"`
	Session  int64   `parquet:"session"`
	Class    string  `parquet:"class"`
	Number   int32   `parquet:"number"`
	Item     int64   `parquet:"item_id"`
	Doc      string  `parquet:"doc"`
	True     bool    `parquet:"label"`
	Grade    float64 `parquet:"grade"`
	Score    float64 `parquet:"score"`
	Guess    int32   `parquet:"guess"`
	Weight   float64 `parquet:"weight"`
	Country  *string `parquet:"country,optional"`
	Device   int32   `parquet:"device"`
	Retrieve bool    `parquet:"-"`
}

// pairClasses are the labels of which each example has a row.
var pairClasses = []string{"a", "b", "c", "d", "e"}

// pairsOf returns rows of n examples, which stand together: each has a row for each
// label, and as a query ranks some of as many items.
func pairsOf(n int) []pair {
	r := rand.New(rand.NewPCG(3, 4))
	var rows []pair
	for i := range n {
		weight, device := 3*r.Float64(), int32(r.IntN(3))
		var country *string
		if c := r.IntN(4); c > 0 {
			name := fmt.Sprintf("country %d", c)
			country = &name
		}
		for k, class := range pairClasses {
			item := int64(r.IntN(30)*len(pairClasses) + k)
			rows = append(rows, pair{
				Example: fmt.Sprint("example ", i), Session: int64(i) - 20, Class: class, Number: int32(k), Item: item, Doc: fmt.Sprint("doc ", item),
				True: r.IntN(3) == 0, Grade: float64(max(0, r.IntN(6)-2)), Score: float64(r.IntN(8)) / 8, Guess: int32(r.IntN(2)),
				Weight: weight, Country: country, Device: device, Retrieve: k == 0 || r.IntN(4) > 0,
			})
		}
	}
	return rows
}

// writeParts divides rows among files of a folder, with row groups of the given size.
func writeParts[T any](t *testing.T, dir string, rows []T, files, group int) {
	require.NoError(t, os.MkdirAll(dir, 0o777))
	for f := range files {
		out, err := os.Create(filepath.Join(dir, fmt.Sprintf("part-%d.parquet", f)))
		require.NoError(t, err)
		w := parquet.NewGenericWriter[T](out, parquet.MaxRowsPerRowGroup(int64(group)))
		_, err = w.Write(rows[f*len(rows)/files : (f+1)*len(rows)/files])
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, out.Close())
	}
}

// TestRowsOfExamplesAreIdenticalBytes evaluates examples of several rows, and truth of
// other files, that are in order in one file, and anywhere in many: every file of the
// report but run.json must be the same, and so it must be if the report's
// configuration is the configuration. The same data in other forms have the same
// metrics.
func TestRowsOfExamplesAreIdenticalBytes(t *testing.T) {
	rows := pairsOf(250)
	whole, parts := t.TempDir(), t.TempDir()
	retrieved := func(p pair) bool { return !p.Retrieve }
	lay := func(dir string, files, group int) {
		writeParts(t, filepath.Join(dir, "preds"), rows, files, group)
		writeParts(t, filepath.Join(dir, "run"), slices.DeleteFunc(slices.Clone(rows), retrieved), files, group)
		rand.New(rand.NewPCG(uint64(files), 1)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		writeParts(t, filepath.Join(dir, "truth"), rows, files+2, group+20)
		writeParts(t, filepath.Join(dir, "lists"), listed(rows), files, group)
	}
	lay(whole, 1, len(rows))
	lay(parts, 7, 61)

	const (
		bySlice = "slices: [[country], [country, device], {device: [0, 2]}]\n"
		ranking = "task: ranking\noutput: {per_query: true}\ninput: {columns: {query: session, label: grade}}\n"
		labels  = "labels: [a, b, c, d, e]\n"
		byTruth = "task: ranking\noutput: {per_query: true}\ninput: {columns: {query: session, item: doc}}\ntruth: {files: [t], columns: {label: grade}}\n"
	)
	same := make(map[string]string)
	for name, c := range map[string]struct{ preds, truth, yaml, same string }{
		"ranking":                {"run", "", ranking, ""},
		"ranking by item":        {"run", "", ranking + "ranking: {ties: item, gain: linear, empty_queries: zero}\n", ""},
		"ranking, truth":         {"run", "truth", byTruth, ""},
		"ranking by item, truth": {"run", "truth", byTruth + "ranking: {ties: item, relevance_threshold: 2, empty_queries: one}\n", ""},
		"label":                  {"preds", "", labels + "tune_thresholds: f1\ninput: {columns: {class: class}}\n", "labels"},
		"label, found":           {"preds", "", "decision: {top_k: 2}\ninput: {columns: {class: number, prediction: guess}}\n", ""},
		"label, sparse":          {"run", "", labels + "input: {columns: {class: class, score_label: class}}\npropensity: {frequencies: truth}\n", ""},
		"label, truth":           {"preds", "truth", labels + "input: {columns: {class: class}}\ntruth: {files: [t]}\n", "labels"},
		"label, truth of lists":  {"preds", "lists", labels + "input: {columns: {class: class}}\ntruth: {files: [t], columns: {label: labels}}\n", "labels"},
		"label, truth, found":    {"run", "lists", "input: {columns: {class: class, score_label: class}}\ntruth: {files: [t], columns: {label: labels}}\n", ""},
		"lists, truth by label":  {"lists", "truth", labels + "input: {columns: {score: scores}}\ntruth: {files: [t], columns: {class: class}}\n", "labels"},
		"lists, truth of lists":  {"lists", "lists", labels + "input: {columns: {score: scores}}\ntruth: {files: [t], columns: {label: labels}}\n", "labels"},
		"binary, truth":          {"lists", "lists", "task: binary\ninput: {columns: {score: first, example: session}}\ntruth: {files: [t], columns: {label: positive}}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			run := func(yaml, dir, runner string, cores int) map[string]string {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				cfg := parse(t, yaml)
				cfg.Input.Files = []string{filepath.Join(dir, c.preds)}
				if c.truth != "" {
					cfg.Truth.Files = []string{filepath.Join(dir, c.truth)}
				}
				return contents(t, evaluate(t, cfg, runner))
			}
			want := run(c.yaml+bySlice, whole, "prism", 1)
			for i, other := range []map[string]string{run(c.yaml+bySlice, parts, "prism", 4), run(echo(t, want), parts, "direct", 1)} {
				require.Equal(t, len(want), len(other))
				for file, content := range want {
					require.True(t, content == other[file], "%s of run %d differs", file, i)
				}
			}
			if c.same == "" {
				return
			}
			if same[c.same] == "" {
				same[c.same] = want[report.MetricsCSV]
			}
			require.True(t, same[c.same] == want[report.MetricsCSV], "not the metrics of the other forms")
		})
	}
}

// echo returns the configuration that a report repeats, with files of the truth, and
// per_query where it has such a file: these do not decide any value.
func echo(t *testing.T, files map[string]string) string {
	var content struct{ Config map[string]any }
	require.NoError(t, json.Unmarshal([]byte(files[report.MetricsJSON]), &content))
	if truth, ok := content.Config["truth"].(map[string]any); ok {
		truth["files"] = []string{"t"}
	}
	if files[report.PerQueryParquet] != "" {
		content.Config["output"] = map[string]any{"per_query": true}
	}
	yaml, err := json.Marshal(content.Config)
	require.NoError(t, err)
	return string(yaml)
}

// list is an example in one row.
type list struct {
	Example  string    `parquet:"example_id"`
	Session  int64     `parquet:"session"`
	Labels   []string  `parquet:"labels,list"`
	Scores   []float64 `parquet:"scores,list"`
	First    float64   `parquet:"first"`
	Positive int32     `parquet:"positive"`
	Weight   float64   `parquet:"weight"`
	Country  *string   `parquet:"country,optional"`
	Device   int32     `parquet:"device"`
}

// listed puts the rows of examples together, which may be in any order.
func listed(rows []pair) []list {
	at := make(map[string]int)
	var lists []list
	for _, p := range rows {
		if _, known := at[p.Example]; !known {
			at[p.Example] = len(lists)
			lists = append(lists, list{
				Example: p.Example, Session: p.Session, Scores: make([]float64, len(pairClasses)),
				Weight: p.Weight, Country: p.Country, Device: p.Device,
			})
		}
		l := &lists[at[p.Example]]
		l.Scores[p.Number] = p.Score
		if p.True {
			l.Labels = append(l.Labels, p.Class)
		}
		if p.Number == 0 {
			l.First, l.Positive = p.Score, p.Guess
		}
	}
	return lists
}
