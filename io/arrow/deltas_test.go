package arrow

import (
	"bytes"
	"encoding/binary"
	"testing"

	upstream "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"
)

// withDelta writes a stream with a column of codes of a dictionary of two values and, in the second record
// batch, of a delta with two more.
func withDelta(t testing.TB, values upstream.DataType, json [2]string, options ...ipc.Option) []byte {
	typ := &upstream.DictionaryType{IndexType: upstream.PrimitiveTypes.Int8, ValueType: values}
	schema := upstream.NewSchema([]upstream.Field{{Name: "x", Type: typ, Nullable: true}}, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, append(options, ipc.WithSchema(schema), ipc.WithDictionaryDeltas(true))...)
	for i, codes := range []string{`[0, 1, null, 1]`, `[3, 2, 0, 1]`} {
		column := array.NewDictionaryArray(typ, arrayOf(t, typ.IndexType, codes), arrayOf(t, values, json[i]))
		require.NoError(t, w.Write(array.NewRecordBatch(schema, []upstream.Array{column}, 4)))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

var deltaValues = map[upstream.DataType][2]string{
	upstream.BinaryTypes.String:      {`["one", null]`, `["one", null, "three", "a text of more than twelve bytes"]`},
	upstream.BinaryTypes.LargeString: {`["one", "two"]`, `["one", "two", "three", "a text of more than twelve bytes"]`},
	upstream.PrimitiveTypes.Int64:    {`[1, 2]`, `[1, 2, 3, 4]`},
	upstream.PrimitiveTypes.Float64:  {`[1.5, null]`, `[1.5, null, 3, 4]`},
}

// all returns the values of both record batches.
func all(data []byte) (text string, err error) {
	for group := range 2 {
		part, err := groupContents(data, group)
		if err != nil {
			return "", err
		}
		text += part
	}
	return text, nil
}

// TestShortDeltas cuts each buffer of a dictionary and of its delta: that is an error, whether anything is
// compressed or not, or changes nothing. arrow-go joins them before it hands out either.
func TestShortDeltas(t *testing.T) {
	for typ, json := range deltaValues {
		for name, options := range map[string][]ipc.Option{"plain": nil, "zstd": {ipc.WithZstd()}} {
			whole := withDelta(t, typ, json, options...)
			want, err := all(whole)
			require.NoError(t, err, typ)
			s, err := findMessages(sourceOf(whole))
			require.NoError(t, err)
			require.Len(t, s.dictionaries, 2)
			cut := 0
			for _, b := range s.dictionaries {
				buffers := func(data []byte) (list [][]byte) {
					header, _ := rootOf(data[b.offset+prefix:][:b.meta-prefix]).child(messageHeader)
					batch, _ := header.child(dictionaryData)
					start, n, err := batch.vector(batchBuffers, 16)
					require.NoError(t, err)
					for i := range n {
						list = append(list, batch.Bytes[start+16*i+8:])
					}
					return list
				}
				for i := range buffers(whole) {
					data := bytes.Clone(whole)
					at := buffers(data)[i]
					size := binary.LittleEndian.Uint64(at)
					if size == 0 {
						continue
					}
					binary.LittleEndian.PutUint64(at, size-min(size, 8))
					got, err := all(data)
					if err == nil {
						require.Equal(t, want, got, "%s, %s, buffer %d", typ, name, i)
						continue
					}
					require.Regexp(t, "corrupt|damaged", err.Error(), "%s, %s", typ, name)
					cut++
				}
			}
			require.GreaterOrEqual(t, cut, 2, "%s, %s", typ, name)
		}
	}
}
