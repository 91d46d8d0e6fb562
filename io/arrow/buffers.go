package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/beameval/beameval/io/columns"
)

// sound returns an error unless the buffers of an array hold what its length promises, and unless
// its texts and lists lie within each other, so that no value of another array can be read for one
// of this array: arrow-go slices buffers beyond their ends, where the next buffers of the record
// batch are. It checks everything below the array, too.
func sound(a arrow.ArrayData) error {
	typ, n := storage(a.DataType()), a.Offset()+a.Len()
	switch typ.(type) {
	case arrow.UnionType, *arrow.RunEndEncodedType: // which are not read
		return nil
	}
	if n == 0 {
		return nil
	}
	if n < 0 || n == math.MaxInt { // there is no n+1
		return fmt.Errorf("corrupt: an array of %d values", n)
	}
	if err := validity(a, typ, n); err != nil {
		return err
	}
	switch t := typ.(type) {
	case *arrow.StringType, *arrow.BinaryType:
		if err := ordered[int32](a, n, bytesIn(a, 2)); err != nil {
			return err
		}
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		if err := ordered[int64](a, n, bytesIn(a, 2)); err != nil {
			return err
		}
	case arrow.BinaryViewDataType:
		if err := views(a, n); err != nil {
			return err
		}
	case *arrow.ListType, *arrow.MapType:
		if err := ordered[int32](a, n, elementsIn(a)); err != nil {
			return err
		}
	case *arrow.LargeListType:
		if err := ordered[int64](a, n, elementsIn(a)); err != nil {
			return err
		}
	case *arrow.ListViewType:
		if err := errors.Join(holds(a, 1, n, 32), holds(a, 2, n, 32)); err != nil {
			return err
		}
	case *arrow.LargeListViewType:
		if err := errors.Join(holds(a, 1, n, 64), holds(a, 2, n, 64)); err != nil {
			return err
		}
	case *arrow.FixedSizeListType:
		if have, need := elementsIn(a), product(n, int(t.Len())); have < need {
			return short(have, need, "elements of lists")
		}
	case *arrow.StructType:
		for _, child := range a.Children() {
			if child.Len() < n {
				return short(int64(child.Len()), int64(n), "values of a field")
			}
		}
	case arrow.FixedWidthDataType:
		if err := holds(a, 1, n, t.BitWidth()); err != nil {
			return err
		}
	}
	return below(a, typ)
}

// below checks the children and the dictionary of an array.
func below(a arrow.ArrayData, typ arrow.DataType) error {
	for _, child := range a.Children() {
		if err := sound(child); err != nil {
			return err
		}
	}
	if _, coded := typ.(*arrow.DictionaryType); coded {
		if err := sound(a.Dictionary()); err != nil {
			return fmt.Errorf("the dictionary: %w", err)
		}
	}
	return nil
}

// validity checks the bitmap that says which values are null.
func validity(a arrow.ArrayData, typ arrow.DataType, n int) error {
	if typ.ID() == arrow.NULL || len(a.Buffers()) == 0 {
		return nil
	}
	if bytesIn(a, 0) == 0 {
		if a.NullN() > 0 {
			return fmt.Errorf("corrupt: %d values are null, but nothing says which", a.NullN())
		}
		return nil
	}
	return holds(a, 0, n, 1)
}

// bytesIn returns the size of a buffer, which may be missing.
func bytesIn(a arrow.ArrayData, buffer int) int64 {
	if b := a.Buffers(); buffer < len(b) && b[buffer] != nil {
		return int64(b[buffer].Len())
	}
	return 0
}

func elementsIn(a arrow.ArrayData) int64 { return int64(a.Children()[0].Len()) }

// holds returns an error unless a buffer has n values of a width in bits.
func holds(a arrow.ArrayData, buffer, n, bits int) error {
	have, need := bytesIn(a, buffer), product(n, bits)
	if need = need/8 + min(need%8, 1); have < need {
		return short(have, need, "bytes of a buffer")
	}
	return nil
}

