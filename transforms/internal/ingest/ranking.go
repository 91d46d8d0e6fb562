package ingest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/rows"
)

// queries builds the queries of a batch.
type queries struct {
	items, missed    []int32 // offsets
	score, relevance []float64
	judged           []bool
	missedRelevance  []float64

	// of one query
	retrieved, truth []item // by id
	given            []float64
	isJudged         []bool
	order            []int32
}

// item is an item by the key of its id; see rows.Key.
type item struct {
	id int64
	at int32 // in the list of the row
}

// ranking sets the queries of a batch. Where ties are broken by item, those of
// each query come by score and then by id, both descending.
func (c *Converter) ranking(b *metrics.Batch, in *Input) {
	q := &c.queries
	q.items, q.missed = append(q.items[:0], 0), append(q.missed[:0], 0)
	q.score, q.relevance, q.judged, q.missedRelevance = q.score[:0], q.relevance[:0], q.judged[:0], q.missedRelevance[:0]
	for r := range in.Rows {
		if start := len(q.missedRelevance); c.isBad[r] == 0 && !c.query(in, r) {
			q.missedRelevance = q.missedRelevance[:start]
		}
		q.items, q.missed = append(q.items, int32(len(q.score))), append(q.missed, int32(len(q.missedRelevance)))
	}
	b.ItemOffset, b.Score, b.Relevance = q.items, q.score, q.relevance
	b.Judged, b.MissedOffset, b.Missed = nil, nil, nil
	if c.spec.NegativeIsZero {
		b.Judged = q.judged
	}
	if in.LabelItem != nil {
		b.Judged, b.MissedOffset, b.Missed = q.judged, q.missed, q.missedRelevance
	}
}

// query adds the items of a row, unless it is bad.
func (c *Converter) query(in *Input, r int) bool {
	names := &c.spec.Columns
	if nullList(in.Score, r) {
		c.reject(r, names.Score, "null", nullScores)
		return false
	}
	from, to := span(in.Score, r)
	if !c.retrieved(in, r, to-from) || !c.relevances(in, r, to-from) {
		return false
	}
	q := &c.queries
	start, good := len(q.score), true
	for i := range to - from {
		s, ok := c.sparseScore(in.Score, from+i, r, i)
		q.score, good = append(q.score, s), good && ok
	}
	if !good {
		q.score = q.score[:start]
		return false
	}
	if c.spec.Params.Ranking.Ties == metrics.ItemTies {
		q.sort(in.Item, r, q.score[start:])
	}
	q.relevance = append(q.relevance, q.given...)
	q.judged = append(q.judged, q.isJudged...)
	return true
}

// retrieved reads the ids of the n items of a row, each of which must be there
// once.
func (c *Converter) retrieved(in *Input, r, n int) bool {
	if in.Item == nil {
		return true
	}
	name := c.spec.Columns.Item
	if from, to := span(in.Item, r); to-from != n {
		c.reject(r, name, fmt.Sprintf("%d items and %d scores", to-from, n), unequalScores)
		return false
	}
	var ok bool
	c.queries.retrieved, ok = c.itemsOf(c.queries.retrieved[:0], in.Item, r, name)
	return ok
}

// itemsOf appends the items of a row, by id.
func (c *Converter) itemsOf(list []item, col *columns.Column, r int, name string) ([]item, bool) {
	from, to := span(col, r)
	increasing := true
	for i := range to - from {
		if col.Null != nil && col.Null[from+i] {
			c.rejectAt(r, i, name, "null", nullItem)
			return list, false
		}
		list = append(list, item{int64(rows.Key(col, from+i)), int32(i)})
		increasing = increasing && (i == 0 || list[i-1].id < list[i].id)
	}
	if increasing {
		return list, true
	}
	slices.SortFunc(list, func(a, b item) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.at, b.at)) })
	twice := to // the first element that is there again; ids are in no order that means anything
	for i := 1; i < len(list); i++ {
		if at := int(list[i].at); list[i].id == list[i-1].id && at < twice {
			twice = at
		}
	}
	if twice < to {
		c.rejectAt(r, twice, name, text(col, from+twice), Reason{kind: duplicateItem})
	}
	return list, twice == to
}

