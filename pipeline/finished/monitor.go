package finished

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/beameval/beameval/analysis/monitor"
	nights "github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/volume"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/pipeline/internal/computed"
)

// MonitorOptions are the options of a call of Monitor that are in no configuration.
type MonitorOptions struct {
	// Since acknowledges the alarms up to this day, which is included. Zero acknowledges none.
	Since time.Time
	// Reference is the directory of the report that drift is measured from. If it is empty, drift is
	// measured from the first nights.
	Reference string
	// Strict makes reports that do not belong to the others an error.
	Strict bool
}

// Monitor monitors the finished reports that patterns stand for: directories of reports, directories
// that hold some, or globs. The configuration says what is monitored; it may be nil.
func Monitor(ctx context.Context, patterns []string, cfg *config.Config, o MonitorOptions) (*nights.Monitor, error) {
	if cfg == nil {
		cfg = new(config.Default())
	}
	c := &cfg.Monitor
	return monitor.Monitor(ctx, patterns, monitor.Options{
		Slices: c.EachSlice(), NightsToFalseAlarm: c.NightsToFalseAlarm, BurnIn: c.BurnIn, Season: c.Season, MaxVolumeDrop: c.MaxVolumeDrop,
		Since: o.Since, Reference: o.Reference, Strict: o.Strict,
		Resolve: func(newest *report.Report, o *monitor.Options) error { return findMonitored(newest, cfg, o) },
	})
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
