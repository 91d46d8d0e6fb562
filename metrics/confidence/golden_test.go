package confidence

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const level = 0.95

// golden is testdata/golden.json: 60 examples of two models, worked through by golden.py in plain
// Python, which compares itself with scikit-learn and SciPy.
type golden struct {
	TQuantile map[string]float64 `json:"t_quantile"`
	Rows      []goldenRow
	Overall   goldenPart
	ByUser    goldenPart `json:"by_user"`
	Slices    map[string]goldenPart
	First8    goldenPart `json:"first_8"`
	Adjusted  struct{ P, Holm, BH []float64 }
}

type goldenRow struct {
	Country string
	Label   int
	A, B    float64
}

// goldenPart has the metrics of some of the examples.
type goldenPart struct {
	Rarer      int `json:"groups_of_rarer_class"`
	A, B       map[string]goldenValue
	Difference map[string]goldenDifference
}

type goldenValue struct {
	Value      *float64
	Replicates []*float64
	goldenInterval
}

type goldenInterval struct {
	StdError   *float64 `json:"std_error"`
	DOF        *float64
	Low        *float64 `json:"ci_low"`
	High       *float64 `json:"ci_high"`
	Groups     int
	Method     string
	NoInterval string `json:"no_interval"`
}

type goldenDifference struct {
	goldenInterval
	Difference *float64
	PValue     *float64 `json:"p_value"`
	Verdict    string
}

func readGolden(t *testing.T) (g golden) {
	data, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &g))
	return g
}

// requireClose compares with a number, or nil for NaN, to a relative 1e-12.
func requireClose(t *testing.T, want *float64, got float64, of ...any) {
	t.Helper()
	if want == nil {
		require.True(t, math.IsNaN(got), "%v: %v instead of none", of, got)
		return
	}
	require.LessOrEqual(t, math.Abs(got-*want), 1e-12*max(1, math.Abs(*want)), "%v: %v instead of %v", of, got, *want)
}

var goldenScales = map[string]Scale{
	"accuracy": Proportion, "precision": Proportion, "recall": Proportion, "f1": F1, "mcc": Atanh,
	"log_loss": Log, "brier": Log, "roc_auc": Logit, "average_precision": Logit,
}

func TestGoldenIntervals(t *testing.T) {
	g := readGolden(t)
	g.Overall.requireIntervals(t, g.Rows, true)
	g.ByUser.requireIntervals(t, g.Rows, false)
	g.First8.requireIntervals(t, g.Rows[:8], true)
	require.Len(t, g.Slices, 3)
	for country, part := range g.Slices {
		var rows []goldenRow
		for _, r := range g.Rows {
			if r.Country == country {
				rows = append(rows, r)
			}
		}
		part.requireIntervals(t, rows, true)
	}
}

func (p *goldenPart) requireIntervals(t *testing.T, rows []goldenRow, independent bool) {
	for _, model := range []struct {
		values map[string]goldenValue
		score  func(goldenRow) float64
	}{{p.A, func(r goldenRow) float64 { return r.A }}, {p.B, func(r goldenRow) float64 { return r.B }}} {
		require.Len(t, model.values, len(goldenScales))
		for name, want := range model.values {
			e := Estimate{Value: number(want.Value), Replicates: numbers(want.Replicates), Scale: goldenScales[name], Rarer: p.Rarer}
			if independent {
				e.Trials = trials(name, rows, model.score)
			}
			got := e.Interval(level)
			requireClose(t, want.StdError, got.StdError, name, "std_error")
			requireClose(t, want.DOF, got.DOF, name, "dof")
			requireClose(t, want.Low, got.Low, name, "low")
			requireClose(t, want.High, got.High, name, "high")
			require.Equal(t, want.Groups, got.Folds)
			require.Equal(t, want.Method, got.Method)
			require.Equal(t, want.NoInterval, got.NoInterval)
		}
	}
}

// trials returns how many examples a proportion is of, or 0 if the metric is none.
func trials(name string, rows []goldenRow, score func(goldenRow) float64) float64 {
	counted := map[string]func(positive, predicted bool) bool{
		"accuracy":  func(bool, bool) bool { return true },
		"precision": func(_, predicted bool) bool { return predicted },
		"recall":    func(positive, _ bool) bool { return positive },
		"f1":        func(positive, predicted bool) bool { return positive || predicted },
	}[name]
	if counted == nil {
		return 0
	}
	n := 0.0
	for _, r := range rows {
		if counted(r.Label == 1, score(r) >= 0.5) {
			n++
		}
	}
	return n
}

func TestGoldenDifferences(t *testing.T) {
	g := readGolden(t)
	for _, p := range []goldenPart{g.Overall, g.ByUser, g.First8, g.Slices["de"], g.Slices["fr"], g.Slices["it"]} {
		require.Len(t, p.Difference, len(goldenScales))
		for name, want := range p.Difference {
			a, b := p.A[name], p.B[name]
			got := Paired(number(a.Value), number(b.Value), numbers(a.Replicates), numbers(b.Replicates), level)
			if want.Verdict == "undefined" { // of some group's replicates
				require.Equal(t, FewFolds, got.NoInterval)
				require.True(t, math.IsNaN(got.StdError))
				continue
			}
			requireClose(t, want.Difference, got.Difference, name)
			requireClose(t, want.StdError, got.StdError, name, "std_error")
			requireClose(t, want.DOF, got.DOF, name, "dof")
			requireClose(t, want.Low, got.Low, name, "low")
			requireClose(t, want.High, got.High, name, "high")
			requireClose(t, want.PValue, got.PValue, name, "p_value")
			require.Equal(t, want.Groups, got.Folds)
			require.Equal(t, want.Verdict == "unknown", got.NoInterval != "")
		}
	}
}

func TestGoldenQuantiles(t *testing.T) {
	g := readGolden(t)
	require.Len(t, g.TQuantile, 9)
	for key, want := range g.TQuantile {
		level, dof, _ := strings.Cut(key, "/")
		requireClose(t, &want, TQuantile(parse(t, level), parse(t, dof)), key)
	}
}

func TestGoldenAdjusted(t *testing.T) {
	g := readGolden(t)
	require.Len(t, g.Adjusted.P, 8)
	holm, bh := Holm(g.Adjusted.P), BenjaminiHochberg(g.Adjusted.P)
	for i := range g.Adjusted.P {
		requireClose(t, &g.Adjusted.Holm[i], holm[i], "holm", i)
		requireClose(t, &g.Adjusted.BH[i], bh[i], "bh", i)
	}
}

// number returns a number, or NaN for nil.
func number(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

func numbers(list []*float64) (all []float64) {
	for _, x := range list {
		all = append(all, number(x))
	}
	return all
}

func parse(t *testing.T, text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return x
}
