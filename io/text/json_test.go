package text

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
)

const sampleJSON = "\xef\xbb\xbf" + `{"id": 7, "m": {"score": 0.5, "a.b": "é"}, "scores": [0.1, 2], "labels": ["x"], "ranked": [{"label": "a", "score": 1}, {"label": "b"}], "ok": true}` + "\r\n\r\n" +
	`{"labels": [], "id": 8, "m": null, "scores": null, "ranked": [null, {"score": -0}], "late": "1", "un\u0077anted": [[{"x": {}}]], "new\nline": "two\nlines"}` + "\n" +
	`{}` + "\n" +
	` {"id":9,"m":{"score":1e1,"tags":["t",null]},"scores":[null],"labels":["y","\u00e9\"","y"],"ok":false,"late":"x"} `

var (
	sampleJSONPaths = []string{"id", "m.score", "m.a.b", "scores", "labels", "ranked.score", "ranked.label", "ok", "late", "m.tags", "new\nline"}
	sampleJSONRows  = [][]string{
		{"7", "0.5", "é", "[0.1 2]", "[x]", "[1 null]", "[a b]", "true", "null", "null", "null"},
		{"8", "null", "null", "null", "[]", "[null -0]", "[null null]", "null", "1", "null", "two\nlines"},
		{"null", "null", "null", "null", "null", "null", "null", "null", "null", "null", "null"},
		{"9", "10", "null", "[null]", `[y é" y]`, "null", "null", "false", "x", "[t null]", "null"},
	}
)

// TestReadJSON reads JSON as a whole and by blocks, plain and compressed, with plans.
func TestReadJSON(t *testing.T) {
	for name, content := range map[string]string{"plain": sampleJSON, "gzip": gzipOf(sampleJSON), "zstd": zstdOf(sampleJSON)} {
		for _, size := range []int64{1, 200, 1 << 20} {
			for _, most := range []int{1, 3, 100} {
				whole, err := open(inMemory(content), dialects[JSON], columns.Options{}, nil, size)
				require.NoError(t, err, name)
				require.Equal(t, sampleJSONRows, table(t, whole, most, sampleJSONPaths...), name)
				if name == "plain" && size == 1 {
					require.Equal(t, []int64{1, 1, 1, 1}, whole.RowGroups())
				}
				var parts [][]string
				for g := range whole.RowGroups() {
					part, err := Open(inMemory(content), JSON, columns.Options{}, whole.Plan(g, 1))
					require.NoError(t, err)
					require.Equal(t, whole.Schema(), part.Schema())
					parts = append(parts, table(t, part, most, sampleJSONPaths...)...)
				}
				require.Equal(t, sampleJSONRows, parts)
			}
		}
	}
	f, err := Open(inMemory(sampleJSON), JSON, columns.Options{}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"[x]", "7", "[x]", "7"}, table(t, f, 2, "labels", "id", "labels", "id")[0], "a column may be asked for twice")
	_, err = f.Schema().Lookup("unwanted.x")
	require.ErrorContains(t, err, `no column "unwanted.x"`, "an object without keys has no columns")
}

// TestTypesOfJSON: the type of a column holds all its values.
func TestTypesOfJSON(t *testing.T) {
	for _, c := range []struct {
		values string // one a row
		want   columns.Type
		said   string
	}{
		{"1\n0\nnull", columns.Int, "int"},
		{"1\n1.0\n2e3", columns.Float, "float"},
		{"-0\n1", columns.Float, "float"},
		{"9223372036854775807", columns.Int, "int"},
		{"1\n12345678901234567890", columns.String, "string (numbers that begin with 0 or +, or are too long)"},
		{"0.5\n12345678901234567890", columns.Float, "float"},
		{"true\nfalse", columns.Bool, "bool"},
		{"true\n1", columns.String, "string (truth values and numbers)"},
		{`"1"` + "\n" + `"2"`, columns.String, "string"},
		{`""`, columns.String, "string"},
		{"1\n2\n" + `"n/a"`, columns.String, `string ("n/a" in a.csv, line 3)`},
		{"null\nnull", columns.Int, "empty"},
		{"[1, 2]\n[]\n[0.5]", columns.Float, "list<float>"},
		{"[]\nnull", columns.Int, "list<empty>"},
	} {
		f, err := Open(inMemory(`{"x": `+strings.ReplaceAll(c.values, "\n", "}\n{\"x\": ")+"}"), JSON, columns.Options{}, nil)
		require.NoError(t, err)
		field := f.Schema().Fields[0]
		require.Equal(t, c.want, field.Type, c.values)
		require.Equal(t, c.said, field.Physical, c.values)
	}
}

