package transforms

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/report"
)

// manySkipped is the share of skipped rows beyond which a report warns of them first.
const manySkipped = 0.1

// verdict says what the counts of rows mean for a run that has evaluated these
// examples: it fails, or its report warns of something before all else.
func (s *Spec) verdict(c *rowCounts, examples int64) (warnings []string, err error) {
	skipped := c.skipped()
	switch {
	case c.Read == 0:
		return nil, errors.New("no rows to evaluate: the input is empty")
	case examples == 0:
		return nil, c.tooMany("no rows to evaluate: all %d rows were skipped", c.Read)
	case s.MaxSkipped.isExceeded(skipped, c.Read):
		return nil, c.tooMany("%d of %d rows were skipped, more than max_skipped allows", skipped, c.Read)
	case float64(skipped) > manySkipped*float64(c.Read):
		warnings = append(warnings, fmt.Sprintf("%.3g %% of the rows (%d of %d) were skipped: %s", percent(skipped, c.Read), skipped, c.Read, c.reasons()))
	}
	if n := c.Found.Clipped; n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d probabilities were up to %.2g outside [0, 1] and were clipped", n, c.Found.Excess))
	}
	if n := c.Found.Negative; n > 0 {
		warnings = append(warnings, fmt.Sprintf("%d judgements with negative relevance count as 0", n))
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
	rows.NegativeAsZero = c.Found.Negative
	return rows
}

func percent(part, all int64) float64 { return 100 * float64(part) / float64(all) }

func (l *Limit) isExceeded(skipped, rows int64) bool {
	switch {
	case l == nil:
		return false
	case l.Percent:
		return percent(skipped, rows) > l.Value
	}
	return float64(skipped) > l.Value
}

func (c *rowCounts) skipped() (n int64) {
	for _, of := range c.Skipped {
		n += of
	}
	return n
}

// reasons lists why rows were skipped, and how many.
func (c *rowCounts) reasons() string {
	var list []string
	for _, reason := range slices.Sorted(maps.Keys(c.Skipped)) {
		list = append(list, fmt.Sprintf("%s (%d)", reason, c.Skipped[reason]))
	}
	return strings.Join(list, ", ")
}

// tooMany is the error for too many skipped rows.
func (c *rowCounts) tooMany(format string, args ...any) error {
	first := c.Sample[0]
	place := first.File
	if first.RowGroup >= 0 {
		place += fmt.Sprintf(", row group %d, row %d", first.RowGroup, first.Row)
	}
	return fmt.Errorf("%s: %s; the first is %s, column %q: %s", fmt.Sprintf(format, args...), c.reasons(), place, first.Column, first.Value)
}
