package document

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/picture"
)

// picturesOf returns the pictures of a report, which must be sorted.
func picturesOf(r *report.Report, d *digest, config *report.Settings) []Picture {
	g := &gallery{report: r, digest: d, curves: report.OverallCurves(r.Curves)}
	g.threshold, g.hasThreshold = config.Threshold("")
	g.Gallery = Gallery{Task: r.Task, Row: "curve", Plot: g.plot, Marks: g.decision}
	g.confusion()
	g.ROC()
	g.PrecisionRecall()
	g.Reliability()
	g.thresholds()
	g.cutoffs()
	g.residuals()
	g.pairs()
	g.queries()
	g.slices()
	g.labels()
	return g.List
}

// gallery collects the pictures of a report.
type gallery struct {
	report       *report.Report
	digest       *digest
	curves       report.CurveList
	threshold    float64 // the configured threshold of all labels
	hasThreshold bool
	Gallery
}

// plot returns the curves of a kind to draw, the worst label first, and a note about those that are
// left out. The metric, one that labels have, defines which labels are worst.
func (g *gallery) plot(kind, metric string) Plot {
	if kind == report.CurveCalibration {
		if c := g.curves.Find(kind, nil); c != nil {
			return Plot{Curves: []*report.Curve{c}}
		}
		return Plot{}
	}
	var pooled *report.Curve
	var list []*report.Curve
	var names []string
	note := ""
	if kind == report.CurveROC && g.Task == "multiclass" {
		metric += "_ovr"
	}
	for _, c := range g.curves {
		switch {
		case c.Name != kind:
		case c.Label == nil:
			pooled = c
		default:
			list = append(list, c)
		}
	}
	rows := make(map[string]*report.Row, len(g.digest.labels))
	for _, l := range g.digest.labels {
		rows[l.label] = l.rows[metric]
	}
	value := func(c *report.Curve) float64 { return valueOf(rows[*c.Label]) }
	slices.SortStableFunc(list, func(a, b *report.Curve) int { return numbers.CompareLast(value(a), value(b)) })
	if n := len(list); n > PageCurves {
		list = list[:PageCurves]
		note = fmt.Sprintf("The %d of %s labels with the lowest %s.", PageCurves, Grouped(int64(n)), metric)
	}
	for _, c := range list {
		name := quote.Visible(*c.Label)
		if v := value(c); numbers.Finite(v) {
			name += " (" + Number(v) + ")"
		}
		names = append(names, name)
	}
	switch {
	case pooled != nil && len(list) == 0:
		list, names, note = []*report.Curve{pooled}, []string{"all examples"}, ""
	case pooled != nil && len(list) < PageCurves:
		list, names = append(list, pooled), append(names, "all labels pooled")
	}
	return Plot{list, names, names, note}
}

// decision marks the point of a binary task's decisions.
func (g *gallery) decision(x, y string) []picture.Mark {
	a, b := g.digest.overall[x], g.digest.overall[y]
	if g.Task != "binary" || a == nil || b == nil || !numbers.Finite(a.Value) || !numbers.Finite(b.Value) || a.Undefined != "" || b.Undefined != "" {
		return nil
	}
	name := "as predicted"
	if g.hasThreshold {
		name = "at the threshold " + strconv.FormatFloat(g.threshold, 'g', 4, 64)
	}
	return []picture.Mark{{Name: name, Point: picture.Point{X: a.Value, Y: b.Value}}}
}

// thresholds draws precision, recall and F1 against the threshold.
func (g *gallery) thresholds() {
	c := g.curves.Find(report.CurvePR, nil)
	if c == nil || g.Task == "multiclass" {
		return
	}
	lines := []picture.Line{{Name: "precision"}, {Name: "recall"}, {Name: "F1"}}
	var rows [][]string
	for p, f1 := range AtThresholds(c) {
		tip := fmt.Sprintf("threshold %s: precision %s, recall %s, F1 %s", Number(p.Threshold), Number(p.Y), Number(p.X), Number(f1))
		for j, y := range []float64{p.Y, p.X, f1} {
			at := picture.Point{X: p.Threshold, Y: y}
			lines[j].Points, lines[j].Spots = append(lines[j].Points, at), append(lines[j].Spots, picture.Spot{Point: at, Tip: tip})
		}
		rows = append(rows, []string{Number(p.Threshold), Number(p.Y), Number(p.X), Number(f1)})
	}
	axis, ok := ThresholdAxis(lines)
	if !ok {
		return
	}
	about := g.About("Thresholds", "Precision, recall and F1 at each threshold: the score from which on an example is predicted positive.")
	for i := range lines {
		lines[i].Spots = lists.Spread(lines[i].Spots, mostSpots/2)
	}
	chart := picture.Lines{About: about, X: axis, Y: shares(""), Lines: lines}
	if t := g.threshold; g.hasThreshold && t >= axis.Min && t <= axis.Max {
		chart.Guides = []picture.Guide{{Points: []picture.Point{{X: t, Y: 0}, {X: t, Y: 1}}}}
	}
	note := "The vertical line is the threshold in use."
	if chart.Guides == nil {
		note = ""
	}
	if g.Task == "multilabel" {
		note = strings.TrimSpace("All labels pooled. " + note)
	}
	g.Add(about, note, chart.SVG(), NumbersOf(lists.Spread(rows, 24), "threshold", "precision", "recall", "F1"))
	g.List[len(g.List)-1].Numbers.Columns[0].Number = true
}

