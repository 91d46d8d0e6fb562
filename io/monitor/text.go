package monitor

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// alarm is what people read of an alarm.
type alarm struct {
	metric, slice, label, verdict, since, raised, change, last, why string
	sentence                                                        string // says all in short
	series                                                          *Series

	also []alarm // of slices, which are one event with this one; see events
}

// beyondBound is the verdict of a bound.
const beyondBound = "beyond bound"

// alarms returns the alarm of the number of examples, the alarms of series, then the alarms of bounds.
func (m *Monitor) alarms() (all []alarm) {
	if v := m.Volume; v != nil && v.Alarm {
		all = append(all, v.alarm())
	}
	for _, s := range m.worst() {
		if s.Alarm {
			last, raised := s.last(), "–"
			if v := m.alarmed(s); v != nil {
				raised = document.Brief(m.Nights[v.Night].Date)
			}
			_, word := s.verdict()
			all = append(all, alarm{
				metric: quote.Visible(s.Metric), slice: s.Slice.String(), label: document.Label(s.Label), verdict: word, since: document.Brief(s.Since), raised: raised,
				change: signed(s.Change), last: estimated(last.estimate()), why: m.chance(s),
				sentence: s.title() + " since " + document.Brief(s.Since), series: s,
			})
		}
	}
	for i := range m.Bounds {
		if b := &m.Bounds[i]; b.Alarm {
			of, since := Series{Metric: b.Metric, Slice: b.Slice, Label: b.Label}, document.Brief(b.Since)
			all = append(all, alarm{
				metric: quote.Visible(b.Metric), slice: b.Slice.String(), label: document.Label(b.Label), verdict: beyondBound, since: since, raised: since,
				why: "mean " + document.Number(b.Mean) + ", " + b.bound(), sentence: of.title() + ", " + b.bound() + ", since " + since,
			})
		}
	}
	return all
}

// Alarmed names what alarmed, the worst first, each with the night since which it is worse, or
// changed.
func (m *Monitor) Alarmed() []string {
	return collections.Map(m.alarms(), func(a alarm) string { return a.sentence })
}

// Alarms returns the number of alarms.
func (m *Monitor) Alarms() int { return len(m.alarms()) }

// places is the number of decimals of values.
const places = 4

// estimated formats a number with its interval, if it has one.
func estimated(e *report.Estimate) string {
	return document.WithInterval(e.Value, e.Interval(), places)
}

// signed formats a change with its sign.
func signed(x float64) string {
	if !floats.Finite(x) {
		return "–"
	}
	return document.Signed(x, document.Fixed(x, places))
}

// evidence formats the evidence that decided, and the threshold.
func (m *Monitor) evidence(s *Series) string {
	evidence := m.strongest(s)
	if !floats.Finite(evidence) {
		return "–"
	}
	return short(evidence) + " of " + short(s.Threshold)
}

// short formats a number with few digits.
func short(x float64) string {
	switch abs := math.Abs(x); {
	case !floats.Finite(x):
		return "–"
	case abs >= 100 && abs < 1e6:
		return document.Grouped(int64(math.Round(x)))
	case abs != 0 && (abs < 0.01 || abs >= 1e6):
		return strconv.FormatFloat(x, 'e', 1, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// mean formats the mean of a bound and its confidence sequence.
func (b *Bound) mean() string {
	if !floats.Finite(b.Mean) || !floats.Finite(b.Low) || !floats.Finite(b.High) {
		return document.Number(b.Mean)
	}
	return estimated(&report.Estimate{Value: b.Mean, Low: b.Low, High: b.High})
}

// period names the first and the last night.
func (m *Monitor) period() string {
	n := len(m.Nights)
	if n == 0 {
		return "no nights"
	}
	return fmt.Sprintf("%s, %s to %s", document.Plural(int64(n), "night"), document.Brief(m.Nights[0].Date), document.Brief(m.Nights[n-1].Date))
}

// tally says how many alarms there are.
func (m *Monitor) tally() string {
	series := document.Plural(int64(len(m.Series)), "series")
	if len(m.Series) != 1 {
		series = document.Grouped(int64(len(m.Series))) + " series"
	}
	if len(m.Bounds) > 0 {
		series += " and " + document.Plural(int64(len(m.Bounds)), "bound")
	}
	if m.Alarms() == 0 {
		return "no alarm in " + series
	}
	return document.Plural(int64(m.Alarms()), "alarm") + " in " + series
}

// note explains alarms and intervals.
func (m *Monitor) note() string {
	intervals := ""
	if m.Level > 0 {
		intervals = "[ ]: " + strconv.FormatFloat(m.Level*100, 'g', 4, 64) + "% confidence."
	}
	return document.Join("An alarm means that a metric has worsened (or changed, if it has no better direction) beyond chance. "+
		"As long as nothing changes, all series together are expected to raise one false alarm in "+short(m.NightsToFalseAlarm)+" nights or more.", intervals)
}

// sparkNights is the number of nights that a line of blocks shows.
const sparkNights = 16

// trend returns the values of a series at the last nights, NaN where it has none.
func (m *Monitor) trend(s *Series) (list []Reading) {
	for night := max(0, len(m.Nights)-sparkNights); night < len(m.Nights); night++ {
		r := Reading{Date: m.Nights[night].Date, Value: math.NaN()}
		if v := s.at(night); v != nil {
			r.Value = v.Value
		}
		list = append(list, r)
	}
	return list
}

// blocks draws values as blocks of the height of the value, with a dot for a night without one.
func blocks(list []Reading) string {
	heights := []rune("▁▂▃▄▅▆▇█")
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range list {
		if floats.Finite(r.Value) {
			low, high = min(low, r.Value), max(high, r.Value)
		}
	}
	var b strings.Builder
	for _, r := range list {
		switch {
		case !floats.Finite(r.Value):
			b.WriteRune('·')
		case !(high > low) || math.IsInf(high-low, 0):
			b.WriteRune(heights[len(heights)/2])
		default:
			b.WriteRune(heights[min(len(heights)-1, int((r.Value-low)/(high-low)*float64(len(heights))))])
		}
	}
	return b.String()
}
