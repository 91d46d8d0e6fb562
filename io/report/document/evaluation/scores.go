package evaluation

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
)

// scoreBins is the number of bins of a distribution of scores.
const scoreBins = 20

// scores divides the scores of all labels into the same bins.
type scores struct {
	scale
	most float64 // the largest share that a picture shows
}

// newScores returns the bins for the scores of ROC curves, or nil if all scores are the same:
// probabilities are divided from 0 to 1, others where nearly all of them are.
func newScores(curves report.CurveList) *scores {
	var all []span
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		if c.Name != report.CurveROC {
			continue
		}
		for p, share := range steps(c) {
			if !floats.Finite(p.Threshold) {
				continue
			}
			if !drawable(p.Threshold, p.Threshold) {
				return nil
			}
			low, high = min(low, p.Threshold), max(high, p.Threshold)
			all = append(all, span{from: p.Threshold, to: p.Threshold, weight: share[0] + share[1]})
		}
	}
	if !(high > low) {
		return nil
	}
	s := &scores{scale: evenScale(scoreBins)}
	if low < 0 || high > 1 {
		s.scale = newScale(all, scoreBins)
	}
	for _, c := range curves {
		if c.Name == report.CurveROC {
			of := s.shares(c)
			s.most = max(s.most, slices.Max(of[0]))
			if c.Label == nil {
				s.most = max(s.most, slices.Max(of[1]))
			}
		}
	}
	return s
}

// steps yields the points of a ROC curve with the shares of the positives and of the negatives whose
// scores are between that point and the one before. Thresholds of infinite scores are not finite.
func steps(c *report.Curve) func(yield func(*report.CurvePoint, [2]float64) bool) {
	return func(yield func(*report.CurvePoint, [2]float64) bool) {
		x, y := 0.0, 0.0
		for i := range c.Points {
			p := &c.Points[i]
			if !floats.Finite(p.X) || !floats.Finite(p.Y) || p.X == x && p.Y == y {
				continue
			}
			if !yield(p, [2]float64{p.Y - y, p.X - x}) {
				return
			}
			x, y = p.X, p.Y
		}
	}
}

// shares returns which shares of the positives and of the negatives are in each bin. Those at the
// ends also have the scores beyond.
func (s *scores) shares(c *report.Curve) (of [2][]float64) {
	if s == nil {
		return of
	}
	for kind := range of {
		of[kind] = make([]float64, s.n)
	}
	infinite := s.n - 1 // the bin of infinite scores: the last one if they are above the finite ones, otherwise the first
	for p, share := range steps(c) {
		at := infinite
		if floats.Finite(p.Threshold) {
			at, infinite = min(max(s.place(p.Threshold), 0), s.n-1), 0
		}
		of[0][at] += share[0]
		of[1][at] += share[1]
	}
	return of
}

// line returns the outline of a histogram, with the numbers of its bins.
func (s *scores) line(name string, shares []float64) picture.Line {
	line := picture.Line{Name: name, Points: []picture.Point{{X: s.border(0)}}}
	for i, y := range shares {
		from, to := s.border(i), s.border(i+1)
		line.Points = append(line.Points, picture.Point{X: from, Y: y}, picture.Point{X: to, Y: y})
		if y > 0 {
			line.Show((from+to)/2, y, fmt.Sprintf("%s, %s: %s", name, textOf(&s.scale, i), shareText(y)))
		}
	}
	line.Points = append(line.Points, picture.Point{X: s.border(s.n)})
	return line
}

// Scores draws the distributions of the scores of positives and negatives or, of several labels, of
// their positives.
func (g *gallery) Scores() {
	p := g.plot(report.CurveROC, "roc_auc")
	if g.scores == nil || len(p.Curves) == 0 {
		return
	}
	chart := picture.Lines{About: g.About("Scores", "Which share of the positives, and of the negatives, has a score in each bin. The less they overlap, the better the scores separate them."), X: picture.Axis{Label: "score", Min: g.scores.border(0), Max: g.scores.border(g.scores.n)}, Y: picture.Axis{Label: "share of the class", Max: g.scores.most}}
	names := []string{"positives", "negatives"}
	if len(g.known) > 1 || g.Task != "binary" {
		chart.Desc = "Which share of the positives of each label has a score in each bin."
		names, chart.Note, chart.Chosen = p.Rows, document.Join("The scores of the positives of each.", p.Note), "scores"
	}
	var columns [][]float64
	for i, c := range p.Curves {
		shares := g.scores.shares(c)
		if chart.Chosen == "" {
			chart.Lines = append(chart.Lines, g.scores.line(names[0], shares[0]), g.scores.line(names[1], shares[1]))
			columns = append(columns, shares[0], shares[1])
			break
		}
		line := g.scores.line(p.Rows[i], shares[0])
		line.Name = p.Names[i]
		if line.Back = i >= p.Front(); line.Back {
			line.Spots = nil
		} else {
			columns = append(columns, shares[0])
		}
		chart.Lines = append(chart.Lines, line)
	}
	numbers := document.NumbersOf(nil, "score", names[:len(columns)]...)
	for i := range g.scores.n {
		numbers.Add(append([]string{textOf(&g.scores.scale, i)}, collections.Map(columns, func(shares []float64) string { return shareText(shares[i]) })...)...)
	}
	g.Add(&chart, numbers)
}

// tops are the shares of the highest scores for which the gain is shown.
var tops = []float64{0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}

