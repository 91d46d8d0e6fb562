package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/hash"
)

// machineEpsilon is scikit-learn's clipping of probabilities in log loss.
const machineEpsilon = 0x1p-52

// everyName returns the names of all metrics that the examples allow, even of those that Select leaves
// out unless they are requested.
func (p *Params) everyName(with Arguments) (names []string) {
	for c := range p.every(p.withLevels(with)) {
		if p.missing(c) == 0 {
			names = append(names, c.full)
		}
	}
	return names
}

// source returns random numbers that a seed determines.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x6a09e667f3bcc909)) }

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// fill returns n values drawn one by one.
func fill[T any](n int, draw func() T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = draw()
	}
	return list
}

// A weighing draws the weights of a batch; nil gives none.
var weighings = []func(*rand.Rand) float64{
	nil,
	func(*rand.Rand) float64 { return 1 },
	func(r *rand.Rand) float64 { return 3 * r.Float64() },
	func(r *rand.Rand) float64 { return pick(r, 0, 0, 1, 2.5) },
	func(r *rand.Rand) float64 { return pick(r, 0, 1, 0.1, 5e-324, 1e-300, 1e100, 1<<52, r.Float64()) },
}

func drawProbability(r *rand.Rand) float64 {
	return pick(r, r.Float64(), r.Float64(), float64(r.Float32()), float64(r.IntN(11))/10, 0, 1, 5e-324, 1-0x1p-53)
}

func drawLogit(r *rand.Rand) float64 {
	return pick(r, 3*r.NormFloat64(), 3*r.NormFloat64(), 0, math.Copysign(0, -1), 1000, -1000, 37.5, 1e308,
		math.Inf(1), math.Inf(-1))
}

func drawNumber(r *rand.Rand) float64 {
	return pick(r, r.NormFloat64(), 1e9+r.Float64(), 0, -1, -2, 3, 1e-300, 1e160, -1e160, math.MaxFloat64, 5e-324,
		math.Inf(1), math.Inf(-1))
}

// drawSets returns n increasing label lists; some are empty, some full.
func drawSets(r *rand.Rand, n, labels int) Sets {
	s := Sets{Offset: []int32{0}}
	for range n {
		var row []int32
		switch r.IntN(6) {
		case 0:
		case 1:
			row = AllRows(nil, min(labels, 30))
		default:
			row = fill(r.IntN(min(labels, 12)+1), func() int32 { return int32(r.IntN(labels)) })
			slices.Sort(row)
			row = slices.Compact(row)
		}
		s.Label = append(s.Label, row...)
		s.Offset = append(s.Offset, int32(len(s.Label)))
	}
	return s
}

// setsOf makes label sets of lists.
func setsOf(lists [][]int32) Sets {
	s := Sets{Offset: []int32{0}}
	for _, list := range lists {
		s.Label = append(s.Label, list...)
		s.Offset = append(s.Offset, int32(len(s.Label)))
	}
	return s
}

