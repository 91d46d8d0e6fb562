package document

import (
	"cmp"
	"fmt"
	"html/template"
	"iter"
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

// Picture is a picture of report.html and its numbers.
type Picture struct {
	Title, Note string
	Wide        bool
	SVG         template.HTML
	Numbers     *Table
}

// picturesOf returns the pictures of a report, which must be sorted.
func picturesOf(r *report.Report, d *digest, config *report.Settings) []Picture {
	g := &gallery{report: r, digest: d, curves: report.OverallCurves(r.Curves)}
	g.threshold, g.hasThreshold = config.Threshold("")
	g.confusion()
	g.roc()
	g.precisionRecall()
	g.reliability()
	g.thresholds()
	g.cutoffs()
	g.residuals()
	g.pairs()
	g.queries()
	g.slices()
	g.labels()
	return g.List
}

// gallery collects the pictures.
type gallery struct {
	report       *report.Report
	digest       *digest
	curves       report.CurveList
	threshold    float64 // that the configuration sets, for all labels
	hasThreshold bool
	Album
}

// Album has the pictures of a page.
type Album struct{ List []Picture }

// About returns what the next picture shows, and gives it an id.
func (a *Album) About(title, desc string) picture.About {
	return picture.About{ID: "p" + strconv.Itoa(len(a.List)+1), Title: title, Desc: desc}
}

func (a *Album) Add(about picture.About, note, svg string, header []string, rows [][]string, numbers ...int) {
	a.List = append(a.List, Picture{
		Title: about.Title, Note: note, SVG: template.HTML(svg), // package picture escapes texts
		Numbers: NewTable("Numbers: "+about.Title, "", header, rows, numbers...),
	})
}

// drawn returns the curves of a kind to draw, worst label first, what to call them, and what
// to say of those that are left out. The metric, one of labels, says which labels are worst.
func (g *gallery) drawn(kind, metric string) (list []*report.Curve, names []string, note string) {
	var pooled *report.Curve
	for _, c := range g.curves {
		switch {
		case c.Name != kind:
		case c.Label == nil:
			pooled = c
		default:
			list = append(list, c)
		}
	}
	values := make(map[string]float64, len(g.digest.labels))
	for i := range g.digest.labels {
		l := &g.digest.labels[i]
		values[l.label] = valueOf(l.rows[metric])
	}
	value := func(c *report.Curve) float64 {
		if v, ok := values[*c.Label]; ok {
			return v
		}
		return math.NaN()
	}
	slices.SortStableFunc(list, func(a, b *report.Curve) int { return compareLast(value(a), value(b)) })
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
		return []*report.Curve{pooled}, []string{"all examples"}, ""
	case pooled != nil && len(list) < PageCurves:
		list, names = append(list, pooled), append(names, "all labels pooled")
	}
	return list, names, note
}

// compareLast puts NaN last.
func compareLast(a, b float64) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

// Shares is an axis from 0 to 1.
func Shares(label string) picture.Axis { return picture.Axis{Label: label, Min: 0, Max: 1} }

func LineOf(c *report.Curve, name string) picture.Line {
	line := picture.Line{Name: name}
	for i := range c.Points {
		line.Points = append(line.Points, picture.Point{X: c.Points[i].X, Y: c.Points[i].Y})
	}
	return line
}

// CurveRows are some points of each curve, for a table.
func CurveRows(curves []*report.Curve, names []string) (rows [][]string) {
	most := max(6, 24/max(1, len(curves)))
	for i, c := range curves {
		for _, p := range lists.Spread(c.Points, most) {
			rows = append(rows, []string{names[i], Number(p.X), Number(p.Y), Number(p.Threshold)})
		}
	}
	return rows
}

func (g *gallery) confusion() {
	f := g.report.ConfusionOf(pageClasses)
	switch {
	case f == nil:
		g.confusedPairs()
	case f.Matrix != nil && len(f.Names) > 1:
		g.heat(f)
	}
}

func (g *gallery) heat(f *report.Confusion) {
	about := g.About("Confusion matrix", "Each row is a true class: how its examples were predicted, as counts; the darker, the larger the share of the row.")
	names := lists.Map(f.Names, quote.Visible)
	h := picture.Heat{About: about, X: "predicted", Y: "true", Columns: names, Rows: names}
	header, rows := append([]string{"true ↓ predicted →"}, names...), [][]string{}
	n := len(names)
	for i, name := range names {
		total := 0.0
		for _, w := range f.Matrix.Weights[i*n : i*n+n] {
			total += w
		}
		share, texts := make([]float64, n), make([]string, n)
		for j := range names {
			w := f.Matrix.Weights[i*n+j]
			if share[j] = w / total; total == 0 {
				share[j] = 0
			}
			if texts[j] = Grouped(f.Matrix.Counts[i*n+j]); f.Weighted {
				texts[j] = weight(w)
			}
		}
		h.Share, h.Text = append(h.Share, share), append(h.Text, texts)
		row := []string{name}
		for j := range names {
			row = append(row, fmt.Sprintf("%s (%.1f%%)", texts[j], 100*share[j]))
		}
		rows = append(rows, row)
	}
	note := "Counts; the shade is the share of the true class."
	if f.Weighted {
		note = "Sums of weights; the shade is the share of the true class."
	}
	g.Add(about, note, h.SVG(), header, rows, columnRange(2, n+1)...)
	g.List[len(g.List)-1].Wide = n > 12
}

