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
	of := ""
	if f.IDs.Left {
		of = fmt.Sprintf(" (of the ids, the %.3g %% with the smallest hashes were looked at)", 100*f.IDs.Share())
	}
	return &Found{Count: repeated, Share: share(examples-distinct, examples), Message: fmt.Sprintf("%d of %d ids occur more than once, so that %s of the examples are copies%s: they count again, and intervals are too narrow; check that no file is there twice",
		repeated, distinct, percent(examples-distinct, examples), of)}
}
