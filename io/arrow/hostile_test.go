package arrow_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	upstream "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/heap"
	"github.com/beameval/beameval/io/arrow"
	"github.com/beameval/beameval/io/columns"
)

// longest is the longest list that exercise reads.
const longest = 15

// exercise reads everything in a file, up to a limit, as planning and workers do.
func exercise(t testing.TB, data []byte) {
	src, o := source{bytes.NewReader(data), "f.arrow"}, columns.Options{MaxPage: 1 << 20, MaxRowValues: longest}
	whole, err := arrow.Open(src, o, nil)
	if err != nil {
		requireContained(t, err)
		return
	}
	for group := range min(len(whole.RowGroups()), 4) {
		f, err := arrow.Open(src, o, whole.Plan(group, 1))
		require.NoError(t, err)
		require.Equal(t, whole.RowGroups()[group], f.RowGroups()[group])
		fields := f.Schema().Fields
		for _, field := range fields[:min(len(fields), 50)] {
			for b, err := range f.Read(group, []string{field.Path}, nil, 100) {
				if err != nil {
					requireContained(t, err)
					break
				}
				c := &b.Columns[0]
				require.Equal(t, b.Rows, c.Rows())
				require.Equal(t, field.List, c.Offsets != nil)
				if c.Offsets != nil {
					require.EqualValues(t, c.Len(), c.Offsets[b.Rows])
					for i := range b.Rows {
						require.LessOrEqual(t, int(c.Offsets[i+1]-c.Offsets[i]), longest)
					}
				}
				if b.First > 50*100 {
					break
				}
			}
		}
	}
}

func requireContained(t testing.TB, err error) {
	var e *columns.Error
	require.ErrorAs(t, err, &e)
	require.NotRegexp(t, `runtime error|index out of|out of bound|interface conversion|arrow/ipc: error`, err.Error(), "a panic is no message")
	require.Equal(t, "f.arrow", e.File)
}

func fixtures(t testing.TB) (files [][]byte) {
	names, err := filepath.Glob("testdata/*.[af]*")
	require.NoError(t, err)
	require.Len(t, names, 10)
	for _, name := range names {
		s := sourceOf(t, filepath.Base(name))
		data := make([]byte, s.Len())
		_, err := s.Read(data)
		require.NoError(t, err)
		files = append(files, data)
	}
	return files
}

// TestCut: a truncated file is reported as such.
func TestCut(t *testing.T) {
	for _, data := range fixtures(t) {
		for n := range len(data) {
			if n > 300 && n < len(data)-300 && n%97 > 0 {
				continue
			}
			_, err := arrow.Open(source{bytes.NewReader(data[:n]), "f.arrow"}, columns.Options{}, nil)
			requireContained(t, err)
			if n > 40 && !strings.Contains(err.Error(), "dictionary replaces") {
				require.ErrorContains(t, err, "truncated")
			}
		}
	}
}

