package comparison

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics/confidence"
)

// hasReplicates reports whether any row of a report has replicates.
func hasReplicates(r *report.Report) bool {
	return r.Confidence != nil && slices.ContainsFunc(r.Metrics, func(row report.Row) bool { return len(row.Replicates) > 0 })
}

// doubts are reasons to doubt the tests of differences.
type doubts struct {
	ofTests  []string
	unpaired string // why differences are unpaired, or ""
}

// all lists the doubts.
func (d doubts) all() []string {
	if d.unpaired == "" {
		return d.ofTests
	}
	return append([]string{d.unpaired}, d.ofTests...)
}

// pairingOf returns how the reports can be compared, and the reasons for which no better comparison is
// possible.
func pairingOf(a, b *report.Report) (comparison.Pairing, doubts) {
	var found doubts
	if a.Confidence == nil && b.Confidence == nil {
		return comparison.Untested, found // replicates were not requested
	}
	for i, r := range []*report.Report{a, b} {
		switch name := []string{"a", "b"}[i]; {
		case hasReplicates(r):
		case r.Confidence == nil:
			found.ofTests = append(found.ofTests, name+" has no replicates, so no difference is tested: evaluate it with confidence in the configuration")
		default:
			found.ofTests = append(found.ofTests, name+" has no "+report.ReplicatesParquet+", so no difference is tested: evaluate it with parquet in output.formats")
		}
	}
	if len(found.ofTests) > 0 {
		return comparison.Untested, found
	}
	x, y := a.Confidence, b.Confidence
	if x.Level != y.Level {
		found.ofTests = append(found.ofTests, fmt.Sprintf("the level of confidence is %v in a, %v in b: that of b is taken", x.Level, y.Level))
	}
	why := unequal(x, y)
	if why == "" {
		return comparison.Paired, found
	}
	found.unpaired = why + ": differences are unpaired, which shows only large ones"
	// The errors of pairs would cancel in their difference.
	found.ofTests = append(found.ofTests, HeavyTails("their unpaired differences", a.Metrics, b.Metrics)...)
	return comparison.Unpaired, found
}

// unequal says how the examples of two reports or their groups differ, or "".
func unequal(a, b *report.Folding) string {
	switch {
	case a.Folds != b.Folds:
		return fmt.Sprintf("a has %d groups, b has %d", a.Folds, b.Folds)
	case a.Seed != b.Seed:
		return fmt.Sprintf("the seed of the groups is %d in a, %d in b", a.Seed, b.Seed)
	}
	rowsA, rowsB, differ := int64(0), int64(0), 0
	for i := range max(len(a.Digests), len(b.Digests)) {
		x, y := digest(a, i), digest(b, i)
		rowsA, rowsB = rowsA+x.Rows, rowsB+y.Rows
		if x != y {
			differ++
		}
	}
	switch {
	case differ == 0:
		return ""
	case a.By != b.By || a.Position != b.Position:
		return fmt.Sprintf("the groups are by %s in a, by %s in b", groupedBy(a), groupedBy(b))
	case a.Position:
		return fmt.Sprintf("the groups are by the position of rows, and the files or their true labels differ in %d of %d groups; a column of ids in input.columns.example would match the rows", differ, a.Folds)
	case rowsA != rowsB:
		return fmt.Sprintf("the examples differ: a has %d, b has %d", rowsA, rowsB)
	}
	return fmt.Sprintf("the examples or their true labels differ in %d of %d groups", differ, a.Folds)
}

// groupedBy says what the groups divide examples by.
func groupedBy(g *report.Folding) string {
	if g.Position {
		return "the position of rows"
	}
	return quote.Value(g.By)
}

func digest(g *report.Folding, i int) report.FoldDigest {
	if i < len(g.Digests) {
		return g.Digests[i]
	}
	return report.FoldDigest{}
}

// mismatches returns the differences between the reports that make metrics of the same name mean
// different things.
func mismatches(a, b *report.Report) []string {
	return slices.Concat(ofLabels(a.Labels, b.Labels), ofOptions(a.Config, b.Config))
}

// named is the number of labels or options that a warning names.
const named = 5

