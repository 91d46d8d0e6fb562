package arrow

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	upstream "github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// reference decodes a record batch value by value, as the format describes it, and independently of
// arrow-go: what the reader may return, and when it must not return anything.
type reference struct {
	nodes, buffers [][2]int64 // length and null count; offset and length
	variadic       []int64
	body           []byte
	dictionary     []any
	failed         bool
}

func (r *reference) node() (length, nulls int64) {
	if len(r.nodes) == 0 {
		r.failed = true
		return 0, 0
	}
	n := r.nodes[0]
	r.nodes = r.nodes[1:]
	r.failed = r.failed || n[0] < 0 || n[0] > 1000
	return n[0], n[1]
}

// buffer returns the next buffer.
func (r *reference) buffer() []byte {
	if len(r.buffers) == 0 {
		r.failed = true
		return nil
	}
	b := r.buffers[0]
	r.buffers = r.buffers[1:]
	if b[0] < 0 || b[1] < 0 || b[0]+b[1] < 0 || b[0]+b[1] > int64(len(r.body)) {
		r.failed = true
		return nil
	}
	return r.body[b[0] : b[0]+b[1]]
}

// at returns the i-th integer of a width in bytes.
func (r *reference) at(b []byte, i int64, width int64) int64 {
	if i < 0 || (i+1)*width > int64(len(b)) {
		r.failed = true
		return 0
	}
	var v uint64
	for j := range width {
		v |= uint64(b[i*width+j]) << (8 * j)
	}
	return int64(v) << (64 - 8*width) >> (64 - 8*width)
}

// valid reads the bitmap of n values.
func (r *reference) valid(n, nulls int64) func(i int64) bool {
	b := r.buffer()
	if nulls == 0 || r.failed {
		return func(int64) bool { return true }
	}
	if int64(len(b)) < (n+7)/8 {
		r.failed = true
		return func(int64) bool { return true }
	}
	return func(i int64) bool { return b[i/8]>>(i%8)&1 == 1 }
}

// array decodes the next array. A value is nil, a number, a text or a list.
func (r *reference) array(t upstream.DataType) (out []any) {
	n, nulls := r.node()
	if r.failed {
		return nil
	}
	valid := r.valid(n, nulls)
	var value func(i int64) any
	switch t := t.(type) {
	case *upstream.StructType:
		fields := make([][]any, t.NumFields())
		for i, f := range t.Fields() {
			fields[i] = r.array(f.Type)
			r.failed = r.failed || int64(len(fields[i])) < n
		}
		value = func(i int64) any { return fields[0][i] }
	case *upstream.FixedSizeListType:
		elements, size := r.array(t.Elem()), int64(t.Len())
		r.failed = r.failed || int64(len(elements)) < n*size
		value = func(i int64) any { return r.part(elements, i*size, (i+1)*size) }
	case *upstream.ListType, *upstream.LargeListType, *upstream.MapType:
		at := r.offsets(n, t.ID() == upstream.LARGE_LIST)
		elements := r.array(t.(upstream.ListLikeType).Elem())
		r.ends(at, int64(len(elements)))
		value = func(i int64) any { return r.part(elements, at[i], at[i+1]) }
	case *upstream.ListViewType:
		at, sizes := r.buffer(), r.buffer()
		elements := r.array(t.Elem())
		r.at(at, n-1, 4)
		r.at(sizes, n-1, 4)
		value = func(i int64) any {
			if size := r.at(sizes, i, 4); size != 0 {
				return r.part(elements, r.at(at, i, 4), r.at(at, i, 4)+size)
			}
			return []any{}
		}
	case upstream.BinaryViewDataType:
		value = r.views(n)
	case *upstream.StringType, *upstream.LargeStringType:
		at := r.offsets(n, t.ID() == upstream.LARGE_STRING)
		text := r.buffer()
		r.ends(at, int64(len(text)))
		value = func(i int64) any { return string(text[at[i]:at[i+1]]) }
	default:
		value = r.fixed(t, n)
	}
	for i := range n {
		switch {
		case r.failed:
			return nil
		case !valid(i):
			out = append(out, nil)
		default:
			out = append(out, value(i))
		}
	}
	return out
}

