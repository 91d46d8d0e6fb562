package metrics

import "slices"

// LeaveOneOut calls each, for every i in order, with what all partials but number i hold
// together. They may be nil. What each gets is valid until it returns, and may be changed. all, unless it is nil, is that of all
// examples: the scores of the bins that sweeps find are there; see Params.Binned.
//
// Most statistics cannot be subtracted: all but one are merged anew, for half of the partials at
// a time. So n partials take about n log n merges, not n². Bins of sweeps can.
//
// The bins of bounded curves are those of all partials together. Otherwise a single score could
// give one of them other bins than the others, and what that changes would look like variation.
func LeaveOneOut(partials []*Partial, all *Partial, each func(i int, without *Partial) error) error {
	bins := binsOfAll(partials, all)
	return leaveOneOut(partials, 0, len(partials), sameBins(partials), func(i int, without *Partial) error {
		if bins != nil {
			without.stats[kindLabelBins] = bins.without(partials[i])
		}
		return each(i, without)
	})
}

// binsOfAll returns the bins of all partials, with their scores; nil if there are none.
func binsOfAll(partials []*Partial, all *Partial) *labelBins {
	var bins *labelBins
	for _, p := range append(slices.Clone(partials), all) {
		if p == nil || p.stats[kindLabelBins] == nil {
			continue
		}
		if bins == nil {
			bins = new(labelBins)
		}
		bins.fields(merging, p.stats[kindLabelBins])
	}
	return bins
}

// sameBins returns a partial without examples whose histograms of bounded curves have the bins of all partials.
func sameBins(partials []*Partial) *Partial {
	all, bins := &labelHistograms{params: new(Params)}, new(Partial)
	for _, p := range partials {
		if p == nil {
			continue
		}
		if s, ok := p.stats[kindLabelHistograms].(*labelHistograms); ok {
			all.fields(merging, s)
		}
	}
	if all.size() > 0 {
		bins.stats[kindLabelHistograms] = all.bins()
	}
	return bins
}

// leaveOneOut is LeaveOneOut for numbers from low to high; others holds all partials that
// have other numbers.
func leaveOneOut(partials []*Partial, low, high int, others *Partial, each func(i int, without *Partial) error) error {
	switch high - low {
	case 0:
		return nil
	case 1:
		return each(low, others)
	}
	middle := (low + high) / 2
	if err := leaveOneOut(partials, low, middle, together(others, partials[middle:high]), each); err != nil {
		return err
	}
	return leaveOneOut(partials, middle, high, together(others, partials[low:middle]), each)
}

// together returns a new partial that holds what one and all of a list do, but no bins of sweeps.
func together(one *Partial, list []*Partial) *Partial {
	all := new(Partial)
	all.Merge(one)
	for _, p := range list {
		if p != nil {
			some := *p
			some.stats[kindLabelBins] = nil
			all.Merge(&some)
		}
	}
	return all
}
