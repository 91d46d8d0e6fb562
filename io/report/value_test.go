package report_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// ordered are values in ascending order, no two of them equal.
var ordered = []report.Value{
	report.Null(),
	report.Bool(false),
	report.Bool(true),
	report.Float(math.Inf(-1)),
	report.Float(-1e300),
	report.Int(math.MinInt64),
	report.Int(-2),
	report.Float(-1.5),
	report.Int(-1),
	report.Float(-5e-324),
	report.Int(0),
	report.Float(0.1),
	report.Int(1),
	report.Int(1<<53 + 1),
	report.Int(1<<53 + 2),
	report.Int(math.MaxInt64),
	report.Float(1 << 63),
	report.Float(math.MaxFloat64),
	report.Float(math.Inf(1)),
	report.Float(math.NaN()),
	report.String(""),
	report.String("1"),
	report.String("a"),
	report.String("null"),
	report.String("é"),
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
			require.Equal(t, i == j, string(v.AppendBinary(nil)) == string(w.AppendBinary(nil)))
		}
	}
}

func TestValueIsCanonical(t *testing.T) {
	require.Equal(t, report.Int(3), report.Float(3))
	require.Equal(t, report.Int(0), report.Float(math.Copysign(0, -1)))
	require.Equal(t, report.Int(math.MinInt64), report.Float(math.MinInt64))
	require.Equal(t, report.Float(math.NaN()), report.Float(math.Float64frombits(0xfff8_dead_beef_0000)))
	require.Equal(t, report.Null(), report.Value{})
	require.NotEqual(t, report.String("\xff"), report.String("\xfe"))
	require.NotEqual(t, report.String("\xff"), report.String(`\xff`))
}

func TestValueAccessors(t *testing.T) {
	require.True(t, report.Bool(true).Bool())
	require.False(t, report.Int(1).Bool())
	require.Equal(t, int64(-7), report.Int(-7).Int())
	require.Zero(t, report.Float(0.5).Int())
	require.InDelta(t, -7, report.Int(-7).Float(), 0)
	require.InDelta(t, 0.5, report.Float(0.5).Float(), 0)
	require.Zero(t, report.String("1").Float())
	require.Equal(t, "x", report.String("x").Text())
	require.Equal(t, report.KindInt, report.Float(1).Kind())
}

