package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/findings"
	"github.com/beameval/beameval/metrics/confidence"
)

// leastShare is the share of all errors from which a confusion is dominant.
const leastShare = 0.1

// dominantConfusion names two classes that are confused in this direction more often than any others.
func dominantConfusion(f *Facts) *findings.Finding {
	var cells []*report.ConfusionCell
	var all, errors float64
	for i := range f.Report.Confusion {
		c := &f.Report.Confusion[i]
		if len(c.Slice) > 0 || c.Label != nil {
			continue
		}
		if all += c.Weight; c.TrueIndex != c.PredictedIndex && c.Weight > 0 {
			cells, errors = append(cells, c), errors+c.Weight
		}
	}
	if len(cells) < 2 || max(len(f.Report.Labels), f.Report.NumLabels) < 3 {
		return nil
	}
	slices.SortStableFunc(cells, func(a, b *report.ConfusionCell) int { return cmp.Compare(b.Weight, a.Weight) })
	first, second := cells[0], cells[1]
	share := first.Weight / errors
	if both := first.Weight + second.Weight; share < leastShare || !f.moreThanHalf(first.Weight/both, both/all) {
		return nil
	}
	return &findings.Finding{
		Label: &first.True, Values: map[string]float64{"count": float64(first.Count), "share_of_errors": share, "next_share_of_errors": second.Weight / errors},
		Message: fmt.Sprintf("%s is taken for %s more often than any other class for another: %s examples, %s of all errors; next is %s taken for %s, %s",
			quote.Visible(first.True), quote.Visible(first.Predicted), document.Grouped(first.Count), percent(share),
			quote.Visible(second.True), quote.Visible(second.Predicted), percent(second.Weight/errors)),
	}
}

// moreThanHalf reports whether a share of some of the examples is surely above ½, by Wilson's interval.
func (f *Facts) moreThanHalf(share, some float64) bool {
	n, known := f.independent()
	if !known {
		return false
	}
	e := confidence.Estimate{Value: share, Scale: confidence.Proportion, Trials: float64(n * some)}
	return e.Interval(f.Report.Confidence.Level).Low > 0.5
}

// independent returns how many independent examples the examples are worth. Examples that depend on each other, or have weights,
// count as so many fewer as they make the standard error of accuracy larger.
func (f *Facts) independent() (n float64, known bool) {
	n = float64(f.Report.Examples)
	if !f.Report.Confidence.Clustered && !f.Weighted {
		return n, true
	}
	row := f.overall["accuracy"]
	if row == nil || row.Confidence == nil || !floats.Finite(row.Confidence.StdError) || !(row.Value > 0 && row.Value < 1) {
		return 0, false
	}
	variance := float64(row.Confidence.StdError * row.Confidence.StdError)
	return min(n, float64(row.Value*(1-row.Value))/variance), true
}

// namedLabels is the largest number of labels that a finding names.
const namedLabels = 3

// neverPredicted names labels that enough examples have, and that are never predicted. The interval of their recall, which is 0,
// then ends below 0.12.
func neverPredicted(f *Facts) *findings.Finding {
	type tally struct {
		name            string
		true, predicted int64
	}
	found := map[string]*tally{}
	of := func(name string) *tally {
		if found[name] == nil {
			found[name] = &tally{name: name}
		}
		return found[name]
	}
	for i := range f.Report.Confusion {
		c := &f.Report.Confusion[i]
		switch {
		case len(c.Slice) > 0:
		case c.Label == nil:
			of(c.True).true += c.Count
			of(c.Predicted).predicted += c.Count
		default:
			if t := of(*c.Label); c.TrueIndex == 1 {
				t.true += c.Count
			}
			if t := of(*c.Label); c.PredictedIndex == 1 {
				t.predicted += c.Count
			}
		}
	}
	var never []*tally
	for _, t := range found {
		if t.predicted == 0 && t.true >= report.SmallGroup {
			never = append(never, t)
		}
	}
	if len(never) == 0 {
		return nil
	}
	slices.SortFunc(never, func(a, b *tally) int { return cmp.Or(cmp.Compare(b.true, a.true), cmp.Compare(a.name, b.name)) })
	var names []string
	var examples int64
	for i, t := range never {
		if examples += t.true; i < namedLabels {
			names = append(names, fmt.Sprintf("%s (%s examples)", quote.Visible(t.name), document.Grouped(t.true)))
		}
	}
	if more := len(never) - namedLabels; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	kind := "labels"
	if f.Task&classes != 0 {
		kind = "classes"
	}
	message := fmt.Sprintf("%d of %d %s are never predicted: %s", len(never), max(len(f.Report.Labels), f.Report.NumLabels, len(found)), kind, list(names))
	if len(never) == 1 {
		message = fmt.Sprintf("%s is never predicted, though %s examples have it", quote.Visible(never[0].name), document.Grouped(never[0].true))
	}
	return &findings.Finding{Label: &never[0].name, Values: map[string]float64{"labels": float64(len(never)), "examples": float64(examples)}, Message: message}
}

// positionBias says that the first of two answers wins because it is the first.
func positionBias(f *Facts) *findings.Finding {
	row := f.overall["first_win_rate"]
	if row == nil || !row.Confidence.HasInterval() || row.Confidence.Low <= 0.5 && row.Confidence.High >= 0.5 {
		return nil
	}
	place := "first"
	if row.Value < 0.5 {
		place = "second"
	}
	return &findings.Finding{Metric: &row.Name, Values: map[string]float64{"value": row.Value, "ci_low": row.Confidence.Low, "ci_high": row.Confidence.High},
		Message: fmt.Sprintf("Comparisons favour the %s of two answers, whichever system gave it: %s is %s, where 0.5 is right", place, row.Name, within(row.Value, row.Confidence.Low, row.Confidence.High))}
}

// narrowIntervals says that forecasts of intervals contain the true value less often than they should: those that surely miss
// most.
func narrowIntervals(f *Facts) *findings.Finding {
	var found *findings.Finding
	most := 0.0
	for _, name := range f.sortedNames() {
		row := f.overall[name]
		text, is := strings.CutPrefix(name, "interval_coverage@")
		level, err := strconv.ParseFloat(text, 64)
		if !is || err != nil || !row.Confidence.HasInterval() || level-row.Confidence.High <= most {
			continue
		}
		most = level - row.Confidence.High
		found = &findings.Finding{Metric: &row.Name, Values: map[string]float64{"value": row.Value, "ci_low": row.Confidence.Low, "ci_high": row.Confidence.High, "level": level},
			Message: fmt.Sprintf("Forecast intervals are too narrow: those of %s contain the true value in %s of the examples (%s %s)",
				percent(level), percent(row.Value), row.Name, within(row.Value, row.Confidence.Low, row.Confidence.High))}
	}
	return found
}
