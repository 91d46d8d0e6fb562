package metrics

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/metrics.md and of the pages in docs/metrics")

const (
	docsIndex  = "../docs/metrics.md"
	docsFolder = "../docs/metrics/"
	tableBegin = "<!-- The table is made from the catalogue of package metrics: go test ./metrics -run TestDocs -update -->\n"
	tableEnd   = "<!-- End of the table. -->\n"
)

// published finds the authors and year in the source of a metric.
var published = regexp.MustCompile(`^.*? \d{4}`)

// TestDocsAreTrue compares the tables of docs/metrics.md and of the pages of tasks with the
// catalogue; the text around them is written by hand.
func TestDocsAreTrue(t *testing.T) {
	checkTable(t, docsIndex, tableOfNames())
	checkTable(t, docsFolder+"groups.md", tableOfGroups())
	for _, n := range taskNames {
		checkTable(t, docsFolder+n.name+".md", tableOfTask(n.task))
	}
	index, err := os.ReadFile(docsIndex)
	require.NoError(t, err)
	for _, m := range catalogue {
		if source := published.FindString(m.ref); source != "" {
			require.Contains(t, string(index), "| "+source+" |", "a source is not listed")
		}
	}
}

// checkTable compares the table of a page, or writes it.
func checkTable(t *testing.T, page, table string) {
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(data), tableBegin)
	require.True(t, found, "%s has no %s", page, tableBegin)
	_, after, found := strings.Cut(rest, tableEnd)
	require.True(t, found, "%s has no %s", page, tableEnd)
	want := before + tableBegin + "\n" + table + "\n" + tableEnd + after
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	if want != string(data) {
		require.Fail(t, page+" does not have the catalogue's table", "run go test ./metrics -run TestDocs -update")
	}
}

// tableOfNames returns a table of all metrics, each with its aliases and links to the pages of its tasks.
func tableOfNames() string {
	tasks, aliases := map[string][]string{}, map[string][]string{}
	for _, n := range taskNames {
		for _, m := range Catalogue(n.task) {
			tasks[m.Name] = append(tasks[m.Name], fmt.Sprintf("[%s](metrics/%[1]s.md)", n.name))
			for _, alias := range m.Aliases {
				if !slices.Contains(aliases[m.Name], alias) {
					aliases[m.Name] = append(aliases[m.Name], alias)
				}
			}
		}
	}
	var out strings.Builder
	out.WriteString("| Metric | Tasks |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(tasks)) {
		cell := "`" + name + "`"
		if also := docAliases(aliases[name]); also != "" {
			cell += " (" + also + ")"
		}
		fmt.Fprintf(&out, "| %s | %s |\n", cell, strings.Join(tasks[name], ", "))
	}
	return out.String()
}

// tableOfTask returns a table of the metrics of a task.
func tableOfTask(task Task) string {
	var out strings.Builder
	averaged := task == Multiclass || task == Multilabel
	out.WriteString("| Metric |")
	if averaged {
		out.WriteString(" Averages |")
	}
	out.WriteString(" Definition | Better | Interval | Needs | Aliases | Source |\n|---|---|---|---|---|---|---|")
	if averaged {
		out.WriteString("---|")
	}
	out.WriteByte('\n')
	for _, m := range Catalogue(task) {
		cells := []string{"`" + m.Name + "`"}
		if averaged {
			cells = append(cells, docAverages(m.Averages))
		}
		cells = append(cells, m.Definition, m.Better.String(), m.Interval, m.Needs, docAliases(m.Aliases), m.Source)
		for i, cell := range cells {
			cells[i] = strings.ReplaceAll(cell, "|", `\|`)
		}
		fmt.Fprintf(&out, "| %s |\n", strings.Join(cells, " | "))
	}
	return out.String()
}

// tableOfGroups returns a table of the metrics that compare groups of people.
func tableOfGroups() string {
	var out strings.Builder
	out.WriteString("| Metric | Definition | Better |\n|---|---|---|\n")
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
	return out.String()
}

// calculation finds what only formulas have: operators, and letters that stand for something, unlike an article, the p of p-value
// and the F of F-beta. Angles would also be elements of HTML in Markdown.
var calculation = regexp.MustCompile(`[=<>|^·√Σ∩∪²⁻]|\+| - |\D/|/\D|(^|[ (])[b-zB-Z]([ ,;:.)]|$)`)

// TestFormulasAreMarked: all calculations of definitions are between dollars. Pages draw them, which package formula tests.
func TestFormulasAreMarked(t *testing.T) {
	for i := range catalogue {
		m := &catalogue[i]
		parts := strings.Split(m.doc, "$")
		require.Equal(t, 1, len(parts)%2, "%s has a dollar without another: %s", m.name, m.doc)
		for j := 0; j < len(parts); j += 2 {
			words := codeInDoc.ReplaceAllString(parts[j], "code")
			require.NotRegexp(t, calculation, words, "%s has a formula that is not between dollars", m.name)
		}
		text, formulas := m.definition()
		require.NotContains(t, text, "$")
		for j, at := range formulas {
			require.Equal(t, parts[2*j+1], text[at[0]:at[1]])
		}
	}
}

// codeInDoc finds what is between backquotes.
var codeInDoc = regexp.MustCompile("`[^`]*`")

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
	require.Empty(t, of(Regression, "quantile_loss@3"), "no quantile")
	require.Equal(t, "quantile_loss@<quantile>", of(Regression, "quantile_loss@0.3"))
}
