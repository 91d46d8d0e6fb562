// Package preference estimates the strengths of systems from comparisons of two of them, by the
// maximum likelihood of the model of Bradley & Terry 1952, or of Davidson's model (1970), which has
// a probability of ties.
//
// Sums are in the order of the pairs, and no product is fused with a sum, so that equal counts give
// equal bits on every processor.
package preference

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/elementary"
)

// Pair counts the comparisons of two different systems, by number or by weight. The counts are finite
// and not negative.
type Pair struct {
	A, B              int
	WinsA, WinsB, Tie float64
}

// Options say how strengths are estimated.
type Options struct {
	// Davidson estimates how often ties happen: of systems with strengths a and b, the probabilities
	// that A wins, that B wins and of a tie are in the ratio e^a : e^b : ν e^((a+b)/2). Otherwise a tie
	// counts as half a win of each.
	Davidson bool
	// Reference is the system whose strength is 0, or -1: then the strengths add up to 0.
	Reference int
}

// Model holds the estimates. Strengths are logarithms: e^(a-b) are the odds that the first of two
// systems wins, given that one of them does.
type Model struct {
	Strength []float64 // NaN if undefined
	// StdError is the standard error of each strength by the Fisher information, which takes all
	// comparisons as independent; 0 for the reference.
	StdError []float64
	// Undefined says, for each system, why it has no strength; "" if it has one.
	Undefined []string
	// Ties is Davidson's ν; 0 without ties and unless Options.Davidson.
	Ties float64
}

// The reasons for which a system has no strength.
const (
	noComparisons = "no comparisons"
	alwaysWins    = "wins all comparisons"
	neverWins     = "loses all comparisons"
	disconnected  = "no wins and losses, or ties, connect the system in both directions with the others"
	noReference   = "the reference has no strength: "
	onlyTies      = "too few wins, or too many ties, to estimate how often ties happen"
	notConverged  = "the comparisons are too unequal for a strength"
)

// Fit estimates the strengths of a number of systems. The pairs must be different, and in a canonical
// order. The likelihood has a finite maximum only within a set of systems in which a path of wins,
// or of ties, leads from each system to every other. Fit estimates the strengths within the largest
// such set (the one with the first system, if there are several), or within the set of the
// reference. Other systems are undefined: their strength is infinitely far from the set's
// strengths, or nothing is known about it. Comparisons with them do not change the estimates of the
// set, as is right in the limit of the maximum.
func Fit(systems int, pairs []Pair, o Options) *Model {
	m := &Model{
		Strength: make([]float64, systems), StdError: make([]float64, systems), Undefined: make([]string, systems),
	}
	set := component(systems, pairs, o.Reference)
	inside := make([]int, systems) // the index in set, or -1
	for s := range inside {
		inside[s], m.Strength[s], m.StdError[s] = -1, math.NaN(), math.NaN()
	}
	for i, s := range set {
		inside[s] = i
	}
	why := m.explain(inside, pairs, o.Reference)
	f := &fit{systems: len(set), base: 0}
	if o.Reference >= 0 && why == "" {
		f.base = inside[o.Reference]
	}
	for _, p := range pairs {
		if a, b := inside[p.A], inside[p.B]; a >= 0 && b >= 0 {
			f.pairs = append(f.pairs, Pair{a, b, p.WinsA, p.WinsB, p.Tie})
			f.ties = f.ties || o.Davidson && p.Tie > 0
		}
	}
	switch {
	case why != "":
	case f.ties && !identified(f.systems, f.pairs):
		why = onlyTies
	case !f.maximize():
		why = notConverged
	}
	for i, s := range set {
		if why != "" {
			m.Undefined[s] = why
		} else {
			m.Strength[s], m.StdError[s] = f.estimate(i, o.Reference < 0)
		}
	}
	if f.ties && why == "" {
		m.Ties = elementary.Exp(f.at[f.systems])
	}
	return m
}

// explain sets why systems outside of the set have no strength. It returns why those inside have none
// either, or "".
func (m *Model) explain(inside []int, pairs []Pair, reference int) string {
	type record struct{ met, wins, losses bool }
	records := make([]record, len(inside))
	for _, p := range pairs {
		a, b := &records[p.A], &records[p.B]
		won, lost := p.WinsA > 0 || p.Tie > 0, p.WinsB > 0 || p.Tie > 0
		a.met, b.met = a.met || won || lost, b.met || won || lost
		a.wins, b.losses = a.wins || won, b.losses || won
		a.losses, b.wins = a.losses || lost, b.wins || lost
	}
	members := 0
	for s, r := range records {
		switch {
		case !r.met:
			m.Undefined[s] = noComparisons
		case !r.losses:
			m.Undefined[s] = alwaysWins
		case !r.wins:
			m.Undefined[s] = neverWins
		case inside[s] < 0:
			m.Undefined[s] = disconnected
		}
		if inside[s] >= 0 {
			members++
		}
	}
	if members > 1 {
		return ""
	}
	if reference >= 0 { // the set is the reference alone
		m.Undefined[reference] = cmp.Or(m.Undefined[reference], disconnected)
		for s, why := range m.Undefined {
			if s != reference && why == disconnected {
				m.Undefined[s] = noReference + m.Undefined[reference]
			}
		}
		return m.Undefined[reference]
	}
	alone := slices.Index(inside, 0)
	return cmp.Or(m.Undefined[alone], disconnected)
}

// Elo returns a strength on the scale of Elo ratings: 400 points are odds of 10 to 1, and a strength
// of 0 is 1000.
func Elo(strength float64) float64 { return float64(strength*EloScale) + 1000 }

// EloScale is the number of Elo points of a unit of strength, 400/ln 10.
const EloScale = 400 / math.Ln10
