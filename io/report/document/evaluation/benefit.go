package evaluation

import (
	"slices"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
)

// percents is the number of thresholds of a decision curve.
const percents = 100

// benefit is the net benefit of decisions at a threshold: of the model, and if all examples are predicted positive.
type benefit struct{ threshold, model, all float64 }

// words are the cells of a table.
func (b *benefit) words() []string {
	return []string{document.Number(b.threshold), document.Number(b.model), document.Number(b.all)}
}

// benefits returns the decision curves of outcomes, by rising thresholds.
func (o *outcomes) benefits() []benefit {
	list := make([]benefit, percents-1)
	at := -1
	prevalence := o.prevalence()
	for i := range slices.Backward(list) {
		t := float64(i+1) / percents
		for at+1 < len(o.points) && o.points[at+1].threshold >= t {
			at++
		}
		tp, fp := 0.0, 0.0
		if at >= 0 {
			tp, fp = o.points[at].of[report.TP], o.points[at].of[report.FP]
		}
		odds := t / (1 - t)
		list[i] = benefit{t, tp/o.all - float64(fp/o.all*odds), prevalence - float64((1-prevalence)*odds)}
	}
	return list
}

// prevalence is the share of positives. No net benefit is higher.
func (o *outcomes) prevalence() float64 { return o.positives / o.all }

// tabled reports whether a table, and the numbers of a picture, have the benefit at index i.
func tabled(i int) bool { return (i+1)%5 == 0 }

// netBenefit draws the decision curves of scores that are probabilities: what decisions are worth at each
// threshold.
func (g *gallery) netBenefit() {
	switch {
	case g.config.Input.ScoreType != "probability":
	case g.Task == "multilabel":
		g.benefitOfLabels()
	default:
		g.benefitOfAll()
	}
}

const aboutBenefit = "The net benefit at each threshold: the share of true positives, less that of false positives at the odds of the threshold. "

// benefitOfAll draws the decision curve of a binary task, next to predicting all examples positive and
// none.
func (g *gallery) benefitOfAll() {
	c := g.outcomes()
	if c == nil {
		return
	}
	lines := []picture.Line{{Name: "model"}, {Name: "all positive"}, {Name: "none positive"}}
	numbers := document.NumbersBy("threshold", "net benefit", "if all are positive")
	for i, b := range slices.Backward(c.benefits()) {
		for j, y := range []float64{b.model, b.all, 0} {
			lines[j].Points = append(lines[j].Points, picture.Point{X: b.threshold, Y: y})
		}
		if tabled(i) {
			lines[0].Show(b.threshold, b.model, numbers.Add(b.words()...))
		}
	}
	slices.Reverse(numbers.Rows)
	floor := -c.prevalence() / 4
	for i, line := range lines {
		for k, p := range line.Points {
			line.Points[k].Y = max(p.Y, floor)
		}
		lines[i].Points = slices.DeleteFunc(line.Points, func(p picture.Point) bool { return i == 1 && p.Y == floor })
	}
	about := g.About("Decision curve", aboutBenefit+"The model is of use where it is above both other lines.")
	chart := picture.Lines{About: about, X: document.Shares("threshold"), Y: picture.Axis{Label: "net benefit", Min: floor, Max: c.prevalence()}, Lines: lines}
	chart.Note = "Values below the axis are drawn at its end or left out."
	g.Add(&chart, numbers)
}

// benefitOfLabels draws the decision curves of labels. The same labels are in front as in the ROC
// curves.
func (g *gallery) benefitOfLabels() {
	p := g.plot(report.CurveROC, "roc_auc")
	chart := picture.Lines{X: document.Shares("threshold"), Y: picture.Axis{Label: "net benefit"}}
	numbers := document.NumbersOf(nil, g.Row, "threshold", "net benefit", "if all are positive")
	for i, c := range p.Curves {
		o := outcomesOf(c, g.decided.of(c.Label))
		if c.Label == nil || o == nil {
			continue
		}
		line := picture.Line{Name: p.Rows[i], Back: i >= p.Front()}
		chart.Y.Max = max(chart.Y.Max, o.prevalence())
		for j, b := range o.benefits() {
			if !line.Back || j%2 == 0 {
				line.Points = append(line.Points, picture.Point{X: b.threshold, Y: b.model})
			}
			if !line.Back && tabled(j) {
				line.Show(b.threshold, b.model, numbers.Add(append([]string{p.Rows[i]}, b.words()...)...))
			}
		}
		chart.Lines = append(chart.Lines, line)
	}
	if len(chart.Lines) == 0 {
		return
	}
	chart.Y.Min = -chart.Y.Max / 4
	for _, line := range chart.Lines {
		for k := range line.Points {
			line.Points[k].Y = max(line.Points[k].Y, chart.Y.Min)
		}
		for k := range line.Spots {
			line.Spots[k].Y = max(line.Spots[k].Y, chart.Y.Min)
		}
	}
	chart.Guides = []picture.Guide{{Points: []picture.Point{{}, {X: 1}}}}
	if len(g.known) > 0 {
		chart.Chosen = "benefit"
	}
	chart.About = g.About("Decision curve", aboutBenefit+"Decisions on a label are of use where its line is above 0, what predicting it of no example gives, and above what predicting it of all gives.")
	chart.Note = document.Join(p.Note, "Values below the axis are drawn at its end.")
	g.Add(&chart, numbers)
}
