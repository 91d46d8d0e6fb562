package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// Why says, of a metric of all examples and of slices by the same columns, how much of its difference comes from other
// shares of the slices (mix), and how much from other behaviour within them (performance).
type Why struct {
	Metric           string
	By               []string // columns, as files have them
	A, B             float64
	Difference       float64         // B − A
	Mix, Performance report.Estimate // parts of the difference
	Reason           string          // why the parts or their intervals are unknown
	Slices           []WhySlice
}

// WhySlice is a slice, or the examples that are in no slice.
type WhySlice struct {
	Slice            slice.Key
	Rest             bool    // no slice
	ShareA, ShareB   float64 // of all examples
	A, B             float64
	Mix, Performance report.Estimate // how much of the parts comes from the slice; unknown if that does not add up
}

// ColumnsOfWhy returns the columns of why metrics differ.
func ColumnsOfWhy() []tabular.Column[Why] {
	return slices.Concat([]tabular.Column[Why]{
		tabular.Text("metric", func(w *Why) *string { return &w.Metric }),
		tabular.Texts("by", func(w *Why) *[]string { return &w.By }),
		tabular.Number("a", func(w *Why) *float64 { return &w.A }),
		tabular.Number("b", func(w *Why) *float64 { return &w.B }),
		tabular.Number("difference", func(w *Why) *float64 { return &w.Difference }),
	},
		report.ColumnsOfEstimate("mix", func(w *Why) *report.Estimate { return &w.Mix }),
		report.ColumnsOfEstimate("performance", func(w *Why) *report.Estimate { return &w.Performance }),
		[]tabular.Column[Why]{
			tabular.Note("reason", func(w *Why) *string { return &w.Reason }),
			tabular.Nested("slices", func(w *Why) *[]WhySlice { return &w.Slices }, "slice", columnsOfWhySlices()).If(func(w *Why) bool { return len(w.Slices) > 0 }).Omitted(),
		})
}

func columnsOfWhySlices() []tabular.Column[WhySlice] {
	return slices.Concat([]tabular.Column[WhySlice]{
		tabular.Slice(func(s *WhySlice) *slice.Key { return &s.Slice }),
		tabular.Flag("rest", func(s *WhySlice) *bool { return &s.Rest }),
		tabular.Number("share_a", func(s *WhySlice) *float64 { return &s.ShareA }),
		tabular.Number("share_b", func(s *WhySlice) *float64 { return &s.ShareB }),
		tabular.Number("a", func(s *WhySlice) *float64 { return &s.A }),
		tabular.Number("b", func(s *WhySlice) *float64 { return &s.B }),
	},
		report.ColumnsOfEstimate("mix", func(s *WhySlice) *report.Estimate { return &s.Mix }),
		report.ColumnsOfEstimate("performance", func(s *WhySlice) *report.Estimate { return &s.Performance }),
	)
}

// Divided reports whether the parts are known.
func (w *Why) Divided() bool { return !math.IsNaN(w.Mix.Value) }

// by returns the columns for people.
func (w *Why) by() string {
	return strings.Join(collections.Map(w.By, func(name string) string { return quote.Visible(quote.Unescape(name)) }), ", ")
}

// foremost returns the division to tell first: of the first headline metric, metrics that changed significantly before
// others, and those that [Why.Before] puts first. It is nil if there is none.
func (c *Comparison) foremost() (first *Why, significant bool) {
	metric := ""
	for i := range c.Why {
		w := &c.Why[i]
		if !w.Divided() {
			continue
		}
		d := c.change(w.Metric, nil)
		if surely := d != nil && (d.Verdict == Worse || d.Verdict == Better); metric == "" || surely && !significant {
			metric, significant = w.Metric, surely
		}
	}
	return c.WhyOf(metric), significant
}

// WhyOf returns the division of a metric to tell first, or nil if there is none.
func (c *Comparison) WhyOf(metric string) (first *Why) {
	for i := range c.Why {
		if w := &c.Why[i]; w.Metric == metric && w.Divided() && (first == nil || w.Before(first)) {
			first = w
		}
	}
	return first
}

