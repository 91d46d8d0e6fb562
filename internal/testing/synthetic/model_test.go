package synthetic

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

type binaryRow struct {
	Label      int32   `parquet:"label"`
	Score      float64 `parquet:"score"`
	Prediction int32   `parquet:"prediction"`
	Weight     float64 `parquet:"weight"`
}

func TestBinary(t *testing.T) {
	const n = 20_000
	rows := read[binaryRow](t, Spec{Rows: n, Weights: true, Predictions: true})
	positives, predicted, sum, weight := 0, 0, 0.0, 0.0
	for _, r := range rows {
		require.True(t, r.Score > 0 && r.Score < 1)
		require.True(t, r.Weight >= 0.5 && r.Weight <= 2)
		require.Equal(t, r.Score >= 0.5, r.Prediction == 1)
		positives += int(r.Label)
		predicted += int(r.Prediction)
		sum += r.Score
		weight += r.Weight
	}
	require.InDelta(t, 0.1, float64(positives)/n, 0.01)
	require.InDelta(t, 0.1, sum/n, 0.03, "roughly calibrated")
	require.InDelta(t, 0.05, float64(predicted)/n, 0.02)
	require.InDelta(t, 1.25, weight/n, 0.01)
	require.InDelta(t, 0.83, auc(rows), 0.02)
}

// auc returns the share of pairs in the right order; scores of this size have no ties.
func auc(rows []binaryRow) float64 {
	slices.SortFunc(rows, func(a, b binaryRow) int { return cmp.Compare(a.Score, b.Score) })
	below, right, positives := 0, 0, 0
	for _, r := range rows {
		if r.Label == 1 {
			positives++
			right += below
		} else {
			below++
		}
	}
	return float64(right) / float64(below*positives)
}

func TestLogitsAreThoseOfTheProbabilities(t *testing.T) {
	probabilities := read[binaryRow](t, Spec{Rows: 1000, Predictions: true})
	logits := read[binaryRow](t, Spec{Rows: 1000, Predictions: true, ScoreType: Logit})
	for i, p := range probabilities {
		require.InDelta(t, p.Score, 1/(1+math.Exp(-logits[i].Score)), 1e-14)
		require.Equal(t, p.Label, logits[i].Label)
		require.Equal(t, p.Prediction, logits[i].Prediction)
	}
}

func TestMulticlass(t *testing.T) {
	type row struct {
		Label      int32     `parquet:"label"`
		Scores     []float32 `parquet:"scores,list"`
		Prediction int32     `parquet:"prediction"`
	}
	for _, classes := range []int{2, 10, 100} {
		rows := read[row](t, Spec{Task: Multiclass, Labels: classes, Rows: 5000, Float: 32, Predictions: true})
		right, counts := 0, make([]int, classes)
		for _, r := range rows {
			require.Len(t, r.Scores, classes)
			sum := 0.0
			for _, s := range r.Scores {
				require.True(t, s > 0 && s < 1)
				sum += float64(s)
			}
			require.InDelta(t, 1, sum, 1e-5)
			require.Equal(t, slices.Index(r.Scores, slices.Max(r.Scores)), int(r.Prediction))
			counts[r.Label]++
			if r.Label == r.Prediction {
				right++
			}
		}
		require.InDelta(t, 0.73, float64(right)/float64(len(rows)), 0.1, "%d classes", classes)
		require.Greater(t, counts[0], counts[1])
		require.Greater(t, counts[classes-1], 0)
	}
}

func TestMultilabel(t *testing.T) {
	type row struct {
		Labels []int32   `parquet:"labels,list"`
		Scores []float64 `parquet:"scores,list"`
	}
	rows := read[row](t, Spec{Task: Multilabel, Rows: 10_000})
	counts, empty := make([]int, 20), 0
	for _, r := range rows {
		require.Len(t, r.Scores, 20)
		require.True(t, slices.IsSorted(r.Labels))
		require.True(t, slices.Min(r.Scores) > 0 && slices.Max(r.Scores) < 1)
		for _, l := range r.Labels {
			counts[l]++
		}
		if len(r.Labels) == 0 {
			empty++
		}
	}
	require.InDelta(t, 4400, counts[0], 200)
	require.InDelta(t, 300, counts[19], 60)
	require.InDelta(t, 970, empty, 150)
}

