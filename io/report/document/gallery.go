package document

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/picture"
)

// Picture is a picture in report.html with its numbers.
type Picture struct {
	Title, Note string
	Open        bool // the numbers are shown at once, beside the picture
	SVG         template.HTML
	Numbers     *Table
}

// The sizes of what a page shows around a picture, in pixels, and the unit of heights. page/style.css has a class for
// each height, so that charts of different heights leave no holes.
const (
	aroundPicture = 84  // the title, the link to the data, and the margins
	lineOfNote    = 20  // high
	noteWidth     = 6.6 // of a character
	heightUnit    = 40
	mostHigh      = 24 // units
)

// Class returns how much room a page has for the picture: the columns and the height.
func (p Picture) Class() string {
	var width, height float64
	if _, err := fmt.Sscanf(string(p.SVG), `<svg viewBox="0 0 %g %g"`, &width, &height); err != nil {
		return "" // it is no picture of package picture
	}
	class, charts := "", 1
	switch {
	case p.Open:
		class, charts = "open ", 2
	case width > float64(picture.Width(2)):
		class, charts = "wide ", 3
	case width > float64(picture.Width(1)):
		class, charts = "broad ", 2
	}
	notes := math.Ceil(float64(utf8.RuneCountInString(p.Note)) * noteWidth / float64(picture.Width(charts)))
	return fmt.Sprintf("%sr%d", class, min(int(math.Ceil((height+aroundPicture+float64(notes*lineOfNote))/heightUnit)), mostHigh))
}

// Gallery draws the pictures of a report, or of both sides of a comparison.
type Gallery struct {
	Task  string
	Both  string                                    // added to descriptions of pictures with two sides; "" for a report
	Row   string                                    // what a row of the tables of points is
	Plot  func(kind, metric string) Plot            // the curves of a kind; metric distinguishes them
	Marks func(p *Plot, x, y string) []picture.Mark // where decisions are, in terms of two metrics
	List  []Picture
	// Examples is the number of examples that calibration bins have if all of them weigh 1 and are
	// independent; 0 if that is not known.
	Examples int64
}

// The limits of pictures.
const (
	PageCurves  = 10 // of labels, in one picture
	PageSlices  = 20 // in one picture
	PageQueries = 4  // histograms of metrics of queries
	MostRows    = 24 // of the table of a chart of curves
	mostBins    = 50 // of a calibration curve
)

// CutoffMetrics are the metrics with a cut-off that lie between 0 and 1.
var CutoffMetrics = []string{"ndcg", "map", "precision", "recall", "hit_rate", "mrr"}

// Plot holds the curves of a picture, their names in the picture and its table, and a note.
type Plot struct {
	Curves      []*report.Curve
	Back        int // number of curves, the last ones, that are grey and behind the others
	Names, Rows []string
	Note        string
	Chosen      string // what the script draws for a label that readers choose; "" for nothing
}

// About describes the next picture and assigns its id.
func (g *Gallery) About(title, desc string) picture.About {
	return picture.About{ID: "p" + strconv.Itoa(len(g.List)+1), Title: title, Desc: desc}
}

// Chart is a chart of any kind of package picture.
type Chart interface {
	Heading() *picture.About
	SVG() string
}

// Add draws a chart and adds it with the table of its numbers.
func (g *Gallery) Add(chart Chart, numbers *Table) {
	about := chart.Heading()
	numbers.Name = "Data: " + about.Title
	g.List = append(g.List, Picture{Title: about.Title, Note: about.Note, SVG: template.HTML(chart.SVG()), Numbers: numbers}) // package picture escapes all text
}

// Front returns the number of curves that are not grey.
func (p *Plot) Front() int { return len(p.Curves) - p.Back }

