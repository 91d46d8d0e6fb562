package why

import (
	"math"
	"slices"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// Source is a report with its directory. Its name is what reasons call it, if it is one of several.
type Source struct {
	*report.Report
	Dir, Name string
}

// pool is one side of a difference: a report, or several whose examples are added up.
type pool []*reader

func newPool(sources []Source) (p pool) {
	for i := range sources {
		p = append(p, newReader(&sources[i]))
	}
	return p
}

// have reports whether all reports have a metric of all examples and labels.
func (p pool) have(name string) bool {
	return !slices.ContainsFunc(p, func(r *reader) bool { return r.row(nil, name) == nil })
}

// with returns the number of reports that have a slice.
func (p pool) with(key slice.Key) (n int) {
	for _, r := range p {
		if _, found := r.slices[key.Encoded()]; found {
			n++
		}
	}
	return n
}

// value returns the value of a metric as the report has it, or NaN of several reports.
func (p pool) value(name string) float64 {
	if len(p) == 1 {
		return p[0].row(nil, name).Value
	}
	return math.NaN()
}

// pooled are the parts of the reports of a pool, and their sum.
type pooled struct {
	parts
	of     []parts
	reason string // why the sum has no folds
}

// partsOf returns the parts that a formula has of slices, or why they are unknown.
func (p pool) partsOf(f formula, keys []slice.Key) (sum pooled, reason string) {
	for _, r := range p {
		of, reason := f.parts(r, keys)
		if reason != "" {
			return sum, r.where(reason)
		}
		sum.of = append(sum.of, of)
	}
	if len(p) == 1 {
		sum.parts = sum.of[0]
		return sum, ""
	}
	sum.without = func(fold int32) []part { return added(sum.of, fold, len(keys)) }
	sum.folds, sum.reason = p.foldsOf(sum.of)
	return sum, ""
}

// foldsOf returns the folds of all reports, or why they cannot be left out: a fold of a pool is this fold of each of its
// reports.
func (p pool) foldsOf(all []parts) (folds []int32, reason string) {
	for i, of := range all {
		if of.folds == nil {
			return nil, p[i].where(noReplicates)
		}
		if p.otherFolds(p[i]) {
			return nil, p[i].where(otherFolds)
		}
		folds = append(folds, of.folds...)
	}
	slices.Sort(folds)
	return slices.Compact(folds), ""
}

// otherFolds reports whether a report of the pool divides examples otherwise than the first.
func (p pool) otherFolds(r *reader) bool {
	return r.Confidence.Folds != p[0].Confidence.Folds || r.Confidence.Seed != p[0].Confidence.Seed
}

// added adds the parts of several reports without a fold: weights add, and means are weighted.
func added(all []parts, fold int32, size int) []part {
	sum := make([]part, size)
	for _, of := range all {
		for i, p := range of.without(fold) {
			if p.weight == 0 {
				continue
			}
			s := &sum[i]
			if s.means == nil {
				s.means = make([]float64, len(p.means))
			}
			s.weight += p.weight
			for j, m := range p.means {
				s.means[j] += float64(p.weight * m)
			}
		}
	}
	for i := range sum {
		for j := range sum[i].means {
			sum[i].means[j] /= sum[i].weight
		}
	}
	return sum
}
