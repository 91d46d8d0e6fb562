package metrics

import (
	"fmt"
	"iter"
	"math"

	"github.com/beameval/beameval/metrics/queries"
)

// The measures of the ranking of a query's items. Arguments are cut-offs, 0 where there
// is none, or the persistence of rbp.
var (
	queryNDCG             = ofGain(1, func(q *queries.Ranking, arg float64) float64 { return q.NDCG(cut(arg)) })
	queryDCG              = ofGain(0, func(q *queries.Ranking, arg float64) float64 { return q.DCG(cut(arg)) })
	queryAveragePrecision = ofRelevant(func(q *queries.Ranking, arg float64) float64 { return q.AveragePrecision(cut(arg)) })
	queryReciprocalRank   = ofRelevant(func(q *queries.Ranking, arg float64) float64 { return q.ReciprocalRank(cut(arg)) })
	queryPrecision        = ofRelevant(func(q *queries.Ranking, arg float64) float64 { return q.Hits(cut(arg)) / arg })
	queryRecall           = ofRelevant(func(q *queries.Ranking, arg float64) float64 { return q.Hits(cut(arg)) / float64(q.Relevant()) })
	queryF1               = ofRelevant(func(q *queries.Ranking, arg float64) float64 {
		return 2 * q.Hits(cut(arg)) / (arg + float64(q.Relevant()))
	})
	queryHitRate    = ofRelevant(func(q *queries.Ranking, arg float64) float64 { return q.HitRate(cut(arg)) })
	queryRPrecision = ofRelevant(func(q *queries.Ranking, _ float64) float64 { return q.RPrecision() })
	queryERR        = ofGain(1, func(q *queries.Ranking, arg float64) float64 { return q.ERR(cut(arg)) }).
			explained("an item's relevance exceeds ranking.max_relevance")
	queryRBP           = ofRelevant(func(q *queries.Ranking, arg float64) float64 { return q.RBP(arg) })
	queryBpref         = ofRelevant(func(q *queries.Ranking, _ float64) float64 { return q.Bpref() })
	queryROCAUC        = whereDefined(noItemsOfBothKinds, (*queries.Ranking).ROCAUC)
	queryROCAUCByItems = whereDefined(noItemsOfBothKinds, func(q *queries.Ranking) (float64, bool) {
		auc, defined := q.ROCAUC()
		return auc * float64(q.Items()), defined
	})
	queryItemsOfROCAUC = whereDefined(noExamples, func(q *queries.Ranking) (float64, bool) {
		_, defined := q.ROCAUC()
		return float64(q.Items()), defined
	})
	queryKendallTau  = whereDefined("no queries whose scores and relevances differ", (*queries.Ranking).KendallTau)
	queryFirstPlace  = whereDefined("no queries that retrieved a relevant item", (*queries.Ranking).FirstPlace)
	queryHasRelevant = whereDefined(noRelevantItems, func(q *queries.Ranking) (float64, bool) {
		return 1, q.Relevant() > 0
	})
)

// The reasons for which a mean over queries is undefined.
const (
	noRelevantItems    = "no queries with relevant items"
	noGain             = "no queries with items of any gain"
	noItemsOfBothKinds = "no queries that retrieved both relevant and other items"
)

// ofRelevant is a measure of relevant items.
func ofRelevant(value func(*queries.Ranking, float64) float64) measure {
	return measure{reason: noRelevantItems, value: func(r *row, arg float64) (float64, bool) {
		if q := r.readQuery(); q.Relevant() > 0 {
			return value(q, arg), true
		}
		return r.emptyQueries.value(1)
	}}
}

// ofGain is a measure of gains; best is that of the best ranking.
func ofGain(best float64, value func(*queries.Ranking, float64) float64) measure {
	return measure{reason: noGain, value: func(r *row, arg float64) (float64, bool) {
		if q := r.readQuery(); q.HasGain() {
			return value(q, arg), true
		}
		return r.emptyQueries.value(best)
	}}
}

// explained says why the mean is NaN if the measure of a query is.
func (m measure) explained(reason string) measure {
	m.notANumber = reason
	return m
}

// value is what an empty query counts as, if it counts.
func (e EmptyQueries) value(best float64) (float64, bool) {
	switch e {
	case EmptyIsZero:
		return 0, true
	case EmptyIsOne:
		return best, true
	default:
		return 0, false
	}
}

// whereDefined is a measure that is left out where it is undefined, whatever
// empty queries count as.
func whereDefined(reason string, value func(*queries.Ranking) (float64, bool)) measure {
	return measure{reason: reason, value: func(r *row, _ float64) (float64, bool) { return value(r.readQuery()) }}
}

// cut is the cut-off that a metric's argument is.
func cut(arg float64) int {
	if arg == 0 {
		return queries.NoCut
	}
	return int(arg)
}

// readQuery returns the ranking of the row's items.
func (r *row) readQuery() *queries.Ranking {
	if r.queryRead {
		return r.query
	}
	r.queryRead = true
	from, to := r.ItemOffset[r.index], r.ItemOffset[r.index+1]
	var judged []bool
	if r.Judged != nil {
		judged = r.Judged[from:to]
	}
	var missed []float64
	if r.MissedOffset != nil {
		missed = r.Missed[r.MissedOffset[r.index]:r.MissedOffset[r.index+1]]
	}
	r.query.Read(r.Score[from:to], r.Relevance[from:to], judged, missed)
	return r.query
}

// QueryMetrics returns the names of those of p.Metrics that single queries have: the
// means over queries. It is nil if a name is wrong; see Complete.
func (p *Params) QueryMetrics() []string {
	p = p.orNothing()
	var names []string
	for c := range p.queryMeans() {
		names = append(names, c.full)
	}
	return names
}

// queryMeans yields the metrics that are means over queries.
func (p *Params) queryMeans() iter.Seq[choice] {
	return func(yield func(choice) bool) {
		if p.Task != Ranking {
			return
		}
		for c := range p.chosen() {
			if c.metric.isMean && !yield(c) {
				return
			}
		}
	}
}

// QueryEvaluator computes the metrics of single queries. It is not safe for
// concurrent use.
type QueryEvaluator struct {
	row      row
	measures []argMeasure
	values   []float64
}

// NewQueryEvaluator returns an evaluator of p.QueryMetrics; an error if p cannot be
// folded, or is not of task Ranking.
func (p *Params) NewQueryEvaluator() (*QueryEvaluator, error) {
	p, err := p.completed()
	if err != nil {
		return nil, err
	}
	if p.Task != Ranking {
		return nil, fmt.Errorf("examples of task %s are no queries", p.Task)
	}
	e := &QueryEvaluator{row: newRow(p)}
	for c := range p.queryMeans() {
		e.measures = append(e.measures, c.measures()...)
	}
	return e, nil
}

// Values returns the metrics of row r of a batch, in the order of QueryMetrics; NaN
// where one is undefined, which an empty query is not if it counts as something. They
// are valid until the next call.
func (e *QueryEvaluator) Values(b *Batch, r int32) []float64 {
	e.row.moveTo(b, r)
	e.values = e.values[:0]
	for _, m := range e.measures {
		v, ok := m.value(&e.row, m.arg)
		if !ok {
			v = math.NaN()
		}
		e.values = append(e.values, v)
	}
	return e.values
}
