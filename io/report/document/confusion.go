package document

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/picture"
)

// confusion draws the matrix of the classes or, if there are many, the pairs that are confused most.
func (g *gallery) confusion() {
	f := g.report.ConfusionOf(pictureClasses)
	switch {
	case f == nil:
		g.confusedPairs()
	case !f.PerLabel && len(f.Names) > 1:
		g.heat(f)
	}
}

func (g *gallery) heat(f *report.Confusion) {
	about := g.About("Confusion matrix", "Each row is a true class: how its examples were predicted, and their shares of the row. Right predictions and errors have scales of their own; the darker, the larger the share.")
	names := append(lists.Map(f.Names, quote.Visible), "total")
	m := newMatrix(f)
	h := picture.Heat{About: about, X: "predicted", Y: "true", Columns: names, Rows: names}
	var rows [][]string
	for i := range names {
		row, numbers := make([]picture.Cell, len(names)), []string{names[i]}
		for j := range names {
			row[j] = m.cell(i, j, names)
			numbers = append(numbers, fmt.Sprintf("%s (%s)", row[j].Text, shareText(m.share(i, j))))
		}
		h.Cells, rows = append(h.Cells, row), append(rows, numbers)
	}
	unit := "Counts"
	if f.Weighted {
		unit = "Sums of weights"
	}
	note := unit + " and shares of the true class. The color of errors has a scale of its own."
	g.Add(about, note, h.SVG(), NumbersOf(rows, "true ↓ predicted →", names...))
	g.List[len(g.List)-1].Wide = len(f.Names) > 12
}

// matrix is a confusion matrix with its totals in the last row and the last column.
type matrix struct {
	size    int
	cells   []float64
	texts   []string
	unit    string
	largest float64 // the largest share that an error has of its true class
}

