package arrow

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	upstream "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

type inMemory struct{ *bytes.Reader }

func (inMemory) Name() string { return "f.arrows" }

func sourceOf(data []byte) columns.Source { return inMemory{bytes.NewReader(data)} }

// arrayOf builds an array of four rows, which array.FromJSON reads.
func arrayOf(t testing.TB, typ upstream.DataType, json string) upstream.Array {
	a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(json))
	require.NoError(t, err)
	return a
}

// kinds are arrays of every layout, by the names of their types.
func kinds(t testing.TB) map[string]upstream.Array {
	text, number := upstream.BinaryTypes.String, upstream.PrimitiveTypes.Int64
	lists, texts := `[[1, 2], [], null, [3]]`, `["one", null, "", "a text of more than twelve bytes"]`
	all := map[string]upstream.Array{}
	for _, a := range []upstream.Array{
		arrayOf(t, upstream.FixedWidthTypes.Boolean, `[true, null, false, true]`),
		arrayOf(t, upstream.PrimitiveTypes.Int16, `[1, null, -3, 4]`),
		arrayOf(t, upstream.PrimitiveTypes.Float64, `[1.5, null, -3, 4]`),
		arrayOf(t, text, texts), arrayOf(t, upstream.BinaryTypes.LargeString, texts), arrayOf(t, upstream.BinaryTypes.StringView, texts),
		arrayOf(t, &upstream.FixedSizeBinaryType{ByteWidth: 2}, `["YWI=", null, "Y2Q=", "ZWY="]`),
		arrayOf(t, upstream.ListOf(number), lists), arrayOf(t, upstream.LargeListOf(number), lists),
		arrayOf(t, upstream.FixedSizeListOf(2, number), `[[1, 2], [3, 4], null, [5, 6]]`),
		arrayOf(t, upstream.ListOf(text), `[["a", "bc"], [], null, ["d"]]`),
		arrayOf(t, upstream.MapOf(text, number), `[[{"key": "a", "value": 1}], [], null, [{"key": "b", "value": 2}]]`),
		arrayOf(t, upstream.StructOf(upstream.Field{Name: "a", Type: number, Nullable: true}), `[{"a": 1}, null, {"a": 3}, {"a": null}]`),
		arrayOf(t, &upstream.DictionaryType{IndexType: upstream.PrimitiveTypes.Int8, ValueType: text}, `["x", null, "y", "x"]`),
		view(t, number, []int32{2, 0, 0, 0}, []int32{1, 0, 2, 3}), // unordered, empty and shared
	} {
		all[a.DataType().String()] = a
	}
	return all
}

// view is an array of list views into three numbers.
func view(t testing.TB, element upstream.DataType, offsets, sizes []int32) upstream.Array {
	numbers := arrayOf(t, element, "[7, 8, 9]")
	list := func(v []int32) *memory.Buffer { return memory.NewBufferBytes(upstream.GetBytes(v)) }
	return array.NewListViewData(array.NewData(upstream.ListViewOf(element), len(offsets), []*memory.Buffer{nil, list(offsets), list(sizes)}, []upstream.ArrayData{numbers.Data()}, 0, 0))
}

// streamOf writes a stream with the array in column x, followed by a column of other values.
func streamOf(t testing.TB, a upstream.Array, options ...ipc.Option) []byte {
	other := arrayOf(t, upstream.PrimitiveTypes.Int64, `[71, 72, 73, 74]`)
	schema := upstream.NewSchema([]upstream.Field{{Name: "x", Type: a.DataType(), Nullable: true}, {Name: "other", Type: other.DataType()}}, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, append(options, ipc.WithSchema(schema))...)
	require.NoError(t, w.Write(array.NewRecordBatch(schema, []upstream.Array{a, other}, int64(a.Len()))))
	require.NoError(t, w.Close())
	return out.Bytes()
}

// contents returns the values of the columns that can be read.
func contents(data []byte) (all string, err error) { return groupContents(data, 0) }

