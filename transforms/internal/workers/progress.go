package workers

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/internal/processcounters"
)

// The counters that show progress.
const (
	CounterNamespace = "beameval"
	RowsCounter      = "rows"
	RowGroupsCounter = "row_groups"
	SearchedCounter  = "searched_rows"
	TriedCounter     = "tried_slices"
)

// Progress counts what was read; a nil Progress counts nothing.
type Progress struct {
	// Search says that rows are searched for slices, before metrics are computed.
	Search bool

	rows, groups, searched, tried beam.Counter
}

// NewProgress returns counters.
func NewProgress() Progress {
	counter := func(name string) beam.Counter { return beam.NewCounter(CounterNamespace, name) }
	return Progress{rows: counter(RowsCounter), groups: counter(RowGroupsCounter), searched: counter(SearchedCounter), tried: counter(TriedCounter)}
}

// begin creates the counters. Several goroutines may then count, but they must not create the
// counters concurrently.
func (p *Progress) begin(ctx context.Context) {
	if p.Search {
		p.searched.Inc(ctx, 0)
		return
	}
	p.rows.Inc(ctx, 0)
	p.groups.Inc(ctx, 0)
}

// Rows counts rows.
func (p *Progress) Rows(ctx context.Context, n int) {
	switch {
	case p == nil:
	case p.Search:
		p.searched.Inc(ctx, int64(n))
		processcounters.Searched.Add(int64(n))
	default:
		p.rows.Inc(ctx, int64(n))
		processcounters.Rows.Add(int64(n))
	}
}

// Tried counts slices that a search has tried.
func (p *Progress) Tried(ctx context.Context, n int) {
	p.tried.Inc(ctx, int64(n))
	processcounters.Tried.Add(int64(n))
}

// Group counts a row group.
func (p *Progress) Group(ctx context.Context) {
	if p == nil || p.Search {
		return
	}
	p.groups.Inc(ctx, 1)
	processcounters.RowGroups.Add(1)
}
