package monitor

import (
	"slices"
	"time"

	"github.com/beameval/beameval/io/report/picture"
)

// timeAxis places nights in time. Its unit is a day.
type timeAxis struct {
	picture.Axis
	at  []float64 // of each night
	gap float64   // between nights that are further apart, a night is missing
}

const secondsOfDay = 24 * 60 * 60

// newTimeAxis returns the axis from the first to the last night.
func newTimeAxis(nights []Night) *timeAxis {
	t := &timeAxis{}
	if len(nights) == 0 {
		return t
	}
	first := nights[0].At.UTC()
	since := func(at time.Time) float64 { return float64(at.Unix()-first.Unix()) / secondsOfDay }
	var steps []float64
	for i, n := range nights {
		t.at = append(t.at, since(n.At))
		if i > 0 && t.at[i] > t.at[i-1] {
			steps = append(steps, t.at[i]-t.at[i-1])
		}
	}
	slices.Sort(steps)
	if n := len(steps); n > 0 {
		t.gap = 1.5 * steps[(n-1)/2]
	}
	last := t.at[len(t.at)-1]
	t.Max = last
	t.Ticks = []picture.Tick{}
	switch days := int(last); {
	case last == 0:
		t.Min, t.Max = -0.5, 0.5
		t.Ticks = append(t.Ticks, picture.Tick{At: 0, Text: first.Format(time.DateOnly)})
	case days < 2:
		for _, x := range []float64{0, last} {
			t.Ticks = append(t.Ticks, picture.Tick{At: x, Text: first.Add(time.Duration(x * secondsOfDay * float64(time.Second))).Format("15:04")})
		}
	default:
		t.ticks(first, days, since)
	}
	return t
}

// mostTicks is the number of dates that fit below a chart.
const mostTicks = 6

// ticks adds ticks at days or, if these are too many, at the first of months.
func (t *timeAxis) ticks(first time.Time, days int, since func(time.Time) float64) {
	year, month, day := first.Date()
	add := func(layout string, next func(i int) time.Time) {
		for i := 0; ; i++ {
			x := since(next(i))
			if x > t.Max {
				return
			}
			if x >= t.Min {
				t.Ticks = append(t.Ticks, picture.Tick{At: x, Text: next(i).Format(layout)})
			}
		}
	}
	for _, step := range []int{1, 2, 7, 14} {
		if days/step < mostTicks {
			add("Jan 2", func(i int) time.Time { return time.Date(year, month, day+i*step, 0, 0, 0, 0, time.UTC) })
			return
		}
	}
	for step := 1; ; step *= 2 { // months
		if days/(30*step) < mostTicks {
			add("2006-01", func(i int) time.Time { return time.Date(year, month+time.Month(i*step), 1, 0, 0, 0, 0, time.UTC) })
			return
		}
	}
}
