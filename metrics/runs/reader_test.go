package runs

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/exact"
)

// column is an encoded column of values.
func column(values ...uint64) []byte { return appendColumn(nil, values) }

// blockOf is a block of n entries, from a first image on, whose columns are given.
func blockOf(first uint64, n int, columns ...[]byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, first)
	b = binary.LittleEndian.AppendUint16(b, uint16(n))
	b = append(b, 0, 0)
	for _, c := range columns {
		b = append(b, c...)
	}
	binary.LittleEndian.PutUint16(b[10:], uint16(len(b)-headerBytes))
	return b
}

func TestCorruptRunsAreErrors(t *testing.T) {
	one := Image(1)
	zeros, ones, plain := column(0, 0), column(math.Float64bits(1), math.Float64bits(1)), []byte{0}
	good := blockOf(one, 2, zeros, zeros, plain, ones, column(5))
	require.Len(t, readAll(t, good), 2)
	dictionary := append([]byte{1}, make([]byte, 8)...) // of one weight
	for message, run := range map[string][]byte{
		"a header of 3 bytes":                   good[:3],
		"30 bytes wanted, 29 left":              good[:len(good)-1],
		"0 entries":                             blockOf(one, 0),
		"513 entries":                           blockOf(one, blockSize+1),
		"image 0x0 out of order":                blockOf(0, 1),
		"image 0xfff0000000000001 out of order": blockOf(highest+1, 1),
		"image 0xbff0000000000000 out of order": append(good[:len(good):len(good)], good...),
		"tag 4294967296":                        blockOf(one, 2, column(0, 1<<32), zeros, plain, ones, column(5)),
		"count 4294967295":                      blockOf(one, 2, zeros, column(1<<32-1, 0), plain, ones, column(5)),
		"weight 1 of 1":                         blockOf(one, 2, zeros, zeros, dictionary, column(1, 0), column(5)),
		"count 65 exceeds 64":                   blockOf(one, 2, zeros, zeros, []byte{65}),
		"an image below that of -Inf":           blockOf(one, 2, zeros, zeros, plain, ones, column(one)),
		"1 bytes left over":                     blockOf(one, 2, zeros, zeros, plain, ones, column(5), plain),
		"truncated: 2 bytes wanted, 1 left":     blockOf(one, 2, []byte{0, 0, 8, 0}),
		"count 64 exceeds 63":                   blockOf(one, 2, []byte{64}),
		"truncated or oversized varint":         blockOf(one, 2, []byte{0}),
		"count 3 exceeds 2":                     blockOf(one, 2, []byte{0, 0, 0, 3}),
		"count 2 exceeds 1":                     blockOf(one, 2, []byte{0, 0, 0, 1, 2}),
	} {
		require.EqualError(t, readError(run), "corrupt run: "+message)
		// What does not decode all blocks may leave errors to who does.
		pieces, err := Cut(run, []uint64{one - 1})
		for _, piece := range pieces {
			err = errors.Join(err, readError(piece))
		}
		require.EqualError(t, err, "corrupt run: "+message)
		if _, err = Knots(run, 9); err != nil {
			require.EqualError(t, err, "corrupt run: "+message)
		}
		if err = AddTotals(make([]exact.Tally, 1), run); err != nil && err.Error() != "tag 1 of 1" {
			require.EqualError(t, err, "corrupt run: "+message)
		}
	}
}

func readError(run []byte) error {
	_, err := entriesRead(run)
	return err
}

// TestColumnsHoldAnyValues has widths from 0 to 64 and every number of exceptions.
func TestColumnsHoldAnyValues(t *testing.T) {
	for seed := range uint64(2000) {
		r := source(seed)
		values := make([]uint64, 1+r.IntN(blockSize))
		width, shift, exceptions := r.IntN(65), r.IntN(64), r.IntN(9)
		base := r.Uint64() >> r.IntN(64)
		for i := range values {
			values[i] = r.Uint64()>>(64-width) + base
			if r.IntN(8) < exceptions {
				values[i] = r.Uint64() >> r.IntN(64)
			}
			values[i] <<= shift
		}
		want := append([]uint64(nil), values...)
		data := appendColumn(nil, values)
		require.LessOrEqual(t, len(data), 8*len(values)+14)
		d := wire.NewDecoder(data)
		got := make([]uint64, len(values))
		decodeColumn(d, got)
		require.NoError(t, d.Err())
		require.Zero(t, d.Len())
		require.Equal(t, want, got, "seed %d", seed)
	}
}
