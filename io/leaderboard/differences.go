package leaderboard

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/tabular"
)

// Difference is the difference between two systems: the value of SystemB minus that of SystemA.
type Difference struct {
	comparison.Change
	SystemA, SystemB string
	Data             string // the data set, if there are several
	// PPairedT and PRandomization are p-values of the paired t-test and of the randomization test
	// over single queries; NaN if unknown. They are not adjusted.
	PPairedT, PRandomization float64
}

// Differences are the differences of pairs of systems, pair by pair. There may be millions, so they
// are packed: names, slices and labels are stored once for all pairs, reasons once for each pair, and a
// difference takes 92 bytes.
type Differences struct {
	pairs []*Pair
	ends  []int   // by pair: the number of differences up to its end
	own   *Places // of the differences that Append packed
}

// Places are names, slices and labels that differences are of, by numbers from 0 on.
type Places struct {
	Rows []report.Row // by number; other fields are not set
	at   map[string]int32
}

// NewPlaces returns the places of rows, which are different.
func NewPlaces(rows []report.Row) *Places {
	p := &Places{rows, make(map[string]int32, len(rows))}
	for i := range rows {
		p.at[string(rows[i].Key())] = int32(i)
	}
	return p
}

// At returns the number of the place of a row.
func (p *Places) At(row *report.Row) (number int32, known bool) {
	number, known = p.at[string(row.Key())]
	return number, known
}

// Pair is two systems and the differences between them, in the order of their places.
type Pair struct {
	SystemA, SystemB, Data string
	places                 *Places
	list                   []packed
	reasons                []string // of list, by packed.reason
	order                  []int32  // of list, as files have it; nil if that is the order of the places
	overQueries            map[int32]queryTests
}

// packed is a difference without what pairs share.
type packed struct {
	a, b, difference, stdError, dof, low, high, pValue, pAdjusted float64
	place, groups, reason                                         int32
	pairing, verdict                                              uint8 // places in the lists of package differences
}

type queryTests struct{ pPairedT, pRandomization float64 }

var (
	pairings = differences.Pairings()
	verdicts = differences.Verdicts()
)

// NewPair returns a pair without differences, which has room for n.
func NewPair(a, b, data string, places *Places, n int) *Pair {
	return &Pair{SystemA: a, SystemB: b, Data: data, places: places, list: make([]packed, 0, n)}
}

// Len returns the number of differences.
func (p *Pair) Len() int { return len(p.list) }

// Place returns the number of the place of difference i.
func (p *Pair) Place(i int) int32 { return p.list[i].place }

// Find returns the index of the difference of a place.
func (p *Pair) Find(place int32) (i int, found bool) {
	return slices.BinarySearchFunc(p.list, place, func(d packed, place int32) int { return cmp.Compare(d.place, place) })
}

// Add adds a difference, whose place comes after those of the others.
func (p *Pair) Add(place int32, d *comparison.Change) {
	p.list = append(p.list, packed{place: place})
	p.Set(len(p.list)-1, d)
}

// Set sets difference i, except its place.
func (p *Pair) Set(i int, d *comparison.Change) {
	p.list[i] = packed{
		d.A, d.B, d.Difference, d.StdError, d.DOF, d.Low, d.High, d.PValue, d.PAdjusted, p.list[i].place, int32(d.Groups), p.reason(d.Reason),
		uint8(slices.Index(pairings, d.Pairing)), uint8(slices.Index(verdicts, d.Verdict)),
	}
}

// reason returns the number of a reason, of which a pair has few.
func (p *Pair) reason(text string) int32 {
	i := slices.Index(p.reasons, text)
	if i < 0 {
		i, p.reasons = len(p.reasons), append(p.reasons, text)
	}
	return int32(i)
}

// Change returns difference i.
func (p *Pair) Change(i int) comparison.Change {
	d := &p.list[i]
	at := &p.places.Rows[d.place]
	change := comparison.Change{
		Name: at.Name, Slice: at.Slice, Label: at.Label, A: d.a, B: d.b, Difference: d.difference, StdError: d.stdError, DOF: d.dof, Low: d.low, High: d.high,
		Groups: int(d.groups), PValue: d.pValue, PAdjusted: d.pAdjusted, Reason: p.reasons[d.reason],
	}
	if int(d.pairing) < len(pairings) {
		change.Pairing = pairings[d.pairing]
	}
	if int(d.verdict) < len(verdicts) {
		change.Verdict = verdicts[d.verdict]
	}
	return change
}