func TestLabelEncodingsAgree(t *testing.T) {
	type indices struct {
		Labels     []int32 `parquet:"labels,list"`
		Prediction []int32 `parquet:"prediction,list"`
	}
	type names struct {
		Labels     []string `parquet:"labels,list"`
		Prediction []string `parquet:"prediction,list"`
	}
	s := Spec{Task: Multilabel, Labels: 12, Rows: 300, Predictions: true}
	want := read[indices](t, s)
	s.LabelEncoding = Names
	named := read[names](t, s)
	s.LabelEncoding = Indicator
	dense := read[indices](t, s)

	fromNames := func(list []string) (found []int32) {
		for _, name := range list {
			i := slices.IndexFunc(labelNames(12), func(v parquet.Value) bool { return v.String() == name })
			require.GreaterOrEqual(t, i, 0)
			found = append(found, int32(i))
		}
		return found
	}
	fromIndicator := func(list []int32) (found []int32) {
		require.Len(t, list, 12)
		for i, x := range list {
			if x == 1 {
				found = append(found, int32(i))
			}
		}
		return found
	}
	for i, w := range want {
		for _, got := range []indices{
			{fromNames(named[i].Labels), fromNames(named[i].Prediction)},
			{fromIndicator(dense[i].Labels), fromIndicator(dense[i].Prediction)},
		} {
			require.ElementsMatch(t, w.Labels, got.Labels)
			require.ElementsMatch(t, w.Prediction, got.Prediction)
		}
	}
}

// Both layouts describe the same examples.
func TestOneRowPerLabel(t *testing.T) {
	type wide struct {
		ID         int64     `parquet:"example_id"`
		Labels     []int32   `parquet:"labels,list"`
		Scores     []float32 `parquet:"scores,list"`
		Prediction []int32   `parquet:"prediction,list"`
		Weight     float64   `parquet:"weight"`
		Country    string    `parquet:"country"`
	}
	type long struct {
		ID         int64   `parquet:"example_id"`
		Name       string  `parquet:"label_name"`
		Label      int32   `parquet:"label"`
		Score      float32 `parquet:"score"`
		Prediction int32   `parquet:"prediction"`
		Weight     float64 `parquet:"weight"`
		Country    string  `parquet:"country"`
	}
	s := Spec{
		Task: Multilabel, Labels: 12, Rows: 300, Float: 32, LabelEncoding: Indicator, Predictions: true, Weights: true,
		Slices: []Slice{{"country", 5}},
	}
	examples := read[wide](t, s)
	s.Layout, s.LabelEncoding, s.Rows = LayoutLabel, "", 300*12-5
	rows := read[long](t, s)
	require.Len(t, rows, 300*12-5)
	names := labelNames(12)
	for i, row := range rows {
		e, l := examples[i/12], i%12
		require.Equal(t, long{e.ID, names[l].String(), e.Labels[l], e.Scores[l], e.Prediction[l], e.Weight, e.Country}, row)
	}
	type indexed struct {
		Label int32 `parquet:"label_index"`
	}
	s.LabelEncoding = Indices
	for i, row := range read[indexed](t, s) {
		require.EqualValues(t, i%12, row.Label)
	}
}

