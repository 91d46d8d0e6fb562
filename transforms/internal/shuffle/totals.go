package shuffle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// RangeTotals are the totals of the examples of a slice whose scores of a label are in a range.
type RangeTotals struct {
	Label int   // also metrics.PooledLabel, metrics.TopClass or metrics.CostLabel
	Fold  int32 // of the examples
	Range int32
	scoreruns.Totals
}

// compareTotals orders totals by label, then by range, then by fold.
func compareTotals(a, b RangeTotals) int {
	return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Range, b.Range), cmp.Compare(a.Fold, b.Fold))
}

// ScoreTotals are all RangeTotals of a slice, from several workers. They remain packed until they are
// read, because all slices may have millions.
type ScoreTotals struct {
	packed [][]byte // each an encoded list
	size   int      // of all
	most   int      // the size at which they are added up
}

// fewTotals is the size in bytes up to which lists are kept as they are.
const fewTotals = 64 << 10

// PackTotals encodes a list of totals.
func PackTotals(list []RangeTotals) ([]byte, error) { return wire.Encode(&list, totalsFields) }

func totalsFields(c *wire.Coder, list *[]RangeTotals) {
	Table(c, list, func(block []RangeTotals) {
		IntColumn(c, block, func(t *RangeTotals) *int { return &t.Label })
		IntColumn(c, block, func(t *RangeTotals) *int32 { return &t.Range })
		IntColumn(c, block, func(t *RangeTotals) *int32 { return &t.Fold })
		TallyColumn(c, block, func(t *RangeTotals) *exact.Tally { return &t.Positive })
		TallyColumn(c, block, func(t *RangeTotals) *exact.Tally { return &t.Negative })
		for i := range block {
			if CheckFold(c, block[i].Fold); block[i].Range < 0 {
				c.Fail("there is no range %d", block[i].Range)
			}
		}
	})
}

// Merge adds the totals of from and leaves from unchanged.
func (t *ScoreTotals) Merge(from *ScoreTotals) { t.Add(from.packed...) }

// Add adds lists that PackTotals encoded. If they have become many, it adds up the totals of the same label,
// range and fold.
func (t *ScoreTotals) Add(packed ...[]byte) {
	for _, data := range packed {
		t.packed, t.size = append(t.packed, data), t.size+len(data)
	}
	if t.size <= max(t.most, fewTotals) {
		return
	}
	if data, err := t.sum(); err == nil { // otherwise, List returns the error
		*t = ScoreTotals{[][]byte{data}, len(data), 2 * len(data)}
	}
}

// Bytes returns the size of the totals, which are packed.
func (t *ScoreTotals) Bytes() int { return t.size }

// sum returns a single list, encoded, or nil if there are no totals.
func (t *ScoreTotals) sum() ([]byte, error) {
	switch len(t.packed) {
	case 0:
		return nil, nil
	case 1:
		return t.packed[0], nil
	}
	list, err := t.List()
	if err != nil {
		return nil, err
	}
	return PackTotals(list)
}

// List adds up the totals. They are ordered by label, then by range, then by fold.
func (t *ScoreTotals) List() ([]RangeTotals, error) {
	var all []RangeTotals
	for _, data := range t.packed {
		var list []RangeTotals
		if err := wire.Decode(data, &list, totalsFields); err != nil {
			return nil, fmt.Errorf("decoding the totals of scores: %w", err)
		}
		all = append(all, list...)
	}
	slices.SortFunc(all, compareTotals)
	sums := all[:0]
	for i := range all {
		if last := len(sums) - 1; last >= 0 && compareTotals(sums[last], all[i]) == 0 {
			sums[last].Merge(&all[i].Totals)
		} else {
			sums = append(sums, all[i])
		}
	}
	return sums, nil
}

func scoreTotalsFields(c *wire.Coder, t *ScoreTotals) {
	data, err := t.sum()
	if err != nil {
		c.Fail("%w", err)
	}
	if c.Bytes(&data); c.Reading() {
		if *t = (ScoreTotals{}); len(data) > 0 {
			t.Add(data)
		}
	}
}
