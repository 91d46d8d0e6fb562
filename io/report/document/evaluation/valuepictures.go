package evaluation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
)

// The limits of pictures of values.
const (
	valueBins    = 40 // of a histogram, and on each axis of a two-dimensional one
	valueColumns = 10 // of the table of a two-dimensional histogram
	queryBins    = 20
)

// drawn reports whether a bin can be part of a picture.
func drawn(b *report.Bin) bool {
	return drawable(b.From, b.To) && b.Weight > 0 && floats.Finite(b.Weight)
}

// drawable reports whether an axis can show the numbers in a range.
func drawable(from, to float64) bool {
	const most = 0x1p1000
	return math.Abs(from) <= most && from <= to && to <= 2*most
}

// shownBins returns the bins of a histogram that a picture can show, the unit of their weights, and
// a note about the examples in other bins.
func shownBins(h *report.Histogram, noun string) (bins []report.Bin, unit, note string) {
	unit = noun + "s"
	if noun == "query" {
		unit = "queries"
	}
	others := int64(0)
	for i := range h.Bins {
		b := &h.Bins[i]
		if b.Weight != float64(b.Count) {
			unit = "weight"
		}
		if drawn(b) {
			bins = append(bins, *b)
		} else {
			others += b.Count
		}
	}
	switch {
	case others > 0 && noun == "query":
		note = "Without " + document.Plural(others, noun) + " that it is undefined for."
	case others > 0:
		note = "Without " + document.Plural(others, noun) + " with infinite or far too large values."
	}
	return bins, unit, note
}

// residuals draws the histogram of the residuals of a regression.
func (g *gallery) residuals() {
	h := g.report.Histogram(report.HistogramResidual)
	if h == nil {
		return
	}
	bins, unit, note := shownBins(h, "example")
	if len(bins) == 0 {
		return
	}
	s := newScale(collections.Map(bins, func(b report.Bin) span { return span{b.From, b.To, b.Weight} }), valueBins)
	weights, far := make([]float64, s.n), farther{}
	for _, b := range bins {
		if i := s.place(b.From); i >= 0 && i < s.n {
			weights[i] += b.Weight
		} else {
			far.add(&b, &s, b.From)
		}
	}
	g.bars("Residuals", "How many examples have which residual: the true value less the predicted one. Right of 0, predictions are too low.",
		document.Join(note, far.note()), "true − predicted", unit, s, weights, true)
}

// quantiles draws how many labels are below the forecasts of quantiles, and the PIT histogram: where
// the labels lie between these.
func (g *gallery) quantiles() {
	line := picture.Line{Marked: true}
	bars := &picture.Bars{Label: "density"}
	numbers := document.NumbersBy("level", "share of labels at or below")
	last := picture.Point{}
	between := func(to picture.Point) {
		if width := to.X - last.X; width > 0 && to.Y >= last.Y {
			density := (to.Y - last.Y) / width
			tip := fmt.Sprintf("%s of the labels between the quantiles %s and %s", document.Number(to.Y-last.Y), document.SixDigits(last.X), document.SixDigits(to.X))
			bars.Bars = append(bars.Bars, picture.Bar{From: last.X, To: to.X, Parts: []float64{density}, Tip: tip})
		}
		last = to
	}
	for _, name := range g.digest.names { // sorted by level
		text, found := strings.CutPrefix(name, "quantile_coverage@")
		level, err := strconv.ParseFloat(text, 64)
		row := g.digest.overall[name]
		if !found || err != nil || !floats.Finite(row.Value) {
			continue
		}
		at := picture.Point{X: level, Y: row.Value}
		line.Add(at.X, at.Y, numbers.Add(text, document.Value(row)))
		between(at)
	}
	if len(numbers.Rows) == 0 {
		return
	}
	between(picture.Point{X: 1, Y: 1})
	about := g.About("Quantiles", "The share of labels at or below the forecast of each quantile, and below the PIT histogram: the density of labels between these forecasts. On the diagonal, and where the density is 1, forecasts are calibrated.")
	chart := &picture.Lines{About: about, X: document.Shares("level of the quantile"), Y: document.Shares("share of labels"), Guides: document.Diagonal(), Lines: []picture.Line{line}, Bars: bars}
	g.Add(chart, numbers)
}

