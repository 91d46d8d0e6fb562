// Package checks finds what is odd in the data of an evaluation: one declaration a check, in one table.
// docs/checks.md says why each matters.
package checks

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Options say what follows from checks.
type Options struct {
	Off    []string // checks that are not made
	Fail   []string // checks that are gates
	Unmade []string // checks that cannot be made, because the report is merged: gates on them are unknown
	Volume float64  // the share by which the number of examples may differ from the baseline's; 0 means [DefaultVolume]
}

// DefaultVolume is the Volume that is not set.
const DefaultVolume = 0.2

// Found is what a check found.
type Found struct {
	Name    string // of the check; empty where only one can be meant
	Message string
	Level   checks.Level // if it differs from the level of the check
	Count   int64        // as in [checks.Check]
	Share   float64      // 0 if it means nothing
	Slice   slice.Key
	Label   *string
}

// Said is what a check found before the run: only a message.
type Said struct{ Name, Message string }

// Before returns what was found before the run.
func Before(list []Said) []Found {
	return collections.Map(list, func(s Said) Found { return Found{Name: s.Name, Message: s.Message} })
}

// Say returns what a check found that has only a message.
func Say(name, format string, args ...any) Found {
	return Found{Name: name, Message: fmt.Sprintf(format, args...)}
}

// Named names what has been found by messages alone.
func Named(name string, messages []string) []Found {
	return collections.Map(messages, func(m string) Found { return Found{Name: name, Message: m} })
}

// Facts are what checks look at.
type Facts struct {
	Report  *report.Report // finished, but for its checks
	Task    metrics.Task
	Counts  *shuffle.RowCounts
	IDs     *shuffle.IDs // nil if they were not counted
	Trained []bool       // whether each of the IDs occurs in the training data; nil if there are none
	Options Options
	// Others are what was found where only a part of the data was at hand, in any order of checks.
	Others []Found

	classes []classes           // see Facts.classesOf
	bySlice map[string]*classes // see Facts.positivesIn
}

// declaration is a check.
type declaration struct {
	name  string
	level checks.Level
	tasks metrics.Task // that it is made for
	find  func(*Facts) *Found
}

// The tasks of checks.
const (
	oneClass = metrics.Binary | metrics.Multiclass
	labelled = oneClass | metrics.Multilabel
	scored   = labelled | metrics.Regression
)

// The checks that need ids.
const (
	DuplicateExamples = "duplicate_examples"
	Overlap           = "overlap" // and training data
)

// unmerged are the checks that need more than statistics: ids, or the files of the data.
var unmerged = []string{DuplicateExamples, Overlap, "odd_files", "labels_of_files", "recalibrated_scores"}

// Unmerged returns the names of the checks that a merged report lacks.
func Unmerged() []string { return slices.Clone(unmerged) }

