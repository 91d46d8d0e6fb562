package monitor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/slice"
)

// Twelve series raise one false alarm in a year together, each one in twelve years.
func TestChanceInWords(t *testing.T) {
	m := &Monitor{NightsToFalseAlarm: 365, Nights: []Night{{Date: "2026-11-10"}}}
	of := func(evidence float64) string {
		return m.chance(&Series{Evidence: evidence, Threshold: 12 * 365})
	}
	require.Equal(t, "by chance less than once in 365 nights", of(4380))
	require.Equal(t, "by chance less than once in 3 years", of(17_377))
	require.Equal(t, "by chance less than once in 3,422 years", of(15_000_000))
	require.Equal(t, "by chance less than once in a million years", of(1e15))
	require.Equal(t, "evidence –", of(math.NaN()))
}

// The alarms of a night in all examples and in slices are one event; those of other nights and metrics are others.
func TestEvents(t *testing.T) {
	m := &Monitor{NightsToFalseAlarm: 365, Metrics: []string{"f1", "roc_auc"}}
	for _, date := range []string{"2026-11-10", "2026-11-11", "2026-11-12"} {
		m.Nights = append(m.Nights, Night{Date: date})
	}
	add := func(metric, country, since string, night int, evidence, change float64) {
		s := Series{Metric: metric, Alarm: true, Since: since, Change: change, Evidence: evidence, Threshold: 1000}
		if country != "" {
			s.Slice = slice.Key{{Column: "country", Value: slice.String(country)}}
		}
		for i := range m.Nights {
			v := Value{Night: i, Value: 0.5, Low: math.NaN(), High: math.NaN(), Evidence: 1}
			if i >= night {
				v.Evidence = evidence
			}
			s.Values = append(s.Values, v)
		}
		m.Series = append(m.Series, s)
	}
	add("f1", "", "2026-11-10", 1, 2000, -0.05)
	add("f1", "de", "2026-11-11", 1, 3000, -0.1)
	add("f1", "fr", "2026-11-10", 2, 9000, -0.25)
	add("f1", "it", "2026-11-11", 2, 1500, -0.2)
	add("roc_auc", "fr", "2026-11-10", 1, 9500, -0.3)
	events := m.events()
	require.Len(t, events, 3)
	require.Equal(t, 5, m.Alarms())
	require.Equal(t, "overall", events[0].slice)
	require.Equal(t, "by chance less than once in 730 nights; most clearly in country=fr (-0.2500), also in 1 other slice", m.reasons(events[0]))
	require.Equal(t, "f1 also in country=fr and 1 more", alsoIn(events))
	require.Equal(t, []string{"roc_auc", "f1"}, []string{events[1].metric, events[2].metric})
	require.NotContains(t, m.reasons(events[2]), "most clearly")
}
