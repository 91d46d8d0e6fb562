package parts

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// blockIDs is the number of examples in a block of ids.
const blockIDs = 1 << 16

// idsOfBlock has some examples, by their hashes.
type idsOfBlock struct {
	reasons []string
	steps   []uint64 // each hash less the one before
	states  []int    // the index in reasons of each
}

func idsOfBlockFields(c *wire.Coder, b *idsOfBlock) {
	c.Strings(&b.reasons)
	wire.List(c, &b.steps, (*wire.Coder).Uint)
	wire.List(c, &b.states, func(c *wire.Coder, at *int) {
		if wire.Int(c, at); *at < 0 || *at >= len(b.reasons) {
			c.Fail("there is no reason %d", *at)
		}
	})
	if len(b.states) != len(b.steps) {
		c.Fail("%d ids with %d reasons", len(b.steps), len(b.states))
	}
}

// ID writes an example, before all slices. Hashes do not descend.
func (w *Writer) ID(id shuffle.MetID) {
	if w.ids = append(w.ids, id); len(w.ids) == blockIDs {
		w.flushIDs()
	}
}

func (w *Writer) flushIDs() {
	if len(w.ids) == 0 {
		return
	}
	var b idsOfBlock
	met := make(map[string]bool)
	for _, id := range w.ids {
		met[id.Reason] = true
	}
	b.reasons = slices.Sorted(maps.Keys(met))
	last := uint64(0)
	for _, id := range w.ids {
		at, _ := slices.BinarySearch(b.reasons, id.Reason)
		b.steps, b.states, last = append(b.steps, id.Hash-last), append(b.states, at), id.Hash
	}
	raw, err := wire.Append([]byte{idsBlock}, &b, idsOfBlockFields)
	w.err = cmp.Or(w.err, err)
	w.block(raw)
	w.ids = w.ids[:0]
}

// IDs yields the examples of a file whose head has been read, by their hashes.
func (r *Reader) IDs() iter.Seq2[shuffle.MetID, error] {
	return func(yield func(shuffle.MetID, error) bool) {
		last := uint64(0)
		for first := true; ; {
			kind, raw, err := r.block()
			var b idsOfBlock
			if err == nil && kind == idsBlock {
				if err = wire.Decode(raw, &b, idsOfBlockFields); err != nil {
					err = r.damaged("block %d: %v", r.blocks, err)
				}
			}
			if err != nil {
				yield(shuffle.MetID{}, err)
				return
			}
			if kind != idsBlock {
				return
			}
			base := uint64(0)
			for i, step := range b.steps {
				hash := base + step
				if hash < base || !first && hash < last {
					yield(shuffle.MetID{}, r.damaged("block %d: ids are not in order", r.blocks))
					return
				}
				base, last, first = hash, hash, false
				if !yield(shuffle.MetID{Hash: hash, Reason: b.reasons[b.states[i]]}, nil) {
					return
				}
			}
		}
	}
}

// Late says how many examples of a part are left out, by the reason why the part skipped them: they are in another part, too.
type Late map[string]int64

