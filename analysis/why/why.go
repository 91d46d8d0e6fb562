// Package why explains the differences between two reports: how much of each comes from other shares of slices in
// the examples, and how much from other behaviour within the slices. Package mix divides a difference.
//
// A metric is a function of means over examples: of a number that each example has, or of the cells of the
// confusion matrix. The means of all examples with other shares of slices follow from the means of the slices.
package why

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
)

// Why a difference is not divided.
const (
	needsStatistics = "neither a mean over examples nor computed from counts"
	noneInCommon    = "no slice in common"
	otherBins       = "other bins in b than in a"
	overlapping     = "slices overlap"
	partlyUndefined = "undefined for some examples"
	undefined       = "undefined in a slice"
	noCounts        = "no " + report.ConfusionParquet
	otherLabels     = "other labels in b than in a"
	tooManyCells    = "too many classes"
	noWeights       = "the weights of slices are unknown: evaluate with confidence"
	doesNotFollow   = "does not follow from the values of the slices"
	noReplicates    = "no replicates"
)

// Explain adds to c, which compares reports a and b from two directories, why its headline metrics differ, for each
// set of columns by which both reports have slices.
func Explain(ctx context.Context, c *comparison.Comparison, a, b *report.Report, dirs [2]string) error {
	e := &explainer{Comparison: c, a: newReader(a), b: newReader(b)}
	if err := e.task.UnmarshalText([]byte(c.Task)); err != nil {
		return err
	}
	sets := e.columns()
	if len(sets) == 0 {
		if len(e.a.slices) > 0 && len(e.b.slices) > 0 {
			c.Warnings = append(c.Warnings, "a and b have no slices by the same columns, so nothing says why metrics differ")
		}
		return nil
	}
	names := e.headlines()
	if slices.ContainsFunc(names, e.needsMatrices) {
		for i, r := range []*reader{e.a, e.b} {
			if err := report.ReadFile(ctx, dirs[i], report.ConfusionParquet, r.readCells); err != nil {
				return err
			}
		}
	}
	for _, name := range names {
		f, reason := e.formulaOf(name)
		for _, set := range sets {
			w := e.difference(name, set)
			if w.Reason = reason; reason == "" {
				e.divide(&w, f, set)
			}
			c.Why = append(c.Why, w)
		}
	}
	return nil
}

// explainer explains a comparison.
type explainer struct {
	*comparison.Comparison
	task metrics.Task
	a, b *reader
}

// headlines returns the names of the headline metrics that both reports have for all labels together.
func (e *explainer) headlines() []string {
	var names []string
	for i := range e.Changes {
		if d := &e.Changes[i]; len(d.Slice) == 0 && d.Label == nil && e.a.row(nil, d.Name) != nil && e.b.row(nil, d.Name) != nil {
			names = append(names, d.Name)
		}
	}
	return report.Headlines(e.Task, e.Headline, names)
}

// difference returns the difference of a metric of all examples, which is not divided yet.
func (e *explainer) difference(name string, set *columnSet) comparison.Why {
	w := comparison.Why{Metric: name, By: set.names, A: e.a.row(nil, name).Value, B: e.b.row(nil, name).Value, Mix: comparison.NoPart, Performance: comparison.NoPart}
	w.Difference = w.B - w.A
	return w
}

// columnSet are slices by the same columns, of both reports, in the order of reports.
type columnSet struct {
	names []string // as files have them
	keys  []slice.Key
}

// columns returns the columns by which both reports have slices, in the order of reports.
func (e *explainer) columns() (sets []*columnSet) {
	inA, inB := columnsOf(e.a), columnsOf(e.b)
	for names := range inA {
		if of := inB[names]; of != nil {
			maps.Copy(inA[names], of)
			keys := slices.SortedFunc(maps.Values(inA[names]), slice.Key.Compare)
			sets = append(sets, &columnSet{collections.Map(keys[0], func(p slice.Pair) string { return quote.Escape(p.Column) }), keys})
		}
	}
	slices.SortFunc(sets, func(x, y *columnSet) int { return x.keys[0].Compare(y.keys[0]) })
	return sets
}

// columnsOf returns the slices of a report, by the names of their columns and by their keys.
func columnsOf(r *reader) map[string]map[string]slice.Key {
	all := map[string]map[string]slice.Key{}
	for key, of := range r.slices {
		names := strings.Join(collections.Map(of, func(p slice.Pair) string { return p.Column }), "\x00")
		if report.OfEstimates(of) {
			continue
		}
		if all[names] == nil {
			all[names] = map[string]slice.Key{}
		}
		all[names][key] = of
	}
	return all
}

// unlike says why the slices of two reports cannot be compared, or "".
func (s *columnSet) unlike(a, b *reader) string {
	common := false
	var only []slice.Key // in one of the reports
	for _, key := range s.keys {
		_, inA := a.slices[key.Encoded()]
		_, inB := b.slices[key.Encoded()]
		if common = common || inA && inB; !inA || !inB {
			only = append(only, key)
		}
	}
	switch {
	case slices.ContainsFunc(only, func(x slice.Key) bool {
		return slices.ContainsFunc(s.keys, func(y slice.Key) bool { return cross(x, y) })
	}):
		return otherBins
	case !common:
		return noneInCommon
	}
	return ""
}

// cross reports whether two slices are of different bins of numbers that have numbers in common.
func cross(x, y slice.Key) bool {
	for i := range x {
		lowX, highX, isBin := x[i].Value.Ends()
		lowY, highY, both := y[i].Value.Ends()
		if isBin && both && x[i].Value != y[i].Value && lowX < highY && lowY < highX {
			return true
		}
	}
	return false
}