// part returns some elements.
func (r *reference) part(elements []any, from, to int64) any {
	if from < 0 || to < from || to > int64(len(elements)) {
		r.failed = true
		return nil
	}
	return append([]any{}, elements[from:to]...)
}

// offsets reads n+1 offsets, which do not decrease.
func (r *reference) offsets(n int64, large bool) []int64 {
	b, width := r.buffer(), int64(4)
	if large {
		width = 8
	}
	at := make([]int64, n+1)
	for i := range at {
		if at[i] = r.at(b, int64(i), width); at[i] < 0 || i > 0 && at[i] < at[i-1] {
			r.failed = true
		}
	}
	return at
}

// ends checks that offsets end within what they divide.
func (r *reference) ends(at []int64, within int64) { r.failed = r.failed || at[len(at)-1] > within }

func (r *reference) views(n int64) func(i int64) any {
	views := r.buffer()
	var texts [][]byte
	for range r.variadic[0] {
		texts = append(texts, r.buffer())
	}
	r.at(views, 2*n-1, 8)
	return func(i int64) any {
		v := views[16*i:][:16]
		size := r.at(v, 0, 4)
		if size >= 0 && size <= 12 {
			return string(v[4 : 4+size])
		}
		in, at := r.at(v, 2, 4), r.at(v, 3, 4)
		if size < 0 || in < 0 || at < 0 || in >= int64(len(texts)) || at+size > int64(len(texts[in])) {
			r.failed = true
			return nil
		}
		return string(texts[in][at : at+size])
	}
}

// fixed reads values of a fixed width.
func (r *reference) fixed(t upstream.DataType, n int64) func(i int64) any {
	b := r.buffer()
	switch t := t.(type) {
	case *upstream.BooleanType:
		r.failed = r.failed || int64(len(b)) < (n+7)/8
		return func(i int64) any { return int64(b[i/8] >> (i % 8) & 1) }
	case *upstream.FixedSizeBinaryType:
		r.failed = r.failed || int64(len(b)) < n*int64(t.ByteWidth)
		return func(i int64) any { return string(b[i*int64(t.ByteWidth):][:t.ByteWidth]) }
	case *upstream.DictionaryType:
		r.failed = r.failed || int64(len(b)) < n
		return func(i int64) any {
			at := r.at(b, i, 1)
			if at < 0 || at >= int64(len(r.dictionary)) {
				r.failed = true
				return nil
			}
			return r.dictionary[at]
		}
	}
	width := int64(t.(upstream.FixedWidthDataType).BitWidth() / 8)
	r.failed = r.failed || int64(len(b)) < n*width
	return func(i int64) any {
		if v := r.at(b, i, width); t.ID() == upstream.FLOAT64 {
			return math.Float64frombits(uint64(v))
		} else {
			return v
		}
	}
}

// referenceOf returns a reference of a record batch of a stream.
func referenceOf(t testing.TB, data []byte, b block, dictionary []any) *reference {
	batch, ok := rootOf(data[b.offset+prefix:][:b.meta-prefix]).child(messageHeader)
	require.True(t, ok)
	r := &reference{body: data[b.offset+int64(b.meta):][:b.body], dictionary: dictionary}
	for field, list := range map[int]*[][2]int64{batchNodes: &r.nodes, batchBuffers: &r.buffers} {
		start, n, err := batch.vector(field, 16)
		require.NoError(t, err)
		for i := range n {
			at := batch.Bytes[start+16*i:]
			*list = append(*list, [2]int64{int64(binary.LittleEndian.Uint64(at)), int64(binary.LittleEndian.Uint64(at[8:]))})
		}
	}
	start, n, _ := batch.vector(batchVariadic, 8)
	for i := range n {
		r.variadic = append(r.variadic, int64(binary.LittleEndian.Uint64(batch.Bytes[start+8*i:])))
	}
	return r
}

