package transforms

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/report"
)

// verdict says what the counts of rows mean for a run that has evaluated these
// examples: it fails, or its report warns of something before all else.
func (s *Spec) verdict(c *rowCounts, examples int64) (warnings []string, err error) {
	if examples == 0 {
		return nil, nothingLeft(c)
	}
	if n := c.Found.Clipped; n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d probabilities were up to %.2g outside [0, 1] and were clipped", n, c.Found.Excess))
	}
	return warnings, nil
}

// reported returns the counts as the report has them.
func (c *rowCounts) reported(s *Spec, examples int64) report.RowCounts {
	rows := report.RowCounts{Read: c.Read, Evaluated: examples, Skipped: c.Skipped}
	if s.Truth != nil {
		rows.Truth = &report.TruthCounts{Examples: c.TruthRead, Unmatched: c.Unmatched}
	}
	if f := &c.Found; f.Clipped > 0 {
		rows.Clipped = &report.ClippedCounts{Probabilities: f.Clipped, Excess: f.Excess}
	}
	return rows
}

// nothingLeft is the error for an input without a row to evaluate.
func nothingLeft(c *rowCounts) error {
	if c.Read == 0 {
		return fmt.Errorf("no rows to evaluate: the input is empty")
	}
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(c.Skipped)) {
		reasons = append(reasons, fmt.Sprintf("%s (%d)", reason, c.Skipped[reason]))
	}
	first := c.Sample[0]
	place := first.File
	if first.RowGroup >= 0 {
		place += fmt.Sprintf(", row group %d, row %d", first.RowGroup, first.Row)
	}
	return fmt.Errorf("no rows to evaluate: all %d rows were skipped: %s; the first is %s, column %q: %s",
		c.Read, strings.Join(reasons, ", "), place, first.Column, first.Value)
}
