package curves

import "math"

// Value is a number or, where Undefined says why there is none, NaN.
type Value struct {
	Number    float64
	Undefined string
}

// Why values are undefined.
const (
	noPositives  = "no positive examples"
	noNegatives  = "no negative examples"
	tooLarge     = "weights are too large"
	noPoint      = "no threshold meets the condition"
	onlyWithout  = "met only by predicting no positives"
	noPairs      = "fewer than two classes have examples"
	notLookedFor = "the criterion is not one of those asked for"
)

func defined(x float64) Value { return Value{Number: x} }

func undefined(reason string) Value { return Value{Number: math.NaN(), Undefined: reason} }

// share is num/den within [0, 1], which rounding alone can take it out of.
func share(num, den float64) Value { return defined(min(max(num/den, 0), 1)) }