// JoinIDs tells the examples of parts apart, and passes all of them on, by their hashes; keep may be nil. An
// example that a part skipped, such as one that had no label yet, counts once: as another part evaluated it or, if none
// did, as one of the parts skipped it. An example that two parts have evaluated is an error.
func JoinIDs(ctx context.Context, list []Part, keep func(shuffle.MetID)) (late []Late, err error) {
	all := new(idsOfParts)
	defer func() {
		for _, one := range all.readers {
			one.stop()
			err = errors.Join(err, one.file.Close())
		}
	}()
	for i := range list {
		if err := all.open(ctx, i, &list[i]); err != nil {
			return nil, err
		}
	}
	heap.Init(all)
	late = make([]Late, len(list))
	twice := make(map[[2]int]int64)
	var alike []placedID
	for len(all.next) > 0 {
		if alike, err = all.take(alike[:0]); err != nil {
			return nil, err
		}
		if a, b, is := evaluatedTwice(alike); is {
			twice[[2]int{a, b}]++
			continue
		}
		for _, id := range settled(alike, late) {
			if keep != nil {
				keep(id)
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	for _, pair := range slices.SortedFunc(maps.Keys(twice), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
		return nil, fmt.Errorf("%d examples are in %s and in %s, which have evaluated both: they would count twice; leave one of the reports out", twice[pair], quote.Line(list[pair[0]].File), quote.Line(list[pair[1]].File))
	}
	return late, nil
}

// placedID is an example of a part.
type placedID struct {
	shuffle.MetID
	part int
}

// evaluatedTwice returns two parts that have evaluated the same example.
func evaluatedTwice(alike []placedID) (a, b int, is bool) {
	a = -1
	for _, id := range alike {
		switch {
		case id.Reason != "":
		case a < 0:
			a = id.part
		case id.part != a:
			return min(a, id.part), max(a, id.part), true
		}
	}
	return 0, 0, false
}

// settled returns the examples among those with one hash that count, and adds the others to late. Those of the part that
// has evaluated the example count or, if none has, of the part whose reason comes first.
func settled(alike []placedID, late []Late) (list []shuffle.MetID) {
	first := slices.MinFunc(alike, func(a, b placedID) int { return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.part, b.part)) })
	for _, id := range alike {
		if id.part == first.part {
			list = append(list, id.MetID)
			continue
		}
		if late[id.part] == nil {
			late[id.part] = make(Late)
		}
		late[id.part][id.Reason]++
	}
	return list
}

// idsOfParts is a heap of the next example of each part.
type idsOfParts struct {
	readers []idsReader
	next    []placedID
}

// idsReader reads the examples of a part.
type idsReader struct {
	file *Reader
	pull func() (shuffle.MetID, error, bool)
	stop func()
}

func (all *idsOfParts) open(ctx context.Context, at int, p *Part) error {
	file, _, err := Open(ctx, p.File, p.Version)
	if err != nil {
		return err
	}
	one := idsReader{file: file}
	one.pull, one.stop = iter.Pull2(file.IDs())
	all.readers = append(all.readers, one)
	id, err, more := one.pull()
	if err == nil && more {
		all.next = append(all.next, placedID{id, at})
	}
	return err
}

// take takes all examples with the lowest hash.
func (all *idsOfParts) take(alike []placedID) ([]placedID, error) {
	lowest := all.next[0].Hash
	for len(all.next) > 0 && all.next[0].Hash == lowest {
		top := &all.next[0]
		alike = append(alike, *top)
		id, err, more := all.readers[top.part].pull()
		switch {
		case err != nil:
			return nil, err
		case more:
			top.MetID = id
			heap.Fix(all, 0)
		default:
			heap.Pop(all)
		}
	}
	return alike, nil
}

func (all *idsOfParts) Len() int           { return len(all.next) }
func (all *idsOfParts) Less(i, j int) bool { return all.next[i].Hash < all.next[j].Hash }
func (all *idsOfParts) Swap(i, j int)      { all.next[i], all.next[j] = all.next[j], all.next[i] }
func (all *idsOfParts) Push(x any)         { all.next = append(all.next, x.(placedID)) }

// Pop removes the last example.
func (all *idsOfParts) Pop() any {
	last := len(all.next) - 1
	x := all.next[last]
	all.next = all.next[:last]
	return x
}

// leave takes the examples of a part that are left out from its counts.
func (l Late) leave(from *shuffle.RowCounts) error {
	for reason, n := range l {
		if from.Read -= n; from.Read < 0 || from.Skipped[reason] < n {
			return fmt.Errorf("it has fewer rows than ids (%s)", reason)
		}
		if from.Skipped[reason] -= n; from.Skipped[reason] == 0 {
			delete(from.Skipped, reason)
		}
	}
	if len(from.Skipped) == 0 {
		from.Skipped = nil
	}
	return nil
}
