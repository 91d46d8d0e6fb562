package text

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

// FuzzQuick: what reads usual rows at once finds the same as what reads any row.
func FuzzQuick(f *testing.F) {
	for _, s := range []string{sample, "1,2\n", "\"a\",\"b\"\r\n", "\"a\"\"b\",c\n", "a\"b\n", "\"a\"b,c\n", "\"a\nb\",\"\"\n", ",\n", "\r\n", "a\rb,\r\r\n", "\"a\r\nb\",1\n", "a,b", "\"\"\n", "\"\",\"\n\",,\n", "\"a\" ,b\n", "x\x00,y\n"} {
		f.Add(s, uint8(2), true, false)
		f.Add(s, uint8(1), false, true)
		f.Add(strings.Replace(s, "a", strings.Repeat("ab", 20), 1), uint8(2), false, false)
	}
	f.Fuzz(func(t *testing.T, content string, n uint8, more, bare bool) {
		d := dialects[CSV]
		d.bare = bare
		if n == 0 && !more {
			return // a row has at least one field
		}
		f := newFields(d, columns.Options{})
		text := []byte(content)
		size, lines := f.quick(text, int(n), more)
		if size == 0 || strings.Contains(content, "\x00") {
			return
		}
		found, numerals := append([][]byte(nil), f.list...), append([]numeral(nil), f.numerals...)
		require.Len(t, found, int(n))
		require.Len(t, numerals, int(n))
		r := newRows(strings.NewReader(content), d, columns.Options{}.Complete(), 1, 0)
		row, line, err := r.next()
		require.NoError(t, err)
		require.EqualValues(t, 1, line, "no empty lines before it")
		require.EqualValues(t, size, r.offset)
		require.Equal(t, 1+lines, r.line)
		some, err := f.of(row, int(n))
		require.NoError(t, err)
		for i := range found {
			require.Equal(t, string(some[i]), string(found[i]))
			requireNumeral(t, numerals[i], found[i])
		}
		if all, err := f.of(row, -1); !more {
			require.NoError(t, err)
			require.Len(t, all, int(n))
		}
	})
}

// requireNumeral fails unless a numeral is what slower code makes of its text.
func requireNumeral(t *testing.T, is numeral, text []byte) {
	if is.class == 0 {
		return
	}
	require.Equal(t, classOf(text), is.class, "%q", text)
	want, failure := strconv.ParseFloat(string(text), 64)
	f, err := is.float(text)
	require.Equal(t, failure == nil, err == nil, "%q", text)
	if err == nil {
		require.Equal(t, math.Float64bits(want), math.Float64bits(f), "%q", text)
	}
	whole, failure := intOf(text)
	n, err := is.int(text)
	require.Equal(t, failure, err, "%q", text)
	require.Equal(t, whole, n, "%q", text)
}

// FuzzPieces: what is found in a file does not depend on the pieces in which it is planned.
func FuzzPieces(f *testing.F) {
	for _, s := range []string{sample, sampleJSON, "x,y\nde,1\nfr,2\ntrue,0.5\nnan,3\n-inf,007\n", "x\ntrue\nde\n", "a\n\n\n\n\n\n\n\n1\n", "a\n\"\n\n\n\"\n1\n\"", "a,b\n1,2\n3\n4,5\n", `{"a": 1}` + "\n" + `{"b": {"c": [1, "x"]}, "a": 0.5}` + "\n\n" + `{"b": null}`, strings.Repeat("{}\n", 50) + "{\"a\": }\n{"} {
		for _, json := range []bool{false, true} {
			f.Add(s, uint8(0), json)
			f.Add(s, uint8(7), json)
			f.Add(s, uint8(40), json)
		}
	}
	f.Fuzz(func(t *testing.T, content string, size uint8, json bool) {
		d := dialects[CSV]
		if json {
			d = dialects[JSON]
		}
		o := columns.Options{MaxPage: 50}.Complete()
		want, err := inOnePiece(d, o, content)
		f, failure := open(inMemory(content), d, o, nil, int64(size))
		if err != nil || failure != nil {
			require.Equal(t, strings.TrimPrefix(fmt.Sprint(err), ": "), strings.TrimPrefix(fmt.Sprint(failure), "a.csv: "))
			return
		}
		for i := range want {
			want[i].signed, f.layout.columns[i].signed = 0, 0
		}
		require.Equal(t, want, f.layout.columns)
	})
}

