package document

import (
	"fmt"
	"html/template"
	"iter"
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

// Add adds a picture and its data.
func (g *Gallery) Add(about picture.About, note, svg string, numbers *Table) {
	numbers.Name = "Data: " + about.Title
	g.List = append(g.List, Picture{Title: about.Title, Note: note, SVG: template.HTML(svg), Numbers: numbers}) // package picture escapes all text
}

// Front returns the number of curves that are not grey.
func (p *Plot) Front() int { return len(p.Curves) - p.Back }

// lines adds a picture of curves.
func (g *Gallery) lines(about picture.About, p Plot, chart *picture.Lines) {
	chart.About, chart.Chosen = about, p.Chosen
	for i, c := range p.Curves {
		line := lineOf(c, p.Names[i])
		if line.Back = i >= p.Front(); !line.Back {
			line.Marked = c.Name == report.CurveCalibration
			line.Spots = spots(c, p.Rows[i], MostSpots/min(p.Front(), 2))
			if line.Marked {
				line.Spots = spots(c, p.Rows[i], len(c.Points))
			}
		}
		chart.Lines = append(chart.Lines, line)
	}
	g.Add(about, p.Note, chart.SVG(), NumbersOf(curveRows(p.Curves[:p.Front()], p.Rows), g.Row, chart.X.Label, chart.Y.Label, "threshold"))
}

// ROC draws the ROC curves.
func (g *Gallery) ROC() {
	if p := g.Plot(report.CurveROC, "roc_auc"); len(p.Curves) > 0 {
		about := g.About("ROC", "The true positive rate"+g.Both+" against the false positive rate, as the threshold falls. The diagonal is what chance gives.")
		g.lines(about, p, &picture.Lines{X: Shares("false positive rate"), Y: Shares("true positive rate"), Guides: Diagonal(), Marks: g.Marks(&p, "fpr", "recall")})
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
		g.lines(about, p, &picture.Lines{X: Shares("recall"), Y: Shares("precision"), Guides: equalF1(), Marks: marks})
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
	chart := &picture.Lines{X: Shares("mean predicted probability"), Y: Shares("share of positives"), Guides: Diagonal()}
	parts := []string{"positive", "negative"}
	switch single := len(p.Curves) == 1 && g.Both == ""; {
	case single && g.Task == "multiclass":
		p.Note, chart.Y.Label, parts = "Of the predicted classes.", "share that is right", []string{"right", "wrong"}
	case single && g.Task == "multilabel":
		p.Note = "All labels pooled."
	case g.Both != "" && g.Task == "multiclass":
		p.Note, chart.Y.Label = Join("Of the predicted classes.", p.Note), "share that is right"
	case g.Both != "" && g.Task == "multilabel":
		p.Note = Join("All labels pooled.", p.Note)
	}
	more := "," + g.Both
	if len(p.Curves) == 1 && g.Both == "" {
		more = ", and below how many examples the bins have"
	}
	about := g.About("Reliability", "The share of positives against the mean predicted probability of each bin"+more+". On the diagonal, probabilities are right.")
	if len(p.Curves) > 1 || g.Both != "" {
		g.lines(about, p, chart)
		return
	}
	line := lineOf(p.Curves[0], "bins")
	line.Marked = true
	line.Spots = spots(p.Curves[0], "", len(p.Curves[0].Points))
	chart.About, chart.Lines = about, []picture.Line{line}
	if fit != nil {
		chart.Lines = append(chart.Lines, levels(fit))
		p.Note = g.shade(chart, p.Note)
	}
	columns := []string{"bin", "mean probability", chart.Y.Label, "weight"}
	var rows [][]string
	chart.Bars, rows = bins(p.Curves[0], parts)
	if chart.Bands == nil && areCounts(p.Curves[0], g.Examples) {
		columns = append(columns, "if calibrated, in 95 % of samples")
		for i := range rows {
			text := "-"
			if b, ok := consistent(&p.Curves[0].Points[i]); ok {
				chart.Bands = append(chart.Bands, b)
				text = Number(b.Low) + " to " + Number(b.High)
			}
			rows[i] = append(rows[i], text)
		}
		if len(chart.Bands) > 0 {
			p.Note = Join(p.Note, "Bands: where 95 % of samples are if probabilities are right.")
		}
	}
	g.Add(about, p.Note, chart.SVG(), NumbersOf(collections.Spread(rows, 50), columns[0], columns[1:]...))
}

// fit draws an isotonic fit alone.
func (g *Gallery) fit(c *report.Curve) {
	line := levels(c)
	about := g.About("Reliability", "The share of positives by probability: an isotonic fit. On the diagonal, probabilities are right.")
	chart := &picture.Lines{About: about, X: Shares("probability"), Y: Shares("share of positives"), Guides: Diagonal(), Lines: []picture.Line{line}}
	note := g.shade(chart, "")
	g.Add(about, note, chart.SVG(), NumbersOf(curveRows([]*report.Curve{c}, []string{line.Name}), g.Row, chart.X.Label, chart.Y.Label, "score"))
}

// shade fills the consistency band of the isotonic fit, if there is one, and adds to a note what it is. A diagram
// has it in place of the bands of bins, which are binomial: the blocks of a fit depend on the labels, so that bands
// of bins would cover as little as 42 % of it.
func (g *Gallery) shade(chart *picture.Lines, note string) string {
	if chart.Bands = g.fitBands(); chart.Bands == nil {
		return note
	}
	chart.Filled = true
	return Join(note, "Shaded: where the isotonic fit is in 95 % of samples if probabilities are right.")
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

// bins returns bars for the weights of the calibration bins, and their numbers. Bins of equal
// weight have no edges and therefore no bars.
func bins(c *report.Curve, parts []string) (bars *picture.Bars, rows [][]string) {
	var list []picture.Bar
	for i := range c.Points {
		p, end := &c.Points[i], 1.0
		if i+1 < len(c.Points) {
			end = c.Points[i+1].Threshold
		}
		if p.Weight > 0 && floats.Finite(p.Y) && floats.Finite(p.Threshold) {
			tip := fmt.Sprintf("%s to %s: %s %s, %s %s", Number(p.Threshold), Number(end), Weight(p.Weight*p.Y), parts[0], Weight(p.Weight*(1-p.Y)), parts[1])
			list = append(list, picture.Bar{From: p.Threshold, To: end, Parts: []float64{p.Weight * p.Y, p.Weight * (1 - p.Y)}, Tip: tip})
		}
		bin := Number(p.Threshold) + " to " + Number(end)
		if !floats.Finite(p.Threshold) {
			bin = strconv.Itoa(i + 1)
		}
		rows = append(rows, []string{bin, Number(p.X), Number(p.Y), Weight(p.Weight)})
	}
	if len(list) > 0 {
		bars = &picture.Bars{Label: "weight", Names: parts, Bars: list}
	}
	return bars, rows
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

// MostSpots is the maximum number of points of a curve that show their numbers.
const MostSpots = 16

// spots returns at most most points of a curve with their numbers.
func spots(c *report.Curve, name string, most int) (list []picture.Spot) {
	if name != "" {
		name += ": "
	}
	of := map[string]string{
		report.CurveROC:         "FPR %s, TPR %s at %s",
		report.CurvePR:          "recall %s, precision %s at %s",
		report.CurveCalibration: "probability %s, positives %s, weight %s",
	}[c.Name]
	for _, p := range collections.Spread(c.Points, most) {
		third := Number(p.Threshold)
		if c.Name == report.CurveCalibration {
			third = Weight(p.Weight)
		}
		list = append(list, picture.Spot{Point: picture.Point{X: p.X, Y: p.Y}, Tip: name + fmt.Sprintf(of, Number(p.X), Number(p.Y), third)})
	}
	return list
}

// curveRows returns a sample of the points of each curve for a table.
func curveRows(curves []*report.Curve, names []string) (rows [][]string) {
	most := max(4, 24/max(1, len(curves)))
	for i, c := range curves {
		for _, p := range collections.Spread(c.Points, most) {
			rows = append(rows, []string{names[i], Number(p.X), Number(p.Y), Number(p.Threshold)})
		}
	}
	return rows
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

// AtThresholds yields the points of a precision-recall curve that have a threshold, with their F1.
func AtThresholds(c *report.Curve) iter.Seq2[*report.CurvePoint, float64] {
	return func(yield func(*report.CurvePoint, float64) bool) {
		for i := range c.Points {
			p := &c.Points[i]
			if !floats.Finite(p.Threshold) || !floats.Finite(p.X) || !floats.Finite(p.Y) {
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
