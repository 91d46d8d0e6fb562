package monitor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/report/document"
)

// daysOfYear is the number of nights of a year.
const daysOfYear = 365.25

// rarely begins the words for how rare an alarm is.
const rarely = "by chance less than "

// chance says how rarely chance gives any of the series as much evidence as the one that alarmed has. The threshold is as
// many times the nights to a false alarm as there are series.
func (m *Monitor) chance(s *Series) string {
	nights := float64(m.NightsToFalseAlarm * m.urgency(s))
	switch years := nights / daysOfYear; {
	case !floats.Finite(nights):
		return "evidence " + m.evidence(s)
	case years >= 1e6:
		return rarely + "once in a million years"
	case years >= 2:
		return rarely + "once in " + document.Plural(int64(years), "year")
	}
	return rarely + "once in " + document.Plural(int64(nights), "night")
}

// events returns the alarms as people read them: alarms of slices that are of the same night as an alarm of all examples, by
// the same metric, or have a part in it, are one event with it.
func (m *Monitor) events() (all []alarm) {
	for _, a := range m.alarms() {
		if at := slices.IndexFunc(all, func(first alarm) bool { return m.isPart(a, first) }); at >= 0 {
			all[at].also = append(all[at].also, a)
			continue
		}
		all = append(all, a)
	}
	return all
}

// reasons says all about why an alarm was raised.
func (m *Monitor) reasons(a alarm) string {
	text := a.why
	if len(a.also) > 0 {
		text += fmt.Sprintf("; most clearly in %s (%s)", a.also[0].slice, a.also[0].change)
		if n := len(a.also) - 1; n > 0 {
			text += ", also in " + document.Plural(int64(n), "other slice")
		}
	}
	if a.series != nil {
		if w := m.explained(a.series); w != nil {
			text += ". " + w.Sentence(m.Task)
		}
	}
	return text
}

// alsoIn names the slices that are one event with an alarm of all examples, the clearest of each.
func alsoIn(events []alarm) string {
	var list []string
	for _, a := range events {
		if n := len(a.also); n > 0 {
			text := a.metric + " also in " + a.also[0].slice
			if n > 1 {
				text += fmt.Sprintf(" and %d more", n-1)
			}
			list = append(list, text)
		}
	}
	return strings.Join(list, "; ")
}

// joined says which alarms are one row.
func (m *Monitor) joined() string {
	text := "Alarms of the same night in all examples and in slices are one row"
	if len(m.Why) > 0 {
		text += ", and so are alarms of slices from which a part of the change of all examples comes"
	}
	return text + "."
}

// isPart reports whether the alarm of a slice is of the same night as one of all examples, raised then, or worse since
// then, or has a part in it.
func (m *Monitor) isPart(a, of alarm) bool {
	const overall = "overall"
	return a.slice != overall && of.slice == overall && a.verdict != beyondBound &&
		a.metric == of.metric && a.label == of.label && a.verdict == of.verdict && (a.raised == of.raised || a.since == of.since || m.explains(of.series, a.series))
}
