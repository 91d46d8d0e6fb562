package parquet

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

func decimalType(physical format.Type, length, precision, scale int32) format.SchemaElement {
	e := converted(leafOf("v", physical, format.Required), deprecated.Decimal)
	e.Precision, e.Scale = thrift.New(precision), thrift.New(scale)
	if length > 0 {
		e.TypeLength = thrift.New(length)
	}
	return e
}

func decimalOf18and2() format.SchemaElement { return decimalType(format.Int64, 0, 18, 2) }

// twosComplement encodes an integer in a number of bytes.
func twosComplement(v *big.Int, size int) []byte {
	if v.Sign() < 0 {
		v = new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
	}
	return v.FillBytes(make([]byte, size))
}

// TestRoundedDecimals compares values with the float64 nearest to the exact quotient.
func TestRoundedDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rounded := columns.Options{RoundDecimals: true}
	for _, c := range []struct {
		physical         format.Type
		precision, scale int32
	}{
		{format.Int64, 18, 2}, {format.Int64, 16, 16}, {format.FixedLenByteArray, 38, 10}, {format.FixedLenByteArray, 38, 0},
		{format.FixedLenByteArray, 38, 38}, {format.ByteArray, 20, 1}, {format.ByteArray, 19, 0}, {format.FixedLenByteArray, 76, 30},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.precision)), nil)
			size := limit.BitLen()/8 + 1
			var list []*big.Int
			for _, v := range []*big.Int{new(big.Int), big.NewInt(1), big.NewInt(-1), big.NewInt(1<<53 + 1), new(big.Int).Sub(limit, big.NewInt(1)), new(big.Int).Sub(big.NewInt(1), limit)} {
				if v.CmpAbs(limit) < 0 {
					list = append(list, v)
				}
			}
			for range 300 {
				b := make([]byte, size+8)
				for i := range b {
					b[i] = byte(r.Uint32())
				}
				v := new(big.Int).SetBytes(b[:1+r.IntN(len(b))])
				if v.Mod(v, limit); r.IntN(2) == 0 {
					v.Neg(v)
				}
				list = append(list, v)
			}
			var body []byte
			for _, v := range list {
				switch c.physical {
				case format.Int64:
					body = append(body, int64Bytes(v.Int64())...)
				case format.ByteArray:
					body = append(body, stringBytes(string(twosComplement(v, size)))...)
				default:
					body = append(body, twosComplement(v, size)...)
				}
			}
			length := int32(0)
			if c.physical == format.FixedLenByteArray {
				length = int32(size)
			}
			src := build(t, []format.SchemaElement{decimalType(c.physical, length, c.precision, c.scale)}, oneColumn(int64(len(list)), dataPage(len(list), format.Plain, body)))
			require.ErrorContains(t, unreadable(mustOpen(t, src), "v"), "does not fit a 64-bit number without loss: set Options.RoundDecimals to round it")

			f, err := Open(src, rounded)
			require.NoError(t, err)
			field, err := f.Schema().Lookup("v")
			require.NoError(t, err)
			require.Equal(t, columns.Float, field.Type)
			got := mustRead(t, f, 100, "v")[0]
			power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.scale)), nil)
			for i, v := range list {
				want, _ := new(big.Rat).SetFrac(v, power).Float64()
				require.Equal(t, math.Float64bits(want), math.Float64bits(got[i].(float64)), "%d of scale %d", v, c.scale)
			}
		})
	}
}

// TestDecimalsOfTooManyDigits: more digits than the type allows are damage.
func TestDecimalsOfTooManyDigits(t *testing.T) {
	e := decimalType(format.ByteArray, 0, 20, 2)
	for _, text := range []string{"", string(twosComplement(new(big.Int).Exp(big.NewInt(10), big.NewInt(20), nil), 12)), string(make([]byte, 100_000))} {
		f, err := Open(build(t, []format.SchemaElement{e}, oneColumn(1, dataPage(1, format.Plain, stringBytes(text)))), columns.Options{RoundDecimals: true})
		require.NoError(t, err)
		_, err = readAll(t, f, 10, "v")
		require.ErrorContains(t, err, "a decimal has more than the 20 digits of its type")
	}
	// Exact decimals are unaffected.
	exact := build(t, []format.SchemaElement{decimalType(format.Int64, 0, 18, 0)}, oneColumn(1, dataPage(1, format.Plain, int64Bytes(999_999_999_999_999_999))))
	f, err := Open(exact, columns.Options{RoundDecimals: true})
	require.NoError(t, err)
	require.Equal(t, []any{int64(999_999_999_999_999_999)}, mustRead(t, f, 10, "v")[0])
}