// queries draws the distributions of the best-known metrics over the queries.
func (g *gallery) queries() {
	list := g.report.Histograms
	if len(list) == 0 {
		list = queryHistograms(g.report.Queries, g.digest.headlines)
	}
	drawn := 0
	for i := range list {
		h := &list[i]
		if drawn == document.PageQueries || !slices.Contains(g.digest.headlines, h.Name) {
			continue
		}
		bins, unit, note := shownBins(h, "query")
		if len(bins) == 0 {
			continue
		}
		s, weights := evenScale(queryBins), make([]float64, queryBins)
		for _, b := range bins {
			at := int(math.Round(b.From * queryBins))
			weights[min(max(at, 0), queryBins-1)] += b.Weight
		}
		g.bars("Queries: "+h.Name, "How many queries have which value.", note, h.Name, unit, s, weights, false)
		drawn++
	}
}

// queryHistograms computes the histogram of the first of the named metrics from the queries of an
// older report, which has no histograms, if the values are in [0, 1].
func queryHistograms(q *report.Queries, names []string) []report.Histogram {
	if q == nil || len(names) == 0 {
		return nil
	}
	of := slices.Index(q.Names, names[0])
	if of < 0 {
		return nil
	}
	h := report.Histogram{Name: names[0], Bins: make([]report.Bin, queryBins+1)}
	for i := range queryBins {
		h.Bins[i].From, h.Bins[i].To = float64(i)/queryBins, float64(i+1)/queryBins
	}
	h.Bins[queryBins].From = math.NaN()
	for i := range q.List {
		at := queryBins
		switch v := q.List[i].Values[of]; {
		case !floats.Finite(v):
		case v < 0 || v > 1:
			return nil
		default:
			at = min(int(v*queryBins), queryBins-1)
		}
		h.Bins[at].Count++
		h.Bins[at].Weight++
	}
	return []report.Histogram{h}
}

// bars draws a histogram.
func (g *gallery) bars(title, desc, note, values, unit string, s scale, weights []float64, signed bool) {
	chart := picture.Bars{About: g.About(title, desc), X: picture.Axis{Label: values, Min: s.border(0), Max: s.border(s.n)}, Label: unit}
	chart.Note = note
	if signed && chart.X.Min < 0 && chart.X.Max > 0 {
		chart.Line = new(0.0)
	}
	total := collections.Sum(slices.Values(weights))
	numbers := document.NumbersOf(nil, values, unit, "share")
	for i, w := range weights {
		tip := numbers.Add(textOf(&s, i), document.Weight(w), shareText(w/total))
		chart.Bars = append(chart.Bars, picture.Bar{From: s.border(i), To: s.border(i + 1), Parts: []float64{w}, Tip: tip})
	}
	g.Add(&chart, numbers)
}

// textOf formats the borders of a bin.
func textOf(s *scale, i int) string { return rangeOf(s, i, i+1) }

// rangeOf formats the borders of the bins from one to before another, all of a scale with as many decimals as tell them apart.
func rangeOf(s *scale, from, to int) string {
	_, exact, _ := strings.Cut(strconv.FormatFloat(s.width, 'f', -1, 64), ".")
	text, places := document.Weight, min(len(exact), max(4, 1-elementary.Exponent10(s.width)))
	if places > 0 && places < 10 {
		text = func(x float64) string { return strconv.FormatFloat(x+0, 'f', places, 64) }
	}
	return text(s.border(from)) + " to " + text(s.border(to))
}

// pairs draws the predicted values of a regression against the true ones, and scores or predictions
// against a baseline's.
func (g *gallery) pairs() {
	g.plane(report.HistogramPairs, planeWords{"Predicted against true", "How many examples have which true and which predicted value: the darker, the more. On the diagonal, predictions are right.", "true", "predicted", "value"})
	value := "score"
	if g.report.Task == "regression" {
		value = "prediction"
	}
	g.plane(report.HistogramMoves, planeWords{"Now against the baseline", "How many examples have which " + value + " of the baseline and which now: the darker, the more. On the diagonal, nothing has changed.", "baseline", "present", value})
}