// drawBatch returns n random rows that fit the parameters.
func drawBatch(r *rand.Rand, p *Params, n int) *Batch {
	b := &Batch{Rows: n, Labels: 1}
	if p.Task&(Multiclass|Multilabel|Preference|Agreement) != 0 {
		b.Labels = p.Labels
	}
	if weigh := pick(r, weighings...); weigh != nil {
		b.Weight = fill(n, func() float64 { return weigh(r) })
	}
	if p.Digest {
		b.Key = fill(n, r.Uint64)
	}
	if p.Drawn {
		own := source(uint64(n) + 3)
		b.Stratum = fill(n, func() uint64 { return 1 << 40 * own.Uint64N(3) })
	}
	class := func() int32 { return int32(r.IntN(p.classes())) }
	switch p.Task {
	case Ranking:
		return drawQueries(r, b)
	case Regression:
		number := pick(r, drawNumber, (*rand.Rand).NormFloat64)
		b.Target = fill(n, func() float64 { return number(r) })
		b.Estimate = fill(n, func() float64 { return number(r) })
		if p.has(HasBaseline) {
			b.BaselineEstimate = fill(n, func() float64 { return number(r) })
		}
		return drawForecasts(r, p, b, number)
	case Grading:
		return drawAttempts(r, p, b)
	case Agreement:
		return drawRatings(r, p, b)
	case Preference:
		b.First = fill(n, func() int32 { return int32(r.IntN(p.Labels)) })
		b.Outcome = fill(n, func() Outcome { return Outcome(r.IntN(3)) })
		for _, first := range b.First {
			b.Second = append(b.Second, (first+1+int32(r.IntN(p.Labels-1)))%int32(p.Labels))
		}
		return b
	case Multilabel:
		b.True, b.PredictedSet = drawSets(r, n, p.Labels), drawSets(r, n, p.Labels)
		drawBaseline(source(uint64(n)), p, b)
	default:
		b.Class, b.Predicted = fill(n, class), fill(n, class)
		if p.has(HasJudgedClass) {
			own := source(uint64(n) + 1)
			b.JudgedClass = fill(n, func() int32 { return int32(own.IntN(p.classes())) })
		}
		if p.has(HasPredictionSets) {
			b.PredictedSet = drawSets(source(uint64(n)+2), n, p.classes())
		}
		if p.has(HasErrorCosts) {
			cost := func() float64 { return pick(r, 0, 1, 5e-324, HighestCost, r.Float64(), r.ExpFloat64()) }
			b.CostFP, b.CostFN = fill(n, cost), fill(n, cost)
		}
		drawBaseline(source(uint64(n)), p, b)
	}
	if !p.Scores {
		return b
	}
	if p.Sparse {
		b.Candidates = drawSets(r, n, p.Labels)
		b.Score = fill(len(b.Candidates.Label), func() float64 { return drawProbability(r) })
		return finish(b, p.Task)
	}
	if p.Task == Multiclass && r.IntN(2) == 0 {
		drawDistributions(r, b)
	}
	if p.ScoreType == Logit {
		b.Logit = fill(n*b.Labels, func() float64 { return drawLogit(r) })
	} else {
		b.Probability = fill(n*b.Labels, func() float64 { return drawProbability(r) })
	}
	return finish(b, p.Task)
}

// drawRatings gives every row of a batch ratings of some raters.
func drawRatings(r *rand.Rand, p *Params, b *Batch) *Batch {
	rating := pick(r, func() float64 { return float64(r.IntN(5)) }, r.NormFloat64, func() float64 { return pick(r, 0, 1, -1, 5e-324, 1e160, -1e160, math.MaxFloat64, 1e9+r.Float64()) })
	rates := pick(r, 1, 0.6, 0.1)
	b.RatingOffset = []int32{0}
	for range b.Rows {
		for rater := range p.Labels {
			if r.Float64() < rates {
				b.Rating, b.Rater = append(b.Rating, rating()), append(b.Rater, int32(rater))
			}
		}
		b.RatingOffset = append(b.RatingOffset, int32(len(b.Rating)))
	}
	return b
}

// furtherGraded are further grades of all kinds.
var furtherGraded = []FurtherGrade{
	{Name: "cost", LowerIsBetter: true}, {Name: "timed_out", Booleans: true, LowerIsBetter: true}, {Name: "stars", PassThreshold: new(0.5)},
	{Name: "cited", Booleans: true}, {Name: "tokens", LowerIsBetter: true, PassThreshold: new(0.)},
}

