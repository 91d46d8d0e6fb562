package finished

import (
	"context"
	"fmt"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/internal/collections"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/volume"
	"github.com/beameval/beameval/pipeline/config"
)

// Rank compares the systems whose finished reports are given, and ranks them; byDataSet says that the
// reports are of several data sets. It judges the gates of a configuration, which may be nil, for each
// system against the reference.
func Rank(ctx context.Context, sources []Source, o comparison.Options, byDataSet bool, cfg *config.Config) (*changes.Leaderboard, error) {
	if n := len(sources); n > changes.Most && !byDataSet {
		return nil, fmt.Errorf("there are %d reports: at most %d systems can be compared at once", n, changes.Most)
	}
	read, err := reports.ReadAll(ctx, collections.Map(sources, func(s Source) string { return s.Dir }))
	if err != nil {
		return nil, err
	}
	names := collections.Map(sources, func(s Source) string { return s.Name })
	o.Gates = map[string][]report.Gate{}
	for i, r := range read {
		if o.Gates[names[i]], err = gatesFor(r, cfg); err != nil {
			return nil, fmt.Errorf("%s: %w", names[i], err)
		}
		if err := report.ReadFile(ctx, sources[i].Dir, report.PerQueryParquet, r.ReadQueries); err != nil {
			return nil, err
		}
		read[i] = volume.With(r, volume.Asked(o.Gates[names[i]]))
	}
	systems := comparison.Named
	if byDataSet {
		systems = comparison.NamedByDataSet
	}
	return comparison.Rank(ctx, systems(names, read), o)
}
