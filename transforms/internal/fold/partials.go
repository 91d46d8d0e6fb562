package fold

import (
	"maps"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/processcounters"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// partials holds the partials of parts: of slices or, if there are folds, of each fold of each slice.
// Rows reach them in one of two ways:
//
//	few tuples                                    many tuples
//
//	rows ─► cell of tuple 0 ─┬─► overall          rows ─┬─► overall
//	                         └─► country=CH             ├─► country=CH
//	rows ─► cell of tuple 1 ─┬─► overall                └─► country=DE
//	                         └─► country=DE
//
// A cell has the rows of one tuple, which all belong to the same parts. So a row is folded only once,
// however many parts it is in, but a cell has to be merged into each of them: at the end, or earlier if
// there are too many cells. That costs as much as folding some rows. If tuples are many, cells would
// have only a few rows each, and rows are folded into their parts instead.
type partials struct {
	job          *shuffle.Job
	maker        *metrics.Maker
	membershipOf shuffle.MembershipOf
	limit        int                // the largest number of slices besides the overall one
	slices       map[string]bool    // the slices that have occurred
	names        report.NameBytes   // of these
	numbers      map[part]int32     // the parts that have occurred
	stats        []*metrics.Partial // by the number of the part; nil if all of its rows are still in cells
	byTuple      []tupleState
	cells        []int32            // the tuples that have a cell
	spare        []*metrics.Partial // empty cells for reuse

	groups batches.Grouping
	column []int32 // the parts of the rows of a batch
	some   []int32 // rows of a batch
}

// part identifies the examples of one slice and fold.
type part struct {
	slice string
	fold  int32
}

// tupleState is what is known of the rows of a tuple.
type tupleState struct {
	met   bool
	parts []int32          // the numbers of their parts; none if they are in no slice of the pass
	cell  *metrics.Partial // nil if there is none
}

// mostCells is the largest number of cells.
const mostCells = 2048

// rowsOfCell is the number of rows from which on merging a cell into its parts costs less than folding
// the rows into each of them.
const rowsOfCell = 16

// newPartials returns partials with the overall slice, if it belongs to the pass, without rows. maker
// makes empty ones; membershipOf returns the slices and the fold of a tuple; overall is the key of the
// overall slice.
func newPartials(j *shuffle.Job, maker *metrics.Maker, membershipOf shuffle.MembershipOf, overall string) *partials {
	p := &partials{
		job: j, maker: maker, membershipOf: membershipOf, limit: j.SliceLimit(), slices: make(map[string]bool),
		numbers: make(map[part]int32),
	}
	if j.Pass.Has(overall) {
		p.slices[overall] = true
	}
	return p
}

// fold adds rows of a batch; also to spread, if it is not nil. tuples has the tuple of each row of the batch.
func (p *partials) fold(b *metrics.Batch, rows, tuples []int32, spread *metrics.Partial) error {
	met := p.groups.Met(tuples, rows)
	if err := p.meetTuples(met); err != nil {
		return err
	}
	cells := len(p.cells)
	for _, tuple := range met {
		if p.byTuple[tuple].cell == nil {
			cells++
		}
	}
	if cells > mostCells && len(rows) < rowsOfCell*len(met) {
		return p.foldParts(b, rows, tuples, spread)
	}
	return p.foldCells(rows, tuples, func(cell *metrics.Partial, rows []int32) { cell.FoldWith(spread, b, rows) })
}

// foldUnlabelled adds rows of a batch without a label to the statistics that need none.
func (p *partials) foldUnlabelled(b *metrics.Batch, rows, tuples []int32) error {
	if err := p.meetTuples(p.groups.Met(tuples, rows)); err != nil {
		return err
	}
	return p.foldCells(rows, tuples, func(cell *metrics.Partial, rows []int32) { cell.FoldUnlabelled(b, rows) })
}

// foldCells has add add rows to the cells of their tuples.
func (p *partials) foldCells(rows, tuples []int32, add func(cell *metrics.Partial, rows []int32)) error {
	for tuple, rows := range p.groups.By(tuples, rows) {
		state := &p.byTuple[tuple]
		if len(state.parts) == 0 {
			continue
		}
		if state.cell == nil {
			p.begin(tuple)
		}
		add(state.cell, rows)
		if err := state.cell.Err(); err != nil {
			return err
		}
	}
	return nil
}

// foldParts adds rows to all of their parts: first to the first part of each, and to spread, then to the second.
func (p *partials) foldParts(b *metrics.Batch, rows, tuples []int32, spread *metrics.Partial) error {
	if err := p.maker.Measure(b, rows); err != nil {
		return err
	}
	defer p.maker.Forget()
	p.column = collections.Resize(p.column, len(tuples))
	for i := 0; ; i++ {
		p.some = p.some[:0]
		for _, r := range rows {
			if parts := p.byTuple[tuples[r]].parts; i < len(parts) {
				p.column[r], p.some = parts[i], append(p.some, r)
			}
		}
		if len(p.some) == 0 {
			return nil
		}
		for number, rows := range p.groups.By(p.column, p.some) {
			to := p.of(number)
			to.FoldWith(spread, b, rows)
			if err := to.Err(); err != nil {
				return err
			}
		}
		spread = nil
	}
}

// of returns the partial of a part, and makes it if necessary.
func (p *partials) of(number int32) *metrics.Partial {
	if p.stats[number] == nil {
		p.stats[number] = p.maker.New()
	}
	return p.stats[number]
}

// begin makes a cell for a tuple. If there are too many, it flushes them first.
func (p *partials) begin(tuple int32) {
	if len(p.cells) == mostCells {
		p.flush()
	}
	p.byTuple[tuple].cell, p.cells = p.empty(), append(p.cells, tuple)
}

// empty returns an empty cell.
func (p *partials) empty() *metrics.Partial {
	last := len(p.spare) - 1
	if last < 0 {
		return p.maker.New()
	}
	cell := p.spare[last]
	p.spare = p.spare[:last]
	return cell
}

// meetTuples finds the parts of tuples.
func (p *partials) meetTuples(tuples []int32) error {
	for _, tuple := range tuples {
		for int(tuple) >= len(p.byTuple) {
			p.byTuple = append(p.byTuple, tupleState{})
		}
		state := &p.byTuple[tuple]
		if state.met {
			continue
		}
		of := p.membershipOf(tuple)
		state.met, state.parts = true, make([]int32, len(of.Slices))
		for i, key := range of.Slices {
			var err error
			if state.parts[i], err = p.meet(part{key, p.foldOf(key, of.Fold)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// foldOf returns the fold to which a slice assigns the examples of a fold.
func (p *partials) foldOf(slice string, fold int32) int32 {
	if fold != shuffle.NoFold && !p.job.HasIntervals(slice) {
		return shuffle.WholeFold
	}
	return fold
}

// meet returns the number of a part that has rows. It returns an error if there are too many slices.
func (p *partials) meet(of part) (int32, error) {
	if number, met := p.numbers[of]; met {
		return number, nil
	}
	number := int32(len(p.stats))
	p.numbers[of], p.stats = number, append(p.stats, nil)
	if p.slices[of.slice] {
		return number, nil
	}
	p.slices[of.slice] = true
	processcounters.Met(int64(len(p.slices)))
	key, _, err := slice.Decode([]byte(of.slice))
	if err != nil {
		return 0, err
	}
	p.names.Add(key, nil, 1)
	if err := p.job.NameLimit().CheckReport(p.names); err != nil {
		return 0, err
	}
	if len(p.slices)-1 > p.limit {
		return 0, p.job.TooManySlices(maps.Keys(p.slices))
	}
	return number, nil
}

// flush merges all cells into their parts.
func (p *partials) flush() {
	for _, tuple := range p.cells {
		state := &p.byTuple[tuple]
		if !p.flushed(state) {
			state.cell.Reset()
			p.spare = append(p.spare, state.cell)
		}
		state.cell = nil
	}
	p.cells = p.cells[:0]
}

// flushed merges a cell into its parts. It reports whether the cell itself became the partial of
// one of them, which had none yet. Often that is the only slice with these rows.
func (p *partials) flushed(of *tupleState) bool {
	heir := int32(-1)
	for _, number := range of.parts {
		if p.stats[number] == nil && heir < 0 {
			heir = number
			continue
		}
		p.of(number).Merge(of.cell)
	}
	if heir < 0 {
		return false
	}
	p.stats[heir] = of.cell
	return true
}

// merge adds the partials of from, and takes over their memory.
func (p *partials) merge(from *partials) error {
	p.flush()
	from.flush()
	for of, other := range from.numbers {
		number, err := p.meet(of)
		if err != nil {
			return err
		}
		switch partial := from.stats[other]; {
		case partial == nil:
		case p.stats[number] == nil:
			p.stats[number] = partial
		default:
			p.stats[number].Merge(partial)
		}
		from.stats[other] = nil
	}
	return nil
}

// take returns the partial of a slice and releases it, after flush.
func (p *partials) take(slice string) shuffle.Partial {
	out := shuffle.NewPartial()
	if stats := p.release(part{slice, shuffle.NoFold}); stats != nil {
		out.Stats = stats
	}
	if p.job.Confidence == nil {
		return out
	}
	for fold := range int32(p.job.Confidence.FineFolds()) {
		if stats := p.release(part{slice, fold}); stats != nil {
			out.Folds = append(out.Folds, shuffle.Fold{Number: fold, Stats: stats})
		}
	}
	return out
}

// release returns the partial of a part, or nil if it has no rows, and forgets it.
func (p *partials) release(of part) (stats *metrics.Partial) {
	if number, met := p.numbers[of]; met {
		stats, p.stats[number] = p.stats[number], nil
	}
	return stats
}
