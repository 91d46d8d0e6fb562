package metrics

import (
	"fmt"
	"iter"
	"math"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/internal/itemexposure"
	"github.com/beameval/beameval/metrics/queries"
)

// queryMetrics measure how scores rank items, as means over queries, and what kinds of items they
// rank first. Package queries computes the measures of one query.
var queryMetrics = []metric{
	{"ndcg", Ranking, NeedScores, Higher, confidence.Logit, mean(queryNDCG), "mean of $DCG / (DCG of the best ranking of all judged items)$, DCG being $Σ gain/log₂(place + 1)$", jarvelin, []string{"nDCG", "NDCG"}},
	{"ndcg@<k>", Ranking, NeedScores, Higher, confidence.Logit, mean(queryNDCG), "ndcg of the first $k$ places, of the best ranking too", jarvelin, []string{"nDCG@<k>", "NDCG@<k>", "ndcg_cut_<k>"}},
	{"dcg@<k>", Ranking, NeedScores, Higher, confidence.Log, mean(queryDCG), "mean of $Σ gain/log₂(place + 1)$ over the first $k$ places", jarvelin, nil},
	{"map", Ranking, NeedScores, Higher, confidence.Logit, mean(queryAveragePrecision), "mean average precision: mean of $(Σ over the relevant items of the precision at their places) / R$", manning, []string{"mean_average_precision", "AP", "MAP"}},
	{"map@<k>", Ranking, NeedScores, Higher, confidence.Logit, mean(queryAveragePrecision), "map with the relevant items among the first $k$ only, divided by $R$ all the same or, with `map_divisor: attainable`, by $min(k, R)$", trec + ", map_cut", []string{"AP@<k>", "MAP@<k>", "map_cut_<k>"}},
	{"mrr", Ranking, NeedScores, Higher, confidence.Logit, mean(queryReciprocalRank), "mean reciprocal rank: mean of $1 / (place of the first relevant item)$, 0 if none was retrieved", "Voorhees 1999", []string{"mean_reciprocal_rank", "recip_rank", "RR", "MRR"}},
	{"mrr@<k>", Ranking, NeedScores, Higher, confidence.Logit, mean(queryReciprocalRank), "mrr, 0 if no relevant item is among the first $k$", "Voorhees 1999", []string{"RR@<k>", "MRR@<k>"}},
	{"precision@<k>", Ranking, NeedScores, Higher, confidence.Logit, mean(queryPrecision), "mean of $(relevant items among the first k) / k$", manning, []string{"P@<k>", "P_<k>"}},
	{"recall@<k>", Ranking, NeedScores, Higher, confidence.Logit, mean(queryRecall), "mean of $(relevant items among the first k) / R$", manning, []string{"R@<k>", "recall_<k>"}},
	{"f1@<k>", Ranking, NeedScores, Higher, confidence.Logit, mean(queryF1), "mean of $2 (relevant items among the first k) / (k + R)$, the harmonic mean of precision and recall", manning, nil},
	{"hit_rate@<k>", Ranking, NeedScores, Higher, confidence.Proportion, mean(queryHitRate), "share of queries with a relevant item among the first $k$", trec + ", success", []string{"success@<k>", "Success@<k>", "success_<k>"}},
	{"r_precision", Ranking, NeedScores, Higher, confidence.Logit, mean(queryRPrecision), "mean of $(relevant items among the first R) / R$", manning, []string{"rprec", "Rprec", "RPrec"}},
	{"err", Ranking, NeedScores, Higher, confidence.Logit, mean(queryERR), "expected reciprocal rank: mean expectation of $1 / (place at which a user stops)$, who stops at an item with probability $(2^relevance - 1) / 2^max_relevance$", chapelle, nil},
	{"err@<k>", Ranking, NeedScores, Higher, confidence.Logit, mean(queryERR), "err of users who look at the first $k$ places only", chapelle, []string{"ERR@<k>"}},
	{"rbp@<persistence>", Ranking, NeedScores, Higher, confidence.Logit, mean(queryRBP), "rank-biased precision: mean of $(1 - p) Σ p^(place - 1)$ over the relevant items, $p$ being the persistence", "Moffat & Zobel 2008", []string{"rbp@p", "RBP(p=<persistence>,rel=1)", "RBP(rel=1,p=<persistence>)"}},
	{"bpref", Ranking, NeedScores, Higher, confidence.Logit, mean(queryBpref), "mean over relevant items of $1 - min(n, R) / min(N, R)$, 0 for those not retrieved, $n$ of the $N$ items judged not relevant coming before", "Buckley & Voorhees 2004, as in trec_eval", []string{"Bpref", "BPref"}},
	{"judged@<k>", Ranking, NeedScores | needJudgements, Neither, confidence.Logit, mean(queryJudged), "share of the first $k$ places, or of all if fewer items were retrieved, whose items were judged", "ir_measures, Judged", []string{"Judged@<k>"}},
	{"auc", Ranking, NeedScores, Higher, confidence.Logit, mean(queryROCAUC), "mean of the ROC AUC of the retrieved items, ties counting one half, where there are relevant ones and others", sklearn + ", roc_auc_score of each query", nil},
	{"gauc", Ranking, NeedScores, Higher, confidence.Logit, ratioOfMeans(queryROCAUCByItems, queryItemsOfROCAUC), "group AUC: auc with queries weighted by the number of items retrieved", "Zhu et al. 2017", []string{"group_auc"}},
	{"kendall_tau", Ranking, NeedScores, Higher, confidence.Atanh, mean(queryKendallTau), "mean of Kendall's τ-b of the scores and relevances of the retrieved items, where neither are all equal", "SciPy kendalltau", []string{"kendalltau"}},
	{"queries", Ranking, NeedScores, Neither, confidence.Count, numberOfRows, "number of queries, whatever their weights", "beameval", nil},
	{"queries_without_relevant", Ranking, NeedScores, Neither, confidence.Count, undefinedRows(queryHasRelevant), "number of queries without relevant items, retrieved or not", "beameval", nil},
	{"item_coverage@<k>", Ranking, needRole(roles.Item), Higher, confidence.NotSmooth, ofCatalog((*itemexposure.Shown).Coverage), "share of the items of the catalogue that are among the first $k$ of any query", "Ge, Delgado-Battenfeld & Jannach 2010", []string{"catalog_coverage@<k>"}},
	{"gini@<k>", Ranking, needRole(roles.Item), Lower, confidence.Logit, ofCatalog((*itemexposure.Shown).Gini), "Gini coefficient of how often the items of the catalogue are among the first $k$: 0 if all equally often, $1 - 1/n$ if only one of the $n$ items", fleder, []string{"gini_index@<k>"}},
	{"entropy@<k>", Ranking, needRole(roles.Item), Higher, confidence.Log, ofItems(func(s *itemexposure.Shown, _ *itemEvaluation) Value { return defined(s.Entropy()) }), "$-Σ share log₂ share$, the share of an item being how often it is among the first $k$, of all", shani, []string{"shannon_entropy@<k>"}},
	{"novelty@<k>", Ranking, needRole(roles.Item), Higher, confidence.Log, ofItems(novelty), "mean of $-log₂(frequency / number of queries)$ over the first $k$, where the frequency is not 0", "Zhou et al. 2010", nil},
	{"average_popularity@<k>", Ranking, needRole(roles.Item), Lower, confidence.Log, ofItems(func(s *itemexposure.Shown, _ *itemEvaluation) Value { return defined(s.AveragePopularity()) }), "mean frequency of the items among the first $k$", abdollahpouri, []string{"arp@<k>"}},
	{"tail_share@<k>", Ranking, needRole(roles.Item), Higher, confidence.Logit, ofItems(tailShare), "share of the first $k$ that are not of the head: of the most frequent items, which together have 80 % of all frequencies", abdollahpouri, []string{"aplt@<k>"}},
	{"personalization@<k>", Ranking, needRole(roles.Item), Higher, confidence.Logit, personalization, "$1 - mean cosine similarity$ of the sets of the first $k$ items of two queries, over all pairs of queries", recmetrics, nil},
	{"diversity@<k>", Ranking, needRole(roles.Category), Higher, confidence.Logit, mean(queryDiversity).onRequest(), "mean share of the pairs of the first $k$ items that are of different categories, where there are two items", "Smyth & McClave 2001", []string{"intra_list_diversity@<k>", "ild@<k>"}},
	{"min_label_position", Ranking, NeedScores, Lower, confidence.Log, mean(queryFirstPlace), "mean place of the first relevant item, where one was retrieved", tfma, nil},
}

