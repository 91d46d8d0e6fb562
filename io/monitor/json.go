package monitor

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// monitorFile is monitor.json; see [tabular.WriteObject] for the layout.
type monitorFile struct {
	Schema             string                     `json:"schema"`
	Task               string                     `json:"task"`
	Level              float64                    `json:"level"`
	Metrics            []string                   `json:"metrics"`
	NightsToFalseAlarm float64                    `json:"nights_to_false_alarm"`
	BurnIn             int                        `json:"burn_in"`
	Season             int                        `json:"season"`
	Alarms             int                        `json:"alarms"`
	Nights             *tabular.Rows[Night]       `json:"nights" layout:"lines"`
	Series             *tabular.Rows[datedSeries] `json:"series" layout:"lines"`
	Why                *tabular.Rows[Why]         `json:"why,omitempty" layout:"lines"`
	Bounds             *tabular.Rows[Bound]       `json:"bounds" layout:"lines"`
	Drift              *tabular.Rows[Drift]       `json:"drift" layout:"lines"`
	LabelShift         *tabular.Rows[LabelShift]  `json:"label_shift" layout:"lines"`
	Volume             *Volume                    `json:"volume,omitempty"`
	MissingDays        int                        `json:"missing_days"`
	Skipped            *tabular.Rows[Skipped]     `json:"skipped" layout:"lines"`
	Warnings           []string                   `json:"warnings" layout:"lines"`
}

// file returns a file with the lists of m.
func (m *Monitor) file() monitorFile {
	return monitorFile{
		Nights: tabular.RowsOf("night", columnsOfNights(), m.Nights), Bounds: tabular.RowsOf("bound", columnsOfBounds(), m.Bounds),
		Series: tabular.List[datedSeries]{Len: len(m.Series), At: m.dated}.Rows("series", columnsOfSeries()),
		Drift:  tabular.RowsOf("drift", columnsOfDrift(), m.Drift), LabelShift: tabular.RowsOf("label", columnsOfShift(), m.LabelShift),
		Why: tabular.RowsOf("division", columnsOfWhy(), m.Why), Skipped: tabular.RowsOf("report", columnsOfSkipped(), m.Skipped),
	}
}

func columnsOfNights() []tabular.Column[Night] {
	return []tabular.Column[Night]{
		tabular.Text("date", func(n *Night) *string { return &n.Date }),
		tabular.Text("report", func(n *Night) *string { return &n.Report }),
		tabular.Time("at", func(n *Night) *time.Time { return &n.At }),
		tabular.Note("model", func(n *Night) *string { return &n.Model }),
		tabular.Whole("examples", func(n *Night) *int64 { return &n.Examples }),
		tabular.Count("segment", func(n *Night) *int { return &n.Segment }),
		tabular.Texts("changed", func(n *Night) *[]string { return &n.Changed }).If(func(n *Night) bool { return len(n.Changed) > 0 }).Omitted(),
	}
}

// datedSeries is a series whose values have dates.
type datedSeries struct {
	*Series
	nights int
	values []datedValue
}

type datedValue struct {
	date string
	Value
}

// dated returns series i with dates.
func (m *Monitor) dated(i int, room *datedSeries) *datedSeries {
	s := &m.Series[i]
	*room = datedSeries{s, len(s.Values), collections.Map(s.Values, func(v Value) datedValue { return datedValue{m.Nights[v.Night].Date, v} })}
	return room
}

func columnsOfSeries() []tabular.Column[datedSeries] {
	of := func(s *datedSeries) *Series {
		if s.Series == nil {
			s.Series = new(Series)
		}
		return s.Series
	}
	return []tabular.Column[datedSeries]{
		tabular.Text("metric", func(s *datedSeries) *string { return &of(s).Metric }),
		tabular.Slice(func(s *datedSeries) *slice.Key { return &of(s).Slice }),
		tabular.Label(func(s *datedSeries) **string { return &of(s).Label }),
		tabular.Count("nights", func(s *datedSeries) *int { return &s.nights }),
		tabular.Flag("two_sided", func(s *datedSeries) *bool { return &of(s).TwoSided }),
		tabular.Number("evidence", func(s *datedSeries) *float64 { return &of(s).Evidence }),
		tabular.Number("threshold", func(s *datedSeries) *float64 { return &of(s).Threshold }),
		tabular.Flag("alarm", func(s *datedSeries) *bool { return &of(s).Alarm }),
		tabular.Note("since", func(s *datedSeries) *string { return &of(s).Since }).AsNull(),
		tabular.Number("change", func(s *datedSeries) *float64 { return &of(s).Change }),
		tabular.Note("reason", func(s *datedSeries) *string { return &of(s).Reason }),
		tabular.Nested("values", func(s *datedSeries) *[]datedValue { return &s.values }, "value", columnsOfDated()),
	}
}

func columnsOfDated() []tabular.Column[datedValue] {
	return append([]tabular.Column[datedValue]{tabular.Text("date", func(v *datedValue) *string { return &v.date })},
		tabular.Of(func(v *datedValue) *Value { return &v.Value }, columnsOfValues()...)...)
}

func columnsOfBounds() []tabular.Column[Bound] {
	return []tabular.Column[Bound]{
		tabular.Text("metric", func(b *Bound) *string { return &b.Metric }),
		tabular.Slice(func(b *Bound) *slice.Key { return &b.Slice }),
		tabular.Label(func(b *Bound) **string { return &b.Label }),
		tabular.Limit("min", func(b *Bound) **float64 { return &b.Min }),
		tabular.Limit("max", func(b *Bound) **float64 { return &b.Max }),
		tabular.Number("mean", func(b *Bound) *float64 { return &b.Mean }),
		tabular.Number("ci_low", func(b *Bound) *float64 { return &b.Low }),
		tabular.Number("ci_high", func(b *Bound) *float64 { return &b.High }),
		tabular.Flag("alarm", func(b *Bound) *bool { return &b.Alarm }),
		tabular.Note("since", func(b *Bound) *string { return &b.Since }).AsNull(),
		tabular.Note("reason", func(b *Bound) *string { return &b.Reason }),
	}
}