// drawAttempts gives every row of a batch sorted grades.
func drawAttempts(r *rand.Rand, p *Params, b *Batch) *Batch {
	if p.has(HasAnswers) {
		b.Majority = fill(b.Rows, func() float64 { return pick(r, 0, 1, 0.5, 1./3) })
	}
	grade := pick(r, func() float64 { return float64(r.IntN(2)) }, r.NormFloat64, func() float64 { return pick(r, 0, 1, -1, 5e-324, 1e160, -1e160, math.MaxFloat64, 1e9+r.Float64()) })
	if p.Grades.Booleans {
		grade = func() float64 { return float64(r.IntN(2)) }
	}
	b.GradeOffset, b.FurtherGrade = []int32{0}, make([][]float64, len(p.FurtherGrades))
	for range b.Rows {
		list := fill(pick(r, 1, 2, 1+r.IntN(9)), grade)
		slices.Sort(list)
		b.Grade = append(b.Grade, list...)
		for i, g := range p.FurtherGrades {
			further := fill(len(list), pick(r, r.NormFloat64, func() float64 { return pick(r, 0, 1, -1, 3, 1e160) }))
			if g.Booleans {
				further = fill(len(list), func() float64 { return float64(r.IntN(2)) })
			}
			slices.Sort(further)
			b.FurtherGrade[i] = append(b.FurtherGrade[i], further...)
		}
		b.GradeOffset = append(b.GradeOffset, int32(len(b.Grade)))
	}
	return b
}

// drawBaseline gives every row of a batch predictions of a baseline, if the parameters have them.
func drawBaseline(r *rand.Rand, p *Params, b *Batch) {
	switch {
	case p.has(HasBaseline) && p.Task == Multilabel:
		b.BaselineSet = drawSets(r, b.Rows, p.Labels)
	case p.has(HasBaseline):
		b.Baseline = fill(b.Rows, func() int32 { return int32(r.IntN(p.classes())) })
	}
	if p.has(HasBaselineScores) {
		b.BaselineScore = fill(b.Rows*p.scored(), func() float64 { return drawProbability(r) })
	}
}

// drawForecasts gives every row of a batch forecasts of quantiles, an ensemble and a scale, as far as
// the parameters have them.
func drawForecasts(r *rand.Rand, p *Params, b *Batch, number func(*rand.Rand) float64) *Batch {
	draw := func() float64 { return number(r) }
	for range b.Rows {
		quantiles := fill(len(p.QuantileLevels), draw)
		slices.Sort(quantiles)
		b.Quantile = append(b.Quantile, quantiles...)
	}
	if p.has(HasEnsemble) {
		b.MemberOffset = []int32{0}
		for range b.Rows {
			b.Member = append(b.Member, fill(1+r.IntN(9), draw)...)
			b.MemberOffset = append(b.MemberOffset, int32(len(b.Member)))
		}
	}
	if p.has(HasScale) {
		b.Scale = fill(b.Rows, func() float64 { return math.Abs(draw()) + 1 })
	}
	return b
}

// drawQueries gives every row of a batch items, some with equal scores, not
// judged, or missed.
func drawQueries(r *rand.Rand, b *Batch) *Batch {
	relevance := pick(r,
		func() float64 { return float64(r.IntN(2)) },
		func() float64 { return float64(pick(r, 0, 0, 0, 1, 2, 3, 4)) },
		func() float64 { return pick(r, 0, 0, 4*r.Float64(), 5e-324) })
	judging, most := r.IntN(2) == 0, pick(r, 3, 30)
	b.ItemOffset = []int32{0}
	for range b.Rows {
		levels := 1 + r.IntN(most)
		for range r.IntN(most) {
			rel, judged := relevance(), !judging || r.IntN(3) > 0
			if judging {
				b.Judged = append(b.Judged, judged)
			}
			if !judged {
				rel = 0
			}
			b.Relevance = append(b.Relevance, rel)
			b.Score = append(b.Score, pick(r, float64(r.IntN(levels)), drawLogit(r)))
		}
		b.ItemOffset = append(b.ItemOffset, int32(len(b.Score)))
	}
	if r.IntN(2) == 0 {
		b.MissedOffset = []int32{0}
		for range b.Rows {
			b.Missed = append(b.Missed, fill(r.IntN(4), relevance)...)
			b.MissedOffset = append(b.MissedOffset, int32(len(b.Missed)))
		}
	}
	return drawItems(r, b)
}

