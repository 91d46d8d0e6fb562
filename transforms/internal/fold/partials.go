package fold

import (
	"maps"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/element"
)

// partials holds the partials of slices. Rows are not folded into these, but into cells: a
// cell has the rows of one tuple of slice values, which are all in the same slices. So a row
// is folded once, however many slices it is in, and cells are merged into their slices at
// the end, or when there are too many.
type partials struct {
	params  *metrics.Params
	keysOf  func(tuple int32) []string
	limit   int                         // slices besides the overall one
	bySlice map[string]*metrics.Partial // nil: all rows of the slice are in cells
	byTuple []*metrics.Partial          // the cells; nil: none
	tuples  []int32                     // that have a cell
	spare   []*metrics.Partial          // empty cells
}

// fewCells is how many cells there may always be. There may also be as many as slices, which
// take as much memory.
const fewCells = 1024

// newPartials returns the partial of the overall slice, without rows. keysOf returns the
// keys of the slices that a tuple is in.
func newPartials(j *element.Job, keysOf func(tuple int32) []string) *partials {
	return &partials{params: &j.Params, keysOf: keysOf, limit: j.SliceLimit(), bySlice: map[string]*metrics.Partial{element.Overall: nil}}
}

// fold adds rows of a batch, all of one tuple.
func (p *partials) fold(b *metrics.Batch, rows []int32, tuple int32) error {
	cell, err := p.cell(tuple)
	if err != nil {
		return err
	}
	cell.Fold(b, rows)
	if len(p.tuples) > max(fewCells, len(p.bySlice)) {
		p.flush()
	}
	return nil
}

// cell returns the cell of a tuple, new if need be.
func (p *partials) cell(tuple int32) (*metrics.Partial, error) {
	for int(tuple) >= len(p.byTuple) {
		p.byTuple = append(p.byTuple, nil)
	}
	if cell := p.byTuple[tuple]; cell != nil {
		return cell, nil
	}
	for _, key := range p.keysOf(tuple) {
		if err := p.meet(key); err != nil {
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

// empty returns an empty partial that can fold.
func (p *partials) empty() (*metrics.Partial, error) {
	last := len(p.spare) - 1
	if last < 0 {
		return p.params.New()
	}
	cell := p.spare[last]
	p.spare = p.spare[:last]
	return cell, nil
}

// meet notes that a slice has rows. It is an error if it is one slice too many.
func (p *partials) meet(key string) error {
	if _, met := p.bySlice[key]; met {
		return nil
	}
	p.bySlice[key] = nil
	if len(p.bySlice)-1 > p.limit {
		return element.TooManySlices(p.limit, maps.Keys(p.bySlice))
	}
	return nil
}

// flush merges all cells into their slices.
func (p *partials) flush() {
	for _, tuple := range p.tuples {
		if cell := p.byTuple[tuple]; !p.flushed(cell, p.keysOf(tuple)) {
			cell.Reset()
			p.spare = append(p.spare, cell)
		}
		p.byTuple[tuple] = nil
	}
	p.tuples = p.tuples[:0]
}

// flushed merges a cell into slices. If one of these has no partial yet, the cell becomes
// that; flushed then returns true.
func (p *partials) flushed(cell *metrics.Partial, keys []string) bool {
	heir := ""
	for _, key := range keys {
		into := p.bySlice[key]
		switch {
		case into == nil && heir == "":
			heir = key
			continue
		case into == nil:
			into = new(metrics.Partial)
			p.bySlice[key] = into
		}
		into.Merge(cell)
	}
	if heir != "" {
		p.bySlice[heir] = cell
	}
	return heir != ""
}

// merge adds what from holds, and may keep parts of it.
func (p *partials) merge(from *partials) error {
	p.flush()
	from.flush()
	for key, partial := range from.bySlice {
		if err := p.meet(key); err != nil {
			return err
		}
		if into := p.bySlice[key]; into != nil && partial != nil {
			into.Merge(partial)
		} else if partial != nil {
			p.bySlice[key] = partial
		}
	}
	return nil
}

// drain yields the partial of each slice, and keeps none.
func (p *partials) drain(yield func(key string, partial *metrics.Partial) error) error {
	p.flush()
	for key, partial := range p.bySlice {
		if partial == nil {
			partial = new(metrics.Partial)
		}
		if err := yield(key, partial); err != nil {
			return err
		}
		delete(p.bySlice, key)
	}
	return nil
}
