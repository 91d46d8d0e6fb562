package transforms

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

// progress counts what was read; nil counts nothing.
type progress struct{ rows, groups beam.Counter }

func newProgress() progress {
	return progress{beam.NewCounter(CounterNamespace, RowsCounter), beam.NewCounter(CounterNamespace, GroupsCounter)}
}

// begin makes the counters: several goroutines may count, but not be the first to.
func (p *progress) begin(ctx context.Context) {
	p.rows.Inc(ctx, 0)
	p.groups.Inc(ctx, 0)
}

func (p *progress) read(ctx context.Context, rows int) {
	if p != nil {
		p.rows.Inc(ctx, int64(rows))
	}
}

func (p *progress) group(ctx context.Context) {
	if p != nil {
		p.groups.Inc(ctx, 1)
	}
}
