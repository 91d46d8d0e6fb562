package transforms

import (
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
)

// Explain adds the meanings of its metrics to a report. For metrics of another program it keeps
// what the report already says.
func Explain(r *report.Report) {
	var task metrics.Task
	if task.UnmarshalText([]byte(r.Task)) != nil {
		return // the report is of another version
	}
	if r.Meanings == nil {
		r.Meanings = make(map[string]report.Meaning)
	}
	known := make(map[string]report.Meaning) // there may be millions of rows, and few names
	for i := range r.Metrics {
		row := &r.Metrics[i]
		m, met := known[row.Name]
		if !met {
			if m.Definition = metrics.Definition(task, row.Name); m.Definition != "" {
				m.Better, m.Own = metrics.Direction(row.Name).String(), metrics.Registered(task, row.Name)
			}
			known[row.Name] = m
		}
		if m.Definition != "" && (m.Own || len(row.Slice) == 0 && row.Label == nil) {
			r.Meanings[row.Name] = m
		}
	}
}
