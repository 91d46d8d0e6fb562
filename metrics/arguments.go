package metrics

import (
	"fmt"
	"math"
)

// parameter is a placeholder for an argument in the names of metrics.
type parameter struct {
	name     string // between < and > in the name of the metric
	defaults []float64
	legal    func(float64) bool
	expect   string
}

// parameters is the table of parameters. The defaults are scikit-learn's; for persistence, they are
// from Moffat & Zobel (2008).
var parameters = []parameter{
	{"beta", []float64{0.5, 2}, func(x float64) bool { return x > 0 && x <= 1e6 }, "a positive number up to 1e6"},
	{"q", []float64{0.1, 0.5, 0.9}, isShare, "a number between 0 and 1"},
	{"p", []float64{0.9}, isShare, "a number between 0 and 1"},
	{"r", []float64{0.9}, isShare, "a number between 0 and 1"},
	{"f", []float64{0.01, 0.1}, isShare, "a number between 0 and 1"},
	{"fpr", []float64{0.1}, func(x float64) bool { return x > 0 && x <= 1 }, "a number above 0 and up to 1"},
	{"s", []float64{0.9}, isShare, "a number between 0 and 1"},
	{"share", []float64{0.01, 0.05, 0.1, 0.2}, func(x float64) bool { return x > 0 && x <= 1 }, "a number above 0 and up to 1"},
	{"t", []float64{0.1, 0.2, 0.3, 0.4, 0.5}, func(x float64) bool { return x >= 0 && x < 1 }, "a number from 0 to less than 1"},
	{"persistence", []float64{0.8, 0.95}, func(x float64) bool { return x >= 0 && x < 1 }, "a number from 0 to less than 1"},
	{"quantile", []float64{0.1, 0.5, 0.9}, isInside, "a number between 0 and 1, exclusive"},
	{"rank", []float64{0.5, 0.9, 0.99}, isInside, "a number between 0 and 1, exclusive"},
	{"level", []float64{0.8}, isInside, "a number between 0 and 1, exclusive"},
	{"power", []float64{1.5}, func(x float64) bool { return math.Abs(x) <= 100 && !(x > 0 && x < 1) }, "a number from -100 to 100 that is not between 0 and 1"},
	{"delta", []float64{1}, func(x float64) bool { return x > 0 && !math.IsInf(x, 1) }, "a positive number"},
	{"k", []float64{1, 3, 5, 10}, func(x float64) bool { return x >= 1 && x <= 1e6 && x == math.Trunc(x) }, "a whole number from 1 to 1e6"},
}

func isShare(x float64) bool  { return x >= 0 && x <= 1 }
func isInside(x float64) bool { return x > 0 && x < 1 }

// Arguments are the arguments of metrics with a parameter, by the name of the parameter: "k" for
// precision@<k>, "beta" for f<beta>. They apply if the name of a metric does not state an argument.
type Arguments map[string][]float64

// DefaultArguments returns the usual arguments of all parameters.
func DefaultArguments() Arguments {
	all := make(Arguments)
	for _, p := range parameters {
		all[p.name] = p.defaults
	}
	return all
}

// check returns an error if an argument is invalid.
func (a Arguments) check() error {
	for _, p := range parameters {
		for _, x := range a[p.name] {
			if !p.legal(x) {
				return fmt.Errorf("<%s>: %v is not %s", p.name, x, p.expect)
			}
		}
	}
	return nil
}
