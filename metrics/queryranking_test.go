package metrics

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// queriesOf makes a batch of queries whose items come best first.
func queriesOf(relevances ...[]float64) *Batch {
	b := &Batch{Rows: len(relevances), ItemOffset: []int32{0}}
	for _, list := range relevances {
		for i, rel := range list {
			b.Score, b.Relevance = append(b.Score, -float64(i)), append(b.Relevance, rel)
		}
		b.ItemOffset = append(b.ItemOffset, int32(len(b.Score)))
	}
	return drawItems(source(1), b)
}

// TestSingleQueries: the metrics of a query equal, bit for bit, the metrics of a batch with this
// query alone.
func TestSingleQueries(t *testing.T) {
	t.Parallel()
	for _, o := range []RankingOptions{
		usualRanking,
		{LinearGain, ItemTies, 2, 3, EmptyIsZero, true},
		{ExponentialGain, ExpectedTies, 0.5, 4, EmptyIsOne, false},
	} {
		p := everyMetric(t, Params{Task: Ranking, Scores: true, Ranking: o})
		names := p.QueryMetrics()
		require.Subset(t, p.Metrics, names)
		require.Len(t, p.Metrics, len(names)+3)
		for _, name := range []string{"gauc", "queries", "queries_without_relevant"} {
			require.NotContains(t, names, name)
		}
		e, err := p.NewQueryEvaluator()
		require.NoError(t, err)
		for seed := range uint64(30) {
			b := drawBatch(source(seed), p, 10)
			b.Weight = nil
			for r := range int32(b.Rows) {
				partial, err := p.New()
				require.NoError(t, err)
				partial.Fold(b, []int32{r})
				alone := results(t, p, partial, Options{})
				values := e.Values(b, r)
				require.Len(t, values, len(names))
				for i, name := range names {
					require.Equal(t, math.Float64bits(alone[key{name, -1}].Number), math.Float64bits(values[i]), "%s, seed %d", name, seed)
				}
			}
		}
	}
}

func TestQueryEvaluatorsThatCannotBe(t *testing.T) {
	p := params(t, Multilabel, 3, Probability)
	require.Empty(t, p.QueryMetrics())
	_, err := p.NewQueryEvaluator()
	require.ErrorContains(t, err, "task multilabel has no queries")
	_, err = (&Params{Task: Ranking, Metrics: []string{"ndcg"}, Ranking: RankingOptions{RelevanceThreshold: -1}}).NewQueryEvaluator()
	require.ErrorContains(t, err, "relevance threshold of -1")
}

// TestEmptyQueries has a query without relevant items and one whose single item,
// of two, is relevant and second.
func TestEmptyQueries(t *testing.T) {
	b := queriesOf([]float64{0, 0}, []float64{0, 1})
	for _, c := range []struct {
		empty EmptyQueries
		want  map[string]float64
	}{
		{SkipEmpty, map[string]float64{"mrr": 0.5, "dcg@1": 0, "dcg@3": 0.63093, "precision@1": 0, "recall@3": 1, "err": 1.0 / 32}},
		{EmptyIsZero, map[string]float64{"mrr": 0.25, "dcg@1": 0, "dcg@3": 0.31546, "precision@1": 0, "recall@3": 0.5, "err": 1.0 / 64}},
		{EmptyIsOne, map[string]float64{"mrr": 0.75, "dcg@1": 0, "dcg@3": 0.31546, "precision@1": 0.5, "recall@3": 1, "err": 33.0 / 64}},
	} {
		p := Params{Task: Ranking, Scores: true, Ranking: usualRanking}
		p.Ranking.EmptyQueries = c.empty
		got := evaluated(t, everyMetric(t, p), b, Options{})
		requireValues(t, got, c.want)
		requireValues(t, got, map[string]float64{ // whatever empty queries count as
			"queries": 2, "queries_without_relevant": 1, "min_label_position": 2, "auc": 0, "gauc": 0, "kendall_tau": -1,
		})
		require.Equal(t, "1 of 2 queries undefined", got[key{"auc", -1}].Undefined)
		require.Equal(t, "1 of 2 queries undefined", got[key{"gauc", -1}].Undefined)
		require.Equal(t, c.empty == SkipEmpty, got[key{"mrr", -1}].Undefined != "")
		require.EqualValues(t, 2, got[key{"mrr", -1}].Support)
	}
}

func TestReasonsOfRankings(t *testing.T) {
	p := params(t, Ranking, 0, RawScore)
	of := func(b *Batch, name string) string {
		r := evaluated(t, p, b, Options{})[key{name, -1}]
		require.True(t, math.IsNaN(r.Number), name)
		return r.Undefined
	}
	nothing := queriesOf([]float64{0, 0}, nil)
	for name, want := range map[string]string{
		"ndcg": noGain, "dcg@3": noGain, "err": noGain, "map": noRelevantItems, "rbp@0.8": noRelevantItems,
		"auc": noItemsOfBothKinds, "gauc": noItemsOfBothKinds, "kendall_tau": "no queries whose scores and relevances differ",
		"min_label_position": "no queries that retrieved a relevant item",
	} {
		require.Equal(t, want, of(nothing, name), name)
		require.Equal(t, noExamples, of(queriesOf(), name), name)
	}
	weightless := queriesOf([]float64{1, 0})
	weightless.Weight = []float64{0}
	require.Equal(t, noExamples, of(weightless, "gauc"))
	high := queriesOf([]float64{5}, []float64{1, 0})
	require.Equal(t, "an item's relevance exceeds Params.Ranking.MaxRelevance", of(high, "err"))
	require.Equal(t, "an item's relevance exceeds Params.Ranking.MaxRelevance", of(high, "err@3"))
	high.Weight = []float64{0, 1} // which makes the query count for nothing
	require.Equal(t, 1.0/16, evaluated(t, p, high, Options{})[key{"err", -1}].Number)
	require.Equal(t, notANumber, of(queriesOf([]float64{1e5}), "ndcg"))
}