// confusedPairs draws what was confused most often where a matrix would be too large.
func (g *gallery) confusedPairs() {
	totals := map[string]float64{}
	var cells []*report.Cell
	for i := range g.report.Confusion {
		if c := &g.report.Confusion[i]; len(c.Slice) == 0 && c.Label == nil {
			totals[c.True] += c.Weight
			if c.True != c.Predicted && c.Weight > 0 {
				cells = append(cells, c)
			}
		}
	}
	if len(cells) == 0 {
		return
	}
	slices.SortStableFunc(cells, func(a, b *report.Cell) int { return cmp.Compare(b.Weight, a.Weight) })
	about := g.About("Most confused classes", "Pairs of a true class and another that was predicted, by how many examples.")
	chart := picture.Dots{About: about, Label: "examples", Bars: true}
	var rows [][]string
	for _, c := range cells[:min(len(cells), 2*PageCurves)] {
		name := quote.Visible(c.True) + " → " + quote.Visible(c.Predicted)
		chart.Dots = append(chart.Dots, picture.Dot{Name: name, Value: c.Weight, Low: math.NaN(), High: math.NaN()})
		rows = append(rows, []string{name, weight(c.Weight), fmt.Sprintf("%.1f%%", 100*c.Weight/totals[c.True])})
	}
	note := fmt.Sprintf("true → predicted: the %d most frequent of %s pairs.", len(rows), Grouped(int64(len(cells))))
	g.Add(about, note, chart.SVG(), []string{"true → predicted", "examples", "share of the true class"}, rows, 2, 3)
}

func (g *gallery) roc() {
	metric := "roc_auc"
	if g.report.Task == "multiclass" {
		metric = "roc_auc_ovr"
	}
	curves, names, note := g.drawn(report.CurveROC, metric)
	if len(curves) == 0 {
		return
	}
	about := g.About("ROC", "The true positive rate against the false positive rate, as the threshold falls. The diagonal is what chance gives.")
	chart := picture.Lines{About: about, X: Shares("false positive rate"), Y: Shares("true positive rate")}
	chart.Guides = Diagonal()
	for i, c := range curves {
		chart.Lines = append(chart.Lines, LineOf(c, names[i]))
	}
	if x, y, ok := g.operating("fpr", "recall"); ok {
		chart.Marks = append(chart.Marks, picture.Mark{Name: g.operatingName(), Point: picture.Point{X: x, Y: y}})
	}
	g.Add(about, note, chart.SVG(), []string{"curve", "false positive rate", "true positive rate", "threshold"}, CurveRows(curves, names), 2, 3, 4)
}

// operating returns two metrics of a binary task at the threshold.
func (g *gallery) operating(x, y string) (float64, float64, bool) {
	a, b := g.digest.overall[x], g.digest.overall[y]
	ok := g.report.Task == "binary" && a != nil && b != nil && numbers.Finite(a.Value) && numbers.Finite(b.Value) && a.Undefined == "" && b.Undefined == ""
	if !ok {
		return 0, 0, false
	}
	return a.Value, b.Value, true
}

func (g *gallery) operatingName() string {
	if !g.hasThreshold {
		return "as predicted"
	}
	return "at the threshold " + strconv.FormatFloat(g.threshold, 'g', 4, 64)
}

// contours are the values of F1 whose lines are drawn.
var contours = []float64{0.2, 0.4, 0.6, 0.8}

// EqualF1 returns lines that join points of equal F1.
func EqualF1() (guides []picture.Guide) {
	for _, f := range contours {
		guide := picture.Guide{Text: "F1 " + strconv.FormatFloat(f, 'g', -1, 64), At: picture.Point{X: f, Y: f}}
		for i := range 41 { // from precision 1 to recall 1
			recall := f/(2-f) + (1-f/(2-f))*float64(i)/40
			guide.Points = append(guide.Points, picture.Point{X: recall, Y: f * recall / (2*recall - f)})
		}
		guides = append(guides, guide)
	}
	return guides
}