const (
	fleder        = "Fleder & Hosanagar 2009"
	shani         = "Shani & Gunawardana 2011"
	abdollahpouri = "Abdollahpouri, Burke & Mobasher 2019"
	recmetrics    = "recmetrics"
)

// The measures of how scores rank the items of a query. Their arguments are cut-offs, where 0 means
// none, or the persistence of rbp.
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
			explained(func(p *Params) string { return "an item's relevance exceeds " + p.Names.Of(settings.MaxRelevance) })
	queryRBP           = ofRelevant(func(q *queries.Ranking, arg float64) float64 { return q.RBP(arg) })
	queryBpref         = ofRelevant(func(q *queries.Ranking, _ float64) float64 { return q.Bpref() })
	queryJudged        = measure{reason: noExamples, value: func(r *row, arg float64) (float64, bool) { return r.readQuery().Judged(cut(arg)), true }}
	queryROCAUC        = whereDefined(noItemsOfBothKinds, (*queries.Ranking).ROCAUC)
	queryROCAUCByItems = whereDefined(noItemsOfBothKinds, func(q *queries.Ranking) (float64, bool) {
		auc, defined := q.ROCAUC()
		return auc * float64(q.Items()), defined
	})
	queryItemsOfROCAUC = whereDefined(noExamples, func(q *queries.Ranking) (float64, bool) {
		_, defined := q.ROCAUC()
		return float64(q.Items()), defined
	})
	queryKendallTau = whereDefined("no queries whose scores and relevances differ", (*queries.Ranking).KendallTau)
	queryDiversity  = measure{reason: "no queries with two items among the first", value: func(r *row, arg float64) (float64, bool) {
		return r.readQuery().Diversity(cut(arg), r.Category[r.ItemOffset[r.index]:r.ItemOffset[r.index+1]])
	}}
	queryFirstPlace  = whereDefined("no queries that retrieved a relevant item", (*queries.Ranking).FirstPlace)
	queryHasRelevant = whereDefined(noRelevantItems, func(q *queries.Ranking) (float64, bool) {
		return 1, q.Relevant() > 0
	})
)