func columnsOfDrift() []tabular.Column[Drift] {
	return slices.Concat([]tabular.Column[Drift]{
		tabular.Text("score", func(d *Drift) *string { return &d.Score }),
		tabular.Slice(func(d *Drift) *slice.Key { return &d.Slice }),
		tabular.Label(func(d *Drift) **string { return &d.Label }),
	},
		report.ColumnsOfEstimate("psi", func(d *Drift) *report.Estimate { return &d.PSI }),
		report.ColumnsOfEstimate("jensen_shannon", func(d *Drift) *report.Estimate { return &d.JensenShannon }),
		report.ColumnsOfEstimate("wasserstein", func(d *Drift) *report.Estimate { return &d.Wasserstein }),
		report.ColumnsOfEstimate("ks_bound", func(d *Drift) *report.Estimate { return &d.KSBound }),
	)
}

func columnsOfShift() []tabular.Column[LabelShift] {
	return []tabular.Column[LabelShift]{
		tabular.Text("label", func(l *LabelShift) *string { return &l.Label }),
		tabular.Number("weight", func(l *LabelShift) *float64 { return &l.Weight }),
	}
}

func columnsOfSkipped() []tabular.Column[Skipped] {
	return []tabular.Column[Skipped]{
		tabular.Text("report", func(s *Skipped) *string { return &s.Report }),
		tabular.Text("reason", func(s *Skipped) *string { return &s.Reason }),
	}
}

// WriteJSON writes monitor.json as [Write] does.
func (m *Monitor) WriteJSON(w io.Writer) error {
	file := m.file()
	file.Schema, file.Task, file.Level = schema, quote.Valid(m.Task), m.Level
	file.Metrics = append([]string{}, collections.Map(m.Metrics, quote.Valid)...)
	file.NightsToFalseAlarm, file.BurnIn, file.Season, file.Alarms = m.NightsToFalseAlarm, m.BurnIn, m.Season, m.Alarms()
	file.Volume, file.MissingDays = m.Volume.json(), m.MissingDays
	file.Warnings = collections.Map(m.Warnings, quote.Valid)
	return tabular.WriteObject(w, file)
}

// Read reads a monitor.json. A null number becomes NaN.
func Read(data []byte) (*Monitor, error) {
	file := new(Monitor).file()
	err := tabular.ParseObject(data, &file, &file.Schema, schema, "monitor again, or use the version of beameval that wrote the file")
	if err == nil {
		err = file.check()
	}
	if err != nil {
		return nil, fmt.Errorf("monitor: %w", err)
	}
	m := &Monitor{
		Task: file.Task, Level: file.Level, Metrics: report.OrNil(file.Metrics), NightsToFalseAlarm: file.NightsToFalseAlarm, BurnIn: file.BurnIn, Season: file.Season,
		Nights: file.Nights.Read(), Why: file.Why.Read(), Bounds: file.Bounds.Read(), Drift: file.Drift.Read(), LabelShift: file.LabelShift.Read(), Skipped: file.Skipped.Read(),
		Warnings: report.OrNil(file.Warnings),
		Volume:   file.Volume, MissingDays: file.MissingDays,
	}
	places := collections.Places(collections.Map(m.Nights, func(n Night) string { return n.Date }))
	for i, s := range file.Series.Read() {
		if err := s.setValues(places); err != nil {
			return nil, fmt.Errorf("monitor: series %d: %w", i+1, err)
		}
		m.Series = append(m.Series, *s.Series)
	}
	return m, nil
}

// check returns an error if a value is invalid: a file may have been edited.
func (file *monitorFile) check() error {
	if !(file.Level >= 0 && file.Level < 1) {
		return fmt.Errorf("level: %v: expected a number in [0, 1)", file.Level)
	}
	met := map[string]bool{}
	for i, n := range file.Nights.Read() {
		switch {
		case n.Date == "" || met[n.Date]:
			return fmt.Errorf("night %d: date %s: expected the date of no other night", i+1, quote.Value(n.Date))
		case i > 0 && n.At.Before(file.Nights.Read()[i-1].At):
			return fmt.Errorf("night %d: %s is before the night in front of it: expected the oldest first", i+1, quote.Value(n.Date))
		case n.At.UTC().Year() < 0 || n.At.UTC().Year() > 9999:
			return fmt.Errorf("night %d: at: expected a year in [0, 9999]", i+1)
		}
		met[n.Date] = true
	}
	for i, b := range file.Bounds.Read() {
		if (b.Min == nil) == (b.Max == nil) {
			return fmt.Errorf("bound %d: expected either min or max", i+1)
		}
	}
	return nil
}

// setValues sets the values of the series, which are at the nights with the given places.
func (s *datedSeries) setValues(places map[string]int) error {
	last := -1
	for i, v := range s.values {
		at, found := places[v.date]
		switch {
		case !found:
			return fmt.Errorf("value %d: date %s: expected that of a night", i+1, quote.Value(v.date))
		case at <= last:
			return fmt.Errorf("value %d: date %s: expected a later night than that of the value in front of it", i+1, quote.Value(v.date))
		}
		last, v.Night = at, at
		s.Values = append(s.Values, v.Value)
	}
	return nil
}
