package evaluate

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/synthetic"
	"github.com/beameval/beameval/io/report"
)

// Remote runners must write the same report as direct. They run the bundled sets, generated data,
// and the scenarios that end with a report; a cluster runs one for each shape of graph.

// bundled are the bundled sets.
var bundled = []scenario{
	inRepository("breast_cancer", "breast_cancer/config.yaml"),
	inRepository("diabetes", "diabetes/config.yaml"),
	inRepository("digits", "digits/config.yaml"),
	inRepository("digits_attributes", "digits_attributes/config.yaml"),
	inRepository("digits_attributes by label", "digits_attributes/long.yaml"),
	inRepository("digits_retrieval", "digits_retrieval/config.yaml"),
	inRepository("digits_retrieval as trec_eval", "digits_retrieval/trec_eval.yaml"),
}

// inRepository is an evaluation of bundled data.
func inRepository(name, config string) scenario {
	return scenario{name: name, args: "--config testdata/" + config + " --output out", setup: func(t *testing.T, dir string) {
		root, err := filepath.Abs("../../..")
		require.NoError(t, err)
		require.NoError(t, os.Symlink(filepath.Join(root, "testdata"), filepath.Join(dir, "testdata")))
	}}
}

// severalRanges makes ranges of scores so small that generated data have several.
const severalRanges = "curves: {mode: exact, range_mib: 1}\n"

// generated are evaluations of larger data than in the scenarios, in several files with several row
// groups.
var generated = []scenario{
	onGenerated("binary, exact", synthetic.Spec{Rows: 400_000, Weights: true, Slices: countries}, severalRanges),
	onGenerated("binary, bounded", synthetic.Spec{Rows: 200_000, Slices: countries, Shuffle: true}, "curves: {mode: bounded}\n"),
	onGenerated("multiclass, exact", synthetic.Spec{Task: synthetic.Multiclass, Rows: 40_000, Labels: 5, Slices: countries, Predictions: true}, severalRanges),
	onGenerated("multiclass, bounded", synthetic.Spec{Task: synthetic.Multiclass, Rows: 40_000, Weights: true}, "curves: {mode: bounded}\n"),
	onGenerated("multilabel, exact", synthetic.Spec{Task: synthetic.Multilabel, Rows: 20_000, Slices: countries}, severalRanges),
	onGenerated("multilabel, by label, shuffled", synthetic.Spec{Task: synthetic.Multilabel, Layout: synthetic.LayoutLabel, Rows: 100_000, Labels: 5, Shuffle: true}, severalRanges),
	onGenerated("quantiles", synthetic.Spec{Rows: 200_000, Weights: true}, "slices: [{score: {quantiles: 4}}, {score: {bins: [0.2]}, weight: {quantiles: 2}}]\n"),
	onGenerated("ranking", synthetic.Spec{Task: synthetic.Ranking, Rows: 50_000, Slices: countries}, ""),
	onGenerated("ranking, by query", synthetic.Spec{Task: synthetic.Ranking, Layout: synthetic.LayoutExample, Rows: 2_000, Items: 20}, ""),
	onGenerated("ranking, shuffled", synthetic.Spec{Task: synthetic.Ranking, Rows: 50_000, Shuffle: true}, ""),
	onGenerated("regression", synthetic.Spec{Task: synthetic.Regression, Rows: 100_000, Weights: true, Slices: countries}, ""),
}

// someGenerated are evaluations of generated data for workers that are processes: the same elements
// travel as with workers in this process, so three suffice: one whose tasks are shards, one whose
// labels are found and whose examples are scattered, and a ranking.
func someGenerated() []scenario {
	if everyScenario() {
		return generated
	}
	return []scenario{generated[0], generated[5], generated[9]}
}

// large are evaluations of so much data that a job server of Flink or Spark would block forever if
// the output of a worker were one bundle. Nor could Flink sort the statistics of the slices, 65 MB,
// if they were one record.
var large = []scenario{
	onGenerated("large, exact curves", synthetic.Spec{Task: synthetic.Multilabel, Rows: 400_000, Labels: 100, Weights: true}, "curves: {mode: exact}\n"),
	onGenerated("large, rows of examples", synthetic.Spec{Task: synthetic.Multilabel, Rows: 2_000_000, Labels: 30}, "curves: {mode: bounded}\ntruth: {files: [preds]}\n"),
	onGenerated("large, slices", synthetic.Spec{Task: synthetic.Multilabel, Rows: 400_000, Labels: 20, Slices: []synthetic.Slice{{Name: "country", Values: 1000}}},
		"curves: {mode: bounded}\nper_label: none\n"),
}

// someLarge are the large evaluations with these indices: Flink and Spark have the same bound for a bundle, so
// Spark runs those whose scores or rows exceed it, and Flink the one whose records it could not sort.
func someLarge(indices ...int) (some []scenario) {
	if everyScenario() {
		return large
	}
	for _, i := range indices {
		some = append(some, large[i])
	}
	return some
}

var countries = []synthetic.Slice{{Name: "country", Values: 3}}

func onGenerated(name string, spec synthetic.Spec, config string) scenario {
	return scenario{name: name, args: "--config preds/_evaluate.yaml --input preds --output out", setup: func(t *testing.T, dir string) {
		spec.Files, spec.RowGroupSize, spec.Seed = cmp.Or(spec.Files, 4), spec.Rows/16, 1
		writeGenerated(t, filepath.Join(dir, "preds"), spec, config)
	}}
}

// writeGenerated writes generated predictions, and extends the configuration next to them.
func writeGenerated(t *testing.T, dir string, spec synthetic.Spec, config string) {
	require.NoError(t, os.MkdirAll(dir, 0o777))
	var files []*os.File
	var lock sync.Mutex
	_, err := synthetic.Write(t.Context(), spec, func(name string) (io.Writer, error) { // several at a time
		f, err := os.Create(filepath.Join(dir, name))
		lock.Lock()
		defer lock.Unlock()
		files = append(files, f)
		return f, err
	})
	require.NoError(t, err)
	for _, f := range files {
		if filepath.Base(f.Name()) == synthetic.ConfigFile {
			_, err := f.WriteString(config)
			require.NoError(t, err)
		}
		require.NoError(t, f.Close())
	}
}

// reported are the scenarios that end with a report.
func reported() []scenario {
	return slices.DeleteFunc(scenarios(), func(s scenario) bool { return !s.reports() })
}

// requireSameReport compares all files of two reports but run.json, byte for byte.
func requireSameReport(t *testing.T, want, got string) {
	t.Helper()
	require.Equal(t, tree(t, want), tree(t, got))
	for _, name := range tree(t, want)[1:] {
		if filepath.Base(name) != report.RunJSON {
			require.Equal(t, contentOf(t, want, name), contentOf(t, got, name), name)
		}
	}
}
