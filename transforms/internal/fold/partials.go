package fold

import (
	"maps"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/element"
)

// partials holds the partials of slices or, if there are folds, one partial for each fold of each
// slice. Rows are not folded into these directly, but into cells. A cell has the rows of one tuple,
// which all belong to the same slices and fold:
//
//	rows ─► cell of tuple 0 ─┬─► overall
//	                         └─► country=CH
//	rows ─► cell of tuple 1 ─┬─► overall
//	                         └─► country=DE
//
// So a row is folded only once, however many slices it is in. Cells are merged into their slices at
// the end, or earlier if there are too many.
type partials struct {
	job     *element.Job
	newCell func() (*metrics.Partial, error)
	cellOf  func(tuple int32) element.Cell
	limit   int                       // the largest number of slices besides the overall one
	slices  map[string]bool           // the slices that have occurred
	names   report.NameBytes          // of these
	parts   map[part]*metrics.Partial // nil if all rows of the part are still in cells
	byTuple []*metrics.Partial        // the cells; nil if a tuple has none yet, and noCell if it is in no slice
	tuples  []int32                   // the tuples that have a cell
	spare   []*metrics.Partial        // empty cells for reuse
}

// part identifies the examples of one slice and fold.
type part struct {
	slice string
	fold  int32
}

// noCell stands for the cell of rows that are in no slice of the pass.
var noCell = new(metrics.Partial)

// fewCells is the number of cells that there may always be. There may also be as many cells as
// parts, which take as much memory.
const fewCells = 1024

// newPartials returns partials with the overall slice, if it belongs to the pass, without rows. newCell
// makes a cell; cellOf returns the slices and the fold of a tuple; overall is the key of the overall slice.
func newPartials(j *element.Job, newCell func() (*metrics.Partial, error), cellOf func(tuple int32) element.Cell, overall string) *partials {
	p := &partials{
		job: j, newCell: newCell, cellOf: cellOf, limit: j.SliceLimit(), slices: make(map[string]bool),
		parts: make(map[part]*metrics.Partial),
	}
	if j.Pass.Has(overall) {
		p.slices[overall] = true
	}
	return p
}

// fold adds rows of a batch, all of the same tuple; also to spread, if it is not nil.
func (p *partials) fold(b *metrics.Batch, rows []int32, tuple int32, spread *metrics.Partial) error {
	cell, err := p.cell(tuple)
	if err != nil || cell == noCell {
		return err
	}
	cell.FoldWith(spread, b, rows)
	return p.folded(cell)
}

// foldUnlabelled adds rows of a batch without a label, all of the same tuple.
func (p *partials) foldUnlabelled(b *metrics.Batch, rows []int32, tuple int32) error {
	cell, err := p.cell(tuple)
	if err != nil || cell == noCell {
		return err
	}
	cell.FoldUnlabelled(b, rows)
	return p.folded(cell)
}

// folded flushes the cells if there are too many, after rows were folded into one.
func (p *partials) folded(cell *metrics.Partial) error {
	if err := cell.Err(); err != nil {
		return err
	}
	if len(p.tuples) > max(fewCells, len(p.parts)) {
		p.flush()
	}
	return nil
}

// cell returns the cell of a tuple, and makes it if necessary.
func (p *partials) cell(tuple int32) (*metrics.Partial, error) {
	for int(tuple) >= len(p.byTuple) {
		p.byTuple = append(p.byTuple, nil)
	}
	if cell := p.byTuple[tuple]; cell != nil {
		return cell, nil
	}
	of := p.cellOf(tuple)
	if len(of.Slices) == 0 {
		p.byTuple[tuple] = noCell
		return noCell, nil
	}
	for _, key := range of.Slices {
		if err := p.meet(part{key, of.Fold}); err != nil {
			return nil, err
		}
	}
	cell, err := p.empty()
	if err != nil {
		return nil, err
	}
	p.byTuple[tuple], p.tuples = cell, append(p.tuples, tuple)
	return cell, nil
}

// empty returns an empty cell.
func (p *partials) empty() (*metrics.Partial, error) {
	last := len(p.spare) - 1
	if last < 0 {
		return p.newCell()
	}
	cell := p.spare[last]
	p.spare = p.spare[:last]
	return cell, nil
}

// meet records that a part has rows. It returns an error if there are too many slices.
func (p *partials) meet(of part) error {
	if _, met := p.parts[of]; met {
		return nil
	}
	p.parts[of] = nil
	if p.slices[of.slice] {
		return nil
	}
	p.slices[of.slice] = true
	key, _, err := slice.Decode([]byte(of.slice))
	if err != nil {
		return err
	}
	p.names.Add(key, nil, 1)
	if err := p.job.NameLimit().CheckReport(p.names); err != nil {
		return err
	}
	if len(p.slices)-1 > p.limit {
		return p.job.TooManySlices(maps.Keys(p.slices))
	}
	return nil
}

// flush merges all cells into their slices.
func (p *partials) flush() {
	for _, tuple := range p.tuples {
		if cell := p.byTuple[tuple]; !p.flushed(cell, p.cellOf(tuple)) {
			cell.Reset()
			p.spare = append(p.spare, cell)
		}
		p.byTuple[tuple] = nil
	}
	p.tuples = p.tuples[:0]
}

// flushed merges a cell into its slices. It reports whether the cell itself became the partial of
// one of them, which had none yet. Often that is the only slice with these rows.
func (p *partials) flushed(cell *metrics.Partial, of element.Cell) bool {
	var heir *part
	for _, slice := range of.Slices {
		to := part{slice, of.Fold}
		into := p.parts[to]
		switch {
		case into == nil && heir == nil:
			heir = &to
			continue
		case into == nil:
			into = new(metrics.Partial)
			p.parts[to] = into
		}
		into.Merge(cell)
	}
	if heir != nil {
		p.parts[*heir] = cell
	}
	return heir != nil
}

// merge adds the partials of from, and takes over their memory.
func (p *partials) merge(from *partials) error {
	p.flush()
	from.flush()
	for of, partial := range from.parts {
		if err := p.meet(of); err != nil {
			return err
		}
		if into := p.parts[of]; into != nil && partial != nil {
			into.Merge(partial)
		} else if partial != nil {
			p.parts[of] = partial
		}
	}
	return nil
}

// take returns the partial of a slice and releases it, after flush.
func (p *partials) take(slice string) element.Partial {
	out := element.NewPartial()
	all := part{slice, element.NoFold}
	if stats := p.parts[all]; stats != nil {
		out.Stats = stats
		delete(p.parts, all)
	}
	if p.job.Folding == nil {
		return out
	}
	for fold := range int32(p.job.Folding.Folds) {
		of := part{slice, fold}
		if stats := p.parts[of]; stats != nil {
			out.Folds = append(out.Folds, element.Fold{Number: fold, Stats: stats})
			delete(p.parts, of)
		}
	}
	return out
}