// gain draws how many of the positives of a binary task are among the examples with the highest
// scores.
func (g *gallery) gain() {
	c := g.outcomes()
	if c == nil {
		return
	}
	line := picture.Line{Name: "gain", Points: []picture.Point{{}}}
	for _, p := range c.points {
		line.Points = append(line.Points, picture.Point{X: (p.of[report.FP] + p.of[report.TP]) / c.all, Y: p.tpr})
	}
	numbers := document.NumbersBy("top", "examples", "positives", "precision", "gain", "lift", "score from")
	at := 1
	for _, top := range tops {
		for at < len(line.Points)-1 && line.Points[at].X < top {
			at++
		}
		if at == len(line.Points) {
			return
		}
		a, b := line.Points[at-1], line.Points[at]
		gain := b.Y
		if top < b.X { // examples of equal score count in parts
			gain = a.Y + (b.Y-a.Y)*(top-a.X)/(b.X-a.X)
		}
		found := gain * c.positives
		tip := numbers.Add(fmt.Sprintf("%.0f%%", 100*top), inParts(top*c.all), inParts(found), shareText(found/(top*c.all)), shareText(gain), fmt.Sprintf("%.2f", gain/top), document.Number(c.points[at-1].threshold))
		line.Show(top, gain, tip)
	}
	about := g.About("Gain and lift", "Which share of the positives is among the examples with the highest scores, by how many of these are taken. The dotted lines are what chance and what perfect scores give.")
	best := c.positives / c.all
	chart := picture.Lines{About: about, X: document.Shares("share of the examples, from the highest score"), Y: document.Shares("gain: share of the positives found"), Lines: []picture.Line{line}}
	chart.Guides = append(document.Diagonal(), picture.Guide{Points: []picture.Point{{}, {X: best, Y: 1}, {X: 1, Y: 1}}})
	chart.Note = "Lift is the precision divided by the share of positives. Examples of equal score count in parts."
	g.Add(&chart, numbers)
	g.List[len(g.List)-1].Open = true
}

// inParts formats a number of examples; the last example may count in part.
func inParts(x float64) string {
	if x = rounded(x); x == math.Trunc(x) || math.Abs(x) >= 1e6 {
		return document.Weight(math.Round(x))
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

// costsAt returns rows of a threshold, what an example costs there on average, and FP and FN if they are known; nil without
// costs of the outcomes or of the rows. It names the costs.
func (g *gallery) costsAt() (rows [][]float64, whose string) {
	if c := g.curves.Find(report.CurveCost, nil); c != nil {
		for _, p := range c.Points {
			rows = append(rows, []float64{p.Threshold, p.Y})
		}
		return rows, "by the costs of its row"
	}
	c, of := g.outcomes(), g.config.CostsOfOutcomes()
	if c == nil || of == nil {
		return nil, ""
	}
	for _, p := range c.points {
		cost := 0.0
		for cell, n := range p.of {
			cost += float64(n / c.all * of[cell])
		}
		rows = append(rows, []float64{p.threshold, cost, p.of[report.FP], p.of[report.FN]})
	}
	return rows, "by the costs of the configuration"
}

// costs draws what an example costs on average at each threshold.
func (g *gallery) costs() {
	rows, whose := g.costsAt()
	rows = slices.DeleteFunc(rows, func(row []float64) bool { return !floats.Finite(row[0]) })
	least, most := picture.Point{Y: math.Inf(1)}, 0.0
	for _, row := range rows {
		if most = max(most, row[1]); row[1] < least.Y {
			least = picture.Point{X: row[0], Y: row[1]}
		}
	}
	numbers := document.NumbersBy("threshold", "expected cost", "false positives", "false negatives")
	lines := numbers.LinesOver(rows, document.MostRows, func(row []float64) []string {
		return append(collections.Map(row[:2], document.Number), collections.Map(row[2:], inParts)...)
	}, "expected cost")
	axis, ok := document.ThresholdAxis(lines)
	if !ok || !floats.Finite(most) || most == 0 {
		return
	}
	numbers.Columns = numbers.Columns[:len(rows[0])]
	about := g.About("Expected cost", "What an example costs on average at each threshold, "+whose+". The dot is the least.")
	chart := picture.Lines{About: about, X: axis, Y: picture.Axis{Label: "cost of an example", Max: most}, Lines: lines}
	name := "least: " + document.Number(least.Y) + " at " + document.Number(least.X)
	chart.Marks = []picture.Mark{{Name: name, Point: least, Tip: name}}
	g.inUse(&chart)
	g.Add(&chart, numbers)
}

// outcomes are the weights of a binary task, or of a label, by outcome, at the points of a ROC curve.
type outcomes struct {
	positives, all float64
	points         []outcomesAt
}

type outcomesAt struct {
	threshold, tpr float64
	of             twoByTwo
}

// outcomes returns the outcomes of a binary task with both classes, or nil.
func (g *gallery) outcomes() *outcomes {
	if g.Task != "binary" {
		return nil
	}
	return outcomesOf(g.curves.Find(report.CurveROC, nil), g.decided.all)
}

// outcomesOf returns the outcomes at the points of a ROC curve, or nil if there is no curve or only one
// class. counts may come from any decisions.
func outcomesOf(c *report.Curve, counts twoByTwo) *outcomes {
	positives, negatives := counts[report.TP]+counts[report.FN], counts[report.TN]+counts[report.FP]
	all := positives + negatives
	if c == nil || !(positives > 0 && negatives > 0) || !floats.Finite(all) {
		return nil
	}
	o := &outcomes{positives: positives, all: all}
	for p := range steps(c) {
		at := outcomesAt{threshold: p.Threshold, tpr: p.Y}
		at.of[report.TP], at.of[report.FP] = p.Y*positives, p.X*negatives
		at.of[report.FN], at.of[report.TN] = max(positives-float64(p.Y*positives), 0), max(negatives-float64(p.X*negatives), 0)
		o.points = append(o.points, at)
	}
	return o
}
