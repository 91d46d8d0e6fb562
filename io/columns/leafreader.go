package columns

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/parquet-go/parquet-go/format"
)

// value is what the values of a column become.
type value interface{ int32 | int64 | float64 }

// converter turns values of a page into values of a column: all at once if
// nothing can be wrong with them, otherwise one by one.
type converter[T value] struct {
	all func(dst []T, r *raw) []T
	one func(r *raw, i int) (T, error)
}

// columnReader reads the values of one column chunk, batch by batch.
type columnReader interface {
	// next reads this many rows, of which there must be so many. If it fails,
	// it returns the row at which it did.
	next(rows int, c *Column) (row int64, err error)
	// finish checks that nothing is left after the last row.
	finish() error
	// recycle gives the reader's memory to other readers.
	recycle()
}

// leafReader reads one leaf into a slice of T.
type leafReader[T value] struct {
	pages
	buffers[T]
	kind    *kind[T]
	convert converter[T]

	dictionary    []T
	bad           map[int]error // values of the dictionary that have no reading
	hasDictionary bool

	// The page. Levels are compacted as they are used.
	n, at    int
	full     bool  // it has no null and no empty list
	present  []T   // the values that are not null, after a zero if there are others
	used     int   // of present
	valueErr error // of the value that would follow present

	first int64 // row of the batch
}

// buffers outlive a reader.
type buffers[T value] struct {
	reps, defs    []uint8
	raw           raw
	indexes       []int32
	converted     []T
	out           []T
	null, rowNull flags
	offsets       []int32
}

func newLeafReader[T value](k *kind[T], f *File, l *leaf, c *chunk, convert converter[T]) columnReader {
	r, ok := k.pool.Get().(*leafReader[T])
	if !ok {
		r = new(leafReader[T])
	}
	r.begin(f.src, f.options.MaxPage, l, c)
	r.kind, r.convert = k, convert
	return r
}

func (l *leafReader[T]) recycle() {
	k := l.kind
	l.in.Reset(nil)
	*l = leafReader[T]{pages: pages{in: l.in, body: l.body, plain: l.plain}, buffers: l.buffers}
	k.pool.Put(l)
}

func (l *leafReader[T]) next(rows int, c *Column) (row int64, err error) {
	l.out, l.offsets = l.out[:0], l.offsets[:0]
	l.null.reset()
	l.rowNull.reset()
	if l.rep > 0 {
		n, err := l.lists(rows)
		if err != nil {
			return l.first + int64(n), err
		}
		c.Offsets, c.RowNull = l.offsets, l.rowNull.upTo(rows)
	} else if err := l.scalars(rows); err != nil {
		return l.first + int64(len(l.out)), err
	}
	c.Null = l.null.upTo(len(l.out))
	l.kind.assign(c, l.out)
	l.first += int64(rows)
	return 0, nil
}

func (l *leafReader[T]) finish() error {
	if l.at < l.n || l.pages.values > 0 {
		return errors.New("the column has more rows than its row group")
	}
	return nil
}

// load goes to the next page, or fails with io.EOF.
func (l *leafReader[T]) load() error {
	l.n, l.at, l.used = 0, 0, 0
	p, err := l.pages.next(l.readDictionary)
	if err != nil {
		return err
	}
	if l.rep > 0 {
		if l.reps, err = decodeLevels(l.reps, p.repEnc, p.reps, p.n, l.rep); err != nil {
			return fmt.Errorf("repetition levels: %w", err)
		}
	}
	present := p.n
	if l.def > 0 {
		if l.defs, err = decodeLevels(l.defs, p.defEnc, p.defs, p.n, l.def); err != nil {
			return fmt.Errorf("definition levels: %w", err)
		}
		present = bytes.Count(l.defs, []byte{uint8(l.def)})
	}
	l.full = present == p.n
	if err := l.readValues(&p, present); err != nil {
		return err
	}
	l.n = p.n
	return nil
}

// readValues reads n values of the page.
func (l *leafReader[T]) readValues(p *page, n int) (err error) {
	l.converted = slices.Grow(l.converted[:0], n+1)
	dst := l.converted
	if !l.full {
		dst = append(dst, 0)
	}
	l.valueErr = nil
	switch {
	case n == 0:
	case p.encoding == format.RLEDictionary || p.encoding == plainDictionary:
		dst, err = l.lookUp(dst, p.data, n)
	default:
		if err = l.raw.decode(l.leaf, p.encoding, p.data, n); err == nil {
			dst, l.valueErr = l.convertAll(dst, n)
		}
	}
	l.present = dst
	return err
}

