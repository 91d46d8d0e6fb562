package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/beameval/beameval/io/columns"
)

// columnReader reads the values of one column chunk, batch by batch.
type columnReader interface {
	// next reads the next rows, which must exist. On failure, it returns the row that failed.
	next(rows int, c *columns.Column) (row int64, err error)
	// finish returns an error if values remain after the last row.
	finish() error
	// recycle releases the memory of the reader to other readers.
	recycle()
}

// leafReader reads the values of one leaf into slices of T. It decodes a page at a time, and a page
// rarely ends where a batch does. The current page stays in reps, defs and present; at and used are
// the positions up to which earlier batches have consumed it.
//
//	levels of the page:   reps/defs  [ consumed | rest ]   at .. n
//	values that exist:    present    [ consumed | rest ]   used
//	                                     │
//	                                     ▼ scalars, lists (rows.go)
//	the batch:            out, null, offsets, rowNull
type leafReader[T value] struct {
	pages
	buffers[T]
	home    *leafReaders[T]
	convert converter[T]

	dictionary    []T
	bad           map[int]error // errors of dictionary entries that cannot be converted, by index
	hasDictionary bool

	// The current page. split compacts the definition levels in place.
	n, at    int
	full     bool  // the page has no nulls and no empty lists
	used     int   // number of entries of present that are consumed
	valueErr error // the error of the value that follows the last one in present

	first int64 // index of the first row of the batch
}

// buffers is the memory that a reader passes on to the next one.
type buffers[T value] struct {
	reps, defs    []uint8
	present       []T // the non-null values of the page; unless the page is full, a zero precedes them
	out           []T
	null, rowNull columns.Flags
	offsets       []int32
}

func newLeafReader[T value](k *leafReaders[T], f *File, l *leaf, c *chunk, src io.ReaderAt, s *scratch, convert converter[T]) columnReader {
	r := k.spares.get()
	r.begin(src, f.Options, l, c, s)
	r.home, r.convert = k, convert
	return r
}

func (l *leafReader[T]) recycle() {
	k := l.home
	l.in.Reset(nil)
	*l = leafReader[T]{pages: pages{in: l.in}, buffers: l.buffers}
	k.spares.put(l)
}

func (l *leafReader[T]) next(rows int, c *columns.Column) (row int64, err error) {
	l.out, l.offsets = l.out[:0], l.offsets[:0]
	l.null.Reset()
	l.rowNull.Reset()
	if l.rep > 0 {
		n, err := l.lists(rows)
		if err != nil {
			return l.first + int64(n), err
		}
		c.Offsets, c.RowNull = l.offsets, l.rowNull.UpTo(rows)
	} else if err := l.scalars(rows); err != nil {
		return l.first + int64(len(l.out)), err
	}
	c.Null = l.null.UpTo(len(l.out))
	l.home.assign(c, l.out)
	l.first += int64(rows)
	return 0, nil
}

func (l *leafReader[T]) finish() error {
	if l.at < l.n || l.pages.values > 0 {
		return errors.New("the column has more rows than its row group")
	}
	return nil
}

// load loads the next page. It returns errNoPage after the last one.
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

// readValues decodes the n non-null values of the page.
func (l *leafReader[T]) readValues(p *page, n int) (err error) {
	dst := slices.Grow(l.present[:0], n+1)
	if !l.full {
		dst = append(dst, 0)
	}
	l.valueErr = nil
	switch {
	case n == 0:
	case p.encoding == format.RLEDictionary || p.encoding == plainDictionary:
		dst, err = l.lookUp(dst, p.data, n)
	default:
		if err = l.decode(p.encoding, p.data, n); err == nil {
			dst, l.valueErr = l.convertAll(dst, n)
		}
	}
	l.present = dst
	return err
}

// convertAll appends the converted values of l.raw. If a value cannot be converted, it appends
// those before it and returns the error.
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

// readDictionary decodes and converts the dictionary once for all pages.
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
	if err := l.decode(encoding, src, n); err != nil {
		return err
	}
	if l.convert.all != nil {
		l.present = l.convert.all(l.present[:0], &l.raw)
		l.dictionary = slices.Clone(l.present)
		return nil
	}
	l.dictionary = make([]T, n)
	for i := range l.dictionary {
		var err error
		if l.dictionary[i], err = l.convert.one(&l.raw, i); err != nil {
			// An entry that cannot be converted is an error only of the rows that refer to it.
			if l.bad == nil {
				l.bad = make(map[int]error)
			}
			l.bad[i] = err
		}
	}
	return nil
}
