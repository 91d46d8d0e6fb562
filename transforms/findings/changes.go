package findings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/findings"
	odd "github.com/beameval/beameval/transforms/checks"
)

// sortedNames returns the names of the metrics of all labels together.
func (f *Facts) sortedNames() []string { return slices.Sorted(maps.Keys(f.overall)) }

// changed says which of the metrics that the report shows first are significantly worse or better than the baseline's.
func changed(f *Facts) *findings.Finding {
	changes := f.Report.Differences
	if changes == nil && f.Compared != nil {
		changes = f.Compared.Changes
	}
	at := map[string]*differences.Change{}
	for i := range changes {
		if d := &changes[i]; len(d.Slice) == 0 && d.Label == nil {
			at[d.Name] = d
		}
	}
	of := map[differences.Verdict][]string{}
	for _, name := range f.headlines {
		if d := at[name]; d != nil {
			of[d.Verdict] = append(of[d.Verdict], name)
		}
	}
	worse, better := of[differences.Worse], of[differences.Better]
	names, word := worse, "worse"
	if len(worse) == 0 {
		names, word = better, "better"
	}
	if len(names) == 0 {
		return nil
	}
	d := at[names[0]]
	text, places := plusMinus(d.Difference, (d.High-d.Low)/2)
	message := fmt.Sprintf("Since the baseline, %s became %s: %s, before %s (difference %s)", d.Name, word, number(d.B, places), number(d.A, places), text)
	if len(names) > 1 {
		message += "; so did " + list(names[1:])
	}
	if len(worse) > 0 && len(better) > 0 {
		message += "; " + list(better) + " became better"
	}
	see := ""
	values := map[string]float64{"before": d.A, "value": d.B, "difference": d.Difference, "ci_low": d.Low, "ci_high": d.High, "p_adjusted": d.PAdjusted, "worse": float64(len(worse)), "better": float64(len(better))}
	if f.Report.Differences == nil {
		see = "gates"
		if w := f.Compared.WhyOf(d.Name); w != nil {
			message += ". " + strings.TrimSuffix(w.Sentence(f.Report.Task), ".")
			values["mix"], values["performance"] = w.Mix.Value, w.Performance.Value
		}
	}
	return &findings.Finding{Metric: &d.Name, Message: message, See: see, Values: values}
}

// checked returns a check that holds, or nil.
func (f *Facts) checked(name string) *checks.Check {
	if found := collections.Select(f.Report.Checks, func(c *checks.Check) bool { return c.Name == name }); len(found) > 0 {
		return found[0]
	}
	return nil
}

// volume repeats the check.
func volume(f *Facts) *findings.Finding {
	c := f.checked("volume")
	if c == nil || f.Report.Baseline == nil {
		return nil
	}
	return &findings.Finding{Message: strings.ToUpper(c.Message[:1]) + c.Message[1:], Values: map[string]float64{"examples": float64(c.Count), "before": f.Report.Baseline.Examples}}
}

// noBetterThanChance says it if the check holds.
func noBetterThanChance(f *Facts) *findings.Finding {
	row, skill := odd.FirstSkill(f.Report)
	if f.checked("no_better_than_chance") == nil || row == nil {
		return nil
	}
	values, shown := map[string]float64{"value": row.Value, "chance": skill.Chance}, number(row.Value, 2)
	if c := row.Confidence; c.HasInterval() {
		values["ci_low"], values["ci_high"] = c.Low, c.High
		shown = within(row.Value, c.Low, c.High)
	}
	return &findings.Finding{Metric: &row.Name, Values: values,
		Message: fmt.Sprintf("The model is not shown to be better than %s: %s is %s, where %v is chance", skill.Than, row.Name, shown, skill.Chance)}
}

// noIntervals says what cannot be said, and the line that adds it.
func noIntervals(f *Facts) *findings.Finding {
	const unsaid = "nothing is said about differences between slices, groups and thresholds"
	g := f.Report.Confidence
	if g == nil {
		return &findings.Finding{Message: "There are no intervals, so " + unsaid + ": add `confidence: {}` to the configuration, or --set confidence={} to the command"}
	}
	if !slices.ContainsFunc(f.sortedNames(), func(name string) bool { return f.overall[name].Confidence.HasInterval() }) {
		return &findings.Finding{Message: "There are too few examples for intervals, so " + unsaid}
	}
	if slices.ContainsFunc(f.sliceMetrics(), f.lackIntervals) {
		return &findings.Finding{Message: "Slices have no intervals, so nothing is said about differences between them: set `confidence: {slices: each}`, or name them in gates"}
	}
	return nil
}
