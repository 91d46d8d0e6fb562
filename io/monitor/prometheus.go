package monitor

import (
	"io"
	"slices"
	"strconv"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// writePrometheus writes monitor.prom in the text format for the textfile collector of the node
// exporter.
func (m *Monitor) writePrometheus(w io.Writer) error {
	ofBounds := tabular.ListOf(m.Bounds).SliceColumns(nil, func(b *Bound) slice.Key { return b.Slice })
	p := export.NewPrometheus(w, slices.Compact(slices.Sorted(slices.Values(slices.Concat(m.sliceColumns(), ofBounds)))))
	for _, family := range []struct {
		name, help string
		of         func(*Series) float64
	}{
		{"beameval_monitor_alarm", "1 if there is an alarm; 0 otherwise.", func(s *Series) float64 { return oneIf(s.Alarm) }},
		{"beameval_monitor_evidence", "Evidence that the metric became worse, or changed if neither higher nor lower is better.", func(s *Series) float64 { return s.Evidence }},
		{"beameval_monitor_threshold", "Evidence from which there is an alarm.", func(s *Series) float64 { return s.Threshold }},
		{"beameval_monitor_value", "Value of the metric at the last night that has one.", func(s *Series) float64 { return s.last().Value }},
	} {
		p.Family(family.name, family.help)
		for i := range m.Series {
			s := &m.Series[i]
			p.Write(family.name, p.Labels(s.Metric, s.Slice, s.Label), family.of(s))
		}
	}
	if len(m.Bounds) > 0 {
		const family = "beameval_monitor_bound_alarm"
		p.Family(family, "1 if the metric is on the wrong side of a bound; 0 otherwise.")
		for i := range m.Bounds {
			b := &m.Bounds[i]
			labels := p.Labels(b.Metric, b.Slice, b.Label)
			for name, limit := range b.limits() {
				labels = append(labels, name, floats.JSON(limit))
			}
			p.Write(family, labels, oneIf(b.Alarm))
		}
	}
	p.Count("beameval_monitor_alarms", "Alarms.", int64(m.Alarms()))
	p.Count("beameval_monitor_nights", "Reports that are monitored.", int64(len(m.Nights)))
	p.Count("beameval_monitor_missing_days", "Days without a report, if reports are of every day.", int64(m.MissingDays))
	p.Count("beameval_monitor_skipped", "Reports that are left out.", int64(len(m.Skipped)))
	return p.Err()
}

func oneIf(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// limits yields the bound and its name.
func (b *Bound) limits() func(yield func(name string, limit float64) bool) {
	return func(yield func(string, float64) bool) {
		if b.Min != nil && !yield("min", *b.Min) {
			return
		}
		if b.Max != nil {
			yield("max", *b.Max)
		}
	}
}

// bound returns the bound as a configuration has it.
func (b *Bound) bound() (text string) {
	for name, limit := range b.limits() {
		text = name + " " + strconv.FormatFloat(limit, 'g', -1, 64)
	}
	return text
}