func TestValueText(t *testing.T) {
	for _, test := range []struct {
		value        report.Value
		people, json string
	}{
		{report.Null(), "null", "null"},
		{report.String("null"), `"null"`, `"null"`},
		{report.Bool(true), "true", "true"},
		{report.String("true"), `"true"`, `"true"`},
		{report.Int(-12), "-12", "-12"},
		{report.String("-12"), `"-12"`, `"-12"`},
		{report.Float(0.1), "0.1", "0.1"},
		{report.Float(1e-7), "1e-7", "1e-7"},
		{report.Float(1e300), "1e+300", "1e+300"},
		{report.Float(math.NaN()), "NaN", `"NaN"`},
		{report.Float(math.Inf(1)), "+Inf", `"Infinity"`},
		{report.Float(math.Inf(-1)), "-Inf", `"-Infinity"`},
		{report.String("NaN"), `"NaN"`, `"NaN"`},
		{report.String("de"), "de", `"de"`},
		{report.String("日本"), "日本", `"日本"`},
		{report.String(""), `""`, `""`},
		{report.String(" a"), `" a"`, `" a"`},
		{report.String("a=b"), `"a=b"`, `"a=b"`},
		{report.String("a\nb\x1b"), `"a\nb\x1b"`, `"a\nb\u001b"`},
		{report.String("<&>|"), "<&>|", `"<&>|"`},
		{report.String("\xff\xfe"), `\xff\xfe`, `"\\xff\\xfe"`},
		{report.String(`\xff\xfe`), `\x5cxff\x5cxfe`, `"\\x5cxff\\x5cxfe"`},
		{report.String(`\x5c`), `\x5cx5c`, `"\\x5cx5c"`},
		{report.String(`\xFF\x41\n\`), `\xFF\x41\n\`, `"\\xFF\\x41\\n\\"`},
	} {
		require.Equal(t, test.people, test.value.String())
		got, err := test.value.MarshalJSON() // json.Marshal would escape HTML
		require.NoError(t, err)
		require.Equal(t, test.json, string(got))
		var back report.Value
		require.NoError(t, json.Unmarshal(got, &back))
		if k := test.value.Kind(); k != report.KindFloat || test.json[0] != '"' {
			require.Equal(t, test.value, back)
		}
	}
}

func TestValueRejects(t *testing.T) {
	for _, text := range []string{`{}`, `[1]`, `1e400`, ``, `nul`} {
		var v report.Value
		require.Error(t, json.Unmarshal([]byte(text), &v), text)
	}
	for _, b := range []string{
		"", "\x06", "\x03", "\x03\x80\x00", "\x04\x00", "\x05", "\x05\x02a", "\x05\x81\x00a",
		"\x04\x3f\xf0\x00\x00\x00\x00\x00\x00", // 1 is an integer
		"\x04\xff\xf8\x00\x00\x00\x00\x00\x00", // another NaN
		"\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
	} {
		_, _, err := report.DecodeValue([]byte(b))
		require.Error(t, err, "%q", b)
	}
	for _, b := range []string{"", "\x01", "\x80\x00", "\xff\xff\xff\xff\x0f", "\x01\x01a", "\x01\x01a\x09"} {
		_, _, err := report.DecodeSlice([]byte(b))
		require.Error(t, err, "%q", b)
	}
}

func TestSliceRoundTrips(t *testing.T) {
	all := report.Slice{}
	for _, v := range ordered {
		all = append(all, report.SliceValue{Column: "c " + v.String(), Value: v})
	}
	for _, s := range []report.Slice{nil, all[:1], all[3:9], all} {
		b := append(s.AppendBinary([]byte("x")), "rest"...)
		got, rest, err := report.DecodeSlice(b[1:])
		require.NoError(t, err)
		require.Equal(t, "rest", string(rest))
		require.Zero(t, s.Compare(got))
		require.Len(t, got, len(s))
	}
	text, err := json.Marshal(slice("z", report.Int(1), "a", report.Null()))
	require.NoError(t, err)
	require.JSONEq(t, `{"z":1,"a":null}`, string(text))
	require.Equal(t, `{"z":1,"a":null}`, string(text))
	var back report.Slice
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, slice("z", report.Int(1), "a", report.Null()), back)
	require.NoError(t, json.Unmarshal([]byte("{}"), &back))
	require.Nil(t, back)
	for _, bad := range []string{`[]`, `null`, `{"a":[]}`, `{"a":{}}`, `{"a":1e999}`} {
		require.Error(t, back.UnmarshalJSON([]byte(bad)), bad)
	}
}

func FuzzValue(f *testing.F) {
	for _, v := range ordered {
		f.Add(v.AppendBinary(nil))
	}
	f.Add(slice("a", report.Int(1), "b", report.Null()).AppendBinary(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, rest, err := report.DecodeValue(b); err == nil {
			require.Equal(t, b, append(v.AppendBinary(nil), rest...))
			text, err := v.MarshalJSON()
			require.NoError(t, err)
			var back report.Value
			require.NoError(t, back.UnmarshalJSON(text))
			if v.Kind() != report.KindFloat || text[0] != '"' {
				require.Equal(t, v, back)
			}
			if w, _, err := report.DecodeValue(rest); err == nil {
				require.Equal(t, v == w, v.Compare(w) == 0)
				require.Equal(t, v.Compare(w), -w.Compare(v))
			}
		}
		if s, rest, err := report.DecodeSlice(b); err == nil {
			require.Equal(t, b, append(s.AppendBinary(nil), rest...))
		}
	})
}
