package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/sequential"
)

// fewestNights is the smallest number of earlier reports that say how values vary between nights.
const fewestNights = 5

// watch says after how many nights a monitor raises an alarm at the given drop.
func (m *maker) watch(nights []*report.Report) {
	if !m.Given() || len(nights) < 2 {
		return
	}
	if len(nights) < fewestNights {
		m.Warnings = append(m.Warnings, fmt.Sprintf("the nights until a monitor raises an alarm follow from %d or more earlier reports, and there are %d", fewestNights, len(nights)))
		return
	}
	m.Nights = len(nights)
	values := map[string][]float64{}
	for _, night := range nights {
		for i := range night.Metrics {
			if row := &night.Metrics[i]; floats.Finite(row.Value) {
				key := string(row.Key())
				values[key] = append(values[key], row.Value)
			}
		}
	}
	gate := sequential.Gate{BurnIn: m.o.BurnIn, Threshold: m.o.NightsToFalseAlarm * float64(m.series())}
	for i := range m.Rows {
		row := &m.Rows[i]
		if spread := deviation(values[report.KeyOf(row.Metric, row.Slice, row.Label)]); spread > 0 && !(m.Drop > m.room(row)) {
			gate.TwoSided = m.directionOf(row.Metric) == metrics.Neither
			row.Nights = gate.Delay(max(len(nights), m.o.BurnIn), m.Drop/spread)
		}
	}
}

// series returns how many series a monitor judges that looks at the planned metrics, and at those that it
// looks at without being asked.
func (m *maker) series() (n int) {
	names := slices.Concat(report.HeadlinesOf(m.r), m.o.Metrics)
	for i := range m.r.Metrics {
		if slices.Contains(names, m.r.Metrics[i].Name) {
			n++
		}
	}
	return n
}

// deviation returns the standard deviation of values, or NaN if there are too few.
func deviation(values []float64) float64 {
	if len(values) < fewestNights {
		return math.NaN()
	}
	mean, squares := 0.0, 0.0
	for i, x := range values {
		d := x - mean
		mean += d / float64(i+1)
		squares += float64(d * (x - mean))
	}
	return math.Sqrt(squares / float64(len(values)-1))
}