func TestRanking(t *testing.T) {
	type list struct {
		Query     string    `parquet:"query_id"`
		Docs      []int64   `parquet:"doc_id,list"`
		Relevance []int32   `parquet:"relevance,list"`
		Scores    []float64 `parquet:"scores,list"`
		Weight    float64   `parquet:"weight"`
	}
	type item struct {
		Query     string  `parquet:"query_id"`
		Doc       int64   `parquet:"doc_id"`
		Relevance int32   `parquet:"relevance"`
		Score     float64 `parquet:"score"`
		Weight    float64 `parquet:"weight"`
	}
	const queries, items = 500, 40
	rows := read[item](t, Spec{Task: Ranking, Items: items, Rows: queries * items, Weights: true})
	lists := read[list](t, Spec{Task: Ranking, Items: items, Rows: queries, Weights: true, Layout: LayoutExample})
	require.Len(t, rows, queries*items)
	require.Len(t, lists, queries)
	var counts [4]float64
	var sums [4]float64
	squares := 0.0
	for i, row := range rows {
		l, k := lists[i/items], i%items
		require.Equal(t, item{l.Query, l.Docs[k], l.Relevance[k], l.Scores[k], l.Weight}, row)
		require.Len(t, l.Docs, items)
		require.Equal(t, strconv.Itoa(i/items), row.Query)
		require.EqualValues(t, i, row.Doc)
		counts[row.Relevance]++
		sums[row.Relevance] += row.Score
		squares += (row.Score - 0.7*float64(row.Relevance)) * (row.Score - 0.7*float64(row.Relevance))
	}
	for grade, share := range []float64{0.85, 0.1, 0.04, 0.01} {
		require.InDelta(t, share, counts[grade]/float64(len(rows)), 0.01)
		require.InDelta(t, 0.7*float64(grade), sums[grade]/counts[grade], 0.25)
	}
	require.InDelta(t, 1, squares/float64(len(rows)), 0.05, "variance of the noise")
}

func TestRegression(t *testing.T) {
	type row struct {
		Label      float64 `parquet:"label"`
		Prediction float64 `parquet:"prediction"`
	}
	rows := read[row](t, Spec{Task: Regression, Rows: 20_000})
	sum, squares, errors := 0.0, 0.0, 0.0
	for _, r := range rows {
		require.Positive(t, r.Label)
		require.Positive(t, r.Prediction)
		sum += r.Label
		squares += r.Label * r.Label
		errors += (r.Label - r.Prediction) * (r.Label - r.Prediction)
	}
	n := float64(len(rows))
	require.InDelta(t, 0.75, 1-errors/(squares-sum*sum/n), 0.05, "r2")
}

func TestSliceValues(t *testing.T) {
	const values = 10_000
	s := Spec{Rows: 200_000, Slices: []Slice{{"store", values}}}
	type row struct {
		Store string `parquet:"store"`
	}
	counts := map[string]int{}
	for _, r := range read[row](t, s) {
		counts[r.Store]++
	}
	require.LessOrEqual(t, len(counts), values)
	require.Greater(t, len(counts), values*99/100)
	require.Greater(t, counts["store_0000"], 10*counts["store_0010"]/8)
	require.Greater(t, counts["store_0010"], 10*counts["store_9999"])
	require.NotZero(t, counts["store_9998"]+counts["store_9999"])
}

func TestSkewed(t *testing.T) {
	for _, n := range []int{1, 2, 3, 1000, maxSliceValues} {
		require.Equal(t, 0, skewed(0x1p-53, n))
		require.Equal(t, n-1, skewed(1-0x1p-53, n))
	}
}

func TestLn(t *testing.T) {
	draws := newStream(3, "ln")
	for i := range int64(10_000) {
		u := draws.uniform(i)
		for _, x := range []float64{u, 1 + u/1000, 1 - u/1000, u * 0x1p-70, u * 0x1p70} {
			require.InEpsilon(t, math.Log(x), ln(x), 1e-15)
		}
	}
	require.Zero(t, ln(1))
}

func TestUniformIsWithinItsBounds(t *testing.T) {
	for _, bits := range []uint64{0, math.MaxUint64} {
		u := (float64(bits>>12) + 0.5) * 0x1p-52
		require.True(t, u > 0 && u < 1 && 1-u > 0)
	}
}

