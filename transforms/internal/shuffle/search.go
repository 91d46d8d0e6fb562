package shuffle

import (
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/sliceline"
)

// Stage is what a fold does for the search for the worst slices.
type Stage int

// The stages. Each but the last is a fold of its own, which does nothing else.
const (
	Count   Stage = iota // count the values of columns, and pairs of values
	Seek                 // count the candidates of a plan
	Confirm              // count what a plan has found, besides folding the metrics
)

// Searching returns the job that only searches, in a stage before the last.
func (j Job) Searching(stage Stage) Job {
	j.Stage, j.Slices, j.Worst, j.Changed, j.Compare = stage, nil, nil, nil, false
	j.Params = j.Params.ForLosses()
	return j
}

// Searches reports whether the job only searches.
func (j *Job) Searches() bool { return j.Search != nil && j.Stage != Confirm }

// OfFound returns the parameters of the metrics of each slice that was found: the best known that
// need no curves, and how many examples a model breaks and mends. ok is false if there are none.
func OfFound(p *metrics.Params) (of metrics.Params, ok bool) {
	all := p.Uncurved()
	names := report.Headlines(p.Task.String(), nil, all)
	for _, name := range []string{"regression_rate", "improvement_rate"} {
		if slices.Contains(all, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return p.Only(names...), len(names) > 0
}

// Searched is what one stage of a search collects: counts, or the sums of what a plan tracks.
type Searched struct {
	Counts *sliceline.Counts
	Plan   *sliceline.Plan // nil for counts
	Sums   *sliceline.Sums
	// Stats are the statistics of the slices found, in the examples that confirm; there may be none.
	Stats []*metrics.Partial
}

// Merge adds the examples of from and leaves from unchanged.
func (s *Searched) Merge(from *Searched) {
	if from.Plan == nil {
		s.Counts.Merge(from.Counts)
		return
	}
	s.Sums.Merge(from.Sums)
	for i, stats := range from.Stats {
		s.Stats[i].Merge(stats)
	}
}

// clone returns a copy that can be merged into.
func (s *Searched) clone() *Searched {
	if s.Plan == nil {
		return &Searched{Counts: s.Counts.Clone()}
	}
	same := &Searched{Plan: s.Plan, Sums: new(sliceline.Sums)}
	for range s.Stats {
		same.Stats = append(same.Stats, new(metrics.Partial))
	}
	same.Merge(s)
	return same
}

func searchedFields(c *wire.Coder, s *Searched) {
	wire.Optional(c, &s.Plan, sliceline.PlanFields)
	if s.Plan == nil {
		if c.Reading() {
			s.Counts = new(sliceline.Counts)
		}
		sliceline.CountsFields(c, s.Counts)
		return
	}
	if c.Reading() {
		s.Sums = new(sliceline.Sums)
	}
	sliceline.SumsFields(c, s.Sums, s.Plan)
	wire.List(c, &s.Stats, func(c *wire.Coder, stats **metrics.Partial) {
		if c.Reading() {
			*stats = new(metrics.Partial)
		}
		statsFields(c, *stats)
	})
	if n := len(s.Stats); n > 0 && n != len(s.Plan.Best) {
		c.Fail("statistics of %d slices: %d were found", n, len(s.Plan.Best))
	}
}
