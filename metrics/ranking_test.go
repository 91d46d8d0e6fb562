package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// naiveRanking computes the ranking measures of one example straight from their
// definitions, pair by pair. A measure that is undefined is left out.
func naiveRanking(scores []float64, truth []bool, ks []int) map[string]float64 {
	labels := len(scores)
	positives := 0
	for _, y := range truth {
		if y {
			positives++
		}
	}
	negatives := labels - positives
	atLeast := func(s float64) (all, hits int) {
		for j, t := range scores {
			if t >= s {
				all++
				if truth[j] {
					hits++
				}
			}
		}
		return all, hits
	}
	place := func(i int) int { // from 1; of equals the first label comes first
		n := 1
		for j, t := range scores {
			if t > scores[i] || t == scores[i] && j < i {
				n++
			}
		}
		return n
	}
	m := map[string]float64{"one_error": 1, "coverage_error": 0, "ranking_loss": 0, "lrap": 1, "ndcg": 0}
	average, best, wrong, half := 0.0, 0.0, 0.0, 0.0
	for i, s := range scores {
		all, hits := atLeast(s)
		best = max(best, 2*float64(hits)/float64(all+positives))
		if !truth[i] {
			continue
		}
		if place(i) == 1 {
			m["one_error"] = 0
		}
		m["coverage_error"] = max(m["coverage_error"], float64(all))
		average += float64(hits) / float64(all) / float64(positives)
		for j, t := range scores {
			switch {
			case truth[j]:
			case t > s:
				wrong++
			case t == s:
				wrong++
				half += 0.5
			default:
				half++
			}
		}
	}
	m["coverage"] = m["coverage_error"] - 1
	if positives > 0 {
		m["max_f1_samples"], m["average_precision_samples"] = best, average
	}
	if positives > 0 && negatives > 0 {
		pairs := float64(positives * negatives)
		m["ranking_loss"], m["roc_auc_samples"], m["lrap"] = wrong/pairs, half/pairs, average
	}
	// The gain of a place is the mean gain of the labels tied for it.
	ndcg := func(k int) float64 {
		gain, ideal := 0.0, 0.0
		for p := 1; p <= min(k, labels); p++ {
			discount := 1 / math.Log2(float64(p+1))
			for i, s := range scores {
				if place(i) != p {
					continue
				}
				size, hits := 0, 0
				for j, t := range scores {
					if t == s {
						size++
						if truth[j] {
							hits++
						}
					}
				}
				gain += discount * float64(hits) / float64(size)
			}
			if p <= positives {
				ideal += discount
			}
		}
		if positives == 0 {
			return 0
		}
		return gain / ideal
	}
	m["ndcg"] = ndcg(labels)
	for _, k := range ks {
		hits := 0.0
		for i := range scores {
			if truth[i] && place(i) <= k {
				hits++
			}
		}
		m[fmt.Sprintf("ndcg@%d", k)] = ndcg(k)
		m[fmt.Sprintf("precision@%d", k)] = hits / float64(k)
		if positives > 0 {
			m[fmt.Sprintf("recall@%d", k)] = hits / float64(positives)
		}
		m[fmt.Sprintf("f1@%d", k)] = 2 * hits / float64(k+positives)
		m[fmt.Sprintf("hit_rate@%d", k)] = min(hits, 1)
	}
	return m
}

// rankingParams asks for every ranking metric.
func rankingParams(labels int, score ScoreType) *Params {
	p := &Params{Task: Multilabel, Labels: labels, Scores: true, ScoreType: score, Metrics: []string{
		"one_error", "coverage_error", "coverage", "ranking_loss", "lrap", "ndcg", "max_f1_samples", "roc_auc_samples", "average_precision_samples",
	}}
	for _, k := range []int{1, 2, 3, 5, 100} {
		for _, name := range []string{"ndcg", "precision", "recall", "f1", "hit_rate"} {
			p.Metrics = append(p.Metrics, fmt.Sprintf("%s@%d", name, k))
		}
	}
	return p
}