// read returns the values of a column as the reference has them.
func read(f *File, path string) (out []any, err error) {
	for b, err := range f.Read(0, []string{path}, nil, 3) {
		if err != nil {
			return nil, err
		}
		c := &b.Columns[0]
		value := func(i int) any {
			switch {
			case c.Null != nil && c.Null[i]:
				return nil
			case c.Type == columns.Float:
				return c.Floats[i]
			case c.Type == columns.String:
				return c.Dict.Values()[c.Codes[i]]
			}
			return c.Ints[i]
		}
		for i := range b.Rows {
			switch {
			case c.Offsets == nil:
				out = append(out, value(i))
			case c.RowNull != nil && c.RowNull[i]:
				out = append(out, nil)
			default:
				list := []any{}
				for at := c.Offsets[i]; at < c.Offsets[i+1]; at++ {
					list = append(list, value(int(at)))
				}
				out = append(out, list)
			}
		}
	}
	return out, nil
}

// patched returns a stream in which bytes of the nodes, the buffers' places and the buffers of its
// record batch are others. A patch is three bytes: where, in two, and what.
func patched(t testing.TB, data, patches []byte) ([]byte, block) {
	data = slices.Clone(data)
	batch, s := lastBatch(t, data)
	b := s.batches[len(s.batches)-1]
	var places []int
	region := func(start, size int) {
		for i := range size {
			places = append(places, start+i)
		}
	}
	metadata := int(b.offset) + prefix
	for _, field := range []int{batchNodes, batchBuffers} {
		start, n, err := batch.vector(field, 16)
		require.NoError(t, err)
		region(metadata+start, 16*n)
	}
	region(int(b.offset)+int(b.meta), int(b.body))
	for ; len(patches) >= 3; patches = patches[3:] {
		data[places[int(binary.LittleEndian.Uint16(patches))%len(places)]] = patches[2]
	}
	return data, b
}

// FuzzBuffers compares the values of damaged record batches with the reference's: what the
// reference refuses is an error, and what it reads is read.
func FuzzBuffers(f *testing.F) {
	all := kinds(f)
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for kind := range names {
		f.Add(uint8(kind), []byte{})
		for at := range 60 {
			for _, v := range []byte{0, 1, 3, 5, 0x80, 0xff} {
				f.Add(uint8(kind), []byte{byte(8 * at), byte(at / 32), v})
			}
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, patches []byte) {
		a := all[names[int(kind)%len(names)]]
		data, b := patched(t, streamOf(t, a), patches)
		r := referenceOf(t, data, b, []any{"x", "y"})
		for _, n := range r.nodes {
			if n[1] < 0 {
				return // a null count that is not known, as no writer of files leaves it
			}
		}
		typ := a.DataType()
		if m, isMap := typ.(*upstream.MapType); isMap {
			typ = upstream.ListOf(upstream.StructOf(upstream.Field{Name: "key", Type: m.KeyType()}, upstream.Field{Name: "value", Type: m.ItemType()}))
			r.failed = r.nodes[1][1] != 0 || r.nodes[2][1] != 0 // neither entries nor keys are ever null
		}
		want := r.array(typ)
		r.failed = r.failed || len(want) < 4 // a longer column has more values than rows

		file, err := Open(sourceOf(data), columns.Options{}, nil)
		if err != nil {
			require.True(t, r.failed || !within(t, data, b), "%s: %v", typ, err)
			return
		}
		got, err := read(file, file.Columns.Fields[0].Path)
		if err != nil {
			require.True(t, r.failed || !others(t, data, b), "%s: %v, but there is %v", typ, err, want)
			return
		}
		require.False(t, r.failed, "%s: %v", typ, got)
		require.Equal(t, fmt.Sprint(want[:4]), fmt.Sprint(got), typ.String())
	})
}

// within reports whether all buffers are in the body: the reader checks the buffers of other
// columns, too.
func within(t testing.TB, data []byte, b block) bool {
	r := referenceOf(t, data, b, nil)
	for len(r.buffers) > 0 {
		r.buffer()
	}
	return !r.failed
}

// others reports whether the column that is not read can be loaded.
func others(t testing.TB, data []byte, b block) bool {
	r := referenceOf(t, data, b, nil)
	r.nodes = r.nodes[len(r.nodes)-1:]
	r.buffers = r.buffers[len(r.buffers)-2:]
	return len(r.array(upstream.PrimitiveTypes.Int64)) >= 4 && !r.failed
}
