package transforms

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/checks"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// verdict judges a run by its counts of rows and the number of evaluated examples: it returns an
// error if the run fails.
func (s *settled) verdict(c *shuffle.RowCounts, examples int64) error {
	switch {
	case c.Read == 0:
		return errors.New("no rows to evaluate: the input is empty")
	case examples == 0 && c.Found.Unlabelled == 0:
		return allSkipped(c)
	}
	if name := s.PositiveLabel; s.Params.Task == metrics.Binary && name != "" && !c.Found.Positive && examples > 0 {
		return NoPositive(s.Params.Names, s.ColumnsOf(input.OfTruth).Label, name, c.Found.Met)
	}
	return nil
}

// ofRows returns what checks find in the counts of rows. See Output.FoundByName for found.
func (s *settled) ofRows(c *shuffle.RowCounts, found bool) (list []checks.Found) {
	say := func(name string, n int64, format string, args ...any) {
		one := checks.Say(name, format, args...)
		one.Count, one.Share = n, float64(n)/float64(c.Read)
		list = append(list, one)
	}
	if met := c.Found.Predicted.Met; c.Found.Positive && len(met) > 0 {
		list = append(list, checks.Say("one_class_predicted", "no prediction is positive: column %q has %s, but never the %s %q%s",
			s.Columns.Prediction, listLabels(met), s.Params.Names.Of(settings.PositiveLabel), s.PositiveLabel, meant(s.PositiveLabel, met)))
	}
	if text := s.disagreement(&c.Found.Agreement, found); text != "" {
		say("predictions_contradict_scores", c.Found.Disagree, "%s", text)
	}
	if n := c.Found.Unlabelled; n > 0 && s.Params.Drawn {
		say("unlabelled_rows", n, "%d rows have no label: they count in judged and prediction-powered means only, whose errors assume that the rows with a label were drawn at random, with the probabilities that they have", n)
	} else if n > 0 && s.Params.Judged {
		say("unlabelled_rows", n, "%d rows have no label: they count in judged and prediction-powered means only, whose errors assume that the rows with a label are a random sample of all", n)
	} else if n > 0 {
		say("unlabelled_rows", n, "%d rows have no label: metrics of slices with %s=true are estimates from the probabilities of these rows, and assume that these are calibrated and that no concept drift has changed what they mean",
			n, report.Estimated)
	}
	if n := c.Found.Clipped; n > 0 {
		list = append(list, checks.Found{Name: "clipped_probabilities", Count: n, Message: fmt.Sprintf("%d probabilities were up to %.2g outside [0, 1] and were clipped", n, c.Found.Excess)})
	}
	if n := c.Found.Crossed; n > 0 && s.Crossing == input.SortCrossing {
		say("crossing_quantiles", n, "in %d rows, forecasts of quantiles cross: they were sorted", n)
	} else if n > 0 {
		say("crossing_quantiles", n, "in %d rows, forecasts of quantiles cross: they were kept, so that widths of intervals may be negative", n)
	}
	if n := c.Found.Negative; n > 0 {
		list = append(list, checks.Found{Name: "negative_relevance", Count: n, Message: fmt.Sprintf("%d judgements with negative relevance count as 0", n)})
	}
	return list
}

// warnings says which labels the report omits.
func (s *settled) warnings(v *input.Vocabulary, rows []report.Row) []string {
	if s.Params.Task&finding == 0 {
		return nil
	}
	var list []string
	perLabel := s.Params.Names.Of(settings.PerLabel)
	for _, name := range s.PerLabel.Names {
		if _, found := v.Label(name); !found {
			list = append(list, fmt.Sprintf("%s names %q, which is not one of the labels", perLabel, name))
		}
	}
	if s.PerLabel.All || s.PerLabel.Names != nil {
		return list
	}
	n, confused := s.PerLabel.Limit, max(s.PerLabel.Limit, metrics.ConfusedLabels)
	single := slices.ContainsFunc(rows, func(r report.Row) bool { return r.Label != nil })
	if n > 0 && n < v.Len() && single {
		list = append(list, fmt.Sprintf("metrics of single labels are reported for the first %d of %d labels that occur; set %s for others", n, v.Len(), perLabel))
	}
	if s.Params.Task == metrics.Multilabel && s.Params.Decisions && confused < v.Len() && (n != confused || !single) {
		list = append(list, fmt.Sprintf("confusion matrices are reported for the first %d of %d labels that occur; set %s for others", confused, v.Len(), perLabel))
	}
	return list
}

