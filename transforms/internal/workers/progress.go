package workers

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// The counters that show progress.
const (
	CounterNamespace = "beameval"
	RowsCounter      = "rows"
	GroupsCounter    = "row_groups"
)

// Progress counts what was read; nil counts nothing.
type Progress struct{ rows, groups beam.Counter }

func newProgress() Progress {
	return Progress{beam.NewCounter(CounterNamespace, RowsCounter), beam.NewCounter(CounterNamespace, GroupsCounter)}
}

// begin makes the counters: several goroutines may count, but not be the first to.
func (p *Progress) begin(ctx context.Context) {
	p.rows.Inc(ctx, 0)
	p.groups.Inc(ctx, 0)
}

// Rows counts rows.
func (p *Progress) Rows(ctx context.Context, n int) {
	if p != nil {
		p.rows.Inc(ctx, int64(n))
	}
}

// Group counts a row group.
func (p *Progress) Group(ctx context.Context) {
	if p != nil {
		p.groups.Inc(ctx, 1)
	}
}
