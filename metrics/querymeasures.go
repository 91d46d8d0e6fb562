package metrics

import "github.com/beameval/beameval/metrics/queries"

// queryMeasure names a measure of the ranking of a query's items.
type queryMeasure int

const (
	queryNDCG queryMeasure = iota
	queryDCG
	queryAveragePrecision
	queryReciprocalRank
	queryPrecision
	queryRecall
	queryF1
	queryHitRate
	queryRPrecision
	queryERR
	queryRBP
	queryBpref
	queryROCAUC
	queryROCAUCByItems
	queryItemsOfROCAUC
	queryKendallTau
	queryFirstPlace
	queryHasRelevant
)

// queryMeasures is the table of measures of a query.
var queryMeasures = [...]queryMeasureRow{
	queryNDCG:             ofGain(1, func(q *queries.Ranking, arg float64) float64 { return q.NDCG(cut(arg)) }),
	queryDCG:              ofGain(0, func(q *queries.Ranking, arg float64) float64 { return q.DCG(cut(arg)) }),
	queryAveragePrecision: ofRelevant(func(q *queries.Ranking, arg float64) float64 { return q.AveragePrecision(cut(arg)) }),
	queryReciprocalRank:   ofRelevant(func(q *queries.Ranking, arg float64) float64 { return q.ReciprocalRank(cut(arg)) }),
	queryPrecision:        ofRelevant(func(q *queries.Ranking, arg float64) float64 { return q.Hits(cut(arg)) / arg }),
	queryRecall:           ofRelevant(func(q *queries.Ranking, arg float64) float64 { return q.Hits(cut(arg)) / float64(q.Relevant()) }),
	queryF1: ofRelevant(func(q *queries.Ranking, arg float64) float64 {
		return 2 * q.Hits(cut(arg)) / (arg + float64(q.Relevant()))
	}),
	queryHitRate:    ofRelevant(func(q *queries.Ranking, arg float64) float64 { return q.HitRate(cut(arg)) }),
	queryRPrecision: ofRelevant(func(q *queries.Ranking, _ float64) float64 { return q.RPrecision() }),
	queryERR:        ofGain(1, func(q *queries.Ranking, arg float64) float64 { return q.ERR(cut(arg)) }),
	queryRBP:        ofRelevant(func(q *queries.Ranking, arg float64) float64 { return q.RBP(arg) }),
	queryBpref:      ofRelevant(func(q *queries.Ranking, _ float64) float64 { return q.Bpref() }),

	queryROCAUC: whereDefined(noItemsOfBothKinds, (*queries.Ranking).ROCAUC),
	queryROCAUCByItems: whereDefined(noItemsOfBothKinds, func(q *queries.Ranking) (float64, bool) {
		auc, defined := q.ROCAUC()
		return auc * float64(q.Items()), defined
	}),
	queryItemsOfROCAUC: whereDefined(noItemsOfBothKinds, func(q *queries.Ranking) (float64, bool) {
		_, defined := q.ROCAUC()
		return float64(q.Items()), defined
	}),
	queryKendallTau: whereDefined("no queries whose scores and relevances differ", (*queries.Ranking).KendallTau),
	queryFirstPlace: whereDefined("no queries that retrieved a relevant item", (*queries.Ranking).FirstPlace),
	queryHasRelevant: whereDefined(noRelevantItems, func(q *queries.Ranking) (float64, bool) {
		return 1, q.Relevant() > 0
	}),
}

// The reasons for which a mean over queries is undefined.
const (
	noRelevantItems    = "no queries with relevant items"
	noGain             = "no queries with items of any gain"
	noItemsOfBothKinds = "no queries that retrieved both relevant and other items"
)

// queryMeasureRow is a row of the table.
type queryMeasureRow struct {
	// of is the measure of a query, unless it is undefined; arg is a cut-off, 0
	// where there is none, or the persistence of rbp.
	of func(q *queries.Ranking, arg float64) (value float64, defined bool)
	// empty says whether RankingOptions.EmptyQueries stands in for the measure of a
	// query, and best what that is under EmptyIsOne; nil: it never does.
	empty func(*queries.Ranking) bool
	best  float64
	// reason is why there is no mean, if there are queries.
	reason string
}

// ofRelevant is a measure of relevant items.
func ofRelevant(of func(*queries.Ranking, float64) float64) queryMeasureRow {
	return queryMeasureRow{
		of:    func(q *queries.Ranking, arg float64) (float64, bool) { return of(q, arg), true },
		empty: func(q *queries.Ranking) bool { return q.Relevant() == 0 }, best: 1,
		reason: noRelevantItems,
	}
}

// ofGain is a measure of gains.
func ofGain(best float64, of func(*queries.Ranking, float64) float64) queryMeasureRow {
	return queryMeasureRow{
		of:    func(q *queries.Ranking, arg float64) (float64, bool) { return of(q, arg), true },
		empty: func(q *queries.Ranking) bool { return !q.HasGain() }, best: best,
		reason: noGain,
	}
}

// whereDefined is a measure that is left out where it is undefined, whatever
// empty queries count as.
func whereDefined(reason string, of func(*queries.Ranking) (float64, bool)) queryMeasureRow {
	return queryMeasureRow{
		of:     func(q *queries.Ranking, _ float64) (float64, bool) { return of(q) },
		reason: reason,
	}
}

// cut is the cut-off that a metric's parameter is.
func cut(arg float64) int {
	if arg == 0 {
		return queries.NoCut
	}
	return int(arg)
}

// queryChoice is a measure with its parameter, if it has one.
type queryChoice struct {
	measure queryMeasure
	arg     float64
}

// queryReader reads one query after another, and measures it.
type queryReader struct {
	ranking *queries.Ranking
	empty   EmptyQueries
}

func newQueryReader(o RankingOptions) queryReader {
	return queryReader{queries.New(o.reading()), o.EmptyQueries}
}

// read reads row r of a batch.
func (v *queryReader) read(b *Batch, r int32) {
	from, to := b.ItemOffset[r], b.ItemOffset[r+1]
	var judged []bool
	if b.Judged != nil {
		judged = b.Judged[from:to]
	}
	var missed []float64
	if b.MissedOffset != nil {
		missed = b.Missed[b.MissedOffset[r]:b.MissedOffset[r+1]]
	}
	v.ranking.Read(b.Score[from:to], b.Relevance[from:to], judged, missed)
}

// value is a measure of the query, unless it is undefined.
func (v *queryReader) value(c queryChoice) (value float64, defined bool) {
	m := &queryMeasures[c.measure]
	if m.empty == nil || !m.empty(v.ranking) {
		return m.of(v.ranking, c.arg)
	}
	switch v.empty {
	case EmptyIsZero:
		return 0, true
	case EmptyIsOne:
		return m.best, true
	default:
		return 0, false
	}
}
