package shuffle

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// RowCounts says what happened to input rows.
type RowCounts struct {
	Rows    int64            `json:",omitzero"` // of files, or predictions in memory
	Read    int64            `json:",omitzero"` // examples, and rows that belong to no example
	Skipped map[string]int64 `json:",omitzero"`
	// TruthRead counts the examples of a truth in other files, and Unmatched how many of them have
	// no prediction.
	TruthRead int64           `json:",omitzero"`
	Unmatched int64           `json:",omitzero"`
	Found     ingest.Findings `json:",omitzero"`
	// Sample lists the first skipped rows, ordered by their places.
	Sample []report.SkippedRow `json:",omitzero"`
	// Failed is the first row that ends the run, or nil.
	Failed *BadRow `json:",omitzero"`
}

// sampleSize is the number of skipped rows that are listed.
const sampleSize = 20

// Skip counts a skipped row.
func (c *RowCounts) Skip(row report.SkippedRow) {
	if c.Skipped == nil {
		c.Skipped = make(map[string]int64)
	}
	c.Skipped[row.Reason]++
	if c.samples(row) {
		c.sample(row)
	}
}

// Lists reports whether a bad row at this place would be listed, or would end the run.
func (c *RowCounts) Lists(at report.SkippedRow) bool {
	return c.samples(at) && (c.Failed == nil || (&BadRow{At: at}).Before(c.Failed))
}

// samples reports whether a row belongs in the sample.
func (c *RowCounts) samples(row report.SkippedRow) bool {
	return len(c.Sample) < sampleSize || report.ComparePlaces(row, c.Sample[sampleSize-1]) < 0
}

func (c *RowCounts) sample(rows ...report.SkippedRow) {
	c.Sample = append(c.Sample, rows...)
	slices.SortFunc(c.Sample, report.ComparePlaces)
	c.Sample = c.Sample[:min(len(c.Sample), sampleSize)]
}

// Merge adds the counts of from.
func (c *RowCounts) Merge(from *RowCounts) {
	c.Rows += from.Rows
	c.Read += from.Read
	c.TruthRead += from.TruthRead
	c.Unmatched += from.Unmatched
	c.Found.Merge(&from.Found)
	for reason, n := range from.Skipped {
		if c.Skipped == nil {
			c.Skipped = make(map[string]int64)
		}
		c.Skipped[reason] += n
	}
	c.sample(from.Sample...)
	c.fail(from.Failed)
}

// Reject counts a bad row at this place. If such a row ends the run, Reject keeps the first one
// instead.
func (c *RowCounts) Reject(j *Job, bad *ingest.Bad, at report.SkippedRow) {
	at = j.describe(bad, at)
	if j.Skips(bad.Reason) {
		c.Skip(at)
		return
	}
	c.fail(&BadRow{at, explain(j.Params.Names, bad)})
}

// fail keeps the first row that ends the run. row may be nil.
func (c *RowCounts) fail(row *BadRow) {
	if row != nil && (c.Failed == nil || row.Before(c.Failed)) {
		c.Failed = row
	}
}

// BadRow is a bad row that ends the run. The run ends only after all rows before it have been read,
// with the first of all such rows, so the message is the same however the work was divided.
type BadRow struct {
	At   report.SkippedRow
	Text string // what was expected instead
}

// Error says where the row is, which value is bad and what was expected.
func (b *BadRow) Error() string {
	return fmt.Sprintf("%s: column %q: %s: %s", b.At.Place(), b.At.Column, b.At.Value, b.Text)
}

// Before reports whether the run ends with this row rather than with other: the first place wins.
// But a row without the id of its example comes before all others, because the missing id may have
// caused what is wrong with them.
func (b *BadRow) Before(other *BadRow) bool {
	if nameless := b.nameless(); nameless != other.nameless() {
		return nameless
	}
	return report.ComparePlaces(b.At, other.At) < 0
}

func (b *BadRow) nameless() bool { return b.At.Reason == ingest.NullExample.String() }

// explain says what was expected, and how to skip such rows.
func explain(names settings.Names, bad *ingest.Bad) string {
	text := bad.Explain(names)
	if bad.Reason == ingest.NoTruth || bad.Reason == ingest.NoBaseline { // its text says how
		return text
	}
	return text + " (set " + names.Of(settings.SkipBadRows) + " to count and skip bad rows)"
}
