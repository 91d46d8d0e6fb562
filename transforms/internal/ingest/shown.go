package ingest

import (
	"fmt"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/groupby"
)

// shownItems says what metrics of the items that queries show need of them, as far as they need it:
// what identifies each item, its category, and its frequency. missed identifies the items that were
// judged but not retrieved.
type shownItems struct {
	keys, categories, missed []uint64
	frequencies              []float64

	ofItems, ofCategories, ofTruth []uint64 // the hashes of all values of the columns
}

// hashItems hashes the ids and the categories of a batch, if metrics need them.
func (c *Converter) hashItems() {
	p, s := &c.spec.Params, &c.queries.shown
	s.keys, s.categories, s.missed, s.frequencies = s.keys[:0], s.categories[:0], s.missed[:0], s.frequencies[:0]
	if p.Has.Has(roles.Item) && c.by[roles.Item].Column != nil {
		s.ofItems = groupby.Hash(s.ofItems, c.by[roles.Item].Column)
	}
	if p.Has.Has(roles.Item) && c.truthItem.Column != nil {
		s.ofTruth = groupby.Hash(s.ofTruth, c.truthItem.Column)
	}
	if p.Has.Has(roles.Category) && c.by[roles.Category].Column != nil {
		s.ofCategories = groupby.Hash(s.ofCategories, c.by[roles.Category].Column)
	}
}

// readShown reads the columns that are needed of the n items of a row, or rejects the row.
func (c *Converter) readShown(r, n int) bool {
	p, all, row := &c.spec.Params, &c.queries.shown, &c.queries.rowShown
	row.keys, row.categories, row.frequencies = row.keys[:0], row.categories[:0], row.frequencies[:0]
	if p.Has.Has(roles.Item) && n > 0 {
		from, to := c.by[roles.Item].span(r)
		row.keys = append(row.keys, all.ofItems[from:to]...)
	}
	if p.Has.Has(roles.Category) && n > 0 {
		from, ok := c.ofEachItem(&c.by[roles.Category], r, n)
		if !ok {
			return false
		}
		row.categories = append(row.categories, all.ofCategories[from:from+n]...)
	}
	switch {
	case !p.Has.Has(roles.Item):
		return true
	case c.items.Known():
		for _, key := range row.keys {
			row.frequencies = append(row.frequencies, c.items.Of(key))
		}
		return true
	case c.by[roles.ItemFrequency].Column == nil:
		return true
	}
	from, ok := c.ofEachItem(&c.by[roles.ItemFrequency], r, n)
	if !ok {
		return false
	}
	row.frequencies = collections.Resize(row.frequencies, n)
	good := c.finiteList(row.frequencies, &c.by[roles.ItemFrequency], r)
	for i, x := range row.frequencies {
		if !roles.ItemFrequency.Of().Range.Has(x) {
			c.rejectValue(&c.by[roles.ItemFrequency], r, from+i, outsideOf(roles.ItemFrequency))
			good = false
		}
	}
	return good
}

// ofEachItem returns where the values of row r begin. It rejects the row if there is not one for each
// item, or one is null.
func (c *Converter) ofEachItem(s *source, r, n int) (from int, ok bool) {
	from, to := s.span(r)
	switch {
	case s.IsNullList(r):
		c.reject(s, r, "null", s.null)
		return from, false
	case to-from != n:
		c.reject(s, r, fmt.Sprintf("%d values and %d scores", to-from, n), unequalScores)
		return from, false
	}
	ok = true
	for v := from; v < to; v++ {
		if s.IsNull(v) {
			c.rejectValue(s, r, v, s.null)
			ok = false
		}
	}
	return from, ok
}

// missShown adds value v of the items of the truth, which was not retrieved.
func (c *Converter) missShown(v int) {
	if s := &c.queries.shown; c.spec.Params.Has.Has(roles.Item) {
		s.missed = append(s.missed, s.ofTruth[v])
	}
}

func (s *shownItems) permute(order []int32) {
	for _, list := range [][]uint64{s.keys, s.categories} {
		if len(list) > 0 {
			permute(list, order)
		}
	}
	if len(s.frequencies) > 0 {
		permute(s.frequencies, order)
	}
}

// appendShown appends the items of a row.
func (q *queries) appendShown() {
	q.shown.keys = append(q.shown.keys, q.rowShown.keys...)
	q.shown.categories = append(q.shown.categories, q.rowShown.categories...)
	q.shown.frequencies = append(q.shown.frequencies, q.rowShown.frequencies...)
}

// setShown sets the items of a batch.
func (c *Converter) setShown(b *metrics.Batch) {
	s := &c.queries.shown
	b.ItemKey, b.MissedKey, b.Category, b.ItemFrequency = s.keys, s.missed, s.categories, nil
	if c.by[roles.ItemFrequency].Column != nil || c.items.Known() {
		b.ItemFrequency = s.frequencies
	}
}
