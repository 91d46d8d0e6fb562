package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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

// The NDCG of a ranking that cannot be better is 1, not nearly.
func TestNDCGOfBestRanking(t *testing.T) {
	for labels := 2; labels < 40; labels++ {
		p := rankingParams(labels, RawScore)
		for positives := 1; positives <= labels; positives++ {
			for _, tied := range []bool{false, true} {
				b := &Batch{Rows: 1, Labels: labels}
				for i := range labels {
					score := float64(-i)
					if tied {
						score = float64(oneIf(i < positives))
					}
					b.Score, b.Truth = append(b.Score, score), append(b.Truth, i < positives)
				}
				got := evaluated(t, p, b, Options{})
				require.Equal(t, 1.0, got[key{"ndcg", -1}].Number, "%d of %d", positives, labels)
				require.Equal(t, 1.0, got[key{"ndcg@3", -1}].Number, "%d of %d", positives, labels)
			}
		}
	}
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

// filledUp is a batch of sparse scores as a dense one, in which labels without
// a score have -Inf.
func filledUp(b *Batch) *Batch {
	full := *b
	full.Candidates = Sets{}
	full.Score = slices.Repeat([]float64{math.Inf(-1)}, b.Rows*b.Labels)
	for r := range b.Rows {
		scores, labels := b.Scored(int32(r))
		for i, s := range scores {
			full.Score[r*b.Labels+int(labels[i])] = s
		}
	}
	full.Truth = make([]bool, b.Rows*b.Labels)
	for r := range b.Rows {
		if b.True.Offset == nil {
			break
		}
		for _, label := range b.True.Row(int32(r)) {
			full.Truth[r*b.Labels+int(label)] = true
		}
	}
	return &full
}

// frequencies counts the true labels of a batch.
func frequencies(b *Batch) LabelFrequencies {
	f := LabelFrequencies{Examples: int64(b.Rows), Count: make(map[int32]int64)}
	for _, label := range b.True.Label {
		f.Count[label]++
	}
	return f
}

// TestSparseIsDense compares sparse scores with the same scores and one lower
// than all of them, for every label that has none.
func TestSparseIsDense(t *testing.T) {
	t.Parallel()
	r := source(5)
	for _, task := range []Task{Multiclass, Multilabel} {
		for range 300 {
			p := &Params{Task: task, Labels: 1 + r.IntN(12), Scores: true, ScoreType: RawScore, Sparse: true}
			if task == Multilabel {
				p.Propensity = &Propensity{A: 0.55, B: 1.5}
			}
			p = everyMetric(t, *p)
			b := drawBatch(r, p, 1+r.IntN(6))
			if task == Multilabel {
				p.Propensity.Frequencies = frequencies(b)
			}
			full := *p
			full.Sparse = false
			want, got := evaluated(t, &full, filledUp(b), Options{}), evaluated(t, p, b, Options{})
			require.Len(t, got, len(want))
			for k, row := range want {
				require.Equal(t, row.Undefined, got[k].Undefined, "%v", k)
				if strings.HasPrefix(k.name, "ps") { // propensities are added in another order
					require.InDelta(t, row.Number, got[k].Number, 1e-15, "%v", k)
					continue
				}
				require.Equal(t, math.Float64bits(row.Number), math.Float64bits(got[k].Number), "%v: %v, not %v", k, got[k].Number, row.Number)
			}
		}
	}
}

// TestMillionsOfLabels: neither time nor memory depends on their number.
func TestMillionsOfLabels(t *testing.T) {
	const labels = 1 << 30
	p := &Params{Task: Multilabel, Labels: labels, Scores: true, Sparse: true, Decisions: true, ScoreType: RawScore}
	p = everyMetric(t, *p)
	b := &Batch{
		Rows: 2, Labels: labels,
		True:         setsOf([][]int32{{7, labels - 1}, {}}),
		PredictedSet: setsOf([][]int32{{7}, {5}}),
		Candidates:   setsOf([][]int32{{3, 7, 1000}, {5}}),
		Score:        []float64{.5, .9, .1, .2},
	}
	got := evaluated(t, p, finish(b, Multilabel), Options{PerLabel: PerLabel{Limit: 2}})
	for name, want := range map[string]float64{
		"one_error": 0.5, "coverage_error": labels / 2, "precision@1": 0.5, "recall@3": 0.25,
		"hamming_loss": 1.0 / labels, "f1_micro": 0.5, "recall_macro": 1.0 / labels,
		// The label without a score is behind two others and half of the rest.
		"ndcg@3": 1 / (1 + 1/math.Log2(3)) / 2,
	} {
		require.InDelta(t, want, got[key{name, -1}].Number, 1e-15*max(1, want), name)
	}
	require.Contains(t, got, key{"recall", 5})
	require.Contains(t, got, key{"recall", 7})
	require.NotContains(t, got, key{"recall", labels - 1}, "only so many of the labels that were met")
	require.NotContains(t, got, key{"recall", 0}, "only labels that were met")
}

// TestPropensities follows the definition with other sums, in another order.
func TestPropensities(t *testing.T) {
	t.Parallel()
	r := source(8)
	for range 200 {
		a, b := pick(r, 0.55, 0.6, 0), pick(r, 1.5, 2.6)
		p := &Params{Task: Multilabel, Labels: 2 + r.IntN(9), Scores: true, ScoreType: RawScore, Propensity: &Propensity{A: a, B: b}}
		for k := 1; k <= 5; k++ {
			p.Metrics = append(p.Metrics, fmt.Sprintf("psp@%d", k), fmt.Sprintf("psndcg@%d", k))
		}
		batch := &Batch{Rows: 1 + r.IntN(6), Labels: p.Labels, True: drawSets(r, 6, p.Labels)}
		batch.True.Offset = batch.True.Offset[:batch.Rows+1]
		batch.True.Label = batch.True.Label[:batch.True.Offset[batch.Rows]]
		batch.Score = fill(batch.Rows*p.Labels, r.NormFloat64)
		batch.Weight = fill(batch.Rows, func() float64 { return pick(r, 1, 0.5, 2.25) })
		finish(batch, Multilabel)
		n := int64(1 + r.IntN(1000))
		p.Propensity.Frequencies = LabelFrequencies{n, map[int32]int64{0: r.Int64N(n + 1), 1: r.Int64N(n + 1)}}
		got := evaluated(t, p, batch, Options{})
		for k := 1; k <= 5; k++ {
			of, best, gain, bestGain := 0.0, 0.0, 0.0, 0.0
			for row := range batch.Rows {
				x := naivePropensities(batch, int32(row), k, func(label int32) float64 {
					c := math.Max(0, math.Log(float64(n))-1) * math.Pow(b+1, a)
					return 1 + c*math.Exp(-a*math.Log(float64(p.Propensity.Frequencies.Count[label])+b))
				})
				w := batch.Weight[row]
				of, best, gain, bestGain = of+w*x[0], best+w*x[1], gain+w*x[2], bestGain+w*x[3]
			}
			if best == 0 {
				require.Equal(t, noPositives, got[key{fmt.Sprintf("psp@%d", k), -1}].Undefined)
				continue
			}
			require.InDelta(t, of/best, got[key{fmt.Sprintf("psp@%d", k), -1}].Number, 1e-12)
			require.InDelta(t, gain/bestGain, got[key{fmt.Sprintf("psndcg@%d", k), -1}].Number, 1e-12)
		}
	}
}

// naivePropensities returns the propensity-scored precision and gain at k of a
// row, each as it is and as it would be at best.
func naivePropensities(b *Batch, r int32, k int, inverse func(int32) float64) [4]float64 {
	scores, _ := b.Scored(r)
	truth := b.True.Row(r)
	if len(truth) == 0 {
		return [4]float64{}
	}
	order := AllRows(nil, len(scores))
	slices.SortStableFunc(order, func(x, y int32) int {
		return map[bool]int{true: -1, false: map[bool]int{true: 1}[scores[x] < scores[y]]}[scores[x] > scores[y]]
	})
	best := slices.Clone(truth)
	slices.SortFunc(best, func(x, y int32) int {
		return map[bool]int{true: -1, false: 1}[inverse(x) > inverse(y)]
	})
	var sums [4]float64
	ideal := 0.0
	for i := range min(k, len(scores)) {
		discount := 1 / math.Log2(float64(i+2))
		if slices.Contains(truth, order[i]) {
			sums[0] += inverse(order[i]) / float64(k)
			sums[2] += inverse(order[i]) * discount
		}
		if i < len(best) {
			sums[1] += inverse(best[i]) / float64(k)
			sums[3] += inverse(best[i]) * discount
			ideal += discount
		}
	}
	sums[2], sums[3] = sums[2]/ideal, sums[3]/ideal
	return sums
}

// TestPropensityScoredWorkedExample: one rare label is missed, a frequent one
// found.
func TestPropensityScoredWorkedExample(t *testing.T) {
	// With A = 1, B = 1 and log N = 2, C is 2: inverse propensities are 1 + 2/(n+1).
	p := &Params{
		Task: Multilabel, Labels: 3, Scores: true, ScoreType: RawScore, Metrics: []string{"psp@1", "psp@2", "psndcg@2"},
		Propensity: &Propensity{A: 1, B: 1, Frequencies: LabelFrequencies{Count: map[int32]int64{0: 3, 1: 1}}},
	}
	p.Propensity.Frequencies.Examples = 3 // C = (log 3 - 1) 2
	c := 2 * (math.Log(3) - 1)
	frequent, rare := 1+c/4, 1+c/2
	b := &Batch{Rows: 1, Labels: 3, Score: []float64{.9, .1, .5}, True: setsOf([][]int32{{0, 1}})}
	got := evaluated(t, p, finish(b, Multilabel), Options{})
	require.InDelta(t, frequent/rare, got[key{"psp@1", -1}].Number, 1e-15)
	require.InDelta(t, frequent/(frequent+rare), got[key{"psp@2", -1}].Number, 1e-15)
	require.InDelta(t, frequent/(rare+frequent/math.Log2(3)), got[key{"psndcg@2", -1}].Number, 1e-15)
}

// TestFrequenciesOfFewExamples: the model has no sense for fewer than three.
func TestFrequenciesOfFewExamples(t *testing.T) {
	for n := range int64(3) {
		p := Propensity{A: 0.55, B: 1.5, Frequencies: LabelFrequencies{Examples: n}}
		require.Equal(t, 1.0, p.inverse()(0))
	}
}

// TestCountLabels: whatever is to be evaluated, nothing but the labels is folded to count them.
func TestCountLabels(t *testing.T) {
	all := Params{Task: Multilabel, Labels: 9, Scores: true, Digest: true, LabelPairs: true, ScoreHistograms: true, Propensity: &Propensity{A: 1, B: 1}}
	p := all.ToCountLabels()
	b := drawBatch(rand.New(rand.NewPCG(1, 2)), &p, 50)
	counted := folded(t, &p, b)
	require.Equal(t, frequencies(b), CountLabels(counted))
	for k, s := range counted.stats {
		require.Equal(t, kind(k) == kindExamples || kind(k) == kindLabelCounts, s != nil, statistics[k].name)
	}
}