// product returns n values times a size, or the largest number if it is larger: a length in a file may be anything.
func product(n, size int) int64 {
	if size > 0 && int64(n) > math.MaxInt64/int64(size) {
		return math.MaxInt64
	}
	return int64(n) * int64(size)
}

func short(have, need int64, what string) error {
	return fmt.Errorf("corrupt: the record batch needs %d %s, but has %d", need, what, have)
}

// ordered checks that the offsets of n texts or lists do not decrease and end within what they
// divide.
func ordered[T int32 | int64](a arrow.ArrayData, n int, within int64) error {
	bits := 32
	if T(math.MaxInt32)+1 > 0 {
		bits = 64
	}
	if err := holds(a, 1, n+1, bits); err != nil {
		return err
	}
	offsets := arrow.GetData[T](a.Buffers()[1].Bytes())[:n+1]
	last := T(0)
	for i, at := range offsets {
		if at < last {
			return fmt.Errorf("corrupt: value %d begins at %d, behind its end at %d", i-1, last, at)
		}
		last = at
	}
	if int64(last) > within {
		return fmt.Errorf("corrupt: the last value ends at %d of %d", last, within)
	}
	return nil
}

// views checks n texts that are either in their views, or say where in which buffer they are:
//
//	size │ 12 bytes of text
//	size │ first 4 bytes │ buffer │ offset
func views(a arrow.ArrayData, n int) error {
	const view, inline, first = 16, 12, 2
	if err := holds(a, 1, n, 8*view); err != nil {
		return err
	}
	b := a.Buffers()[1].Bytes()
	for i := range n {
		v := b[view*i:][:view]
		size := int64(int32(binary.LittleEndian.Uint32(v)))
		buffer, at := int64(int32(binary.LittleEndian.Uint32(v[8:]))), int64(int32(binary.LittleEndian.Uint32(v[12:])))
		switch {
		case size >= 0 && size <= inline || isNullAt(a, i):
		case size < 0 || buffer < 0 || at < 0 || buffer+first >= int64(len(a.Buffers())) || at+size > bytesIn(a, int(buffer)+first):
			return fmt.Errorf("corrupt: value %d has %d bytes at %d of buffer %d, which are not there", i, size, at, buffer)
		}
	}
	return nil
}

// isNullAt reports whether a value is null according to the bitmap.
func isNullAt(a arrow.ArrayData, i int) bool {
	return bytesIn(a, 0) > 0 && a.Buffers()[0].Bytes()[i/8]>>(i%8)&1 == 0
}

// checkBuffers checks that the buffers of a record batch are in the body of its message, and
// that compressed ones begin with a length.
func checkBuffers(batch table, body int64, compressed bool) error {
	start, n, err := batch.vector(batchBuffers, 16)
	if err != nil {
		return err
	}
	for i := range n {
		b := batch.Bytes[start+16*i:]
		at, size := int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:]))
		if at < 0 || size < 0 || at > body || size > body-at {
			return fmt.Errorf("corrupt metadata: buffer %d has %d bytes at %d of %d", i, size, at, body)
		}
		if compressed && size > 0 && size < 8 {
			return fmt.Errorf("corrupt metadata: buffer %d is compressed, but has only %d bytes", i, size)
		}
	}
	return nil
}

// soundColumns checks the arrays of columns that will be read.
func soundColumns(batch arrow.RecordBatch, wanted []columns.Field, leaves []leaf) error {
	checked := make(map[int]bool)
	for _, field := range wanted {
		at := leaves[field.Leaf].path[0].child
		if checked[at] {
			continue
		}
		checked[at] = true
		if err := sound(batch.Column(at).Data()); err != nil {
			return &columns.Error{Column: field.Path, Row: -1, Err: err}
		}
	}
	return nil
}
