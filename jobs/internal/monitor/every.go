package monitor

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	analysis "github.com/beameval/beameval/analysis/monitor"
	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/jobs/internal/evaluate"
	"github.com/beameval/beameval/jobs/internal/merge"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/pipeline/finished"
	"github.com/beameval/beameval/transforms"
)

// period is some consecutive days with their reports.
type period struct {
	first time.Time
	dirs  []string
}

// monitorPeriods monitors the merged reports of periods of some days, which are temporary. A period begins with the
// day of the first report, or with the day after the period before it, and stands for its first day.
func (j *job) monitorPeriods(ctx context.Context, args []string, cfg *config.Config, o analysis.Options) (*monitor.Monitor, error) {
	if j.every < 1 || j.every > 366 {
		return nil, fmt.Errorf("--every: %d: expected 1 to 366 days", j.every)
	}
	dirs, err := reports.Find(ctx, args, nil)
	if err != nil {
		return nil, err
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("there is no finished report in %s: %w", strings.Join(args, ", "), fs.ErrNotExist)
	}
	nights, err := reports.InOrder(ctx, dirs)
	if err != nil {
		return nil, err
	}
	evaluate.BecomeRun()
	temp, remove, err := command.TempDir("monitor-")
	if err != nil {
		return nil, err
	}
	defer remove()
	names := make(map[string]string)
	for _, p := range periods(nights, j.every) {
		dir := filepath.Join(temp, "dt="+p.first.Format(time.DateOnly))
		if err := mergeInto(ctx, p.dirs, dir); err != nil {
			return nil, err
		}
		names[dir] = p.dirs[0]
		if last := len(p.dirs) - 1; last > 0 {
			names[dir] = fmt.Sprintf("%s to %s", p.dirs[0], p.dirs[last])
		}
	}
	m, err := finished.Monitor(ctx, []string{temp}, cfg, o)
	if err != nil {
		return nil, err
	}
	for i := range m.Nights {
		m.Nights[i].Report = names[m.Nights[i].Report]
	}
	return m, nil
}

// periods divides nights, which are in order, into periods of some days.
func periods(nights []reports.Night, days int) (list []period) {
	day := func(at time.Time) int { return int(at.UTC().Truncate(24*time.Hour).Unix() / (24 * 60 * 60)) }
	start, last := day(nights[0].At), -1
	for _, night := range nights {
		if number := (day(night.At) - start) / days; number != last {
			list, last = append(list, period{first: time.Unix(int64(start+number*days)*24*60*60, 0).UTC()}), number
		}
		p := &list[len(list)-1]
		p.dirs = append(p.dirs, night.Dir)
	}
	return list
}

// mergeInto writes the merged report of reports.
func mergeInto(ctx context.Context, dirs []string, dir string) error {
	p, err := transforms.OpenParts(ctx, dirs, transforms.PartsOptions{})
	if err != nil {
		return err
	}
	p.Output.Dir = dir
	return merge.Write(ctx, p)
}
