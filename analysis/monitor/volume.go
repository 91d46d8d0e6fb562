package monitor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report/document"
)

// Half of a night's rows lost is the first thing to hear, on that night. Evidence over many nights would
// be too slow, so the number of examples has a plain rule.

const (
	compared    = 4   // nights, at most, of whose numbers of examples the median is taken
	fewest      = 2   // nights to compare with
	volumeDrop  = 0.2 // the share of examples lost that is a warning
	mostMissing = 5   // days that a warning names
)

// judgeVolume compares the number of examples of the last night with the median of the last nights at the
// same place of the season, unless it is acknowledged, and finds days without a report.
func judgeVolume(m *monitor.Monitor, maxDrop float64, from int) {
	last := len(m.Nights) - 1
	n, named := missingDays(m.Nights)
	if m.MissingDays = n; n > 0 {
		m.Warnings = append(m.Warnings, fmt.Sprintf("%s without a report: %s%s", document.Plural(int64(n), "day"), strings.Join(named, ", "), others(n-len(named))))
	}
	if last < from {
		return
	}
	season := max(m.Season, 1)
	var before []float64
	for i := last - 1; i >= 0 && len(before) < compared; i-- {
		if apart := day(&m.Nights[last]) - day(&m.Nights[i]); apart%season == 0 {
			before = append(before, float64(m.Nights[i].Examples))
		}
	}
	if len(before) < fewest {
		return
	}
	night := &m.Nights[last]
	v := &monitor.Volume{Date: night.Date, Examples: night.Examples, Nights: len(before), Median: comparison.Median(before)}
	if v.Median == 0 {
		return
	}
	v.Change = (float64(v.Examples) - v.Median) / v.Median
	v.Alarm = maxDrop > 0 && -v.Change >= maxDrop
	m.Volume = v
	if !v.Alarm && -v.Change > volumeDrop {
		m.Warnings = append(m.Warnings, v.Text())
	}
}

// missingDays returns the number of days without a report between the first and the last night, and the
// last of them, if reports are of every day: if most are of the day after the one before.
func missingDays(nights []monitor.Night) (n int, named []string) {
	daily := 0
	for i := len(nights) - 1; i > 0; i-- {
		from, to := day(&nights[i-1]), day(&nights[i])
		if to-from <= 1 {
			daily++
			continue
		}
		n += to - from - 1
		for d := to - 1; d > from && len(named) < mostMissing; d-- {
			named = append(named, time.Unix(int64(d)*24*60*60, 0).UTC().Format(time.DateOnly))
		}
	}
	if 2*daily <= len(nights)-1 {
		return 0, nil
	}
	slices.Reverse(named)
	return n, named
}

func others(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d before", n)
}
