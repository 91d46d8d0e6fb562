// Package simulation says how many draws the simulations of tests take. A simulation draws samples
// of a known distribution and counts how often a statistic says the truth, so its time grows with
// its draws. Take all draws after a change of the statistic and before a release.
//
//	go test -short              a hundredth: does it run at all
//	go test                     a tenth: is it about right
//	DRAWS=all go test           all, as the documentation tells of
//
// Names of tests that simulate begin with TestSimulated.
package simulation

import (
	"math"
	"os"
	"testing"
)

// Draws returns how many of all draws are taken, at least one.
func Draws(all int) int {
	switch {
	case os.Getenv("DRAWS") == "all":
		return all
	case testing.Short():
		return max(all/100, 1)
	}
	return max(all/10, 1)
}

// Slack returns how much farther than with all draws a share may be from the given one: four
// standard errors with the draws that are taken, less four standard errors with all draws.
func Slack(share float64, all int) float64 {
	return 4 * math.Sqrt(share*(1-share)) * (1/math.Sqrt(float64(Draws(all))) - 1/math.Sqrt(float64(all)))
}