// reported converts the counts to the form that the report has.
func (s *settled) reported(c *shuffle.RowCounts, examples int64) report.RowCounts {
	rows := report.RowCounts{Read: c.Read, Evaluated: examples, Skipped: c.Skipped}
	if s.Truth != nil {
		rows.Truth = &report.TruthCounts{Examples: c.TruthRead, Unmatched: c.Unmatched}
	}
	if f := &c.Found; f.Clipped > 0 {
		rows.Clipped = &report.ClippedCounts{Probabilities: f.Clipped, Excess: f.Excess}
	}
	if rows.NegativeAsZero = c.Found.Negative; s.Params.Judged {
		rows.Unlabelled = c.Found.Unlabelled
	} else {
		rows.Estimated = c.Found.Unlabelled
	}
	if a := &c.Found.Agreement; a.Compared > 0 {
		rows.Predictions = &report.PredictionCounts{
			Compared: a.Compared, Disagree: a.Disagree, Explained: a.Explained, Share: float64(a.Disagree) / float64(a.Compared),
		}
	}
	return rows
}

// listedLabels is the largest number of labels that a message lists.
const listedLabels = 10

// NoPositive returns the error for a column of labels without the positive label. labels must not
// be empty.
func NoPositive(names settings.Names, column, name string, labels []string) error {
	var f ingest.Positives
	for _, label := range labels {
		f.Meet(label)
	}
	return fmt.Errorf("no row is positive: column %q has %s, but never the %s %q%s If that is the right label, the data has no positive row, and no metric of it means anything",
		column, listLabels(f.Met), names.Of(settings.PositiveLabel), name, cmp.Or(meant(name, f.Met), "."))
}

// meant returns the end of a message: a question whether a similar label that occurs is meant, or
// "" if none is similar.
func meant(name string, met []string) string {
	if slip := quote.Slip(name, met); slip != "" {
		return fmt.Sprintf("; did you mean %q?", slip)
	}
	return ""
}

// listLabels lists the first of the labels that occur.
func listLabels(met []string) string { return quote.List(met, listedLabels, "at least %d more") }

// The shares of rows above which a disagreement between predictions and scores is probably a mistake:
// of columns that somebody named, and of columns found by name, which may be of two models.
const (
	muchDisagreement  = 0.1
	muchDisagreeFound = 0.001
)

// disagreement says that predictions do not follow from the scores, or "". See Output.FoundByName for found.
func (s *settled) disagreement(a *ingest.Agreement, found bool) string {
	few := func(rows int64) bool {
		return float64(rows) <= muchDisagreement*float64(a.Compared) && (rows == 0 || !found || float64(rows) < muchDisagreeFound*float64(a.Compared))
	}
	if few(a.Disagree - a.Explained) {
		return ""
	}
	rule, check := "the class with the highest score", "check that labels are in the order of the scores"
	if s.Params.Task != metrics.Multiclass {
		if a.Thresholds() || s.Params.Task == metrics.Multilabel && few(a.NotTop) {
			return "" // they follow with another threshold or number of labels
		}
		rule, check = fmt.Sprintf("score >= %v, nor is it that of any threshold", s.Decision.Threshold), "check that scores and predictions are of the same labels and the same model"
	}
	return fmt.Sprintf("the prediction of %.1f %% of the rows is not %s (ties and rounding explain %.1f %%): %s",
		percent(a.Disagree, a.Compared), rule, percent(a.Explained, a.Compared), check)
}

func percent(n, all int64) float64 { return 100 * float64(n) / float64(all) }

// skippedGate returns the result of the limit of skipped rows, or nil if there is none.
func (s *settled) skippedGate(c *shuffle.RowCounts) *report.GateResult {
	l, skipped := s.MaxSkipped, collections.Sum(maps.Values(c.Skipped))
	if l == nil || l.Percent && l.Value >= 100 {
		return nil
	}
	value, most := float64(skipped), l.Value
	if l.Percent {
		value, most = percent(skipped, c.Read), l.Value
	}
	nan := math.NaN()
	result := &report.GateResult{
		Metric: "max_skipped", Limits: report.Limits{Max: &most}, Value: value, Low: nan, High: nan, Difference: nan, PAdjusted: nan,
		Verdict: report.Pass,
	}
	if value > most {
		result.Verdict = report.Fail
	}
	if l.Percent {
		*result.Max, result.Value = most/100, value/100
	}
	return result
}

// allSkipped returns the error for a run in which every row was skipped.
func allSkipped(c *shuffle.RowCounts) error {
	if len(c.Sample) == 0 { // of reports that are merged
		return fmt.Errorf("no rows to evaluate: all rows were skipped: %s", checks.Reasons(c.Skipped))
	}
	first := c.Sample[0]
	return fmt.Errorf("no rows to evaluate: all rows were skipped: %s; the first is %s: column %q: %s", checks.Reasons(c.Skipped), first.Place(), first.Column, first.Value)
}
