package config

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics"
)

var update = flag.Bool("update", false, "rewrite "+reference+" and "+schemaFile)

// reference has every key with its default and a comment.
const reference = "../../docs/config.yaml"

// checkGolden compares a file that is generated from the types of the configuration.
func checkGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(name, got, 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	if !bytes.Equal(want, got) {
		t.Errorf("%s is not what follows from the types: go test ./pipeline/config -update writes it anew", name)
	}
}

func TestReference(t *testing.T) {
	printed := Print(new(Default()))
	checkGolden(t, reference, printed)
	var visit func(indent string, keys []key)
	visit = func(indent string, keys []key) {
		for _, k := range keys {
			require.NotEmpty(t, comments()[k.field], "%s has no comment", k.field)
			require.Regexp(t, regexp.MustCompile("(?m)^"+indent+"#?"+k.name+":"), string(printed))
			visit(indent+"  ", mappingOf(k.value))
		}
	}
	visit("", new(Config).keys())
	for _, line := range strings.Split(string(printed), "\n")[2:] {
		require.LessOrEqual(t, len([]rune(line)), printWidth, line)
	}
}

// Keys inside lists have comments, too, which only the schema shows.
func TestComments(t *testing.T) {
	for _, of := range []any{Gate{}, Binning{}} {
		for _, k := range keysOf(reflect.ValueOf(of)) {
			require.NotEmpty(t, comments()[k.field], "%s has no comment", k.field)
		}
	}
}

// checkPrinted checks that a printed configuration is read back as the same one, whatever the task
// turns out to be.
func checkPrinted(t *testing.T, c *Config) {
	t.Helper()
	printed := Print(c)
	again, err := Parse(printed, "printed.yaml")
	if err != nil {
		t.Fatalf("%v:\n%s", err, printed)
	}
	got, want := *again, *c
	got.src, want.src = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %+v\nwant %+v\nprinted\n%s", got, want, printed)
	}
	if second := Print(again); string(second) != string(printed) {
		t.Fatalf("printed again:\n%s\nnot\n%s", second, printed)
	}
	tasks := []metrics.Task{c.Task}
	if c.Task == 0 {
		tasks = []metrics.Task{metrics.Binary, metrics.Multiclass, metrics.Multilabel, metrics.Ranking, metrics.Regression}
	}
	for _, task := range tasks {
		a, b := *c, *again
		a.Task, b.Task = task, task
		if err, errAgain := withoutPlaces(a.Validate()), withoutPlaces(b.Validate()); err != errAgain {
			t.Fatalf("task %s: %v; printed and read again: %v\n%s", task, err, errAgain, printed)
		}
	}
}

var place = regexp.MustCompile(`(?m)^[a-z.]+:\d+:\d+: `)

// withoutPlaces returns the message of an error without the places in a file.
func withoutPlaces(err error) string { return place.ReplaceAllString(fmt.Sprint(err), "") }

func TestPrint(t *testing.T) {
	full, err := os.ReadFile("testdata/full.yaml")
	require.NoError(t, err)
	for _, yaml := range []string{
		"", string(full),
		"task: binary\npositive_label: 1\ncurves: {bins: 7}",
		"task: ranking\nranking: {gain: linear}\noutput: {per_query: true}",
		"confidence: {}", "confidence: {by: user, level: 0.9}",
		"decision: {threshold: thresholds.json}", "decision: {threshold: 0.3}", "decision: {threshold: {a: 0.3, 'no: b': 0.4, default: 0.2}}",
		"input: {score_type: score, columns: {label: {b: is_b, a: is_a}, score: [s1, s2], prediction: said_*}}",
		"labels: ['null', 'true', '1.0', '', ' a', 'b ', 'c #d', 'é: è', '-', '...', \"\\u2028\\n\\\\\"]",
		"max_skipped: 7\nbad_rows: skip", "zero_division: .nan\nk: []\nmetrics: [f1]\nper_label: none",
		"report: {notes: \"a\\nb\", title: 'x # y'}", "slices: [{a: [~, 'null', 1]}, [b, {c: {quantiles: 3}}]]",
		"gates: [{metric: f1, min: 0.5, slice: {a: ~}}, {metric: f1, max_drop: 0.1, slice: each, sure: true}]\nslices: [a]",
		"groups: {by: g, metrics: []}", "truth: {files: t, missing: skip}", "propensity: {frequencies: truth}",
		"task: binary\ncosts: {fp: 1, fn: 10}", "task: multiclass\ncosts: [[0, 1.5], [2, 0]]",
		"labels: [a" + strings.Join(numbered(30), "") + "]",
	} {
		c, err := Parse([]byte(yaml), "c.yaml")
		require.NoError(t, err, yaml)
		checkPrinted(t, c)
	}
}

func numbered(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf(", label_%d", i))
	}
	return list
}