// table has all checks, of each level in the order in which a report lists them. Those without find
// are found elsewhere: see [Facts.Others].
var table = []declaration{
	{"inverted_scores", checks.Error, labelled, invertedScores},
	{Overlap, checks.Error, metrics.AnyTask, overlap},
	{"compared_with_itself", checks.Warning, metrics.AnyTask, nil},
	{DuplicateExamples, checks.Warning, metrics.AnyTask, duplicateExamples},
	{"skipped_rows", checks.Note, metrics.AnyTask, skippedRows},
	{"one_class_true", checks.Warning, oneClass, oneTrue},
	{"one_class_predicted", checks.Warning, oneClass, onePredicted},
	{"predictions_contradict_scores", checks.Warning, labelled, nil},
	{"constant_scores", checks.Warning, scored, constantScores},
	{"probabilities_do_not_sum", checks.Warning, metrics.Multiclass, doNotSum},
	{"no_better_than_chance", checks.Warning, scored, noBetterThanChance},
	{"volume", checks.Warning, metrics.AnyTask, volume},
	{"unlabelled_rows", checks.Warning, metrics.AnyTask, nil},
	{"drawn_rows", checks.Warning, oneClass | metrics.Regression, nil},
	{"clipped_probabilities", checks.Warning, labelled, nil},
	{"crossing_quantiles", checks.Warning, metrics.Regression, nil},
	{"negative_relevance", checks.Warning, metrics.Ranking, nil},
	{"odd_files", checks.Warning, metrics.AnyTask, nil},
	{"unused_columns", checks.Warning, metrics.AnyTask, nil},
	{"labels_of_files", checks.Warning, labelled, nil},
	{"recalibrated_scores", checks.Warning, metrics.Binary, nil},
	{"bounded_curves", checks.Warning, labelled, nil},
	{"curves_left_out", checks.Warning, labelled, nil},
	{"label_pairs_left_out", checks.Warning, labelled, nil},
	{"empty_slices", checks.Warning, metrics.AnyTask, nil},
	{"small_groups", checks.Warning, metrics.AnyTask, nil},
	{"similar_labels", checks.Warning, labelled | metrics.Preference, nil},
	{"missing_labels", checks.Warning, labelled | metrics.Preference, nil},
	{"joined_labels", checks.Warning, labelled | metrics.Preference, nil},
	{"labels_left_out", checks.Warning, labelled | metrics.Preference, nil},
	{"heavy_tails", checks.Warning, metrics.AnyTask, nil},
	{"baseline", checks.Warning, metrics.AnyTask, nil},
	{"tuned_thresholds", checks.Warning, metrics.Binary | metrics.Multilabel, tunedThresholds},
	{"rows_left_out", checks.Warning, metrics.AnyTask, rowsLeftOut},
	{"unknown_labels", checks.Note, metrics.AnyTask, unknownLabels},
	{"missing_scores", checks.Note, metrics.AnyTask, missingScores},
	{"few_distinct_scores", checks.Note, scored, fewDistinctScores},
}

// Names returns the names of all checks, in their order.
func Names() []string { return collections.Map(table, func(d declaration) string { return d.name }) }

// MadeFor reports whether a check is made for a task.
func MadeFor(name string, task metrics.Task) bool {
	i := slices.IndexFunc(table, func(d declaration) bool { return d.name == name })
	return i >= 0 && table[i].tasks&task != 0
}

// Make returns the checks that hold, those that matter most first, and the results of those that are
// gates.
func Make(f *Facts) (list []checks.Check, gates []report.GateResult) {
	for _, d := range table {
		if d.tasks&f.Task == 0 || slices.Contains(f.Options.Off, d.name) {
			continue
		}
		check := d.make(f)
		if check != nil {
			list = append(list, *check)
		}
		if slices.Contains(f.Options.Fail, d.name) {
			gates = append(gates, gate(f, &d, check))
		}
	}
	slices.SortStableFunc(list, func(a, b checks.Check) int {
		return cmp.Compare(slices.Index(checks.Levels, a.Level), slices.Index(checks.Levels, b.Level))
	})
	return list, gates
}

// make returns the check if it holds, or nil. What was found of it elsewhere is joined with it.
func (d *declaration) make(f *Facts) *checks.Check {
	var found []Found
	for _, other := range f.Others {
		if other.Name == d.name {
			found = append(found, other)
		}
	}
	if d.find != nil && found == nil {
		if one := d.find(f); one != nil {
			found = append(found, *one)
		}
	}
	if found == nil {
		return nil
	}
	first := found[0]
	c := &checks.Check{Name: d.name, Level: cmp.Or(first.Level, d.level), Count: first.Count, Slice: first.Slice, Label: first.Label}
	c.Message = strings.Join(collections.Map(found, func(one Found) string { return one.Message }), "; ")
	if first.Share > 0 {
		c.Share = &first.Share
	}
	return c
}

// gate returns the result of a check that is a gate: it may hold nowhere.
func gate(f *Facts, d *declaration, holds *checks.Check) report.GateResult {
	nan := math.NaN()
	g := report.GateResult{Metric: d.name, Limits: report.Limits{Max: new(0.0)}, Low: nan, High: nan, Difference: nan, PAdjusted: nan, Verdict: report.Pass}
	switch {
	case holds != nil:
		g.Value, g.Verdict = float64(max(holds.Count, 1)), report.Fail
	case slices.Contains(f.Options.Unmade, d.name):
		g.Value, g.Verdict, g.Reason = nan, report.Unknown, report.NotMerged
	case d.name == "volume" && !f.compares():
		g.Value, g.Verdict, g.Reason = nan, report.Unknown, report.NoBaseline
	}
	return g
}