// planeWords are the words of a two-dimensional histogram: x and y say which values it has.
type planeWords struct{ title, desc, x, y, value string }

// plane draws a two-dimensional histogram.
func (g *gallery) plane(name string, words planeWords) {
	h := g.report.Histogram(name)
	if h == nil {
		return
	}
	bins, unit, note := shownBins(h, "example")
	bins = slices.DeleteFunc(bins, func(b report.Bin) bool { return !drawable(b.YFrom, b.YTo) })
	if len(bins) == 0 {
		return
	}
	var all []span // of both axes, which are the same
	for _, b := range bins {
		all = append(all, span{from: b.From, to: b.To, weight: b.Weight}, span{from: b.YFrom, to: b.YTo, weight: b.Weight})
	}
	s := newScale(all, valueBins)
	weights, far := make([]float64, s.n*s.n), farther{}
	for _, b := range bins {
		i, j := s.place(b.From), s.place(b.YFrom)
		if i >= 0 && i < s.n && j >= 0 && j < s.n {
			weights[i*s.n+j] += b.Weight
		} else {
			far.add(&b, &s, b.From, b.YFrom)
		}
	}
	axis := func(label string) picture.Axis {
		return picture.Axis{Label: label, Min: s.border(0), Max: s.border(s.n)}
	}
	chart := picture.Plane{About: g.About(words.title, words.desc), X: axis(words.x + " " + words.value), Y: axis(words.y + " " + words.value)}
	for i := range s.n {
		for j := range s.n {
			if w := weights[i*s.n+j]; w > 0 {
				tip := fmt.Sprintf("%s %s, %s %s: %s %s", words.x, textOf(&s, i), words.y, textOf(&s, j), document.Weight(w), unit)
				chart.Boxes = append(chart.Boxes, picture.Box{X: s.border(i), Y: s.border(j), Size: s.width, Weight: w, Text: document.Weight(w), Tip: tip})
			}
		}
	}
	chart.Note = document.Join("Shades: "+unit+" in a cell.", note, far.note())
	g.Add(&chart, tableOf(&s, weights, words.x+" ↓ "+words.y+" →"))
}

// tableOf returns the numbers of a two-dimensional picture in fewer and larger bins.
func tableOf(s *scale, weights []float64, name string) *document.Table {
	var header []string
	var rows [][]string
	step := (s.n + valueColumns - 1) / valueColumns
	text := func(i int) string { return rangeOf(s, i, min(i+step, s.n)) }
	for j := 0; j < s.n; j += step {
		header = append(header, text(j))
	}
	for i := 0; i < s.n; i += step {
		row := []string{text(i)}
		for j := 0; j < s.n; j += step {
			sum := 0.0
			for k := i; k < min(i+step, s.n); k++ {
				for _, w := range weights[k*s.n:][j:min(j+step, s.n)] {
					sum += w
				}
			}
			row = append(row, document.Weight(sum))
		}
		rows = append(rows, row)
	}
	return document.NumbersOf(rows, name, header...)
}

// farther counts the examples outside a picture and collects their values.
type farther struct {
	examples int64
	values   []float64
}

// add counts a bin that has values outside the scale.
func (f *farther) add(b *report.Bin, s *scale, values ...float64) {
	f.examples += b.Count
	for _, x := range values {
		if i := s.place(x); i < 0 || i == s.n {
			f.values = append(f.values, x)
		}
	}
}

func (f *farther) note() string {
	if len(f.values) == 0 {
		return ""
	}
	low, high := document.Weight(slices.Min(f.values)), document.Weight(slices.Max(f.values))
	if low == high {
		return fmt.Sprintf("Without %s far from the others, at about %s.", document.Plural(f.examples, "example"), low)
	}
	return fmt.Sprintf("Without %s far from the others, from %s to %s.", document.Plural(f.examples, "example"), low, high)
}
