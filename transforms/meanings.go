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
	for i := range r.Metrics {
		row := &r.Metrics[i]
		own := metrics.Registered(task, row.Name)
		if definition := metrics.Definition(task, row.Name); definition != "" && (own || len(row.Slice) == 0 && row.Label == nil) {
			r.Meanings[row.Name] = report.Meaning{Definition: definition, Better: metrics.Direction(row.Name).String(), Own: own}
		}
	}
}