// TestColumnsOfJSONThatCannotBeRead: the reason is reported, and the other columns are read.
func TestColumnsOfJSONThatCannotBeRead(t *testing.T) {
	f, err := Open(inMemory(`{"id": 1, "a": 1, "b": {"c": 2}, "n": [[1]], "": 1}`+"\n"+
		`{"id": 2, "a": [1], "b": [{"c": 2}], "n": [[]], "": 2}`+"\n"), JSON, columns.Options{}, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"id"}, pathsOf(f))
	require.Equal(t, [][]string{{"1"}, {"2"}}, table(t, f, 10, "id"))
	for path, want := range map[string]string{
		"a":   `column "a" cannot be read: it is a single value in a.csv, line 1 and an array in a.csv, line 2: write one kind of values`,
		"b":   `column "b" cannot be read: it is an array in a.csv, line 2 and an object in a.csv, line 1: write one kind of values`,
		"b.c": `column "b.c" cannot be read: it is an array in a.csv, line 2 and an object in a.csv, line 1`,
		"n":   `column "n" cannot be read: it lies below 2 nested lists; one is the most: write one list a row`,
		"":    `column "" cannot be read: it has no name`,
	} {
		_, err := f.Schema().Lookup(path)
		require.ErrorContains(t, err, want)
	}
}

// TestFilesOfJSONAgree: a column of one file is null in files that lack it.
func TestFilesOfJSONAgree(t *testing.T) {
	var all []columns.File
	for _, content := range []string{`{"id": 1, "x": 0, "m": null, "l": []}`, "", `{"x": 0.5, "m": {"y": "z"}, "l": ["a"]}`} {
		f, err := Open(inMemory(content), JSON, columns.Options{}, nil)
		require.NoError(t, err)
		all = append(all, f)
	}
	require.NoError(t, all[0].(columns.Inferred).Agree(all))
	for i, want := range [][][]string{{{"1", "0", "null", "[]"}}, nil, {{"null", "0.5", "z", "[a]"}}} {
		f := all[i].(*File)
		require.Equal(t, []string{"id", "x", "l", "m.y"}, pathsOf(f))
		require.Equal(t, all[0].Schema(), f.Schema())
		require.Equal(t, want, table(t, f, 10, "id", "x", "m.y", "l"))
		again, err := Open(f.Source, JSON, columns.Options{}, f.Plan(0, len(f.RowGroups())))
		require.NoError(t, err)
		require.Equal(t, want, table(t, again, 10, "id", "x", "m.y", "l"))
	}
	mixed, err := Open(inMemory(`{"id": "a", "x": [1]}`), JSON, columns.Options{}, nil)
	require.NoError(t, err)
	all = append(all, mixed)
	require.NoError(t, all[0].(columns.Inferred).Agree(all))
	field, err := all[0].Schema().Lookup("id")
	require.NoError(t, err)
	require.Equal(t, columns.String, field.Type)
	_, err = all[0].Schema().Lookup("x")
	require.ErrorContains(t, err, "a single value in a.csv, line 1 and an array in a.csv, line 1")
}