// ofLabels says how two lists of labels differ.
func ofLabels(a, b []string) []string {
	if slices.Equal(a, b) {
		return nil
	}
	var parts []string
	for _, s := range []struct {
		name       string
		all, other []string
	}{{"a", a, b}, {"b", b, a}} {
		if only := without(s.all, s.other); len(only) > 0 {
			parts = append(parts, fmt.Sprintf("only %s has %s", s.name, quote.List(only, named, "%d more")))
		}
	}
	if len(parts) == 0 {
		return []string{"the labels have another order in b than in a"}
	}
	return []string{"the labels differ, and with them what averages are of: " + strings.Join(parts, "; ")}
}

// without returns the items of all that are not in other.
func without(all, other []string) []string {
	in := collections.Set(slices.Values(other))
	return slices.DeleteFunc(slices.Clone(all), func(label string) bool { return in[label] })
}

// meanings are the options of a configuration that change the meaning of metrics. All others select
// metrics and rows, or do not affect them.
var meanings = []string{"positive_label", "decision", "zero_division", "calibration", "curves.mode", "curves.bins", "ranking", "propensity",
	"log_loss_eps", "input.score_type", "pass_threshold", "lower_is_better"}

// Meanings returns the options that differ between two configurations and change the meaning of
// metrics, sorted by key. There are none if a configuration is unknown.
func Meanings(a, b json.RawMessage) []comparison.OptionChange {
	return slices.DeleteFunc(differing(a, b), func(o comparison.OptionChange) bool {
		return !slices.ContainsFunc(meanings, func(m string) bool { return o.Key == m || strings.HasPrefix(o.Key, m+".") })
	})
}

// ofOptions says which options that change the meaning of metrics differ between two
// configurations.
func ofOptions(a, b json.RawMessage) []string {
	found := Meanings(a, b)
	var warnings []string
	for _, o := range found[:min(len(found), named)] {
		warnings = append(warnings, fmt.Sprintf("%s is %s in a, %s in b: metrics that depend on it differ for that reason, too", quote.Short(o.Key), shown(o.A), shown(o.B)))
	}
	if n := len(found) - len(warnings); n > 0 {
		warnings = append(warnings, fmt.Sprintf("of the options that metrics depend on, %d more differ between a and b", n))
	}
	return warnings
}

func shown(value json.RawMessage) string {
	if value == nil {
		return "not set"
	}
	return quote.Short(string(value))
}

// differing returns the options whose values differ between two configurations, sorted by key.
// There are none if a configuration is unknown.
func differing(a, b json.RawMessage) (list []comparison.OptionChange) {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	x, y := options(a), options(b)
	keys := maps.Clone(x)
	maps.Copy(keys, y)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !bytes.Equal(x[key], y[key]) {
			list = append(list, comparison.OptionChange{Key: key, A: x[key], B: y[key]})
		}
	}
	return list
}

// options returns the values of all options, as JSON, by path. Lists are values.
func options(config json.RawMessage) map[string]json.RawMessage {
	found := map[string]json.RawMessage{}
	var walk func(path string, value json.RawMessage)
	walk = func(path string, value json.RawMessage) {
		var members map[string]json.RawMessage
		if json.Unmarshal(value, &members) == nil && members != nil {
			for name, member := range members {
				if path != "" {
					name = path + "." + name
				}
				walk(name, member)
			}
			return
		}
		found[path] = value
	}
	walk("", config)
	return found
}

// HeavyTails warns that the intervals of what, such as "values", are too narrow for rows with heavy
// tails, in any report.
func HeavyTails(what string, reports ...[]report.Row) []string {
	names, inSlices, where := map[string]bool{}, map[string]bool{}, []string(nil)
	for _, rows := range reports {
		for i := range rows {
			row := &rows[i]
			switch {
			case row.Confidence == nil || row.Confidence.Warning != confidence.HeavyTails:
				continue
			case len(row.Slice) > 0:
				inSlices[row.Slice.String()] = true
			case where == nil:
				where = []string{"all examples"}
			}
			names[row.Name] = true
		}
	}
	if len(names) == 0 {
		return nil
	}
	if n := len(inSlices); n > 0 {
		where = append(where, fmt.Sprintf("some slices (%d)", n))
	}
	return []string{fmt.Sprintf("heavy tails: a few errors decide %s of %s, and intervals of %s are too narrow", strings.Join(slices.Sorted(maps.Keys(names)), ", "), strings.Join(where, " and "), what)}
}
