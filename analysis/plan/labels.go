package plan

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/plan"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/power"
)

// The metrics whose labels are planned, and the metrics that say what their judge is worth.
const (
	poweredMean     = "prediction_powered_mean"
	poweredAccuracy = "prediction_powered_accuracy"
	judgedRows      = "judged_rows"
)

var (
	correlationOf = map[string]string{poweredMean: "prediction_powered_correlation", poweredAccuracy: "prediction_powered_accuracy_correlation"}
	lambdaOf      = map[string]string{poweredMean: "prediction_powered_lambda", poweredAccuracy: "prediction_powered_accuracy_lambda"}
)

// mostDoubts is how many doubts about a judge are warned of one by one.
const mostDoubts = 5

// labels says what labels buy, in the rows of prediction-powered means.
func (m *maker) labels() error {
	planned, doubts := false, []string(nil)
	for i := range m.Rows {
		row := &m.Rows[i]
		if correlationOf[row.Metric] == "" {
			continue
		}
		planned = true
		var doubt string
		if row.Labels, doubt = m.labelsOf(row); doubt != "" {
			at := report.Row{Name: row.Metric, Slice: row.Slice, Label: row.Label}
			doubts = append(doubts, row.Metric+" of "+at.Place()+": "+doubt)
		}
	}
	if !planned && (m.HalfWidth > 0 || m.LabelCost > 0) {
		return errors.New("no planned metric is an estimate from labels and judgements: half_width, label_cost and judge_cost are about " + poweredMean + " and " + poweredAccuracy +
			" of a report that was evaluated with input.columns.judged")
	}
	if len(doubts) > mostDoubts {
		doubts = append(doubts[:mostDoubts], fmt.Sprintf("%d more", len(doubts)-mostDoubts))
	}
	if len(doubts) > 0 {
		m.Warnings = append(m.Warnings, "the judge may help nothing, because chance alone may correlate its judgements with labels: "+strings.Join(doubts, "; "))
	}
	return nil
}

// labelsOf says what labels buy in the row of a prediction-powered mean, and a doubt whether the judge helps.
func (m *maker) labelsOf(row *plan.Row) (l *plan.Labels, doubt string) {
	l = plan.NoLabels()
	half, why := m.halfWidth(m.at(row.Metric, row.Slice, row.Label))
	if why != "" {
		l.Reason = why
		return l, ""
	}
	judge, doubt, why := m.judge(row, l)
	if why != "" {
		l.Reason = why
		return l, doubt
	}
	n := float64(row.Examples)
	with := func(labels float64) float64 { return half * math.Sqrt(judge.Variance(labels)/judge.Variance(n)) }
	l.HalfWidth, l.Alone = with(n), half*math.Sqrt(1/n/judge.Variance(n))
	for _, times := range []float64{0.5, 2, 4} {
		if labels := plan.Times(row.Examples, times); 2 <= labels && float64(labels) <= judge.Rows {
			l.Others = append(l.Others, plan.HalfWidth{Labels: labels, Half: with(float64(labels))})
		}
	}
	if m.HalfWidth > 0 {
		l.Needed = float64(2 + sort.Search(int(judge.Rows)-1, func(i int) bool { return with(float64(2+i)) <= m.HalfWidth }))
		if l.Needed > judge.Rows {
			l.Needed, l.Reason = math.NaN(), fmt.Sprintf("labels of all %.0f rows make it ±%.4g", judge.Rows, with(judge.Rows))
		}
	}
	if m.LabelCost > 0 {
		l.Share = judge.CheapestShare(m.LabelCost, m.JudgeCost)
	}
	return l, doubt
}

// at returns the row of the report of a metric, slice and label, or nil.
func (m *maker) at(name string, key slice.Key, label *string) *report.Row {
	if m.places == nil {
		m.places = map[string]*report.Row{}
		for i := range m.r.Metrics {
			m.places[string(m.r.Metrics[i].Key())] = &m.r.Metrics[i]
		}
	}
	return m.places[report.KeyOf(name, key, label)]
}

// halfWidth returns half the width of the interval of an estimate, at the level of the plan, or why there is none.
func (m *maker) halfWidth(row *report.Row) (half float64, why string) {
	c := row.Confidence
	if c == nil || c.Method == "" {
		return 0, cmp.Or(row.NoInterval(), noReplicates)
	}
	quantile := func(level float64) float64 { return confidence.NormalQuantile(level) }
	if c.Method == confidence.MethodJackknife {
		quantile = func(level float64) float64 { return confidence.TQuantile(level, c.DOF) }
	}
	return (c.High - c.Low) / 2 * (quantile(m.Level) / quantile(m.r.Confidence.Level)), ""
}

// judge returns what the judge of an estimate is worth, and a doubt about it, or why that is unknown.
func (m *maker) judge(row *plan.Row, l *plan.Labels) (j power.Judge, doubt, why string) {
	correlation, lambda, judged := m.at(correlationOf[row.Metric], row.Slice, row.Label), m.at(lambdaOf[row.Metric], row.Slice, row.Label), m.at(judgedRows, row.Slice, nil)
	if correlation == nil || lambda == nil || judged == nil {
		return j, "", fmt.Sprintf("the report needs %s, %s and %s: add them to metrics", correlationOf[row.Metric], lambdaOf[row.Metric], judgedRows)
	}
	if lambda.NoInterval() == confidence.OfDrawnRows {
		return j, "", "labels were drawn from strata, and what others would tell depends on how these are drawn"
	}
	n := float64(row.Examples)
	if l.Judged = judged.Value; !(n < l.Judged) {
		return j, "", "all judged rows have a label"
	}
	j.Rows = l.Judged
	l.Correlation = correlation.Value
	if !floats.Finite(l.Correlation) {
		return j, correlation.Reason(), ""
	}
	chance := power.ByChance(n)
	if c := correlation.Confidence; c != nil && c.Method != "" {
		l.Low, l.High = c.Low, c.High
		if !(l.Low >= chance) {
			doubt = fmt.Sprintf("the correlation is %.2f [%.2f, %.2f], by chance %.2f", l.Correlation, l.Low, l.High, chance)
		}
	} else if l.Correlation < 1 {
		doubt = fmt.Sprintf("the correlation is %.2f without an interval (%s)", l.Correlation, cmp.Or(correlation.NoInterval(), noReplicates))
	}
	j.Correlation, j.Spread = l.Correlation, power.Spread(l.Correlation, j.Rows, n, lambda.Value, m.narrowing(row))
	return j, doubt, ""
}

// narrowing returns the variance of an estimate divided by the variance from the labels alone, or NaN if the report does not
// have both.
func (m *maker) narrowing(row *plan.Row) float64 {
	with, alone := m.at("prediction_powered_mean_std_error", row.Slice, row.Label), m.at("label_mean_std_error", row.Slice, row.Label)
	if row.Metric != poweredMean || with == nil || alone == nil {
		return math.NaN()
	}
	x := with.Value / alone.Value
	return x * x
}
