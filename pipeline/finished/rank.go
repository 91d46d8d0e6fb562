package finished

import (
	"context"
	"fmt"

	"github.com/beameval/beameval/analysis/leaderboard"
	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/internal/lists"
	changes "github.com/beameval/beameval/io/comparison"
	boards "github.com/beameval/beameval/io/leaderboard"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/pipeline/config"
)

// Ranking are options of [Rank].
type Ranking struct {
	Adjust      changes.Adjustment
	OverMetrics bool // adjust p-values over the headline metrics as well
	AllPairs    bool // compare all pairs, not only with the reference
	ByDataSet   bool // the reports are of several data sets
	// Reference is the name of the system, or of its source, to compare with; "" is the first.
	Reference string
	Gates     *config.Config // may be nil
}

// Rank compares the systems whose finished reports are given, and ranks them. It judges the gates of a
// configuration for each system against the reference.
func Rank(ctx context.Context, sources []Source, o Ranking) (*boards.Leaderboard, error) {
	if n := len(sources); n > boards.Most && !o.ByDataSet {
		return nil, fmt.Errorf("there are %d reports: at most %d systems can be compared at once", n, boards.Most)
	}
	read, err := reports.ReadAll(ctx, lists.Map(sources, func(s Source) string { return s.Dir }))
	if err != nil {
		return nil, err
	}
	names := lists.Map(sources, func(s Source) string { return s.Name })
	gates := map[string][]report.Gate{}
	for i, r := range read {
		if gates[names[i]], err = gatesFor(r, o.Gates); err != nil {
			return nil, fmt.Errorf("%s: %w", names[i], err)
		}
		if err := report.ReadFile(ctx, sources[i].Dir, report.PerQueryParquet, r.ReadQueries); err != nil {
			return nil, err
		}
	}
	systems := leaderboard.Named
	if o.ByDataSet {
		systems = leaderboard.NamedByDataSet
	}
	return leaderboard.Compare(ctx, systems(names, read), leaderboard.Options{
		Adjust: o.Adjust, OverMetrics: o.OverMetrics, AllPairs: o.AllPairs, Reference: o.Reference, Gates: gates,
	})
}
