package slice_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/slice"
)

// ordered are values in ascending order, no two of them equal.
var ordered = []slice.Value{
	slice.Null(),
	slice.Bool(false),
	slice.Bool(true),
	slice.Float(math.Inf(-1)),
	slice.Float(-1e300),
	slice.Int(math.MinInt64),
	slice.Int(-2),
	slice.Float(-1.5),
	slice.Int(-1),
	slice.Float(-5e-324),
	slice.Int(0),
	slice.Float(0.1),
	slice.Int(1),
	slice.Int(1<<53 + 1),
	slice.Int(1<<53 + 2),
	slice.Int(math.MaxInt64),
	slice.Float(1 << 63),
	slice.Float(math.MaxFloat64),
	slice.Float(math.Inf(1)),
	slice.Float(math.NaN()),
	slice.Interval(math.Inf(-1), -1.5),
	slice.String("< 9"),
	slice.String("< 18"),
	slice.Interval(-1.5, 9),
	slice.Interval(9, 18),
	slice.String("[9, 100)"),
	slice.String("[18, 100)"),
	slice.Interval(100, math.Inf(1)),
	slice.Interval(1e21, math.Inf(1)),
	slice.String(""),
	slice.String("1"),
	slice.String("< 1.50"),
	slice.String("< nan"),
	slice.String("[1, 2"),
	slice.String("[1, 2]"),
	slice.String("[1,2)"),
	slice.String("a"),
	slice.String("null"),
	slice.String("é"),
}

func TestValueOrder(t *testing.T) {
	for i, v := range ordered {
		for j, w := range ordered {
			c := v.Compare(w)
			switch {
			case i < j:
				require.Negative(t, c, "%v and %v", v, w)
			case i > j:
				require.Positive(t, c, "%v and %v", v, w)
			default:
				require.Zero(t, c)
			}
			require.Equal(t, i == j, v == w)
			require.Equal(t, i == j, slice.Key{{Value: v}}.Encoded() == slice.Key{{Value: w}}.Encoded())
		}
	}
}

func TestValueIsCanonical(t *testing.T) {
	require.Equal(t, slice.Int(3), slice.Float(3))
	require.Equal(t, slice.Int(0), slice.Float(math.Copysign(0, -1)))
	require.Equal(t, slice.Int(math.MinInt64), slice.Float(math.MinInt64))
	require.Equal(t, slice.Float(math.NaN()), slice.Float(math.Float64frombits(0xfff8_dead_beef_0000)))
	require.Equal(t, slice.Null(), slice.Value{})
	require.NotEqual(t, slice.String("\xff"), slice.String("\xfe"))
	require.NotEqual(t, slice.String("\xff"), slice.String(`\xff`))
}

func TestValueAccessors(t *testing.T) {
	require.True(t, slice.Bool(true).Bool())
	require.False(t, slice.Int(1).Bool())
	require.Equal(t, int64(-7), slice.Int(-7).Int())
	require.Zero(t, slice.Float(0.5).Int())
	require.InDelta(t, -7, slice.Int(-7).Float(), 0)
	require.InDelta(t, 0.5, slice.Float(0.5).Float(), 0)
	require.Zero(t, slice.String("1").Float())
	require.Equal(t, "x", slice.String("x").Text())
	require.Equal(t, slice.KindInt, slice.Float(1).Kind())
}