// lines adds a picture of curves.
func (g *Gallery) lines(chart picture.Lines, p Plot) {
	chart.Note, chart.Chosen = p.Note, p.Chosen
	numbers := NumbersOf(nil, g.Row, chart.X.Label, chart.Y.Label, "threshold")
	for i, c := range p.Curves {
		line, most, last := lineOf(c, p.Names[i]), max(4, MostRows/p.Front()), func(p report.CurvePoint) string { return Number(p.Threshold) }
		line.Back = i >= p.Front()
		if c.Name == report.CurveCalibration {
			line.Marked, most, numbers.Columns[3].Name = true, mostBins, "weight"
			last = func(p report.CurvePoint) string { return Weight(p.Weight) }
		}
		for _, at := range collections.Spread(c.Points, most) {
			if !line.Back {
				line.Show(at.X, at.Y, numbers.Add(p.Rows[i], Number(at.X), Number(at.Y), last(at)))
			}
		}
		chart.Lines = append(chart.Lines, line)
	}
	g.Add(&chart, numbers)
}

// ROC draws the ROC curves.
func (g *Gallery) ROC() {
	if p := g.Plot(report.CurveROC, "roc_auc"); len(p.Curves) > 0 {
		about := g.About("ROC", "The true positive rate"+g.Both+" against the false positive rate, as the threshold falls. The diagonal is what chance gives.")
		g.lines(picture.Lines{About: about, X: Shares("false positive rate"), Y: Shares("true positive rate"), Guides: Diagonal(), Marks: g.Marks(&p, "fpr", "recall")}, p)
	}
}

// PrecisionRecall draws the precision-recall curves.
func (g *Gallery) PrecisionRecall() {
	p := g.Plot(report.CurvePR, "average_precision")
	g.PrecisionRecallOf("Precision and recall", p, g.Marks(&p, "recall", "precision"))
}

// PrecisionRecallOf draws the given precision-recall curves, if there are any.
func (g *Gallery) PrecisionRecallOf(title string, p Plot, marks []picture.Mark) {
	if len(p.Curves) > 0 {
		about := g.About(title, "Precision"+g.Both+" against recall, as the threshold falls. The thin lines join points of equal F1.")
		g.lines(picture.Lines{About: about, X: Shares("recall"), Y: Shares("precision"), Guides: equalF1(), Marks: marks}, p)
	}
}

// Reliability draws the calibration curves and, for a single report, the number of examples in each
// bin.
func (g *Gallery) Reliability() {
	p, fit := g.Plot(report.CurveCalibration, "ece"), g.isotonic(report.CurveIsotonic)
	if len(p.Curves) == 0 {
		if fit != nil {
			g.fit(fit)
		}
		return
	}
	chart := picture.Lines{X: Shares("mean predicted probability"), Y: Shares("share of positives"), Guides: Diagonal()}
	parts := []string{"positive", "negative"}
	single := len(p.Curves) == 1 && g.Both == ""
	switch pooled := single || g.Both != ""; {
	case pooled && g.Task == "multiclass":
		p.Note, chart.Y.Label, parts = Join("Of the predicted classes.", p.Note), "share that is right", []string{"right", "wrong"}
	case pooled && g.Task == "multilabel":
		p.Note = Join("All labels pooled.", p.Note)
	}
	more := "," + g.Both
	if single {
		more = ", and below how many examples the bins have"
	}
	chart.About = g.About("Reliability", "The share of positives against the mean predicted probability of each bin"+more+". On the diagonal, probabilities are right.")
	if !single {
		g.lines(chart, p)
		return
	}
	chart.Note = p.Note
	if fit != nil {
		g.shade(&chart)
	}
	numbers := g.bins(&chart, p.Curves[0], parts)
	if fit != nil {
		chart.Lines = append(chart.Lines, levels(fit))
	}
	g.Add(&chart, numbers)
}

// fit draws an isotonic fit alone.
func (g *Gallery) fit(c *report.Curve) {
	line := levels(c)
	about := g.About("Reliability", "The share of positives by probability: an isotonic fit. On the diagonal, probabilities are right.")
	chart := picture.Lines{About: about, X: Shares("probability"), Y: Shares("share of positives"), Guides: Diagonal(), Lines: []picture.Line{line}}
	g.shade(&chart)
	numbers := NumbersOf(nil, g.Row, chart.X.Label, chart.Y.Label, "score")
	for _, p := range collections.Spread(c.Points, MostRows) {
		numbers.Add(line.Name, Number(p.X), Number(p.Y), Number(p.Threshold))
	}
	g.Add(&chart, numbers)
}

