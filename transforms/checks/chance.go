package checks

import (
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
)

// aucs are the metrics that are 0.5 by chance.
var aucs = map[string]bool{"roc_auc": true, "roc_auc_ovr": true}

// upsideDown is the number of standard errors by which an area has to be below 0.5.
const upsideDown = 3

// invertedScores looks at the area under the ROC curve of all examples, of slices and of labels. The area of
// all examples is below 0.5 beyond its interval or, without one, by three standard errors; of many others,
// by as many that no more of them than of one are so by chance.
func invertedScores(f *Facts) *Found {
	var worst *report.Row
	var most float64
	places := int64(0)
	rows := f.areas()
	limit := upsideDownOf(len(rows))
	for _, of := range rows {
		row, below := of.row, (0.5-of.row.Value)/of.err
		overall := len(row.Slice) == 0 && row.Label == nil
		switch c := row.Confidence; {
		case overall && c.HasInterval():
			if !(c.High < 0.5) {
				continue
			}
		case !(below > limit) && !(overall && below > upsideDown):
			continue
		}
		places++
		if overall || worst == nil || below > most && !(len(worst.Slice) == 0 && worst.Label == nil) {
			worst, most = row, below
		}
	}
	if worst == nil {
		return nil
	}
	return &Found{
		Count: places, Slice: worst.Slice, Label: worst.Label,
		Message: fmt.Sprintf("%s is %.4g in %s, significantly below 0.5: scores are upside down; check which class they are of, and that labels are in the order of the scores%s",
			worst.Name, worst.Value, placeOf(worst), others(places)),
	}
}

// placeOf describes the slice and label of a row.
func placeOf(row *report.Row) string {
	if row.Label == nil {
		return where(row.Slice)
	}
	return row.Place()
}

// upsideDownOf returns the number of standard errors that one of n areas exceeds by chance as seldom as
// a single one exceeds upsideDown (Bonferroni).
func upsideDownOf(n int) float64 {
	return confidence.NormalQuantile(1 - 2*(1-confidence.NormalProbability(upsideDown))/float64(max(n, 1)))
}

// area is an area under a ROC curve with the standard error of one that is 0.5.
type area struct {
	row *report.Row
	err float64
}

// areas returns the areas whose numbers of positives and negatives are known, in all examples and in slices
// with enough of them.
func (f *Facts) areas() (list []area) {
	rows := f.Report.Metrics
	for from, to := 0, 0; from < len(rows); from = to {
		for to = from + 1; to < len(rows) && slices.Equal(rows[to].Slice, rows[from].Slice); to++ {
		}
		if !report.OfEstimates(rows[from].Slice) {
			list = append(list, f.areasIn(rows[from:to])...)
		}
	}
	return list
}

// areasIn returns the areas in a slice.
func (f *Facts) areasIn(rows []report.Row) (list []area) {
	var examples, positives, negatives int64
	if f.Task == metrics.Binary {
		positives, negatives = f.positivesIn(rows[0].Slice)
		examples = positives + negatives
	} else {
		examples = report.LargestSupport(rows)
	}
	if len(rows[0].Slice) > 0 && examples < enough {
		return nil
	}
	for i := range rows {
		row := &rows[i]
		if !aucs[row.Name] || !floats.Finite(row.Value) || row.Undefined != "" {
			continue
		}
		if row.Label != nil { // its support is the number of positives
			positives, negatives = row.Support, examples-row.Support
		}
		if positives > 0 && negatives > 0 {
			list = append(list, area{row, chanceError(positives, negatives)})
		}
	}
	return list
}

// chanceError returns the standard error of Hanley and McNeil of an area that is 0.5.
func chanceError(positives, negatives int64) float64 {
	p, n := float64(positives), float64(negatives)
	return math.Sqrt((p + n + 1) / 12 / p / n)
}

// Skill is a metric that is above chance if it is above a number.
type Skill struct {
	name   string
	Chance float64
	Than   string // what the model is better than, then
}

// skills are such metrics, those that say most first.
var skills = []Skill{
	{"brier_skill", 0, "always predicting how frequent classes are"},
	{"roc_auc", 0.5, "scores by chance"},
	{"roc_auc_ovr_macro", 0.5, "scores by chance"},
	{"roc_auc_macro", 0.5, "scores by chance"},
	{"d2_absolute_error", 0, "always predicting the median"},
	{"r2", 0, "always predicting the mean"},
}

// FirstSkill returns the first skill that a report has of all examples, with its row, which is nil if there is none.
func FirstSkill(r *report.Report) (*report.Row, Skill) {
	overall := defined(r)
	for _, s := range skills {
		if row := overall[s.name]; row != nil {
			return row, s
		}
	}
	return nil, Skill{}
}

// defined returns the metrics of all examples that are defined, by name.
func defined(r *report.Report) map[string]*report.Row {
	overall := map[string]*report.Row{}
	for i := range r.Metrics {
		if row := &r.Metrics[i]; len(row.Slice) == 0 && row.Label == nil && row.Undefined == "" && floats.Finite(row.Value) {
			overall[row.Name] = row
		}
	}
	return overall
}

// noBetterThanChance looks at the first skill that the report has of all examples, if there are enough to
// tell: at its interval or, without one, at its value, and at the standard error of roc_auc.
func noBetterThanChance(f *Facts) *Found {
	row, s := FirstSkill(f.Report)
	if row == nil || f.Report.Examples < enough {
		return nil
	}
	low := row.Value
	if c := row.Confidence; c.HasInterval() {
		low = c.Low
	} else if below := f.lowestArea(defined(f.Report)["roc_auc"]); low > s.Chance && below <= 0.5 {
		low = s.Chance
	}
	if low > s.Chance {
		return nil
	}
	return &Found{Count: f.Report.Examples, Message: fmt.Sprintf("%s is %.4g, not significantly above %v: on this data, the model is not shown to be better than %s", s.name, row.Value, s.Chance, s.Than)}
}

// lowestArea returns the lower end of an interval of roc_auc without replicates, or 1 if it is unknown.
func (f *Facts) lowestArea(row *report.Row) float64 {
	if row == nil {
		return 1
	}
	positives, negatives := f.positivesIn(row.Slice)
	if positives <= 0 || negatives <= 0 {
		return 1
	}
	return row.Value - float64(confidence.NormalQuantile(0.95)*chanceError(positives, negatives))
}
