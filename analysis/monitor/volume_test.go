package monitor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/monitor"
)

// nightsOfDays returns nights on days of November 2026, with numbers of examples.
func nightsOfDays(days []int, examples ...int64) (list []monitor.Night) {
	for i, day := range days {
		at := time.Date(2026, 11, day, 3, 0, 0, 0, time.UTC)
		list = append(list, monitor.Night{Date: at.Format(time.DateOnly), At: at, Examples: examples[i]})
	}
	return list
}

func TestVolume(t *testing.T) {
	for _, c := range []struct {
		name     string
		days     []int
		examples []int64
		season   int
		from     int
		alarm    bool
		warnings []string
		median   float64
	}{
		{"alarm", []int{1, 2, 3, 4, 5, 6}, []int64{1, 1000, 900, 1100, 1000, 600}, 0, 0, true, nil, 1000},
		{"warning", []int{1, 2, 3, 4, 5}, []int64{1000, 900, 1100, 1000, 601}, 0, 0, false, []string{"2026-11-05 has 601 examples, 39.9 % fewer than the median of 4 nights before it, 1000"}, 1000},
		{"neither", []int{1, 2, 3, 4, 5}, []int64{1000, 900, 1100, 1000, 800}, 0, 0, false, nil, 1000},
		{"more", []int{1, 2, 3}, []int64{1000, 1000, 5000}, 0, 0, false, nil, 1000},
		{"one night", []int{1, 2}, []int64{1000, 1}, 0, 0, false, nil, 0},
		{"acknowledged", []int{1, 2, 3}, []int64{1000, 1000, 1}, 0, 3, false, nil, 0},
		{"a season", []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, []int64{500, 1000, 1000, 1000, 1000, 1000, 1000, 500, 1000, 1000, 1000, 1000, 1000, 1000, 450}, 7, 0, false, nil, 500},
		{"days without a report", []int{1, 2, 3, 6, 7, 8, 10}, []int64{9, 9, 9, 9, 9, 9, 9}, 0, 0, false, []string{"3 days without a report: 2026-11-04, 2026-11-05, 2026-11-09"}, 9},
		{"weekly", []int{1, 8, 15, 22}, []int64{9, 9, 9, 9}, 0, 0, false, nil, 9},
	} {
		m := &monitor.Monitor{Nights: nightsOfDays(c.days, c.examples...), Season: c.season}
		judgeVolume(m, 0.4, c.from)
		require.Equal(t, c.warnings, m.Warnings, c.name)
		if c.median == 0 {
			require.Nil(t, m.Volume, c.name)
			continue
		}
		require.NotNil(t, m.Volume, c.name)
		require.Equal(t, c.alarm, m.Volume.Alarm, c.name)
		require.Equal(t, c.median, m.Volume.Median, c.name)
		require.Equal(t, c.alarm, m.Alarms() == 1, c.name)
		require.Len(t, m.Alarmed(), m.Alarms())
	}
}