// drawItems gives the items of queries ids, categories and perhaps frequencies.
func drawItems(r *rand.Rand, b *Batch) *Batch {
	given := r.IntN(3) == 0
	for row := range b.Rows {
		ids := r.Perm(40)
		for _, id := range ids[:b.ItemOffset[row+1]-b.ItemOffset[row]] {
			b.ItemKey, b.Category = append(b.ItemKey, hash.Mix(uint64(id))), append(b.Category, uint64(id%4))
			if given {
				b.ItemFrequency = append(b.ItemFrequency, float64(id/3))
			}
		}
		slices.Reverse(ids)
		if b.MissedOffset != nil {
			for _, id := range ids[:b.MissedOffset[row+1]-b.MissedOffset[row]] {
				b.MissedKey = append(b.MissedKey, hash.Mix(uint64(id)))
			}
		}
	}
	return b
}

// drawDistributions makes the labels of a batch soft.
func drawDistributions(r *rand.Rand, b *Batch) {
	b.Distribution = make([]float64, b.Rows*b.Labels)
	for row := range b.Rows {
		truth := b.Distribution[row*b.Labels:][:b.Labels]
		switch r.IntN(4) {
		case 0: // all on one class
			truth[b.Class[row]] = 1
			continue
		case 1: // of float32, or rounded: about 1
			left := 1.0
			for k := range truth[1:] {
				truth[k] = float64(float32(left * r.Float64()))
				left -= truth[k]
			}
			truth[b.Labels-1] = math.Round(1000*left) / 1000
		default:
			sum := 0.0
			for k := range truth {
				truth[k] = math.Abs(pick(r, r.ExpFloat64(), r.ExpFloat64(), 0, 1e-300))
				sum += truth[k]
			}
			for k := range truth {
				truth[k] /= max(sum, 1e-300)
			}
			if sum == 0 {
				truth[0] = 1
			}
		}
		b.Class[row] = int32(TopLabel(truth))
	}
}

// finish sets the columns that follow from others, as readers of predictions do.
func finish(b *Batch, task Task) *Batch {
	if b.Probability == nil && b.Logit == nil && b.Score == nil {
		return b
	}
	switch task {
	case Binary:
		b.Truth = make([]bool, b.Rows)
		for i, c := range b.Class {
			b.Truth[i] = c == 1
		}
	case Multilabel:
		if b.Candidates.Offset != nil {
			for r := range b.Rows {
				for _, label := range b.Candidates.Row(int32(r)) {
					b.Truth = append(b.Truth, slices.Contains(b.True.Row(int32(r)), label))
				}
			}
			return b
		}
		b.Truth = make([]bool, b.Rows*b.Labels)
		for r := range b.Rows {
			for _, label := range b.True.Row(int32(r)) {
				b.Truth[r*b.Labels+int(label)] = true
			}
		}
	}
	b.Complete(task)
	return b
}

// take returns a batch of some rows. It is metricstest.Take, which only tests outside of the
// package can import.
var take func(b *Batch, rows []int32) *Batch

// parts divides the rows 0…n-1, shuffled, among k lists, some perhaps empty.
func parts(r *rand.Rand, n, k int) [][]int32 {
	lists := make([][]int32, k)
	for _, i := range r.Perm(n) {
		at := r.IntN(k)
		lists[at] = append(lists[at], int32(i))
	}
	return lists
}

// everyMetric selects all metrics that the parameters allow.
func everyMetric(t testing.TB, p Params) *Params {
	t.Helper()
	with := DefaultArguments()
	with["q"], with["k"] = []float64{0.1, 0.5}, []float64{1, 3, 5}
	p.Metrics = p.everyName(with)
	return &p
}

// usualRanking are the defaults of a run.
var usualRanking = RankingOptions{RelevanceThreshold: 1, MaxRelevance: 4}

// given returns has if the condition holds, otherwise none.
func given(condition bool, has Roles) Roles {
	if condition {
		return has
	}
	return 0
}