// TestErrorsOfJSON: the errors of bad lines say where they are and what to do.
func TestErrorsOfJSON(t *testing.T) {
	keys, arrays := new(strings.Builder), new(strings.Builder)
	for i := range maxColumns {
		fmt.Fprintf(keys, `"%d":0,`, i)
		fmt.Fprintf(arrays, `"%d":[],`, i)
	}
	deep := strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70)
	for name, c := range map[string]struct{ content, want string }{
		"two of a key":         {`{"a": 1}` + "\n" + `{"b": {"x": 1, "\u0078": 2}}`, `a.csv: line 2: byte 16, at /b/x: the object has this key twice: rename one`},
		"two of a key, unread": {`{"c": [{"x": 1, "x": 2}]}`, `at /c/0/x: the object has this key twice`},
		"a string not UTF-8":   {`{"a": 1, "b": "gr` + "\xf6" + `ße"}`, `a.csv: line 1: byte 18: invalid UTF-8: write the file as UTF-8`},
		"a key not UTF-8":      {`{"` + "\xff" + `": 1}`, `a.csv: line 1: byte 3: invalid UTF-8`},
		"half a surrogate":     {`{"a": "\ud800"}`, `a.csv: line 1: column "a": a string has half a surrogate pair`},
		"NaN":                  {`{"a": 1, "b": NaN}`, `a.csv: line 1: byte 15, at /b: JSON has neither NaN nor infinity: write a number or null`},
		"infinity":             {`{"b": -Infinity}`, `JSON has neither NaN nor infinity: write a number or null`},
		"too deep":             {deep, `a.csv: line 1: byte 320: objects and arrays nest deeper than 64`},
		"too many arrays":      {`{` + arrays.String() + `"more":[]}`, `a.csv: line 1: the file has keys that make more than 10000 columns: write an object`},
		"too many keys":        {`{"a": {` + keys.String() + `"more":0}}`, `a.csv: line 1: "a" has keys that make more than 10000 columns: write an object whose keys differ from row to row as an array of {label, score}`},
		"a document":           {"{\n  \"a\": 1\n}\n", `a.csv: line 1: byte 2: the line ends before the object does: write each object on one line`},
		"an array":             {"[{\"a\": 1},\n", `a.csv: line 1: the line begins an array: write each object on a line of its own, without an array around them`},
		"a number":             {"{}\n7", `a.csv: line 2: the line is not an object, but 7: write {"label": …, "score": …}`},
		"two objects":          {`{"a": 1} {"a": 2}`, `a.csv: line 1: byte 10: a value follows the object: write each object on a line of its own`},
		"a comma at the end":   {`{"a": 1,}`, `a.csv: line 1: byte 8: invalid character ',' at start of value`},
		"comma after the line": {`{"a": 1},`, `a.csv: line 1: byte 9: `},
		"white space":          {"{}\n  \n", `a.csv: line 2: the line has no object, but only white space`},
		"single quotes":        {`{'a': 1}`, `a.csv: line 1: byte 2: invalid character '\''`},
		"zeros first":          {`{"a": 007}`, `a.csv: line 1: byte 8: invalid character '0' after object value`},
		"a cut line":           {`{"a": 1}` + "\n" + `{"a": "x`, `a.csv: line 2: byte 9, at /a: the line ends before the object does`},
		"too large":            {`{"a": 0.5}` + "\n\n" + `{"a": 1e999}`, `a.csv: line 3: column "a": "1e999" does not fit a 64-bit number`},
		"a long line":          {`{"a": "` + strings.Repeat("x", 2<<20) + `"}`, "a.csv: line 1: the row that begins here has more than 1 MiB: set Options.MaxPage"},
		"cut gzip":             {cut(gzipOf(strings.Repeat(`{"a": 1}`+"\n", 100))), "the gzip stream ends early: the file is cut; write or copy it again"},
		"UTF-16":               {"\xff\xfe{\x00}\x00", "a.csv: line 1: the file is UTF-16: write it as UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Open(inMemory(c.content), JSON, columns.Options{MaxPage: 1 << 20}, nil)
			for g := 0; err == nil && g < len(f.RowGroups()); g++ {
				for _, err = range f.Read(g, []string{"a"}, nil, 10) {
				}
			}
			require.ErrorContains(t, err, c.want)
			var where *columns.Error
			require.ErrorAs(t, err, &where)
		})
	}
}

