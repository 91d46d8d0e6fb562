package metrics

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// lawCases are what the laws of statistics are tested on: whatever statistics the
// metrics need. Labels are few, so that all cells are array elements, and many, so that
// most are not.
var lawCases = []Params{
	{Task: Binary, Decisions: true, Scores: true, Digest: true},
	{Task: Binary, Scores: true, ScoreType: Logit, Bins: 1},
	{Task: Binary, Scores: true, Curves: BoundedCurves, CurveBins: 8, Metrics: []string{"roc_auc"}},
	{Task: Multiclass, Labels: 1, Scores: true},
	{Task: Multiclass, Labels: 3, Decisions: true, Scores: true, Digest: true},
	{Task: Multiclass, Labels: 4, Scores: true, Bins: 15},
	{Task: Multiclass, Labels: 5, Scores: true, ScoreType: Logit, Bins: 2000},
	{Task: Multiclass, Labels: 30, Scores: true, Sparse: true},
	{Task: Multiclass, Labels: 40, Decisions: true},
	{Task: Multiclass, Labels: 1100, Scores: true},
	{Task: Multiclass, Labels: 1 << 20, Decisions: true},
	{Task: Multiclass, Labels: 3, Scores: true, Curves: BoundedCurves, CurveBins: 1000, Metrics: []string{"roc_auc_ovr_micro"}},
	{Task: Binary, Decisions: true, Scores: true, Has: HasBaseline | HasBaselineScores},
	{Task: Multiclass, Labels: 40, Decisions: true, Has: HasBaseline},
	{Task: Binary, Decisions: true, Judged: true},
	{Task: Binary, Decisions: true, Has: HasErrorCosts},
	{Task: Regression, Judged: true},
	{Task: Regression, Judged: true, Drawn: true, Digest: true},
	{Task: Multiclass, Labels: 5, Decisions: true, Drawn: true, Has: HasJudgedClass},
	{Task: Multiclass, Labels: 40, Judged: true},
	{Task: Multiclass, Labels: 5, Decisions: true, Has: HasJudgedClass},
	{Task: Multiclass, Labels: 5, Decisions: true, Has: HasPredictionSets},
	{Task: Multiclass, Labels: 1100, Decisions: true, Has: HasPredictionSets},
	{Task: Multilabel, Labels: 1, Decisions: true, Scores: true, Has: HasBaseline | HasBaselineScores},
	{Task: Multilabel, Labels: 6, Decisions: true, Scores: true, Digest: true},
	{Task: Multilabel, Labels: 60, Scores: true, ScoreType: Logit},
	{Task: Multilabel, Labels: 300, Scores: true, Bins: 7},
	{Task: Multilabel, Labels: 1100, Scores: true, ScoreType: Logit},
	{Task: Multilabel, Labels: 6, Scores: true, Sparse: true},
	{Task: Multilabel, Labels: 6, Decisions: true, Scores: true, Has: HasBaseline | HasBaselineScores},
	{Task: Multilabel, Labels: 1500, Decisions: true, Has: HasBaseline},
	{Task: Multilabel, Labels: 1 << 20, Decisions: true, Scores: true, Sparse: true},
	{Task: Multilabel, Labels: 4, Scores: true, ScoreType: Logit, Curves: BoundedCurves, CurveBins: 64, Metrics: []string{"roc_auc", "roc_auc_micro"}},
	{Task: Preference, Labels: 2},
	{Task: Preference, Labels: 7, Digest: true, Preference: PreferenceOptions{Davidson: true}},
	{Task: Grading, Digest: true, Grades: GradeOptions{PassThreshold: new(0.5)}},
	{Task: Grading, Has: HasAnswers, Grades: GradeOptions{Booleans: true}},
	{Task: Grading, MaxDistinct: 8, Metrics: []string{"median", "mean"}},
	{Task: Grading, Grades: GradeOptions{Booleans: true}, FurtherGrades: furtherGraded},
	{Task: Grading, MaxDistinct: 8, FurtherGrades: furtherGraded, Metrics: []string{"mean", "median_cost", "quantile@0.9_stars", "pass@2_stars", "best@3_cost"}},
	{Task: Agreement, Labels: 3, Digest: true},
	{Task: Agreement, Labels: 12, Raters: RaterOptions{MaxValues: 6}},
	{Task: Agreement, Labels: 1, Raters: RaterOptions{Names: true}},
	{Task: Regression, Digest: true, Has: HasBaseline},
	{Task: Regression, MaxDistinct: 8, Metrics: []string{"spearman"}},
	{Task: Regression, Metrics: []string{"my_mae", "fragile"}},
	{Task: Ranking, Scores: true, Digest: true, Ranking: usualRanking, SpreadOf: []string{"ndcg", "err@3", "dcg@5", "kendall_tau", "gauc"}},
	{Task: Ranking, Scores: true, MaxDistinct: 25, Metrics: []string{"gini@3", "novelty@5", "personalization@2", "personalization@9"}},
	{Task: Ranking, Scores: true, Has: HasItems | HasCategories, Ranking: RankingOptions{LinearGain, ItemTies, 0.5, 2, EmptyIsOne, false}},
}

// tracedKinds are the statistics that no fold makes; TestLawsOfCurves has their laws.
var tracedKinds = map[kind]bool{kindLabelCurves: true, kindLabelBins: true}

