package leaderboard

import (
	"slices"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/leaderboard"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics/multiple"
)

// The options of the randomization test. With more queries than mostRandomized, it would take
// seconds for each difference, and equals the t-test.
const (
	draws               = 100_000
	mostRandomized      = 10_000
	seedOfRandomization = 1
)

// testQueries adds p-values of tests over the queries of both systems to the differences of all
// examples: of the paired t-test for each metric of queries, and of the randomization test for the
// headline metrics.
func (s *set) testQueries(differences []leaderboard.Difference, a, b *report.Queries) {
	queries := changes.CompareQueries(a, b)
	if queries == nil {
		return
	}
	headline := lists.Set(slices.Values(s.Headline))
	for i := range differences {
		d := &differences[i]
		at := slices.Index(queries.Names, d.Name)
		if at < 0 || len(d.Slice) > 0 || d.Label != nil {
			continue
		}
		var values []float64
		for _, query := range queries.List {
			if value := query.B[at] - query.A[at]; numbers.Finite(value) {
				values = append(values, value)
			}
		}
		_, _, d.PPairedT = multiple.PairedT(values)
		if headline[d.Name] && len(values) <= mostRandomized {
			d.PRandomization = multiple.Randomization(values, draws, seedOfRandomization)
		}
	}
}
