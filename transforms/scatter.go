package transforms

import (
	"context"
	"fmt"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/rows"
)

// rowShape says which columns the rows of examples have while they wait for each
// other: first those named here, then those with a role.
type rowShape struct {
	roles Roles
	long  bool       // an example has several rows
	place [roles]int // of each role; 0: none
	width int
}

const (
	idColumn     = iota // the example's
	sourceColumn        // file and row group
	rowColumn           // in the row group
	cellColumn          // the values of slice columns, see slicer.describe
	firstRole
)

// shapes returns the shapes of the rows of predictions and of truth.
func (s *Spec) shapes() (predictions, truth rowShape) {
	predictions = newRowShape(&s.Columns, s.Long)
	if s.truth != nil {
		c := &s.truth.Columns
		truth = newRowShape(c, s.truth.long())
	}
	return predictions, truth
}

func newRowShape(c *Roles, long bool) rowShape {
	shape := rowShape{roles: *c, long: long, width: firstRole}
	for role, name := range namesOfRoles(c) {
		if name != "" && role != exampleRole {
			shape.place[role] = shape.width
			shape.width++
		}
	}
	return shape
}

// check says whether columns, by role, are of values where rows are put together.
func (s *rowShape) check(cols []*columns.Column) error {
	names := namesOfRoles(&s.roles)
	for role, col := range cols {
		if col != nil && col.Offsets != nil && (s.long || role == exampleRole) {
			return fmt.Errorf("column %q is %s: expected one value a row", names[role], col.Shape())
		}
	}
	return nil
}

// scatterer collects rows by the part of their example. It belongs to one
// goroutine.
type scatterer struct {
	spec   *Spec
	truth  bool // the rows are of true labels, not predictions
	shape  rowShape
	slicer *slicer
	counts *rowCounts
	dicts  dictionaries
	cells  []int32

	hasher rows.Hasher
	hashes []uint64
	taken  []*columns.Column
	source columns.Column
	number columns.Column
	slices columns.Column
	cellOf []int32 // the code of each cell that was met

	waiting rows.Table
	partOf  []int32 // of each waiting row
	byPart  grouping
	spill   spill
	done    []rowChunk
}

// rowChunk is rows of one part, of predictions or of truth, as an encoded table.
type rowChunk struct {
	Part  int
	Truth bool
	Data  spilled
}

// waitingBytes is how many bytes of rows a goroutine collects before it sends them
// out: the more, the fewer pieces has a part.
const waitingBytes = 16 << 20

func newScatterer(spec *Spec, truth bool, counts *rowCounts) *scatterer {
	s := &scatterer{spec: spec, truth: truth, counts: counts, dicts: make(dictionaries), spill: spill{dir: spec.TempDir}}
	predictions, judged := spec.shapes()
	own, others := spec.sliceColumns()
	s.shape, s.slicer = predictions, newDescriber(own)
	if truth {
		s.shape, s.slicer = judged, newDescriber(others)
	}
	s.slices = columns.Column{Type: columns.String, Dict: new(columns.Strings)}
	return s
}

