package transforms

import (
	"context"
	"fmt"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
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
	if s.Truth != nil {
		c := &s.Truth.Columns
		truth = newRowShape(c, c.Class != "" || c.Item != "")
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
			return fmt.Errorf("column %q is list<%s>: expected one value a row", names[role], col.Type)
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
	dicts  map[string]*columns.Strings
	cells  []int32

	hasher rows.Hasher
	hashes []uint64
	taken  []*columns.Column
	source columns.Column
	number columns.Column
	slices columns.Column
	cellOf []int32 // the code of a cell, by cell; -1: none yet

	tables  [parts]rows.Table
	byPart  [parts][]int32
	waiting int // rows since sizes were looked at
	spill   spill
	done    []partRows
	buffer  []byte
}

// partRows is some rows of a part, on their way.
type partRows struct {
	part int
	rows rowChunk
}

// rowChunk is rows of one part, of predictions or of truth, as an encoded table.
type rowChunk struct {
	Truth bool
	Data  spilled
}

const (
	// waitingBytes is how many bytes of rows a goroutine collects before it sends
	// them out, and lookedAt after how many rows it looks.
	waitingBytes = 32 << 20
	lookedAt     = 64 << 10
)

func newScatterer(spec *Spec, truth bool, counts *rowCounts) *scatterer {
	s := &scatterer{spec: spec, truth: truth, counts: counts, dicts: make(map[string]*columns.Strings), spill: spill{dir: spec.TempDir}}
	predictions, judged := spec.shapes()
	s.shape, s.slicer = predictions, newSlicer(spec.Slices)
	if truth {
		s.shape, s.slicer = judged, newSlicer(nil)
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
	return readGroup(ctx, shard, group, names, s.dict, s.spec.batchRows(), progress, func(first int64, n int, cols []*columns.Column) error {
		if err := s.shape.check(cols[:roles]); err != nil {
			return fmt.Errorf("%s: %w", shard.File, err)
		}
		ids := cols[exampleRole]
		s.source.Codes, s.number.Ints, good = s.source.Codes[:0], s.number.Ints[:0], good[:0]
		for r := range n {
			s.source.Codes = append(s.source.Codes, source)
			s.number.Ints = append(s.number.Ints, first+int64(r))
			if ids.Null == nil || !ids.Null[r] {
				good = append(good, int32(r))
				continue
			}
			if err := s.anonymous(shard.row(group, first+int64(r))); err != nil {
				return err
			}
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

func (s *scatterer) dict(name string) *columns.Strings {
	if s.dicts[name] == nil {
		s.dicts[name] = new(columns.Strings)
	}
	return s.dicts[name]
}

// anonymous counts a row without an id.
func (s *scatterer) anonymous(at report.SkippedRow) error {
	bad := ingest.Bad{Element: -1, OfLabel: s.truth, Column: s.shape.roles.Example, Value: "null", Reason: ingest.NullExample}
	at, err := s.spec.skip(&bad, at)
	if err != nil {
		return err
	}
	if s.truth {
		s.counts.TruthRead++
		s.counts.Unmatched++
		return nil
	}
	s.counts.Read++
	s.counts.skip(at)
	return nil
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
	for _, r := range list {
		part := partOf(s.hashes[r])
		s.byPart[part] = append(s.byPart[part], r)
	}
	for part := range s.byPart {
		if len(s.byPart[part]) == 0 {
			continue
		}
		if err := s.tables[part].Append(cols, s.byPart[part]); err != nil {
			return err
		}
		s.byPart[part] = s.byPart[part][:0]
	}
	if s.waiting += len(list); s.waiting < lookedAt {
		return nil
	}
	s.waiting = 0
	size := 0
	for part := range s.tables {
		size += s.tables[part].Size()
	}
	if size < waitingBytes {
		return nil
	}
	return s.put()
}

// put encodes the rows that wait.
func (s *scatterer) put() error {
	for part := range s.tables {
		t := &s.tables[part]
		if t.Rows == 0 {
			continue
		}
		s.buffer = t.Encode(s.buffer[:0])
		t.Reset()
		data, err := s.spill.write(s.buffer)
		if err != nil {
			return err
		}
		s.done = append(s.done, partRows{part, rowChunk{s.truth, data}})
	}
	return nil
}

// emit sends out what was collected.
func (s *scatterer) emit(emit func(int, rowChunk)) error {
	if err := s.put(); err != nil {
		return err
	}
	for _, p := range s.done {
		emit(p.part, p.rows)
	}
	s.done = nil
	return s.spill.close()
}

func (s *scatterer) abandon() { s.spill.abandon() }

func encodeChunk(c rowChunk) []byte {
	var w writer
	w.flag(c.Truth)
	w.spilled(&c.Data)
	return w.buf
}

func decodeChunk(data []byte) (rowChunk, error) {
	r := reader{buf: data}
	c := rowChunk{r.int() == 1, r.spilled()}
	return c, r.err
}

func init() { registerCoder(encodeChunk, decodeChunk) }
