package main

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/beameval/beameval/metrics"
)

// documentedMetric is a metric that has a page. An entry is what it is in tasks in which it is the same.
type documentedMetric struct {
	name    string
	entries []entry
}

type entry struct {
	about metrics.About
	tasks []metrics.Task
}

// documentedMetrics returns the metrics of the catalogue, by name.
func documentedMetrics() (all []documentedMetric) {
	at := map[string]int{}
	for _, task := range metrics.Tasks() {
		for _, about := range metrics.Catalogue(task) {
			i, known := at[about.Name]
			if !known {
				i = len(all)
				at[about.Name], all = i, append(all, documentedMetric{name: about.Name})
			}
			m := &all[i]
			same := slices.IndexFunc(m.entries, func(e entry) bool { return reflect.DeepEqual(e.about, about) })
			if same < 0 {
				same, m.entries = len(m.entries), append(m.entries, entry{about: about})
			}
			m.entries[same].tasks = append(m.entries[same].tasks, task)
		}
	}
	slices.SortFunc(all, func(a, b documentedMetric) int { return strings.Compare(a.name, b.name) })
	return all
}

var notInFiles = regexp.MustCompile(`[^a-z0-9]+`)

// page returns the file of the page in the sources: a parameter such as <k> is at_k.
func (m documentedMetric) page() string {
	return "metric/" + strings.Trim(notInFiles.ReplaceAllString(strings.ReplaceAll(m.name, "@", " at "), "_"), "_") + ".md"
}

// text returns the page of the metric. It is in no tree of contents, because there are too many for a sidebar.
func (m documentedMetric) text(about conventions, own []foundCase) string {
	var out strings.Builder
	fmt.Fprintf(&out, "---\norphan: true\n---\n\n# `%s`\n", m.name)
	for _, e := range m.entries {
		if len(m.entries) > 1 {
			fmt.Fprintf(&out, "\n## As a metric of %s\n", listOf(e.tasks))
		}
		fmt.Fprintf(&out, "\n> %s\n\n| | |\n|---|---|\n", definition(e.about))
		for _, fact := range [][2]string{
			{"tasks", linksOf(e.tasks)}, {"better", e.about.Better.String()}, {"averages", averagesOf(e.about)},
			{"[interval](../confidence.md)", e.about.Interval}, {"[needs](../metrics.md#how-to-read-a-table)", e.about.Needs},
			{"other names", quoted(e.about.Aliases)}, {"[source](../metrics.md#sources)", e.about.Source},
		} {
			if fact[1] != "" {
				fmt.Fprintf(&out, "| %s | %s |\n", fact[0], strings.ReplaceAll(fact[1], "|", `\|`))
			}
		}
	}
	fmt.Fprintf(&out, "\n## Example\n\n%s", exampleOf(own))
	fmt.Fprintf(&out, "\n## Undefined values\n\n%s", about.undefinedOf(m, own))
	fmt.Fprintf(&out, "\n## Agreement\n\n%s", about.agreementOf(m, own))
	fmt.Fprintf(&out, "\n## How to ask for it\n\n```sh\nbeameval evaluate --input predictions.parquet --metrics %s --output report\nbeameval metrics '%s'\n```\n\n"+
		"[All metrics](index.md), [what to write](../metrics.md#what-to-write).\n", spelled(m), m.name)
	return out.String()
}

var parameter = regexp.MustCompile(`<[^>]*>`)

// spelled returns the name as a configuration has it, with a usual argument.
func spelled(m documentedMetric) string {
	for _, argument := range []string{"3", "0.9", "0.5", "0.1"} {
		name := parameter.ReplaceAllString(m.name, argument)
		if _, found := metrics.Lookup(m.entries[0].tasks[0], name); found {
			return name
		}
	}
	return m.name
}

func listOf(tasks []metrics.Task) string {
	var names []string
	for _, t := range tasks {
		names = append(names, t.String())
	}
	return strings.Join(names, ", ")
}

func linksOf(tasks []metrics.Task) string {
	var names []string
	for _, t := range tasks {
		names = append(names, fmt.Sprintf("[%s](../metrics/%[1]s.md)", t))
	}
	return strings.Join(names, ", ")
}

func averagesOf(m metrics.About) string {
	var list []string
	for _, a := range m.Averages {
		if a == "" {
			list = append(list, "per label")
		} else {
			list = append(list, "`"+a+"`")
		}
	}
	return strings.Join(list, ", ")
}

func quoted(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

// metricIndex lists the pages of metrics by task.
func metricIndex(all []documentedMetric) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# Every metric\n\n%d metrics, a page each. [Metrics](../metrics.md) has them in tables, with the conventions of each task.\n", len(all))
	for _, task := range metrics.Tasks() {
		fmt.Fprintf(&out, "\n## %s\n\n| metric | definition |\n|---|---|\n", task)
		for _, m := range all {
			for _, e := range m.entries {
				if slices.Contains(e.tasks, task) {
					fmt.Fprintf(&out, "| [`%s`](%s) | %s |\n", m.name, strings.TrimPrefix(m.page(), "metric/"), strings.ReplaceAll(e.about.Definition, "|", `\|`))
				}
			}
		}
	}
	return out.String()
}

// linkNames links the names in the first column of a task's table to their pages.
func linkNames(text string, all []documentedMetric) string {
	for _, m := range all {
		text = strings.ReplaceAll(text, "\n| `"+m.name+"` |", "\n| [`"+m.name+"`](../"+m.page()+") |")
	}
	return text
}