// groupContents returns the contents of a record batch.
func groupContents(data []byte, group int) (all string, err error) {
	f, err := Open(sourceOf(data), columns.Options{MaxPage: 1 << 20}, nil)
	if err != nil {
		return "", err
	}
	for _, field := range f.Columns.Fields {
		for b, err := range f.Read(group, []string{field.Path}, nil, 100) {
			if err != nil {
				return "", err
			}
			c := &b.Columns[0]
			all += fmt.Sprint(field.Path, c.Offsets, c.RowNull, c.Null, c.Ints, c.Floats)
			for _, code := range c.Codes {
				if len(c.Dict.Values()) > 0 {
					all += fmt.Sprintf(" %q", c.Dict.Values()[code])
				}
			}
			all += "\n"
		}
	}
	return all, nil
}

// lastBatch returns the table of the last record batch of a stream, within its bytes.
func lastBatch(t testing.TB, data []byte) (batch table, s *stream) {
	s, err := findMessages(sourceOf(data))
	require.NoError(t, err)
	b := s.batches[len(s.batches)-1]
	m := rootOf(data[b.offset+prefix:][:b.meta-prefix])
	batch, ok := m.child(messageHeader)
	require.True(t, ok)
	return batch, s
}

// TestShortBuffers cuts each buffer of a column of each layout, so that the values of the next
// buffers seem to be its own: that is an error, whether anything is compressed or not.
func TestShortBuffers(t *testing.T) {
	for name, a := range kinds(t) {
		whole := streamOf(t, a)
		want, err := contents(whole)
		require.NoError(t, err, name)
		batch, _ := lastBatch(t, whole)
		_, buffers, err := batch.vector(batchBuffers, 16)
		require.NoError(t, err)
		cut := 0
		for i := range buffers {
			data := bytes.Clone(whole)
			batch, _ := lastBatch(t, data)
			start, _, _ := batch.vector(batchBuffers, 16)
			at := batch.Bytes[start+16*i+8:]
			size := binary.LittleEndian.Uint64(at)
			if size == 0 {
				continue
			}
			binary.LittleEndian.PutUint64(at, size-min(size, 8))
			got, err := contents(data)
			if err == nil {
				require.Equal(t, want, got, "%s, buffer %d", name, i) // the buffer is longer than it must be
				continue
			}
			require.Regexp(t, "corrupt|damaged", err.Error(), name)
			cut++
		}
		require.GreaterOrEqual(t, cut, 2, name)
	}
}

// TestVastLengths: the bytes that a length of an array needs may be more than fit into 64 bits.
func TestVastLengths(t *testing.T) {
	for name, a := range kinds(t) {
		whole := streamOf(t, a)
		batch, _ := lastBatch(t, whole)
		_, nodes, err := batch.vector(batchNodes, 16)
		require.NoError(t, err)
		for i := range nodes - 1 { // the last is of the other column
			for _, n := range []uint64{1<<57 + 4, 1<<58 + 4, 1<<59 + 4, 1<<60 + 4, 1<<61 + 4, 1<<62 + 4, math.MaxInt64, 1 << 63, math.MaxUint64} {
				data := bytes.Clone(whole)
				batch, _ := lastBatch(t, data)
				start, _, _ := batch.vector(batchNodes, 16)
				binary.LittleEndian.PutUint64(batch.Bytes[start+16*i:], n)
				got, err := contents(data)
				require.Error(t, err, "%s: node %d of %d values: %s", name, i, n, got)
				require.Regexp(t, "corrupt|damaged", err.Error(), "%s: node %d of %d values", name, i, n)
			}
		}
	}
}

