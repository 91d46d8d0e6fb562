package files

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// readSideBySide reads ranges like columns: a part of each in turn, to their ends.
func (r *remote) readSideBySide(t *testing.T, read readFunc, ranges [][2]int64, step int64) {
	t.Helper()
	for done := int64(0); ; done += step {
		more := false
		for _, x := range ranges {
			start, end := x[0]+done, min(x[0]+done+step, x[1])
			if start >= end {
				continue
			}
			more = true
			p := make([]byte, end-start)
			require.NoError(t, read(p, start))
			require.True(t, r.content[start:end] == string(p), "wrong content at %d", start)
		}
		if !more {
			return
		}
	}
}

func TestExpectedRanges(t *testing.T) {
	const kb, mb = 1 << 10, 1 << 20
	for name, c := range map[string]struct {
		ranges   [][2]int64
		requests int64
		gaps     int64 // bytes
	}{
		"neighbours":                   {[][2]int64{{4, mb}, {mb, 2 * mb}}, 1, 0},
		"in any order":                 {[][2]int64{{mb, 2 * mb}, {4, mb}}, 1, 0},
		"close":                        {[][2]int64{{0, mb}, {mb + 100*kb, 2 * mb}}, 1, 100 * kb},
		"far apart":                    {[][2]int64{{0, mb}, {2 * mb, 3 * mb}}, 2, 0},
		"short, close":                 {[][2]int64{{0, 100}, {50 * kb, 50*kb + 100}}, 1, 50*kb - 100},
		"short, a little less close":   {[][2]int64{{0, 100}, {70 * kb, 70*kb + 100}}, 2, 0},
		"longer than a piece":          {[][2]int64{{0, 20 * mb}}, 3, 0},
		"neighbours of several pieces": {[][2]int64{{0, 6 * mb}, {6 * mb, 12 * mb}}, 2, 0},
		"twice":                        {[][2]int64{{0, 12 * mb}, {0, 12 * mb}}, 2, 0},
		"one in the other":             {[][2]int64{{0, 12 * mb}, {mb, 3 * mb}}, 2, 0},
		"none":                         {nil, 0, 0},
		"empty":                        {[][2]int64{{mb, mb}}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r, ahead := newRemote(30 << 20)
			read := ahead.expect(c.ranges)
			r.readSideBySide(t, read, c.ranges, 300*kb)
			require.Equal(t, c.requests, r.requests.Load())
			require.Equal(t, union(c.ranges)+c.gaps, r.bytes.Load())
			require.Empty(t, ahead.windows)
		})
	}
}