func newMatrix(f *report.Confusion) *matrix {
	n := len(f.Names)
	m := &matrix{size: n + 1, cells: make([]float64, (n+1)*(n+1)), texts: make([]string, (n+1)*(n+1)), unit: "examples"}
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
		m.texts[i*m.size+n], m.texts[n*m.size+i] = weight(m.cells[i*m.size+n]), weight(m.cells[n*m.size+i])
		for j := range n {
			if i < n && i != j {
				m.largest = max(m.largest, m.share(i, j))
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

func (m *matrix) cell(i, j int, names []string) picture.Cell {
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
	cell.Tip = fmt.Sprintf("true %s, predicted %s: %s %s, %s of the true class", names[i], names[j], cell.Text, m.unit, shareText(share))
	if cell.Shade = share; i != j {
		cell.Wrong = true
		if share > 0 {
			cell.Shade = math.Sqrt(share / m.largest)
		}
	}
	return cell
}

func shareText(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// confusedPairs draws the most frequent confusions.
func (g *gallery) confusedPairs() {
	totals, weighted := map[string]float64{}, false
	var cells []*report.Cell
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
	slices.SortStableFunc(cells, func(a, b *report.Cell) int { return cmp.Compare(b.Weight, a.Weight) })
	unit, by, most := "examples", "how many examples", "most frequent"
	if weighted {
		unit, by, most = "weight", "the weight of their examples", "heaviest"
	}
	about := g.About("Most confused classes", "Pairs of a true class and another that was predicted, by "+by+".")
	chart := picture.Dots{About: about, Label: unit, Bars: true}
	var rows [][]string
	for _, c := range cells[:min(len(cells), 2*PageCurves)] {
		name := quote.Visible(c.True) + " → " + quote.Visible(c.Predicted)
		row := []string{name, weight(c.Weight), shareText(c.Weight / totals[c.True])}
		tip := fmt.Sprintf("%s: %s %s, %s of the true class", row[0], row[1], unit, row[2])
		chart.Dots = append(chart.Dots, picture.Dot{Name: name, Value: c.Weight, Low: math.NaN(), High: math.NaN(), Tip: tip})
		rows = append(rows, row)
	}
	note := fmt.Sprintf("true → predicted: the %d %s of %s pairs.", len(rows), most, Grouped(int64(len(cells))))
	g.Add(about, note, chart.SVG(), NumbersOf(rows, "true → predicted", unit, "share of the true class"))
}

// mostPairs is the largest number of label pairs in a document.
var mostPairs = map[Output]int{Markdown: 50, Page: 300}

// labelPairs returns the section of labels that were predicted in place of others.
func labelPairs(r *report.Report, of Output) Section {
	most := mostPairs[of]
	if r.LabelPairs == nil || most == 0 {
		return Section{}
	}
	s := Section{In: Markdown | Page, ID: "label-pairs", Title: "Labels in place of others"}
	if len(r.LabelPairs) == 0 {
		s.List = []string{"No label was missed in an example in which another was wrongly predicted."}
		return s
	}
	unit := "examples"
	if slices.ContainsFunc(r.LabelPairs, func(p report.LabelPair) bool { return p.Weight != float64(p.Count) }) {
		unit = "weight"
	}
	kept := r.LabelPairs[:min(len(r.LabelPairs), most)]
	lift := "The lift says how many times as often the other is wrongly predicted there as in all examples."
	if r.Task == "multiclass" {
		lift += " The gain is by how much accuracy would rise if these examples were right."
	}
	s.Notes = []string{FirstOf(len(kept), len(r.LabelPairs), ""), "In the same examples, a label was missed and another wrongly predicted. " + lift}
	text := func(format func(float64) string, f float64) string {
		if !numbers.Finite(f) {
			return ""
		}
		return format(f)
	}
	s.Table = TableOf(kept,
		Text("label", func(p report.LabelPair) string { return quote.Visible(p.Label) }),
		Text("predicted instead", func(p report.LabelPair) string { return quote.Visible(p.Predicted) }),
		Numbers(unit, func(p report.LabelPair) string { return text(weight, p.Weight) }),
		Numbers("share of the misses", func(p report.LabelPair) string { return text(shareText, p.Share) }),
		Numbers("lift", func(p report.LabelPair) string { return text(Number, p.Lift) }).Optional(),
		Numbers("gain", func(p report.LabelPair) string { return text(Number, p.Gain) }).Optional())
	s.Table.Long = len(kept) > FirstRows
	return s
}

// twoByTwo has the weights of a 2×2 table, indexed by report.TP and the like.
type twoByTwo [4]float64

// decisions are what was decided of each label, and of a binary task or all labels pooled.
type decisions struct {
	all    twoByTwo
	labels map[string]twoByTwo
}

// of returns the decisions of a label; nil means those of all examples.
func (d *decisions) of(label *string) twoByTwo {
	if label == nil {
		return d.all
	}
	return d.labels[*label]
}

// decisionsOf returns the decisions of a report, each class of a multiclass task against the others.
func decisionsOf(r *report.Report) *decisions {
	d := &decisions{labels: map[string]twoByTwo{}}
	add := func(class string, cell int, w float64) {
		t := d.labels[class]
		t[cell] += w
		d.labels[class] = t
	}
	total := 0.0
	for i := range r.Confusion {
		switch c := &r.Confusion[i]; {
		case len(c.Slice) > 0:
		case c.Label != nil:
			cell := cellOf(c.True == "1", c.Predicted == "1")
			add(*c.Label, cell, c.Weight)
			d.all[cell] += c.Weight
		case r.Task == "binary":
			d.all[cellOf(c.TrueIndex == 1, c.PredictedIndex == 1)] += c.Weight
		case c.True == c.Predicted:
			total += c.Weight
			add(c.True, report.TP, c.Weight)
		default:
			total += c.Weight
			add(c.True, report.FN, c.Weight)
			add(c.Predicted, report.FP, c.Weight)
		}
	}
	if r.Task == "multiclass" {
		for class, t := range d.labels {
			t[report.TN] = total - t[report.TP] - t[report.FN] - t[report.FP]
			d.labels[class] = t
		}
		for _, class := range slices.Sorted(maps.Keys(d.labels)) {
			for cell, w := range d.labels[class] {
				d.all[cell] += w
			}
		}
	}
	return d
}

// cellOf returns the index of a cell of a 2×2 table.
func cellOf(truth, predicted bool) int {
	switch {
	case truth && predicted:
		return report.TP
	case truth:
		return report.FN
	case predicted:
		return report.FP
	}
	return report.TN
}

// rate returns fpr, recall or precision; NaN if it is undefined.
func (t *twoByTwo) rate(name string) float64 {
	switch name {
	case "fpr":
		return t[report.FP] / (t[report.FP] + t[report.TN])
	case "recall":
		return t[report.TP] / (t[report.TP] + t[report.FN])
	}
	return t[report.TP] / (t[report.TP] + t[report.FP])
}