// shade fills the consistency band of the isotonic fit, if there is one, and notes what it is. A diagram
// has it in place of the bands of bins, which are binomial: the blocks of a fit depend on the labels, so that bands
// of bins would cover as little as 42 % of it.
func (g *Gallery) shade(chart *picture.Lines) {
	if chart.Bands = g.fitBands(); chart.Bands != nil {
		chart.Filled = true
		chart.Note = Join(chart.Note, "Shaded: where the isotonic fit is in 95 % of samples if probabilities are right.")
	}
}

// fitBands returns the consistency band of the isotonic fit, or nil.
func (g *Gallery) fitBands() (bands []picture.Band) {
	low, high := g.isotonic(report.CurveIsotonicLower), g.isotonic(report.CurveIsotonicUpper)
	if low == nil || high == nil || len(low.Points) != len(high.Points) {
		return nil
	}
	for i, p := range low.Points {
		if b := (picture.Band{X: p.X, Low: p.Y, High: high.Points[i].Y}); floats.Finite(b.X) && floats.Finite(b.Low) && floats.Finite(b.High) {
			bands = append(bands, b)
		}
	}
	return bands
}

// isotonic returns the isotonic fit of a report of a binary task, or an end of its band, or nil.
func (g *Gallery) isotonic(kind string) *report.Curve {
	if p := g.Plot(kind, "miscalibration"); len(p.Curves) == 1 && g.Task == "binary" && g.Both == "" {
		return p.Curves[0]
	}
	return nil
}

// levels returns the line of an isotonic fit, which is level from the start of each block to the
// start of the next.
func levels(c *report.Curve) picture.Line {
	line := picture.Line{Name: "isotonic fit"}
	for i, p := range c.Points {
		if i > 0 {
			line.Points = append(line.Points, picture.Point{X: p.X, Y: c.Points[i-1].Y})
		}
		line.Points = append(line.Points, picture.Point{X: p.X, Y: p.Y})
	}
	if n := len(c.Points); n > 0 {
		line.Points = append(line.Points, picture.Point{X: 1, Y: c.Points[n-1].Y})
	}
	return line
}

// areCounts reports whether the weights of calibration bins are the numbers of so many examples.
func areCounts(c *report.Curve, examples int64) bool {
	total := 0.0
	for i := range c.Points {
		w := c.Points[i].Weight
		if w != math.Trunc(w) {
			return false
		}
		total += w
	}
	return examples > 0 && total == float64(examples)
}

// leastVariance is the variance of the number of positives below which a bin has no band: it would be
// far from normal.
const leastVariance = 5

// consistent returns where the share of positives of a bin is in 95 % of samples if each example is positive
// with its probability: within 1.96 standard deviations of the mean probability. That takes the
// probabilities in a bin as equal; the variance of others is lower by theirs, which is little. Bins do not depend on
// labels, so there is nothing to resample.
func consistent(p *report.CurvePoint) (b picture.Band, ok bool) {
	variance := p.X * (1 - p.X) * p.Weight
	if !(variance >= leastVariance) {
		return b, false
	}
	reach := float64(1.959963984540054 * (math.Sqrt(variance) / p.Weight))
	return picture.Band{X: p.X, Low: max(p.X-reach, 0), High: min(p.X+reach, 1)}, true
}