// inOnePiece returns the columns of a text whose rows are met one after the other.
func inOnePiece(d dialect, o columns.Options, content string) ([]column, error) {
	src := inMemory(content)
	if content == "" {
		_, err := plan(src, d, o, 1)
		return nil, err
	}
	c, err := compressionOf(src)
	if err != nil {
		return nil, err
	}
	in, err := c.stream(io.NewSectionReader(src, 0, src.Size()))
	if err != nil {
		return nil, err
	}
	r := newRows(in, d, o, 1, 0)
	if err := r.begin(); err != nil {
		return nil, err
	}
	if d.json {
		all := nested{file: src.Name()}
		_, err := all.meet(r)
		return all.columns, err
	}
	all := flat{fields: newFields(d, o), file: src.Name()}
	if all.columns, err = d.columnsOf(r, &all.fields); err != nil {
		return nil, err
	}
	_, err = all.meet(r)
	return all.columns, err
}

// TestPieces plans and reads a file of many pieces, with a row that is larger than several.
func TestPieces(t *testing.T) {
	long := strings.Repeat("line\n\n\n, ", pieceBytes/3)
	var csv, json strings.Builder
	csv.WriteString("id,text,mixed\n")
	var want [][]string
	for i := range 100_000 {
		text, mixed := fmt.Sprintf("text %d", i), strconv.Itoa(i)
		switch i {
		case 50_000:
			text = long
		case 70_000:
			mixed = "x"
		case 90_000:
			csv.WriteString(strings.Repeat("\n\r\n", pieceBytes/2))
			json.WriteString(strings.Repeat("\n\r\n", pieceBytes/2))
		}
		fmt.Fprintf(&csv, "%d,\"%s\",%s\n", i, text, mixed)
		fmt.Fprintf(&json, "{\"id\": %d, \"text\": %q, \"mixed\": %q}\n", i, text, mixed)
		want = append(want, []string{strconv.Itoa(i), text, mixed})
	}
	evidence := 1 + 70_000 + 1 + strings.Count(long, "\n")
	for format, content := range map[string]string{CSV: csv.String(), JSON: json.String()} {
		f, err := Open(inMemory(content), format, columns.Options{MaxName: 1 << 30}, nil)
		require.NoError(t, err)
		require.Equal(t, want, table(t, f, 4096, "id", "text", "mixed"))
		if format == CSV {
			require.Equal(t, fmt.Sprintf(`string ("x" in a.csv, line %d)`, evidence), f.Schema().Fields[2].Physical)
		}
		_, err = Open(inMemory(content[:len(content)-1]+strings.Repeat("\n", 9*pieceBytes)), format, columns.Options{MaxPage: 8 * pieceBytes}, nil)
		require.ErrorContains(t, err, "MiB of empty lines end here: remove them")
	}
}

// TestFirstError: of several bad rows, the first is reported, however many pieces are looked at side by side.
func TestFirstError(t *testing.T) {
	rows := strings.Split("a,b\n"+strings.Repeat("1,2\n", 400_000), "\n")
	rows[150_000], rows[390_000] = "1", "\"3"
	for range 20 {
		_, err := Open(inMemory(strings.Join(rows, "\n")), CSV, columns.Options{}, nil)
		require.ErrorContains(t, err, "a.csv: line 150001: the row has 1 values")
	}
	keys := new(strings.Builder)
	for i := range 12_000 {
		fmt.Fprintf(keys, "{\"%d\": \"%s\"}\n", i, strings.Repeat("x", 100))
	}
	_, err := Open(inMemory(keys.String()), JSON, columns.Options{}, nil)
	require.ErrorContains(t, err, "a.csv: line 10001: the file has keys that make more than 10000 columns")
}