// PValue returns the p-value of difference i, without adjustment.
func (p *Pair) PValue(i int) float64 { return p.list[i].pValue }

// Adjust sets the adjusted p-value of difference i.
func (p *Pair) Adjust(i int, adjusted float64) { p.list[i].pAdjusted = adjusted }

// SetOrder sets the order that differences have in files, by their indices.
func (p *Pair) SetOrder(order []int32) { p.order = order }

// TestQueries sets p-values of tests over queries for difference i.
func (p *Pair) TestQueries(i int, pPairedT, pRandomization float64) {
	if p.overQueries == nil {
		p.overQueries = map[int32]queryTests{}
	}
	p.overQueries[int32(i)] = queryTests{pPairedT, pRandomization}
}

// difference returns difference i with what is known of the pair.
func (p *Pair) difference(i int) Difference {
	tests, tested := p.overQueries[int32(i)]
	if !tested {
		tests = queryTests{math.NaN(), math.NaN()}
	}
	return Difference{p.Change(i), p.SystemA, p.SystemB, p.Data, tests.pPairedT, tests.pRandomization}
}

// inOrder returns the difference that files have in place i.
func (p *Pair) inOrder(i int) Difference {
	if p.order != nil {
		i = int(p.order[i])
	}
	return p.difference(i)
}

// Add adds the differences of a pair, which must not change any more.
func (d *Differences) Add(p *Pair) {
	d.pairs, d.ends = append(d.pairs, p), append(d.ends, d.Len()+p.Len())
}

// Append adds differences.
func (d *Differences) Append(list ...Difference) {
	if d.own == nil {
		d.own = NewPlaces(nil)
	}
	for len(list) > 0 {
		first, n := &list[0], 1
		for n < len(list) && list[n].SystemA == first.SystemA && list[n].SystemB == first.SystemB && list[n].Data == first.Data {
			n++
		}
		d.Add(d.pack(list[:n]))
		list = list[n:]
	}
}

// pack packs the differences of one pair.
func (d *Differences) pack(list []Difference) *Pair {
	numbers, order := make([]int32, len(list)), make([]int32, len(list))
	byPlace := make([]int, len(list))
	for i := range list {
		row := report.Row{Name: list[i].Name, Slice: list[i].Slice, Label: list[i].Label}
		number, known := d.own.At(&row)
		if !known {
			number = int32(len(d.own.Rows))
			d.own.Rows, d.own.at[string(row.Key())] = append(d.own.Rows, row), number
		}
		numbers[i], byPlace[i] = number, i
	}
	slices.SortStableFunc(byPlace, func(i, j int) int { return cmp.Compare(numbers[i], numbers[j]) })
	p := NewPair(list[0].SystemA, list[0].SystemB, list[0].Data, d.own, len(list))
	for at, i := range byPlace {
		order[i] = int32(at)
		p.Add(numbers[i], &list[i].Change)
		if t, r := list[i].PPairedT, list[i].PRandomization; !math.IsNaN(t) || !math.IsNaN(r) {
			p.TestQueries(at, t, r)
		}
	}
	p.SetOrder(order)
	return p
}

// Len returns the number of differences.
func (d *Differences) Len() int {
	if len(d.ends) == 0 {
		return 0
	}
	return d.ends[len(d.ends)-1]
}

// At returns difference i, in the order of files.
func (d *Differences) At(i int) Difference {
	of, _ := slices.BinarySearch(d.ends, i+1)
	p := d.pairs[of]
	return p.inOrder(i - (d.ends[of] - p.Len()))
}

// All yields all differences in the order of files.
func (d *Differences) All() iter.Seq2[int, Difference] {
	return func(yield func(int, Difference) bool) {
		n := 0
		for _, p := range d.pairs {
			for i := range p.list {
				if !yield(n, p.inOrder(i)) {
					return
				}
				n++
			}
		}
	}
}

// rows returns the differences as the rows of a table.
func (d *Differences) rows() tabular.List[Difference] {
	return tabular.List[Difference]{Len: d.Len(), At: func(i int, room *Difference) *Difference {
		*room = d.At(i)
		return room
	}}
}

// places returns the places of all differences; some may occur several times.
func (d *Differences) places() (rows []report.Row) {
	met := map[*Places]bool{}
	for _, p := range d.pairs {
		if !met[p.places] {
			met[p.places] = true
			rows = append(rows, p.places.Rows...)
		}
	}
	return rows
}
