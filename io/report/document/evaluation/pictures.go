package evaluation

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
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
)

// picturesOf returns the pictures of a report, which must be sorted, the pictures of its groups,
// and what the script of the page knows of labels.
func picturesOf(r *report.Report, d *digest, config *report.Settings, of *groups) (list, ofGroups []document.Picture, known []document.LabelCurve) {
	g := &gallery{report: r, digest: d, config: config, curves: report.OverallCurves(r.Curves), decided: decisionsOf(r)}
	g.Gallery = document.Gallery{Task: r.Task, Row: "curve", Plot: g.plot, Marks: g.decisions}
	if r.Task != "multilabel" && (r.Confidence == nil || !r.Confidence.Clustered) && !slices.ContainsFunc(r.Confusion, func(c report.Cell) bool { return c.Weight != float64(c.Count) }) {
		g.Examples = r.Examples
	}
	g.scores = newScores(g.curves)
	g.known = g.labelCurves()
	g.confusion()
	g.moves()
	g.ROC()
	g.PrecisionRecall()
	g.Reliability()
	g.Scores()
	g.thresholds()
	g.gain()
	g.netBenefit()
	g.costs()
	g.cutoffs()
	g.residuals()
	g.quantiles()
	g.pairs()
	g.queries()
	g.slices()
	g.labels()
	g.systems()
	n := len(g.List)
	g.groups(of)
	return g.List[:n:n], g.List[n:], g.known
}

// gallery collects the pictures of a report.
type gallery struct {
	report  *report.Report
	digest  *digest
	config  *report.Settings
	curves  report.CurveList
	decided *decisions
	scores  *scores // nil if there are none
	known   []document.LabelCurve
	document.Gallery
}

// Numbers of curves of labels in a picture.
const (
	frontCurves = 3   // which are not grey
	mostBack    = 200 // which are
)

// plot returns the curves of a kind to draw: the worst labels in front, and the others behind. The
// metric, which labels must have, defines which labels are worst; for calibration, the curves
// themselves do.
func (g *gallery) plot(kind, metric string) (p document.Plot) {
	if kind == report.CurveROC && g.Task == "multiclass" {
		metric += "_ovr"
	}
	rows := make(map[string]*report.Row, len(g.digest.labels))
	for _, l := range g.digest.labels {
		rows[l.label] = l.rows[metric]
	}
	var pooled *report.Curve
	var list []*report.Curve
	for _, c := range g.curves {
		switch {
		case c.Name != kind:
		case c.Label == nil:
			pooled = c
		default:
			list = append(list, c)
		}
	}
	worse := func(c *report.Curve) float64 { return valueOf(rows[*c.Label]) }
	order := "lowest " + metric
	if kind == report.CurveCalibration {
		worse, order = func(c *report.Curve) float64 { return -calibrationError(c) }, "largest calibration error"
	}
	slices.SortStableFunc(list, func(a, b *report.Curve) int { return numbers.CompareLast(worse(a), worse(b)) })
	n := len(list)
	if n > frontCurves {
		p.Note = fmt.Sprintf("In color, the %d of %s %s with the %s.", frontCurves, document.Grouped(int64(n)), nouns(g.Task), order)
		if others := lists.Spread(list[frontCurves:], mostBack); len(others) < n-frontCurves {
			list = append(list[:frontCurves:frontCurves], others...)
			p.Note += fmt.Sprintf(" In grey, %d of the others.", len(others))
		}
	}
	p.Curves, p.Back = list, max(0, len(list)-frontCurves)
	for _, c := range list {
		name := quote.Visible(*c.Label)
		p.Rows = append(p.Rows, name)
		if v := worse(c); numbers.Finite(v) {
			name += " (" + document.Number(math.Abs(v)) + ")"
		}
		p.Names = append(p.Names, name)
	}
	if len(list) > 0 && len(g.known) > 0 && g.Task != "binary" {
		p.Chosen = kind
	}
	if pooled != nil {
		name := "all " + nouns(g.Task) + " pooled"
		switch {
		case len(list) == 0:
			name = "all examples"
		case g.Task == "multiclass" && kind == report.CurveCalibration:
			name = "the predicted classes"
		}
		at := p.Front()
		p.Curves, p.Names, p.Rows = slices.Insert(p.Curves, at, pooled), slices.Insert(p.Names, at, name), slices.Insert(p.Rows, at, name)
	}
	return p
}

// nouns returns what labels are called.
func nouns(task string) string {
	if task == "multiclass" {
		return "classes"
	}
	return "labels"
}

// calibrationError returns the mean distance of a calibration curve from the diagonal.
func calibrationError(c *report.Curve) float64 {
	sum, total := 0.0, 0.0
	for _, p := range c.Points {
		if p.Weight > 0 && numbers.Finite(p.X+p.Y) {
			sum += float64(p.Weight * math.Abs(p.X-p.Y))
			total += p.Weight
		}
	}
	return sum / total
}

// decisions marks the points of the decisions of the curves in front.
func (g *gallery) decisions(p *document.Plot, x, y string) (marks []picture.Mark) {
	for i, c := range p.Curves[:p.Front()] {
		t := g.decided.of(c.Label)
		at, ok := g.config.Threshold(labelOf(c))
		ok = ok && g.Task != "multiclass"
		mark := picture.Mark{Name: "as predicted", Line: i, Point: picture.Point{X: t.rate(x), Y: t.rate(y)}}
		if ok {
			mark.Name = "at the threshold " + strconv.FormatFloat(at, 'g', 4, 64)
		}
		if !numbers.Finite(mark.X+mark.Y) && ok {
			mark.Point = pointAt(c, at)
		}
		if !numbers.Finite(mark.X + mark.Y) {
			continue
		}
		mark.Same = slices.ContainsFunc(marks, func(m picture.Mark) bool { return m.Name == mark.Name })
		mark.Tip = fmt.Sprintf("%s, %s: %s %s, %s %s", p.Rows[i], mark.Name, x, document.Number(mark.X), y, document.Number(mark.Y))
		marks = append(marks, mark)
	}
	return marks
}

