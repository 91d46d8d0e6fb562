package comparison

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

// pictures returns the pictures of a comparison, which must be sorted.
func (c *Comparison) pictures(first []*Change) []document.Picture {
	g := &gallery{comparison: c, names: c.names(), first: first, a: report.OverallCurves(c.A.Curves), b: report.OverallCurves(c.B.Curves)}
	g.Gallery = document.Gallery{Task: c.Task, Both: " of both", Row: "report", Plot: g.plot, Marks: g.decisions}
	g.differences()
	g.why()
	g.ROC()
	g.PrecisionRecall()
	g.Reliability()
	g.thresholds()
	g.cutoffs()
	g.queries()
	g.changedLabels()
	return g.List
}

// gallery collects the pictures of a comparison.
type gallery struct {
	comparison *Comparison
	names      names
	first      []*Change // the headlines
	a, b       report.CurveList
	document.Gallery
}

// differences draws the differences with their intervals: of all examples, of slices and of labels.
func (g *gallery) differences() {
	c, first := g.comparison, g.first
	large := func(d *Change) bool { return !(math.Abs(d.A) <= 1 && math.Abs(d.B) <= 1) }
	alike := slices.DeleteFunc(slices.Clone(first), large) // an axis suits numbers of similar size
	g.dots("Differences", "Metrics within −1 and 1.", "difference: "+g.names.difference(), alike, func(d *Change) string { return quote.Visible(d.Name) })
	for _, of := range first {
		bySlice := collections.Select(c.Changes, func(d *Change) bool { return d.Name == of.Name && len(d.Slice) > 0 && d.Label == nil })
		if len(bySlice) > 0 {
			name := quote.Visible(of.Name)
			g.dots("Slices: "+name, "", "difference of "+name, bySlice, func(d *Change) string { return d.Slice.String() })
			break
		}
	}
	for _, name := range []string{"f1", "recall", "roc_auc"} {
		byLabel := collections.Select(c.Changes, func(d *Change) bool { return d.Name == name && len(d.Slice) == 0 && d.Label != nil })
		if len(byLabel) > 0 {
			g.dots("Labels: "+name, "", "difference of "+name, byLabel, func(d *Change) string { return quote.Visible(*d.Label) })
			break
		}
	}
}

// dots adds a picture of differences, sorted from the lowest and limited to the capacity of a
// picture.
func (g *gallery) dots(title, note, axis string, changes []*Change, name func(*Change) string) {
	kept := slices.DeleteFunc(slices.Clone(changes), func(d *Change) bool { return !floats.Finite(d.Difference) })
	if len(kept) == 0 {
		return
	}
	if all := len(kept); all > document.PageSlices { // significant differences come first
		kept = kept[:document.PageSlices]
		note = document.Join(note, fmt.Sprintf("The %d of %s that are surest.", document.PageSlices, document.Grouped(int64(all))))
	}
	if title != "Differences" {
		slices.SortStableFunc(kept, func(a, b *Change) int { return cmp.Compare(a.Difference, b.Difference) })
	}
	dots := collections.Map(kept, func(d *Change) picture.Dot { return dotOf(d, name(d)) })
	addDots(&g.Gallery, title, g.names[1]+" is above "+g.names[0]+" in each", note, axis, dots, g.comparison.lines(document.Page, kept, title == "Differences"))
}

// The kinds of dots in pictures of differences.
var (
	dotKinds  = []Verdict{Better, Worse, NoSignificantChange, Unsure}
	kindNames = []string{"significantly better", "significantly worse", "no significant change", "unknown"}
)

// dotOf returns the dot of a difference.
func dotOf(d *Change, name string) picture.Dot {
	dot := picture.Dot{Name: name, Value: d.Difference, Low: math.NaN(), High: math.NaN(), Kind: slices.Index(dotKinds, d.Verdict)}
	if c := document.IntervalOf(d); c.HasInterval() {
		dot.Low, dot.High = c.Low, c.High
	}
	return dot
}

// addDots adds a picture of differences, each a row of the table; what says who is above whom.
func addDots(g *document.Gallery, title, what, note, axis string, dots []picture.Dot, table *document.Table) {
	about := g.About(title, "How much "+what+", with the confidence interval of that difference alone where there is one. The line is no difference.")
	about.Note = note
	for i := range dots {
		dots[i].Tip = table.Tip(i)
	}
	g.Add(&picture.Dots{About: about, Label: axis, Kinds: kindNames, Reference: &picture.Mark{Name: "no difference"}, Dots: dots}, table)
}
