package checks

import "fmt"

// duplicateExamples looks at the ids that were counted: at all, or at those with the smallest hashes.
func duplicateExamples(f *Facts) *Found {
	if f.IDs == nil {
		return nil
	}
	var repeated, examples int64
	for _, n := range f.IDs.Counts {
		if examples += n; n > 1 {
			repeated++
		}
	}
	if repeated == 0 {
		return nil
	}
	distinct := int64(len(f.IDs.Counts))
	return &Found{Count: repeated, Share: share(examples-distinct, examples), Message: fmt.Sprintf("%d of %d ids occur more than once, so that %s of the examples are copies%s: they count again, and intervals are too narrow; check that no file is there twice",
		repeated, distinct, percent(examples-distinct, examples), f.lookedAt())}
}

// overlap looks at which of the ids that were counted occur in the training data.
func overlap(f *Facts) *Found {
	var trained, known, examples int64
	for i, seen := range f.Trained {
		examples += f.IDs.Counts[i]
		if seen {
			known++
			trained += f.IDs.Counts[i]
		}
	}
	if known == 0 {
		return nil
	}
	return &Found{Count: known, Share: share(trained, examples), Message: fmt.Sprintf("%d of %d ids occur in the training data, %s of the examples%s: the model has seen them, so that it looks better than it is on new data; leave them out of one of both",
		known, len(f.Trained), percent(trained, examples), f.lookedAt())}
}

// lookedAt says which share of the ids was looked at, if it was not all.
func (f *Facts) lookedAt() string {
	if !f.IDs.Left {
		return ""
	}
	return fmt.Sprintf(" (of the ids, the %.3g %% with the smallest hashes were looked at)", 100*f.IDs.Share())
}
