package evaluation

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

// pictures are the pictures of a report, by the sections that show them, and what the script of the page knows of labels.
type pictures struct {
	charts, groups, systems, raters []document.Picture
	known                           []document.LabelCurve
}

// picturesOf returns the pictures of a report, which must be sorted.
func picturesOf(r *report.Report, d *digest, config *report.Settings, of *groups) (all pictures) {
	g := &gallery{report: r, digest: d, config: config, curves: report.OverallCurves(r.Curves), decided: decisionsOf(r)}
	g.Gallery = document.Gallery{Task: r.Task, Row: "curve", Plot: g.plot, Marks: g.decisions}
	if r.Task != "multilabel" && (r.Confidence == nil || !r.Confidence.Clustered) && !slices.ContainsFunc(r.Confusion, func(c report.ConfusionCell) bool { return c.Weight != float64(c.Count) }) {
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
	taken := 0
	take := func() []document.Picture {
		from := taken
		taken = len(g.List)
		return g.List[from:taken:taken]
	}
	all.charts, all.known = take(), g.known
	g.groups(of)
	all.groups = take()
	g.systems()
	all.systems = take()
	g.raters()
	all.raters = take()
	return all
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
	frontCurves = 3  // which are not grey
	manyLabels  = 30 // of which more have no grey curves
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
	slices.SortStableFunc(list, func(a, b *report.Curve) int { return floats.CompareLast(worse(a), worse(b)) })
	n := len(list)
	switch {
	case n > manyLabels:
		p.Note = fmt.Sprintf("The %d of %s %s with the %s.", frontCurves, document.Grouped(int64(n)), nouns(g.Task), order)
		list = list[:frontCurves]
	case n > frontCurves:
		p.Note = fmt.Sprintf("In color, the %d of %s %s with the %s; in grey, the others.", frontCurves, document.Grouped(int64(n)), nouns(g.Task), order)
	}
	p.Curves, p.Back = list, max(0, len(list)-frontCurves)
	for _, c := range list {
		name := quote.Visible(*c.Label)
		p.Rows = append(p.Rows, name)
		if v := worse(c); floats.Finite(v) {
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
		if p.Weight > 0 && floats.Finite(p.X+p.Y) {
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
		if !floats.Finite(mark.X+mark.Y) && ok {
			mark.Point = pointAt(c, at)
		}
		if !floats.Finite(mark.X + mark.Y) {
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
		if p.Threshold >= threshold && floats.Finite(p.Threshold) {
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
	numbers := document.NumbersBy("threshold", "precision", "recall", "F1")
	rows := collections.Map(document.AtThresholds(c), func(d document.Decided) []float64 { return []float64{d.Threshold, d.Precision, d.Recall, d.F1} })
	lines := numbers.LinesOver(rows, document.MostRows, func(row []float64) []string { return collections.Map(row, document.Number) }, "precision", "recall", "F1")
	axis, ok := document.ThresholdAxis(lines)
	if !ok {
		return
	}
	about := g.About("Thresholds", "Precision, recall and F1 at each threshold: the score from which on an example is predicted positive.")
	if g.Task == "multilabel" {
		about.Note = "All labels pooled."
	}
	chart := picture.Lines{About: about, X: axis, Y: document.Shares(""), Lines: lines}
	g.inUse(&chart)
	g.Add(&chart, numbers)
}

// inUse marks the threshold in use on a chart of lines over thresholds.
func (g *gallery) inUse(chart *picture.Lines) {
	if t, ok := g.config.Threshold(""); ok && t >= chart.X.Min && t <= chart.X.Max {
		chart.Guides = []picture.Guide{{Points: []picture.Point{{X: t}, {X: t, Y: chart.Y.Max}}}}
		chart.Note = document.Join(chart.Note, "The vertical line is the threshold in use.")
	}
}

// cutoffs draws the ranking metrics that have a cut-off.
func (g *gallery) cutoffs() {
	if g.Task != "ranking" {
		return
	}
	var chart picture.Lines
	numbers := document.NumbersOf(nil, "metric", "value")
	last := 0.0
	for _, name := range g.digest.names { // sorted by name, then by cut-off
		stem, text, found := strings.Cut(name, "@")
		k, err := strconv.ParseFloat(text, 64)
		row := g.digest.overall[name]
		if !found || err != nil || !floats.Finite(row.Value) || !slices.Contains(document.CutoffMetrics, stem) {
			continue
		}
		if n := len(chart.Lines); n == 0 || chart.Lines[n-1].Name != stem+"@k" {
			chart.Lines = append(chart.Lines, picture.Line{Name: stem + "@k", Marked: true})
		}
		chart.Lines[len(chart.Lines)-1].Add(k, row.Value, numbers.Add(name, document.Value(row)))
		last = max(last, k)
	}
	chart.Lines = slices.DeleteFunc(chart.Lines, func(l picture.Line) bool { return len(l.Points) < 2 })
	if len(chart.Lines) == 0 {
		return
	}
	chart.About = g.About("Metrics by cut-off", "How metrics change with the number k of items at the top that they judge.")
	chart.X, chart.Y = picture.Axis{Label: "k", Min: 0, Max: last}, document.Shares("")
	g.Add(&chart, numbers)
}
