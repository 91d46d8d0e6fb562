package metrics

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// goldenCase is a case of a file of testdata/golden. make_cases.py beside that folder
// describes the format, and makes all files but the one written by hand.
type goldenCase struct {
	Name              string
	Task              Task
	Labels            []string
	YTrue             json.RawMessage `json:"y_true"`
	YPred             json.RawMessage `json:"y_pred"`
	Matrix            [][]int         // the confusion matrix, instead of y_true and y_pred
	YSoft             [][]float64     `json:"y_soft"`
	YBaseline         json.RawMessage `json:"y_baseline"`
	BaselineScores    json.RawMessage `json:"baseline_scores"`
	Scores            json.RawMessage
	Unlabelled        []float64 // judgements of rows without a label
	UnlabelledWeights []float64 `json:"unlabelled_weights"`
	UnlabelledPred    []int32   `json:"unlabelled_pred"` // predictions of rows without a label, if YJudged has the judgements
	YJudged           []int32   `json:"y_judged"`
	YSets             [][]int32 `json:"y_sets"` // prediction sets
	Candidates        [][]int32
	Judged            [][]bool
	Missed            [][]float64
	Items, Categories [][]uint64
	MissedItems       [][]uint64 `json:"missed_items"`
	Frequencies       [][]float64
	Levels            []float64
	Quantiles         [][]float64
	Members           [][]float64
	Scale             []float64
	CatalogSize       int       `json:"catalog_size"`
	FrequencyTotal    float64   `json:"frequency_total"`
	ScoreType         ScoreType `json:"score_type"`
	Weights           []float64
	Propensity        *goldenPropensity
	Config            goldenConfig
	Digits            *int // after the point, if the values have but a few
	Expected          map[string]goldenValues
	Costs             [][]float64
	ErrorCosts        [][]float64 `json:"error_costs"` // of false positives, and of false negatives
	AverageLabels     []int       `json:"average_labels"`
	Grades            [][]float64
	Booleans          bool
	PassThreshold     *float64 `json:"pass_threshold"`
	Majority          []float64
	Ratings           [][]*float64 // of each rater
	Linear, Names     bool

	some bool // has only some of the metrics
}

// handWritten is the file of worked examples.
const handWritten = "worked.json"

// someMetrics are files whose cases do not have all metrics.
var someMetrics = []string{handWritten, changesOnly, "average_labels.json", "prediction_sets.json"}

// changesOnly is the file of changes since a baseline. Its cases have no other metrics.
const changesOnly = "changes.json"

type goldenConfig struct {
	ZeroDivision json.RawMessage `json:"zero_division"`
	Beta, K      []float64
	Reference    *int
	Davidson     bool
	Persistence  []float64
	Ranking      goldenRanking
	Calibration  struct{ Bins int }
}

// goldenRanking is RankingOptions as the cases spell them.
type goldenRanking struct {
	Gain               Gain
	Ties               Ties
	RelevanceThreshold float64      `json:"relevance_threshold"`
	MaxRelevance       float64      `json:"max_relevance"`
	EmptyQueries       EmptyQueries `json:"empty_queries"`
	AttainableMAP      bool         `json:"attainable_map"`
}

type goldenPropensity struct {
	A, B     float64
	Examples int64
	Counts   []int64
}

// goldenValues are the values of a metric, nil where undefined: the one of all
// examples or, as perLabel, one for each label.
type goldenValues struct {
	list     []*float64
	perLabel bool
}

func (v *goldenValues) UnmarshalJSON(data []byte) error {
	if v.perLabel = data[0] == '['; v.perLabel {
		return json.Unmarshal(data, &v.list)
	}
	v.list = []*float64{nil}
	return json.Unmarshal(data, &v.list[0])
}

// tolerance is of max(1, |value|). Both sides compute in float64; no metric
// needs more room.
const tolerance = 1e-12

