package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// conventions are what other files say about metrics: each thing is written down once, and shown where a reader looks.
type conventions struct {
	undefined, otherwise []string // rows of docs/metrics.md: the metrics, and what they are
	differences          []string // rows of docs/faq.md
	tolerance            string   // of the tests
}

var toleranceOfTests = regexp.MustCompile(`(?m)^const tolerance = (\S+)$`)

func readConventions() (c conventions, err error) {
	metricsPage, err := os.ReadFile("docs/metrics.md")
	if err != nil {
		return c, err
	}
	faq, err := os.ReadFile("docs/faq.md")
	if err != nil {
		return c, err
	}
	tests, err := os.ReadFile("metrics/golden_test.go")
	if err != nil {
		return c, err
	}
	for _, row := range rowsBelow(string(metricsPage), "## Undefined values") {
		if strings.HasPrefix(row, "| everything else |") {
			c.otherwise = append(c.otherwise, row)
		} else {
			c.undefined = append(c.undefined, row)
		}
	}
	c.differences = rowsBelow(string(faq), "### Why does it differ from scikit-learn?")
	tolerance := toleranceOfTests.FindSubmatch(tests)
	if len(c.otherwise) != 1 || len(c.undefined) < 4 || len(c.differences) < 4 || tolerance == nil {
		return c, fmt.Errorf("docs/metrics.md, docs/faq.md or metrics/golden_test.go have no tables of conventions, or no tolerance")
	}
	c.tolerance = string(tolerance[1])
	return c, nil
}

// rowsBelow returns the rows of the first table below a heading, without its head.
func rowsBelow(page, heading string) (rows []string) {
	_, text, _ := strings.Cut(page, "\n"+heading+"\n")
	lines := 0
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "|"):
			if lines++; lines > 2 {
				rows = append(rows, strings.TrimSuffix(line, "\n"))
			}
		case lines > 0:
			return rows
		}
	}
	return rows
}

// about reports whether a row of a table is about a metric: its first cell has the name, or its beginning before an
// ellipsis, or its average.
func about(row string, m documentedMetric) bool {
	cell, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
	for _, name := range codeInCell.FindAllStringSubmatch(cell, -1) {
		stem, short := strings.CutSuffix(name[1], "…")
		if name[1] == m.name || short && strings.HasPrefix(m.name, stem) {
			return true
		}
		if strings.HasPrefix(name[1], "_") && slices.Contains(m.entries[0].about.Averages, name[1]) {
			return true
		}
		if base, _, with := strings.Cut(m.name, "@"); with && strings.HasPrefix(name[1], base+"@") {
			return true
		}
	}
	return false
}

var codeInCell = regexp.MustCompile("`([^`]+)`")

func (c conventions) undefinedOf(m documentedMetric, cases []foundCase) string {
	var rows, where []string
	for _, row := range c.undefined {
		if about(row, m) {
			rows = append(rows, row)
		}
	}
	if rows == nil {
		rows = c.otherwise
	}
	for _, found := range cases {
		if _, what, _ := strings.Cut(found.name, "/"); found.undefined() && len(where) < 5 && !slices.Contains(where, what) {
			where = append(where, what)
		}
	}
	text := "| metric | if its denominator is 0 |\n|---|---|\n" + linked(strings.Join(rows, "\n"), "docs/metrics.md") + "\n"
	if where != nil {
		text += "\nCases of the tests in which a value is undefined: " + strings.Join(where, "; ") + ".\n"
	}
	return strings.ReplaceAll(text, "](metrics/", "](../metrics/") + "\n[All rules](../metrics.md#undefined-values).\n"
}

func (c conventions) agreementOf(m documentedMetric, cases []foundCase) string {
	var with []string
	for _, found := range cases {
		if !slices.Contains(with, found.with) {
			with = append(with, found.with)
		}
	}
	slices.Sort(with)
	text := "No case of the tests has values from elsewhere.\n"
	if len(cases) > 0 {
		text = fmt.Sprintf("The tests compare it in %d cases with values that were computed with %s. The values agree to %s, relative where they are above 1.\n",
			len(cases), strings.Join(with, "; or "), c.tolerance)
	}
	var rows []string
	for _, row := range c.differences {
		if about(row, m) {
			rows = append(rows, row)
		}
	}
	if rows != nil {
		text += "\nIt differs from scikit-learn by convention:\n\n| what | beameval | scikit-learn |\n|---|---|---|\n" + strings.Join(rows, "\n") + "\n"
	}
	return text
}
