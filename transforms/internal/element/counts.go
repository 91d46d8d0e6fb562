package element

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// RowCounts says what became of input rows.
type RowCounts struct {
	Rows    int64 // of files, or predictions in memory
	Read    int64 // examples, and rows that belong to none
	Skipped map[string]int64
	// TruthRead counts the examples of the truth, where that is in other files, and
	// Unmatched those of them without a prediction.
	TruthRead, Unmatched int64
	Found                ingest.Findings
	// Sample lists the first skipped rows, by their places.
	Sample []report.SkippedRow
	// Failed is the first row that ends the run, if one does.
	Failed *BadRow `json:",omitempty"`
}

// sampleSize is how many skipped rows are listed.
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

// Lists says whether a bad row at this place would be listed, or end the run.
func (c *RowCounts) Lists(at report.SkippedRow) bool {
	return c.samples(at) && (c.Failed == nil || (&BadRow{At: at}).Before(c.Failed))
}

// samples says whether a row would be one of the sample.
func (c *RowCounts) samples(row report.SkippedRow) bool {
	return len(c.Sample) < sampleSize || ComparePlaces(row, c.Sample[sampleSize-1]) < 0
}

func (c *RowCounts) sample(rows ...report.SkippedRow) {
	c.Sample = append(c.Sample, rows...)
	slices.SortFunc(c.Sample, ComparePlaces)
	c.Sample = c.Sample[:min(len(c.Sample), sampleSize)]
}

// Merge adds other counts.
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

// Reject counts a bad row at this place or, if it ends the run, keeps it if it is the
// first.
func (c *RowCounts) Reject(j *Job, bad *ingest.Bad, at report.SkippedRow) {
	at = j.describe(bad, at)
	if j.Skips(bad.Reason) {
		c.Skip(at)
		return
	}
	c.fail(&BadRow{at, explain(j.Params.Names, bad)})
}

// fail keeps the first row that ends the run; nil is none.
func (c *RowCounts) fail(row *BadRow) {
	if row != nil && (c.Failed == nil || row.Before(c.Failed)) {
		c.Failed = row
	}
}

// ComparePlaces orders rows by file, line, row group and row and, as predictions in memory may
// share a place, by what is wrong with them.
func ComparePlaces(a, b report.SkippedRow) int {
	return cmp.Or(
		strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.RowGroup, b.RowGroup), cmp.Compare(a.Row, b.Row),
		strings.Compare(a.Reason, b.Reason), strings.Compare(a.Column, b.Column), strings.Compare(a.Value, b.Value),
	)
}

// BadRow is a bad row that ends the run. The run ends only when all rows before it have
// been read, and with the first of all such rows: the message is the same however the
// work was divided.
type BadRow struct {
	At   report.SkippedRow
	Text string // what was expected
}

// Error names the place, column and value, and what was expected.
func (b *BadRow) Error() string {
	return fmt.Sprintf("%s: column %q: %s: %s", b.At.Place(), b.At.Column, b.At.Value, b.Text)
}

// Before says whether the run ends with this row rather than another: with the first by
// its place, but with a row without the id of an example before all others, as what is
// wrong with other rows may follow from the missing id.
func (b *BadRow) Before(other *BadRow) bool {
	if nameless := b.nameless(); nameless != other.nameless() {
		return nameless
	}
	return ComparePlaces(b.At, other.At) < 0
}

func (b *BadRow) nameless() bool { return b.At.Reason == ingest.NullExample.String() }

// explain says what was expected, and how such rows are skipped.
func explain(names settings.Names, bad *ingest.Bad) string {
	text := bad.Explain(names)
	if bad.Reason == ingest.NoTruth { // which says so itself
		return text
	}
	return text + " (set " + names.Of(settings.SkipBadRows) + " to count and skip bad rows)"
}
