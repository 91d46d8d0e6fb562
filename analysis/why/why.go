// Package why explains the differences between two reports: how much of each comes from other shares of slices in
// the examples, and how much from other behaviour within the slices. Package mix divides a difference. Each side may
// also be a pool of several reports, such as of nights.
//
// A metric is a function of means over examples: of a number that each example has, or of the cells of the
// confusion matrix. The means of all examples with other shares of slices follow from the means of the slices.
// All other metrics, such as areas under curves and correlations, are computed from the statistics of the slices, whose
// examples are copied until they have these shares.
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
	noneInCommon    = "no slice in common"
	otherBins       = "reports have other bins"
	overlapping     = "slices overlap"
	partlyUndefined = "undefined for some examples"
	undefined       = "undefined in a slice"
	noCounts        = "no " + report.ConfusionParquet
	otherLabels     = "reports have other labels"
	tooManyCells    = "too many classes"
	noWeights       = "the weights of slices are unknown: evaluate with confidence"
	doesNotFollow   = "does not follow from the values of the slices"
	noReplicates    = "no replicates"
	otherFolds      = "reports have other groups"

	// of metrics that are neither means over examples nor computed from counts
	noStatistics       = "no " + report.StatisticsBin
	statisticsTooLarge = report.StatisticsBin + " has too many slices and groups"
	otherOptions       = "reports were made with other options"
	notOfStatistics    = "does not follow from " + report.StatisticsBin
	dependsOnNumber    = "depends on the number of examples"
	inNoSlice          = "some examples are in no slice"
)

// Explain adds to c, which compares reports a and b from two directories, why its headline metrics differ, for each
// set of columns by which both reports have slices.
func Explain(ctx context.Context, c *comparison.Comparison, a, b *report.Report, dirs [2]string, read ReadStatistics) error {
	e, err := explainerOf(c, Source{Report: a, Dir: dirs[0]}, Source{Report: b, Dir: dirs[1]})
	if err != nil {
		return err
	}
	e.read = read
	if c.Why, err = e.explain(ctx, e.headlines(c)); err == nil && len(c.Why) == 0 && len(columnsOf(e.a)) > 0 && len(columnsOf(e.b)) > 0 && len(e.columns()) == 0 {
		c.Warnings = append(c.Warnings, "a and b have no slices by the same columns, so nothing says why metrics differ")
	}
	return err
}

// OfMeans is Explain for those of the metrics that are means over examples, and need no files of the reports: b may not be written
// yet.
func OfMeans(ctx context.Context, c *comparison.Comparison, a, b *report.Report) error {
	e, err := explainerOf(c, Source{Report: a}, Source{Report: b})
	if err != nil {
		return err
	}
	c.Why, err = e.explain(ctx, slices.DeleteFunc(e.headlines(c), func(name string) bool { return metrics.PowerMean(e.task, name) == 0 }))
	return err
}

// explainerOf returns an explainer of a comparison.
func explainerOf(c *comparison.Comparison, a, b Source) (*explainer, error) {
	e, err := newExplainer(c.Task, []Source{a}, []Source{b})
	e.level, e.pairing = c.Level, c.Pairing
	return e, err
}

// headlines returns the metrics to explain.
func (e *explainer) headlines(c *comparison.Comparison) []string {
	return slices.DeleteFunc(c.Headlines(), func(name string) bool { return !e.have(name) })
}

// Between returns why metrics differ between two pools of reports of different examples, for each set of columns by
// which both pools have slices. It leaves out metrics that a report does not have.
func Between(ctx context.Context, task string, a, b []Source, names []string, level float64, read ReadStatistics) ([]comparison.Why, error) {
	e, err := newExplainer(task, a, b)
	if err != nil {
		return nil, err
	}
	e.level, e.pairing, e.read = level, comparison.Unpaired, read
	return e.explain(ctx, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !e.have(name) }))
}

// Needs reports whether a row of a report says something about why metrics differ.
func Needs(row *report.Row, names []string) bool {
	return row.Weights != nil || row.Label == nil && (slices.Contains(names, row.Name) || slices.ContainsFunc(outcomes, func(o outcome) bool { return o.name == row.Name }))
}

// explainer explains the differences between two pools.
type explainer struct {
	task    metrics.Task
	level   float64
	pairing comparison.Pairing
	a, b    pool
	read    ReadStatistics // nil if there are none

	statistics [2]*statistics // of a and b
	matrices   bool           // whether they have been read
}

func newExplainer(task string, a, b []Source) (*explainer, error) {
	e := &explainer{a: newPool(a), b: newPool(b)}
	return e, e.task.UnmarshalText([]byte(task))
}

// have reports whether all reports have a metric of all examples and labels.
func (e *explainer) have(name string) bool { return e.a.have(name) && e.b.have(name) }

// explain returns why metrics differ, for each set of columns.
func (e *explainer) explain(ctx context.Context, names []string) (all []comparison.Why, err error) {
	sets := e.columns()
	if len(sets) == 0 {
		return nil, nil
	}
	if some := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !e.needsStatistics(name) }); len(some) > 0 && e.read != nil {
		if err := e.readStatistics(ctx, some); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		f, reason, err := e.formulaOf(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, set := range sets {
			w := e.difference(name, set)
			if w.Reason = reason; reason == "" {
				e.divide(&w, f, set)
			}
			all = append(all, w)
		}
	}
	return all, nil
}

// readers returns the readers of both pools.
func (e *explainer) readers() []*reader { return slices.Concat(e.a, e.b) }

// newest returns the last report.
func (e *explainer) newest() *reader { return e.b[len(e.b)-1] }

// difference returns the difference of a metric of all examples, which is not divided yet.
func (e *explainer) difference(name string, set *columnSet) comparison.Why {
	w := comparison.Why{Metric: name, By: set.names, A: e.a.value(name), B: e.b.value(name), Mix: report.UnknownEstimate(), Performance: report.UnknownEstimate()}
	w.Difference = w.B - w.A
	return w
}

// columnSet are slices by the same columns, of both reports, in the order of reports.
type columnSet struct {
	names []string // as files have them
	keys  []slice.Key
}

// columns returns the columns by which both pools have slices, in the order of reports.
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

// columnsOf returns the slices of a pool, by the names of their columns and by their keys.
func columnsOf(p pool) map[string]map[string]slice.Key {
	all := map[string]map[string]slice.Key{}
	for _, r := range p {
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
	}
	return all
}

// unlike says why the slices of two pools cannot be compared, or "".
func (s *columnSet) unlike(a, b pool) string {
	common := false
	var only []slice.Key // that some report lacks
	for _, key := range s.keys {
		inA, inB := a.with(key), b.with(key)
		common = common || inA > 0 && inB > 0
		if inA < len(a) || inB < len(b) {
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
