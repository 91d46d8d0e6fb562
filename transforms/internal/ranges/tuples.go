package ranges

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/scoreruns"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// sliceTable says which slices and which fold the examples of each tuple belong to; see
// batches.Slicer. Every run is accompanied by the table of the tuples of its examples.
type sliceTable struct {
	Keys   []string // the keys of the slices, ascending
	Tuples []tableRow
}

// tableRow says what the examples of one tuple belong to.
type tableRow struct {
	Slices []int32 // indices into Keys, ascending
	Fold   int32
}

// newSliceTable returns the table of tuples with these memberships.
func newSliceTable(tuples []shuffle.Membership) *sliceTable {
	t := &sliceTable{Tuples: make([]tableRow, len(tuples))}
	places := make(map[string]int32)
	for _, membership := range tuples {
		for _, key := range membership.Slices {
			places[key] = 0
		}
	}
	t.Keys = slices.Sorted(maps.Keys(places))
	for i, key := range t.Keys {
		places[key] = int32(i)
	}
	for i, membership := range tuples {
		row := &t.Tuples[i]
		row.Slices = collections.Map(membership.Slices, func(key string) int32 { return places[key] })
		slices.Sort(row.Slices)
		row.Fold = membership.Fold
	}
	return t
}

func sliceTableFields(c *wire.Coder, t *sliceTable) {
	c.Strings(&t.Keys)
	wire.List(c, &t.Tuples, func(c *wire.Coder, row *tableRow) {
		shuffle.FoldField(c, &row.Fold)
		wire.List(c, &row.Slices, func(c *wire.Coder, k *int32) {
			if wire.Int(c, k); *k < 0 || int(*k) >= len(t.Keys) {
				c.Fail("there is no slice %d", *k)
			}
		})
	})
}

// tupleNumbers numbers the tuples that examples have, from 0, in order of their first occurrence.
type tupleNumbers struct {
	membershipOf shuffle.MembershipOf // returns the membership of a tuple of the worker
	numbers      []uint32             // by tuple of the worker: its number + 1, or 0 if it has not occurred
	met          []shuffle.Membership // the memberships of the tuples, by number
}

// number returns the number of a tuple.
func (n *tupleNumbers) number(tuple int32) uint32 {
	for int(tuple) >= len(n.numbers) {
		n.numbers = append(n.numbers, 0)
	}
	if n.numbers[tuple] == 0 {
		n.met = append(n.met, n.membershipOf(tuple))
		n.numbers[tuple] = uint32(len(n.met))
	}
	return n.numbers[tuple] - 1
}

// membershipNumbers numbers the memberships that are counted separately. Tuples with the same slices have the
// same number unless perFold is set: with many folds, separate totals of each tuple would not fit
// in a cache.
type membershipNumbers struct {
	perFold     bool                 // whether tuples of different folds get different numbers
	numbers     []int32              // by the number of the tuple
	memberships []shuffle.Membership // by number; without a fold unless perFold
	byKey       map[string]int32     // the number of each membership, by its encoding
	code        []byte               // reused for encodings
}

// extend numbers the tuples that are new since the last call.
func (c *membershipNumbers) extend(met []shuffle.Membership) {
	if c.byKey == nil {
		c.byKey = make(map[string]int32)
	}
	for _, membership := range met[len(c.numbers):] {
		if !c.perFold {
			membership.Fold = shuffle.NoFold
		}
		c.code = appendCode(c.code[:0], &membership)
		number, met := c.byKey[string(c.code)]
		if !met {
			number = int32(len(c.memberships))
			c.byKey[string(c.code)], c.memberships = number, append(c.memberships, membership)
		}
		c.numbers = append(c.numbers, number)
	}
}

// appendCode appends what identifies a membership.
func appendCode(dst []byte, of *shuffle.Membership) []byte {
	dst = binary.AppendVarint(dst, int64(of.Fold))
	for _, slice := range of.Slices {
		dst = append(binary.AppendUvarint(dst, uint64(len(slice))), slice...)
	}
	return dst
}

// membership returns the membership with the given number.
func (c *membershipNumbers) membership(number int32) shuffle.Membership { return c.memberships[number] }

// tagTable maps the tags of several runs to common tags: membership·classes + class, where membership is the
// number of a list of slices and a fold. Ranges with the same slices can share it: nearly all of them have scores
// of every slice, and where tuples are many, mapping them takes longer than tracing their scores.
type tagTable struct {
	keys        []string // the keys of the slices, ascending
	classes     int
	memberships map[string]int // the number of each membership, by its encoding
	tags        []scoreruns.Tag
	mapped      []mappedTuples
	code        []byte // reused for encodings
}

// mappedTuples has the common tag of each tag of the runs that a table of tuples accompanies.
type mappedTuples struct {
	tuples shuffle.Spilled // a sliceTable
	common []uint32
}

// newTagTable returns an empty table for examples of these slices and classes.
func newTagTable(keys []string, classes int) *tagTable {
	return &tagTable{keys: keys, classes: classes, memberships: make(map[string]int)}
}

// fits reports whether the table is for examples of these slices and classes.
func (t *tagTable) fits(keys []string, classes int) bool {
	return t.classes == classes && slices.Equal(t.keys, keys)
}

// of returns the common tag of each tag of the run of a piece.
func (t *tagTable) of(p *Piece) ([]uint32, error) {
	for i := range t.mapped {
		if m := &t.mapped[i]; m.tuples.Same(&p.Tuples) { // they come from the same worker
			return m.common, nil
		}
	}
	tuples, err := p.tuples()
	if err != nil {
		return nil, err
	}
	common := t.common(tuples)
	t.mapped = append(t.mapped, mappedTuples{p.Tuples, common})
	return common, nil
}

// common returns the common tag of each tag of a run, given the table of its tuples. The range may have no
// scores of a tuple, and then no totals of its slices: its tags are scoreruns.NoTag.
func (t *tagTable) common(tuples *sliceTable) []uint32 {
	places := placesOf(tuples.Keys, t.keys)
	common := make([]uint32, 0, len(tuples.Tuples)*t.classes)
	for i := range tuples.Tuples {
		row := &tuples.Tuples[i]
		if slices.ContainsFunc(row.Slices, func(key int32) bool { return places[key] < 0 }) {
			common = append(common, slices.Repeat([]uint32{scoreruns.NoTag}, t.classes)...)
			continue
		}
		membership := t.membership(row, places)
		for class := range t.classes {
			common = append(common, uint32(membership*t.classes+class))
		}
	}
	return common
}

// membership returns the number of the membership of a tuple.
func (t *tagTable) membership(tuple *tableRow, places []int32) int {
	t.code = binary.AppendVarint(t.code[:0], int64(tuple.Fold))
	for _, key := range tuple.Slices {
		t.code = binary.AppendUvarint(t.code, uint64(places[key]))
	}
	number, met := t.memberships[string(t.code)]
	if met {
		return number
	}
	number = len(t.memberships)
	t.memberships[string(t.code)] = number
	// The places are ascending, because the keys of both tables are.
	list := collections.Map(tuple.Slices, func(key int32) int32 { return places[key] })
	for class := range t.classes {
		t.tags = append(t.tags, scoreruns.Tag{Class: int32(class), Fold: tuple.Fold, Slices: list})
	}
	return number
}