// convertAll appends the values of l.raw, or those before the first that is in
// error.
func (l *leafReader[T]) convertAll(dst []T, n int) ([]T, error) {
	if l.convert.all != nil {
		return l.convert.all(dst, &l.raw), nil
	}
	for i := range n {
		v, err := l.convert.one(&l.raw, i)
		if err != nil {
			return dst, err
		}
		dst = append(dst, v)
	}
	return dst, nil
}

func (l *leafReader[T]) lookUp(dst []T, src []byte, n int) (_ []T, err error) {
	if !l.hasDictionary {
		return dst, errors.New("a page refers to a dictionary, but the column chunk has none")
	}
	if l.indexes, err = decodeIndexes(l.indexes, src, n); err != nil {
		return dst, err
	}
	begin := len(dst)
	dst = slices.Grow(dst, n)[:begin+n]
	out, values := dst[begin:], l.dictionary
	for i, index := range l.indexes {
		if uint(index) >= uint(len(values)) {
			l.valueErr = fmt.Errorf("dictionary index %d is out of range: the dictionary has %d values", uint32(index), len(values))
			return dst[:begin+i], nil
		}
		out[i] = values[index]
	}
	if l.bad != nil {
		for i, index := range l.indexes {
			if l.valueErr = l.bad[int(index)]; l.valueErr != nil {
				return dst[:begin+i], nil
			}
		}
	}
	return dst, nil
}

// readDictionary converts a dictionary, once for all pages.
func (l *leafReader[T]) readDictionary(h *format.DictionaryPageHeader, src []byte) error {
	encoding, n := h.Encoding, int(h.NumValues)
	if encoding == plainDictionary {
		encoding = format.Plain
	}
	switch {
	case l.hasDictionary:
		return errors.New("the column chunk has a second dictionary")
	case n < 0 || encoding != format.Plain:
		return errors.New("corrupt dictionary page header")
	}
	l.hasDictionary = true
	if n == 0 {
		return nil
	}
	if err := l.raw.decode(l.leaf, encoding, src, n); err != nil {
		return err
	}
	if l.convert.all != nil {
		l.dictionary = slices.Clone(l.convert.all(nil, &l.raw))
		return nil
	}
	l.dictionary = make([]T, n)
	for i := range l.dictionary {
		var err error
		if l.dictionary[i], err = l.convert.one(&l.raw, i); err != nil {
			// Only if a row has it is it an error, and then one of that row.
			if l.bad == nil {
				l.bad = make(map[int]error)
			}
			l.bad[i] = err
		}
	}
	return nil
}

var errFewRows = errors.New("the column has fewer rows than its row group")

// scalars reads rows; if it fails, the values before that are in out.
func (l *leafReader[T]) scalars(rows int) error {
	for len(l.out) < rows {
		if l.at == l.n {
			err := l.load()
			if err == io.EOF {
				err = errFewRows
			}
			if err != nil {
				return err
			}
		}
		n := min(rows-len(l.out), l.n-l.at)
		var defs []uint8
		if !l.full {
			defs = l.defs[l.at : l.at+n]
		}
		if err := l.append(n, defs); err != nil {
			return err
		}
		l.at += n
	}
	return nil
}

// lists reads rows; if it fails, it returns at which.
func (l *leafReader[T]) lists(rows int) (int, error) {
	for {
		if l.at == l.n {
			err := l.load()
			if err == io.EOF && len(l.offsets) == rows {
				break // the end of the chunk is the end of its last row
			}
			if err == io.EOF {
				err = errFewRows
			}
			if err != nil {
				return len(l.offsets), err
			}
		}
		used, elements, defs, err := l.split(rows)
		if err == nil && len(l.out)+elements > maxEntries {
			err = fmt.Errorf("a batch has more than %d values: read fewer rows at a time", maxEntries)
		}
		if err != nil {
			return len(l.offsets), err
		}
		if err := l.append(elements, defs); err != nil {
			at := int32(len(l.out))
			return sort.Search(len(l.offsets), func(i int) bool { return l.offsets[i] > at }) - 1, err
		}
		if l.at += used; l.at < l.n {
			break
		}
	}
	l.offsets = append(l.offsets, int32(len(l.out)))
	return rows, nil
}

