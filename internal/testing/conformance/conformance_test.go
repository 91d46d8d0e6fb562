package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/formats"
)

// tiny is a corpus of texts, with what an oracle says of each: JSON, or why it refuses the file.
var tiny = map[string][2]string{
	"good.csv":      {"a,b\n1,x\n2.50,\n", `[{"Path": "a", "Values": ["1", "2.50"]}, {"Path": "b", "Values": ["x", null]}]`},
	"good.jsonl":    {`{"a": [1, null], "t": "é"}` + "\n" + `{"a": null}` + "\n", `[{"Path": "a", "Values": [[1, null], null]}, {"Path": "t", "Values": ["Ã©", null]}]`},
	"good.tsv":      {"id\tyes\n007\ttrue\n", `[{"Path": "id", "Values": ["007"]}, {"Path": "yes", "Values": ["true"]}]`},
	"value.csv":     {"a\n1\n", `[{"Path": "a", "Values": ["2"]}]`},
	"rows.csv":      {"a\n1\n", `[{"Path": "a", "Values": ["1", "1"]}]`},
	"column.jsonl":  {`{"a": 1}` + "\n", `[{"Path": "a", "Values": [1]}, {"Path": "b", "Values": [1]}]`},
	"open.csv":      {"a\n\"1\n", `[{"Path": "a", "Values": ["1"]}]`},
	"unjudged.csv":  {"", `[]`},
	"refused.csv":   {"a\n\"\n", "a quote does not close"},
	"alone.csv":     {"a\n1\n", "the oracle is stricter"},
	"panics.csv":    {"a\n1\n", `[{"Path": "a", "Values": ["1"]}]`},
	"no corpus.txt": {"a", `[]`},
}

func writeTiny(t *testing.T) string {
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "tiny"), 0o755))
	for name, file := range tiny {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "tiny", name), []byte(file[0]), 0o644))
	}
	return folder
}

// toldBy answers as the table tiny says.
func toldBy(file, _ string) ([]Answer, error) {
	said := tiny[filepath.Base(file)][1]
	if !strings.HasPrefix(said, "[") {
		return []Answer{{By: "the table", Refused: said}}, nil
	}
	return decodeAnswers([]byte(`[{"By": "the table", "Columns": ` + said + `}]`))
}

func TestTinyCorpus(t *testing.T) {
	openFile = func(src columns.Source, format string, o columns.Options, plan []byte) (columns.File, error) {
		switch src.Name() {
		case "panics.csv":
			panic("in a reader")
		case "unjudged.csv":
			return nil, errors.New("not seen before")
		}
		return formats.Open(src, format, o, plan)
	}
	t.Cleanup(func() { openFile = formats.Open })
	results, err := Run(writeTiny(t), toldBy)
	require.NoError(t, err)
	require.Len(t, results, 1)
	found := map[string]Kind{}
	for _, f := range results[0].Findings {
		found[f.File] = f.Kind
	}
	require.Equal(t, map[string]Kind{
		"value.csv": Wrong, "rows.csv": Wrong, "column.jsonl": Wrong, "panics.csv": Crashed,
		"open.csv": Refused, "unjudged.csv": Refused, "refused.csv": Agreed, "alone.csv": Alone,
	}, found)
	require.Equal(t, Counts{Files: 2, Columns: 3, Values: 14, Equal: 14, Wrong: 1}, *results[0].Counts["jsonl"])
	failures := strings.Join(Failures(results), "\n")
	for _, bad := range []string{"value.csv", "rows.csv", "column.jsonl", "panics.csv", "unjudged.csv"} {
		require.Contains(t, failures, bad)
	}
	for _, fine := range []string{"good", "open.csv", "refused.csv", "alone.csv"} {
		require.NotContains(t, failures, fine)
	}
	text := section(results)
	require.Contains(t, text, "| tiny | tsv | 1 | 2 |")
	require.Contains(t, text, "| quotes are doubtful: two readers would read two things | 1 | 0 | yes | `tiny/open.csv` |")
	require.Contains(t, text, "| nobody has judged this | 1 | 0 | no | `tiny/unjudged.csv` |")
}