// relevances reads the relevance of the n items of a row, and of items that were
// judged but are not among them.
func (c *Converter) relevances(in *Input, r, n int) bool {
	q, names := &c.queries, c.spec.truth()
	c.labelling = true
	defer func() { c.labelling = false }()
	q.given, q.isJudged = resize(q.given, n), resize(q.isJudged, n)
	if nullList(in.Label, r) {
		c.reject(r, names.Label, "null", nullLabel)
		return false
	}
	from, to := span(in.Label, r)
	if in.LabelItem == nil {
		if to-from != n {
			c.reject(r, names.Label, fmt.Sprintf("%d values and %d scores", to-from, n), unequalScores)
			return false
		}
		good := true
		for i := range n {
			relevance, ok := c.relevance(in.Label, from+i, r, i, names.Label)
			q.given[i], q.isJudged[i] = max(relevance, 0), relevance >= 0
			good = good && ok
		}
		return good
	}
	var ok bool
	if q.truth, ok = c.itemsOf(q.truth[:0], in.LabelItem, r, names.Item); !ok {
		return false
	}
	clear(q.given)
	clear(q.isJudged)
	retrieved, good := q.retrieved, true
	for _, judged := range q.truth {
		relevance, ok := c.relevance(in.Label, from+int(judged.at), r, int(judged.at), names.Label)
		good = good && ok
		for len(retrieved) > 0 && retrieved[0].id < judged.id {
			retrieved = retrieved[1:]
		}
		if relevance < 0 {
			continue // as if the item was not judged
		}
		if len(retrieved) > 0 && retrieved[0].id == judged.id {
			q.given[retrieved[0].at], q.isJudged[retrieved[0].at] = relevance, true
			continue
		}
		q.missedRelevance = append(q.missedRelevance, relevance)
	}
	return good
}

// relevance returns value v of a column, which is element i of row r. It is negative
// only if that counts as 0.
func (c *Converter) relevance(col *columns.Column, v, r, i int, name string) (float64, bool) {
	if col.Null != nil && col.Null[v] {
		c.rejectAt(r, i, name, "null", nullLabel)
		return 0, false
	}
	var x [1]float64
	copyFloats(x[:], col, v)
	switch {
	case math.IsNaN(x[0]) || math.IsInf(x[0], 0):
		c.rejectAt(r, i, name, number(x[0]), notFinite)
		return 0, false
	case x[0] < 0 && c.spec.NegativeIsZero:
		c.found.Negative++
	case x[0] < 0:
		c.rejectAt(r, i, name, number(x[0]), negativeRelevance)
		return 0, false
	}
	return x[0], true
}

// sort sorts the items of row r by score and, of equal scores, by id, both
// descending, as trec_eval does.
func (q *queries) sort(ids *columns.Column, r int, scores []float64) {
	first, _ := span(ids, r)
	order := q.order[:0]
	for i := range scores {
		order = append(order, int32(i))
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), compareIDs(ids, first+int(b), first+int(a)))
	})
	permute(scores, order)
	permute(q.given, order)
	permute(q.isJudged, order)
	q.order = order
}

// compareIDs compares values i and j of a column: strings by their bytes.
func compareIDs(col *columns.Column, i, j int) int {
	switch col.Type {
	case columns.String:
		names := col.Dict.Values()
		return strings.Compare(names[col.Codes[i]], names[col.Codes[j]])
	case columns.Float:
		return cmp.Compare(col.Floats[i], col.Floats[j])
	}
	return cmp.Compare(col.Ints[i], col.Ints[j])
}

// permute puts list[order[i]] at i.
func permute[T any](list []T, order []int32) {
	old := slices.Clone(list)
	for i, from := range order {
		list[i] = old[from]
	}
}
