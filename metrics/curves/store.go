package curves

import "github.com/beameval/beameval/metrics/exact"

// store counts the negatives and the positives in each bin. What bin an example is in, others map: the images of scores
// in a [Histogram] (see binKeys), the points of a curve in [Bins] (see binner). There are millions of bins, and
// nearly all examples weigh 1.
type store struct {
	ones   [][2]int64  // by bin, the number of examples of weight 1: negatives and positives
	others []otherRows // by bin, the examples of other weights; nil if there are none
}

// otherRows holds the examples whose weight is not 1: negatives and positives.
type otherRows [2]exact.Weights

func (o *otherRows) merge(from *otherRows) {
	for class := range o {
		o[class].Merge(&from[class])
	}
}

// without returns o minus part, which must have been merged into o.
func (o *otherRows) without(part *otherRows) (rest otherRows) {
	rest.merge(o)
	for class := range rest {
		rest[class].Subtract(&part[class])
	}
	return rest
}

func (o *otherRows) empty() bool { return o[0].Empty() && o[1].Empty() }

// noRows never changes.
var noRows otherRows

// rowsOf returns the examples of a bin whose weight is not 1. The caller must not change them.
func (s *store) rowsOf(bin int) *otherRows {
	if s.others == nil {
		return &noRows
	}
	return &s.others[bin]
}

// weighted returns others, after allocating it if it is nil.
func (s *store) weighted() []otherRows {
	if s.others == nil {
		s.others = make([]otherRows, len(s.ones))
	}
	return s.others
}

// addTo adds the negatives and the positives of a bin to sum.
func (s *store) addTo(sum *[2]exact.Tally, bin int) {
	for class, n := range s.ones[bin] {
		sum[class].AddOnes(n)
		if s.others != nil && !s.others[bin][class].Empty() {
			of := exact.TallyOf(0, &s.others[bin][class])
			sum[class].Merge(&of)
		}
	}
}

// move sets a bin to one of from. Either both stores have others, or neither has.
func (s *store) move(to int, from *store, bin int) {
	s.ones[to] = from.ones[bin]
	if from.others != nil {
		s.others[to] = from.others[bin]
	}
}

// mergeBin adds a bin of from to a bin of s.
func (s *store) mergeBin(to int, from *store, bin int) {
	for class, n := range from.ones[bin] {
		s.ones[to][class] += n
	}
	if from.others != nil {
		s.weighted()[to].merge(&from.others[bin])
	}
}

// mergeBinTimes adds a bin of from to a bin of s n times, or removes it -n times.
func (s *store) mergeBinTimes(to int, from *store, bin int, n int64) {
	for class, rows := range from.ones[bin] {
		s.ones[to][class] += n * rows
	}
	if from.others != nil {
		others := s.weighted()
		for class := range others[to] {
			others[to][class].MergeTimes(&from.others[bin][class], n)
		}
	}
}

// shorten removes all but the first n bins.
func (s *store) shorten(n int) {
	s.ones = s.ones[:n]
	if s.others != nil {
		s.others = s.others[:n]
	}
}

// clear empties a bin.
func (s *store) clear(bin int) {
	s.ones[bin] = [2]int64{}
	if s.others != nil {
		s.others[bin] = otherRows{}
	}
}
