package evaluation

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
)

// confusion draws the matrix of the classes or, if there are many, the pairs that are confused most.
func (g *gallery) confusion() {
	f := g.report.ConfusionOf(pictureClasses)
	switch {
	case f == nil:
		g.confusedPairs()
	case !f.PerLabel && len(f.Names) > 1:
		g.heat(f, heatWords{"Confusion matrix", "Each row is a true class: how its examples were predicted, and their shares of the row. Right predictions and errors have scales of their own; the darker, the larger the share.",
			"true", "predicted", "the true class", "errors"})
	}
}

// chartsOf returns the room, in charts, of the matrix of so many classes.
func chartsOf(classes int) int {
	switch {
	case classes < 5:
		return 1
	case classes <= 12:
		return 2
	}
	return 3
}

// heatWords are the words of a heat map.
type heatWords struct{ title, desc, row, column, ofRow, off string }

func (g *gallery) heat(f *report.Confusion, words heatWords) {
	names := append(collections.Map(f.Names, quote.Visible), "total")
	m := newMatrix(f)
	h := picture.Heat{About: g.About(words.title, words.desc), Charts: chartsOf(len(f.Names)), X: words.column, Y: words.row, Columns: names, Rows: names}
	numbers := document.NumbersOf(nil, words.row+" ↓ "+words.column+" →", names...)
	for i := range names {
		cells, row := make([]picture.Cell, len(names)), []string{names[i]}
		for j := range names {
			cells[j] = m.cell(i, j, names, &words)
			row = append(row, fmt.Sprintf("%s (%s)", cells[j].Text, shareText(m.share(i, j))))
		}
		h.Cells = append(h.Cells, cells)
		numbers.Add(row...)
	}
	unit := "Counts"
	if f.Weighted {
		unit = "Sums of weights"
	}
	h.Note = fmt.Sprintf("%s and shares of %s. The color of %s has a scale of its own: it is darkest at %s.", unit, words.ofRow, words.off, shareText(m.darkest))
	g.Add(&h, numbers)
}

// matrix is a confusion matrix with its totals in the last row and the last column.
type matrix struct {
	size    int
	cells   []float64
	texts   []string
	unit    string
	darkest float64 // the share of its true class at which an error is darkest
}

// leastDarkest is the least share at which an error is darkest, so that those of a good model are pale.
const leastDarkest = 0.25

func newMatrix(f *report.Confusion) *matrix {
	n := len(f.Names)
	m := &matrix{darkest: leastDarkest, size: n + 1, cells: make([]float64, (n+1)*(n+1)), texts: make([]string, (n+1)*(n+1)), unit: "examples"}
	if f.Weighted {
		m.unit = "weight"
	}
	for i := range n {
		for j := range n {
			w := f.Matrices[0].Weights[i*n+j]
			m.texts[i*m.size+j] = cellText(f, 0, i*n+j)
			for _, at := range []int{i*m.size + j, i*m.size + n, n*m.size + j, n*m.size + n} {
				m.cells[at] += w
			}
		}
	}
	for i := range m.size {
		m.texts[i*m.size+n], m.texts[n*m.size+i] = document.Weight(m.cells[i*m.size+n]), document.Weight(m.cells[n*m.size+i])
		for j := range n {
			if i < n && i != j {
				m.darkest = max(m.darkest, m.share(i, j))
			}
		}
	}
	return m
}

// share returns the share that a cell has of its true class, or that a total has of everything; 0 if
// there is nothing.
func (m *matrix) share(i, j int) float64 {
	of := m.cells[i*m.size+m.size-1]
	if i == m.size-1 || j == m.size-1 {
		of = m.cells[len(m.cells)-1]
	}
	if of == 0 {
		return 0
	}
	return m.cells[i*m.size+j] / of
}

func (m *matrix) cell(i, j int, names []string, words *heatWords) picture.Cell {
	n, share := m.size-1, m.share(i, j)
	cell := picture.Cell{Text: m.texts[i*m.size+j]}
	if share > 0 && (i < n || j < n) {
		if cell.Part = shareText(share); share >= 0.095 {
			cell.Part = fmt.Sprintf("%.0f%%", 100*share)
		}
	}
	if i == n || j == n {
		return cell
	}
	cell.Tip = fmt.Sprintf("%s %s, %s %s: %s %s, %s of %s", words.row, names[i], words.column, names[j], cell.Text, m.unit, shareText(share), words.ofRow)
	if cell.Shade = share; i != j {
		cell.Wrong, cell.Shade = true, share/m.darkest
	}
	return cell
}

