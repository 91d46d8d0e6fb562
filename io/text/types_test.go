package text

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

func TestClasses(t *testing.T) {
	for class, values := range map[classes][]string{
		0:        {""},
		isBool:   {"true", "True", "TRUE", "false", "False", "FALSE"},
		isInt:    {"0", "7", "-7", "123456789012345678", "9223372036854775807", "-9223372036854775808"},
		isDigits: {"007", "00", "-07", "+1", "+0", "9223372036854775808", "-9223372036854775809", "12345678901234567890"},
		isFloat:  {"-0", "0.5", ".5", "5.", "-1.5e-3", "+1.5", "1e5", "1E+5", "00.5", "nan", "NaN", "inf", "-Inf", "+infinity", "-Infinity", "1e999"},
		isOther: {
			"a", "tRUE", "t", "yes", "-", "+", ".", "-.", "e5", ".e5", "1e", "1e+", "1.5.2", "1,5", "0x10", "1_000", " 1", "1 ", "--1", "1-1", "2026-11-19",
			"nano", "infinit", "٣", "½", "1e5x", "null", "NA", "\xff",
		},
	} {
		for _, v := range values {
			require.Equal(t, class, classOf([]byte(v)), "%q", v)
			switch class {
			case isInt:
				n, err := intOf([]byte(v))
				require.NoError(t, err)
				require.Equal(t, v, textAt(&columns.Column{Type: columns.Int, Ints: []int64{n}}, 0))
			case isFloat:
				f, err := floatOf([]byte(v))
				if v == "1e999" {
					require.ErrorContains(t, err, `"1e999" does not fit a 64-bit number`)
				} else {
					require.NoError(t, err)
				}
				require.Equal(t, v == "-0", f == 0 && math.Signbit(f), v)
			}
		}
	}
}

func TestTypesHoldAllValues(t *testing.T) {
	for _, c := range []struct {
		values string // one a line
		want   columns.Type
		said   string
	}{
		{"1\n0\n1\n", columns.Int, "int"},
		{"1\n0\n\n0.37\n", columns.Float, "float"},
		{"0.5\n007\n", columns.Float, "float"},
		{"1\n2\n007\n", columns.String, "string (numbers that begin with 0 or +, or are too long)"},
		{"1\n12345678901234567890\n", columns.String, "string (numbers that begin with 0 or +, or are too long)"},
		{"true\nFalse\n", columns.Bool, "bool"},
		{"true\n1\n", columns.String, "string (truth values and numbers)"},
		{"1\n2\nthree\nfour\n", columns.String, `string ("three" in a.csv, line 4)`},
		{"three\n1\n", columns.String, `string ("three" in a.csv, line 2)`},
		{"de\nfr\ntrue\n", columns.String, "string"},
		{"\n\n", columns.Int, "empty"},
	} {
		lines := "x,y\n"
		for _, v := range strings.Split(strings.TrimSuffix(c.values, "\n"), "\n") {
			lines += v + ",0\n"
		}
		f, err := Open(inMemory(lines), CSV, columns.Options{}, nil)
		require.NoError(t, err)
		field := f.Schema().Fields[0]
		require.Equal(t, c.want, field.Type, c.values)
		require.Equal(t, c.said, field.Physical, c.values)
	}
}

// TestFilesAgree: the type of a column holds its values in all files.
func TestFilesAgree(t *testing.T) {
	var all []columns.File
	for _, content := range []string{"id,x,y\n1,0,\n", "y,x\n0.5,2\n", "x,id\n0.25,a\n"} {
		f, err := Open(inMemory(content), CSV, columns.Options{}, nil)
		require.NoError(t, err)
		all = append(all, f)
	}
	require.NoError(t, all[0].(columns.Inferred).Agree(all))
	for _, f := range all {
		for path, want := range map[string]string{"x": "float", "y": "float", "id": `string ("a" in a.csv, line 2)`} {
			if field, err := f.Schema().Lookup(path); err == nil {
				require.Equal(t, want, field.Physical)
			}
		}
	}
	again, err := Open(inMemory("id,x,y\n1,0,\n"), CSV, columns.Options{}, all[0].(columns.Planned).Plan(0, 1))
	require.NoError(t, err)
	require.Equal(t, [][]string{{"1", "0", "null"}}, table(t, again, 10, "id", "x", "y"))
	require.Equal(t, columns.Float, again.Schema().Fields[1].Type)
}