func TestReasonsOfShownItems(t *testing.T) {
	of := func(p Params, b *Batch, name string) Result {
		p.Task, p.Metrics = Ranking, []string{name}
		return evaluated(t, &p, b, Options{})[key{name, -1}]
	}
	b := queriesOf([]float64{0, 0}, []float64{0, 0, 0})
	b.ItemFrequency = nil
	for name, want := range map[string]string{
		"novelty@2": noFrequencies, "tail_share@2": noFrequencies, "average_popularity@2": "", "diversity@1": "no queries with two items among the first",
	} {
		require.Equal(t, want, of(Params{}, b, name).Undefined, name)
	}
	require.Zero(t, of(Params{}, b, "average_popularity@2").Number)
	require.Equal(t, "more than 1 distinct items, see Params.MaxDistinct", of(Params{MaxDistinct: 1}, b, "gini@2").Undefined)
	require.Regexp(t, `^[45] distinct items, but Params.CatalogSize is 3$`, of(Params{CatalogSize: 3}, b, "item_coverage@2").Undefined)
	for _, name := range []string{"gini@2", "entropy@2", "average_popularity@2", "personalization@2"} { // only metrics of the catalogue are undefined
		require.Equal(t, name == "gini@2", of(Params{CatalogSize: 3}, b, name).Undefined != "", name)
	}
	require.Equal(t, "no queries that retrieved items", of(Params{}, queriesOf(nil, nil), "entropy@2").Undefined)
	require.Equal(t, "fewer than two queries that retrieved items", of(Params{}, queriesOf([]float64{1}, nil), "personalization@2").Undefined)
	require.Equal(t, noExamples, of(Params{}, queriesOf(), "gini@2").Undefined)
	b.ItemFrequency = []float64{1, 2, 3, 4, 5}
	require.Equal(t, "it is unknown what frequencies are parts of, see Params.FrequencyTotal", of(Params{}, b, "novelty@2").Undefined)
	require.Empty(t, of(Params{FrequencyTotal: 10}, b, "novelty@2").Undefined)
}

// TestWeightsOfQueries: gauc weighs a query by its items, too.
func TestWeightsOfQueries(t *testing.T) {
	b := queriesOf([]float64{1, 0}, []float64{0, 1, 0, 0})
	b.Weight = []float64{1, 3}
	requireValues(t, evaluated(t, params(t, Ranking, 0, RawScore), b, Options{}), map[string]float64{
		"auc": (1 + 3*2.0/3) / 4, "gauc": (2*1 + 12*2.0/3) / 14, "mrr": (1 + 3*0.5) / 4, "queries": 2,
	})
}

func TestRankingOptions(t *testing.T) {
	for want, o := range map[string]RankingOptions{
		"relevance threshold of -1":   {RelevanceThreshold: -1, MaxRelevance: 4},
		"relevance threshold of NaN":  {RelevanceThreshold: math.NaN(), MaxRelevance: 4},
		"relevance threshold of +Inf": {RelevanceThreshold: math.Inf(1), MaxRelevance: 4},
		"highest relevance of -1":     {RelevanceThreshold: 1, MaxRelevance: -1},
		"highest relevance of NaN":    {RelevanceThreshold: 1, MaxRelevance: math.NaN()},
		"highest relevance of 1001":   {RelevanceThreshold: 1, MaxRelevance: 1001},
		"ranking with unknown opti":   {RelevanceThreshold: 1, MaxRelevance: 4, Gain: 2},
	} {
		require.ErrorContains(t, (&Params{Task: Ranking, Ranking: o}).Complete(), want)
	}

	p := Params{Task: Ranking, Scores: true, Ranking: RankingOptions{LinearGain, ItemTies, 2, 3, EmptyIsOne, false}}
	data, err := json.Marshal(p)
	require.NoError(t, err)
	var back Params
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, p, back)
}

func TestNamesOfRankingMetrics(t *testing.T) {
	p := Params{Task: Ranking, Scores: true, Ranking: usualRanking}
	for name, want := range map[string][]string{
		"rbp@p": {"rbp@0.8", "rbp@0.95"}, "rbp@0.5": {"rbp@0.5"}, "rbp@0": {"rbp@0"}, "recip_rank": {"mrr"},
		"success@k": {"hit_rate@1", "hit_rate@3", "hit_rate@5", "hit_rate@10"}, "success@7": {"hit_rate@7"},
	} {
		got, err := p.Select([]string{name}, DefaultArguments())
		require.NoError(t, err, name)
		require.Equal(t, want, got)
	}
	for name, want := range map[string]string{
		"rbp@1":    `metric "rbp@1": 1 is not a number from 0 to less than 1`,
		"accuracy": `metric "accuracy" is not one of task ranking`,
		"ndcg@0":   `metric "ndcg@0": 0 is not a whole number`,
	} {
		_, err := p.Select([]string{name}, DefaultArguments())
		require.ErrorContains(t, err, want)
	}
	p.Scores = false
	_, err := p.Select([]string{"ndcg"}, DefaultArguments())
	require.ErrorContains(t, err, `metric "ndcg" needs scores`)
}