// TestBuffersElsewhere: a buffer must lie in the body of its message.
func TestBuffersElsewhere(t *testing.T) {
	for field, want := range map[int]string{0: "corrupt metadata: buffer 1 has 8 bytes at 1099511627776 of ", 8: "corrupt metadata: buffer 1 has 1099511627776 bytes at "} {
		data := streamOf(t, kinds(t)["int16"])
		batch, _ := lastBatch(t, data)
		start, _, _ := batch.vector(batchBuffers, 16)
		binary.LittleEndian.PutUint64(batch.Bytes[start+16+field:], 1<<40)
		_, err := contents(data)
		require.ErrorContains(t, err, "f.arrows: message 1: "+want)
	}
}

// TestListViews: the lists of a view may be empty, shared and in any order.
func TestListViews(t *testing.T) {
	got, err := contents(streamOf(t, kinds(t)["list_view<item: int64, nullable>"]))
	require.NoError(t, err)
	require.Equal(t, "x[0 1 1 3 6] [] [] [9 7 8 7 8 9] []\nother[] [] [] [71 72 73 74] []\n", got)
	_, err = contents(streamOf(t, view(t, upstream.PrimitiveTypes.Int64, []int32{0, 0, 0, 2}, []int32{1, 0, 2, 2})))
	require.ErrorContains(t, err, `column "x": row 3: corrupt: a list of the elements from 2 to 4 of 3`)
	many := make([]int32, 100_000)
	for i := range many {
		many[i] = 3
	}
	schema := view(t, upstream.PrimitiveTypes.Int64, make([]int32, len(many)), many)
	f, err := Open(sourceOf(streamOfColumn(t, schema)), columns.Options{MaxPage: 1 << 21}, nil)
	require.NoError(t, err)
	for _, err = range f.Read(0, []string{"x"}, nil, 1<<20) {
	}
	require.ErrorContains(t, err, "the lists of a batch share elements and have more than 262144 together: write lists without views, or set Options.MaxPage to a larger value")
}

