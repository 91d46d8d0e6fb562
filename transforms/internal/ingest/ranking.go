package ingest

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/groupby"
)

// queries builds the queries of a batch.
type queries struct {
	items, missed    []int32 // offsets
	score, relevance []float64
	judged           []bool
	missedRelevance  []float64
	shown            shownItems

	// of one query
	retrieved, inTruth []item // see appendItems
	met                groupby.Keys
	rowRelevance       []float64
	rowJudged          []bool
	rowShown           shownItems
	order              []int32
}

// item is an item of a list: its id (see groupby.Key) and its index in the list.
type item struct {
	id    int64
	place int32
}

// ranking sets the queries of a batch. If items break ties, the items of each query are ordered by
// score and then by id, both descending.
func (c *Converter) ranking(b *metrics.Batch) {
	q := &c.queries
	q.items, q.missed = append(q.items[:0], 0), append(q.missed[:0], 0)
	q.score, q.relevance, q.judged, q.missedRelevance = q.score[:0], q.relevance[:0], q.judged[:0], q.missedRelevance[:0]
	c.hashItems()
	for r := range b.Rows {
		if start := len(q.missedRelevance); !c.appendQuery(r) {
			q.missedRelevance = q.missedRelevance[:start]
			q.shown.missed = q.shown.missed[:min(start, len(q.shown.missed))]
		}
		q.items, q.missed = append(q.items, int32(len(q.score))), append(q.missed, int32(len(q.missedRelevance)))
	}
	b.ItemOffset, b.Score, b.Relevance = q.items, q.score, q.relevance
	c.setShown(b)
	b.Judged, b.MissedOffset, b.Missed = nil, nil, nil
	if c.spec.NegativeIsZero {
		b.Judged = q.judged
	}
	if c.truthItem.Column != nil {
		b.Judged, b.MissedOffset, b.Missed = q.judged, q.missed, q.missedRelevance
	}
}

// appendQuery appends the items of a row, or rejects the row.
func (c *Converter) appendQuery(r int) bool {
	s := &c.by[roles.Score]
	if s.IsNullList(r) {
		c.reject(s, r, "null", nullScores)
		return false
	}
	from, to := s.span(r)
	if !c.readRetrieved(r, to-from) || !c.readRelevances(r, to-from) || !c.readShown(r, to-from) {
		return false
	}
	q := &c.queries
	start, good := len(q.score), true
	for v := from; v < to; v++ {
		x, ok := c.scoreAt(&c.by[roles.Score], r, v)
		q.score, good = append(q.score, x), good && ok
	}
	if !good {
		q.score = q.score[:start]
		return false
	}
	if c.spec.Params.Ranking.Ties == metrics.ItemTies {
		q.sort(&c.by[roles.Item], r, q.score[start:])
	}
	q.appendShown()
	q.relevance = append(q.relevance, q.rowRelevance...)
	q.judged = append(q.judged, q.rowJudged...)
	return true
}

// readRetrieved reads the ids of the n items of a row, if items have ids.
func (c *Converter) readRetrieved(r, n int) (ok bool) {
	s, q := &c.by[roles.Item], &c.queries
	if s.Column == nil {
		return true
	}
	if from, to := s.span(r); to-from != n {
		c.reject(s, r, fmt.Sprintf("%d items and %d scores", to-from, n), unequalScores)
		return false
	}
	q.retrieved, ok = c.appendItems(q.retrieved[:0], s, r)
	return ok
}

// appendItems appends the items of a row. It rejects the row if an id is null or occurs twice. If
// relevances have to be joined with scores, items are ordered by id.
func (c *Converter) appendItems(list []item, s *source, r int) ([]item, bool) {
	from, to := s.span(r)
	increasing := true
	for i := range to - from {
		if s.IsNull(from + i) {
			c.rejectValue(s, r, from+i, s.null)
			return list, false
		}
		list = append(list, item{int64(groupby.Key(s.Column, from+i)), int32(i)})
		increasing = increasing && (i == 0 || list[i-1].id < list[i].id)
	}
	if increasing {
		return list, true
	}
	c.queries.met.Reset()
	for i, item := range list {
		if int(c.queries.met.Number(uint64(item.id))) < i {
			c.rejectValue(s, r, from+i, duplicateItem)
			return list, false
		}
	}
	if c.truthItem.Column != nil {
		slices.SortFunc(list, func(a, b item) int { return cmp.Compare(a.id, b.id) })
	}
	return list, true
}