// pointAt returns the point of a curve at a threshold; NaN if there is none.
func pointAt(c *report.Curve, threshold float64) picture.Point {
	at := picture.Point{X: math.NaN(), Y: math.NaN()}
	for _, p := range c.Points {
		if p.Threshold >= threshold && numbers.Finite(p.Threshold) {
			at = picture.Point{X: p.X, Y: p.Y}
		}
	}
	return at
}

// thresholds draws precision, recall and F1 against the threshold.
func (g *gallery) thresholds() {
	c := g.curves.Find(report.CurvePR, nil)
	if c == nil || g.Task == "multiclass" {
		return
	}
	lines := []picture.Line{{Name: "precision"}, {Name: "recall"}, {Name: "F1"}}
	var rows [][]string
	for p, f1 := range document.AtThresholds(c) {
		tip := fmt.Sprintf("threshold %s: precision %s, recall %s, F1 %s", document.Number(p.Threshold), document.Number(p.Y), document.Number(p.X), document.Number(f1))
		for j, y := range []float64{p.Y, p.X, f1} {
			at := picture.Point{X: p.Threshold, Y: y}
			lines[j].Points, lines[j].Spots = append(lines[j].Points, at), append(lines[j].Spots, picture.Spot{Point: at, Tip: tip})
		}
		rows = append(rows, []string{document.Number(p.Threshold), document.Number(p.Y), document.Number(p.X), document.Number(f1)})
	}
	axis, ok := document.ThresholdAxis(lines)
	if !ok {
		return
	}
	about := g.About("Thresholds", "Precision, recall and F1 at each threshold: the score from which on an example is predicted positive.")
	for i := range lines {
		lines[i].Spots = lists.Spread(lines[i].Spots, document.MostSpots/2)
	}
	chart := picture.Lines{About: about, X: axis, Y: document.Shares(""), Lines: lines}
	if t, ok := g.config.Threshold(""); ok && t >= axis.Min && t <= axis.Max {
		chart.Guides = []picture.Guide{{Points: []picture.Point{{X: t, Y: 0}, {X: t, Y: 1}}}}
	}
	note := "The vertical line is the threshold in use."
	if chart.Guides == nil {
		note = ""
	}
	if g.Task == "multilabel" {
		note = strings.TrimSpace("All labels pooled. " + note)
	}
	g.Add(about, note, chart.SVG(), document.NumbersOf(lists.Spread(rows, 24), "threshold", "precision", "recall", "F1"))
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
	for _, name := range g.digest.names { // sorted by name, then by cut-off
		stem, text, found := strings.Cut(name, "@")
		k, err := strconv.ParseFloat(text, 64)
		row := g.digest.overall[name]
		if !found || err != nil || !numbers.Finite(row.Value) || !slices.Contains(document.CutoffMetrics, stem) {
			continue
		}
		if n := len(chart.Lines); n == 0 || chart.Lines[n-1].Name != stem+"@k" {
			chart.Lines = append(chart.Lines, picture.Line{Name: stem + "@k", Marked: true})
		}
		line := &chart.Lines[len(chart.Lines)-1]
		at := picture.Point{X: k, Y: row.Value}
		line.Points, line.Spots = append(line.Points, at), append(line.Spots, picture.Spot{Point: at, Tip: name + " " + document.Value(row)})
		rows = append(rows, []string{name, document.Value(row)})
		last = max(last, k)
	}
	chart.Lines = slices.DeleteFunc(chart.Lines, func(l picture.Line) bool { return len(l.Points) < 2 })
	if len(chart.Lines) == 0 {
		return
	}
	about := g.About("Metrics by cut-off", "How metrics change with the number k of items at the top that they judge.")
	chart.About, chart.X, chart.Y = about, picture.Axis{Label: "k", Min: 0, Max: last}, document.Shares("")
	g.Add(about, "", chart.SVG(), document.NumbersOf(rows, "metric", "value"))
}

// slices draws the metric by which slices are sorted.
func (g *gallery) slices() {
	name, _ := g.digest.judged()
	if name == "" {
		return
	}
	kept, note := g.digest.worst(document.PageSlices)
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
		kept = kept[:min(len(kept), document.PageCurves)]
		kind, note := "Labels", ""
		if g.Task == "multiclass" {
			kind = "Classes"
		}
		if len(kept) < len(g.digest.labels) {
			note = fmt.Sprintf("The %d lowest of %s.", len(kept), document.Grouped(int64(len(g.digest.labels))))
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
		dot.Tip = fmt.Sprintf("%s: %s %s, support %s", dot.Name, metric, document.Value(row), document.Grouped(row.Support))
		chart.Dots = append(chart.Dots, dot)
		rows = append(rows, []string{dot.Name, document.Value(row), document.Grouped(row.Support)})
	}
	if len(rows) < 2 { // a table says a single number better
		return
	}
	if row := cmp.Or(g.digest.overall[metric], g.digest.overall[metric+"_macro"]); row != nil && numbers.Finite(row.Value) {
		chart.Reference = &picture.Mark{Name: "overall: " + document.Value(row), Point: picture.Point{X: row.Value}}
		if row.Name != metric {
			chart.Reference.Name = row.Name + ": " + document.Value(row)
		}
	}
	g.Add(about, note, chart.SVG(), document.NumbersOf(rows, strings.ToLower(kind), metric, "support"))
}
