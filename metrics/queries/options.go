package queries

import "math"

// Options settle what definitions leave open.
type Options struct {
	// Gain is what an item of a relevance adds to DCG, [ExponentialGain] or
	// [LinearGain].
	Gain func(relevance float64) float64
	// InOrder ranks items of equal scores in the order in which they come, as
	// trec_eval does, instead of taking expectations.
	InOrder bool
	// Threshold is the least relevance of relevant items; positive.
	Threshold float64
	// MaxRelevance is the highest grade of relevance, for ERR; positive, at most
	// MaxGrade.
	MaxRelevance float64
}

// MaxGrade is the highest that the highest grade can be: 2^grade is a float64.
const MaxGrade = 1000

// ExponentialGain is 2^relevance - 1 (Burges et al. 2005).
func ExponentialGain(relevance float64) float64 {
	if whole := uint64(relevance); whole < 64 && float64(whole) == relevance { // as grades are
		return float64(uint64(1)<<whole - 1)
	}
	return math.Expm1(relevance * math.Ln2)
}

// LinearGain is the relevance itself (Järvelin & Kekäläinen 2002).
func LinearGain(relevance float64) float64 { return relevance }
