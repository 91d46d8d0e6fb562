package transforms

import (
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
)

// Explain says in a report what its metrics are.
func Explain(r *report.Report) {
	var task metrics.Task
	if task.UnmarshalText([]byte(r.Task)) != nil {
		return // of another version
	}
	r.Meanings = make(map[string]report.Meaning)
	for i := range r.Metrics {
		row := &r.Metrics[i]
		if len(row.Slice) == 0 && row.Label == nil {
			r.Meanings[row.Name] = report.Meaning{Definition: metrics.Definition(task, row.Name), Better: metrics.Direction(row.Name).String()}
		}
	}
}
