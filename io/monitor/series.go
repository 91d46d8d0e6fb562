package monitor

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// last returns the value of the last night that has one.
func (s *Series) last() Value {
	if len(s.Values) == 0 {
		nan := math.NaN()
		return Value{-1, nan, nan, nan, nan, nan}
	}
	return s.Values[len(s.Values)-1]
}

func (v *Value) estimate() *report.Estimate {
	return &report.Estimate{Value: v.Value, Low: v.Low, High: v.High}
}

// worst returns the series that alarmed, then the others; of both, first those of all examples, then
// those with the most evidence in relation to the threshold.
func (m *Monitor) worst() []*Series {
	all := collections.Select(m.Series, func(*Series) bool { return true })
	slices.SortStableFunc(all, func(a, b *Series) int {
		return cmp.Or(cmp.Compare(oneIf(b.Alarm), oneIf(a.Alarm)), cmp.Compare(oneIf(b.overall()), oneIf(a.overall())), floats.CompareLast(-m.urgency(a), -m.urgency(b)))
	})
	return all
}

// urgency returns the evidence in relation to the threshold, NaN if it is unknown.
func (m *Monitor) urgency(s *Series) float64 {
	evidence := m.strongest(s)
	if !floats.Finite(evidence) || !(s.Threshold > 0) || !floats.Finite(s.Threshold) {
		return math.NaN()
	}
	return evidence / s.Threshold
}

// strongest returns the evidence that decided: that of the alarm or, without one, the last.
func (m *Monitor) strongest(s *Series) float64 {
	if v := m.alarmed(s); v != nil {
		return v.Evidence
	}
	return s.Evidence
}

// overall returns whether the series is of all examples and labels.
func (s *Series) overall() bool { return len(s.Slice) == 0 && s.Label == nil }

// headlines returns the series of all examples of the first metrics.
func (m *Monitor) headlines(most int) (list []*Series) {
	of := map[string]*Series{}
	for i := range m.Series {
		if s := &m.Series[i]; s.overall() && of[s.Metric] == nil {
			of[s.Metric] = s
		}
	}
	for _, name := range m.Metrics {
		if s := of[name]; s != nil && len(list) < most {
			list = append(list, s)
			delete(of, name)
		}
	}
	return list
}

// change returns how far the mean since an alarm is from the mean before or, without an alarm, how
// far the last value is from the mean of those before it with the same configuration. It is NaN if
// there are none.
func (m *Monitor) change(s *Series) float64 {
	if s.Alarm {
		return s.Change
	}
	last, sum, n := s.last(), 0.0, 0
	if last.Night < 0 {
		return math.NaN()
	}
	for _, v := range s.Values[:len(s.Values)-1] {
		if m.Nights[v.Night].Segment == m.Nights[last.Night].Segment {
			sum += v.Value
			n++
		}
	}
	return last.Value - sum/float64(n)
}

// alarmed returns the value at the night of the alarm: the first since the change whose evidence
// reaches the threshold. It is nil without an alarm, and if no value says when it was.
func (m *Monitor) alarmed(s *Series) *Value {
	if !s.Alarm {
		return nil
	}
	from := m.since(s)
	for i := range s.Values {
		if v := &s.Values[i]; v.Night >= from && v.Evidence >= s.Threshold && floats.Finite(v.Evidence) {
			return v
		}
	}
	return nil
}

// verdict says what the series did since the night of [Series.Since], with an arrow.
func (s *Series) verdict() (arrow, word string) {
	switch {
	case !s.TwoSided:
		return "▼", "worse"
	case s.Change > 0:
		return "▲", "changed"
	case s.Change < 0:
		return "▼", "changed"
	}
	return "◆", "changed"
}

// judged is the verdict of an alarm in words.
func (s *Series) judged() string {
	_, word := s.verdict()
	return word + " since " + document.Brief(s.Since)
}

// since returns the index of the night since which the metric is worse, or changed, or 0 if it is unknown.
func (m *Monitor) since(s *Series) int { return max(0, m.night(s.Since)) }

// night returns the index of a night, or -1.
func (m *Monitor) night(date string) int {
	return slices.IndexFunc(m.Nights, func(n Night) bool { return n.Date == date })
}

// at returns the value at a night, or nil.
func (s *Series) at(night int) *Value {
	i, found := slices.BinarySearchFunc(s.Values, night, func(v Value, night int) int { return cmp.Compare(v.Night, night) })
	if !found {
		return nil
	}
	return &s.Values[i]
}
