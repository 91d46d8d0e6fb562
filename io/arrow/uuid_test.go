package arrow_test

import (
	"bytes"
	"testing"

	goarrow "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/arrow"
	"github.com/beameval/beameval/io/columns"
)

// TestUUIDs: UUIDs have the same text as in Parquet; other 16-byte values are unchanged.
func TestUUIDs(t *testing.T) {
	bytes16 := &goarrow.FixedSizeBinaryType{ByteWidth: 16}
	schema := goarrow.NewSchema([]goarrow.Field{
		{Name: "id", Type: bytes16, Nullable: true, Metadata: goarrow.MetadataFrom(map[string]string{"ARROW:extension:name": "arrow.uuid", "ARROW:extension:metadata": ""})},
		{Name: "raw", Type: bytes16},
	}, nil)
	var file bytes.Buffer
	w, err := ipc.NewFileWriter(&file, ipc.WithSchema(schema))
	require.NoError(t, err)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i, value := range []string{"\x12\x3e\x45\x67\xe8\x9b\x12\xd3\xa4\x56\x42\x66\x14\x17\x40\x00", "0123456789abcdef", ""} {
		if b.Field(1).(*array.FixedSizeBinaryBuilder).Append([]byte("0123456789abcdef")); i == 2 {
			b.Field(0).AppendNull()
		} else {
			b.Field(0).(*array.FixedSizeBinaryBuilder).Append([]byte(value))
		}
	}
	require.NoError(t, w.Write(b.NewRecordBatch()))
	require.NoError(t, w.Close())
	f, err := arrow.Open(source{bytes.NewReader(file.Bytes()), "a.arrow"}, columns.Options{}, nil)
	require.NoError(t, err)
	require.Equal(t, "uuid", f.Schema().Fields[0].Physical)
	got, err := values(f, "id", 2)
	require.NoError(t, err)
	require.Equal(t, []string{`"123e4567-e89b-12d3-a456-426614174000"`, `"30313233-3435-3637-3839-616263646566"`, "null"}, got)
	got, err = values(f, "raw", 2)
	require.NoError(t, err)
	require.Equal(t, `"0123456789abcdef"`, got[2])
}
