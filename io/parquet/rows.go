package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// scalars reads rows of a column without lists. On failure, out holds the values before it.
func (l *leafReader[T]) scalars(rows int) error {
	for len(l.out) < rows {
		if l.at == l.n {
			if err := l.load(); err != nil {
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

// lists reads rows of a column of lists. On failure, it returns the row that failed.
func (l *leafReader[T]) lists(rows int) (int, error) {
	for {
		if l.at == l.n {
			err := l.load()
			if err == errNoPage && len(l.offsets) == rows {
				break // the last row ends where the chunk ends
			}
			if err != nil {
				return len(l.offsets), err
			}
		}
		begun := len(l.offsets)
		used, elements, defs, err := l.split(rows)
		if err == nil && len(l.out)+elements > maxEntries {
			err = fmt.Errorf("a batch has more than %d values: read fewer rows at a time", maxEntries)
		}
		if err != nil {
			return len(l.offsets), err
		}
		if row, err := l.checkLengths(max(begun-1, 0), len(l.out)+elements); err != nil {
			return row, err
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

// split assigns the rest of the page to rows. It stops before the first level that belongs to the
// row after the last wanted one. It returns the number of levels consumed, the number of elements
// in these rows and, unless the page is full, the definition levels of the elements.
func (l *leafReader[T]) split(rows int) (used, elements int, defs []uint8, err error) {
	reps := l.reps[l.at:l.n]
	if reps[0] != 0 && len(l.offsets) == 0 {
		return 0, 0, nil, errors.New("repetition levels: the column begins inside a row")
	}
	// Make room for the case that every row begins in this page.
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
	// Where rows and elements begin is unpredictable, so the loop is written without branches on
	// it.
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
			l.rowNull.Set(begun + n)
		}
		offsets[n] = total + int32(elements)
		n += one(begins)
		defs[elements] = def
		elements += one(exists)
	}
	l.offsets = l.offsets[:begun+n]
	return i, elements, defs[:elements], nil
}

// checkLengths returns the first row, beginning with from, that has more values than allowed.
// values is the number of values in the batch so far.
func (l *leafReader[T]) checkLengths(from, values int) (row int, err error) {
	most := l.options.MaxRowValues
	if from == len(l.offsets) || values-int(l.offsets[from]) <= most {
		return 0, nil // the common case
	}
	for row, at := range l.offsets[from:] {
		end := values
		if next := from + row + 1; next < len(l.offsets) {
			end = int(l.offsets[next])
		}
		if n := end - int(at); n > most {
			return from + row, l.options.TooManyValues(n)
		}
	}
	return 0, nil
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// append appends the next n values to out, including nulls if the page has definition levels. On
// failure, it has appended the values before the failing one.
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
	// Scatter the non-null values without branches. A null copies the zero at l.present[0].
	out, null, k := l.out[begin:], l.null.From(begin, begin+len(defs)), l.used
	for i, def := range defs {
		is := one(def == highest)
		k += is
		out[i] = l.present[k*is]
		null[i] = is == 0
	}
	l.used = k
	return err
}

// nth returns the index of the n-th non-null value, counted from 0.
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
