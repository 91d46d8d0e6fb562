package queries

import (
	"fmt"
	"testing"
)

// everyMeasure computes what all metrics of a report need.
func everyMeasure(q *Ranking) (sum float64) {
	for _, k := range []int{1, 3, 5, 10, NoCut} {
		sum += q.NDCG(k) + q.DCG(k) + q.AveragePrecision(k) + q.ReciprocalRank(k) + q.Hits(k) + q.HitRate(k) + q.ERR(k)
	}
	auc, _ := q.ROCAUC()
	tau, _ := q.KendallTau()
	place, _ := q.FirstPlace()
	return sum + auc + tau + place + q.RPrecision() + q.RBP(0.8) + q.RBP(0.95) + q.Bpref()
}

// benchmarkQuery has items of grades 0 to 4, most of them 0.
func benchmarkQuery(items, levels int) *query {
	r := source(1)
	q := new(query)
	for range items {
		score := r.NormFloat64()
		if levels > 0 {
			score = float64(r.IntN(levels))
		}
		q.scores, q.relevances = append(q.scores, score), append(q.relevances, float64(max(r.IntN(12)-7, 0)))
	}
	return q
}

func BenchmarkRanking(b *testing.B) {
	for _, c := range []struct{ items, levels int }{{100, 0}, {100, 20}, {1000, 0}, {1_000_000, 0}, {1_000_000, 1}} {
		q := benchmarkQuery(c.items, c.levels)
		ranking := New(Options{Gain: ExponentialGain, Threshold: 1, MaxRelevance: 4})
		b.Run(fmt.Sprintf("%d items, %d scores/Read", c.items, c.levels), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ranking.Read(q.scores, q.relevances, nil, nil)
			}
		})
		b.Run(fmt.Sprintf("%d items, %d scores/measures", c.items, c.levels), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				everyMeasure(ranking)
			}
		})
	}
}
