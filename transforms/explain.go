package transforms

import (
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
)

// explainGrades adds to a report the meanings of metrics that are better where others of their names are worse, because lower grades are
// better. The report keeps them, as it does for registered metrics.
func (s *settled) explainGrades(r *report.Report) {
	p := &s.Params
	if p.Task != metrics.Grading {
		return
	}
	known := make(map[string]bool)
	for i := range r.Metrics {
		name := r.Metrics[i].Name
		if known[name] {
			continue
		}
		known[name] = true
		if better := p.Direction(name); better != metrics.Direction(name) {
			if r.Meanings == nil {
				r.Meanings = make(map[string]report.Meaning)
			}
			r.Meanings[name] = report.Meaning{Definition: metrics.Definition(p.Task, name), Better: better.String(), Own: true}
		}
	}
}

// Explain adds the meanings of its metrics to a report. For metrics of another program, and of grades whose lower values are better, it
// keeps what the report already says.
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
			if m = r.Meanings[row.Name]; !m.Own {
				m = report.Meaning{Definition: metrics.Definition(task, row.Name), Better: metrics.Direction(row.Name).String(), Own: metrics.Registered(task, row.Name)}
			}
			known[row.Name] = m
		}
		if m.Definition != "" && (m.Own || len(row.Slice) == 0 && row.Label == nil) {
			r.Meanings[row.Name] = m
		}
	}
}
