package plan

import (
	"math"
	"slices"
	"strconv"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/tabular"
)

// Labels says what labels of people buy where a model judges all rows. The rows of the plan with a label are Row.Examples.
// Unknown numbers are NaN.
type Labels struct {
	Judged float64 // rows with a judgement
	// Correlation is the correlation of labels and judgements; Low and High are its interval.
	Correlation, Low, High float64
	// HalfWidth is half the width of the interval, and Alone from the labels without the judge.
	HalfWidth, Alone float64
	Others           []HalfWidth // with other numbers of labels, ascending
	// Needed is the number of labels that an interval takes which is as narrow as is wanted.
	Needed float64
	// Share is the share of the judged rows to label for which intervals cost least.
	Share  float64
	Reason string // why something is unknown
}

// HalfWidth is half the width of an interval with a number of labels.
type HalfWidth struct {
	Labels int64
	Half   float64
}

// Times returns a multiple of a number of labels, in whole labels.
func Times(labels int64, times float64) int64 { return int64(times * float64(labels)) }

// NoLabels returns Labels without numbers.
func NoLabels() *Labels {
	nan := math.NaN()
	return &Labels{Judged: nan, Correlation: nan, Low: nan, High: nan, HalfWidth: nan, Alone: nan, Needed: nan, Share: nan}
}

// ofLabels returns the columns of rows that have Labels.
func ofLabels() []tabular.Column[Row] {
	return tabular.Within(func(r *Row) *Labels { return r.Labels }, func(r *Row) **Labels { return &r.Labels }, *NoLabels(),
		tabular.Number("judged_rows", func(l *Labels) *float64 { return &l.Judged }),
		tabular.Number("correlation", func(l *Labels) *float64 { return &l.Correlation }),
		tabular.Number("correlation_low", func(l *Labels) *float64 { return &l.Low }),
		tabular.Number("correlation_high", func(l *Labels) *float64 { return &l.High }),
		tabular.Number("half_width", func(l *Labels) *float64 { return &l.HalfWidth }),
		tabular.Number("half_width_of_labels_alone", func(l *Labels) *float64 { return &l.Alone }),
		tabular.Nested("half_widths", func(l *Labels) *[]HalfWidth { return &l.Others }, "half width", halfWidths()),
		tabular.Number("labels_needed", func(l *Labels) *float64 { return &l.Needed }),
		tabular.Number("label_share", func(l *Labels) *float64 { return &l.Share }),
		tabular.Note("labels_reason", func(l *Labels) *string { return &l.Reason }),
	)
}

func halfWidths() []tabular.Column[HalfWidth] {
	return []tabular.Column[HalfWidth]{
		tabular.Whole("labels", func(h *HalfWidth) *int64 { return &h.Labels }),
		tabular.Number("half_width", func(h *HalfWidth) *float64 { return &h.Half }),
	}
}

// labels returns the section of what labels buy.
func (p *Plan) labels() document.Section {
	rows := slices.DeleteFunc(slices.Clone(p.Rows), func(r Row) bool { return r.Labels == nil })
	shown := rows[:min(len(rows), mostRows)]
	number := func(of func(*Labels) float64, format func(float64) string) func(Row) string {
		return func(r Row) string {
			if x := of(r.Labels); !math.IsNaN(x) {
				return format(x)
			}
			return ""
		}
	}
	with := func(times float64) func(Row) string {
		return func(r Row) string {
			for _, other := range r.Labels.Others {
				if other.Labels == Times(r.Examples, times) {
					return document.Number(other.Half)
				}
			}
			return ""
		}
	}
	for i := range shown {
		shown[i].Reason = shown[i].Labels.Reason
	}
	wanted := strconv.FormatFloat(p.HalfWidth, 'g', 4, 64)
	return document.Section{In: document.OnScreen, Plain: "what labels buy beside a judge", Table: document.TableOf(shown,
		document.Text("metric", func(r Row) string { return quote.Visible(r.Metric) }).If(slices.ContainsFunc(rows, func(r Row) bool { return r.Metric != rows[0].Metric })),
		document.Text("slice", func(r Row) string { return r.Slice.String() }).If(slices.ContainsFunc(rows, func(r Row) bool { return len(r.Slice) > 0 })),
		document.Text("label", func(r Row) string { return document.Label(r.Label) }).Optional(),
		document.Numbers("judged", number(func(l *Labels) float64 { return l.Judged }, document.Weight)),
		document.Numbers("labels", func(r Row) string { return document.Grouped(r.Examples) }),
		document.Numbers("ρ", number(func(l *Labels) float64 { return l.Correlation }, short)),
		document.Numbers("alone", number(func(l *Labels) float64 { return l.Alone }, document.Number)),
		document.Numbers("±", number(func(l *Labels) float64 { return l.HalfWidth }, document.Number)),
		document.Numbers("half", with(0.5)), document.Numbers("twice", with(2)), document.Numbers("4 times", with(4)),
		document.Numbers("for ±"+wanted, number(func(l *Labels) float64 { return l.Needed }, document.Weight)).If(p.HalfWidth > 0),
		document.Numbers("cheapest", number(func(l *Labels) float64 { return l.Share }, percent)).If(p.LabelCost > 0),
	), Notes: []string{document.FirstOf(len(shown), len(rows), "; --json has all"), reasons(shown), p.noteOfLabels()}}
}

// noteOfLabels explains the columns.
func (p *Plan) noteOfLabels() string {
	text := "ρ: correlation of labels and judgements. ±: half the width of the interval at a level of " + percent(p.Level) + "; alone: without the judge; half, twice, 4 times: with so many labels."
	if p.HalfWidth > 0 {
		text += " for ±" + strconv.FormatFloat(p.HalfWidth, 'g', 4, 64) + ": the labels that make it so narrow."
	}
	if p.LabelCost > 0 {
		text += " cheapest: the share of the judged rows to label for which any ± costs least, at " + cost(p.LabelCost) + " a label and " + cost(p.JudgeCost) + " a judgement."
	}
	return text
}

func cost(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