func shareText(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// confusedPairs draws the most frequent confusions.
func (g *gallery) confusedPairs() {
	totals, weighted := map[string]float64{}, false
	var cells []*report.ConfusionCell
	for i := range g.report.Confusion {
		if c := &g.report.Confusion[i]; len(c.Slice) == 0 && c.Label == nil {
			totals[c.True] += c.Weight
			weighted = weighted || c.Weight != float64(c.Count)
			if c.True != c.Predicted && c.Weight > 0 {
				cells = append(cells, c)
			}
		}
	}
	if len(cells) == 0 {
		return
	}
	slices.SortStableFunc(cells, func(a, b *report.ConfusionCell) int { return cmp.Compare(b.Weight, a.Weight) })
	unit, by, most := "examples", "how many examples", "most frequent"
	if weighted {
		unit, by, most = "weight", "the weight of their examples", "heaviest"
	}
	chart := picture.Dots{About: g.About("Most confused classes", "Pairs of a true class and another that was predicted, by "+by+"."), Label: unit, Bars: true}
	numbers := document.NumbersOf(nil, "true → predicted", unit, "share of the true class")
	for _, c := range cells[:min(len(cells), 2*document.PageCurves)] {
		name := quote.Visible(c.True) + " → " + quote.Visible(c.Predicted)
		tip := numbers.Add(name, document.Weight(c.Weight), shareText(c.Weight/totals[c.True]))
		chart.Dots = append(chart.Dots, picture.Dot{Name: name, Value: c.Weight, Low: math.NaN(), High: math.NaN(), Tip: tip})
	}
	chart.Note = fmt.Sprintf("true → predicted: the %d %s of %s pairs.", len(chart.Dots), most, document.Grouped(int64(len(cells))))
	g.Add(&chart, numbers)
}

// mostPairs is the largest number of label pairs in a document.
var mostPairs = map[document.Output]int{document.Markdown: 50, document.Page: 300}

// labelPairs returns the section of labels that were predicted in place of others.
func labelPairs(r *report.Report, of document.Output) document.Section {
	most := mostPairs[of]
	if r.LabelPairs == nil || most == 0 {
		return document.Section{}
	}
	s := document.Section{In: document.Markdown | document.Page, ID: "label-pairs", Title: "Labels in place of others"}
	if len(r.LabelPairs) == 0 {
		s.List = []string{"No label was missed in an example in which another was wrongly predicted."}
		return s
	}
	unit := "examples"
	if slices.ContainsFunc(r.LabelPairs, func(p report.LabelPair) bool { return p.Weight != float64(p.Count) }) {
		unit = "weight"
	}
	kept, first := document.First(r.LabelPairs, most, "")
	lift := "The lift says how many times as often the other is wrongly predicted there as in all examples."
	if r.Task == "multiclass" {
		lift += " The gain is by how much accuracy would rise if these examples were right."
	}
	s.Notes = []string{first, "In the same examples, a label was missed and another wrongly predicted. " + lift}
	text := func(format func(float64) string, f float64) string {
		if !floats.Finite(f) {
			return ""
		}
		return format(f)
	}
	s.Table = document.TableOf(kept,
		document.Text("label", func(p report.LabelPair) string { return quote.Visible(p.Label) }),
		document.Text("predicted instead", func(p report.LabelPair) string { return quote.Visible(p.Predicted) }),
		document.Numbers(unit, func(p report.LabelPair) string { return text(document.Weight, p.Weight) }),
		document.Numbers("share of the misses", func(p report.LabelPair) string { return text(shareText, p.Share) }),
		document.Numbers("lift", func(p report.LabelPair) string { return text(document.Number, p.Lift) }).Optional(),
		document.Numbers("gain", func(p report.LabelPair) string { return text(document.Number, p.Gain) }).Optional()).Folded()
	return s
}
