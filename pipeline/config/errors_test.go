package config

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// testdata/errors.txt contains files, each followed by its messages: the text after "eval.yaml:" on
// lines that begin with "=> ".
func TestParseErrors(t *testing.T) {
	data, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(data), "====\n") {
		yaml, messages, found := strings.Cut(block, "=> ")
		if !found {
			t.Errorf("no message after\n%s", block)
			continue
		}
		want := "eval.yaml:" + strings.ReplaceAll(strings.TrimSpace(messages), "\n=> ", "\neval.yaml:")
		checkError(t, yaml, want)
	}
}

// Files that a text file cannot represent well.
func TestParseErrorsOfBytes(t *testing.T) {
	long := strings.Repeat("ab", 30)
	for yaml, want := range map[string]string{
		"# ü\ntask: bin\xffary":   "eval.yaml:2:10: not valid UTF-8",
		"task: " + long:           `eval.yaml:1:7: task: unknown value "` + long[:40] + `…" (valid values: binary, multiclass, multilabel, regression, ranking, preference, grade, agreement)`,
		"\ttask: binary":          "eval.yaml:1:1: found character that cannot start any token",
		"bad_rows: |\r\n  no\r\n": `eval.yaml:1:11: bad_rows: unknown value "no\n" (valid values: fail, skip)`,
	} {
		checkError(t, yaml, want)
	}
}

func checkError(t *testing.T, yaml, want string) {
	t.Helper()
	c, err := Parse([]byte(yaml), "eval.yaml")
	if err == nil {
		t.Errorf("no error for\n%s", yaml)
		return
	}
	if c != nil {
		t.Errorf("a configuration and an error for\n%s", yaml)
	}
	if got := err.Error(); got != want {
		t.Errorf("wrong error for\n%s\ngot\n%s\nwant\n%s", yaml, got, want)
	}
}

func TestParseWithoutFileName(t *testing.T) {
	_, err := Parse([]byte("k: 1"), "")
	if want := "config:1:4: k: expected a list of whole numbers, found the number 1"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Millions of labels belong in a file of their own.
func TestParseTooLong(t *testing.T) {
	_, err := Parse(bytes.Repeat([]byte("# labels\n"), 1<<20), "eval.yaml")
	want := "eval.yaml: the configuration has 9437184 bytes, more than 8388608: list labels in a labels_file, one name a line, and thresholds in a JSON file that decision.threshold names"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