// split finds the rows that begin in the rest of the page, until there are so
// many and all their levels are found. It returns how many levels that took,
// how many elements they have, and the elements' definition levels unless the
// page is full.
func (l *leafReader[T]) split(rows int) (used, elements int, defs []uint8, err error) {
	reps := l.reps[l.at:l.n]
	if reps[0] != 0 && len(l.offsets) == 0 {
		return 0, 0, nil, errors.New("repetition levels: the column begins inside a row")
	}
	// All rows could begin in this page.
	begun := len(l.offsets)
	l.offsets = slices.Grow(l.offsets, min(rows-begun, len(reps))+2)
	offsets := l.offsets[begun:cap(l.offsets)]
	total, most, n := int32(len(l.out)), rows-begun, 0
	if l.full {
		i := 0
		for ; i < len(reps); i++ {
			if n == most && reps[i] == 0 {
				break
			}
			offsets[n] = total + int32(i)
			n += one(reps[i] == 0)
		}
		l.offsets = l.offsets[:begun+n]
		return i, i, nil, nil
	}
	// Rows and elements come in no pattern that the processor could predict,
	// so the loop does not branch on them.
	defs = l.defs[l.at:l.n]
	element, i, before := uint8(l.list), 0, true
	for ; i < len(reps); i++ {
		def := defs[i]
		begins, exists := reps[i] == 0, def >= element
		if n == most && begins {
			break
		}
		if !begins && !(exists && before) {
			return 0, 0, nil, errors.New("levels: an element of a list that has none")
		}
		if before = exists; !exists && def < element-1 {
			l.rowNull.set(begun + n)
		}
		offsets[n] = total + int32(elements)
		n += one(begins)
		defs[elements] = def
		elements += one(exists)
	}
	l.offsets = l.offsets[:begun+n]
	return i, elements, defs[:elements], nil
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// append appends the next n values to out: nulls too, where the page has them
// and so there are definition levels. If it fails, the values before that have
// been appended.
func (l *leafReader[T]) append(n int, defs []uint8) error {
	if l.full {
		rest := l.present[l.used:]
		l.out = append(l.out, rest[:min(n, len(rest))]...)
		l.used += n
		if n > len(rest) {
			return l.valueErr
		}
		return nil
	}
	begin, highest := len(l.out), uint8(l.def)
	present := bytes.Count(defs, []byte{highest})
	var err error
	if most := len(l.present) - 1 - l.used; present > most {
		defs, err = defs[:nth(defs, highest, most)], l.valueErr
	}
	l.out = slices.Grow(l.out, len(defs))[:begin+len(defs)]
	if present == len(defs) {
		copy(l.out[begin:], l.present[1+l.used:])
		l.used += len(defs)
		return err
	}
	// Present values go where they belong, without branches.
	out, null, k := l.out[begin:], l.null.from(begin, begin+len(defs)), l.used
	for i, def := range defs {
		is := one(def == highest)
		k += is
		out[i] = l.present[k*is]
		null[i] = is == 0
	}
	l.used = k
	return err
}

// nth returns the position of the n-th present value.
func nth(defs []uint8, highest uint8, n int) int {
	for i, def := range defs {
		if def == highest {
			if n == 0 {
				return i
			}
			n--
		}
	}
	return len(defs)
}

// flags is a list of which most are entirely false, and then cost nothing.
type flags struct {
	any bool
	v   []bool
}

func (f *flags) reset() { f.any, f.v = false, f.v[:0] }

// from returns the flags from i to j to be written to, with false before.
func (f *flags) from(i, j int) []bool {
	f.any = true
	n := len(f.v)
	f.v = slices.Grow(f.v, max(0, j-n))[:j]
	clear(f.v[n:])
	return f.v[i:j]
}

func (f *flags) set(i int) { f.from(i, i+1)[0] = true }

// upTo returns the first n flags, or nil if none is true.
func (f *flags) upTo(n int) []bool {
	if !f.any {
		return nil
	}
	f.from(n, n)
	return f.v
}
