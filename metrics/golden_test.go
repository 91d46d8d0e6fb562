package metrics

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// goldenCase is a case of testdata/golden/cases.json; make_cases.py there
// describes the format.
type goldenCase struct {
	Name       string
	Task       Task
	Labels     []string
	YTrue      json.RawMessage `json:"y_true"`
	YPred      json.RawMessage `json:"y_pred"`
	YSoft      [][]float64     `json:"y_soft"`
	Scores     json.RawMessage
	Candidates [][]int32
	Judged     [][]bool
	Missed     [][]float64
	ScoreType  ScoreType `json:"score_type"`
	Weights    []float64
	Propensity *goldenPropensity
	Config     goldenConfig
	Expected   []goldenRow
}

type goldenConfig struct {
	ZeroDivision json.RawMessage `json:"zero_division"`
	Beta, K      []float64
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
}

type goldenPropensity struct {
	A, B     float64
	Examples int64
	Counts   []int64
}

type goldenRow struct {
	Name  string
	Label *string
	Value *float64
}

// tolerance is of max(1, |value|). Both sides compute in float64; no metric
// needs more room.
const tolerance = 1e-12

// notInGoldens lists the metrics that no golden case covers, and why.
var notInGoldens = map[string]string{}

func TestGoldens(t *testing.T) {
	data, err := os.ReadFile("../testdata/golden/cases.json")
	require.NoError(t, err)
	var file struct{ Cases []goldenCase }
	require.NoError(t, json.Unmarshal(data, &file))
	require.NotEmpty(t, file.Cases)

	covered := make(map[string]bool)
	for i, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			p, o := c.settings(t)
			b := c.batch(t, p)
			r := source(uint64(i))
			for range 5 {
				part := reassembled(t, p, b, parts(r, b.Rows, 1+r.IntN(6)))
				for _, curve := range sweptRanges(t, p, b, parts(r, b.Rows, 1+r.IntN(4)), 1+r.IntN(4)) {
					part.Merge(curve)
				}
				c.check(t, results(t, p, part, o))
			}
			for _, row := range c.Expected {
				covered[c.Task.String()+"/"+row.Name] = true
			}
		})
	}
	for _, n := range taskNames {
		for _, score := range []ScoreType{Probability, Logit} {
			p := params(t, n.task, 3, score)
			p.Propensity, p.Curves = new(Propensity), ExactCurves
			for _, name := range everyMetric(t, *p).Metrics {
				name = n.name + "/" + name
				if _, excepted := notInGoldens[name]; !excepted {
					require.True(t, covered[name], "%s is in no golden case", name)
				}
			}
		}
	}
	for name := range notInGoldens {
		require.False(t, covered[name], "%s is in a golden case after all", name)
	}
}

// settings returns what the case evaluates and how.
func (c *goldenCase) settings(t *testing.T) (*Params, Options) {
	p := Params{Task: c.Task, Labels: len(c.Labels), Decisions: true, Bins: max(c.Config.Calibration.Bins, 1), LogLossEps: machineEpsilon, Curves: ExactCurves}
	if c.Task == Ranking {
		p.Scores, p.ScoreType, p.Ranking = true, RawScore, RankingOptions(c.Config.Ranking)
	} else if c.Scores != nil {
		p.Scores, p.Sparse, p.ScoreType = true, c.Candidates != nil, c.ScoreType
	}
	if from := c.Propensity; from != nil {
		p.Propensity = &Propensity{A: from.A, B: from.B, Frequencies: LabelFrequencies{from.Examples, make(map[int32]int64)}}
		for label, n := range from.Counts {
			p.Propensity.Frequencies.Count[int32(label)] = n
		}
	}
	with := DefaultParameters()
	with.Beta, with.K, with.Persistence = c.Config.Beta, c.Config.K, c.Config.Persistence
	var err error
	p.Metrics, err = p.Select(nil, with)
	require.NoError(t, err)
	o := Options{PerLabel: everyLabel}
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
		return b
	case Regression:
		b.Target, b.Estimate = parse[[]float64](t, c.YTrue), parse[[]float64](t, c.YPred)
		b.Rows = len(b.Target)
	case Multilabel:
		truth := parse[[][]int32](t, c.YTrue)
		b.True, b.PredictedSet = setsOf(truth), setsOf(parse[[][]int32](t, c.YPred))
		b.Rows = len(truth)
	default:
		b.Class, b.Predicted = parse[[]int32](t, c.YTrue), parse[[]int32](t, c.YPred)
		b.Rows = len(b.Class)
		b.Distribution = slices.Concat(c.YSoft...)
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
		part, err := p.New()
		require.NoError(t, err)
		if i%2 == 0 {
			part.Fold(b, rows)
		} else {
			part.Fold(take(b, rows), AllRows(nil, len(rows)))
			part, err = DecodePartial(part.Append(nil))
			require.NoError(t, err)
		}
		total.Merge(part)
	}
	return total
}

// check compares results with the rows of the case, both ways.
func (c *goldenCase) check(t *testing.T, got map[key]Result) {
	for _, row := range c.Expected {
		k := key{row.Name, -1}
		if row.Label != nil {
			k.label = slices.Index(c.Labels, *row.Label)
		}
		r, found := got[k]
		require.True(t, found, "%v is missing", k)
		delete(got, k)
		if row.Value == nil {
			require.True(t, math.IsNaN(r.Number), "%v is %v, not undefined", k, r.Number)
			continue
		}
		require.InDelta(t, *row.Value, r.Number, tolerance*max(1, math.Abs(*row.Value)), "%v", k)
	}
	for k := range got {
		if _, excepted := notInGoldens[c.Task.String()+"/"+k.name]; !excepted {
			require.Fail(t, "a result that the case does not have", "%v", k)
		}
	}
}