// bins adds calibration bins and bars for their weights to a chart, and returns their numbers. Bins of equal weight have no edges
// and therefore no bars. Bins of counts have bands, unless the chart has one of a fit.
func (g *Gallery) bins(chart *picture.Lines, c *report.Curve, parts []string) *Table {
	line, bars := picture.Line{Name: "bins", Marked: true}, picture.Bars{Label: "weight", Names: parts}
	numbers := NumbersOf(nil, "bin", "mean probability", chart.Y.Label, "weight")
	banded := chart.Bands == nil && areCounts(c, g.Examples)
	if banded {
		numbers.Columns = append(numbers.Columns, Column{Name: "if calibrated, in 95 % of samples", Number: true})
	}
	for i := range c.Points {
		p, end := &c.Points[i], 1.0
		if i+1 < len(c.Points) {
			end = c.Points[i+1].Threshold
		}
		row := []string{Number(p.Threshold) + " to " + Number(end), Number(p.X), Number(p.Y), Weight(p.Weight)}
		if !floats.Finite(p.Threshold) {
			row[0] = strconv.Itoa(i + 1)
		}
		if banded {
			row = append(row, "-")
			if b, ok := consistent(p); ok {
				chart.Bands, row[4] = append(chart.Bands, b), Number(b.Low)+" to "+Number(b.High)
			}
		}
		tip := numbers.Add(row...)
		line.Add(p.X, p.Y, tip)
		if p.Weight > 0 && floats.Finite(p.Y) && floats.Finite(p.Threshold) {
			bars.Bars = append(bars.Bars, picture.Bar{From: p.Threshold, To: end, Parts: []float64{p.Weight * p.Y, p.Weight * (1 - p.Y)}, Tip: tip})
		}
	}
	if banded && len(chart.Bands) > 0 {
		chart.Note = Join(chart.Note, "Bands: where 95 % of samples are if probabilities are right.")
	}
	if chart.Lines = append(chart.Lines, line); len(bars.Bars) > 0 {
		chart.Bars = &bars
	}
	numbers.Rows = collections.Spread(numbers.Rows, mostBins)
	return numbers
}

// Shares returns an axis from 0 to 1.
func Shares(label string) picture.Axis { return picture.Axis{Label: label, Min: 0, Max: 1} }

func lineOf(c *report.Curve, name string) picture.Line {
	line := picture.Line{Name: name}
	for i := range c.Points {
		line.Points = append(line.Points, picture.Point{X: c.Points[i].X, Y: c.Points[i].Y})
	}
	return line
}

// contours are the values of F1 for which lines are drawn.
var contours = []float64{0.2, 0.4, 0.6, 0.8}

// equalF1 returns lines that connect points of equal F1.
func equalF1() (guides []picture.Guide) {
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

// Diagonal returns the line of chance, or of perfect calibration.
func Diagonal() []picture.Guide {
	return []picture.Guide{{Points: []picture.Point{{X: 0, Y: 0}, {X: 1, Y: 1}}}}
}

// LinesOver returns lines with these names over the first of the numbers of each row. It adds an even sample of the rows to the
// table, in words, and a line shows each.
func (t *Table) LinesOver(rows [][]float64, most int, words func(row []float64) []string, names ...string) (lines []picture.Line) {
	for j, name := range names {
		lines = append(lines, picture.Line{Name: name, Points: collections.Map(rows, func(row []float64) picture.Point { return picture.Point{X: row[0], Y: row[1+j]} })})
	}
	for i, row := range collections.Spread(rows, most) {
		j := i % len(lines)
		lines[j].Show(row[0], row[1+j], t.Add(words(row)...))
	}
	return lines
}

// Decided is what decisions at a threshold are worth.
type Decided struct{ Threshold, Precision, Recall, F1 float64 }

// AtThresholds returns the points of a precision-recall curve that have a threshold.
func AtThresholds(c *report.Curve) (list []Decided) {
	for _, p := range c.Points {
		if !floats.Finite(p.Threshold) || !floats.Finite(p.X) || !floats.Finite(p.Y) {
			continue
		}
		f1 := 0.0
		if p.X+p.Y > 0 {
			f1 = 2 * p.X * p.Y / (p.X + p.Y)
		}
		list = append(list, Decided{p.Threshold, p.Y, p.X, f1})
	}
	return list
}

// ThresholdAxis returns an axis for lines over thresholds: from 0 to 1 if all are in that range. ok
// is false if there are too few thresholds to draw.
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

// Join joins sentences.
func Join(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}