// The reasons for which means over queries are undefined.
const (
	noRelevantItems    = "no queries with relevant items"
	noGain             = "no queries with items of any gain"
	noFrequencies      = "no item shown has a frequency"
	noItemsOfBothKinds = "no queries that retrieved both relevant and other items"
)

// ofRelevant returns a measure of relevant items. A query without any is empty.
func ofRelevant(value func(*queries.Ranking, float64) float64) measure {
	return measure{reason: noRelevantItems, value: func(r *row, arg float64) (float64, bool) {
		if q := r.readQuery(); q.Relevant() > 0 {
			return value(q, arg), true
		}
		return r.emptyQueries.value(1)
	}}
}

// ofGain returns a measure of gains. A query without any is empty. best is the measure of the best
// ranking.
func ofGain(best float64, value func(*queries.Ranking, float64) float64) measure {
	return measure{reason: noGain, value: func(r *row, arg float64) (float64, bool) {
		if q := r.readQuery(); q.HasGain() {
			return value(q, arg), true
		}
		return r.emptyQueries.value(best)
	}}
}

// explained sets the reason for which the mean is undefined if the measure of a query is NaN.
func (m measure) explained(why func(*Params) string) measure {
	m.notANumber = why
	return m
}

// value returns what an empty query counts as, and whether it counts at all.
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

// whereDefined returns a measure that is left out of means for queries where it is undefined,
// regardless of what empty queries count as.
func whereDefined(reason string, value func(*queries.Ranking) (float64, bool)) measure {
	return measure{reason: reason, value: func(r *row, _ float64) (float64, bool) { return value(r.readQuery()) }}
}

// cut returns the cut-off for the argument of a metric.
func cut(arg float64) int {
	if arg == 0 {
		return queries.NoCut
	}
	return int(arg)
}

// readQuery returns how the scores of the row rank its items.
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

// QueryMetrics returns the names of the metrics in p.Metrics that a single query has as well: the
// means over queries. There are none if p is invalid.
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

// QueryEvaluator computes the metrics of single queries. It is not safe for concurrent use.
type QueryEvaluator struct {
	row      row
	measures []argMeasure
	values   []float64
}

// NewQueryEvaluator returns an evaluator of p.QueryMetrics. It returns an error if p is invalid or
// its task is not Ranking.
func (p *Params) NewQueryEvaluator() (*QueryEvaluator, error) {
	p, err := p.completed()
	if err != nil {
		return nil, err
	}
	if p.Task != Ranking {
		return nil, fmt.Errorf("task %s has no queries", p.Task)
	}
	e := &QueryEvaluator{row: newRow(p)}
	for c := range p.queryMeans() {
		e.measures = append(e.measures, c.measures()...)
	}
	return e, nil
}

// Values returns the metrics of row r of a batch, in the order of QueryMetrics. Undefined metrics
// are NaN. The values are valid until the next call.
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

// reading converts the options to options of package queries.
func (o RankingOptions) reading() queries.Options {
	q := queries.Options{
		Gain: queries.ExponentialGain, InOrder: o.Ties == ItemTies, Attainable: o.AttainableMAP,
		Threshold: o.RelevanceThreshold, MaxRelevance: o.MaxRelevance,
	}
	if o.Gain == LinearGain {
		q.Gain = queries.LinearGain
	}
	return q
}