func readGoldens(t *testing.T) (all []*goldenCase) {
	files, err := filepath.Glob("../testdata/golden/*.json")
	require.NoError(t, err)
	require.Contains(t, files, filepath.Join("../testdata/golden", handWritten))
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		var file struct{ Cases []*goldenCase }
		require.NoError(t, json.Unmarshal(data, &file), name)
		require.NotEmpty(t, file.Cases)
		for _, c := range file.Cases {
			c.some = slices.Contains(someMetrics, filepath.Base(name))
		}
		all = append(all, file.Cases...)
	}
	return all
}

// rowOf returns the row of the catalogue that a metric is of, in a task.
func rowOf(t *testing.T, task Task, name string) catalogueRow {
	list, err := find(task, name, nil)
	require.NoError(t, err)
	return catalogueRow{task, list[0].metric}
}

type catalogueRow struct {
	task   Task
	metric *metric
}

// TestGoldens requires of generated cases all metrics of the rows that any of them
// has, and of every row of the catalogue a case, if only one by hand.
func TestGoldens(t *testing.T) {
	cases := readGoldens(t)
	covered, generated := make(map[catalogueRow]bool), make(map[catalogueRow]bool)
	for _, c := range cases {
		for name := range c.Expected {
			covered[rowOf(t, c.Task, name)] = true
			if !c.some {
				generated[rowOf(t, c.Task, name)] = true
			}
		}
	}
	for _, n := range taskNames {
		for i := range catalogue {
			if m := &catalogue[i]; m.tasks&n.task != 0 {
				require.True(t, covered[catalogueRow{n.task, m}], "%s of task %s is in no file of testdata/golden: add an example to %s", m.name, n.name, handWritten)
			}
		}
	}
	for i, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			p, o := c.settings(t)
			b := c.batch(t, p)
			r := source(uint64(i))
			for range 3 {
				partial := reassembled(t, p, b, parts(r, b.Rows, 1+r.IntN(6)))
				for _, curve := range collectedRanges(t, p, b, parts(r, b.Rows, 1+r.IntN(4)), 1+r.IntN(4)) {
					partial.Merge(curve)
				}
				partial.Merge(c.unlabelled(t, p))
				c.check(t, results(t, p, partial, o), generated)
			}
		})
	}
}

// settings returns what the case evaluates and how.
func (c *goldenCase) settings(t *testing.T) (*Params, Options) {
	p := Params{Task: c.Task, Ordinal: true, Labels: len(c.Labels), Decisions: c.YPred != nil || c.Matrix != nil, Bins: c.Config.Calibration.Bins, LogLossEps: machineEpsilon, Curves: ExactCurves,
		QuantileLevels: c.Levels, Costs: c.Costs, Judged: c.Unlabelled != nil,
		Has: given(c.YBaseline != nil, HasBaseline) | given(c.BaselineScores != nil, HasBaselineScores) | given(c.Members != nil, HasEnsemble) | given(c.Scale != nil, HasScale) |
			given(c.ErrorCosts != nil, HasErrorCosts) | given(c.YJudged != nil, HasJudgedClass) | given(c.YSets != nil, HasPredictionSets) | given(c.Items != nil, HasItems|HasCategories) | given(c.Majority != nil, HasAnswers)}
	p.Preference.Davidson, p.SomeAveraged = c.Config.Davidson, c.AverageLabels != nil
	p.Grades = GradeOptions{Booleans: c.Booleans, PassThreshold: c.PassThreshold}
	if c.Task == Agreement {
		p.Raters = RaterOptions{Names: c.Names, Weights: RatingWeights(oneIf(c.Linear))}
	}
	if c.Task == Ranking {
		p.Scores, p.ScoreType, p.Judgements, p.Ranking = true, RawScore, true, RankingOptions(c.Config.Ranking)
		p.CatalogSize, p.FrequencyTotal = c.CatalogSize, c.FrequencyTotal
	} else if c.Scores != nil {
		p.Scores, p.Sparse, p.ScoreType = true, c.Candidates != nil, c.ScoreType
	}
	if from := c.Propensity; from != nil {
		p.Propensity = &Propensity{A: from.A, B: from.B, Frequencies: LabelFrequencies{from.Examples, make(map[int32]int64)}}
		for label, n := range from.Counts {
			p.Propensity.Frequencies.Count[int32(label)] = n
		}
	}
	with := DefaultArguments()
	with["fpr"] = []float64{0.1, 0.5, 1}
	if !c.some {
		with["beta"], with["k"], with["persistence"] = c.Config.Beta, c.Config.K, c.Config.Persistence
	} else if c.Config.K != nil {
		with["k"] = c.Config.K
	}
	if c.Levels != nil {
		with["delta"], with["power"] = []float64{1, 2.5}, []float64{1.5, -1, 3}
	}
	p.Metrics = p.everyName(with)
	if c.Task == Regression && c.Levels == nil { // the reference has the others only with forecasts
		var err error
		p.Metrics, err = p.Select(nil, with)
		require.NoError(t, err)
	}
	if c.Unlabelled != nil { // the reference has nothing else
		p.Metrics = slices.Sorted(maps.Keys(c.Expected))
	}
	o := Options{PerLabel: everyLabel, Reference: c.Config.Reference, AverageLabels: c.AverageLabels}
	switch zd := string(c.Config.ZeroDivision); zd {
	case `"nan"`:
		o.ZeroDivision = math.NaN()
	case "":
	default:
		require.NoError(t, json.Unmarshal(c.Config.ZeroDivision, &o.ZeroDivision))
	}
	return &p, o
}

