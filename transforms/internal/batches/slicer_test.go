package batches

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// by is a set of slices of columns with all their values.
func by(names ...string) input.Slice {
	var s input.Slice
	for _, name := range names {
		s = append(s, input.SliceColumn{Column: name})
	}
	return s
}

// only is a set of slices of one column, limited to some values; nil is null.
func only(column string, values ...any) input.Slice {
	c := input.SliceColumn{Column: column}
	for _, v := range values {
		text, given := v.(string)
		c.Values = append(c.Values, input.SliceValue{Text: text, Null: !given})
	}
	return input.Slice{c}
}

// slicerOf returns the slicer of some sets of slices.
func slicerOf(sets ...input.Slice) *Slicer {
	return NewSlicer(&shuffle.Job{Spec: input.Spec{Slices: sets}})
}

// jsonOf returns the slices of each row as JSON.
func jsonOf(t testing.TB, s *Slicer, rows int, cols []*columns.Column, keys ...files.Key) [][]string {
	t.Helper()
	out := make([][]string, rows)
	for r, tuple := range s.Tuples(nil, rows, cols, keys) {
		for _, encoded := range s.Membership(tuple).Slices[1:] {
			key, rest, err := slice.Decode([]byte(encoded))
			require.NoError(t, err)
			require.Empty(t, rest)
			text, err := key.MarshalJSON()
			require.NoError(t, err)
			out[r] = append(out[r], string(text))
		}
	}
	return out
}

func TestSliceValues(t *testing.T) {
	for name, c := range map[string]struct {
		values []any
		want   []string
	}{
		"strings": {[]any{"de", "null", nil, "", "3"}, []string{`"de"`, `"null"`, `null`, `""`, `"3"`}},
		"ints":    {[]any{3, -3, nil, 0, 1 << 60}, []string{`3`, `-3`, `null`, `0`, `1152921504606846976`}},
		"bools":   {[]any{true, nil, false}, []string{`true`, `null`, `false`}},
		"floats":  {[]any{.5, 2., nil, -0.25}, []string{`0.5`, `2`, `null`, `-0.25`}},
		"nulls":   {[]any{nil, nil, ""}, []string{`null`, `null`, `""`}},
	} {
		t.Run(name, func(t *testing.T) {
			s := slicerOf(by("c"))
			got := jsonOf(t, s, len(c.values), []*columns.Column{columnOf(new(columns.Strings), c.values...)})
			for r, want := range c.want {
				require.Equal(t, []string{`{"c":` + want + `}`}, got[r])
			}
		})
	}
}

// TestEqualNumbers: numbers that are equal are one slice, in whatever type.
func TestEqualNumbers(t *testing.T) {
	s := slicerOf(by("c"))
	floats := s.Tuples(nil, 5, []*columns.Column{columnOf(nil, 2., math.Copysign(0, -1), 0., math.NaN(), -math.NaN())}, nil)
	ints := s.Tuples(nil, 2, []*columns.Column{columnOf(nil, 2, 0)}, nil)
	require.Equal(t, []int32{0, 1, 1, 2, 2}, floats)
	require.Equal(t, []int32{0, 1}, ints)
}

// TestTypesOfOneColumn: a bool is no number, whichever comes first.
func TestTypesOfOneColumn(t *testing.T) {
	bools, ints := columnOf(nil, false, true), columnOf(nil, 0, 1)
	for _, order := range [][]*columns.Column{{bools, ints}, {ints, bools}} {
		s := slicerOf(by("c"))
		for _, column := range order {
			want := [][]string{{`{"c":0}`}, {`{"c":1}`}}
			if column == bools {
				want = [][]string{{`{"c":false}`}, {`{"c":true}`}}
			}
			require.Equal(t, want, jsonOf(t, s, 2, []*columns.Column{column}))
		}
	}
}

func TestCrossedSlices(t *testing.T) {
	s := slicerOf(by("country", "age"), by("age"))
	require.Equal(t, []string{"age", "country"}, s.Columns)
	got := jsonOf(t, s, 3, []*columns.Column{columnOf(nil, 30, nil, 30), columnOf(new(columns.Strings), "de", "fr", nil)})
	require.Equal(t, [][]string{
		{`{"age":30,"country":"de"}`, `{"age":30}`},
		{`{"age":null,"country":"fr"}`, `{"age":null}`},
		{`{"age":30,"country":null}`, `{"age":30}`},
	}, got)
}

func init() {
	shuffle.SliceFunctions["joined"] = func(of ...slice.Value) slice.Value {
		return slice.String(fmt.Sprint(of[0].Text(), "+", of[1].Text(), "+", of[2].Kind() == slice.KindNull))
	}
}

// TestFunctionOfColumns: its columns may come from the file and from the names of folders, with
// nulls, and values may be described before.
func TestFunctionOfColumns(t *testing.T) {
	s := slicerOf(input.Slice{{Column: "size", Others: []string{"day", "age"}, Function: "joined"}}, by("age"))
	require.Equal(t, []string{"age", "day", "size"}, s.Columns)
	want := [][]string{
		{`{"joined":"large+1+false"}`, `{"age":30}`},
		{`{"joined":"large+1+true"}`, `{"age":null}`},
		{`{"joined":"small+1+false"}`, `{"age":31}`},
	}
	ages, sizes := columnOf(nil, 30, nil, 31), columnOf(new(columns.Strings), "large", "large", "small")
	require.Equal(t, want, jsonOf(t, s, 3, []*columns.Column{ages, nil, sizes}, files.Key{Name: "day", Value: "1"}))
	require.Equal(t, [][]string{{`{"joined":"s+1+true"}`, `{"age":null}`}}, jsonOf(t, s, 1, []*columns.Column{nil, nil, nil},
		files.Key{Name: "day", Value: "1"}, files.Key{Name: "size", Value: "s"}))

	d := NewDescriber([]string{"age", "day", "size"}, nil)
	for r, tuple := range d.Tuples(nil, 3, []*columns.Column{ages, nil, sizes}, []files.Key{{Name: "day", Value: "1"}}) {
		described, _, err := s.Described(string(d.Describe(tuple)), shuffle.Overall)
		require.NoError(t, err)
		require.Len(t, s.Membership(described).Slices, 1+len(want[r]))
		key, _, err := slice.Decode([]byte(s.Membership(described).Slices[1]))
		require.NoError(t, err)
		text, err := key.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, want[r][0], string(text))
	}
}

