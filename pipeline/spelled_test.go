package pipeline

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"
)

// TestNumbersWrittenAsText: where a column of numbers has texts, the message shows one that stands for a number, and how to write
// it; also if all are such texts, in every format, in one column and in several.
func TestNumbersWrittenAsText(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"0,9": "write 0.9", "-12,50": "write -12.50", ",5": "write .5", "1.234,5": "write 1234.5",
		"90%": "write the share as a number, 0.9", "12.5 %": "write the share as a number, 0.125",
		"1,000": "write 1000 or, if the comma is that of a decimal, 1.000", "1,000.5": "write 1000.5", "12,345,678": "write 12345678",
		" 0.9": "write numbers without spaces around them",
	} {
		for _, c := range []struct{ name, text, yaml string }{
			{"p.csv", "label,score\n1,%q\n0,%[1]q\n", ""},
			{"p.csv", "label,score\n1,0.5\n0,%q\n", ""},
			{"p.tsv", "label\tscore\n1\t%s\n", ""},
			{"p.jsonl", `{"label": 1, "score": %q}`, ""},
			{"p.jsonl", `{"label": 1, "score": 0.5, "w": %q}`, "input: {columns: {weight: w}}\n"},
			{"p.jsonl", `{"label": %q, "prediction": 0.5}`, "task: regression\n"},
			{"p.jsonl", `{"label": "a", "p_a": 0.5, "p_b": %q}`, "input: {columns: {score: [p_a, p_b]}}\nlabels: [a, b]\n"},
			{"p.jsonl", `{"label": ["a"], "score": [0.5, 0.5], "l_a": 1, "l_b": %q}`, "task: multilabel\ninput: {columns: {label: l_*}}\n"},
		} {
			err := refused(t, c.yaml, namedTexts(t, [2]string{c.name, fmt.Sprintf(c.text, value)})...)
			require.ErrorContains(t, err, fmt.Sprintf(" has %q: %s", value, want), c.text)
			require.NotContains(t, err.Error(), "another task")
		}
	}
	err := refused(t, "", namedTexts(t, [2]string{"p.jsonl", `{"label": 1, "score": "0.9"}`})...)
	require.ErrorContains(t, err, `column "score" has "0.9": write numbers as such, not as texts`)
	err = refused(t, "", namedTexts(t, [2]string{"p.csv", "label,score\n1,high\n"})...)
	require.ErrorContains(t, err, "must be of type int or float; name another column or another task")
	require.NotContains(t, err.Error(), "write")
}

// TestPercentages: scores in percent are told from scores that are no probabilities.
func TestPercentages(t *testing.T) {
	t.Parallel()
	for score, is := range map[string]bool{"87.5": true, "100": true, "2.5": true, "100.5": false, "1.2": false, "-3": false} {
		for _, c := range []struct{ name, text string }{
			{"p.csv", "label,score\n1,0.5\n0,%s\n"}, {"p.jsonl", `{"label": ["a"], "score": [0.5, %s]}` + "\n" + `{"label": ["b"], "score": [0.5, 0]}` + "\n"},
		} {
			err := refused(t, map[bool]string{true: "labels: [a, b]\n"}[strings.Contains(c.text, "[")], namedTexts(t, [2]string{c.name, fmt.Sprintf(c.text, score)})...)
			require.ErrorContains(t, err, score)
			require.ErrorContains(t, err, "set input.score_type to logit or score if these are not probabilities")
			require.Equal(t, is, strings.Contains(err.Error(), "divide by 100 if these are percentages, or set"), "%v", err)
		}
	}
}

// TestEndingsInCapitals: capitals in endings do not matter, alone or of compressed files, and what is not supported is said of
// files that are named in capitals.
func TestEndingsInCapitals(t *testing.T) {
	t.Parallel()
	const csv, jsonl = "label,score\n1,0.9\n0,0.2\n", `{"label":1,"score":0.9}` + "\n" + `{"label":0,"score":0.2}` + "\n"
	for name, text := range map[string]string{
		"A.CSV": csv, "a.Csv": csv, "A.TSV": strings.ReplaceAll(csv, ",", "\t"), "A.JSONL": jsonl, "A.NDJSON": jsonl,
		"A.CSV.GZ": gzipped(t, csv), "a.csv.Gz": gzipped(t, csv), "A.JSONL.GZ": gzipped(t, jsonl),
	} {
		require.Equal(t, 1.0, overallValues(readReport(t, evaluateOn(t, parse(t, "", namedTexts(t, [2]string{name, text})...), "direct", 0)))["accuracy"], name)
	}
	for name, text := range map[string]string{"a.csv.bz2": "BZh91AY&SYabcdefghijk", "A.CSV.BZ2": "BZh91AY&SYabcdefghijk", "A.BZ2": "BZh91AY&SYabcdefghijk", "A.CSV.XZ": "\xfd7zXZ\x00abcdefghijk", "A.CSV": "BZh91AY&SYabcdefghijk"} {
		require.ErrorContains(t, refused(t, "", namedTexts(t, [2]string{name, text})...), "which is not supported: decompress it", name)
	}
	require.ErrorContains(t, refused(t, "", namedTexts(t, [2]string{"A.CSV", "label,score\r1,0.9\r0,0.2\r"})...), "the lines end in CR alone: write the file with LF or CRLF")
}

func gzipped(t *testing.T, text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.String()
}

// TestClassesWithFractions: a number with a fraction is no class, and the message says what is.
func TestClassesWithFractions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, yaml string }{
		{"p.csv", "label,prediction\n0.5,0.5\n1.5,0.5\n", "task: multiclass\n"},
		{"p.csv", "label,prediction\n0.5,0.5\n1.5,0.5\n", "task: multiclass\nlabels: [0.5, 1.5]\n"},
		{"p.jsonl", `{"label": 0.5, "score": [0.5, 0.2, 0.3]}` + "\n" + `{"label": 1.5, "score": [0.5, 0.2, 0.3]}`, ""},
		{"p.jsonl", `{"label": 1.5, "prediction": 0.5}`, "task: multiclass\nnum_labels: 3\n"},
	} {
		err := refused(t, c.yaml, namedTexts(t, [2]string{c.name, c.text})...)
		require.ErrorContains(t, err, "a class is a whole number, a boolean or a text", c.text)
		require.NotContains(t, err.Error(), "to -1")
	}
}