// batch returns the rows of the case.
func (c *goldenCase) batch(t *testing.T, p *Params) *Batch {
	b := &Batch{Labels: max(len(c.Labels), 1), Weight: c.Weights}
	if p.Task == Binary {
		b.Labels = 1
	}
	switch p.Task {
	case Ranking:
		b.Relevance, b.ItemOffset = joined(parse[[][]float64](t, c.YTrue))
		b.Score, _ = joined(parse[[][]float64](t, c.Scores))
		b.Judged = slices.Concat(c.Judged...)
		if c.Missed != nil {
			b.Missed, b.MissedOffset = joined(c.Missed)
		}
		b.Rows = len(b.ItemOffset) - 1
		b.ItemKey, b.MissedKey, b.Category = slices.Concat(c.Items...), slices.Concat(c.MissedItems...), slices.Concat(c.Categories...)
		b.ItemFrequency = slices.Concat(c.Frequencies...)
		return b
	case Regression:
		b.Target, b.Estimate = parse[[]float64](t, c.YTrue), parse[[]float64](t, c.YPred)
		b.Rows = len(b.Target)
		if p.has(HasBaseline) {
			b.BaselineEstimate = parse[[]float64](t, c.YBaseline)
		}
		b.Quantile, b.Scale = slices.Concat(c.Quantiles...), c.Scale
		if c.Members != nil {
			b.Member, b.MemberOffset = joined(c.Members)
		}
	case Grading:
		b.Grade, b.GradeOffset = joined(c.Grades)
		b.Rows = len(c.Grades)
		b.Majority = c.Majority
		return b
	case Agreement:
		b.RatingOffset = []int32{0}
		for row := range c.Ratings[0] {
			for rater := range c.Ratings {
				if x := c.Ratings[rater][row]; x != nil {
					b.Rating, b.Rater = append(b.Rating, *x), append(b.Rater, int32(rater))
				}
			}
			b.RatingOffset = append(b.RatingOffset, int32(len(b.Rating)))
		}
		b.Rows = len(c.Ratings[0])
		return b
	case Preference:
		for _, row := range parse[[][3]int32](t, c.YTrue) {
			b.First, b.Second, b.Outcome = append(b.First, row[0]), append(b.Second, row[1]), append(b.Outcome, Outcome(row[2]))
		}
		b.Rows = len(b.First)
		return b
	case Multilabel:
		truth := parse[[][]int32](t, c.YTrue)
		b.True, b.PredictedSet = setsOf(truth), setsOf(parse[[][]int32](t, c.YPred))
		b.Rows = len(truth)
		if p.has(HasBaseline) {
			b.BaselineSet, b.BaselineScore = setsOf(parse[[][]int32](t, c.YBaseline)), slices.Concat(parse[[][]float64](t, c.BaselineScores)...)
		}
	default:
		if c.Matrix != nil {
			return confusionBatch(c.Matrix...)
		}
		b.Class, b.Predicted = parse[[]int32](t, c.YTrue), parse[[]int32](t, c.YPred)
		if c.ErrorCosts != nil {
			b.CostFP, b.CostFN = c.ErrorCosts[0], c.ErrorCosts[1]
		}
		b.JudgedClass, b.Rows = c.YJudged, len(b.Class)
		if c.YSets != nil {
			b.PredictedSet = setsOf(c.YSets)
		}
		b.Distribution = slices.Concat(c.YSoft...)
		if p.has(HasBaseline) {
			b.Baseline = parse[[]int32](t, c.YBaseline)
		}
		if p.has(HasBaselineScores) {
			b.BaselineScore = parse[[]float64](t, c.BaselineScores)
		}
	}
	if p.Scores {
		var scores []float64
		if p.Task == Binary {
			scores = parse[[]float64](t, c.Scores)
		} else {
			scores = slices.Concat(parse[[][]float64](t, c.Scores)...)
		}
		switch {
		case p.Sparse:
			b.Candidates, b.Score = setsOf(c.Candidates), scores
		case p.ScoreType == Probability:
			b.Probability = scores
		case p.ScoreType == Logit:
			b.Logit = scores
		default:
			b.Score = scores
		}
	}
	return finish(b, p.Task)
}

