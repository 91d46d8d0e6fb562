package fold

import (
	"cmp"
	"slices"

	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// emitFolded emits the results of the folders of a pool. If a bad row ends the run, it emits only
// that row and the counts. inputs are those of the bundle.
func emitFolded(folders []*folder, inputs *kept, emit func([]byte, shuffle.Partial), emitScores func(int, ranges.Piece), emitRows func(int, shuffle.TaskInput)) error {
	all := folders[0]
	for _, f := range folders {
		switch {
		case f.examples == nil:
		case !f.job.Pass.First():
			f.examples.Abandon()
		default:
			if err := f.examples.Emit(emitRows); err != nil {
				return err
			}
		}
	}
	if all.first.row.Load() != nil {
		failed := shuffle.NewPartial()
		for _, f := range folders {
			failed.Counts.Merge(&f.counts)
		}
		emit([]byte(shuffle.Overall), failed)
		return nil
	}
	for i, f := range folders {
		if i > 0 {
			if err := all.merge(f); err != nil {
				return err
			}
		}
		for _, m := range f.models() {
			if m.scores == nil {
				continue
			}
			byKey := func(in int, p ranges.Piece) { emitScores(f.job.Division.RangeKey(in), p) }
			if err := m.scores.Emit(byKey); err != nil {
				return err
			}
		}
	}
	return all.emitSlices(inputs, emit)
}

// emitSlices emits the partial of every slice or, if they are too large, the inputs of passes that emit some.
func (f *folder) emitSlices(inputs *kept, emit func([]byte, shuffle.Partial)) error {
	if !f.job.InPasses() || !f.job.Pass.First() {
		return f.emit(func(key string, p shuffle.Partial) error {
			emit([]byte(key), p)
			return nil
		})
	}
	d := newDivider(f, inputs, emit)
	if err := f.emit(d.add); err != nil {
		return err
	}
	d.finish()
	return nil
}

// models returns the model and, if there is one, the baseline.
func (f *folder) models() []*model {
	if f.baseline == nil {
		return []*model{f.model}
	}
	return []*model{f.model, f.baseline}
}

// emit emits the partial of every slice: first that of all examples, then others in the order of their hashes.
func (f *folder) emit(emit func(key string, p shuffle.Partial) error) error {
	type entry struct {
		hash int
		key  string
		of   *model
	}
	var all []entry
	for _, m := range f.models() {
		m.flush()
		for key := range m.partials.slices {
			hash := -1
			if key != shuffle.Overall {
				hash = shuffle.Hash(key)
			}
			all = append(all, entry{hash, key, m})
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.hash, b.hash) })
	for _, e := range all {
		p := e.of.take(e.key)
		if e.of == f.model {
			if err := f.complete(e.key, &p); err != nil {
				return err
			}
		}
		if err := emit(e.key, p); err != nil {
			return err
		}
	}
	return nil
}

// complete adds what is not of every model to the partial of a slice.
func (f *folder) complete(slice string, out *shuffle.Partial) error {
	for _, w := range f.listed {
		*w.in(out) = w.of(slice)
	}
	if slice != shuffle.Overall {
		return nil
	}
	out.Counts = f.counts
	if f.ids != nil {
		out.IDs = f.ids.finish()
	}
	if f.met != nil {
		out.Met = &f.met.all
	}
	if f.search != nil {
		out.Search = &f.search.done
	}
	if f.spread != nil {
		out.Stats.Merge(f.spread)
	}
	if f.queries == nil {
		return nil
	}
	var err error
	out.Queries, err = f.queries.finish()
	return err
}
