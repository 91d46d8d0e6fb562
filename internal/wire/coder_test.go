package wire

import (
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// stone appends itself and reads itself.
type stone byte

func (s *stone) Append(dst []byte) []byte { return append(dst, byte(*s)) }
func (s *stone) Decode(d *Decoder)        { *s = stone(d.Byte()) }

// fruit has a field of every kind.
type fruit struct {
	Int    int64
	Small  int32
	Uint   uint64
	Fixed  uint64
	Float  float64
	Bool   bool
	Name   string
	Names  []string
	Bytes  []byte
	Own    string // encoded in a way of its own
	Stone  stone
	List   []float64
	Map    map[string]int
	Seed   *fruit
	Others []byte
}

func (f *fruit) fields(c *Coder) {
	Int(c, &f.Int)
	Int(c, &f.Small)
	c.Uint(&f.Uint)
	c.Fixed(&f.Fixed)
	c.Float(&f.Float)
	c.Bool(&f.Bool)
	String(c, &f.Name)
	c.Strings(&f.Names)
	c.Bytes(&f.Bytes)
	c.Embed(func(buf []byte) ([]byte, error) {
		if f.Own == "rotten" {
			return nil, errors.New(f.Own)
		}
		return append(buf, f.Own...), nil
	}, func(data []byte) error {
		if f.Own = string(data); f.Own == "bitter" {
			return errors.New(f.Own)
		}
		return nil
	})
	c.Value(&f.Stone)
	List(c, &f.List, (*Coder).Float)
	Map(c, &f.Map, String, Int)
	Optional(c, &f.Seed, func(c *Coder, f *fruit) { Int(c, &f.Int) })
	c.Rest(&f.Others)
}

func encoded(t testing.TB, f fruit) []byte {
	data, err := Encode(&f, func(c *Coder, f *fruit) { f.fields(c) })
	require.NoError(t, err)
	return data
}

func decoded(data []byte) (f fruit, err error) {
	err = Decode(data, &f, func(c *Coder, f *fruit) { f.fields(c) })
	return f, err
}

var fruits = []fruit{
	{Others: []byte{}},
	{
		Int: math.MinInt64, Small: math.MaxInt32, Uint: 300, Fixed: math.MaxUint64, Float: math.Inf(-1), Bool: true, Name: "\xff\x00",
		Names: []string{"", "a", "\xff"}, Bytes: []byte{0}, Own: "apple", Stone: 200, List: []float64{1, 0}, Map: map[string]int{"b": -1, "": 2},
		Seed: &fruit{Int: 7}, Others: []byte("rest"),
	},
}

func TestCoderRoundTrip(t *testing.T) {
	for _, f := range fruits {
		data := encoded(t, f)
		got, err := decoded(data)
		require.NoError(t, err)
		require.Equal(t, f, got)
		for n := range len(data) - len(f.Others) {
			_, err := decoded(data[:n])
			require.Error(t, err, "%d of %d bytes", n, len(data))
		}
	}
}

// What is appended may be read by others at the same time: the race detector would see a write.
func TestCoderOnlyReadsWhatItAppends(t *testing.T) {
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			_, err := Encode(&fruits[1], func(c *Coder, f *fruit) { f.fields(c) })
			require.NoError(t, err)
		})
	}
	group.Wait()
}

func TestCoderErrors(t *testing.T) {
	_, err := Encode(&fruit{Own: "rotten"}, func(c *Coder, f *fruit) { f.fields(c); c.Fail("another") })
	require.EqualError(t, err, "rotten")
	_, err = decoded(encoded(t, fruit{Own: "bitter"}))
	require.EqualError(t, err, "bitter")
	var small int32
	require.EqualError(t, Decode(AppendInt(nil, 1<<31), &small, Int), "the integer 2147483648 is too large")
	var flag bool
	require.EqualError(t, Decode([]byte{4}, &flag, (*Coder).Bool), "2 is not a truth value")
	require.EqualError(t, Decode([]byte{2, 0}, &flag, (*Coder).Bool), "1 bytes too many")
}

// FuzzCoder: arbitrary bytes are an error or a value that is encoded as bytes of the same
// value, and allocate little.
func FuzzCoder(f *testing.F) {
	for _, fruit := range fruits {
		f.Add(encoded(f, fruit))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := decoded(data)
		if err != nil {
			return
		}
		again, err := decoded(encoded(t, x))
		require.NoError(t, err)
		require.Equal(t, encoded(t, x), encoded(t, again))
	})
}
