package evaluation

import (
	"cmp"
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
	"github.com/beameval/beameval/io/slice"
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
	lines := numbers.LinesOver(document.AtThresholds(c), document.MostRows, func(row []float64) []string { return collections.Map(row, document.Number) }, "precision", "recall", "F1")
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

// slices draws the metric by which slices are sorted.
func (g *gallery) slices() {
	name, _ := g.digest.judged()
	if name == "" {
		return
	}
	kept, note := g.digest.worst(document.PageSlices)
	ordered := g.ordered()
	if only := len(ordered) == 1 && len(ordered[0]) == len(g.digest.slices); !only {
		g.dots("Slices", note, name, kept, nil)
	}
	for _, lines := range ordered {
		g.dots("Slices", "", name, lines, nil)
	}
}

// How many slices a line may join, such as the days of a month.
const (
	leastOrdered = 3
	mostOrdered  = 31
)

// ordered returns the slices of each column whose values have an order, if there are several but not many: bins of
// numbers, and whole numbers.
func (g *gallery) ordered() (all [][]*line) {
	of := make(map[string][]*line)
	var columns []string
	unordered := make(map[string]bool)
	for _, l := range g.digest.slices {
		if len(l.slice) != 1 {
			continue
		}
		p := l.slice[0]
		if !inOrder(p.Value) {
			unordered[p.Column] = unordered[p.Column] || p.Value.Kind() != slice.KindNull
			continue
		}
		if of[p.Column] == nil {
			columns = append(columns, p.Column)
		}
		of[p.Column] = append(of[p.Column], l)
	}
	for _, column := range columns {
		if n := len(of[column]); !unordered[column] && n >= leastOrdered && n <= mostOrdered {
			all = append(all, of[column])
		}
	}
	return all
}

// labels draws a metric of each label, or how it is distributed over many.
func (g *gallery) labels() {
	if len(g.digest.labels) > manyLabels {
		g.manyLabels()
		return
	}
	for _, name := range []string{"f1", "recall", "roc_auc"} {
		if !slices.Contains(g.digest.columns, name) {
			continue
		}
		kept := slices.Clone(g.digest.labels)
		if len(kept) > document.FirstRows { // fewer are in the same order as everywhere
			slices.SortStableFunc(kept, func(a, b *line) int { return floats.CompareLast(valueOf(a.rows[name]), valueOf(b.rows[name])) })
			kept = kept[:document.PageCurves]
		}
		kind, note := "Labels", ""
		if g.Task == "multiclass" {
			kind = "Classes"
		}
		if len(kept) < len(g.digest.labels) {
			note = fmt.Sprintf("The %d lowest of %s.", len(kept), document.Grouped(int64(len(g.digest.labels))))
		}
		g.dots(kind, note, name, kept, nil)
		return
	}
}

// valueOf returns the value of a row; NaN for nil.
func valueOf(row *report.Row) float64 { return cmp.Or(row, &report.Row{Value: math.NaN()}).Value }

// dots draws a metric of slices, of labels or of groups, of which the small ones and the references are marked. Slices of
// the same column have the names of their values.
func (g *gallery) dots(kind, note, metric string, lines []*line, of *groups) {
	title, column := kind+": "+metric, commonColumn(lines)
	if column != "" {
		title += " by " + quote.Visible(column)
	}
	chart := picture.Dots{About: g.About(title, "The value of each, with its confidence interval where there is one."), Label: metric}
	chart.Joined = column != "" && len(lines) >= leastOrdered && isOrdered(lines)
	chart.Note, chart.Hollow, chart.Diamond = note, fmt.Sprintf("support below %d", report.SmallGroup), "reference"
	lines = slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return !floats.Finite(valueOf(l.rows[metric])) })
	if len(lines) < 2 { // a table says a single number better
		return
	}
	for _, l := range lines {
		dot := l.dot(metric)
		if of != nil {
			dot.Hollow, dot.Diamond = l.support < report.SmallGroup, len(of.references) > 0 && of.isReference(l)
		}
		if column != "" {
			dot.Name = l.slice[0].Value.String()
		}
		chart.Dots = append(chart.Dots, dot)
	}
	if row := cmp.Or(g.digest.overall[metric], g.digest.overall[metric+"_macro"]); row != nil && floats.Finite(row.Value) {
		chart.Reference = &picture.Mark{Name: "overall: " + document.Value(row), Point: picture.Point{X: row.Value}}
		if row.Name != metric {
			chart.Reference.Name = row.Name + ": " + document.Value(row)
		}
	}
	g.Add(&chart, document.TableOf(lines, valued(strings.ToLower(kind), metric, "support")...))
}

// valued returns the columns of lines with a metric: their names, its values and their support.
func valued(kind, metric, support string) []document.Cells[*line] {
	return []document.Cells[*line]{
		document.Text(kind, (*line).title),
		document.Numbers(metric, func(l *line) string { return document.Value(l.rows[metric]) }),
		document.Numbers(support, func(l *line) string { return document.Grouped(l.rows[metric].Support) }),
	}
}

// isOrdered reports whether slices of the same column are of bins of numbers, or of whole numbers, in their order.
func isOrdered(lines []*line) bool {
	return !slices.ContainsFunc(lines, func(l *line) bool { return !inOrder(l.slice[0].Value) }) &&
		slices.IsSortedFunc(lines, func(a, b *line) int { return a.slice.Compare(b.slice) })
}

// inOrder reports whether a value has neighbours: a bin of numbers, or a whole number.
func inOrder(v slice.Value) bool {
	_, _, bin := v.Ends()
	return bin || v.Kind() == slice.KindInt
}

// commonColumn returns the column whose values all slices are of, or "".
func commonColumn(lines []*line) string {
	if len(lines) == 0 || len(lines[0].slice) != 1 {
		return ""
	}
	column := lines[0].slice[0].Column
	if slices.ContainsFunc(lines, func(l *line) bool { return len(l.slice) != 1 || l.slice[0].Column != column }) {
		return ""
	}
	return column
}
