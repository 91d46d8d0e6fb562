package scoreruns

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/wire"
)

// column is an encoded column of values.
func column(values ...uint64) []byte { return wire.AppendColumn(nil, values) }

// blockOf is a block of n entries, whose columns are given.
func blockOf(n int, columns ...[]byte) []byte {
	b := binary.LittleEndian.AppendUint16(nil, uint16(n))
	b = append(b, 0, 0)
	for _, c := range columns {
		b = append(b, c...)
	}
	binary.LittleEndian.PutUint16(b[2:], uint16(len(b)-headerBytes))
	return b
}

func TestCorruptRunsAreErrors(t *testing.T) {
	zeros, plain, images := column(0, 0), []byte{0}, column(Image(1), Image(2))
	ones := column(math.Float64bits(1), math.Float64bits(1))
	good := blockOf(2, zeros, zeros, zeros, plain, ones, images)
	require.Len(t, readAll(t, good), 2)
	dictionary := append([]byte{1}, make([]byte, 8)...) // of one weight
	for message, run := range map[string][]byte{
		"a header of 3 bytes":                  good[:3],
		"23 bytes wanted, 22 left":             good[:len(good)-1],
		"0 entries":                            blockOf(0),
		"513 entries":                          blockOf(blockSize + 1),
		"image 0x0 of no score":                blockOf(2, zeros, zeros, zeros, plain, ones, zeros),
		"image 0xfff0000000000001 of no score": blockOf(2, zeros, zeros, zeros, plain, ones, column(Image(1), highest+1)),
		"label 4294967296":                     blockOf(2, column(0, 1<<32), zeros, zeros, plain, ones, images),
		"tag 4294967296":                       blockOf(2, zeros, column(0, 1<<32), zeros, plain, ones, images),
		"count 4294967295":                     blockOf(2, zeros, zeros, column(1<<32-1, 0), plain, ones, images),
		"weight 1 of 1":                        blockOf(2, zeros, zeros, zeros, dictionary, column(1, 0), images),
		"count 65 exceeds 64":                  blockOf(2, zeros, zeros, zeros, []byte{65}),
		"1 bytes left over":                    blockOf(2, zeros, zeros, zeros, plain, ones, images, plain),
		"truncated: 2 bytes wanted, 1 left":    blockOf(2, []byte{0, 0, 8, 0}),
		"count 64 exceeds 63":                  blockOf(2, []byte{64}),
		"truncated or oversized varint":        blockOf(2, []byte{0}),
	} {
		require.EqualError(t, readError(run), "corrupt run: "+message)
		_, err := sortWithin(new(Sorter), []Run{{run, sameTags(1)}}, 1, Everything)
		require.EqualError(t, err, "run 0: corrupt run: "+message)
	}
}

func readError(run []byte) error {
	_, err := entriesRead(run)
	return err
}
