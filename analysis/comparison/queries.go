package comparison

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/metrics/multiplecomparisons"
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
func (s *set) testQueries(p *pair) {
	queries := comparison.CompareQueries(s.systems[p.a].Report.Queries, s.systems[p.b].Report.Queries)
	if queries == nil {
		return
	}
	headline := collections.Set(slices.Values(s.Headline))
	for i := range p.list {
		row := &s.places[p.list[i].place]
		at := slices.Index(queries.Names, row.Name)
		if at < 0 || len(row.Slice) > 0 || row.Label != nil {
			continue
		}
		var values []float64
		for _, query := range queries.List {
			if value := query.B[at] - query.A[at]; floats.Finite(value) {
				values = append(values, value)
			}
		}
		_, _, pairedT := multiplecomparisons.PairedT(values)
		randomization := math.NaN()
		if headline[row.Name] && len(values) <= mostRandomized {
			randomization = multiplecomparisons.Randomization(values, draws, seedOfRandomization)
		}
		if p.overQueries == nil {
			p.overQueries = map[int32]queryTests{}
		}
		p.overQueries[int32(i)] = queryTests{pairedT, randomization}
	}
}
