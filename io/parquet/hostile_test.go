package parquet

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/heap"
	"github.com/beameval/beameval/io/columns"
)

// longest is the longest list that exercise reads.
const longest = 15

// exercise reads everything in a file, up to a limit: a small file may truthfully claim to have
// 1<<60 rows.
func exercise(t testing.TB, data []byte) {
	f, err := Open(inMemory(data), columns.Options{MaxRowValues: longest})
	if err != nil {
		requireContained(t, err)
		return
	}
	s := f.Schema()
	for _, field := range s.Fields[:min(len(s.Fields), 50)] {
		_, _ = s.Lookup(field.Path)
	}
	for g := range min(len(f.Groups), 4) {
		for _, field := range s.Fields[:min(len(s.Fields), 50)] {
			if _, err := f.Dictionary(g, field.Path, new(columns.Strings)); err != nil {
				requireContained(t, err)
			}
			for b, err := range f.Read(g, []string{field.Path}, nil, 100) {
				if err != nil {
					requireContained(t, err)
				} else if requireShape(t, f, field.Path, &b.Columns[0], b.Rows); b.First > 50*100 {
					break
				}
			}
		}
	}
}

// requireContained checks that an error comes from this package.
func requireContained(t testing.TB, err error) {
	var e *columns.Error
	require.ErrorAs(t, err, &e)
	require.NotRegexp(t, `runtime error|index out of|out of bound|interface conversion|arrow/ipc: error`, err.Error(), "a panic is no message")
}

func fixtures(t testing.TB, pattern string) map[string][]byte {
	files, err := filepath.Glob("testdata/" + pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	contents := map[string][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		contents[filepath.Base(file)] = data
	}
	return contents
}

// TestTruncated truncates files at every position: none may seem complete.
func TestTruncated(t *testing.T) {
	for name, data := range fixtures(t, "*.parquet") {
		step := max(1, len(data)/200)
		for n := 0; n < len(data); n += step {
			_, err := Open(inMemory(data[:n]), columns.Options{})
			require.Error(t, err, "%s cut off at %d", name, n)
			requireContained(t, err)
		}
		// The footer is in place, but bytes before it are missing.
		for n := len(magic); n < len(data)-2000; n += 10 * step {
			exercise(t, slices.Concat(data[:n], data[n+100:]))
		}
	}
}

// TestFlipped changes single bytes. In a page with a checksum, that must be an error; elsewhere, it
// may go unnoticed, but must not cause harm.
func TestFlipped(t *testing.T) {
	for name, data := range fixtures(t, "*.parquet") {
		step := max(1, len(data)/80)
		for n := 0; n < len(data); n += step {
			for _, flip := range []byte{0x01, 0xff} {
				damaged := slices.Clone(data)
				damaged[n] ^= flip
				require.Less(t, heap.Allocated(func() { exercise(t, damaged) }), uint64(64<<20), "%s flipped at %d", name, n)
			}
		}
	}
}

func TestFlippedWithChecksums(t *testing.T) {
	data := fixtures(t, "many.checksums.parquet")["many.checksums.parquet"]
	f := mustOpen(t, inMemory(data))
	flipped := 0
	for g := range f.Groups {
		for i := range f.leaves {
			path, chunk := f.pathOf(i), f.chunks[g][i]
			var p pages
			p.begin(f.Source, columns.Options{}.Complete(), &f.leaves[i], &chunk, new(scratch))
			for p.left > 0 {
				_, err := p.read()
				require.NoError(t, err)
				end := int(chunk.start + chunk.size - p.left)
				for n := end - len(p.body); n < end; n += 1 + len(p.body)/7 {
					damaged := slices.Clone(data)
					damaged[n] ^= 1 << (n % 8)
					_, err := readAll(t, mustOpen(t, inMemory(damaged)), 1000, path)
					require.ErrorContains(t, err, "checksum", "%s flipped at %d", path, n)
					flipped++
				}
			}
		}
	}
	require.Greater(t, flipped, 100)
}

func seedFuzz(f *testing.F) {
	for _, data := range fixtures(f, "*.parquet") {
		f.Add(data)
		f.Add(data[:len(data)/2])
		for n := 5; n < len(data); n += 1 + len(data)/3 {
			damaged := slices.Clone(data)
			damaged[n] ^= 0x55
			f.Add(damaged)
		}
	}
}

// FuzzRead reads damaged files.
func FuzzRead(f *testing.F) {
	seedFuzz(f)
	f.Fuzz(func(t *testing.T, data []byte) { exercise(t, data) })
}

// FuzzOpen reads damaged footers. FuzzRead rarely gets past these.
func FuzzOpen(f *testing.F) {
	for _, data := range fixtures(f, "*.parquet") {
		if footer, err := readFooter(inMemory(data), 0); err == nil {
			f.Add(footer)
		}
	}
	f.Fuzz(func(t *testing.T, footer []byte) {
		exercise(t, withFooter([]byte(magic), footer))
	})
}

// FuzzPage reads damaged pages of all encodings, without the need for a valid footer.
func FuzzPage(f *testing.F) {
	for kind := range len(pageKinds) {
		f.Add(uint8(kind), uint8(0), []byte{2, 0, 0, 0, 4, 1, 1, 2, 3, 4, 5, 6, 7, 8}, []byte{1, 0, 0, 0, 'a'})
	}
	for from := range 20 { // the last row has 20 - from values
		reps := slices.Concat(make([]uint8, from+1), bytes.Repeat([]byte{1}, 19-from))
		f.Add(uint8(2), uint8(0), slices.Concat(encodedLevels(1, reps...), encodedLevels(1, bytes.Repeat([]byte{1}, 20)...), int64Bytes(make([]int64, 20)...)), []byte(nil))
	}
	f.Fuzz(func(t *testing.T, kind, encoding uint8, body, dictionary []byte) {
		exercise(t, pageOfKind(t, kind, encoding, body, dictionary))
	})
}
