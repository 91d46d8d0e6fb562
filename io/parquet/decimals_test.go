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

// TestDecimalsOfTooManyDigits: more digits than the type has are read where decimals are rounded,
// and are damage where they are exact.
func TestDecimalsOfTooManyDigits(t *testing.T) {
	read := func(e format.SchemaElement, body []byte, rounded bool) (any, error) {
		f, err := Open(build(t, []format.SchemaElement{e}, oneColumn(1, dataPage(1, format.Plain, body))), columns.Options{RoundDecimals: rounded})
		require.NoError(t, err)
		all, err := readAll(t, f, 10, "v")
		if err != nil {
			return nil, err
		}
		return all[0][0], nil
	}
	long := stringBytes(string(twosComplement(new(big.Int).Exp(big.NewInt(10), big.NewInt(20), nil), 12)))
	for name, test := range map[string]struct {
		schema        format.SchemaElement
		body          []byte
		exact, rounds any
	}{
		"beyond a float64": {decimalType(format.ByteArray, 0, 20, 2), long, nil, 1e18},
		"float64":          {decimalType(format.Int64, 0, 5, 2), int64Bytes(1234567), errorText("more than the 5 digits"), 12345.67},
		"float64, long":    {decimalType(format.ByteArray, 0, 5, 2), long, errorText("more than the 5 digits"), 1e18},
		"float64, int64":   {decimalType(format.Int64, 0, 5, 2), int64Bytes(math.MaxInt64), errorText("more than the 5 digits"), 92233720368547758.07},
		"int64":            {decimalType(format.Int64, 0, 5, 0), int64Bytes(1234567), errorText("more than the 5 digits"), int64(1234567)},
		"int64, long":      {decimalType(format.ByteArray, 0, 5, 0), long, errorText("more than the 5 digits"), errorText("more than the 5 digits")},
		"no bytes":         {decimalType(format.ByteArray, 0, 20, 2), stringBytes(""), nil, errorText("a decimal of 0 bytes; from 1 to 128 can be read")},
		"many bytes":       {decimalType(format.ByteArray, 0, 20, 2), stringBytes("\x01" + string(make([]byte, 100_000))), nil, errorText("a decimal of 100001 bytes; from 1 to 128 can be read")},
		"hundreds":         {decimalType(format.Int64, 0, 5, -2), int64Bytes(-12345), int64(-1234500), int64(-1234500)},
		"many hundreds":    {decimalType(format.Int64, 0, 15, -22), int64Bytes(3), 3e22, 3e22},
		"very many":        {decimalType(format.Int64, 0, 15, -23), int64Bytes(3), nil, 3e23},
		"many and long":    {decimalType(format.Int64, 0, 5, -10), int64Bytes(1234567), errorText("more than the 5 digits"), int64(12345670000000000)},
	} {
		for rounded, want := range map[bool]any{false: test.exact, true: test.rounds} {
			if want == nil {
				continue // the column cannot be read, see TestRoundedDecimals
			}
			got, err := read(test.schema, test.body, rounded)
			if text, failed := want.(errorText); failed {
				require.ErrorContains(t, err, string(text), "%s, rounded: %t", name, rounded)
				continue
			}
			require.NoError(t, err, "%s, rounded: %t", name, rounded)
			require.Equal(t, want, got, "%s, rounded: %t", name, rounded)
		}
	}
}
