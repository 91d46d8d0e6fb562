package metrics

import "slices"

// LeaveOneOut calls each, for every i in order, with the merged statistics of all partials except
// number i. Partials may be nil. The merged partial is valid only during the call, and may be
// modified. all, if not nil, holds all examples: it has the scores of the bins that sweeps find;
// see Params.Binned.
//
// Most statistics cannot be subtracted, so all partials but one have to be merged each time.
// Recursion shares these merges: what is outside of a half of the partials is merged once for the
// whole half. So n partials take about n log n merges instead of n².
//
//	{0 1 2 3}
//	├─ {0 1}: merge 2 3
//	│   ├─ {0}: merge 1 ─► each(0)
//	│   └─ {1}: merge 0 ─► each(1)
//	└─ {2 3}: merge 0 1
//	    └─ …
//
// The bins of sweeps can be subtracted.
//
// The bins of bounded curves are those of all partials together. Otherwise, a single score could
// change the bins of one of the results, and the effect of that would look like variation.
func LeaveOneOut(partials []*Partial, all *Partial, each func(i int, without *Partial) error) error {
	bins := binsOfAll(partials, all)
	return leaveOneOut(partials, 0, len(partials), sameBins(partials), func(i int, without *Partial) error {
		if bins != nil {
			without.stats[kindLabelBins] = bins.without(partials[i])
		}
		return each(i, without)
	})
}

// binsOfAll returns the bins of all partials, with their scores, or nil if there are none.
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

// sameBins returns a partial without examples whose histograms of bounded curves have the bins of
// all partials together.
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

// leaveOneOut is LeaveOneOut for the partials from low up to, but not including, high. others is
// the merge of all other partials.
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

// together returns a new partial: the merge of one and all of a list, without the bins of sweeps.
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