// read reads a row group and gives each the columns of a batch's rows, as tables
// have them, and the hashes of their ids. Rows without an id are counted and left
// out of good.
func (s *scatterer) read(ctx context.Context, shard *openShard, group int, progress *progress, each func(cols []*columns.Column, good []int32) error) error {
	// Ids are many: their tables would grow with every row group.
	delete(s.dicts, s.shape.roles.Example)
	delete(s.dicts, s.shape.roles.Item)
	s.source = columns.Column{Type: columns.String, Dict: new(columns.Strings)}
	source := s.source.Dict.CodeOf(sourceOf(&shard.Shard, group))
	s.number = columns.Column{Type: columns.Int}
	var good []int32
	names := columnsOf(&s.shape.roles, s.slicer, shard)
	return readRoles(ctx, &s.shape.roles, shard, group, names, s.dicts.of, s.spec.batchRows(), progress, func(first int64, n int, cols []*columns.Column) error {
		if err := s.shape.check(cols[:roles]); err != nil {
			return fmt.Errorf("%s: %w", shard.File, err)
		}
		s.counts.Rows += int64(n)
		ids := cols[exampleRole]
		s.source.Codes, s.number.Ints, good = s.source.Codes[:0], s.number.Ints[:0], good[:0]
		for r := range n {
			s.source.Codes = append(s.source.Codes, source)
			s.number.Ints = append(s.number.Ints, first+int64(r))
			if ids.Null == nil || !ids.Null[r] {
				good = append(good, int32(r))
				continue
			}
			s.anonymous(shard.row(group, first+int64(r)))
		}
		s.describe(n, cols[roles:], shard)
		s.taken = append(s.taken[:0], ids, &s.source, &s.number, &s.slices)
		for role, col := range cols[:roles] {
			if s.shape.place[role] > 0 {
				s.taken = append(s.taken, col)
			}
		}
		s.hashes = s.hasher.Hash(s.hashes, ids)
		return each(s.taken, good)
	})
}

// anonymous counts a row without an id.
func (s *scatterer) anonymous(at report.SkippedRow) {
	bad := ingest.Bad{Element: -1, OfLabel: s.truth, Column: s.shape.roles.Example, Value: "null", Reason: ingest.NullExample}
	if s.truth && s.spec.skips(bad.Reason) { // only rows of predictions are listed
		s.counts.TruthRead++
		s.counts.Unmatched++
		return
	}
	s.counts.Read++
	s.counts.reject(s.spec, &bad, at)
}

// describe fills the column of the values of slice columns.
func (s *scatterer) describe(n int, cols []*columns.Column, shard *openShard) {
	s.cells = s.slicer.cells(s.cells, n, cols, shard.Keys)
	s.slices.Codes = s.slices.Codes[:0]
	for _, cell := range s.cells {
		for int(cell) >= len(s.cellOf) {
			s.cellOf = append(s.cellOf, s.slices.Dict.Code(s.slicer.describe(int32(len(s.cellOf)))))
		}
		s.slices.Codes = append(s.slices.Codes, s.cellOf[cell])
	}
}

// scatter collects rows of a batch that read gave.
func (s *scatterer) scatter(cols []*columns.Column, list []int32) error {
	if len(list) == 0 {
		return nil
	}
	if err := s.waiting.Append(cols, list); err != nil {
		return err
	}
	for _, r := range list {
		s.partOf = append(s.partOf, int32(partOf(s.hashes[r])))
	}
	if s.waiting.Size() < waitingBytes {
		return nil
	}
	return s.put()
}

// put encodes the rows that wait, part by part.
func (s *scatterer) put() error {
	var piece rows.Table
	cols := refs(s.waiting.Columns)
	for part, list := range s.byPart.by(s.partOf, metrics.AllRows(nil, s.waiting.Rows)) {
		piece.Reset()
		if err := piece.Append(cols, list); err != nil {
			return err
		}
		encoded, err := piece.Encode()
		if err != nil {
			return err
		}
		data, err := s.spill.write(encoded)
		if err != nil {
			return err
		}
		s.done = append(s.done, rowChunk{int(part), s.truth, data})
	}
	s.waiting.Reset()
	s.partOf = s.partOf[:0]
	return nil
}

// finish encodes the rest.
func (s *scatterer) finish() error { return s.put() }

// emit sends out what was collected.
func (s *scatterer) emit(emit func(int, taskPart)) error {
	for _, c := range s.done {
		emit(c.Part, taskPart{kind: rowsTask, Rows: c})
	}
	s.done = nil
	return s.spill.close()
}

func (s *scatterer) abandon() { s.spill.abandon() }

func encodeChunk(c rowChunk) []byte {
	var w writer
	w.int(c.Part)
	w.flag(c.Truth)
	w.spilled(&c.Data)
	return w.buf
}

func decodeChunk(data []byte) (rowChunk, error) {
	r := reader{buf: data}
	c := rowChunk{r.int(), r.int() == 1, r.spilled()}
	return c, r.err
}
