package curves

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/internal/dcg"
)

// goldens is testdata/goldens.json; make_goldens.py there describes the format.
type goldens struct {
	Binary []struct {
		Name     string
		Scores   []float64
		Positive []bool
		Weights  []float64
		Expected map[string]*float64
	}
	Multiclass []struct {
		Name     string
		Scores   [][]float64
		Class    []int
		Expected map[string]float64
	}
}

func readGoldens(t *testing.T) (g goldens) {
	data, err := os.ReadFile("testdata/goldens.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &g))
	require.NotEmpty(t, g.Binary)
	require.NotEmpty(t, g.Multiclass)
	return g
}

// criterionNames maps the names in the file to criteria.
var criterionNames = map[string]Objective{
	"ks": KolmogorovSmirnov, "youden": Youden, "fbeta": FBeta,
	"recall_at_precision": RecallAtPrecision, "precision_at_recall": PrecisionAtRecall,
	"recall_at_fpr": RecallAtFPR, "specificity_at_sensitivity": SpecificityAtSensitivity,
	"sensitivity_at_specificity": SensitivityAtSpecificity, "threshold_at_recall": ThresholdAtRecall,
}

// goldenValue computes a measure by its name.
func goldenValue(t *testing.T, name string, points []Point, totals Totals) Value {
	a := accumulated(points, totals)
	switch name {
	case "roc_auc":
		return a.Area(ROCAUC)
	case "gini":
		return a.Area(Gini)
	case "average_precision":
		return a.Area(AveragePrecision)
	case "pr_auc":
		return a.Area(PRAUC)
	case "ndcg":
		var g dcg.DCG
		var last Point
		for _, p := range points {
			above, now := last.TP+last.FP, p.TP+p.FP
			g.Add(int64(above), int64(now-above), int64(p.TP-last.TP))
			last = p
		}
		if last.TP == 0 {
			return undefined(noPositives)
		}
		return defined(g.NDCG(int64(last.TP)))
	}
	kind, bound, _ := strings.Cut(name, "@")
	kind, threshold := strings.CutSuffix(kind, "_threshold")
	require.NotZero(t, criterionNames[kind], name)
	c := Criterion{Objective: criterionNames[kind]}
	if bound != "" {
		var err error
		c.At, err = strconv.ParseFloat(bound, 64)
		require.NoError(t, err)
	}
	a = New(totals, c)
	a.Add(movingOf(Point{}, points), false)
	if threshold {
		return a.Operating(c).Threshold
	}
	return a.Operating(c).Value
}

func TestBinaryGoldens(t *testing.T) {
	for _, c := range readGoldens(t).Binary {
		s := &sample{c.Scores, c.Positive, c.Weights}
		points, totals := s.points()
		for name, want := range c.Expected {
			got := goldenValue(t, name, points, totals)
			if want == nil {
				require.NotEmpty(t, got.Undefined, "%s: %s", c.Name, name)
				require.True(t, math.IsNaN(got.Number))
				continue
			}
			require.Empty(t, got.Undefined, "%s: %s", c.Name, name)
			agree(t, *want, got.Number, "%s: %s", c.Name, name)
		}
	}
}

func TestMulticlassGoldens(t *testing.T) {
	for _, c := range readGoldens(t).Multiclass {
		classes := len(c.Scores[0])
		totals, ones := make([]float64, classes), make([]float64, len(c.Class))
		for i, class := range c.Class {
			totals[class]++
			ones[i] = 1
		}
		pairs := make([]Pairs, classes)
		for k := range pairs {
			var scores []float64
			for _, row := range c.Scores {
				scores = append(scores, row[k])
			}
			pairs[k] = *pairsOf(classes, c.Class, scores, ones, k)
		}
		agree(t, c.Expected["roc_auc_ovo_macro"], OneVsOneROCAUC(pairs, totals, false).Number, c.Name)
		agree(t, c.Expected["roc_auc_ovo_weighted"], OneVsOneROCAUC(pairs, totals, true).Number, c.Name)
	}
}
