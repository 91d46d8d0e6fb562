// Package itemexposure measures which items recommendations show: how many, how evenly, and how popular
// they are. A [Table] counts how often each item is among the first of a list, and gives up beyond a
// limit of items, so that the limit decides how much memory it takes.
package itemexposure

import (
	"maps"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Table counts the items of lists by cut-off. It is a commutative monoid: whether there are too many
// items does not depend on the order in which they come.
type Table struct {
	limit int // of items; 0 in a table that can only be merged into
	over  bool
	items map[uint64]*Item
	lists []listed // by cut-off of similarities
}

// Item is what a table knows of an item. Weights are sums of the weights of lists.
type Item struct {
	seen     int64   // the number of lists that have the item, at any place, and of judgements of it
	relevant sum     // the weight of the lists it is relevant to
	shown    []sum   // by cut-off: the weight of the lists that have it among the first
	norms    []sum   // by cut-off of similarities: the same, each divided by the root of the length
	given    float64 // how frequent it is said to be, or 0
}

// listed totals the lists of a cut-off for the similarity of pairs of them: their number and weight,
// the squares of their weights, and their similarity to themselves.
type listed struct {
	all           exact.Tally
	squares, self exact.Sum
}

// sum is an exact.Sum in a list of fields.
type sum struct{ exact.Sum }

func (s *sum) Fields(v *fields.Visitor, from *sum) { fields.Visit(v, &s.Sum, &from.Sum) }

// NewTable returns an empty table that gives up beyond the given number of items. similarities is the
// number of cut-offs of similarities.
func NewTable(limit, similarities int) *Table {
	return &Table{limit: limit, items: make(map[uint64]*Item), lists: make([]listed, similarities)}
}

// Limit returns the limit.
func (t *Table) Limit() int { return t.limit }

// Over reports whether there are more items than the limit.
func (t *Table) Over() bool { return t.over }

// See adds an item of a list, or one that was judged, and returns it, or nil if there are too many.
func (t *Table) See(key uint64) *Item {
	it := t.item(key)
	if it != nil {
		it.seen++
	}
	return it
}

func (t *Table) item(key uint64) *Item {
	if t.over {
		return nil
	}
	it := t.items[key]
	if it == nil {
		if t.limit > 0 && len(t.items) >= t.limit {
			t.giveUp()
			return nil
		}
		it = new(Item)
		t.items[key] = it
	}
	return it
}

func (t *Table) giveUp() { t.over, t.items = true, nil }

// Relevant adds the weight of a list to which the item is relevant.
func (it *Item) Relevant(weight float64) { it.relevant.Add(weight) }

// Show adds the weight of a list that has the item among the first, of a cut-off.
func (it *Item) Show(cut int, weight float64) { addAt(&it.shown, cut, weight) }

// Given says how frequent the item is. The largest number counts.
func (it *Item) Given(frequency float64) { it.given = max(it.given, frequency) }

// Norm adds the weight of a list that has the item among the first, divided by the root of their
// number, of a cut-off of similarities.
func (it *Item) Norm(cut int, weight float64) { addAt(&it.norms, cut, weight) }

// Compare adds a list to the similarities of a cut-off. norms are the weights that Norm gets of its
// items.
func (t *Table) Compare(cut int, weight float64, norms []float64) {
	l := &t.lists[cut]
	l.all.Add(weight)
	l.squares.AddProduct(weight, weight)
	for _, x := range norms {
		l.self.AddProduct(x, x)
	}
}

func addAt(list *[]sum, at int, x float64) {
	if at >= len(*list) {
		*list = append(*list, make([]sum, at+1-len(*list))...)
	}
	(*list)[at].Add(x)
}

// Fits reports whether the table has no more than these numbers of cut-offs.
func (t *Table) Fits(cuts, similarities int) bool {
	for _, it := range t.items {
		if len(it.shown) > cuts || len(it.norms) > similarities {
			return false
		}
	}
	return len(t.lists) <= similarities
}

// At returns what the table knows of some cut-offs and cut-offs of similarities, given by their places. It shares sums
// with t.
func (t *Table) At(cuts, similarities []int) *Table {
	some := &Table{limit: t.limit, over: t.over}
	for _, at := range similarities {
		if len(t.lists) > 0 {
			some.lists = append(some.lists, t.lists[at])
		}
	}
	if t.items != nil {
		some.items = make(map[uint64]*Item, len(t.items))
	}
	for key, it := range t.items {
		some.items[key] = &Item{seen: it.seen, relevant: it.relevant, given: it.given, shown: sumsAt(it.shown, cuts), norms: sumsAt(it.norms, similarities)}
	}
	return some
}

// sumsAt returns the sums at some places, up to the last that is not empty.
func sumsAt(list []sum, places []int) (some []sum) {
	for i, at := range places {
		if at < len(list) && !list[at].Empty() {
			some = append(some, make([]sum, i+1-len(some))...)
			some[i] = list[at]
		}
	}
	return some
}

// Fields lists the fields.
func (t *Table) Fields(v *fields.Visitor, from *Table) {
	v.Size(&t.limit, from.limit)
	switch {
	case v.Merges():
		t.merge(v, from)
	case v.Codes():
		v.Bool(&t.over)
		t.code(v)
	default:
		t.over = false
		t.items = make(map[uint64]*Item)
	}
	fields.List(v, &t.lists, from.lists)
	if v.Decodes() && (t.over && len(t.items) > 0 || t.limit > 0 && len(t.items) > t.limit) {
		v.Fail("a table of %d items, over %d", len(t.items), t.limit)
	}
}

func (t *Table) merge(v *fields.Visitor, from *Table) {
	if from.over {
		t.giveUp()
	}
	if t.items == nil && !t.over {
		t.items = make(map[uint64]*Item)
	}
	for key, of := range from.items {
		it := t.item(key)
		if it == nil {
			return
		}
		it.Fields(v, of)
	}
}

// code encodes or decodes the items by increasing key.
func (t *Table) code(v *fields.Visitor) {
	keys := slices.Sorted(maps.Keys(t.items))
	if v.Reading() {
		t.items = make(map[uint64]*Item)
	}
	v.Keys(keys, func(key uint64) (empty bool) {
		it := t.items[key]
		if it == nil {
			it = new(Item)
			t.items[key] = it
		}
		it.Fields(v, it)
		return it.seen == 0
	})
}

// Fields lists the fields.
func (it *Item) Fields(v *fields.Visitor, from *Item) {
	v.Count(&it.seen, from.seen)
	it.relevant.Fields(v, &from.relevant)
	fields.List(v, &it.shown, from.shown)
	fields.List(v, &it.norms, from.norms)
	v.Largest(&it.given, from.given)
}

// Fields lists the fields.
func (l *listed) Fields(v *fields.Visitor, from *listed) {
	fields.Visit(v, &l.all, &from.all)
	fields.Visit(v, &l.squares, &from.squares)
	fields.Visit(v, &l.self, &from.self)
}
