package ingest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

// columnNames are the column names in messages.
var columnNames = input.Columns{Class: "c", Item: "d", Label: "y", Score: "s", ScoreLabel: "sl", Prediction: "p", Weight: "w", Quantiles: "q", Ensemble: "m", Scale: "z", CostFP: "cp", CostFN: "cn", Category: "k", ItemFrequency: "f", First: "sa", Second: "sb", Baseline: "was", BaselineScore: "old", Judged: "j", Set: "ps", Grade: "g", Answer: "ga", Raters: "rs", Rater: "rr", FurtherGrades: "fg", Stratum: "h"}

// The columns of the tests: scalars, and with lists the same values in lists.

func ints(values ...int64) *columns.Column {
	return &columns.Column{Type: columns.Int, Ints: values}
}

func bools(values ...bool) *columns.Column {
	c := &columns.Column{Type: columns.Bool}
	for _, v := range values {
		x := int64(0)
		if v {
			x = 1
		}
		c.Ints = append(c.Ints, x)
	}
	return c
}

func floats(values ...float64) *columns.Column {
	return &columns.Column{Type: columns.Float, Floats: values}
}

func words(values ...string) *columns.Column { return wordsOf(new(columns.Strings), values...) }

// wordsOf is words with a table that columns share.
func wordsOf(dict *columns.Strings, values ...string) *columns.Column {
	c := &columns.Column{Type: columns.String, Dict: dict}
	for _, v := range values {
		c.Codes = append(c.Codes, dict.Code([]byte(v)))
	}
	return c
}

// null makes some values of a column null, with zero in their slots.
func null(c *columns.Column, at ...int) *columns.Column {
	c.Null = make([]bool, c.Len())
	for _, i := range at {
		c.Null[i] = true
		switch c.Type {
		case columns.Float:
			c.Floats[i] = 0
		case columns.String:
			c.Codes[i] = 0
		default:
			c.Ints[i] = 0
		}
	}
	return c
}

// listsOf divides the values of a column into lists of these lengths; -1 is a
// null list.
func listsOf(c *columns.Column, lengths ...int) *columns.Column {
	c.Offsets = []int32{0}
	for r, n := range lengths {
		if n < 0 {
			if c.RowNull == nil {
				c.RowNull = make([]bool, len(lengths))
			}
			c.RowNull[r] = true
			n = 0
		}
		c.Offsets = append(c.Offsets, c.Offsets[r]+int32(n))
	}
	return c
}

// decided and scored are the specifications of a task with predictions and with scores.

func decided(task metrics.Task) input.Spec {
	return input.Spec{Params: metrics.Params{Task: task, Decisions: true}}
}

func scored(task metrics.Task) input.Spec {
	return input.Spec{Params: metrics.Params{Task: task, Scores: true}}
}

// forecasting is a regression with forecasts of two quantiles, ensembles and scales.
var forecasting = input.Spec{Params: metrics.Params{Task: metrics.Regression, QuantileLevels: []float64{0.1, 0.9}, Has: metrics.HasEnsemble | metrics.HasScale}}

// costing is a binary task with what the errors of each example cost.
var costing = input.Spec{Params: metrics.Params{Task: metrics.Binary, Decisions: true, Has: metrics.HasErrorCosts}}

func named(names ...string) *input.Vocabulary { return &input.Vocabulary{Names: names} }

func numbered(n int) *input.Vocabulary {
	v := input.NumberedLabels(n)
	return &v
}

// converted is what Convert returns.
type converted struct {
	batch *metrics.Batch
	rows  []int32
	bad   []Bad
}

// convert converts one batch with a converter of its own.
func convert(t testing.TB, spec input.Spec, vocab *input.Vocabulary, in Input) converted {
	t.Helper()
	spec.Columns = columnNames
	spec.Params.Labels = vocab.Len()
	c := NewConverter(&spec, vocab, new(Findings))
	require.NoError(t, c.Check(&in))
	batch, rows, bad := c.Convert(&in)
	return converted{batch, rows, bad}
}

// good is convert of rows that are all good.
func good(t testing.TB, spec input.Spec, vocab *input.Vocabulary, in Input) *metrics.Batch {
	t.Helper()
	got := convert(t, spec, vocab, in)
	require.Empty(t, got.bad)
	require.Len(t, got.rows, in.Rows)
	return got.batch
}

// setsOf returns the label sets of a batch as lists.
func setsOf(s *metrics.Sets) [][]int32 {
	list := [][]int32{}
	for r := range len(s.Offset) - 1 {
		list = append(list, append([]int32{}, s.Row(int32(r))...))
	}
	return list
}