// cutoffs draws the ranking metrics that have a cut-off.
func (g *gallery) cutoffs() {
	if g.Task != "ranking" {
		return
	}
	var chart picture.Lines
	var rows [][]string
	last := 0.0
	values := map[float64]bool{}
	for _, name := range g.digest.names { // sorted by name, then by cut-off
		stem, text, found := strings.Cut(name, "@")
		k, err := strconv.ParseFloat(text, 64)
		row := g.digest.overall[name]
		if !found || err != nil || !numbers.Finite(row.Value) || !slices.Contains(CutoffMetrics, stem) {
			continue
		}
		if n := len(chart.Lines); n == 0 || chart.Lines[n-1].Name != stem+"@k" {
			chart.Lines = append(chart.Lines, picture.Line{Name: stem + "@k", Marked: true})
		}
		line := &chart.Lines[len(chart.Lines)-1]
		at := picture.Point{X: k, Y: row.Value}
		line.Points, line.Spots = append(line.Points, at), append(line.Spots, picture.Spot{Point: at, Tip: name + " " + value(row)})
		rows = append(rows, []string{name, value(row)})
		last, values[k] = max(last, k), true
	}
	if len(values) < 2 {
		return
	}
	about := g.About("Metrics by cut-off", "How metrics change with the number k of items at the top that they judge.")
	chart.About, chart.X, chart.Y = about, picture.Axis{Label: "k", Min: 0, Max: last}, shares("")
	g.Add(about, "", chart.SVG(), NumbersOf(rows, "metric", "value"))
}

// CutoffMetrics are the metrics with a cut-off that lie between 0 and 1.
var CutoffMetrics = []string{"ndcg", "map", "precision", "recall", "hit_rate", "mrr"}

// slices draws the metric by which slices are sorted.
func (g *gallery) slices() {
	name, _ := g.digest.judged()
	if name == "" {
		return
	}
	kept, note := g.digest.worst(PageSlices)
	g.dots("Slices", note, name, kept)
}

// labels draws a metric of each label.
func (g *gallery) labels() {
	for _, name := range []string{"f1", "recall", "roc_auc"} {
		if !slices.Contains(g.digest.columns, name) {
			continue
		}
		kept := slices.Clone(g.digest.labels)
		slices.SortStableFunc(kept, func(a, b *line) int { return numbers.CompareLast(valueOf(a.rows[name]), valueOf(b.rows[name])) })
		kept = kept[:min(len(kept), PageCurves)]
		kind, note := "Labels", ""
		if g.Task == "multiclass" {
			kind = "Classes"
		}
		if len(kept) < len(g.digest.labels) {
			note = fmt.Sprintf("The %d lowest of %s.", len(kept), Grouped(int64(len(g.digest.labels))))
		}
		g.dots(kind, note, name, kept)
		return
	}
}

// valueOf returns the value of a row; NaN for nil.
func valueOf(row *report.Row) float64 { return cmp.Or(row, &report.Row{Value: math.NaN()}).Value }

// dots draws a metric of slices or labels.
func (g *gallery) dots(kind, note, metric string, lines []*line) {
	about := g.About(kind+": "+metric, "The value of each, with its confidence interval where there is one.")
	chart := picture.Dots{About: about, Label: metric}
	var rows [][]string
	for _, l := range lines {
		row := l.rows[metric]
		if row == nil || !numbers.Finite(row.Value) {
			continue
		}
		dot := picture.Dot{Name: l.title(), Value: row.Value, Low: math.NaN(), High: math.NaN()}
		if row.Confidence.HasInterval() {
			dot.Low, dot.High = row.Confidence.Low, row.Confidence.High
		}
		dot.Tip = fmt.Sprintf("%s: %s %s, support %s", dot.Name, metric, value(row), Grouped(row.Support))
		chart.Dots = append(chart.Dots, dot)
		rows = append(rows, []string{dot.Name, value(row), Grouped(row.Support)})
	}
	if len(rows) == 0 {
		return
	}
	if row := g.digest.overall[metric]; row != nil && numbers.Finite(row.Value) {
		chart.Reference = &picture.Mark{Name: "overall: " + value(row), Point: picture.Point{X: row.Value}}
	}
	g.Add(about, note, chart.SVG(), NumbersOf(rows, strings.ToLower(kind), metric, "support"))
}