// rowsOf says how many rows the batch of a seed has; few, if they are wide.
func rowsOf(seed uint64, p *Params) int {
	n := []int{0, 1, 2, 3, 10, 40}[seed%6]
	if p.Scores && p.Labels > 100 {
		n = min(n, 4)
	}
	return n
}

// holdLaws tests the laws of a statistic on a batch. It is from package metricstest, which only
// tests outside of the package can import.
var holdLaws func(t testing.TB, empty func(*Params) statistic, p *Params, b *Batch)

func TestLaws(t *testing.T) {
	var met [numKinds]bool
	for _, c := range lawCases {
		p := c
		p.ScoreHistograms = true
		p.LabelPairs = p.Task&(Multiclass|Multilabel) != 0 && p.Decisions
		if p.Metrics == nil {
			p = *everyMetric(t, p)
		}
		require.NoError(t, p.Complete())
		empty, err := p.New()
		require.NoError(t, err)
		spread, err := p.NewSpread()
		require.NoError(t, err)
		empty.Merge(spread)
		for k, s := range empty.stats {
			if s == nil {
				continue
			}
			met[k] = true
			t.Run(fmt.Sprintf("%s %s %d", statistics[k].name, p.Task, p.Labels), func(t *testing.T) {
				t.Parallel()
				seeds := uint64(6)              // a batch of each number of rows
				if p.Scores && p.Labels > 100 { // take long
					seeds = 4
				}
				for seed := range seeds {
					t.Logf("seed %d", seed)
					r := source(seed)
					b := drawBatch(r, &p, rowsOf(seed, &p))
					holdLaws(t, statistics[k].empty, &p, b)
					s := statistics[k].empty(&p)
					require.True(t, s.fits(&p))
					s.Fold(b, AllRows(nil, b.Rows))
					require.True(t, s.fits(&p))
					require.True(t, statistics[k].empty(new(Params)).fits(&p))
				}
			})
		}
	}
	for k := range numKinds {
		require.NotEqual(t, tracedKinds[k] || k == kindPanic, met[k], "laws of %s", statistics[k].name)
	}
}

// TestMaker compares partials of one Maker with partials of New. It folds rows into several in
// turn, measured in advance or not, and shares and merges them; that must not change what was
// merged.
func TestMaker(t *testing.T) {
	for i, c := range lawCases {
		if c.Labels > 60 {
			continue
		}
		p := c
		p.ScoreHistograms = true
		if p.Metrics == nil {
			p = *everyMetric(t, p)
		}
		t.Run(fmt.Sprint(i, p.Task), func(t *testing.T) {
			t.Parallel()
			r := source(uint64(i))
			maker, err := p.Maker()
			require.NoError(t, err)
			var made, want [3]*Partial
			for i := range made {
				made[i] = maker.New()
				want[i], err = p.New()
				require.NoError(t, err)
			}
			for range 20 {
				b, ahead := drawBatch(r, &p, 1+r.IntN(4)), r.IntN(2) == 0
				rows := AllRows(nil, b.Rows)[r.IntN(b.Rows):]
				if ahead {
					require.NoError(t, maker.Measure(b, rows))
				}
				for range 2 {
					i := r.IntN(3)
					made[i].Fold(b, rows)
					want[i].Fold(b, rows)
				}
				if ahead {
					maker.Forget()
				}
			}
			var sum, merged Partial
			before := make([][]byte, len(made))
			for i := range made {
				before[i] = want[i].Append(nil)
				require.Equal(t, before[i], made[i].Append(nil))
				merged.Merge(want[i])
			}
			sum.MergeShared(made[0])
			sum.MergeShared(made[1])
			sum.Merge(made[2])
			require.Equal(t, merged.Append(nil), sum.Append(nil))
			var alone Partial
			alone.MergeShared(made[0])
			require.Equal(t, before[0], alone.Append(nil))
			alone.Reset()
			require.Zero(t, alone.Examples())
			for i := range made {
				require.Equal(t, before[i], made[i].Append(nil))
			}
		})
	}
}

// TestLawsOfPartials checks what Beam relies on: that a Partial's bytes and
// results do not depend on how its rows were divided.
func TestLawsOfPartials(t *testing.T) {
	for _, n := range taskNames {
		for _, score := range []ScoreType{Probability, Logit, RawScore} {
			t.Run(fmt.Sprintf("%s %d", n.name, score), func(t *testing.T) {
				t.Parallel()
				p := params(t, n.task, 5, score)
				for seed := range uint64(20) {
					t.Logf("seed %d", seed)
					r := source(seed)
					b := drawBatch(r, p, rowsOf(seed, p))
					whole := folded(t, p, b)
					want := whole.Append(nil)
					require.EqualValues(t, b.Rows, whole.Examples())
					for range 3 {
						partial := reassembled(t, p, b, parts(r, b.Rows, 1+r.IntN(5)))
						require.Equal(t, want, partial.Append(nil))
					}
					back, err := DecodePartial(want)
					require.NoError(t, err)
					require.Equal(t, want, back.Append(nil))

					whole.Reset()
					empty, err := p.New()
					require.NoError(t, err)
					require.Equal(t, empty.Append(nil), whole.Append(nil))
				}
			})
		}
	}
}
