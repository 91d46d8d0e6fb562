package wire

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRoundTrip(t *testing.T) {
	data := AppendUint(nil, math.MaxUint64)
	data = AppendInt(data, math.MinInt64)
	data = AppendFloat(data, math.Copysign(0, -1))
	data = append(data, 7)
	data = AppendUint(data, 3)
	data = append(data, "abc"...)

	d := NewDecoder(data)
	require.Equal(t, uint64(math.MaxUint64), d.Uint())
	require.Equal(t, int64(math.MinInt64), d.Int())
	require.True(t, math.Signbit(d.Float()))
	require.Equal(t, byte(7), d.Byte())
	n := d.Elements()
	require.Equal(t, 3, n)
	require.Equal(t, "abc", string(d.Bytes(n)))
	require.Zero(t, d.Len())
	require.NoError(t, d.Err())
}

func TestFirstErrorSticks(t *testing.T) {
	for name, read := range map[string]func(*Decoder){
		"truncated or oversized varint":      func(d *Decoder) { d.Uint() },
		"count 9 exceeds 8":                  func(d *Decoder) { d.buf = []byte{9}; d.Count(8) },
		"count 9 exceeds 2":                  func(d *Decoder) { d.buf = []byte{9, 0}; d.Elements() },
		"truncated: 8 bytes wanted, 3 left":  func(d *Decoder) { d.buf = []byte{1, 2, 3}; d.Float() },
		"truncated: 1 bytes wanted, 0 left":  func(d *Decoder) { d.Byte() },
		"truncated: -1 bytes wanted, 0 left": func(d *Decoder) { d.Bytes(-1) },
	} {
		d := NewDecoder(nil)
		read(d)
		require.EqualError(t, d.Err(), name)
		require.Zero(t, d.Uint()+uint64(d.Int())+uint64(d.Float())+uint64(d.Byte())+uint64(d.Elements()))
		require.Nil(t, d.Bytes(4))
		require.EqualError(t, d.Err(), name)
	}
}
