package monitor

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/io/report"
)

// bin is a bin of a histogram.
type bin struct{ from, to float64 }

// bins are bins of several histograms, in order: infinite values, and values that are in no interval,
// have bins of their own.
type bins []bin

// rank orders bins that are no interval: of -Inf, intervals, of Inf, and of values in no interval.
func (b bin) rank() int {
	switch {
	case math.IsNaN(b.from):
		return 3
	case b.from == b.to && math.IsInf(b.to, 1):
		return 2
	case b.from == b.to && math.IsInf(b.from, -1):
		return 0
	}
	return 1
}

// compare orders bins, those that contain others first.
func (b bin) compare(other bin) int {
	return cmp.Or(cmp.Compare(b.rank(), other.rank()), cmp.Compare(b.from, other.from), -cmp.Compare(b.to, other.to))
}

// contains reports whether a bin contains another that is not before it.
func (b bin) contains(other bin) bool {
	switch {
	case b.rank() != other.rank():
		return false
	case b.rank() != 1:
		return true
	}
	return other.from < b.to || other == b
}

// commonBins returns the widest bins of histograms. Every bin of a histogram lies within one of
// them: in a regression, some histograms have narrower bins than others.
func commonBins(all []*report.ScoreHistogram) (common bins) {
	var every []bin
	for _, h := range all {
		for _, b := range h.Bins {
			every = append(every, bin{b.From, b.To})
		}
	}
	slices.SortFunc(every, bin.compare)
	for _, b := range every {
		if n := len(common); n == 0 || !common[n-1].contains(b) {
			common = append(common, b)
		}
	}
	return common
}

// counted is what the bins have of histograms.
type counted struct {
	counts, weights []float64
	folds           [][]float64 // the weights of each group; nil if some histogram has none, or another number
}

// count adds histograms up.
func (all bins) count(histograms []*report.ScoreHistogram) counted {
	c := counted{counts: make([]float64, len(all)), weights: make([]float64, len(all))}
	groups := -1
	for _, h := range histograms {
		for i := range h.Bins {
			b := &h.Bins[i]
			at, _ := slices.BinarySearchFunc(all, bin{b.From, b.To}, func(common, b bin) int {
				if common.contains(b) && b.compare(common) >= 0 {
					return 0
				}
				return common.compare(b)
			})
			c.counts[at] += float64(b.Count)
			c.weights[at] += b.Weight
			folds := h.FoldsOf(i)
			if groups < 0 {
				groups = len(folds)
				for range groups {
					c.folds = append(c.folds, make([]float64, len(all)))
				}
			}
			if len(folds) != groups {
				groups = 0
			}
			for j := range groups {
				c.folds[j][at] += folds[j]
			}
		}
	}
	if groups <= 0 {
		c.folds = nil
	}
	return c
}

// ordered reports whether all values are in the order of the bins.
func (all bins) ordered() bool { return len(all) == 0 || all[len(all)-1].rank() < 3 }

// points returns the points that represent the bins: their middles or, if an end is infinite, the
// finite end. It returns false if some bin has infinite values.
func (all bins) points() (at []float64, finite bool) {
	for _, b := range all {
		switch {
		case b.rank() != 1:
			return nil, false
		case math.IsInf(b.from, -1):
			at = append(at, b.to)
		case math.IsInf(b.to, 1):
			at = append(at, b.from)
		default:
			at = append(at, b.from+float64((b.to-b.from)/2))
		}
	}
	return at, true
}