// TestChangedJSON: a worker reports JSON that differs from the plan.
func TestChangedJSON(t *testing.T) {
	const content = `{"a": 10, "b": {"c": 1}, "d": [7]}`
	f, err := Open(inMemory(content), JSON, columns.Options{}, nil)
	require.NoError(t, err)
	for changed, want := range map[string]string{
		`{"a": 1., "b": {"c": 1}, "d": [7]}`: `line 1: byte 9, at /a: invalid character`,
		`{"a": .5, "b": {"c": 1}, "d": [7]}`: `line 1: byte 7, at /a: invalid character`,
		`{"a":1.5, "b": {"c": 1}, "d": [7]}`: `a.csv: line 1: column "a": "1.5" is no 64-bit integer, as the column's values were when the run was planned`,
		`{"a": "", "b": {"c": 1}, "d": [7]}`: `a.csv: line 1: column "a": the string "" is of another kind than when the run was planned`,
		`{"a": [], "b": {"c": 1}, "d": [7]}`: `a.csv: line 1: the array at /a is of another kind than when the run was planned`,
		`{"a": {}, "b": {"c": 1}, "d": [7]}`: `the object at /a is of another kind`,
		`{"a": 10, "b": "x     ", "d": [7]}`: `the value at /b is of another kind`,
		`{"a": 10, "b": {"c": 1}, "d": "7"}`: `the value at /d is of another kind`,
		`                                  `: "the line has no object, but only white space",
	} {
		other, err := Open(inMemory(changed), JSON, columns.Options{}, f.Plan(0, 1))
		require.NoError(t, err)
		for _, err = range other.Read(0, []string{"a", "b.c", "d"}, nil, 10) {
		}
		require.ErrorContains(t, err, want, changed)
	}
}

// TestLongLineOfJSON: a line of 1 GB takes little memory, and is an error.
func TestLongLineOfJSON(t *testing.T) {
	read := int64(0)
	_, err := Open(longObject{endless{&read}}, JSON, columns.Options{MaxPage: 4 << 20}, nil)
	require.ErrorContains(t, err, "long.csv: line 1: the row that begins here has more than 4 MiB")
	require.Less(t, read, int64(8<<20))
}

// longObject is an endless object.
type longObject struct{ endless }

func (o longObject) ReadAt(p []byte, off int64) (int, error) {
	n, err := o.endless.ReadAt(p, off)
	if off == 0 {
		copy(p, `{"a": "`)
	}
	return n, err
}

// FuzzJSON: any text results in an error or in the values that encoding/json finds, in blocks of
// any size.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{sampleJSON, gzipOf(`{"a": 1}`), `{"a": 1}` + "\n" + `{"a": [1]}`, `{"a": [{"b": 1}, null, {}]}`, `{"a": [[1]], "": {"": 1}}`, "{}\n\n{}", `{"a": 1e999}`, `{"a": {"b": []}, "a.b": 1}`, `{"a": [1, 2, 3, 4, 5, 6, 7, 8, 9]}`} {
		f.Add(s, uint8(1))
		f.Add(s, uint8(60))
	}
	f.Fuzz(func(t *testing.T, content string, size uint8) {
		src := inMemory(content)
		file, err := open(src, dialects[JSON], columns.Options{MaxPage: 1 << 16, MaxRowValues: 8}, nil, int64(size))
		if err != nil || file.layout.compression != plain {
			return
		}
		rows, ok := fieldsOfRows(file)
		if !ok {
			return
		}
		var parts [][]string
		for g := range file.RowGroups() {
			part, err := open(src, dialects[JSON], columns.Options{}, file.Plan(g, 1), 1)
			require.NoError(t, err)
			some, ok := fieldsOfRows(part)
			require.True(t, ok)
			parts = append(parts, some...)
		}
		require.Equal(t, rows, parts)

		var want [][]string
		d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(content, string(bom))))
		d.UseNumber()
		for {
			var row any
			err := d.Decode(&row)
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			var values []string
			for _, field := range file.Columns.Fields {
				values = append(values, asRead(file.layout.columns, field, row))
			}
			want = append(want, values)
		}
		require.Equal(t, want, rows)
	})
}