type preferenceRow struct {
	A      string `parquet:"model_a"`
	B      string `parquet:"model_b"`
	Winner string `parquet:"winner"`
}

// TestPreference: all pairs of systems occur in both orders, one comparison in five is a tie, and the
// first system wins against the fourth with odds of 2.
func TestPreference(t *testing.T) {
	const n = 20_000
	pairs, outcomes, best := map[[2]string]int{}, map[string]int{}, map[string]int{}
	for _, r := range read[preferenceRow](t, Spec{Task: Preference, Labels: 4, Rows: n}) {
		require.NotEqual(t, r.A, r.B)
		pairs[[2]string{r.A, r.B}]++
		outcomes[r.Winner]++
		if r.A == "system_0" && r.B == "system_3" {
			best[r.Winner]++
		}
	}
	require.Len(t, pairs, 12)
	require.Len(t, outcomes, 3)
	require.InDelta(t, 0.2, float64(outcomes["tie"])/n, 0.01)
	require.InDelta(t, 0.5, float64(outcomes["model_a"])/float64(outcomes["model_a"]+outcomes["model_b"]), 0.02)
	require.InDelta(t, 2, float64(best["model_a"])/float64(best["model_b"]), 0.2)
}

// TestGrade: chances of passing are uniform, so that of k attempts, at least one passes at k/(k+1) of the examples, and all at 1/(k+1).
func TestGrade(t *testing.T) {
	type row struct {
		Example int64 `parquet:"example_id"`
		Passed  bool  `parquet:"passed"`
	}
	const examples, k = 20_000, 3
	passed := make([]int, examples)
	for i, r := range read[row](t, Spec{Task: Grade, Attempts: k, Rows: k * examples}) {
		require.EqualValues(t, i/k, r.Example)
		if r.Passed {
			passed[r.Example]++
		}
	}
	with := make([]float64, k+1)
	for _, n := range passed {
		with[n] += 1. / examples
	}
	for n, share := range with {
		require.InDelta(t, 1./(k+1), share, 0.01, "%d of %d", n, k)
	}
}

// TestAgreement: Cohen's κ of two raters is the share of examples for which neither guesses, 0.9 · 0.4 for the first and the last, and
// one rating in seven is missing.
func TestAgreement(t *testing.T) {
	type row struct {
		First *int32 `parquet:"rater_0"`
		Last  *int32 `parquet:"rater_4"`
	}
	const n = 20_000
	missing, both, same, count := 0., 0., 0., map[int32]float64{}
	for _, r := range read[row](t, Spec{Task: Agreement, Rows: n}) {
		switch {
		case r.First == nil:
			missing++
		case r.Last != nil:
			both++
			count[*r.First]++
			if *r.First == *r.Last {
				same++
			}
		}
	}
	require.InDelta(t, 0.15, missing/n, 0.01)
	require.Len(t, count, 5)
	for value := range count {
		require.InDelta(t, 0.2, count[value]/both, 0.015)
	}
	require.InDelta(t, 0.9*0.4, (same/both-0.2)/0.8, 0.02)
}

// TestUnlabelled: labels are missing in the given share of the examples, and the others are the same.
func TestUnlabelled(t *testing.T) {
	type row struct {
		Label *int32  `parquet:"label"`
		Score float64 `parquet:"score"`
	}
	const n = 10_000
	missing, whole := 0, read[binaryRow](t, Spec{Rows: n, Predictions: true})
	for i, r := range read[row](t, Spec{Rows: n, Unlabelled: 0.25}) {
		require.Equal(t, whole[i].Score, r.Score)
		if r.Label == nil {
			missing++
		} else {
			require.Equal(t, whole[i].Label, *r.Label)
		}
	}
	require.InDelta(t, 0.25, float64(missing)/n, 0.02)
}