// unlabelled returns a partial of the rows without a label.
func (c *goldenCase) unlabelled(t *testing.T, p *Params) *Partial {
	b := &Batch{Rows: len(c.Unlabelled), Labels: 1, Weight: c.UnlabelledWeights}
	switch {
	case c.Task == Regression:
		b.Estimate = c.Unlabelled
	case c.Scores != nil:
		b.Probability = c.Unlabelled
	default:
		for _, x := range c.Unlabelled {
			b.Predicted = append(b.Predicted, int32(x))
		}
	}
	if c.YJudged != nil {
		b.Predicted, b.JudgedClass = c.UnlabelledPred, b.Predicted
	}
	partial, err := p.New()
	require.NoError(t, err)
	partial.FoldUnlabelled(b, AllRows(nil, b.Rows))
	return partial
}

// joined returns lists one after another, and their offsets.
func joined(lists [][]float64) (values []float64, offsets []int32) {
	offsets = []int32{0}
	for _, list := range lists {
		values = append(values, list...)
		offsets = append(offsets, int32(len(values)))
	}
	return values, offsets
}

func parse[T any](t *testing.T, data json.RawMessage) T {
	var v T
	require.NoError(t, json.Unmarshal(data, &v))
	return v
}

// reassembled folds lists of rows into partials of their own, sends some of them
// through their encoding, and merges all.
func reassembled(t *testing.T, p *Params, b *Batch, lists [][]int32) *Partial {
	total := new(Partial)
	for i, rows := range lists {
		partial, err := p.New()
		require.NoError(t, err)
		if i%2 == 0 {
			partial.Fold(b, rows)
		} else {
			partial.Fold(take(b, rows), AllRows(nil, len(rows)))
			partial, err = DecodePartial(partial.Append(nil))
			require.NoError(t, err)
		}
		total.Merge(partial)
	}
	return total
}

// check compares results with the values of the case, both ways unless it is by hand.
func (c *goldenCase) check(t *testing.T, got map[key]Result, generated map[catalogueRow]bool) {
	for name, values := range c.Expected {
		for label, want := range values.list {
			k := key{name, -1}
			if values.perLabel {
				require.Len(t, values.list, len(c.Labels), name)
				k.label = label
			}
			r, found := got[k]
			require.True(t, found, "%v is missing", k)
			delete(got, k)
			switch {
			case want == nil:
				require.True(t, math.IsNaN(r.Number), "%v is %v, not undefined", k, r.Number)
			case c.Digits != nil:
				require.InDelta(t, *want, r.Number, 0.51*math.Pow10(-*c.Digits), "%v", k)
			default:
				require.InDelta(t, *want, r.Number, tolerance*max(1, math.Abs(*want)), "%v", k)
			}
		}
	}
	for k := range got {
		require.False(t, !c.some && generated[rowOf(t, c.Task, k.name)], "%v: a result that the case does not have", k)
	}
}