// fieldsOfRows reads all readable columns; ok is false if a value cannot be read.
func fieldsOfRows(f *File) (rows [][]string, ok bool) {
	for _, field := range f.Columns.Fields {
		if _, err := f.Columns.Lookup(field.Path); err != nil {
			return nil, false
		}
	}
	return readAll(f)
}

// asRead returns the expected value of a field of a row that encoding/json has decoded.
func asRead(list []column, field columns.Field, row any) string {
	var path []*column
	for in := field.Leaf + 1; in > 0; in = list[in-1].in {
		path = append(path, &list[in-1])
	}
	slices.Reverse(path)
	var of func(v any, path []*column) string
	of = func(v any, path []*column) string {
		switch v := v.(type) {
		case nil:
			return "null"
		case map[string]any:
			return of(v[path[0].name], path[1:])
		case []any:
			texts := []string{}
			for _, e := range v {
				texts = append(texts, of(e, path[1:]))
			}
			return fmt.Sprint(texts)
		case json.Number:
			if field.Type == columns.Float {
				n, err := v.Float64()
				if err != nil {
					panic(err)
				}
				return textAt(&columns.Column{Type: columns.Float, Floats: []float64{n}}, 0)
			}
		}
		return fmt.Sprint(v)
	}
	return of(row, path)
}

// TestKeysWithHalves: keys with different halves of surrogate pairs differ, in all spellings, and those with
// the same ones do not.
func TestKeysWithHalves(t *testing.T) {
	for row, twice := range map[string]string{
		`{"\ud800": 1, "\udc00": 2, "\ufffd": 3, "�x": 4, "\ud83d\ude00": 5, "a": 6}`: "",
		`{"x": {"\ud800": 1, "\ud801": 2}, "\ud800": 3, "a": 6}`:                      "",
		`{"\\ud800": 1, "\\udc00": 2, "a": 6}`:                                        "",
		`{"\ud800": 1, "\uD800": 2}`:                                                  "byte 15, at /\ufffd",
		`{"\ud800y": 1, "\uD800\u0079": 2}`:                                           "byte 16, at /\ufffdy",
		`{"a": "\ud800", "a": 2}`:                                                     "byte 17, at /a",
		`{"a": "\ud800", "b": [{"c": 1, "d": {"c": 1}, "\u0063": 2}]}`:                "at /b/0/c",
	} {
		f, err := Open(inMemory(row+"\n"), JSON, columns.Options{}, nil)
		if twice == "" {
			require.NoError(t, err, row)
			require.Equal(t, [][]string{{"6"}}, table(t, f, 1, "a"), row)
			continue
		}
		require.ErrorContains(t, err, twice, row)
		require.ErrorContains(t, err, ": the object has this key twice: rename one", row)
	}
}

// TestLoneSurrogates: half a surrogate pair is an error only where its text is needed.
func TestLoneSurrogates(t *testing.T) {
	f, err := Open(inMemory(`{"a": 1, "\ud800": 2, "b": "x\udc00", "c": "\ud83d\ude00"}`+"\n"+`{"a": 3, "b": "y", "c": "z"}`), JSON, columns.Options{}, nil)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"1", "\U0001f600", "2"}, {"3", "z", "null"}}, table(t, f, 10, "a", "c", `\ud800`))
	for _, err = range f.Read(0, []string{"b"}, nil, 10) {
	}
	require.EqualError(t, err, `a.csv: line 1: column "b": a string has half a surrogate pair, such as \ud800, which is no character: write the character, or both halves`)
}
