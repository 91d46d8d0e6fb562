package transforms

import (
	"context"
	"fmt"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/internal/rows"
)

// wholeExamples folds the examples that a row group has whole, and scatters the
// rows of others. It belongs to a folder.
type wholeExamples struct {
	*scatterer
	assembler *assembler
	// pending are rows of whole examples, in order; of the last there may be more.
	pending, next *rows.Table
	whole, apart  []int32
}

func newWholeExamples(f *folder) *wholeExamples {
	return &wholeExamples{
		scatterer: newScatterer(&f.spec, false, &f.counts), assembler: f.assembler(), pending: new(rows.Table), next: new(rows.Table),
	}
}

// readGroup reads a row group, of whose examples those in elsewhere have other rows.
func (w *wholeExamples) readGroup(ctx context.Context, shard *openShard, group int, elsewhere *keySet, progress *progress) (err error) {
	defer contain(ctx, fmt.Sprintf("%s: row group %d", shard.File, group), &err)
	w.pending.Reset()
	enough := batchValues // rows to fold at a time
	err = w.read(ctx, shard, group, progress, func(cols []*columns.Column, good []int32) error {
		w.whole, w.apart = w.whole[:0], w.apart[:0]
		last, has := uint64(0), false
		for i, r := range good {
			if h := w.hashes[r]; i == 0 || h != last {
				last, has = h, elsewhere.has(h)
			}
			if has {
				w.apart = append(w.apart, r)
			} else {
				w.whole = append(w.whole, r)
			}
		}
		if err := w.scatter(cols, w.apart); err != nil {
			return err
		}
		if len(w.whole) > 0 {
			if err := w.pending.Append(cols, w.whole); err != nil {
				return err
			}
		}
		if w.pending.Rows < enough {
			return nil
		}
		rest, err := w.assembler.fold(w.pending, nil, true)
		if err != nil {
			return err
		}
		if len(rest) == w.pending.Rows { // one example, and a large one
			enough *= 2
			return nil
		}
		w.next.Reset()
		if err := w.next.Append(refs(w.pending.Columns), rest); err != nil {
			return err
		}
		w.pending, w.next, enough = w.next, w.pending, batchValues
		return nil
	})
	if err != nil || w.pending.Rows == 0 {
		return err
	}
	_, err = w.assembler.fold(w.pending, nil, false)
	return err
}

func refs(list []columns.Column) []*columns.Column {
	refs := make([]*columns.Column, len(list))
	for i := range list {
		refs[i] = &list[i]
	}
	return refs
}
