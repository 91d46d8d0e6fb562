package ingest

import (
	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
)

// outcomes are the labels of a preference, with the names that the data sets of Chatbot Arena have for
// them.
var outcomes = map[string]metrics.Outcome{
	"a": metrics.FirstWins, "model_a": metrics.FirstWins,
	"b": metrics.SecondWins, "model_b": metrics.SecondWins,
	"tie": metrics.Tie, "tie (bothbad)": metrics.Tie, "both_bad": metrics.Tie,
}

func (c *Converter) preferences(b *metrics.Batch) {
	b.Labels = c.by[roles.Label].width
	b.First, b.Second = lists.Resize(b.First, b.Rows), lists.Resize(b.Second, b.Rows)
	b.Outcome = lists.Resize(b.Outcome, b.Rows)
	c.classes(b.First, &c.by[roles.A])
	c.classes(b.Second, &c.by[roles.B])
	s := &c.by[roles.Label]
	for r := range b.Rows {
		if b.First[r] == b.Second[r] && c.badAt[r] == 0 {
			c.rejectValue(&c.by[roles.B], r, r, sameSystem)
		}
		if s.isNull(r) {
			c.rejectNull(s, r, r)
			continue
		}
		known := false
		if s.Type == columns.String {
			b.Outcome[r], known = outcomes[s.word(r)]
		}
		if !known {
			c.rejectValue(s, r, r, notOutcome)
		}
	}
}