func streamOfColumn(t testing.TB, a upstream.Array) []byte {
	schema := upstream.NewSchema([]upstream.Field{{Name: "x", Type: a.DataType(), Nullable: true}}, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	require.NoError(t, w.Write(array.NewRecordBatch(schema, []upstream.Array{a}, int64(a.Len()))))
	require.NoError(t, w.Close())
	return out.Bytes()
}

// legacy returns a compressed stream or, with a footer, a file as Arrow 0.17 wrote it: the codec is
// in the metadata of each message.
func legacy(t testing.TB, data []byte, codec string, footer bool) []byte {
	s, err := findMessages(sourceOf(data))
	require.NoError(t, err)
	first := rootOf(data[s.schema.offset+prefix:][:s.schema.meta-prefix])
	schema, _ := first.child(messageHeader)
	out := []byte{}
	if footer {
		out = append(out, magic+"\x00\x00"...)
	}
	out = append(out, data[:s.schema.end()]...)
	old := *s
	for _, list := range []*[]block{&old.dictionaries, &old.batches} {
		*list = append([]block(nil), *list...)
		for i := range *list {
			b := &(*list)[i]
			message, err := readBlock(sourceOf(data), b)
			require.NoError(t, err)
			body := data[b.offset+int64(b.meta):][:b.body]
			metadata := legacyMessage(t, message, codec)
			b.offset, b.meta = int64(len(out)), int32(len(metadata))
			out = append(append(out, metadata...), body...)
		}
	}
	out = append(out, marker+"\x00\x00\x00\x00"...)
	if !footer {
		return out
	}
	tail := old.footer(version4, data[s.schema.offset+prefix:][:s.schema.meta-prefix], int(schema.Pos))
	return append(binary.LittleEndian.AppendUint32(append(out, tail...), uint32(len(tail))), magic...)
}

// legacyMessage adds a codec to the metadata of a message, whose own codec later versions know.
func legacyMessage(t testing.TB, message table, codec string) []byte {
	data, err := modern(message, 0) // with a codec that is removed below
	require.NoError(t, err)
	m := rootOf(data[prefix:])
	batch, _ := m.child(messageHeader)
	if m.GetByteSlot(slot(messageKind), 0) == kindDictionary {
		batch, _ = batch.child(dictionaryData)
	}
	vtable := int(batch.Pos) - int(flatbuffers.GetSOffsetT(batch.Bytes[batch.Pos:]))
	binary.LittleEndian.PutUint16(batch.Bytes[vtable+4+2*batchCompression:], 0)
	// A message with one more field, which refers to the other fields' tables: they follow it.
	b := flatbuffers.NewBuilder(256)
	key, value := b.CreateString(legacyKey), b.CreateString(codec)
	b.StartObject(2)
	b.PrependUOffsetTSlot(0, key, 0)
	b.PrependUOffsetTSlot(1, value, 0)
	pair := b.EndObject()
	b.StartVector(4, 1, 4)
	b.PrependUOffsetT(pair)
	pairs := b.EndVector(1)
	b.StartObject(messageMetadata + 1)
	b.PrependInt16Slot(messageVersion, version4, 0)
	b.PrependByteSlot(messageKind, m.GetByteSlot(slot(messageKind), 0), 0)
	b.PrependUOffsetTSlot(messageHeader, pairs, 0) // set below
	b.PrependInt64Slot(messageBody, m.GetInt64Slot(slot(messageBody), 0), 0)
	b.PrependUOffsetTSlot(messageMetadata, pairs, 0)
	b.Finish(b.EndObject())
	out := bytes.Clone(b.FinishedBytes())
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	root := rootOf(out)
	at := int(root.Pos) + int(root.Offset(slot(messageHeader)))
	header, _ := m.child(messageHeader)
	binary.LittleEndian.PutUint32(out[at:], uint32(len(out)+int(header.Pos)-at))
	out = append(out, data[prefix:]...)
	return append(binary.LittleEndian.AppendUint32([]byte(marker), uint32(len(out))), out...)
}

// TestLegacyCompression reads compressed files and streams of Arrow 0.17.
func TestLegacyCompression(t *testing.T) {
	for name, a := range kinds(t) {
		want, err := contents(streamOf(t, a))
		require.NoError(t, err)
		for codec, option := range map[string]ipc.Option{"ZSTD": ipc.WithZstd(), "LZ4": ipc.WithLZ4(), "lz4_frame": ipc.WithLZ4(), "zstd": ipc.WithZstd()} {
			if strings.Contains(name, "view") {
				continue // 0.17 had no views
			}
			modern := streamOf(t, a, option)
			for _, footer := range []bool{false, true} {
				data := legacy(t, modern, codec, footer)
				got, err := contents(data)
				require.NoError(t, err, "%s, %s", name, codec)
				require.Equal(t, want, got, "%s, %s", name, codec)

				f, err := Open(sourceOf(data), columns.Options{}, nil)
				require.NoError(t, err)
				again, err := Open(sourceOf(data), columns.Options{}, f.Plan(0, 1))
				require.NoError(t, err)
				for _, err := range again.Read(0, []string{"other"}, nil, 9) {
					require.NoError(t, err)
				}
			}
			_, err := contents(legacy(t, modern, "lzo", true))
			require.ErrorContains(t, err, `buffers are compressed with "lzo", which is not supported: write the file again`)
		}
	}
}

// TestNoOffsets: an array without values need not have the one offset that it would begin with.
func TestNoOffsets(t *testing.T) {
	schema := upstream.NewSchema([]upstream.Field{{Name: "x", Type: upstream.BinaryTypes.String}}, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	require.NoError(t, w.Write(array.NewRecordBatch(schema, []upstream.Array{arrayOf(t, upstream.BinaryTypes.String, "[]")}, 0)))
	require.NoError(t, w.Close())
	batch, _ := lastBatch(t, out.Bytes())
	start, n, err := batch.vector(batchBuffers, 16)
	require.NoError(t, err)
	for i := range n {
		binary.LittleEndian.PutUint64(batch.Bytes[start+16*i+8:], 0)
	}
	_, err = contents(out.Bytes())
	require.NoError(t, err)
}
