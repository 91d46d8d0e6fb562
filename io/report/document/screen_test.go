package document

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report/checks"
)

// A rounded number stays on its side of a limit.
func TestTelling(t *testing.T) {
	limit := 0.8
	for x, want := range map[float64]string{
		0.12345678: "0.1235", 0.79996: "0.79996", 0.8: "0.8000", 0.80000004: "0.80000004", 0.7999999999999999: "0.7999999999999999", -1e300: "-1.000e+300", 1234567: "1,234,567", -30: "-30", 12.5: "12.5000", 3: "3.0000",
	} {
		require.Equal(t, want, telling(x, nil, &limit))
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"short", "short"},
		{"twelve chars", "twelve chars"},
		{"thirteen char", "thirte… char"},
		{"日本日本日本日本", "日本日…日本"},
	} {
		require.Equal(t, test.want, Cut(test.name, 12))
	}
}

// Verdicts have colours; names that read like verdicts have not.
func TestColoursOfVerdicts(t *testing.T) {
	same := func(s string) string { return s }
	for verdict, colour := range map[string]string{"worse": "31", "better": "32", "fail": "31", "pass": "32", "unknown": "33"} {
		shown := Screen{Colour: true}.print(TableOf([]string{verdict}, Text("metric", same), Verdicts("verdict", same)))
		require.Regexp(t, " "+verdict+" +\x1b\\["+colour+"m"+verdict+"\x1b\\[0m", shown)
	}
}

// On a screen with colours, leads and the names of columns are bold, line by line, and warnings begin
// in yellow. Without them, the text is the same.
func TestColoursOfText(t *testing.T) {
	same := func(s string) string { return s }
	doc := &Document{Output: OnScreen}
	doc.Add(Section{In: OnScreen, Lead: strings.Repeat("lead ", 20), List: []string{"of what", "why", "so"}, Levels: []checks.Level{checks.Warning, checks.Error, checks.Note}})
	doc.Add(Section{In: OnScreen, Table: TableOf([]string{"a", "b"}, Text("name", same), Text("average_precision", same))})
	var plain, coloured strings.Builder
	require.NoError(t, doc.Print(&plain, Screen{}))
	require.NoError(t, doc.Print(&coloured, Screen{Colour: true}))
	require.NotContains(t, plain.String(), "\x1b")
	for _, want := range []string{"\x1b[1mlead lead", "lead\x1b[0m\n\x1b[1mlead", "\x1b[33mwarning:\x1b[0m of what", "\x1b[31merror:\x1b[0m why", "\x1b[36mnote:\x1b[0m so", "\x1b[1maverage_\x1b[0m", "\x1b[1mprecision\x1b[0m", "\x1b[1mname\x1b[0m"} {
		require.Contains(t, coloured.String(), want)
	}
	require.Equal(t, plain.String(), regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(coloured.String(), ""))
}

// Cells are cut only where a table does not fit.
func TestCellsAreCutIfNeeded(t *testing.T) {
	same := func(s string) string { return s }
	name := strings.Repeat("name ", 9) + "end"
	for _, kind := range []fit{cutNames, DropColumns, KeepColumns} {
		table := TableOf([]string{name}, Text("slice", same), Numbers("value", func(string) string { return "0.5" }))
		table.Fit = kind
		require.Contains(t, Screen{}.print(table), name)
		require.NotContains(t, Screen{Width: 40}.print(table), name)
	}
}
