package findings

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/findings"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/crossfit"
)

// parts is the number of parts of the groups. The groups of a part have no say in the threshold by which they are decided.
const parts = 5

// objective is what a threshold is chosen for.
type objective struct {
	metric string
	value  func(*crossfit.Counts) float64
	better float64 // 1 if higher values are better, else -1
}

// objective returns what a threshold is chosen for: the least cost or, without costs, the best f1 if the report shows it first.
func (f *Facts) objective() *objective {
	if f.Costs != nil {
		cost := f.Costs
		return &objective{"expected_cost", func(c *crossfit.Counts) float64 {
			sum := float64(c[crossfit.TN]*cost[0][0]) + float64(c[crossfit.FP]*cost[0][1]) + float64(c[crossfit.FN]*cost[1][0]) + float64(c[crossfit.TP]*cost[1][1])
			return sum / (c[crossfit.TP] + c[crossfit.FP] + c[crossfit.FN] + c[crossfit.TN])
		}, -1}
	}
	if slices.Contains(f.headlines, "f1") {
		return &objective{"f1", func(c *crossfit.Counts) float64 {
			return 2 * c[crossfit.TP] / (2*c[crossfit.TP] + c[crossfit.FP] + c[crossfit.FN])
		}, 1}
	}
	return nil
}

func recall(c *crossfit.Counts) float64 { return c[crossfit.TP] / (c[crossfit.TP] + c[crossfit.FN]) }

func precision(c *crossfit.Counts) float64 {
	return c[crossfit.TP] / (c[crossfit.TP] + c[crossfit.FP])
}

// contrastThresholds compares the decisions with the best threshold, measured in groups that did not choose it.
func (f *Facts) contrastThresholds() []*contrast {
	o := f.objective()
	if o == nil || len(f.Decided) < confidence.MinFolds {
		return nil
	}
	f.choice = crossfit.Choose(f.Decided, parts, func(c *crossfit.Counts) float64 { return float64(o.better * o.value(c)) })
	level, choice := f.Report.Confidence.Level, &f.choice
	var before, after []float64
	for i := range choice.Without {
		before, after = append(before, o.value(&choice.Without[i].Before)), append(after, o.value(&choice.Without[i].After))
	}
	a, b := o.value(&choice.Before), o.value(&choice.After)
	found := confidence.Paired(a, b, before, after, level)
	if found.NoInterval != "" {
		return nil
	}
	return []*contrast{{metric: o.metric, a: &report.Row{Value: a}, b: &report.Row{Value: b}, difference: found.Difference, half: (found.High - found.Low) / 2, p: found.PValue}}
}

// bestThreshold says what the best threshold would change.
func bestThreshold(f *Facts) *findings.Finding {
	if len(f.thresholds) == 0 {
		return nil
	}
	c, o := f.thresholds[0], f.objective()
	if !f.significant(c) || !(float64(c.difference*o.better) > 0) {
		return nil
	}
	choice, values := &f.choice, c.values()
	values["before"], values["after"] = c.a.Value, c.b.Value
	instead := "the predictions"
	if f.Threshold != nil {
		values["decision_threshold"], instead = *f.Threshold, shortest(*f.Threshold)
	}
	subject := "Predicting no example positive"
	if choice.Bin >= 0 {
		threshold := f.Lowest[choice.Bin]
		values["threshold"], subject = threshold, "A threshold of "+shortest(threshold)
	}
	d, places := plusMinus(c.difference, c.half)
	change := "lower"
	if o.better > 0 {
		change = "raise"
	}
	message := fmt.Sprintf("%s instead of %s would %s %s from %s to %s (difference %s)", subject, instead, change, o.metric, number(c.a.Value, places), number(c.b.Value, places), d)
	if o.metric == "f1" {
		for _, m := range []struct {
			name string
			of   func(*crossfit.Counts) float64
		}{{"recall", recall}, {"precision", precision}} {
			before, after := m.of(&choice.Before), m.of(&choice.After)
			if math.IsNaN(before + after) {
				continue
			}
			values[m.name+"_before"], values[m.name+"_after"] = before, after
			message += fmt.Sprintf(", %s from %s to %s", m.name, number(before, places), number(after, places))
		}
	}
	return &findings.Finding{Metric: &c.metric, Values: values, Message: message + ", measured on examples that did not choose it"}
}

// shortest writes a threshold with three significant digits.
func shortest(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
