package metrics

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/metrics.md")

const (
	docsFile    = "../docs/metrics.md"
	tablesBegin = "<!-- The tables are made from the catalogue of package metrics: go test ./metrics -run TestDocs -update -->\n"
	tablesEnd   = "<!-- End of the tables. -->\n"
)

// published finds the authors and year in the source of a metric.
var published = regexp.MustCompile(`^.*? \d{4}`)

// TestDocsAreTrue compares the tables of docs/metrics.md with the catalogue; the
// text around them is written by hand.
func TestDocsAreTrue(t *testing.T) {
	data, err := os.ReadFile(docsFile)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(data), tablesBegin)
	require.True(t, found, "no %s", tablesBegin)
	_, after, found := strings.Cut(rest, tablesEnd)
	require.True(t, found, "no %s", tablesEnd)
	for _, m := range catalogue {
		if source := published.FindString(m.ref); source != "" {
			require.True(t, strings.Contains(after, "| "+source+" |"), "source %s is not listed", source)
		}
	}
	want := before + tablesBegin + "\n" + docTables() + tablesEnd + after
	if *update {
		require.NoError(t, os.WriteFile(docsFile, []byte(want), 0o644))
		return
	}
	if want != string(data) {
		require.Fail(t, "docs/metrics.md does not have the catalogue's tables", "run go test ./metrics -run TestDocs -update")
	}
}

// docTables returns a Markdown table of the metrics of each task.
func docTables() string {
	var out strings.Builder
	for _, n := range taskNames {
		averaged := n.task == Multiclass || n.task == Multilabel
		fmt.Fprintf(&out, "## %s\n\n| Metric |", strings.ToUpper(n.name[:1])+n.name[1:])
		if averaged {
			out.WriteString(" Averages |")
		}
		out.WriteString(" Definition | Better | Interval | Needs | Aliases | Source |\n|---|---|---|---|---|---|---|")
		if averaged {
			out.WriteString("---|")
		}
		out.WriteByte('\n')
		for _, m := range Catalogue(n.task) {
			cells := []string{"`" + m.Name + "`"}
			if averaged {
				cells = append(cells, docAverages(m.Averages))
			}
			cells = append(cells, m.Definition, m.Better.String(), m.Interval, m.Needs, docAliases(m.Aliases), m.Source)
			fmt.Fprintf(&out, "| %s |\n", strings.ReplaceAll(strings.Join(cells, "\x00"), "|", `\|`))
		}
		out.WriteByte('\n')
	}
	out.WriteString("## Groups side by side\n\n| Metric | Definition | Better |\n|---|---|---|\n")
	line := func(name, of string, d *disparity) {
		better := d.better.String()
		if d.better == Neither {
			better = "as of the metric"
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s |\n", name+d.suffix, d.of(of), better)
	}
	for i := range disparities {
		line("<metric>", "value", &disparities[i])
	}
	for _, c := range Criteria() {
		for i := range disparities[:2] {
			line(c.Name, c.Name, &disparities[i])
		}
	}
	out.WriteByte('\n')
	return strings.ReplaceAll(out.String(), "\x00", " | ")
}

func docAverages(averages []string) string {
	var list []string
	for _, a := range averages {
		if a == "" {
			list = append(list, "per label")
		} else {
			list = append(list, "`"+a+"`")
		}
	}
	return strings.Join(list, " ")
}

func docAliases(aliases []string) string {
	if len(aliases) == 0 {
		return ""
	}
	return "`" + strings.Join(aliases, "` `") + "`"
}

// Lookup finds a metric by every name that a configuration may have for it, as Select does.
func TestLookup(t *testing.T) {
	of := func(task Task, name string) string {
		m, found := Lookup(task, name)
		require.Equal(t, found, m.Name != "")
		return m.Name
	}
	for _, n := range taskNames {
		for _, m := range Catalogue(n.task) {
			for _, name := range append([]string{m.Name}, m.Aliases...) {
				for _, average := range append([]string{""}, m.Averages...) {
					got, found := Lookup(n.task, name+average)
					require.True(t, found, "%s of %s", name+average, n.name)
					require.Equal(t, m, got, "%s of %s", name+average, n.name)
				}
			}
		}
		require.Empty(t, of(n.task, "acuracy"))
	}
	require.Equal(t, "f1", of(Multiclass, "F1-Score_macro"))
	require.Equal(t, "ndcg@<k>", of(Ranking, "nDCG@7"))
	require.Empty(t, of(Ranking, "f1"))
}