// FuzzTokens: a row is plain only if jsontext reads it, and then both find the same.
func FuzzTokens(f *testing.F) {
	for _, s := range []string{`{}`, ` { "a" : [ 1 , -0.5e+3, "x", true, false, null, [], {} ] , "b" : {"c":{"a":0}} } `, `{"a":1,"a":2}`, `{"a":01}`, `{"a":1.}`, `{"a":-}`, `{"a":1e}`, `{"a":"\n"}`, "{\"a\":\"\t\"}", `{"a":tru}`, `{"a":[1,]}`, `{"a":1,}`, `{"a":1}}`, `{"a"}`, `{"é":"ü"}`, `[]`, `{"a":{"b":1,"c":[{"b":1},{"b":2}],"b":2}}`, strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64), strings.Repeat(`{"a":`, 63) + "[1]" + strings.Repeat("}", 63), `{"a":[` + strings.Repeat("1,", 100) + `1]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, row string) {
		var plain, decoded object
		if plain.begin([]byte(row)) != nil || !plain.plain {
			return
		}
		require.NoError(t, decoded.decode([]byte(row)))
		require.Equal(t, walk(t, &decoded), walk(t, &plain))
		require.True(t, jsontext.Value(row).IsValid())
	})
}

// FuzzShapes: what is found in a row does not depend on the rows before it.
func FuzzShapes(f *testing.F) {
	for _, s := range []string{`{"a":1}`, ` { "a" : -0.5 , "b": "x","c":null,"d":true } `, `{"a":01}`, `{"a":1.}`, `{"a":00.5}`, `{"a":-}`, `{"a":1e5}`, `{"a":"\n"}`, `{"a":[1]}`, `{"a":1}}`, `{"b":1}`, `{"a":1,"b":2}`, `{"a":"é"}`, "{\"a\":\"\xff\"}", `{"a":"x"`, `{"é":"x"}`, `{"a":12345678901234567.5}`, `{}`} {
		f.Add(`{"a":1}`, s)
		f.Add(s, `{"a":"x"}`)
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, before, row string) {
		var met, fresh object
		_ = met.begin([]byte(before))
		err, want := met.begin([]byte(row)), fresh.begin([]byte(row))
		require.Equal(t, want, err)
		require.Equal(t, fresh.plain, met.plain)
		if err != nil || !met.plain {
			return
		}
		require.Equal(t, fresh.tokens.list, met.tokens.list)
		for i, token := range met.tokens.list {
			if token.kind == '0' {
				requireNumeral(t, token.number, met.tokens.textOf(i))
			}
		}
		require.Equal(t, walk(t, &fresh), walk(t, &met))
	})
}

// walk lists what an object has, and skips some of it.
func walk(t *testing.T, o *object) (found []string) {
	var value func()
	members := func() {
		for n := 0; ; n++ {
			name, more, err := o.member()
			require.NoError(t, err)
			if !more {
				return
			}
			if found = append(found, "key "+string(name)); n%5 == 4 {
				require.NoError(t, o.skip())
			} else {
				value()
			}
		}
	}
	value = func() {
		kind := o.kind()
		found = append(found, kind.String())
		switch kind {
		case 'n':
			require.NoError(t, o.skip())
		case '{':
			require.NoError(t, o.enter())
			members()
		case '[':
			require.NoError(t, o.enter())
			for {
				more, err := o.element()
				require.NoError(t, err)
				if !more {
					return
				}
				value()
			}
		default:
			v, is, _, err := o.single()
			require.NoError(t, err)
			require.Equal(t, kind, is)
			found = append(found, string(v))
		}
	}
	members()
	require.NoError(t, o.end())
	return found
}

// TestOrderOfKeys: keys are found wherever they are in an object.
func TestOrderOfKeys(t *testing.T) {
	f, err := Open(inMemory(`{"a": 1, "x": 0, "b": {"c": 2, "d": 3}}`+"\n"+`{"b": {"d": 4, "c": 5}, "a": 6}`+"\n"+`{"b": {"d": 7}, "x": 1, "y": 2, "a": 8}`+"\n"+`{"a": 9, "c": 1, "d": 2, "b": null}`), JSON, columns.Options{}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "x", "b.c", "b.d", "y", "c", "d"}, pathsOf(f))
	require.Equal(t, [][]string{{"1", "2", "3"}, {"6", "5", "4"}, {"8", "null", "7"}, {"9", "null", "null"}}, table(t, f, 10, "a", "b.c", "b.d"))
}

// TestShapes: values are those of their keys, whatever the rows before had.
func TestShapes(t *testing.T) {
	rows := []string{
		`{"a": 1, "b": "x", "c": 0.5}`, `{"a": 2, "b": "y", "c": 1.5}`, `{"a": 3, "b": "\\", "c": 2.5}`, `{"a": 4, "b": "z", "c": 3.5}`,
		`{"a": 5, "c": 4.5, "b": "u"}`, `{"a": 6, "c": 5.5, "b": null}`, `{"d": 0, "b": "w", "a": 7}`, `{"d": 0, "b": "w", "a": 8}`, `{"a": 9, "b": "é", "c": 6.5}`,
	}
	f, err := Open(inMemory(strings.Join(rows, "\n")), JSON, columns.Options{}, nil)
	require.NoError(t, err)
	require.Equal(t, [][]string{
		{"0.5", "1", "x"}, {"1.5", "2", "y"}, {"2.5", "3", `\`}, {"3.5", "4", "z"}, {"4.5", "5", "u"}, {"5.5", "6", "null"}, {"null", "7", "w"}, {"null", "8", "w"}, {"6.5", "9", "é"},
	}, table(t, f, 10, "c", "a", "b"))
}

// TestDecimals: numbers are those of strconv, bit for bit.
func TestDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	texts := []string{"0", "-0", "+0", "0.0", "-0.0e5", ".5", "5.", "-.5", "9007199254740992", "9007199254740993", "9007199254740992e22", "1e22", "1e23", "1e-22", "1e-23", "1e400", "1e-400", "0e999999", "9999999999999999999", "10000000000000000000", "0.00000000000000000000001", "1E5", "1e+5", "1e05", "1e00005", "1e", "1e+", ".", "-", "+", "", "e5", "1.2.3", "1-1", "--1", "0x1p-2", "1_000", "nan", "-nan", "inf", " 1"}
	for range 20_000 {
		f := math.Float64frombits(r.Uint64())
		texts = append(texts, strconv.FormatFloat(f, "efg"[r.IntN(3)], r.IntN(25)-1, 64), strconv.FormatFloat(r.NormFloat64(), "efg"[r.IntN(3)], r.IntN(20)-1, 32<<r.IntN(2)), fmt.Sprintf("%d.%de%d", r.IntN(1000), r.Uint64()>>r.IntN(64), r.IntN(60)-30))
	}
	for range 20_000 {
		digits := strconv.FormatUint(r.Uint64(), 10)
		point := r.IntN(len(digits))
		texts = append(texts, digits[:point]+"."+digits[point:])
	}
	exact := 0
	for _, text := range texts {
		if is, size := numeralOf([]byte(text)); size == len(text) {
			requireNumeral(t, is, []byte(text))
		}
		f, ok := decimalOf([]byte(text))
		if !ok {
			continue
		}
		exact++
		want, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err, text)
		require.Equal(t, math.Float64bits(want), math.Float64bits(f), text)
	}
	require.Greater(t, exact, len(texts)/4)
}

// TestInts: integers are those of strconv, and nothing else is one.
func TestInts(t *testing.T) {
	for _, text := range []string{"0", "-0", "7", "-7", "007", "-07", "+1", "", "-", "1.0", "1e3", "999999999999999999", "-99999999999999999", "-999999999999999999", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "x", "12x", "1 "} {
		n, err := intOf([]byte(text))
		want, failure := strconv.ParseInt(text, 10, 64)
		if failure != nil || strconv.FormatInt(want, 10) != text {
			require.ErrorContains(t, err, "is no 64-bit integer", text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, n)
	}
}
