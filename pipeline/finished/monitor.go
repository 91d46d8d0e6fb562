package finished

import (
	"context"
	"fmt"
	"slices"

	"github.com/beameval/beameval/analysis/monitor"
	nights "github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/volume"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/pipeline/internal/computed"
	"github.com/beameval/beameval/transforms/statistics"
)

// Monitor monitors the finished reports that patterns stand for: directories of reports, directories
// that hold some, or globs. The configuration, which may be nil, says what is monitored; o has what no
// configuration has: Since, Reference and Strict.
func Monitor(ctx context.Context, patterns []string, cfg *config.Config, o monitor.Options) (*nights.Monitor, error) {
	return monitor.Monitor(ctx, patterns, configured(cfg, o))
}

// MonitorEach is like [Monitor], for each value of a part of the paths of the reports; see [monitor.Each].
func MonitorEach(ctx context.Context, patterns []string, key string, cfg *config.Config, o monitor.Options) (*nights.Each, error) {
	return monitor.Each(ctx, patterns, key, configured(cfg, o))
}

// configured adds to options what a configuration says, which may be nil.
func configured(cfg *config.Config, o monitor.Options) monitor.Options {
	if cfg == nil {
		cfg = new(config.Default())
	}
	c := &cfg.Monitor
	o.Slices, o.NightsToFalseAlarm, o.BurnIn, o.Season, o.MaxVolumeDrop = c.EachSlice(), c.NightsToFalseAlarm, c.BurnIn, c.Season, c.MaxVolumeDrop
	o.Resolve = func(newest *report.Report, o *monitor.Options) error { return findMonitored(newest, cfg, o) }
	o.Statistics = statistics.Read
	return o
}

// findMonitored finds the metrics and bounds of a configuration in the newest report.
func findMonitored(newest *report.Report, cfg *config.Config, o *monitor.Options) error {
	p, others, err := computedIn(newest)
	if err != nil {
		return err
	}
	known, values := computed.In(p, slices.Concat(others, volume.Names)), valuesIn(newest)
	for i, name := range cfg.Monitor.Metrics {
		if name, err = known.Metric(name); err != nil {
			return cfg.Errorf(fmt.Sprintf("monitor.metrics[%d]", i), "%w", err)
		}
		o.Metrics = append(o.Metrics, name)
	}
	for i := range cfg.Monitor.Bounds {
		gate := cfg.Monitor.Bounds[i].Gate()
		bound, key, err := known.Gate(&gate)
		if err != nil {
			return cfg.Errorf(fmt.Sprintf("monitor.bounds[%d]%s", i, key), "%w", err)
		}
		meet(values, bound.Slice)
		o.Bounds = append(o.Bounds, bound)
	}
	return nil
}