// TestDamaged: damaged bytes result in an error or in other values, never in a panic.
func TestDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, data := range fixtures(t) {
		for range 40 {
			damaged := bytes.Clone(data)
			for range 1 + rng.IntN(3) {
				at := rng.IntN(len(damaged))
				if rng.IntN(2) == 0 { // the metadata, most of which is at the end
					at = len(damaged) - 1 - rng.IntN(min(len(damaged), 4000))
				}
				damaged[at] = []byte{0, 1, 0x7f, 0x80, 0xff, damaged[at] ^ 1<<rng.IntN(8)}[rng.IntN(6)]
			}
			exercise(t, damaged)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, data := range fixtures(f) {
		f.Add(data)
	}
	f.Add(longRows(f))
	f.Fuzz(func(t *testing.T, data []byte) { exercise(t, data) })
}

func TestNotArrow(t *testing.T) {
	for content, want := range map[string]string{
		"":                                 "f.arrow: not an Arrow file: the file is empty",
		"PAR1PAR1":                         `f.arrow: not an Arrow file: it begins with "PAR1PA"`,
		"FEA1abcdefFEA1":                   "f.arrow: a Feather file of version 1, which is not supported: write version 2, the default of pyarrow and pandas",
		"\xff\xff\xff\xff\x10\x00\x00\x00": "f.arrow: truncated or corrupt: message 0 has metadata of 16 bytes, but 0 are left",
		"\xff\xff\xff\xff\x00\x00\x00\x00": "f.arrow: corrupt: the stream has no schema",
		"ARROW1\x00\x00abcdefghijkl":       "f.arrow: truncated: the file begins as Arrow but does not end in a footer",
	} {
		_, err := arrow.Open(source{bytes.NewReader([]byte(content)), "f.arrow"}, columns.Options{}, nil)
		require.EqualError(t, err, want)
	}
}

// fileOf writes batches of a table.
func fileOf(t testing.TB, schema *upstream.Schema, columns [][]upstream.Array, options ...ipc.Option) []byte {
	var out bytes.Buffer
	w, err := ipc.NewFileWriter(seekable{&out}, append(options, ipc.WithSchema(schema))...)
	require.NoError(t, err)
	for _, batch := range columns {
		require.NoError(t, w.Write(array.NewRecordBatch(schema, batch, int64(batch[0].Len()))))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// seekable is a writer that is only ever written to.
type seekable struct{ *bytes.Buffer }

func (s seekable) Seek(int64, int) (int64, error) { return int64(s.Len()), nil }

// TestBomb: a small file that claims to be large takes bounded memory.
func TestBomb(t *testing.T) {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues(make([]float64, 1<<20), nil)
	schema := upstream.NewSchema([]upstream.Field{{Name: "score", Type: upstream.PrimitiveTypes.Float64}}, nil)
	data := fileOf(t, schema, [][]upstream.Array{{b.NewArray()}}, ipc.WithZstd())
	require.Less(t, len(data), 10_000)
	read := func(page int64) (err error) {
		f, err := arrow.Open(source{bytes.NewReader(data), "f.arrow"}, columns.Options{MaxPage: page}, nil)
		require.NoError(t, err)
		for _, err = range f.Read(0, []string{"score"}, nil, 1000) {
		}
		return err
	}
	require.NoError(t, read(8<<20))
	require.ErrorContains(t, read(1<<20), "f.arrow: row group 0: a buffer of 8388608 bytes is larger than Options.MaxPage allows; ")
}

// claiming returns a file of two record batches whose footer claims a size for the metadata of
// each.
func claiming(t *testing.T, length func(left int) int) []byte {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues(make([]float64, 100), nil)
	schema := upstream.NewSchema([]upstream.Field{{Name: "score", Type: upstream.PrimitiveTypes.Float64}}, nil)
	batch := []upstream.Array{b.NewArray()}
	data := fileOf(t, schema, [][]upstream.Array{batch, batch})
	found := 0
	for at := range data[:len(data)-16] {
		offset, block := binary.LittleEndian.Uint64(data[at:]), data[at:]
		if offset%8 != 0 || offset == 8 || offset > uint64(at) || !bytes.HasPrefix(data[offset:], []byte("\xff\xff\xff\xff")) || binary.LittleEndian.Uint32(block[8:]) != 8+binary.LittleEndian.Uint32(data[offset+4:]) {
			continue
		}
		binary.LittleEndian.PutUint32(block[8:], uint32(length(len(data)-int(offset))))
		found++
	}
	require.Equal(t, 2, found)
	return data
}

// sparse is a file with a hole after its first bytes.
type sparse struct {
	source
	hole int64
}

func (s sparse) Size() int64 { return s.source.Size() + s.hole }

func (s sparse) ReadAt(p []byte, off int64) (int, error) {
	if off < 100 {
		return s.source.ReadAt(p[:min(len(p), 100)], off)
	}
	hole := int(min(max(100+s.hole-off, 0), int64(len(p))))
	clear(p[:hole])
	n, err := s.source.ReadAt(p[hole:], off+int64(hole)-s.hole)
	return hole + n, err
}

// TestClaims: metadata that claims to be long takes no memory.
func TestClaims(t *testing.T) {
	long := sparse{source{bytes.NewReader(claiming(t, func(int) int { return 1 << 30 })), "f.arrow"}, 2 << 30}
	require.Less(t, heap.Allocated(func() {
		_, err := arrow.Open(long, columns.Options{}, nil)
		require.EqualError(t, err, "f.arrow: the metadata of message 0 has 1073741824 bytes, and at most 67108864 are read: write fewer columns or less metadata")
	}), uint64(1<<20))

	twice := claiming(t, func(left int) int { return left })
	_, err := arrow.Open(source{bytes.NewReader(twice), "f.arrow"}, columns.Options{}, nil)
	require.EqualError(t, err, "f.arrow: corrupt footer: its messages overlap")
}

// longRows is a file with a row of 10 numbers and one of 20.
func longRows(t testing.TB) []byte {
	b := array.NewListBuilder(memory.DefaultAllocator, upstream.PrimitiveTypes.Float64)
	for _, n := range []int{10, 20} {
		b.Append(true)
		b.ValueBuilder().(*array.Float64Builder).AppendValues(make([]float64, n), nil)
	}
	list := b.NewArray()
	schema := upstream.NewSchema([]upstream.Field{{Name: "scores", Type: list.DataType()}}, nil)
	return fileOf(t, schema, [][]upstream.Array{{list}})
}

// lost is a file that can no longer be read.
type lost struct {
	source
	err error
}

func (l *lost) ReadAt(p []byte, off int64) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	return l.source.ReadAt(p, off)
}

// TestStorageFails: an error of the storage is not reported as damage.
func TestStorageFails(t *testing.T) {
	reset := errors.New("connection reset")
	src := &lost{source: source{bytes.NewReader(longRows(t)), "f.arrow"}}
	f, err := arrow.Open(src, columns.Options{}, nil)
	require.NoError(t, err)
	src.err = reset
	_, err = values(f, "scores", 1)
	require.ErrorIs(t, err, reset)
	require.Regexp(t, `^f.arrow: row group 0: reading \d+ bytes at \d+: connection reset$`, err.Error())
	_, err = arrow.Open(src, columns.Options{}, nil)
	require.ErrorIs(t, err, reset)
}

// TestLongRow: a list that is too long is reported with its row.
func TestLongRow(t *testing.T) {
	for most, want := range map[int]string{
		20: "",
		19: `f.arrow: row group 0: column "scores": row 1: the row has 20 values or more, and at most 19 are read: set Options.MaxRowValues to a larger number if that is no mistake`,
		9:  `f.arrow: row group 0: column "scores": row 0: the row has 10 values or more, …`,
	} {
		f, err := arrow.Open(source{bytes.NewReader(longRows(t)), "f.arrow"}, columns.Options{MaxRowValues: most}, nil)
		require.NoError(t, err)
		for _, rows := range []int{1, 100} {
			_, err = values(f, "scores", rows)
			if want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, strings.TrimSuffix(want, "…"))
			}
		}
	}
}

// TestTooLarge: a value that cannot be read is reported with its place.
func TestTooLarge(t *testing.T) {
	b := array.NewListBuilder(memory.DefaultAllocator, upstream.PrimitiveTypes.Uint64)
	numbers := b.ValueBuilder().(*array.Uint64Builder)
	for row := range 5 {
		b.Append(true)
		numbers.AppendValues([]uint64{1, 2, uint64(row/3) << 63}, nil)
	}
	list := b.NewArray()
	schema := upstream.NewSchema([]upstream.Field{{Name: "ids", Type: list.DataType()}}, nil)
	f, err := arrow.Open(source{bytes.NewReader(fileOf(t, schema, [][]upstream.Array{{array.NewSlice(list, 0, 2)}, {array.NewSlice(list, 1, 5)}})), "f.arrow"}, columns.Options{}, nil)
	require.NoError(t, err)
	require.Equal(t, []int64{2, 4}, f.RowGroups())
	_, err = values(f, "ids", 100)
	require.EqualError(t, err, `f.arrow: row group 1: column "ids": row 2: value 9223372036854775808 does not fit a signed 64-bit integer: write an id or a name as text, and a number as double`)
}
