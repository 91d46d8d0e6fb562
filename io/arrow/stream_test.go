package arrow_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	upstream "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/heap"
	"github.com/beameval/beameval/io/arrow"
	"github.com/beameval/beameval/io/columns"
)

// streamOf returns a stream of record batches of one column of these numbers.
func streamOf(t testing.TB, order endian.Endianness, batches ...[]float64) []byte {
	schema := upstream.NewSchema([]upstream.Field{{Name: "score", Type: upstream.PrimitiveTypes.Float64}}, nil).WithEndianness(order)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	for _, numbers := range batches {
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		b.AppendValues(numbers, nil)
		require.NoError(t, w.Write(array.NewRecordBatch(schema, []upstream.Array{b.NewArray()}, int64(len(numbers)))))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func inMemory(data []byte) source { return source{bytes.NewReader(data), "f.arrow"} }

// metered counts the bytes that are read.
type metered struct {
	source
	read int
}

func (m *metered) ReadAt(p []byte, off int64) (int, error) {
	m.read += len(p)
	return m.source.ReadAt(p, off)
}

// TestPlan: planning reads no bodies, and a worker only the bodies of its record batches.
func TestPlan(t *testing.T) {
	const rows = 10_000
	batches := make([][]float64, 10)
	for i := range batches {
		batches[i] = make([]float64, rows)
		batches[i][0] = float64(i)
	}
	src := &metered{source: inMemory(streamOf(t, endian.LittleEndian, batches...))}
	whole, err := arrow.Open(src, columns.Options{}, nil)
	require.NoError(t, err)
	require.Len(t, whole.RowGroups(), len(batches))
	require.Less(t, src.read, 8_000)

	src.read = 0
	plan := whole.Plan(3, 2)
	require.Less(t, len(plan), 50)
	part, err := arrow.Open(src, columns.Options{}, plan)
	require.NoError(t, err)
	require.Equal(t, []int64{0, 0, 0, rows, rows}, part.RowGroups())
	got, err := values(part, "score", rows)
	require.ErrorContains(t, err, "f.arrow: row group 0: the plan of the file is damaged") // it is not in the plan
	require.Empty(t, got)
	for group := 3; group < 5; group++ {
		for b, err := range part.Read(group, []string{"score"}, nil, rows) {
			require.NoError(t, err)
			require.Equal(t, float64(group), b.Columns[0].Floats[0])
		}
	}
	require.Less(t, src.read, 2*8*rows+4_000)
	again, err := arrow.Open(src, columns.Options{}, part.Plan(4, 1))
	require.NoError(t, err)
	require.Equal(t, []int64{0, 0, 0, 0, rows}, again.RowGroups())

	footed, err := arrow.Open(sourceOf(t, "plain.arrow"), columns.Options{}, nil)
	require.NoError(t, err)
	require.Nil(t, footed.Plan(0, 1))
}

// FuzzPlan: any plan results in an error or can be used without harm.
func FuzzPlan(f *testing.F) {
	src := sourceOf(f, "stream.arrows")
	whole, err := arrow.Open(src, columns.Options{}, nil)
	require.NoError(f, err)
	f.Add(whole.Plan(0, 3))
	f.Add(whole.Plan(1, 1))
	f.Fuzz(func(t *testing.T, plan []byte) {
		part, err := arrow.Open(src, columns.Options{MaxPage: 1 << 20}, plan)
		if err == nil && len(part.RowGroups()) < 1000 {
			_, err = values(part, "double", 100)
		}
		if err != nil {
			require.ErrorContains(t, err, "stream.arrows: ")
		}
	})
}

// TestDictionariesOfStreams: dictionaries may grow from batch to batch, but not be replaced.
func TestDictionariesOfStreams(t *testing.T) {
	f, err := arrow.Open(sourceOf(t, "delta.arrows"), columns.Options{}, nil)
	require.NoError(t, err)
	got, err := values(f, "category", 2)
	require.NoError(t, err)
	require.Equal(t, []string{`"a"`, `"b"`, "null", `"c"`, `"a"`, `"b"`}, got)
	_, err = arrow.Open(sourceOf(t, "replaced.arrows"), columns.Options{}, nil)
	require.EqualError(t, err, "replaced.arrows: message 3: a dictionary replaces an earlier one, which is not supported: write the column with a single dictionary (unify_dictionaries in pyarrow) or without")
}

// TestEmptyStream: a stream without rows has columns.
func TestEmptyStream(t *testing.T) {
	f, err := arrow.Open(sourceOf(t, "empty.arrows"), columns.Options{}, nil)
	require.NoError(t, err)
	require.Empty(t, f.RowGroups())
	_, err = f.Schema().Lookup("double")
	require.NoError(t, err)
	f, err = arrow.Open(inMemory(streamOf(t, endian.LittleEndian, nil, []float64{7}, nil)), columns.Options{}, nil)
	require.NoError(t, err)
	require.Equal(t, []int64{0, 1, 0}, f.RowGroups())
}

// TestBigEndian: the bytes of numbers are in the order that the schema states.
func TestBigEndian(t *testing.T) {
	const x = 0.3
	f, err := arrow.Open(inMemory(streamOf(t, endian.BigEndian, []float64{x})), columns.Options{}, nil)
	require.NoError(t, err)
	for b, err := range f.Read(0, []string{"score"}, nil, 1) {
		require.NoError(t, err)
		var bytes [8]byte
		binary.LittleEndian.PutUint64(bytes[:], math.Float64bits(x))
		require.Equal(t, binary.BigEndian.Uint64(bytes[:]), math.Float64bits(b.Columns[0].Floats[0]))
	}
}

// TestBrokenStreams: what ends too early, or goes on after the end, is refused.
func TestBrokenStreams(t *testing.T) {
	data := streamOf(t, endian.LittleEndian, []float64{1}, []float64{2})
	second := bytes.LastIndex(data[:len(data)-8], []byte("\xff\xff\xff\xff"))
	metadata := int(binary.LittleEndian.Uint32(data[second+4:]))
	body := second + 8 + metadata
	with := func(at int, b ...byte) []byte {
		changed := bytes.Clone(data)
		copy(changed[at:], b)
		return changed
	}
	schema := 8 + int(binary.LittleEndian.Uint32(data[4:]))
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"no end marker":        {data[:len(data)-8], "truncated: the stream has no end marker: close the writer when all rows are written"},
		"half an end marker":   {data[:len(data)-4], "truncated: the stream ends inside message 3"},
		"cut in a body":        {data[:body+1], "truncated or corrupt: message 2 has a body of 8 bytes, but 1 are left"},
		"cut in metadata":      {data[:second+9], "truncated or corrupt: message 2 has metadata of 136 bytes, but 1 are left"},
		"two streams":          {append(bytes.Clone(data), data...), "bytes follow the end of the stream: write a file for each stream"},
		"end marker too early": {with(second+4, 0, 0, 0, 0), "bytes follow the end of the stream: write a file for each stream"},
		"no marker":            {with(second, 0), `corrupt: message 2, at `},
		"negative length":      {with(second+4, 0xff, 0xff, 0xff, 0xff), "corrupt: message 2 has metadata of 4294967295 bytes"},
		"short metadata":       {with(second+4, 1, 0, 0, 0), "corrupt: message 2 has metadata of 1 bytes"},
		"a second schema":      {append(bytes.Clone(data[:schema]), data...), "corrupt: message 1 is of kind 1: a stream has one schema, which is its first message"},
		"no schema":            {data[schema:], "corrupt: message 0 is of kind 3: a stream has one schema, which is its first message"},
		"before version 0.15":  {data[4:], "not an Arrow file: it begins with "},
	} {
		_, err := arrow.Open(inMemory(c.data), columns.Options{}, nil)
		require.ErrorContains(t, err, c.want, name)
		require.ErrorContains(t, err, "f.arrow: ", name)
	}
}

// TestClaimsOfStreams: lengths in a stream that is long, too, take no memory.
func TestClaimsOfStreams(t *testing.T) {
	data := streamOf(t, endian.LittleEndian, []float64{1})
	binary.LittleEndian.PutUint32(data[4:], 1<<30)
	long := sparse{inMemory(data), 2 << 30}
	require.Less(t, heap.Allocated(func() {
		_, err := arrow.Open(long, columns.Options{}, nil)
		require.EqualError(t, err, "f.arrow: the metadata of message 0 has 1073741824 bytes, and at most 67108864 are read: write fewer columns or less metadata")
	}), uint64(1<<20))
}
