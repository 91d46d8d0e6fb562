package metricstest

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/beameval/beameval/internal/testing/heap"
	"github.com/beameval/beameval/internal/wire"
	beameval "github.com/beameval/beameval/metrics"
)

// Decoding fails t if decoding arbitrary bytes panics, takes more memory than the bytes justify, or
// gives a statistic that is not encoded as it was decoded. Also call it in a fuzz test:
//
//	func FuzzDecoding(f *testing.F) {
//		f.Fuzz(func(t *testing.T, data []byte) { metricstest.Decoding(t, newSpread, data) })
//	}
func Decoding[S beameval.Statistic](t testing.TB, empty func(p *beameval.Params) S, data []byte) {
	t.Helper()
	defer func() {
		t.Helper()
		if p := recover(); p != nil {
			t.Fatalf("codec: decoding %x panics: %v", data, p)
		}
	}()
	limit := uint64(mostBytes + 4096*len(data))
	for tries := 0; ; tries++ {
		taken := decode(t, empty, data)
		if taken <= limit {
			return
		}
		if tries == 9 { // other goroutines may have allocated it in the first tries
			t.Fatalf("codec: decoding the %d bytes %x takes %d MB: check lengths by Decoder.Elements", len(data), data, taken>>20)
		}
	}
}

// mostBytes is the amount of memory that decoding may take, however few the bytes are.
const mostBytes = 1 << 26

// decode returns the number of bytes allocated during decoding, by it or by others.
func decode[S beameval.Statistic](t testing.TB, empty func(p *beameval.Params) S, data []byte) uint64 {
	t.Helper()
	s, d := empty(new(beameval.Params)), wire.NewDecoder(data)
	taken := heap.Allocated(func() { s.Decode(d) })
	if d.Err() == nil && d.Len() == 0 {
		encoded := s.Append(nil)
		again, d := empty(new(beameval.Params)), wire.NewDecoder(encoded)
		again.Decode(d)
		if err := d.Err(); err != nil {
			t.Fatalf("codec: %x is decoded, but what is then encoded is not: %x: %v", data, encoded, err)
		}
		if twice := again.Append(nil); !bytes.Equal(encoded, twice) {
			t.Fatalf("codec: %x is decoded, and encoded as %x; but that is encoded as %x", data, encoded, twice)
		}
	}
	return taken
}

// damages returns damaged encodings: truncated, or with other bytes or huge numbers somewhere.
func damages(data []byte) [][]byte {
	var list [][]byte
	step := max(1, len(data)/24)
	for i := 0; i < len(data); i += step {
		list = append(list, data[:i])
		changed := bytes.Clone(data)
		changed[i] ^= 0xff
		list = append(list, changed)
		for _, huge := range []uint64{1 << 28, 1<<63 - 1} {
			list = append(list, append(binary.AppendUvarint(bytes.Clone(data[:i]), huge), data[i:]...))
		}
	}
	return append(list, append(bytes.Clone(data), 0))
}
