package metrics

// LeaveOneOut calls each, for every i in order, with what all partials but number i hold
// together. They may be nil. What each gets is valid until it returns, and may be changed.
//
// Statistics cannot be subtracted: all but one are merged anew, for half of the partials at
// a time. So n partials take about n log n merges, not n².
func LeaveOneOut(partials []*Partial, each func(i int, without *Partial) error) error {
	return leaveOneOut(partials, 0, len(partials), new(Partial), each)
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
