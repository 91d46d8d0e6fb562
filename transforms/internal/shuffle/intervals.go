package shuffle

import (
	"slices"

	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/input"
)

// WholeFold is the only fold of a slice without intervals. (Folds may have other statistics than
// all examples, see metrics.Params.OfFolds, so its examples are in a fold, too.)
const WholeFold = 0

// HasIntervals reports whether the slice with this key gets intervals, if the job asks for any.
func (j *Job) HasIntervals(encoded string) bool {
	if j.Confidence == nil || !j.Confidence.Overall {
		return j.Confidence != nil
	}
	key, _, err := Key([]byte(encoded))
	return err == nil && HasIntervals(&j.Spec, key)
}

// HasIntervals reports whether a slice gets intervals; the slice of its estimated metrics does, too.
func HasIntervals(s *input.Spec, key slice.Key) bool {
	if s.Confidence == nil || !s.Confidence.Overall {
		return s.Confidence != nil
	}
	if report.OfEstimates(key) {
		key = key[:len(key)-1]
	}
	if slices.ContainsFunc(s.GateSlices, key.AreWritten) {
		return true
	}
	isOther := func(p slice.Pair) bool { return s.Groups == nil || !slices.Contains(s.Groups.By, p.Column) }
	return !slices.ContainsFunc(key, isOther)
}

// Refold joins the folds of single values, if the job asks for that and the slice with this key gets
// intervals.
func (j *Job) Refold(encoded string, p *Partial) {
	c := j.Confidence
	if c == nil || !c.Refold || !j.HasIntervals(encoded) {
		return
	}
	by := hash.NewDivider(c.Folds, c.Seed)
	p.Refold(func(fold int32) int32 { return int32(by.Part(c.Each[fold])) })
}
