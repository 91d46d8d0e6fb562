package monitor

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/tabular"
)

// Why says why a metric of all examples alarmed: how much of the difference between nights before a change (a) and the
// nights since (b) comes from other shares of slices, and how much from other behaviour within them.
type Why struct {
	comparison.Why
	From, Since, To      string // the first night before the change, the first since it, and the last
	NightsBefore, Nights int    // before the change, and since
}

func columnsOfWhy() []tabular.Column[Why] {
	return append(tabular.Of(func(w *Why) *comparison.Why { return &w.Why }, comparison.ColumnsOfWhy()...),
		tabular.Text("from", func(w *Why) *string { return &w.From }),
		tabular.Text("since", func(w *Why) *string { return &w.Since }),
		tabular.Text("to", func(w *Why) *string { return &w.To }),
		tabular.Count("nights_before", func(w *Why) *int { return &w.NightsBefore }),
		tabular.Count("nights", func(w *Why) *int { return &w.Nights }))
}

// explained returns the division to tell first of the alarm of a series, or nil. Only series of all examples have one.
func (m *Monitor) explained(s *Series) (first *Why) {
	for i := range m.Why {
		w := &m.Why[i]
		if s.overall() && w.Metric == s.Metric && w.Divided() && (first == nil || w.Before(&first.Why)) {
			first = w
		}
	}
	return first
}

// foremost returns the division to tell first of the worst alarm that has one, or nil.
func (m *Monitor) foremost() *Why {
	for _, s := range m.worst() {
		if w := m.explained(s); w != nil {
			return w
		}
	}
	return nil
}

// because says why the worst alarm that is explained was raised, or "".
func (m *Monitor) because() string {
	w := m.foremost()
	if w == nil {
		return ""
	}
	return fmt.Sprintf("%s since %s: %s", quote.Visible(w.Metric), document.Brief(w.Since), w.Sentence(m.Task))
}

// addWhy adds why metrics alarmed.
func (m *Monitor) addWhy(d *document.Document) {
	if len(m.Why) == 0 {
		return
	}
	first := m.foremost()
	note := "Between the nights since a change and as many before it."
	if first == nil {
		comparison.AddWhy(d, m.divisions(), nil, [2]string{}, JSON, note, comparison.MeaningOfParts)
		return
	}
	comparison.AddWhy(d, m.divisions(), &first.Why, [2]string{"nights before", "nights since"}, JSON, m.because(), note, comparison.MeaningOfParts)
}

func (m *Monitor) divisions() []comparison.Why {
	return collections.Map(m.Why, func(w Why) comparison.Why { return w.Why })
}

// explains reports whether a slice that alarmed has a part in the alarm of all examples: it alarmed since one of the nights
// that are compared, and changed the metric of all examples in the direction in which it changed. If only the mix changed, an
// alarm of a slice is another event. If no division knows how much comes from slices, the slice itself changed in this direction.
func (m *Monitor) explains(all, part *Series) bool {
	known := m.explained(all) != nil
	return slices.ContainsFunc(m.Why, func(w Why) bool {
		since := m.since(part)
		switch {
		case w.Metric != all.Metric, since < m.night(w.From), since > m.night(w.To):
			return false
		case !known:
			return part.Change*all.Change > 0
		case w.Performance.Low <= 0 && w.Performance.High >= 0:
			return false
		}
		return slices.ContainsFunc(w.Slices, func(s comparison.WhySlice) bool {
			return !s.Rest && s.Slice.Compare(part.Slice) == 0 && s.Change()*w.Difference > 0
		})
	})
}