// readRelevances reads the relevance of the n items of a row.
func (c *Converter) readRelevances(r, n int) bool {
	s, q := &c.by[roles.Label], &c.queries
	q.rowRelevance, q.rowJudged = collections.Resize(q.rowRelevance, n), collections.Resize(q.rowJudged, n)
	if s.IsNullList(r) {
		c.reject(s, r, "null", s.null)
		return false
	}
	if c.truthItem.Column != nil {
		return c.joinRelevances(r)
	}
	from, to := s.span(r)
	if to-from != n {
		c.reject(s, r, fmt.Sprintf("%d values and %d scores", to-from, n), unequalScores)
		return false
	}
	good := true
	for i := range n {
		relevance, ok := c.relevance(r, from+i)
		q.rowRelevance[i], q.rowJudged[i] = max(relevance, 0), relevance >= 0
		good = good && ok
	}
	return good
}

// joinRelevances reads the relevance of the judged items, both of those that were retrieved and of
// the others.
func (c *Converter) joinRelevances(r int) (good bool) {
	q := &c.queries
	if q.inTruth, good = c.appendItems(q.inTruth[:0], &c.truthItem, r); !good {
		return false
	}
	clear(q.rowRelevance)
	clear(q.rowJudged)
	from, _ := c.by[roles.Label].span(r)
	retrieved := q.retrieved
	for _, judged := range q.inTruth {
		relevance, ok := c.relevance(r, from+int(judged.place))
		good = good && ok
		for len(retrieved) > 0 && retrieved[0].id < judged.id {
			retrieved = retrieved[1:]
		}
		switch {
		case relevance < 0: // counts as not judged
		case len(retrieved) > 0 && retrieved[0].id == judged.id:
			q.rowRelevance[retrieved[0].place], q.rowJudged[retrieved[0].place] = relevance, true
		default:
			q.missedRelevance = append(q.missedRelevance, relevance)
			c.missShown(from + int(judged.place))
		}
	}
	return good
}

// relevance returns value v of the truth, in row r, or rejects the row. If the result is negative,
// it counts as 0.
func (c *Converter) relevance(r, v int) (float64, bool) {
	s := &c.by[roles.Label]
	if s.IsNull(v) {
		c.rejectValue(s, r, v, s.null)
		return 0, false
	}
	x := s.Number(v)
	switch {
	case !isFinite(x):
		c.rejectValue(s, r, v, notFinite)
		return 0, false
	case x < 0 && c.spec.NegativeIsZero:
		c.found.Negative++
	case x < 0:
		c.rejectValue(s, r, v, negativeRelevance)
		return 0, false
	}
	return x, true
}

// sort sorts the items of row r by score and, among equal scores, by id, both descending, as
// trec_eval does.
func (q *queries) sort(ids *source, r int, scores []float64) {
	first, _ := ids.span(r)
	order := metrics.AllRows(q.order[:0], len(scores))
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), compareIDs(ids, first+int(b), first+int(a)))
	})
	permute(scores, order)
	permute(q.rowRelevance, order)
	permute(q.rowJudged, order)
	q.rowShown.permute(order)
	q.order = order
}

// compareIDs compares values i and j as texts, byte by byte, whatever the type of the column: 9
// comes after 10.
func compareIDs(ids *source, i, j int) int {
	switch ids.Type {
	case columns.String:
		return strings.Compare(ids.word(i), ids.word(j))
	case columns.Int:
		var a, b [20]byte
		return bytes.Compare(strconv.AppendInt(a[:0], ids.Ints[i], 10), strconv.AppendInt(b[:0], ids.Ints[j], 10))
	}
	return strings.Compare(ids.plain(i), ids.plain(j))
}

// permute moves list[order[i]] to i.
func permute[T any](list []T, order []int32) {
	old := slices.Clone(list)
	for i, from := range order {
		list[i] = old[from]
	}
}
