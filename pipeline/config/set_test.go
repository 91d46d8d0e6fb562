package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/beameval/beameval/metrics"
)

// Keys that are set by flags have the same meaning as in a file.
func TestSet(t *testing.T) {
	for _, test := range []struct {
		name, file string
		set        []string
		want       string // the file that means the same
	}{
		{"task", "", []string{"task=binary"}, "task: binary"},
		{"list", "", []string{"metrics=[f1, roc_auc]"}, "metrics: [f1, roc_auc]"},
		{"below", "", []string{"ranking.gain=linear"}, "ranking: {gain: linear}"},
		{"the rest of a mapping stays", "curves: {mode: exact, points: 50}", []string{"curves.points=60"}, "curves: {mode: exact, points: 60}"},
		{"a mapping takes the place of the file's", "curves: {mode: exact, points: 50}", []string{"curves={points: 60}"}, "curves: {points: 60}"},
		{"a list takes the place of the file's", "slices: [a, b]", []string{"slices=[[c, d]]"}, "slices: [[c, d]]"},
		{"the last one counts", "", []string{"k=[1]", "k=[3, 2]"}, "k: [3, 2]"},
		{"confidence that is not there", "", []string{"confidence.groups=20"}, "confidence: {groups: 20}"},
		{"confidence that is there", "confidence: {level: 0.9}", []string{"confidence.groups=20"}, "confidence: {groups: 20, level: 0.9}"},
		{"all of confidence", "confidence: {level: 0.9}", []string{"confidence={groups: 20}"}, "confidence: {groups: 20}"},
		{"only confidence", "confidence: {level: 0.9}", []string{"confidence={}"}, "confidence: {}"},
		{"two levels", "input: {columns: {label: y}}", []string{"input.columns.score=p_*"}, "input: {columns: {label: y, score: p_*}}"},
		{"thresholds", "", []string{"decision.threshold={a.b: 0.5}"}, "decision: {threshold: {a.b: 0.5}}"},
		{"preset and a key of it", "ranking: {gain: exponential}", []string{"ranking.preset=trec_eval"}, "ranking: {gain: exponential, preset: trec_eval}"},
		{"key beside a preset", "ranking: {preset: trec_eval}", []string{"ranking.ties=expected"}, "ranking: {preset: trec_eval, ties: expected}"},
		{"equals sign", "", []string{"report.title=a=b"}, "report: {title: a=b}"},
		{"gates", "", []string{"gates=[{metric: f1, min: 0.8}]"}, "gates: [{metric: f1, min: 0.8}]"},
		{"what the file contradicts", "max_skipped: 5%", []string{"bad_rows=skip"}, "max_skipped: 5%\nbad_rows: skip"},
		{"columns that are no longer set", "input: {columns: {query: q}}", []string{"task=binary", "input.columns={label: y}"}, "task: binary\ninput: {columns: {label: y}}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Read([]byte(test.file), "eval.yaml")
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range test.set {
				if err := got.Set(s); err != nil {
					t.Fatal(err)
				}
			}
			if err := got.Validate(); err != nil {
				t.Fatal(err)
			}
			want, err := Parse([]byte(test.want), "")
			if err != nil {
				t.Fatal(err)
			}
			got.src, want.src = nil, nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// Each error names the flag, or the place in the file that contradicts it.
func TestSetErrors(t *testing.T) {
	for _, test := range []struct{ file, set, want string }{
		{"", "task", `--set: expected KEY=VALUE, such as metrics=[f1, roc_auc], found task`},
		{"", "=1", `--set: expected KEY=VALUE, such as metrics=[f1, roc_auc], found =1`},
		{"", "rankin.gain=linear", `--set: unknown key "rankin" (did you mean "ranking"?)`},
		{"", "ranking.gian=linear", `--set: unknown key "gian" in ranking (did you mean "gain"?)`},
		{"", "ranking..gain=linear", `--set: unknown key "" in ranking (valid keys: preset, gain, ties, relevance_threshold, max_relevance, empty_queries, missing_queries, negative_relevance, map_divisor, catalog_size, frequency_total, item_frequencies)`},
		{"", "confidence.group=20", `--set: unknown key "group" in confidence (did you mean "groups"?)`},
		{"", "gain=linear", `--set: unknown key "gain" (it belongs in ranking)`},
		{"", "ranking.gain=linaer", `--set: ranking.gain: unknown value "linaer" (did you mean "linear"?)`},
		{"", "task=3", `--set: task: expected a string, found the number 3 (quote it to make it a string)`},
		{"", "task=", `--set: task: expected a string, found nothing`},
		{"", "task.name=binary", `--set: set task as a whole: task=VALUE`},
		{"", "decision.threshold.a=0.3", `--set: set decision.threshold as a whole: decision.threshold=VALUE`},
		{"", "k=1", `--set: k: expected a list of whole numbers, found the number 1`},
		{"", "k=[1, a]", `--set: k[1]: expected a whole number, found the string "a"`},
		{"", "k=[1", `--set: k: did not find expected ',' or ']' while parsing a flow sequence that begins on line 1`},
		{"", "k=[\xff]", `--set: k: not valid UTF-8`},
		{"", "k=[0]", `--set: k[0]: must be at least 1, is 0`},
		{"", "bad_rows=drop", `--set: bad_rows: unknown value "drop" (valid values: fail, skip)`},
		{"task: binary", "num_labels=3", `--set: num_labels: only for task multiclass or multilabel, the task is binary`},
		{"num_labels: 3", "task=binary", `eval.yaml:1:13: num_labels: only for task multiclass or multilabel, the task is binary`},
		{"", "groups.reference=a", `--set: groups: needs by: the column that says of which group an example is`},
		{"decision:\n  top_k: 3", "decision.threshold=0.5", `eval.yaml:2:10: decision.top_k: contradicts decision.threshold; give one of them`},
	} {
		c, err := Read([]byte(test.file), "eval.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if err = c.Set(test.set); err == nil {
			err = c.Validate()
		}
		if err == nil || err.Error() != test.want {
			t.Errorf("%s:\ngot  %v\nwant %s", test.set, err, test.want)
		}
	}
}

// Messages name special flags; a configuration needs no file.
func TestSetBy(t *testing.T) {
	c := Default()
	if err := c.SetBy("--task", "task", "multiclass"); err != nil || c.Task != metrics.Multiclass {
		t.Fatalf("task %v, error %v", c.Task, err)
	}
	err := c.SetBy("--task", "task", "binry")
	if want := `--task: task: unknown value "binry" (did you mean "binary"?)`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Problems of the file come before those of flags.
func TestSetAfterFile(t *testing.T) {
	c, err := Read([]byte("k: [0]\nbeta: [-1]"), "eval.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Set("curves.bins=1"); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"eval.yaml:1:5: k[0]: must be at least 1, is 0",
		"eval.yaml:2:8: beta[0]: must be greater than 0, is -1",
		"--set: curves.bins: must be from 2 to 16777216, is 1",
	}, "\n")
	if err := c.Validate(); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}