// union returns the total length of the union of the ranges.
func union(ranges [][2]int64) (bytes int64) {
	ranges = slices.SortedFunc(slices.Values(ranges), func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	at := int64(0)
	for _, x := range ranges {
		bytes += max(0, x[1]-max(at, x[0]))
		at = max(at, x[1])
	}
	return bytes
}

// TestExpectedGapsOfAFile: however many row groups a file has, little is fetched in vain.
func TestExpectedGapsOfAFile(t *testing.T) {
	r, ahead := newRemote(30 << 20)
	wanted := int64(0)
	for at := int64(0); at < 20<<20; at += 20 << 10 {
		ranges := [][2]int64{{at, at + 3000}, {at + 10_000, at + 13_000}}
		wanted += union(ranges)
		r.readSideBySide(t, ahead.expect(ranges), ranges, 1<<20)
	}
	require.LessOrEqual(t, r.bytes.Load(), wanted+wanted/gapsPart+gapsAllowance)
	require.Greater(t, r.bytes.Load(), wanted, "gaps that cost little save requests")
}

// TestExpectedAtTheFooter: what was fetched with the footer is not fetched again.
func TestExpectedAtTheFooter(t *testing.T) {
	r, ahead := newRemote(1 << 20)
	r.check(t, ahead, 1<<20-8, 8)
	ranges := [][2]int64{{1<<20 - 100_000, 1<<20 - 30_000}, {1<<20 - 30_000, 1<<20 - 1000}}
	r.readSideBySide(t, ahead.expect(ranges), ranges, 10_000)
	require.EqualValues(t, 2, r.requests.Load())
	require.EqualValues(t, 100_000, r.bytes.Load())
}

func TestExpectedSmallFile(t *testing.T) {
	r, ahead := newRemote(150_000)
	ahead.whole = smallFile
	r.check(t, ahead, 150_000-firstWindow, firstWindow)
	ranges := [][2]int64{{4, 50_000}, {100_000, 120_000}}
	r.readSideBySide(t, ahead.expect(ranges), ranges, 10_000)
	require.EqualValues(t, 1, r.requests.Load())
	require.EqualValues(t, 150_000, r.bytes.Load())
}

// TestExpectedAndOther: unannounced reads are served, too.
func TestExpectedAndOther(t *testing.T) {
	r, ahead := newRemote(12 << 20)
	random := rand.New(rand.NewPCG(1, 2))
	var ranges [][2]int64
	for range 20 {
		start := random.Int64N(12 << 20)
		ranges = append(ranges, [2]int64{start, start + random.Int64N(min(12<<20-start, 2<<20))})
	}
	read := ahead.expect(ranges)
	for range 300 {
		off := random.Int64N(12 << 20)
		p := make([]byte, random.Int64N(min(12<<20-off, 1<<20)))
		require.NoError(t, read(p, off))
		require.True(t, r.content[off:off+int64(len(p))] == string(p), "wrong content at %d", off)
	}
	r.readSideBySide(t, read, ranges, 100_000)
}

func TestExpectedMemory(t *testing.T) {
	r, ahead := newRemote(100 << 20)
	var ranges [][2]int64
	for i := range int64(16) {
		ranges = append(ranges, [2]int64{i * 6 << 20, i*6<<20 + 6<<20})
	}
	pieces, first := ahead.divide(ahead.missing(ranges))
	held := int64(0)
	for _, p := range first {
		held += p.end - p.start
	}
	require.LessOrEqual(t, held, int64(piecesBudget))
	p := pieces[0]
	for _, half := range [][2]int64{{p.start, p.end / 2}, {p.end / 2, p.end}} {
		require.NotZero(t, len(p.ends))
		_, err := p.read(r.fetch, make([]byte, half[1]-half[0]), half[0])
		require.NoError(t, err)
	}
	require.Nil(t, p.data, "a piece that was read is forgotten")
}

func TestExpectedFailure(t *testing.T) {
	r, ahead := newRemote(1 << 20)
	failure := errors.New("failure")
	ahead.fetch = func([]byte, int64) error { return failure }
	read := ahead.expect([][2]int64{{0, 1000}})
	require.ErrorIs(t, read(make([]byte, 10), 0), failure)
	ahead.fetch = r.fetch
	p := make([]byte, 1000)
	require.NoError(t, ahead.expect([][2]int64{{0, 1000}})(p, 0))
	require.True(t, r.content[:1000] == string(p))

	// A failed request is not cached.
	broken := &piece{start: 0, end: 1000}
	broken.prepare(func([]byte, int64) error { return failure })
	_, err := broken.read(r.fetch, p, 0)
	require.ErrorIs(t, err, failure)
	_, err = broken.read(r.fetch, p, 0)
	require.NoError(t, err)
}

// TestRanges: reading announced ranges gives the same bytes as reading without announcing.
func TestRanges(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
		name := Join(p.root(t), "x.parquet")
		content := pattern(1 << 20)
		p.put(t, name, content)
		f, err := Open(t.Context(), name)
		require.NoError(t, err)
		ranges := f.Ranges([][2]int64{{1000, 300_000}, {500_000, 900_000}})
		for _, x := range [][2]int{{1000, 2000}, {0, 1 << 20}, {2000, 300_000}, {500_000, 900_000}, {1<<20 - 5, 1 << 20}} {
			buf := make([]byte, x[1]-x[0])
			n, err := ranges.ReadAt(buf, int64(x[0]))
			require.NoError(t, err)
			require.True(t, content[x[0]:x[1]] == string(buf[:n]), fmt.Sprint(x))
		}
		_, err = ranges.ReadAt(make([]byte, 2), 1<<20-1)
		require.Equal(t, io.EOF, err)
		require.NoError(t, f.Check())
		require.NoError(t, f.Close())
		_, err = ranges.ReadAt(make([]byte, 1), 1000)
		require.ErrorContains(t, err, name)
	})
}
