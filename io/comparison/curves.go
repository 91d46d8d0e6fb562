package comparison

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
)

// overlaid returns the curves of a kind and label of both reports, if both have them, and their
// names, which include the values of a metric if these are known.
func (g *gallery) overlaid(kind string, label *string, metric string) (curves []*report.Curve, names []string) {
	a, b := g.a.Find(kind, label), g.b.Find(kind, label)
	if a == nil || b == nil {
		return nil, nil
	}
	names = slices.Clone(g.names[:])
	if d := g.comparison.change(metric, label); d != nil && floats.Finite(d.A) && floats.Finite(d.B) {
		names[0] += " (" + document.Number(d.A) + ")"
		names[1] += " (" + document.Number(d.B) + ")"
	}
	return []*report.Curve{a, b}, names
}

// pooled returns the name of the area under a curve of all labels pooled, and a note about the
// curve.
func (g *gallery) pooled(metric string) (name, note string) {
	switch task := g.comparison.Task; {
	case task == "binary":
		return metric, ""
	case task == "multiclass" && metric == "roc_auc":
		metric += "_ovr"
	}
	return metric + "_micro", "All labels pooled."
}

// brackets adds an explanation of the numbers in brackets to a note, if the names have any.
func (g *gallery) brackets(note string, names []string, metric string) string {
	if names[0] == g.names[0] {
		return note
	}
	return document.Join(note, "In brackets: "+metric+".")
}

// plot returns the curves of both reports for all labels pooled.
func (g *gallery) plot(kind, metric string) document.Plot {
	note := ""
	if kind != report.CurveCalibration {
		metric, note = g.pooled(metric)
	}
	curves, names := g.overlaid(kind, nil, metric)
	if curves == nil {
		return document.Plot{}
	}
	return document.Plot{Curves: curves, Names: names, Rows: g.names[:], Note: g.brackets(note, names, metric)}
}

// decisions marks the points of the decisions of both reports of a binary task.
func (g *gallery) decisions(_ *document.Plot, x, y string) (marks []picture.Mark) {
	if g.comparison.Task != "binary" {
		return nil
	}
	dx, dy := g.comparison.change(x, nil), g.comparison.change(y, nil)
	if dx == nil || dy == nil || !floats.Finite(dx.Difference) || !floats.Finite(dy.Difference) {
		return nil
	}
	return []picture.Mark{
		{Name: "decisions of " + g.names[0], Point: picture.Point{X: dx.A, Y: dy.A}},
		{Name: "decisions of " + g.names[1], Point: picture.Point{X: dx.B, Y: dy.B}, Line: 1},
	}
}

// changedLabels draws the precision-recall curves of the labels that differ most.
func (g *gallery) changedLabels() {
	labels, all, metric := g.comparison.changedLabels()
	for _, d := range labels {
		curves, names := g.overlaid(report.CurvePR, d.Label, metric)
		if curves == nil {
			continue
		}
		note := fmt.Sprintf("In brackets: %s; difference %s.", metric, document.Difference(document.Markdown, d))
		if all > len(labels) {
			note += fmt.Sprintf(" One of the %d of %s labels that differ most.", len(labels), document.Grouped(int64(all)))
		}
		g.PrecisionRecallOf("Precision and recall: "+quote.Visible(*d.Label), document.Plot{Curves: curves, Names: names, Rows: g.names[:], Note: note}, nil)
	}
}

// thresholds draws F1 of both reports against the threshold.
func (g *gallery) thresholds() {
	curves, names := g.overlaid(report.CurvePR, nil, "")
	if curves == nil || g.comparison.Task == "multiclass" {
		return
	}
	var lines []picture.Line
	numbers := document.NumbersOf(nil, "report", "threshold", "F1", "precision", "recall")
	for i, c := range curves {
		rows := collections.Map(document.AtThresholds(c), func(d document.Decided) []float64 { return []float64{d.Threshold, d.F1, d.Precision, d.Recall} })
		words := func(row []float64) []string {
			return append([]string{names[i]}, collections.Map(row, document.Number)...)
		}
		lines = append(lines, numbers.LinesOver(rows, document.MostRows/2, words, names[i])...)
	}
	axis, ok := document.ThresholdAxis(lines)
	if !ok {
		return
	}
	about := g.About("F1 by threshold", "F1 of both at each threshold: the score from which on an example is predicted positive.")
	if g.comparison.Task == "multilabel" {
		about.Note = "All labels pooled."
	}
	g.Add(&picture.Lines{About: about, X: axis, Y: picture.Axis{Label: "F1", Max: 1}, Lines: lines}, numbers)
}

// cutoffs draws each ranking metric that has cut-offs.
func (g *gallery) cutoffs() {
	if g.comparison.Task != "ranking" {
		return
	}
	of := map[string][]*Change{}
	for _, d := range g.comparison.overall() {
		if stem, _, found := strings.Cut(d.Name, "@"); found && floats.Finite(d.Difference) {
			of[stem] = append(of[stem], d)
		}
	}
	for _, stem := range document.CutoffMetrics {
		if list := of[stem]; len(list) > 1 {
			g.cutoff(stem+"@k", list)
		}
	}
}

func (g *gallery) cutoff(name string, list []*Change) {
	lines := []picture.Line{{Name: g.names[0], Marked: true}, {Name: g.names[1], Marked: true}}
	low, high, last := math.Inf(1), math.Inf(-1), 0.0
	numbers := g.comparison.lines(document.Page, list, true)
	for row, d := range list {
		_, text, _ := strings.Cut(d.Name, "@")
		k, err := strconv.ParseFloat(text, 64)
		if err != nil {
			continue
		}
		for i, y := range []float64{d.A, d.B} {
			lines[i].Add(k, y, numbers.Tip(row))
			low, high = min(low, y), max(high, y)
		}
		last = max(last, k)
	}
	if len(lines[0].Points) < 2 {
		return
	}
	margin := max(0.02, (high-low)/4)
	about := g.About(name, "How the metric of both changes with the number k of items at the top that it judges.")
	chart := picture.Lines{About: about, X: picture.Axis{Label: "k", Max: last}, Y: picture.Axis{Label: name, Min: max(0, low-margin), Max: min(1, high+margin)}, Lines: lines}
	g.Add(&chart, numbers)
}