// Diagonal is what chance gives, or what right probabilities give.
func Diagonal() []picture.Guide {
	return []picture.Guide{{Points: []picture.Point{{X: 0, Y: 0}, {X: 1, Y: 1}}}}
}

func (g *gallery) precisionRecall() {
	curves, names, note := g.drawn(report.CurvePR, "average_precision")
	if len(curves) == 0 {
		return
	}
	about := g.About("Precision and recall", "Precision against recall, as the threshold falls. The thin lines join points of equal F1.")
	chart := picture.Lines{About: about, X: Shares("recall"), Y: Shares("precision")}
	chart.Guides = EqualF1()
	for i, c := range curves {
		chart.Lines = append(chart.Lines, LineOf(c, names[i]))
	}
	if x, y, ok := g.operating("recall", "precision"); ok {
		chart.Marks = append(chart.Marks, picture.Mark{Name: g.operatingName(), Point: picture.Point{X: x, Y: y}})
	}
	g.Add(about, note, chart.SVG(), []string{"curve", "recall", "precision", "threshold"}, CurveRows(curves, names), 2, 3, 4)
}

func (g *gallery) reliability() {
	c := g.curves.Find(report.CurveCalibration, nil)
	if c == nil {
		return
	}
	about := g.About("Reliability", "The share of positives against the mean predicted probability of each bin, and below how many examples the bins have. On the diagonal, probabilities are right.")
	chart := picture.Lines{About: about, X: Shares("mean predicted probability"), Y: Shares("share of positives")}
	chart.Guides = Diagonal()
	line := LineOf(c, "bins")
	line.Marked = true
	chart.Lines = []picture.Line{line}
	bars := &picture.Bars{Label: "weight", Names: []string{"positive", "negative"}}
	note := ""
	switch g.report.Task {
	case "multiclass":
		note, chart.Y.Label, bars.Names = "Of the predicted classes.", "share that is right", []string{"right", "wrong"}
	case "multilabel":
		note = "All labels pooled."
	}
	var rows [][]string
	for i := range c.Points {
		p, end := &c.Points[i], 1.0
		if i+1 < len(c.Points) {
			end = c.Points[i+1].Threshold
		}
		if p.Weight > 0 && numbers.Finite(p.Y) && numbers.Finite(p.Threshold) {
			bars.Bars = append(bars.Bars, picture.Bar{From: p.Threshold, To: end, Parts: []float64{p.Weight * p.Y, p.Weight * (1 - p.Y)}})
		}
		bin := Number(p.Threshold) + " to " + Number(end)
		if !numbers.Finite(p.Threshold) {
			bin = strconv.Itoa(i + 1)
		}
		rows = append(rows, []string{bin, Number(p.X), Number(p.Y), weight(p.Weight)})
	}
	if len(bars.Bars) > 0 { // bins of equal weight have no edges
		chart.Bars = bars
	}
	g.Add(about, note, chart.SVG(), []string{"bin", "mean probability", chart.Y.Label, "weight"}, lists.Spread(rows, 50), 2, 3, 4)
}

// AtThresholds yields the points of a precision-recall curve that have a threshold, with their F1.
func AtThresholds(c *report.Curve) iter.Seq2[*report.CurvePoint, float64] {
	return func(yield func(*report.CurvePoint, float64) bool) {
		for i := range c.Points {
			p := &c.Points[i]
			if !numbers.Finite(p.Threshold) || !numbers.Finite(p.X) || !numbers.Finite(p.Y) {
				continue
			}
			f1 := 0.0
			if p.X+p.Y > 0 {
				f1 = 2 * p.X * p.Y / (p.X + p.Y)
			}
			if !yield(p, f1) {
				return
			}
		}
	}
}

// ThresholdAxis returns the axis of lines over thresholds: from 0 to 1 if that holds them. It is
// not ok if there are too few to draw.
func ThresholdAxis(lines []picture.Line) (axis picture.Axis, ok bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, line := range lines {
		for _, p := range line.Points {
			low, high = min(low, p.X), max(high, p.X)
		}
	}
	if ok = high > low; ok && low >= 0 && high <= 1 {
		low, high = 0, 1
	}
	return picture.Axis{Label: "threshold", Min: low, Max: high}, ok
}

