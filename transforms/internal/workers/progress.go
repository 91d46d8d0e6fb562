package workers

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/internal/progress"
)

// The counters that show progress.
const (
	CounterNamespace = "beameval"
	RowsCounter      = "rows"
	GroupsCounter    = "row_groups"
)

// Progress counts what was read; a nil Progress counts nothing.
type Progress struct {
	rows, groups beam.Counter
}

func newProgress() Progress {
	return Progress{rows: beam.NewCounter(CounterNamespace, RowsCounter), groups: beam.NewCounter(CounterNamespace, GroupsCounter)}
}

// begin creates the counters. Several goroutines may then count, but they must not create the
// counters concurrently.
func (p *Progress) begin(ctx context.Context) {
	p.rows.Inc(ctx, 0)
	p.groups.Inc(ctx, 0)
}

// Rows counts rows.
func (p *Progress) Rows(ctx context.Context, n int) {
	if p == nil {
		return
	}
	p.rows.Inc(ctx, int64(n))
	progress.Rows.Add(int64(n))
}

// Group counts a row group.
func (p *Progress) Group(ctx context.Context) {
	if p == nil {
		return
	}
	p.groups.Inc(ctx, 1)
	progress.Groups.Add(1)
}
