package monitor

import (
	"fmt"
	"io"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// The names of the files of a monitor.
const (
	JSON       = "monitor.json"
	CSV        = "trend.csv"
	Parquet    = "trend.parquet"
	Prometheus = "monitor.prom"
	Summary    = report.SummaryText
	HTML       = "monitor.html"
)

// schema is the schema named in monitor.json.
const schema = "beameval.monitor/v1"

// Write writes m to files obtained from create, monitor.json last: if it exists, the monitor is
// complete.
func Write(m *Monitor, create func(name string) (io.Writer, error)) error {
	if err := export.WriteFiles(m.files(), create); err != nil {
		return fmt.Errorf("monitor: %w", err)
	}
	return nil
}

// files returns the files of a monitor in the order in which they are written.
func (m *Monitor) files() []export.File {
	return []export.File{
		{Name: CSV, Want: true, Write: func(w io.Writer) error { return m.points().WriteCSV(w, m.table()) }},
		{Name: Parquet, Want: true, Write: func(w io.Writer) error { return m.points().WriteParquet(w, "trend", m.table()) }},
		{Name: Prometheus, Want: true, Write: m.writePrometheus},
		{Name: Summary, Want: true, Write: func(w io.Writer) error { return m.Print(w, document.Screen{}) }},
		{Name: HTML, Want: true, Write: m.WritePage},
		{Name: JSON, Want: true, Write: m.WriteJSON},
	}
}

// Replaceable describes what new monitors may replace: finished ones, of each value of a part or of all reports
// together. Messages are about the last.
func Replaceable() []files.Replaceable {
	return []files.Replaceable{replaceableEach(), export.Finished("a finished monitor", schema, new(Monitor).files())}
}

// point is a row of trend.csv and trend.parquet: a series at a night.
type point struct {
	*Series
	value *Value
	date  string
}

func (m *Monitor) points() tabular.List[point] {
	return tabular.Flatten(m.Series, func(s *Series) int { return len(s.Values) }, func(s *Series, i int, room *point) {
		*room = point{s, &s.Values[i], m.Nights[s.Values[i].Night].Date}
	})
}

// table returns the columns of trend.csv and trend.parquet.
func (m *Monitor) table() []tabular.Column[point] {
	return tabular.Placed(tabular.Text("name", func(p *point) *string { return &p.Metric }),
		func(p *point) *slice.Key { return &p.Slice }, func(p *point) **string { return &p.Label }, m.sliceColumns(),
		append(append([]tabular.Column[point]{tabular.Text("date", func(p *point) *string { return &p.date })},
			tabular.Of(func(p *point) *Value { return p.value }, columnsOfValues()...)...),
			tabular.Number("threshold", func(p *point) *float64 { return &p.Threshold }))...)
}

// columnsOfValues returns the columns of the values of series.
func columnsOfValues() []tabular.Column[Value] {
	return []tabular.Column[Value]{
		tabular.Number("value", func(v *Value) *float64 { return &v.Value }),
		tabular.Number("ci_low", func(v *Value) *float64 { return &v.Low }),
		tabular.Number("ci_high", func(v *Value) *float64 { return &v.High }),
		tabular.Number("p", func(v *Value) *float64 { return &v.P }),
		tabular.Number("evidence", func(v *Value) *float64 { return &v.Evidence }),
	}
}

func (m *Monitor) sliceColumns() []string {
	return tabular.ListOf(m.Series).SliceColumns(nil, func(s *Series) slice.Key { return s.Slice })
}