func TestRankingOfLabelsByDefinition(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	for range 400 {
		p := rankingParams(1+r.IntN(12), RawScore)
		b := &Batch{Rows: 1 + r.IntN(5), Labels: p.Labels}
		score := pick(r, r.NormFloat64, func() float64 { return float64(r.IntN(3)) },
			func() float64 { return pick(r, 0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 5e-324) })
		b.Score = fill(b.Rows*b.Labels, score)
		share := pick(r, 0, 0.3, 1)
		b.Truth = fill(b.Rows*b.Labels, func() bool { return r.Float64() < share })
		b.Weight = fill(b.Rows, func() float64 { return pick(r, 1, 0.5, 2.25) })

		got := evaluated(t, p, b, Options{ZeroDivision: math.NaN()})
		for _, name := range p.Metrics {
			total, weight := 0.0, 0.0
			for i := range b.Rows {
				m := naiveRanking(b.Score[i*b.Labels:][:b.Labels], b.Truth[i*b.Labels:][:b.Labels], []int{1, 2, 3, 5, 100})
				if v, ok := m[name]; ok {
					total += b.Weight[i] * v
					weight += b.Weight[i]
				}
			}
			row := got[key{name, -1}]
			if weight == 0 {
				require.True(t, math.IsNaN(row.Number), name)
				require.NotEmpty(t, row.Undefined, name)
				continue
			}
			require.InDelta(t, total/weight, row.Number, 1e-12, name)
		}
	}
}

func TestRankingOfLabelsWorkedExample(t *testing.T) {
	p := rankingParams(5, Probability)
	b := finish(&Batch{
		Rows: 2, Labels: 5,
		Probability: []float64{.3, .4, .5, .1, .15, .4, .5, .7, .2, .6},
		True:        setsOf([][]int32{{0, 2}, {0, 2, 4}}),
	}, Multilabel)
	got := evaluated(t, p, b, Options{})
	for name, want := range map[string]float64{
		"one_error": 0, "coverage": 2.5, "coverage_error": 3.5, "ranking_loss": 1.0 / 6, "lrap": 7.0 / 8,
	} {
		require.InDelta(t, want, got[key{name, -1}].Number, 1e-15, name)
	}
	first := evaluated(t, p, take(b, []int32{0}), Options{})
	require.InDelta(t, (1/math.Log2(2)+1/math.Log2(4))/(1/math.Log2(2)+1/math.Log2(3)), first[key{"ndcg", -1}].Number, 1e-15)
}

func TestRankingOfNoLabels(t *testing.T) {
	p := rankingParams(3, RawScore)
	b := &Batch{Rows: 2, Labels: 3, Score: []float64{1, 2, 3, 3, 2, 1}, Truth: []bool{false, false, false, true, false, false}}
	got := evaluated(t, p, b, Options{ZeroDivision: 1})
	require.Equal(t, Value{Number: 1, Undefined: "1 of 2 examples undefined"}, got[key{"recall@1", -1}].Value)
	require.Equal(t, Value{Number: 1, Undefined: "1 of 2 examples undefined"}, got[key{"roc_auc_samples", -1}].Value)
	require.Equal(t, 0.5, got[key{"one_error", -1}].Number, "without a true label the top label is wrong")
	require.Equal(t, 0.0, got[key{"coverage", -1}].Number-(got[key{"coverage_error", -1}].Number-1))
}

func TestPlaceOfClass(t *testing.T) {
	p := &Params{Task: Multiclass, Labels: 4, Scores: true, ScoreType: RawScore, Metrics: []string{"top_k_accuracy@1", "top_k_accuracy@2", "mean_reciprocal_rank"}}
	// The third example is tied among three; the last of them comes first.
	b := &Batch{
		Rows: 3, Labels: 4, Class: []int32{0, 2, 1},
		Score: []float64{.7, .1, .1, .1, .4, .3, .2, .1, .3, .3, .3, .1},
	}
	got := evaluated(t, p, b, Options{})
	require.InDelta(t, 1.0/3, got[key{"top_k_accuracy@1", -1}].Number, 1e-15)
	require.InDelta(t, 2.0/3, got[key{"top_k_accuracy@2", -1}].Number, 1e-15)
	require.InDelta(t, (1+1.0/3+1.0/2)/3, got[key{"mean_reciprocal_rank", -1}].Number, 1e-15)
}