// Before reports whether to tell a division rather than another of the same metric: by few columns before many, and by
// those that say more.
func (w *Why) Before(other *Why) bool {
	if len(w.By) != len(other.By) {
		return len(w.By) < len(other.By)
	}
	return w.told() > other.told()
}

// told returns how much of the difference a division explains: mix, and what a slice has of performance beyond its share
// of the examples.
func (w *Why) told() float64 {
	beyond := 0.0
	for i := range w.Slices {
		s := &w.Slices[i]
		if part := s.Performance.Value; part*w.Performance.Value > 0 {
			share := (s.ShareA + s.ShareB) / 2
			beyond = max(beyond, math.Abs(part)-float64(share*math.Abs(w.Performance.Value)))
		}
	}
	return math.Abs(w.Mix.Value) + beyond
}

// because says in one sentence why the first headline metric changed; "" if none changed significantly.
func (c *Comparison) because() string {
	w, significant := c.foremost()
	if !significant {
		return ""
	}
	d := c.change(w.Metric, nil)
	verb, by := "rose", report.Estimate{Value: d.Difference, Low: d.Low, High: d.High}
	if d.Difference < 0 {
		verb, by = "fell", report.Estimate{Value: -d.Difference, Low: -d.High, High: -d.Low}
	}
	return fmt.Sprintf("%s %s by %s. ", quote.Visible(w.Metric), verb, strings.TrimPrefix(shown(by), "+")) + w.Sentence(c.Task)
}

// Sentence says how much comes from mix and from performance, and from which slices.
func (w *Why) Sentence(task string) string {
	text := fmt.Sprintf("By %s, ", w.by())
	if w.Mix.Value == 0 {
		text += "all of it is performance, because the shares of the slices are the same"
	} else {
		text += "mix makes " + shown(w.Mix)
		if s := w.largest(func(s *WhySlice) float64 { return s.Mix.Value }); s != nil && percent(s.ShareA) != percent(s.ShareB) {
			text += fmt.Sprintf(" (above all because %s has %s of the %s, not %s)", s.name(), percent(s.ShareB), examplesOf(task), percent(s.ShareA))
		}
		text += ", and performance within the slices " + shown(w.Performance)
	}
	if s := w.largest(func(s *WhySlice) float64 { return s.Performance.Value }); s != nil {
		if share := s.Performance.Value / w.Performance.Value; share <= 1 {
			text += fmt.Sprintf(" (%s of it in %s)", percent(share), s.name())
		} else {
			text += fmt.Sprintf(" (above all in %s)", s.name())
		}
	}
	return text + "."
}

// largest returns the slice from which most of a part comes, or nil if that is unknown or the part is 0.
func (w *Why) largest(part func(*WhySlice) float64) (most *WhySlice) {
	sum := 0.0
	for i := range w.Slices {
		sum += part(&w.Slices[i])
	}
	for i := range w.Slices {
		s := &w.Slices[i]
		if x := part(s); x*sum > 0 && (most == nil || math.Abs(x) > math.Abs(part(most))) {
			most = s
		}
	}
	return most
}

// name returns the name of a slice.
func (s *WhySlice) name() string {
	if s.Rest {
		return "no slice"
	}
	return s.Slice.String()
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 0, 64) + "%" }

// shown formats a part with its interval.
func shown(part report.Estimate) string {
	switch c := part.Interval(); {
	case math.IsNaN(part.Value):
		return ""
	case c.HasInterval():
		return document.Signed(part.Value, document.Around(c, part.Value))
	}
	return document.Signed(part.Value, document.Number(part.Value))
}

// MeaningOfParts explains tables of parts.
const MeaningOfParts = "Mix is what comes from other shares of the slices in the examples, performance what comes from other behaviour within them. They add up to the difference. Different columns look at the same difference, and do not add up."

// mostWhy is the largest number of slices that a document lists.
const mostWhy = 20

// addWhy adds why metrics differ to a document.
func (c *Comparison) addWhy(d *document.Document, n names) {
	if first, _ := c.foremost(); first != nil {
		AddWhy(d, c.Why, first, n, JSON, c.because(), MeaningOfParts)
	}
}

