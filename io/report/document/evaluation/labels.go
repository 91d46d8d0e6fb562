package evaluation

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
)

// The limits of the charts of many labels.
const (
	labelBins   = 20
	mostPointed = 100 // labels that say what they are where a reader points at them
)

// manyLabels draws how metrics are distributed over labels, and how f1 depends on how frequent a label is.
func (g *gallery) manyLabels() {
	for _, name := range []string{"f1", "roc_auc", "roc_auc_ovr"} {
		if slices.Contains(g.digest.columns, name) {
			g.distribution(name)
		}
	}
	if slices.Contains(g.digest.columns, "f1") {
		g.byFrequency("f1")
	}
}

// distribution draws how many labels have which value of a metric between 0 and 1.
func (g *gallery) distribution(name string) {
	s, weights := evenScale(labelBins), make([]float64, labelBins)
	undefined := int64(0)
	for _, l := range g.digest.labels {
		v := valueOf(l.rows[name])
		if !floats.Finite(v) {
			undefined++
			continue
		}
		weights[min(max(s.place(v), 0), labelBins-1)]++
	}
	if undefined == int64(len(g.digest.labels)) {
		return
	}
	note := ""
	if undefined > 0 {
		note = fmt.Sprintf("Without %s of %s that it is undefined for.", document.Grouped(undefined), document.Grouped(int64(len(g.digest.labels))))
	}
	nouns := nouns(g.Task)
	g.bars("Distribution of "+name, "How many "+nouns+" have which value.", note, name, nouns, s, weights, false)
}

// byFrequency draws a metric against the number of examples that have a label, on a logarithmic scale.
func (g *gallery) byFrequency(name string) {
	drawn := slices.DeleteFunc(slices.Clone(g.digest.labels), func(l *line) bool {
		return !floats.Finite(valueOf(l.rows[name])) || g.decided.positives(l.label) < 1
	})
	if len(drawn) < 2 {
		return
	}
	slices.SortStableFunc(drawn, g.decided.compareMissed)
	most := 1.0
	line := picture.Line{Marked: true}
	numbers := document.NumbersOf(nil, "label", "support", name)
	for i, l := range drawn {
		support, value := g.decided.positives(l.label), l.rows[name].Value
		most = max(most, support)
		spot := picture.Spot{Point: picture.Point{X: logarithm(support), Y: value}}
		if i < mostPointed {
			spot.Tip = numbers.Add(l.title(), document.Weight(support), document.Number(value))
		}
		line.Spots = append(line.Spots, spot)
	}
	x := picture.Axis{Label: "support: examples with the label, on a logarithmic scale", Max: math.Ceil(logarithm(most) + 1e-9)}
	for power := 0; power <= int(x.Max); power++ {
		x.Ticks = append(x.Ticks, picture.Tick{At: float64(power), Text: document.Grouped(int64(math.Pow10(power)))})
	}
	about := g.About("Support and "+name, "Each dot is one of the "+nouns(g.Task)+": "+name+" against the number of examples that have it.")
	chart := picture.Lines{About: about, X: x, Y: document.Shares(name), Lines: []picture.Line{line}}
	chart.Note = document.FirstOf(len(numbers.Rows), len(drawn), " with the most missed examples are in the data below")
	g.Add(&chart, numbers)
}

// logarithm returns the decimal logarithm, of the same bits on all machines.
func logarithm(x float64) float64 { return elementary.Log(x) / elementary.Log(10) }

// positives returns how many examples have a label, by weight.
func (d *decisions) positives(label string) float64 {
	t := d.labels[label]
	return t[report.TP] + t[report.FN]
}

// missed returns how many examples that have a label were not predicted to, by weight: the support × (1 − recall).
func (d *decisions) missed(label string) float64 { return d.labels[label][report.FN] }

// compareMissed puts first what misses more examples.
func (d *decisions) compareMissed(a, b *line) int {
	return cmp.Compare(d.missed(b.label), d.missed(a.label))
}

// byMissed returns the table of many labels on the page, those first that miss most examples, and a note about the order.
func byMissed(r *report.Report, d *digest, most int) (*document.Table, string) {
	decided := decisionsOf(r)
	sorted := slices.Clone(d.labels)
	slices.SortStableFunc(sorted, decided.compareMissed)
	kept := sorted[:min(len(sorted), most)]
	t := linesTable(document.Page, "label", kept, d.columns,
		document.Numbers("missed", func(l *line) string { return document.Weight(decided.missed(l.label)) }))
	return t, "Sorted from the most missed examples: support × (1 − recall)" + leftOut(len(sorted)-len(kept), 0, 0) + "."
}
