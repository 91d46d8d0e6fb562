package checks

import (
	"fmt"
	"math"
)

// compares reports whether the number of examples of a baseline is known.
func (f *Facts) compares() bool { return f.Report.Baseline != nil && f.Report.Baseline.Examples > 0 }

func volume(f *Facts) *Found {
	if !f.compares() {
		return nil
	}
	most := f.Options.Volume
	if most == 0 {
		most = DefaultVolume
	}
	before, now := f.Report.Baseline.Examples, float64(f.Report.Examples)
	change := (now - before) / before
	if math.Abs(change) <= most {
		return nil
	}
	word, of := "more", "the baseline has"
	if change < 0 {
		word = "fewer"
	}
	if n := f.Report.Baseline.Reports; n > 1 {
		of = fmt.Sprintf("the median of the %d reports of the baseline is", n)
	}
	return &Found{Count: f.Report.Examples, Share: math.Abs(change), Message: fmt.Sprintf("there are %d examples, %.3g %% %s than in the baseline: %s %v; check that no file is missing, and none is there twice",
		f.Report.Examples, 100*math.Abs(change), word, of, before)}
}