func TestValueText(t *testing.T) {
	for _, test := range []struct {
		value        slice.Value
		people, json string
	}{
		{slice.Null(), "null", "null"},
		{slice.String("null"), `"null"`, `"null"`},
		{slice.Bool(true), "true", "true"},
		{slice.String("true"), `"true"`, `"true"`},
		{slice.Int(-12), "-12", "-12"},
		{slice.String("-12"), `"-12"`, `"-12"`},
		{slice.Float(0.1), "0.1", "0.1"},
		{slice.Float(1e-7), "1e-7", "1e-7"},
		{slice.Float(1e300), "1e+300", "1e+300"},
		{slice.Float(math.NaN()), "NaN", `"NaN"`},
		{slice.Float(math.Inf(1)), "+Inf", `"Infinity"`},
		{slice.Float(math.Inf(-1)), "-Inf", `"-Infinity"`},
		{slice.String("NaN"), `"NaN"`, `"NaN"`},
		{slice.String("de"), "de", `"de"`},
		{slice.String("日本"), "日本", `"日本"`},
		{slice.String(""), `""`, `""`},
		{slice.String(" a"), `" a"`, `" a"`},
		{slice.String("a=b"), `"a=b"`, `"a=b"`},
		{slice.String("a\nb\x1b"), `"a\nb\x1b"`, `"a\nb\u001b"`},
		{slice.String("<&>|"), "<&>|", `"<&>|"`},
		{slice.String("\xff\xfe"), `\xff\xfe`, `"\\xff\\xfe"`},
		{slice.String(`\xff\xfe`), `\x5cxff\x5cxfe`, `"\\x5cxff\\x5cxfe"`},
		{slice.String(`\x5c`), `\x5cx5c`, `"\\x5cx5c"`},
		{slice.String(`\xFF\x41\n\`), `\xFF\x41\n\`, `"\\xFF\\x41\\n\\"`},
	} {
		require.Equal(t, test.people, test.value.String())
		got, err := test.value.MarshalJSON() // json.Marshal would escape HTML
		require.NoError(t, err)
		require.Equal(t, test.json, string(got))
		var back slice.Value
		require.NoError(t, json.Unmarshal(got, &back))
		if k := test.value.Kind(); k != slice.KindFloat || test.json[0] != '"' {
			require.Equal(t, test.value, back)
		}
	}
}

func TestValueRejects(t *testing.T) {
	for _, text := range []string{`{}`, `[1]`, `1e400`, ``, `nul`} {
		var v slice.Value
		require.Error(t, json.Unmarshal([]byte(text), &v), text)
	}
	for _, b := range []string{
		"", "\x01", "\xff\xff\xff\xff\x0f", "\x01\x01a", "\x01\x01a\x09", "\x01\x02a", "\x01\x01a\x01",
		"\x01\x01a\x03\x00", "\x01\x01a\x04\x02a", "\x01\x01a\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
	} {
		_, _, err := slice.Decode([]byte(b))
		require.Error(t, err, "%q", b)
	}
}

func TestKeyRoundTrips(t *testing.T) {
	all := slice.Key{}
	for _, v := range ordered {
		all = append(all, slice.Pair{Column: "c " + v.String(), Value: v})
	}
	for _, s := range []slice.Key{nil, all[:1], all[3:9], all} {
		b := append(s.AppendBinary([]byte("x")), "rest"...)
		got, rest, err := slice.Decode(b[1:])
		require.NoError(t, err)
		require.Equal(t, "rest", string(rest))
		require.Zero(t, s.Compare(got))
		require.Len(t, got, len(s))
	}
	text, err := json.Marshal(key("z", slice.Int(1), "a", slice.Null()))
	require.NoError(t, err)
	require.JSONEq(t, `{"z":1,"a":null}`, string(text))
	require.Equal(t, `{"z":1,"a":null}`, string(text))
	var back slice.Key
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, key("z", slice.Int(1), "a", slice.Null()), back)
	require.NoError(t, json.Unmarshal([]byte("{}"), &back))
	require.Nil(t, back)
	for _, bad := range []string{`[]`, `null`, `{"a":[]}`, `{"a":{}}`, `{"a":1e999}`} {
		require.Error(t, back.UnmarshalJSON([]byte(bad)), bad)
	}
}

func FuzzKey(f *testing.F) {
	for _, v := range ordered {
		f.Add(slice.Key{{Column: "a", Value: v}}.AppendBinary(nil))
	}
	f.Add(key("a", slice.Int(1), "b", slice.Null()).AppendBinary(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		k, rest, err := slice.Decode(b)
		if err != nil {
			return
		}
		again, after, err := slice.Decode(append(k.AppendBinary(nil), rest...))
		require.NoError(t, err)
		require.Equal(t, k, again)
		require.Equal(t, rest, after)
		for _, p := range k {
			text, err := p.Value.MarshalJSON()
			require.NoError(t, err)
			var back slice.Value
			require.NoError(t, back.UnmarshalJSON(text))
			if p.Value.Kind() != slice.KindFloat || text[0] != '"' {
				require.Equal(t, p.Value, back)
			}
			require.Equal(t, p.Value == k[0].Value, p.Value.Compare(k[0].Value) == 0)
			require.Equal(t, p.Value.Compare(k[0].Value), -k[0].Value.Compare(p.Value))
		}
	})
}

func key(columnsAndValues ...any) slice.Key {
	var k slice.Key
	for i := 0; i < len(columnsAndValues); i += 2 {
		k = append(k, slice.Pair{Column: columnsAndValues[i].(string), Value: columnsAndValues[i+1].(slice.Value)})
	}
	return k
}