// TestSame: a value of another kind is another value, however it is spelled.
func TestSame(t *testing.T) {
	number := func(s string) any { return json.Number(s) }
	for _, c := range []struct {
		got, want any
		kind      columns.Type
		same      bool
	}{
		{1.5, number("1.50"), columns.Float, true},
		{0.1, number("0.1000000000000000055511151231257827"), columns.Float, true},
		{0.1, number("0.10000000000000002"), columns.Float, false},
		{0.0, number("-0.0"), columns.Float, false},
		{int64(1), number("1.0"), columns.Int, false},
		{int64(1), true, columns.Bool, true},
		{int64(0), "FALSE", columns.Bool, true},
		{int64(1), true, columns.Int, false},
		{nil, number("0"), columns.Int, false},
		{int64(0), nil, columns.Int, false},
		{"1e5", number("1e5"), columns.String, true},
		{"é", "Ã©", columns.String, true},
		{"", nil, columns.String, false},
		{[]any{1.0, nil}, []any{number("1"), nil}, columns.Float, true},
		{[]any{1.0}, []any{number("1"), nil}, columns.Float, false},
		{[]any{}, nil, columns.Float, false},
	} {
		require.Equal(t, c.same, same(c.got, c.want, columns.Field{Type: c.kind}), fmt.Sprint(c))
	}
}

// TestCompleteDictionary: a complete dictionary must have every value.
func TestCompleteDictionary(t *testing.T) {
	table := columns.StringsOf([]string{"7"})
	require.NoError(t, inDictionary([]any{int64(7), nil}, table, 1, true))
	require.NoError(t, inDictionary([]any{int64(8)}, table, 1, false))
	lacks := wrongDictionary{}
	require.True(t, errors.As(inDictionary([]any{int64(8)}, table, 1, true), &lacks))
	table.Code([]byte("x"))
	require.True(t, errors.As(inDictionary(nil, table, 1, true), &lacks))
}

// TestPollockMeasures: a file that is read as it is has ten.
func TestPollockMeasures(t *testing.T) {
	clean := [][]string{{"a", "b"}, {"1", "x"}, {"2", "y"}}
	require.Equal(t, 10.0, pollockMeasures(clean, clean))
	half := pollockMeasures(clean, [][]string{{"a", "b"}, {"1", "x"}})
	require.InDelta(t, 1+3+(0.5+1+2.0/3)+(4.0/6+1+0.8), half, 1e-15)
	require.Equal(t, 1.0, pollockMeasures(clean, [][]string{{"c"}}))
}

func TestJSONTestSuite(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "test_parsing"), 0o755))
	for name, text := range map[string]string{
		"y_array.json": "[1\n]", "y_twice.json": `{"a": 1, "a": 2}`, "n_comma.json": "[1,]", "i_huge.json": "[1e9999]",
		"n_read.json": "[1]", "y_refused.json": "[1,]",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "test_parsing", name), []byte(text), 0o644))
	}
	r := new(Result)
	lines, err := jsonTestSuite(folder, r)
	require.NoError(t, err)
	require.Contains(t, lines[0], "of 3 files that are JSON, 1 are read; of 2 that are not, 1; of 1 that RFC 8259 leaves open, 0.")
	require.Len(t, r.Findings, 2)
	require.Equal(t, "test_parsing/n_read.json", r.Findings[0].File)
	require.Equal(t, "test_parsing/y_refused.json", r.Findings[1].File)
}

// TestPublish replaces the section of a page alone.
func TestPublish(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(file, []byte("before\n"+begin+"old\n"+end+"after\n"), 0o644))
	require.NoError(t, Publish(file, nil))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "before\n"+begin)
	require.Contains(t, string(text), end+"after\n")
	require.NotContains(t, string(text), "old")
	require.Error(t, Publish(filepath.Join(t.TempDir(), "none.md"), nil))
}

// TestPage: the page has what this code writes, of a run in which nothing was wrong.
func TestPage(t *testing.T) {
	data, err := os.ReadFile("../../../docs/conformance.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(data), begin)
	require.True(t, found)
	text, _, found := strings.Cut(rest, end)
	require.True(t, found)
	blocks := strings.Split(strings.Trim(section(nil), "\n"), "\n\n")
	for _, block := range blocks[1:4] {
		require.Contains(t, text, block)
	}
	for _, r := range reasons {
		require.Contains(t, text, "| "+r.why+" |")
	}
	require.NotContains(t, text, "nobody has judged this")
	sums, columns := make([]int, 9), 9
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != columns || cells[0] == "corpus" {
			continue
		}
		for i := 2; i < columns; i++ {
			n, err := strconv.Atoi(strings.ReplaceAll(cells[i], ",", ""))
			require.NoError(t, err, line)
			if cells[0] == "all" {
				require.Equal(t, sums[i], n, line)
			}
			sums[i] += n
		}
		require.Equal(t, []string{"0", "0"}, cells[7:], "wrong and crashed: %s", line)
	}
	require.Positive(t, sums[2])
}
