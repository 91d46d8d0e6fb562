package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	changes "github.com/beameval/beameval/io/comparison"
	boards "github.com/beameval/beameval/io/leaderboard"
	nights "github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/comparison"
	"github.com/beameval/beameval/transforms/leaderboard"
	"github.com/beameval/beameval/transforms/monitor"
	"github.com/beameval/beameval/transforms/reports"
)

// Compare compares the finished report in directory b with the one in directory a, and judges the
// gates of a configuration, which may be nil.
func Compare(ctx context.Context, a, b string, adjust changes.Adjustment, cfg *config.Config) (*changes.Comparison, error) {
	var read [2]*report.Report
	var reading errgroup.Group
	for i, dir := range []string{a, b} {
		reading.Go(func() (err error) {
			read[i], err = reports.Read(ctx, dir)
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	gates, err := gatesFor(read[1], cfg)
	if err != nil {
		return nil, err
	}
	c, err := comparison.Compare(read[0], read[1], adjust)
	if err != nil {
		return nil, err
	}
	c.A.Name, c.B.Name = a, b
	if err := comparison.Show(ctx, c, read[0], read[1], [2]string{a, b}); err != nil {
		return nil, err
	}
	changes.Judge(read[1], gates, c)
	c.Gates = read[1].Gates
	return c, nil
}

// Ranking are options of [Rank].
type Ranking struct {
	Adjust      changes.Adjustment
	OverMetrics bool // adjust p-values over the headline metrics as well
	AllPairs    bool // compare all pairs, not only with the reference
	ByDataSet   bool // the reports are of several data sets
	// Reference is the name or directory of the system to compare with; "" is the first.
	Reference string
	Gates     *config.Config // may be nil
}

// Rank compares the systems whose finished reports are in directories, and ranks them. It judges the
// gates of a configuration for each system against the reference.
func Rank(ctx context.Context, dirs []string, o Ranking) (*boards.Leaderboard, error) {
	if n := len(dirs); n > boards.Most && !o.ByDataSet {
		return nil, fmt.Errorf("there are %d reports: at most %d systems can be compared at once", n, boards.Most)
	}
	read, err := reports.ReadAll(ctx, dirs)
	if err != nil {
		return nil, err
	}
	gates := map[string][]report.Gate{}
	for i, r := range read {
		if gates[dirs[i]], err = gatesFor(r, o.Gates); err != nil {
			return nil, fmt.Errorf("%s: %w", dirs[i], err)
		}
		if err := report.ReadFile(ctx, dirs[i], report.PerQueryParquet, r.ReadQueries); err != nil {
			return nil, err
		}
	}
	name := leaderboard.Named
	if o.ByDataSet {
		name = leaderboard.NamedByDataSet
	}
	return leaderboard.Compare(ctx, name(dirs, read), leaderboard.Options{
		Adjust: o.Adjust, OverMetrics: o.OverMetrics, AllPairs: o.AllPairs, Reference: o.Reference, Gates: gates,
	})
}

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
		Slices: c.EachSlice(), NightsToFalseAlarm: c.NightsToFalseAlarm, BurnIn: c.BurnIn, Season: c.Season,
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
	for i, name := range cfg.Monitor.Metrics {
		if !slices.Contains(others, name) {
			if name, err = computedMetric(p, name); err != nil {
				return cfg.Errorf(fmt.Sprintf("monitor.metrics[%d]", i), "%w", err)
			}
		}
		o.Metrics = append(o.Metrics, name)
	}
	for i := range cfg.Monitor.Bounds {
		gate := cfg.Monitor.Bounds[i].Gate()
		bound, key, err := findGate(p, others, &gate)
		if err != nil {
			return cfg.Errorf(fmt.Sprintf("monitor.bounds[%d]%s", i, key), "%w", err)
		}
		o.Bounds = append(o.Bounds, bound)
	}
	return nil
}

// gatesFor returns the gates of a configuration after checking that the report has their metrics,
// slices and labels.
func gatesFor(r *report.Report, cfg *config.Config) ([]report.Gate, error) {
	if cfg == nil {
		return nil, nil
	}
	if len(cfg.Gates) == 0 {
		return nil, cfg.Errorf("gates", "there are no gates to judge: set gates, or leave the configuration out")
	}
	p, others, err := computedIn(r)
	if err != nil {
		return nil, err
	}
	var gates []report.Gate
	for i := range cfg.Gates {
		gate, key, err := findGate(p, others, &cfg.Gates[i])
		if err != nil {
			return nil, cfg.Errorf(fmt.Sprintf("gates[%d]%s", i, key), "%w", err)
		}
		if key, why := missing(r, &gate); why != "" && !gate.AllowUndefined {
			return nil, cfg.Errorf(fmt.Sprintf("gates[%d].%s", i, key), "%s", why)
		}
		gates = append(gates, gate)
	}
	return gates, nil
}

// computedIn returns the metrics that a finished report has. Others are not in the catalogue: they
// compare groups, or belong to another program.
func computedIn(r *report.Report) (p *metrics.Params, others []string, err error) {
	p = &metrics.Params{Scores: true, ScoreType: metrics.Logit, Decisions: true, Curves: metrics.ExactCurves, Propensity: &metrics.Propensity{}}
	if err := p.Task.UnmarshalText([]byte(r.Task)); err != nil {
		return nil, nil, err
	}
	p.Ranking = rankingOf(r)
	met := map[string]bool{}
	for i := range r.Metrics {
		row := &r.Metrics[i]
		if met[row.Name] {
			continue
		}
		met[row.Name] = true
		p.Metrics = append(p.Metrics, row.Name)
		if _, err := p.Select([]string{row.Name}, nil); err != nil && row.Label == nil {
			others = append(others, row.Name)
		}
	}
	return p, others, nil
}

// rankingOf returns those options of a finished report that the names of metrics can imply.
func rankingOf(r *report.Report) metrics.RankingOptions {
	var config struct {
		Ranking struct {
			Gain               metrics.Gain
			RelevanceThreshold float64 `json:"relevance_threshold"`
			MaxRelevance       float64 `json:"max_relevance"`
		}
	}
	_ = json.Unmarshal(r.Config, &config) // what another version wrote need not be understood
	o := config.Ranking
	return metrics.RankingOptions{Gain: o.Gain, RelevanceThreshold: o.RelevanceThreshold, MaxRelevance: o.MaxRelevance}
}

// missing returns which key of a gate refers to something that the report lacks, and what the
// report has.
func missing(r *report.Report, g *report.Gate) (key, why string) {
	var places, labels []string
	for i := range r.Metrics {
		row := &r.Metrics[i]
		of := *g
		of.Metric, of.Label = row.Name, row.Label
		switch inSlice := of.IsFor(row.Name, row.Slice, row.Label); {
		case g.IsFor(row.Name, row.Slice, row.Label):
			return "", ""
		case inSlice && row.Name == g.Metric && row.Label != nil:
			labels = append(labels, *row.Label)
		case len(row.Slice) > 0:
			places = append(places, row.Slice.String())
		}
	}
	switch {
	case len(labels) > 0:
		return "label", fmt.Sprintf("the report has no %s of label %s; did you mean %s?", g.Metric, quote.Value(*g.Label), quote.Value(quote.Nearest(*g.Label, labels)))
	case len(places) == 0:
		return "slice", "the report has no slices"
	}
	return "slice", fmt.Sprintf("the report has no %s of slice %s; did you mean %s?", g.Metric, g.Slice, quote.Nearest(g.Slice.String(), places))
}
