package transforms

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// badRow is a bad row that ends the run. The run ends only once all rows before it
// were looked at, and with the first of all such rows, so that whoever mends a file
// reads the same message however the work was divided.
type badRow struct {
	At   report.SkippedRow
	Text string // what was expected
}

// Error names the file, row group, row, column and value, and what is wrong.
func (b *badRow) Error() string {
	place := fmt.Sprintf("%s: row group %d, row %d", b.At.File, b.At.RowGroup, b.At.Row)
	if b.At.RowGroup < 0 {
		place = b.At.File
	}
	return fmt.Sprintf("%s: column %q: %s: %s", place, b.At.Column, b.At.Value, b.Text)
}

// reject counts a bad row or, where it ends the run, keeps it if it is the first.
func (c *rowCounts) reject(s *Spec, bad *ingest.Bad, at report.SkippedRow) {
	at = s.describe(bad, at)
	if s.skips(bad.Reason) {
		c.skip(at)
		return
	}
	c.fail(&badRow{at, s.expected(bad)})
}

// fail keeps the first row that ends the run; nil is none.
func (c *rowCounts) fail(row *badRow) {
	if row != nil && (c.Failed == nil || row.before(c.Failed)) {
		c.Failed = row
	}
}

// before says whether a row is named rather than another: the first by its place, but
// rows without the id of an example before all others, as what is wrong with other
// rows may follow from theirs being missing.
func (b *badRow) before(other *badRow) bool {
	if nameless := b.nameless(); nameless != other.nameless() {
		return nameless
	}
	return compareSkipped(b.At, other.At) < 0
}

func (b *badRow) nameless() bool { return b.At.Reason == ingest.NullExample.String() }

// describe returns a bad row as it is listed.
func (s *Spec) describe(bad *ingest.Bad, at report.SkippedRow) report.SkippedRow {
	at.Column, at.Value, at.Reason = bad.Column, bad.Value, bad.Reason.String()
	long, of := s.Long, &s.Columns
	if bad.OfLabel && s.truth != nil {
		long, of = s.truth.long(), &s.truth.Columns
	}
	if wide := of.Wide[bad.Column]; wide != nil && bad.Element >= 0 {
		at.Column = wide[bad.Element]
	} else if !long { // else the row is that of the element
		at.Value = bad.Where()
	}
	return at
}

// expected says what would not be bad, and how such rows are skipped.
func (s *Spec) expected(bad *ingest.Bad) string {
	if bad.Reason == ingest.NoTruth { // which says so itself
		return bad.Explain()
	}
	return bad.Explain() + " (set bad_rows: skip to count and skip bad rows)"
}

// firstBad is the first row that ends the run of those that the workers of a pool
// have met: row groups that come after it need not be read.
type firstBad struct{ row atomic.Pointer[badRow] }

func (f *firstBad) add(row *badRow) {
	for {
		old := f.row.Load()
		if old != nil && !row.before(old) || f.row.CompareAndSwap(old, row) {
			return
		}
	}
}

// passed says whether a row group, or what is left of it, comes after the row.
func (f *firstBad) passed(file string, group int) bool {
	row := f.row.Load()
	return row != nil && compareSkipped(row.At, report.SkippedRow{File: file, RowGroup: group + 1}) < 0
}

var errPassed = errors.New("the rest of the row group does not matter")