// thresholds draws precision, recall and F1 against the threshold.
func (g *gallery) thresholds() {
	c := g.curves.Find(report.CurvePR, nil)
	if c == nil || g.report.Task == "multiclass" {
		return
	}
	lines := []picture.Line{{Name: "precision"}, {Name: "recall"}, {Name: "F1"}}
	var rows [][]string
	for p, f1 := range AtThresholds(c) {
		for j, y := range []float64{p.Y, p.X, f1} {
			lines[j].Points = append(lines[j].Points, picture.Point{X: p.Threshold, Y: y})
		}
		rows = append(rows, []string{Number(p.Threshold), Number(p.Y), Number(p.X), Number(f1)})
	}
	axis, ok := ThresholdAxis(lines)
	if !ok {
		return
	}
	about := g.About("Thresholds", "Precision, recall and F1 at each threshold: the score from which on an example is predicted positive.")
	chart := picture.Lines{About: about, X: axis, Y: Shares(""), Lines: lines}
	if t := g.threshold; g.hasThreshold && t >= axis.Min && t <= axis.Max {
		chart.Guides = []picture.Guide{{Points: []picture.Point{{X: t, Y: 0}, {X: t, Y: 1}}}}
	}
	note := "The vertical line is the threshold in use."
	if chart.Guides == nil {
		note = ""
	}
	if g.report.Task == "multilabel" {
		note = strings.TrimSpace("All labels pooled. " + note)
	}
	g.Add(about, note, chart.SVG(), []string{"threshold", "precision", "recall", "F1"}, lists.Spread(rows, 24), 1, 2, 3, 4)
}

// cutoffs draws the metrics that have a cut-off, for ranking.
func (g *gallery) cutoffs() {
	if g.report.Task != "ranking" {
		return
	}
	var chart picture.Lines
	var rows [][]string
	last := 0.0
	values := map[float64]bool{}
	for _, name := range g.digest.names { // sorted by name, then cut-off
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
		line.Points = append(line.Points, picture.Point{X: k, Y: row.Value})
		rows = append(rows, []string{name, value(row)})
		last, values[k] = max(last, k), true
	}
	if len(values) < 2 {
		return
	}
	about := g.About("Metrics by cut-off", "How metrics change with the number k of items at the top that they judge.")
	chart.About, chart.X, chart.Y = about, picture.Axis{Label: "k", Min: 0, Max: last}, Shares("")
	g.Add(about, "", chart.SVG(), []string{"metric", "value"}, rows, 2)
}

// CutoffMetrics are those that lie between 0 and 1.
var CutoffMetrics = []string{"ndcg", "map", "precision", "recall", "hit_rate", "mrr"}

// slices draws the metric by which slices are sorted.
func (g *gallery) slices() {
	name, _ := g.digest.judged()
	if name == "" {
		return
	}
	kept, note := g.digest.worst(PageSlices)
	g.dots("Slices", note, name, kept, func(l *line) string { return l.slice.String() })
}

// labels draws a metric of each label.
func (g *gallery) labels() {
	for _, name := range []string{"f1", "recall", "roc_auc"} {
		if !slices.Contains(g.digest.columns, name) {
			continue
		}
		kept := slices.Clone(g.digest.labels)
		slices.SortStableFunc(kept, func(a, b line) int { return compareLast(valueOf(a.rows[name]), valueOf(b.rows[name])) })
		kept = kept[:min(len(kept), PageCurves)]
		kind, note := "Labels", ""
		if g.report.Task == "multiclass" {
			kind = "Classes"
		}
		if len(kept) < len(g.digest.labels) {
			note = fmt.Sprintf("The %d lowest of %s.", len(kept), Grouped(int64(len(g.digest.labels))))
		}
		g.dots(kind, note, name, kept, func(l *line) string { return quote.Visible(l.label) })
		return
	}
}

func valueOf(row *report.Row) float64 {
	if row == nil {
		return math.NaN()
	}
	return row.Value
}

// dots draws a metric of slices or labels.
func (g *gallery) dots(kind, note, metric string, lines []line, name func(*line) string) {
	about := g.About(kind+": "+metric, "The value of each, with its confidence interval where there is one.")
	chart := picture.Dots{About: about, Label: metric}
	var rows [][]string
	for i := range lines {
		row := lines[i].rows[metric]
		if row == nil || !numbers.Finite(row.Value) {
			continue
		}
		dot := picture.Dot{Name: name(&lines[i]), Value: row.Value, Low: math.NaN(), High: math.NaN()}
		if row.Confidence.HasInterval() {
			dot.Low, dot.High = row.Confidence.Low, row.Confidence.High
		}
		chart.Dots = append(chart.Dots, dot)
		rows = append(rows, []string{dot.Name, value(row), Grouped(row.Support)})
	}
	if len(rows) == 0 {
		return
	}
	if row := g.digest.overall[metric]; row != nil && numbers.Finite(row.Value) {
		chart.Reference = &picture.Mark{Name: "overall: " + value(row), Point: picture.Point{X: row.Value}}
	}
	g.Add(about, note, chart.SVG(), []string{strings.ToLower(kind), metric, "support"}, rows, 2, 3)
}
