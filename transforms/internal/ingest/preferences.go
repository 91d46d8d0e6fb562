package ingest

import (
	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

func (c *Converter) preferences(b *metrics.Batch) {
	b.Labels = c.by[roles.Label].width
	b.First, b.Second = collections.Resize(b.First, b.Rows), collections.Resize(b.Second, b.Rows)
	b.Outcome = collections.Resize(b.Outcome, b.Rows)
	c.classes(b.First, &c.by[roles.A])
	c.classes(b.Second, &c.by[roles.B])
	s := &c.by[roles.Label]
	for r := range b.Rows {
		if b.First[r] == b.Second[r] && c.badAt[r] == 0 {
			c.rejectValue(&c.by[roles.B], r, r, sameSystem)
		}
		if s.IsNull(r) {
			c.rejectNull(s, r, r)
			continue
		}
		known := false
		if s.Type == columns.String {
			b.Outcome[r], known = input.Outcome(s.word(r))
		}
		if !known {
			c.rejectValue(s, r, r, notOutcome)
		}
	}
}