// params are Params as a run would have them, with decisions and, but for
// RawScore, scores; of rankings with scores whatever they are. Regressions
// with Logit have forecasts instead.
func params(t testing.TB, task Task, labels int, score ScoreType) *Params {
	if task == Ranking {
		return everyMetric(t, Params{Task: task, Scores: true, ScoreType: score, Ranking: usualRanking, Judgements: true, Has: HasItems | HasCategories, FrequencyTotal: 20})
	}
	if task == Preference {
		return everyMetric(t, Params{Task: task, Labels: labels, Preference: PreferenceOptions{Davidson: score == Logit}})
	}
	if task == Grading {
		return everyMetric(t, Params{Task: task, Has: given(score == RawScore, HasAnswers), Grades: []GradeOptions{Probability: {PassThreshold: new(0.5)}, Logit: {}, RawScore: {Booleans: true}}[score],
			FurtherGrades: furtherGraded[:5*oneIf(score == RawScore)]})
	}
	if task == Agreement {
		return everyMetric(t, Params{Task: task, Labels: labels, Raters: []RaterOptions{Probability: {}, Logit: {Weights: LinearWeights}, RawScore: {Names: true}}[score]})
	}
	if task == Regression && score == Logit {
		return everyMetric(t, Params{Task: task, QuantileLevels: []float64{0.1, 0.5, 0.9}, Has: HasEnsemble | HasScale | HasBaseline})
	}
	labelled := task&(Binary|Multiclass|Multilabel) != 0
	return everyMetric(t, Params{Task: task, Labels: labels, Scores: score != RawScore, Has: given(labelled, HasBaseline) | given(labelled && score != RawScore, HasBaselineScores), ScoreType: score, Decisions: true,
		Bins: 10, LogLossEps: machineEpsilon})
}

// folded returns a Partial of all rows.
func folded(t testing.TB, p *Params, b *Batch) *Partial {
	t.Helper()
	partial, err := p.New()
	require.NoError(t, err)
	partial.Fold(b, AllRows(nil, b.Rows))
	return partial
}

// evaluated returns the results of all rows by name, of labels as "name/label".
func evaluated(t testing.TB, p *Params, b *Batch, o Options) map[key]Result {
	t.Helper()
	return results(t, p, folded(t, p, b), o)
}

// key finds a result.
type key struct {
	name  string
	label int
}

func results(t testing.TB, p *Params, partial *Partial, o Options) map[key]Result {
	t.Helper()
	list, err := p.Evaluate(partial, o)
	require.NoError(t, err)
	found := make(map[key]Result)
	for _, r := range list {
		k := key{r.Name, r.Label}
		_, twice := found[k]
		require.False(t, twice, "%v", k)
		if math.IsNaN(r.Number) {
			require.NotEmpty(t, r.Undefined, "%v is NaN for no reason", k)
		}
		found[k] = r
	}
	return found
}

var everyLabel = PerLabel{All: true}

// labelSets turns an indicator matrix into label sets.
func labelSets(rows ...[]int) Sets {
	lists := make([][]int32, len(rows))
	for i, row := range rows {
		for label, y := range row {
			if y == 1 {
				lists[i] = append(lists[i], int32(label))
			}
		}
	}
	return setsOf(lists)
}

// multilabelBatch has the labels and predictions of two indicator matrices.
func multilabelBatch(truth, predicted [][]int) *Batch {
	return &Batch{Rows: len(truth), Labels: len(truth[0]), True: labelSets(truth...), PredictedSet: labelSets(predicted...)}
}

// requireValues compares aggregated values with those printed, to four digits.
func requireValues(t *testing.T, got map[key]Result, want map[string]float64) {
	t.Helper()
	for name, value := range want {
		r, found := got[key{name, -1}]
		require.True(t, found, name)
		require.InDelta(t, value, r.Number, 0.000051, name)
	}
}

// confusionBatch has as many rows as the matrix counts, true classes being rows.
func confusionBatch(matrix ...[]int) *Batch {
	b := &Batch{Labels: len(matrix)}
	for truth, row := range matrix {
		for predicted, n := range row {
			for range n {
				b.Class, b.Predicted = append(b.Class, int32(truth)), append(b.Predicted, int32(predicted))
				b.Rows++
			}
		}
	}
	return b
}