// AddWhy adds to a document why metrics differ between a and b, which have names, and the slices of the first division to
// tell. A file has all slices.
func AddWhy(d *document.Document, list []Why, first *Why, names [2]string, file string, notes ...string) {
	all := document.TableOf(list,
		document.Text("metric", func(w Why) string { return quote.Visible(w.Metric) }),
		document.Text("by", func(w Why) string { return w.by() }),
		document.Numbers("difference", func(w Why) string { return document.Signed(w.Difference, document.Number(w.Difference)) }),
		document.Numbers("mix", func(w Why) string { return shown(w.Mix) }),
		document.Numbers("performance", func(w Why) string { return shown(w.Performance) }),
		document.Text("reason", func(w Why) string { return document.Brief(w.Reason) }).Optional()).Folded()
	d.Add(document.Section{In: document.Page | document.Markdown, ID: "why", Title: "Mix or performance", Table: all, Notes: notes})
	if first == nil {
		return
	}
	slicesOf := slices.Clone(first.Slices)
	slices.SortStableFunc(slicesOf, func(x, y WhySlice) int { return cmp.Compare(y.size(), x.size()) })
	slicesOf, note := document.First(slicesOf, mostWhy, "; "+file+" has all")
	title := quote.Visible(first.Metric) + " by " + first.by()
	d.Add(document.Section{In: document.Page | document.Markdown, Sub: true, Title: title, Notes: []string{note}, Table: document.TableOf(slicesOf,
		document.Text("slice", func(s WhySlice) string { return s.name() }),
		document.Numbers("share in "+names[0], func(s WhySlice) string { return document.Fixed(s.ShareA, 4) }),
		document.Numbers("share in "+names[1], func(s WhySlice) string { return document.Fixed(s.ShareB, 4) }),
		document.Numbers(names[0], func(s WhySlice) string { return document.Number(s.A) }),
		document.Numbers(names[1], func(s WhySlice) string { return document.Number(s.B) }),
		document.Numbers("mix", func(s WhySlice) string { return shown(s.Mix) }).Optional(),
		document.Numbers("performance", func(s WhySlice) string { return shown(s.Performance) }).Optional())})
}

// Change returns how much of the difference comes from a slice or, where that does not add up, how its metric changed.
func (s *WhySlice) Change() float64 {
	if math.IsNaN(s.Mix.Value) {
		return s.B - s.A
	}
	return s.Mix.Value + s.Performance.Value
}

// size returns how much a slice contributes or, where that does not add up, how much it changed.
func (s *WhySlice) size() float64 {
	if math.IsNaN(s.Mix.Value) {
		return math.Abs((s.B - s.A) * (s.ShareA + s.ShareB))
	}
	return math.Abs(s.Mix.Value) + math.Abs(s.Performance.Value)
}

// why draws the parts of the difference of the metric to tell first, by each set of columns.
func (g *gallery) why() {
	first, _ := g.comparison.foremost()
	if first == nil {
		return
	}
	list := slices.DeleteFunc(slices.Clone(g.comparison.Why), func(w Why) bool { return w.Metric != first.Metric || !w.Divided() })
	numbers := document.TableOf(list,
		document.Text("by", func(w Why) string { return w.by() }),
		document.Numbers("mix", func(w Why) string { return shown(w.Mix) }),
		document.Numbers("performance", func(w Why) string { return shown(w.Performance) }))
	var dots []picture.Dot
	for i, w := range list {
		for kind, part := range []report.Estimate{w.Mix, w.Performance} {
			dots = append(dots, picture.Dot{Name: []string{w.by(), ""}[kind], Value: part.Value, Low: part.Low, High: part.High, Kind: kind, Tip: numbers.Tip(i)})
		}
	}
	metric := quote.Visible(first.Metric)
	about := g.About("Mix or performance: "+metric, "How much of the difference of "+metric+" comes from other shares of slices, and how much from other behaviour within slices, by each set of columns.")
	chart := picture.Dots{About: about, Label: "part of the difference of " + metric + ": " + g.names.difference(), Kinds: []string{"mix: other shares of slices", "performance within slices"}, Bars: true, Dots: dots}
	g.Add(&chart, numbers)
}
