package comparison

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/tabular"
)

// pair is two systems, whose reports can be compared, and the differences between them, in the order
// of their places. There may be millions of differences, so they are packed: names, slices and labels
// are stored once for all pairs, reasons once for each pair, and a difference takes 92 bytes.
type pair struct {
	a, b         int // indices of the systems
	nameA, nameB string
	data         string
	*tester      // nil once all is tested
	places       []report.Row
	list         []packed
	reasons      []string // of list, by packed.reason
	order        []int32  // of list, as files have it
	overQueries  map[int32]queryTests
	gates        []comparison.Gate
	visible      []comparison.Visible
}

// packed is a difference without what pairs share.
type packed struct {
	a, b, difference, stdError, dof, low, high, pValue, pAdjusted float64
	place, groups, reason                                         int32
	pairing, verdict                                              uint8 // indices of pairings and verdicts
}

// queryTests are p-values of tests over single queries.
type queryTests struct{ pairedT, randomization float64 }

var (
	pairings = differences.Pairings()
	verdicts = append([]comparison.Verdict{""}, differences.Verdicts()...) // "" until it is judged
)

// add adds a difference, whose place comes after those of the others.
func (p *pair) add(place int32, d *comparison.Change) {
	p.list = append(p.list, packed{place: place})
	p.set(len(p.list)-1, d)
}

// set sets difference i, except its place.
func (p *pair) set(i int, d *comparison.Change) {
	reason := slices.Index(p.reasons, d.Reason) // of which a pair has few
	if reason < 0 {
		reason, p.reasons = len(p.reasons), append(p.reasons, d.Reason)
	}
	p.list[i] = packed{
		d.A, d.B, d.Difference, d.StdError, d.DOF, d.Low, d.High, d.PValue, d.PAdjusted, p.list[i].place, int32(d.Groups), int32(reason),
		uint8(slices.Index(pairings, d.Pairing)), uint8(slices.Index(verdicts, d.Verdict)),
	}
}

// change returns difference i.
func (p *pair) change(i int) comparison.Change {
	d := &p.list[i]
	at := &p.places[d.place]
	return comparison.Change{
		Name: at.Name, Slice: at.Slice, Label: at.Label, A: d.a, B: d.b, Difference: d.difference, StdError: d.stdError, DOF: d.dof, Low: d.low, High: d.high,
		Groups: int(d.groups), PValue: d.pValue, PAdjusted: d.pAdjusted, Pairing: pairings[d.pairing], Verdict: verdicts[d.verdict], Reason: p.reasons[d.reason],
	}
}

// changes returns all differences.
func (p *pair) changes() []comparison.Change {
	all := make([]comparison.Change, len(p.list))
	for i := range all {
		all[i] = p.change(i)
	}
	return all
}

// at returns the difference of a place, at which one of the systems has a value.
func (p *pair) at(place int32) comparison.Change {
	i, _ := slices.BinarySearchFunc(p.list, place, func(d packed, place int32) int { return cmp.Compare(d.place, place) })
	return p.change(i)
}

// judgeAll sets the verdicts of the differences.
func (p *pair) judgeAll() {
	for i := range p.list {
		d := p.change(i)
		p.judge(&d)
		p.set(i, &d)
	}
}

// listOf returns the differences of pairs in the order of files.
func listOf(pairs []*pair) tabular.List[comparison.Difference] {
	ends, n := make([]int, len(pairs)), 0
	for i, p := range pairs {
		n += len(p.list)
		ends[i] = n
	}
	return tabular.List[comparison.Difference]{Len: n, At: func(i int, room *comparison.Difference) *comparison.Difference {
		of, _ := slices.BinarySearch(ends, i+1)
		p := pairs[of]
		i = int(p.order[i-(ends[of]-len(p.list))])
		tests, tested := p.overQueries[int32(i)]
		if !tested {
			tests = queryTests{math.NaN(), math.NaN()}
		}
		*room = comparison.Difference{Change: p.change(i), SystemA: p.nameA, SystemB: p.nameB, Data: p.data, PPairedT: tests.pairedT, PRandomization: tests.randomization}
		return room
	}}
}