func TestListedValues(t *testing.T) {
	for name, c := range map[string]struct {
		slice  input.Slice
		values []any
		want   []bool
	}{
		"strings":       {only("c", "de", "fr"), []any{"de", "fr", "it", nil, "DE"}, []bool{true, true, false, false, false}},
		"null":          {only("c", nil), []any{"de", nil, "null", ""}, []bool{false, true, false, false}},
		"the word null": {only("c", "null"), []any{"de", nil, "null", ""}, []bool{false, false, true, false}},
		"ints":          {only("c", "3", "-1"), []any{3, -1, 1, nil}, []bool{true, true, false, false}},
		"bools":         {only("c", "true"), []any{true, false, nil}, []bool{true, false, false}},
		"floats":        {only("c", "0.5", "2"), []any{.5, 2., 2.5, nil}, []bool{true, true, false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			s := slicerOf(c.slice)
			got := jsonOf(t, s, len(c.values), []*columns.Column{columnOf(new(columns.Strings), c.values...)})
			for r, in := range c.want {
				require.Equal(t, in, len(got[r]) == 1, "%v", c.values[r])
			}
		})
	}
}

// TestListedAndCrossed limits one of two columns.
func TestListedAndCrossed(t *testing.T) {
	s := slicerOf(append(only("country", "de"), by("device")...))
	got := jsonOf(t, s, 2, []*columns.Column{columnOf(new(columns.Strings), "de", "fr"), columnOf(new(columns.Strings), "desk", "desk")})
	require.Equal(t, [][]string{{`{"country":"de","device":"desk"}`}, nil}, got)
}

// TestOverlappingSlices: a slice that several specs name is there once.
func TestOverlappingSlices(t *testing.T) {
	s := slicerOf(by("a"), only("a", "x"), by("a", "b"), by("b", "a"), by("a"))
	require.Equal(t, []string{"a", "b"}, s.Columns)
	got := jsonOf(t, s, 1, []*columns.Column{columnOf(new(columns.Strings), "x"), columnOf(nil, 1)})
	require.Equal(t, [][]string{{`{"a":"x"}`, `{"a":"x","b":1}`}}, got)
}

// TestHiveKeys: values in the names of folders are strings, and equal a column's strings.
func TestHiveKeys(t *testing.T) {
	s := slicerOf(by("day", "device"))
	device := columnOf(new(columns.Strings), "desk", "phone")
	for _, c := range []struct {
		keys []files.Key
		want string
	}{
		{[]files.Key{{Name: "hour", Value: "3"}, {Name: "day", Value: "1"}}, `"1"`},
		{[]files.Key{{Name: "day", Null: true}}, `null`},
		{nil, `null`},
	} {
		got := jsonOf(t, s, 2, []*columns.Column{nil, device}, c.keys...)
		require.Equal(t, [][]string{{`{"day":` + c.want + `,"device":"desk"}`}, {`{"day":` + c.want + `,"device":"phone"}`}}, got)
	}
	column := columnOf(new(columns.Strings), "1", "1")
	folder := s.Tuples(nil, 2, []*columns.Column{nil, device}, []files.Key{{Name: "day", Value: "1"}})
	require.Equal(t, folder, s.Tuples(nil, 2, []*columns.Column{column, device}, nil))
}

func TestNoSlices(t *testing.T) {
	s := slicerOf()
	require.Equal(t, [][]string{nil, nil, nil}, jsonOf(t, s, 3, nil))
	require.Equal(t, []int32{0, 0, 0}, s.Tuples(make([]int32, 9), 3, nil, nil))
}

// TestManyValues gives 10,000 values of two columns 10,000 tuples, and the same
// ones in later batches.
func TestManyValues(t *testing.T) {
	const n = 10_000
	s := slicerOf(by("id", "parity"))
	dict := new(columns.Strings)
	ids, parities := make([]any, n), make([]any, n)
	for i := range n {
		ids[i], parities[i] = fmt.Sprint("id ", i), i%2
	}
	first := s.Tuples(nil, n, []*columns.Column{columnOf(dict, ids...), columnOf(nil, parities...)}, nil)
	first = append([]int32(nil), first...)
	met := make(map[int32]bool)
	for _, tuple := range first {
		met[tuple] = true
	}
	require.Len(t, met, n)
	for i := range n / 2 {
		j := n - 1 - i
		ids[i], ids[j] = ids[j], ids[i]
		parities[i], parities[j] = parities[j], parities[i]
	}
	tuples := s.Tuples(nil, n, []*columns.Column{columnOf(dict, ids...), columnOf(nil, parities...)}, nil)
	for i, tuple := range tuples {
		require.Equal(t, first[n-1-i], tuple)
	}
	for _, i := range []int{0, 1, n / 2, n - 1} {
		key, _, err := slice.Decode([]byte(s.Membership(tuples[i]).Slices[1]))
		require.NoError(t, err)
		require.Equal(t, ids[i], key[0].Value.Text())
		require.EqualValues(t, parities[i], key[1].Value.Int())
	}
}
