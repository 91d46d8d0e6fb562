package workers

import (
	"context"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// The counters that show progress.
const (
	CounterNamespace = "beameval"
	RowsCounter      = "rows"
	GroupsCounter    = "row_groups"
)

// Read is how much was read so far, by all bundles whose contexts descend from one. Runners tell
// their counters late or never; the runner direct passes its context on to the DoFns.
type Read struct{ Rows, Groups atomic.Int64 }

type readKey struct{}

// CountRead returns a context for a run in this process, and what it reads.
func CountRead(ctx context.Context) (context.Context, *Read) {
	read := new(Read)
	return context.WithValue(ctx, readKey{}, read), read
}

// Progress counts what was read; nil counts nothing.
type Progress struct {
	rows, groups beam.Counter
	read         *Read // or nil
}

func newProgress() Progress {
	return Progress{rows: beam.NewCounter(CounterNamespace, RowsCounter), groups: beam.NewCounter(CounterNamespace, GroupsCounter)}
}

// begin makes the counters: several goroutines may count, but not be the first to.
func (p *Progress) begin(ctx context.Context) {
	p.rows.Inc(ctx, 0)
	p.groups.Inc(ctx, 0)
	p.read, _ = ctx.Value(readKey{}).(*Read)
}

// Rows counts rows.
func (p *Progress) Rows(ctx context.Context, n int) {
	if p == nil {
		return
	}
	p.rows.Inc(ctx, int64(n))
	if p.read != nil {
		p.read.Rows.Add(int64(n))
	}
}

// Group counts a row group.
func (p *Progress) Group(ctx context.Context) {
	if p == nil {
		return
	}
	p.groups.Inc(ctx, 1)
	if p.read != nil {
		p.read.Groups.Add(1)
	}
}
