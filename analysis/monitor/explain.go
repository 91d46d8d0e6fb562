package monitor

import (
	"context"
	"slices"
	"strings"

	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/analysis/why"
	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
)

// changed is a metric of all examples that alarmed, and the nights to compare: those since the change, and as many
// before it.
type changed struct {
	metric        string
	before, since []int
}

// compare returns up to most nights since a change, before a further one, and for each the last night before the change
// that no other has. With a season, both are at the same place of it. Nights without such a one are left out.
func compare(m *monitor.Monitor, points []point, since, until, most int) (before, after []int) {
	season := max(m.Season, 1)
	used := make([]bool, since)
	for i := since; i < until && len(after) < most; i++ {
		for j := since - 1; j >= 0; j-- {
			x, y := points[i].night, points[j].night
			if !used[j] && (day(&m.Nights[x])-day(&m.Nights[y]))%season == 0 {
				before, after, used[j] = append(before, y), append(after, x), true
				break
			}
		}
	}
	slices.Sort(before)
	return before, after
}

// explain adds why metrics of all examples alarmed. It reads only the nights to compare. Those that cannot be read are
// left out, unless o is strict.
func explain(ctx context.Context, m *monitor.Monitor, list []changed, read []*nightly, o Options) error {
	for _, c := range byNights(list) {
		if err := explainTogether(ctx, m, c.nights, c.metrics, read, o); err != nil {
			return err
		}
	}
	slices.SortStableFunc(m.Why, func(a, b monitor.Why) int { return rank(m.Metrics, a.Metric) - rank(m.Metrics, b.Metric) })
	return nil
}

// together are metrics that are explained by the same nights.
type together struct {
	nights  changed
	metrics []string
}

// byNights joins metrics that are explained by the same nights.
func byNights(list []changed) (all []together) {
	for _, c := range list {
		i := slices.IndexFunc(all, func(of together) bool {
			return slices.Equal(of.nights.before, c.before) && slices.Equal(of.nights.since, c.since)
		})
		if i < 0 {
			i, all = len(all), append(all, together{nights: c})
		}
		all[i].metrics = append(all[i].metrics, c.metric)
	}
	return all
}

// explainTogether explains metrics that alarmed on the same nights.
func explainTogether(ctx context.Context, m *monitor.Monitor, c changed, names []string, read []*nightly, o Options) error {
	before, err := readPool(ctx, m, c.before, names, read, o)
	if err != nil {
		return err
	}
	since, err := readPool(ctx, m, c.since, names, read, o)
	if err != nil || len(before) == 0 || len(since) == 0 {
		return err
	}
	divided, err := why.Between(ctx, m.Task, before, since, names, m.Level, o.Statistics)
	switch {
	case err != nil && (o.Strict || ctx.Err() != nil):
		return err
	case err != nil: // a matrix cannot be read
		m.Warnings = append(m.Warnings, "the alarm of "+strings.Join(names, ", ")+" is not explained: "+err.Error())
		return nil
	}
	for _, w := range divided {
		m.Why = append(m.Why, monitor.Why{
			Why: w, From: before[0].Name, Since: m.Nights[c.since[0]].Date, To: since[len(since)-1].Name, NightsBefore: len(before), Nights: len(since),
		})
	}
	return nil
}

// readPool reads nights, of whose rows it keeps what metrics are divided by.
func readPool(ctx context.Context, m *monitor.Monitor, nights []int, names []string, read []*nightly, o Options) ([]why.Source, error) {
	pool := collections.Map(nights, func(night int) *nightly { return read[night] })
	all, problems, err := readNights(ctx, pool, func(int) bool { return o.Strict }, func(n *nightly, ctx context.Context) (*report.Report, error) {
		r, err := reports.Read(ctx, n.Dir)
		if err == nil {
			r.Metrics = slices.DeleteFunc(r.Metrics, func(row report.Row) bool { return !why.Needs(&row, names) })
		}
		return r, err
	})
	if err != nil {
		return nil, err
	}
	var sources []why.Source
	for i, r := range all {
		if err := problems[i]; err != nil {
			left := monitor.Skipped{Report: pool[i].Dir, Reason: "alarms are explained without it: " + err.Error()}
			if !slices.Contains(m.Skipped, left) { // by another metric
				m.Skipped = append(m.Skipped, left)
			}
			continue
		}
		sources = append(sources, why.Source{Report: r, Dir: pool[i].Dir, Name: m.Nights[nights[i]].Date})
	}
	return sources, nil
}
