package metrics

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/itemexposure"
	"github.com/beameval/beameval/metrics/queries"
)

// itemEvaluation is what functions of the items that are shown need besides.
type itemEvaluation struct {
	*evaluation
	items int // the number of items that are retrieved or judged
}

// ofCatalog evaluates a function of how often items are among the first k, and of the number of items of
// the catalogue.
func ofCatalog(f func(s *itemexposure.Shown, items int) float64) evaluator {
	return ofItems(func(s *itemexposure.Shown, e *itemEvaluation) Value {
		items := cmp.Or(e.params.CatalogSize, e.items)
		if e.items > items {
			return Undefined(fmt.Sprintf("%d distinct items, but %s is %d", e.items, e.params.Names.Of(settings.CatalogSize), items))
		}
		return defined(f(s, items))
	})
}

// ofItems evaluates a function of how often items are among the first k.
func ofItems(f func(*itemexposure.Shown, *itemEvaluation) Value) evaluator {
	return ofItemTable(false, func(e *itemEvaluation, t *itemexposure.Table, cut int) Value {
		s := t.Shown(cut, e.params.HeadFrequency > 0)
		if s.Total() == 0 {
			return Undefined("no queries that retrieved items")
		}
		return f(s, e)
	})
}

// personalization evaluates the similarity of queries.
var personalization = ofItemTable(true, func(_ *itemEvaluation, t *itemexposure.Table, cut int) Value {
	if v, ok := t.Personalization(cut); ok {
		return defined(v)
	}
	return Undefined("fewer than two queries that retrieved items")
})

// ofItemTable evaluates a function of the table of items and of the index of the cut-off, among the
// cut-offs of similarities or among the others. Metrics are on request because the table is large.
func ofItemTable(similar bool, f func(e *itemEvaluation, t *itemexposure.Table, cut int) Value) evaluator {
	return evaluator{from: kindItems, requested: true, similar: similar, overall: func(e *evaluation, c choice) Value {
		t := &statisticOf[*itemTable](e, kindItems).Table
		of := &itemEvaluation{e, t.Items()}
		switch {
		case e.weight().Weight() == 0:
			return Undefined(noExamples)
		case t.Over():
			return Undefined(fmt.Sprintf("more than %d distinct items, see %s", t.Limit(), e.params.Names.Of(settings.MaxDistinct)))
		}
		return f(of, t, slices.Index(e.params.itemCuts(similar), int(c.arg)))
	}}
}

func novelty(s *itemexposure.Shown, e *itemEvaluation) Value {
	whole := e.weight().Weight()
	if s.Given() {
		if whole = e.params.FrequencyTotal; whole == 0 {
			return Undefined("it is unknown what frequencies are parts of, see " + e.params.Names.Of(settings.FrequencyTotal))
		}
	}
	v, without := s.Novelty(whole)
	switch {
	case without == 1:
		return Undefined(noFrequencies)
	case without > 0:
		return Value{Number: v, Undefined: fmt.Sprintf("%.3g of the items shown have no frequency", without)}
	}
	return defined(v)
}

func tailShare(s *itemexposure.Shown, e *itemEvaluation) Value {
	if v, ok := s.TailShare(e.params.HeadFrequency); ok {
		return defined(v)
	}
	return Undefined(noFrequencies)
}

// HeadFrequency returns the lowest frequency of the head of items with these frequencies; see tail_share.
// It is 0 if no item has one.
func HeadFrequency(frequencies []float64) float64 { return itemexposure.Head(frequencies) }

// itemCuts returns, in ascending order, the cut-offs of metrics of shown items: of similarities, or
// of the others.
func (p *Params) itemCuts(similar bool) (cuts []int) {
	for c := range p.chosen() {
		if c.metric.from == kindItems && c.metric.similar == similar {
			cuts = append(cuts, int(c.arg))
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// itemTable is the statistic of the items that are shown.
type itemTable struct {
	itemexposure.Table
	row           row
	cuts, similar []int
	threshold     float64 // of relevance
	items         []*itemexposure.Item
	norms         []float64
}

func newItemTable(p *Params) statistic {
	t := &itemTable{cuts: p.itemCuts(false), similar: p.itemCuts(true), threshold: p.Ranking.RelevanceThreshold}
	t.Table = *itemexposure.NewTable(p.MaxDistinct, len(t.similar))
	if p.Task == Ranking {
		t.row = newRow(p)
	}
	return t
}

func (s *itemTable) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		if w := b.weight(r); w != 0 {
			s.see(b, r, w)
			s.row.moveTo(b, r)
			s.show(s.row.readQuery(), w)
		}
	}
}

// see adds the items of a query, and the items that were judged for it.
func (s *itemTable) see(b *Batch, r int32, w float64) {
	s.items = s.items[:0]
	add := func(key uint64, relevance float64) (it *itemexposure.Item) {
		if it = s.See(key); it != nil && relevance >= s.threshold {
			it.Relevant(w)
		}
		return it
	}
	for i := b.ItemOffset[r]; i < b.ItemOffset[r+1]; i++ {
		it := add(b.ItemKey[i], b.Relevance[i])
		if s.items = append(s.items, it); it != nil && b.ItemFrequency != nil {
			it.Given(b.ItemFrequency[i])
		}
	}
	for i := 0; b.MissedOffset != nil && i < int(b.MissedOffset[r+1]-b.MissedOffset[r]); i++ {
		at := int(b.MissedOffset[r]) + i
		add(b.MissedKey[at], b.Missed[at])
	}
}

// show adds the items among the first of a query. With too many items, only the totals of queries
// count on.
func (s *itemTable) show(q *queries.Ranking, w float64) {
	if !s.Over() {
		for cut, k := range s.cuts {
			q.Top(k, func(item int, share float64) { s.items[item].Show(cut, float64(w*share)) })
		}
	}
	for cut, k := range s.similar {
		n := min(k, q.Items())
		if n == 0 {
			continue
		}
		s.norms = s.norms[:0]
		of := w / math.Sqrt(float64(n))
		q.Top(k, func(item int, share float64) {
			if s.norms = append(s.norms, float64(of*share)); !s.Over() {
				s.items[item].Norm(cut, float64(of*share))
			}
		})
		s.Compare(cut, w, s.norms)
	}
}

func (s *itemTable) visit(v *fields.Visitor, from statistic) { s.Fields(v, &from.(*itemTable).Table) }

// reused returns what is known of some cut-offs.
func (s *itemTable) reused(u *Reuse) statistic {
	places := func(similar bool) (list []int) {
		from := u.from.itemCuts(similar)
		for _, k := range u.to.itemCuts(similar) {
			at, _ := slices.BinarySearch(from, k)
			list = append(list, at)
		}
		return list
	}
	return &itemTable{Table: *s.At(places(false), places(true))}
}

func (s *itemTable) fits(p *Params) bool {
	return s.Limit() == 0 || s.Limit() == p.MaxDistinct && s.Fits(len(p.itemCuts(false)), len(p.itemCuts(true)))
}
