package metrics

// LeaveOneOut calls each, for every i in order, with what all partials but number i hold
// together. They may be nil. What each gets is valid until it returns, and may be changed. all, unless it is nil, is that of all
// examples: the scores of the bins that sweeps find are there; see Params.Binned.
//
// Statistics cannot be subtracted: all but one are merged anew, for half of the partials at
// a time. So n partials take about n log n merges, not n².
//
// The bins of bounded curves are those of all partials together. Otherwise a single score could
// give one of them other bins than the others, and what that changes would look like variation.
func LeaveOneOut(partials []*Partial, all *Partial, each func(i int, without *Partial) error) error {
	return leaveOneOut(partials, 0, len(partials), sameBins(partials, all), each)
}

// sameBins returns a partial without examples whose histograms of bounded curves have the bins of all partials, and whose
// bins of exact curves have the scores of those of all.
func sameBins(partials []*Partial, of *Partial) *Partial {
	all, bins := &labelHistograms{params: new(Params)}, new(Partial)
	if of != nil && of.stats[kindLabelBins] != nil {
		bins.need(kindLabelBins, nil)
		bins.stats[kindLabelBins].Merge(of.stats[kindLabelBins])
	}
	for _, p := range partials {
		if p == nil {
			continue
		}
		if s, ok := p.stats[kindLabelHistograms].(*labelHistograms); ok {
			all.Merge(s)
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

// together returns a new partial that holds what one and all of a list do.
func together(one *Partial, list []*Partial) *Partial {
	all := new(Partial)
	all.Merge(one)
	for _, p := range list {
		if p != nil {
			all.Merge(p)
		}
	}
	return all
}
