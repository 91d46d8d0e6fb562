package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/beameval/beameval/metrics"
)

// goldenCase is a case that the tests of metrics compare with, as testdata/make_cases.py describes it.
type goldenCase struct {
	name, with string // with says what computed it
	task       metrics.Task
	labels     []string
	inputs     []input // in the order of the file
	size       int     // bytes of the inputs
	expected   map[string]json.RawMessage
}

type input struct {
	name string
	data string
}

// notShown are keys of a case that are no inputs.
var notShown = []string{"name", "task", "expected", "digits"}

// readCases reads the cases of all files in a folder.
func readCases(folder string) (all []goldenCase, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var content struct {
			With  string `json:"_computed_with"`
			Cases []map[string]json.RawMessage
		}
		if err := json.Unmarshal(data, &content); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, keys := range content.Cases {
			c, err := caseOf(keys)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			c.with = strings.TrimSpace(strings.Split(content.With, ";")[0])
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, errors.New(folder + " has no cases")
	}
	return all, nil
}

func caseOf(keys map[string]json.RawMessage) (c goldenCase, err error) {
	for _, field := range []struct {
		key string
		to  any
	}{{"name", &c.name}, {"task", &c.task}, {"expected", &c.expected}, {"labels", &c.labels}} {
		if err := json.Unmarshal(keys[field.key], field.to); err != nil && field.key != "labels" {
			return c, fmt.Errorf("%s: %w", field.key, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		var short bytes.Buffer
		if slices.Contains(notShown, name) {
			continue
		}
		value, err := shownOf(name, keys[name])
		if err != nil {
			return c, err
		}
		if value == nil {
			continue
		}
		if err := json.Compact(&short, value); err != nil {
			return c, err
		}
		c.inputs = append(c.inputs, input{name, strings.ReplaceAll(short.String(), ",", ", ")})
		c.size += short.Len()
	}
	return c, nil
}

// defaults are keys of configurations whose values are beameval's own: readers need not be told.
var defaults = map[string]string{
	"beta":          `[0.5,2]`,
	"calibration":   `{"bins":10,"strategy":"uniform"}`,
	"ranking":       `{"gain":"exponential","ties":"expected","relevance_threshold":1,"max_relevance":4,"empty_queries":"skip"}`,
	"zero_division": `0`,
}

// shownOf returns an input of a case without what is the default, or nil if nothing is left.
func shownOf(name string, value json.RawMessage) (json.RawMessage, error) {
	switch {
	case string(value) == "[]":
		return nil, nil
	case name != "config":
		return value, nil
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(value, &keys); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	for key, value := range keys {
		var short bytes.Buffer
		if err := json.Compact(&short, value); err != nil {
			return nil, fmt.Errorf("config: %w", err)
		}
		if short.String() == defaults[key] {
			delete(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	return json.Marshal(keys)
}

// foundCase is a case with the values of a metric: by its names there, with averages and arguments.
type foundCase struct {
	goldenCase
	values []input
}

// byMetric returns the cases that have a metric, by its name in the catalogue, the smallest first.
func byMetric(cases []goldenCase) map[string][]foundCase {
	catalogued := map[string]string{} // by task and name in a case
	of := func(task metrics.Task, name string) string {
		key := task.String() + " " + name
		if _, known := catalogued[key]; !known {
			about, _ := metrics.Lookup(task, name)
			catalogued[key] = about.Name
		}
		return catalogued[key]
	}
	found := map[string][]foundCase{}
	for _, c := range cases {
		values := map[string][]input{}
		for _, name := range slices.Sorted(maps.Keys(c.expected)) {
			metric := of(c.task, name)
			values[metric] = append(values[metric], input{name, string(c.expected[name])})
		}
		for metric, list := range values {
			found[metric] = append(found[metric], foundCase{c, list})
		}
	}
	for _, list := range found {
		slices.SortStableFunc(list, func(a, b foundCase) int { return a.size - b.size })
	}
	return found
}

// mostOfExample is how many bytes the inputs of an example have at most: a reader follows it by hand.
const mostOfExample = 1200

var digitsOfValue = regexp.MustCompile(`(\d\.\d{10})\d+`)

// oddCase matches the names of cases that test an edge.
var oddCase = regexp.MustCompile(`\b(single|one|no|all|only|perfect|extreme|above|nan|always|everything|nothing|empty|never)\b`)

// exampleOf shows the smallest case in which the metric is defined and not trivial, and which is no edge where there is one.
func exampleOf(cases []foundCase) string {
	cases = slices.DeleteFunc(slices.Clone(cases), func(c foundCase) bool { return c.size > mostOfExample })
	best := -1
	for _, good := range []func(foundCase) bool{
		func(c foundCase) bool {
			return !c.trivial() && !c.undefined() && !oddCase.MatchString(c.name) && c.size <= mostOfExample/2
		},
		func(c foundCase) bool { return !c.trivial() && !c.undefined() },
		func(c foundCase) bool { return !c.trivial() },
		func(c foundCase) bool { return !c.undefined() },
	} {
		if best = slices.IndexFunc(cases, good); best >= 0 {
			break
		}
	}
	if best < 0 {
		return "The tests compare it in cases that are too large to show here.\n"
	}
	c := cases[best]
	var out strings.Builder
	_, what, _ := strings.Cut(c.name, "/")
	fmt.Fprintf(&out, "Task %s, %s:\n\n```text\n", c.task, what)
	for _, in := range c.inputs {
		fmt.Fprintf(&out, "%-12s %s\n", in.name, in.data)
	}
	fmt.Fprint(&out, "```\n\n| metric | value |\n|---|---|\n")
	for _, v := range c.values {
		fmt.Fprintf(&out, "| `%s` | %s |\n", v.name, digitsOfValue.ReplaceAllString(strings.ReplaceAll(v.data, ",", ", "), "$1"))
	}
	return out.String()
}

// trivial reports whether all values are undefined, 0 or 1.
func (c foundCase) trivial() bool {
	for _, v := range c.values {
		for _, value := range strings.FieldsFunc(v.data, func(r rune) bool { return strings.ContainsRune("[], \n", r) }) {
			if !slices.Contains([]string{"null", "0", "1", "0.0", "1.0"}, value) {
				return false
			}
		}
	}
	return true
}

// undefined reports whether some value is undefined.
func (c foundCase) undefined() bool {
	return slices.ContainsFunc(c.values, func(v input) bool { return strings.Contains(v.data, "null") })
}
