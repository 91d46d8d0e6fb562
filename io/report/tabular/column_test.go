package tabular

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/slice"
)

type part struct{ low, high float64 }

type anyRow struct {
	name, title, class, note string
	key                      slice.Key
	label                    *string
	number, weight, edge     float64
	whole                    int64
	count                    int
	is, other                bool
	word                     string
	id                       slice.Value
	list                     []float64
	part                     *part
	points, all              []part
	limit                    *float64
}

func partTable() []Column[part] {
	return []Column[part]{Number("low", func(p *part) *float64 { return &p.low }), Number("high", func(p *part) *float64 { return &p.high }).Omitted()}
}

// anyTable has a column of each kind.
func anyTable() []Column[anyRow] {
	return Placed(Text("name", func(r *anyRow) *string { return &r.name }), func(r *anyRow) *slice.Key { return &r.key }, func(r *anyRow) **string { return &r.label }, []string{"c"},
		append(Within(func(r *anyRow) *part { return r.part }, func(r *anyRow) **part { return &r.part }, part{high: math.Inf(1)}, partTable()...),
			Name("title", func(r *anyRow) *string { return &r.title }),
			Class("class", func(r *anyRow) *string { return &r.class }),
			Note("note", func(r *anyRow) *string { return &r.note }).Member("remark"),
			Number("number", func(r *anyRow) *float64 { return &r.number }),
			Any("weight", func(r *anyRow) *float64 { return &r.weight }),
			Edge("edge", func(r *anyRow) *float64 { return &r.edge }),
			Whole("whole", func(r *anyRow) *int64 { return &r.whole }),
			Count("count", func(r *anyRow) *int { return &r.count }).If(func(r *anyRow) bool { return r.count > 0 }),
			Flag("is", func(r *anyRow) *bool { return &r.is }),
			Either("other", func(r *anyRow) *bool { return &r.other }, "no", "yes"),
			Word("word", func(r *anyRow) *string { return &r.word }, []string{"up", "down"}),
			Example("id", func(r *anyRow) *slice.Value { return &r.id }),
			Numbers("list", func(r *anyRow) *[]float64 { return &r.list }),
			Nested("points", func(r *anyRow) *[]part { return &r.points }, "point", partTable()).If(func(r *anyRow) bool { return len(r.points) > 0 }).Omitted(),
			Nested("all", func(r *anyRow) *[]part { return &r.all }, "point", partTable()),
			Limit("limit", func(r *anyRow) **float64 { return &r.limit }),
		)...)
}

func anyRows() []anyRow {
	return []anyRow{
		{name: "a", title: "x\xff", class: "c", note: "n", number: 0.5, weight: math.Inf(1), edge: math.Inf(-1), whole: math.MinInt64, count: 3, is: true, word: "up", id: slice.String("i\xff"),
			list: []float64{1, math.Inf(1)}, part: &part{0.25, 0.75}, points: []part{{1, 2}, {3, 4}}, limit: new(0.125)},
		{name: "b", key: slice.Key{{Column: "c", Value: slice.String("d\xff")}}, label: new("l\xff"), edge: 1, other: true, word: "down", part: &part{0.5, math.Inf(1)}},
	}
}

type memory struct{ *bytes.Reader }

func (memory) Name() string { return "test" }

// TestColumnsReadWhatTheyWrite: each kind of column restores what it wrote, in Parquet and in JSON.
func TestColumnsReadWhatTheyWrite(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, ListOf(anyRows()).WriteParquet(&file, "test", anyTable()))
	var read []anyRow
	require.NoError(t, Read(memory{bytes.NewReader(file.Bytes())}, "test", anyTable(), nil, func(r *anyRow) error { read = append(read, *r); return nil }))
	want := anyRows()
	want[0].points, want[1].list = nil, nil
	for i := range read {
		if len(read[i].list) == 0 {
			read[i].list = nil
		}
	}
	require.Equal(t, want, read)

	finite := func() []anyRow { // JSON has no infinite numbers
		rows := anyRows()
		rows[0].weight, rows[0].edge = 2, 3
		return rows
	}
	data, err := json.Marshal(RowsOf("row", anyTable(), finite()))
	require.NoError(t, err)
	require.Contains(t, string(data), `"low":0.5,"title":`, "an end that is not finite is omitted here")
	require.Contains(t, string(data), `"word":"down","id":null,"all":[]}]`)
	require.Contains(t, string(data), `"remark":"n"`)
	require.Contains(t, string(data), `"points":[{"low":1,"high":2},{"low":3,"high":4}],"all":[],"limit":0.125}`)
	rows := RowsOf("row", anyTable(), nil)
	require.NoError(t, json.Unmarshal(data, rows))
	want = finite()
	want[0].list = nil
	require.Equal(t, want, rows.Read())
}

// TestReadAsksForPlaces: of rows that are not kept, only the name, slice and label are read.
func TestReadAsksForPlaces(t *testing.T) {
	rows := anyRows()
	rows[0].word = "sideways"
	var file bytes.Buffer
	require.NoError(t, ListOf(rows).WriteParquet(&file, "test", anyTable()))
	read := func(keep func(*anyRow) bool) (names []string, err error) {
		err = Read(memory{bytes.NewReader(file.Bytes())}, "test", anyTable(), keep, func(r *anyRow) error { names = append(names, r.name); return nil })
		return names, err
	}
	names, err := read(func(r *anyRow) bool { return r.name == "b" && r.label != nil && len(r.key) == 1 })
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, names)
	_, err = read(nil)
	require.EqualError(t, err, `test: row 1: word: "sideways": expected one of ["up" "down"]`)
}

// TestDamagedRows: errors say which row and member is wrong, and how.
func TestDamagedRows(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                               `rows are a list, not {`,
		`[{},1]`:                           `row 1: name is null or missing`,
		`[1]`:                              `row 1: expected an object, found a number`,
		`[{"name":1}]`:                     `row 1: name: expected a text, found 1`,
		`[{"low":"1"}]`:                    `row 1: low: expected a number, found "1"`,
		`[{"whole":1.5}]`:                  `row 1: whole: expected a whole number, found 1.5`,
		`[{"whole":99999999999999999999}]`: `row 1: whole: expected a whole number, found 99999999999999999999`,
		`[{"is":1}]`:                       `row 1: is: expected true or false, found 1`,
		`[{"low":1,"low":2}]`:              `row 1: jsontext: duplicate object member name "low"`,
		`[{"name":"a","slice":[]}]`:        `row 1: slice: a slice is an object, not [`,
	} {
		err := json.Unmarshal([]byte(text), RowsOf("row", anyTable(), nil))
		require.ErrorContains(t, err, want, text)
	}
}
