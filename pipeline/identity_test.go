package pipeline

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// example is a row of every task's data.
type example struct {
	Label     int32     `parquet:"label"`
	Score     float64   `parquet:"score"`
	Scores    []float64 `parquet:"scores,list"`
	Logits    []float64 `parquet:"logits,list"`
	Labels    []string  `parquet:"labels,list"`
	Class     string    `parquet:"class"`
	Guess     string    `parquet:"guess"`
	Target    float64   `parquet:"target"`
	Predicted float64   `parquet:"predicted_value"`
	Weight    float64   `parquet:"weight"`
	Country   *string   `parquet:"country,optional"`
	Device    int64     `parquet:"device"`
	Ranked    []ranked  `parquet:"ranked,list"`
}

// ranked is the score of a label.
type ranked struct {
	Label string  `parquet:"label"`
	Score float32 `parquet:"score"`
}

func examples(n int) []example {
	r := rand.New(rand.NewPCG(5, 6))
	names := []string{"a", "b", "c", "d"}
	rows := make([]example, n)
	for i := range rows {
		e := &rows[i]
		e.Label, e.Score = int32(r.IntN(2)), r.Float64()
		total := 0.0
		for range names {
			x := r.ExpFloat64()
			total += x
			e.Scores = append(e.Scores, x)
			e.Logits = append(e.Logits, 4*r.NormFloat64())
		}
		for k, name := range names {
			e.Scores[k] /= total
			if r.IntN(3) == 0 {
				e.Labels = append(e.Labels, name)
			}
		}
		e.Class, e.Guess = names[r.IntN(4)], names[r.IntN(3)]
		e.Target = 100 * r.NormFloat64()
		e.Predicted = e.Target + r.NormFloat64()
		e.Weight = r.Float64() * 3
		if c := r.IntN(5); c > 0 {
			country := fmt.Sprintf("country %d", c)
			e.Country = &country
		}
		e.Device = int64(r.IntN(3))
		for _, k := range r.Perm(4)[:r.IntN(4)] {
			e.Ranked = append(e.Ranked, ranked{names[k], float32(r.IntN(5)) / 4})
		}
	}
	return rows
}

// write divides the rows among files, with row groups of the given size.
func write(t *testing.T, dir string, rows []example, files, group int) {
	for f := range files {
		out, err := os.Create(filepath.Join(dir, fmt.Sprintf("part-%d.parquet", f)))
		require.NoError(t, err)
		w := parquet.NewGenericWriter[example](out, parquet.MaxRowsPerRowGroup(int64(group)))
		_, err = w.Write(rows[f*len(rows)/files : (f+1)*len(rows)/files])
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, out.Close())
	}
}

// TestReportsAreIdenticalBytes evaluates the same rows in one row group of one
// file and in many of several files in another order, on different runners
// and numbers of cores: every file of the report but run.json must be the same.
func TestReportsAreIdenticalBytes(t *testing.T) {
	rows := examples(3000)
	whole, parts := t.TempDir(), t.TempDir()
	write(t, whole, rows, 1, len(rows))
	rand.New(rand.NewPCG(7, 8)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	write(t, parts, rows, 7, 61)

	const slices = "slices: [[country], [country, device], {device: [0, 2]}]\n"
	for name, task := range map[string]string{
		"binary":            "task: binary\ntune_thresholds: youden\ncalibration: {strategy: quantile}\ninput: {columns: {label: label, score: score}}\n",
		"binary, bounded":   "task: binary\ntune_thresholds: f1\ncurves: {mode: bounded, bins: 50}\ninput: {columns: {label: label, score: score}}\n",
		"multiclass":        "task: multiclass\nlabels: [a, b, c, d]\ninput: {columns: {label: class, score: scores}}\n",
		"multiclass, found": "task: multiclass\ninput: {columns: {label: class, prediction: guess}}\n",
		"soft labels":       "task: multiclass\nlabels: [a, b, c, d]\ninput: {columns: {label: scores, score: logits}, score_type: logit}\n",
		"multilabel":        "task: multilabel\ntune_thresholds: f1\nlabels: [a, b, c, d]\ninput: {columns: {label: labels, score: scores}}\n",
		"multilabel logits": "task: multilabel\ntune_thresholds: recall_at_precision@0.4\ncurves: {mode: bounded, bins: 50}\nlabels: [a, b, c, d]\ninput: {columns: {label: labels, score: logits}, score_type: logit}\n",
		"sparse":            "task: multilabel\nlabels: [a, b, c, d]\npropensity: {frequencies: truth}\ninput: {columns: {label: labels, score: ranked, weight: weight}}\n",
		"sparse, found":     "task: multilabel\ndecision: {top_k: 2}\ninput: {columns: {label: labels, score: ranked}}\n",
		"regression":        "task: regression\ninput: {columns: {label: target, prediction: predicted_value}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			run := func(dir, runner string, cores int) map[string]string {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				cfg := parse(t, task+slices)
				cfg.Input.Files = []string{dir}
				return contents(t, evaluate(t, cfg, runner))
			}
			want := run(whole, "prism", 1)
			require.Contains(t, want, report.MetricsParquet)
			if strings.Contains(task, "tune_thresholds") {
				require.Contains(t, want, report.ThresholdsJSON)
				require.Contains(t, want, report.CurvesParquet)
			}
			// Everything differs at once: what depends on one thing alone shows as well.
			for _, other := range []map[string]string{run(parts, "prism", 4), run(parts, "direct", 1)} {
				require.Equal(t, len(want), len(other))
				for file, content := range want {
					require.True(t, content == other[file], "%s differs", file)
				}
			}
		})
	}
}

// contents returns the files of a report that must not vary.
func contents(t *testing.T, dir string) map[string]string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	files := make(map[string]string)
	for _, e := range entries {
		if e.Name() == report.RunJSON {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		files[e.Name()] = string(data)
	}
	return files
}
