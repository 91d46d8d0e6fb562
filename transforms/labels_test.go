package transforms

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// TestUnionLaws: sets of labels are a commutative monoid whose elements add
// nothing twice.
func TestUnionLaws(t *testing.T) {
	var f unionFn
	x := labelSet{Ints: []int64{1, 10}, Strings: []string{"a", "c"}}
	y := labelSet{Ints: []int64{-1, 2, 10}}
	z := labelSet{Strings: []string{"B", "a"}}
	want := labelSet{Ints: []int64{-1, 1, 2, 10}, Strings: []string{"B", "a", "c"}}
	add := f.AddInput
	require.Equal(t, want, add(add(add(f.CreateAccumulator(), x), y), z))
	require.Equal(t, want, add(add(add(f.CreateAccumulator(), z), x), y))
	require.Equal(t, want, f.MergeAccumulators(x, add(add(f.CreateAccumulator(), y), z)))
	require.Equal(t, want, f.MergeAccumulators(want, f.CreateAccumulator()))
	require.Equal(t, want, f.MergeAccumulators(want, want))
	require.Equal(t, labelSet{Ints: []int64{1, 10}, Strings: []string{"a", "c"}}, x, "an input has changed")
}

// TestOrderOfLabels: numbers by value, strings by their bytes.
func TestOrderOfLabels(t *testing.T) {
	ints := func(list ...int64) columns.Column { return columns.Column{Type: columns.Int, Ints: list} }
	text := func(list ...string) columns.Column {
		c := columns.Column{Type: columns.String, Dict: new(columns.Strings)}
		for _, s := range list {
			c.Codes = append(c.Codes, c.Dict.CodeOf(s))
		}
		return c
	}
	lastNull := func(c columns.Column) columns.Column {
		c.Null = make([]bool, c.Len())
		c.Null[c.Len()-1] = true
		return c
	}
	for name, c := range map[string]struct {
		columns []columns.Column
		names   []string
		numbers bool
	}{
		"signs":              {[]columns.Column{ints(1, 0, -1, 1), lastNull(ints(0, 7))}, []string{"-1", "0", "1"}, true},
		"numbers":            {[]columns.Column{ints(10, 9, 100), ints(-10, 9)}, []string{"-10", "9", "10", "100"}, true},
		"whole floats":       {[]columns.Column{{Type: columns.Float, Floats: []float64{2, .5, -1, 1e300}}, ints(3)}, []string{"-1", "2", "3"}, true},
		"bools":              {[]columns.Column{{Type: columns.Bool, Ints: []int64{1, 0}}}, []string{"0", "1"}, true},
		"a null is no label": {[]columns.Column{lastNull(ints(3, 0))}, []string{"3"}, true},
		"text":               {[]columns.Column{lastNull(text("b", "a", "10", "9", "é", "B", "", "null"))}, []string{"", "10", "9", "B", "a", "b", "é"}, false},
		"numbers and text":   {[]columns.Column{ints(2, 10), text("10", "2", "x")}, []string{"2", "10", "x"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var set labelSet
			for _, column := range c.columns {
				found, err := newCollector(shuffle.NameLimit{})
				require.NoError(t, err)
				found.dicts["x"] = column.Dict
				found.add("x", &column)
				set = unionFn{}.AddInput(set, found.set())
			}
			v := input.FoundLabels(set.Ints, set.Strings)
			require.Equal(t, input.Vocabulary{Names: c.names, Numbers: c.numbers}, v)
		})
	}
}

// labelsIn returns the labels in columns of a shard.
func labelsIn(ctx context.Context, shard input.Shard, columns ...string) (found labelSet, err error) {
	f := &labelsFn{Columns: columns}
	f.Setup()
	if err := f.ProcessElement(ctx, shard, nil); err != nil {
		return found, err
	}
	err = f.FinishBundle(ctx, func(set labelSet) { found = unionFn{}.AddInput(found, set) })
	return found, err
}

// TestLabelsOfFile finds the labels of both columns, in all row groups of a
// shard and in no others.
func TestLabelsOfFile(t *testing.T) {
	type row struct {
		Sign  int64    `parquet:"sign"`
		Guess *float64 `parquet:"guess,optional"`
		Words []string `parquet:"words,list"`
	}
	two := 2.
	shard := written(t, []row{
		{Sign: -1, Words: []string{"x", "y"}}, {Sign: 1}, {Sign: 1, Words: []string{"a"}}, {Guess: &two}, {Sign: 77, Words: []string{"z"}},
	}, 1)
	shard.RowGroups = 4
	for _, c := range []struct {
		columns []string
		want    labelSet
	}{
		{[]string{"sign", "guess"}, labelSet{Ints: []int64{-1, 0, 1, 2}}},
		{[]string{"words"}, labelSet{Strings: []string{"a", "x", "y"}}},
		{[]string{"sign", "words"}, labelSet{Ints: []int64{-1, 0, 1}, Strings: []string{"a", "x", "y"}}},
	} {
		got, err := labelsIn(t.Context(), shard, c.columns...)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	_, err := labelsIn(t.Context(), shard, "signs")
	require.ErrorContains(t, err, shard.File)
	require.ErrorContains(t, err, `no column "signs"; did you mean "sign"?`)
}

// TestKnownLabels need no look at the data.
func TestKnownLabels(t *testing.T) {
	given := input.Vocabulary{Names: []string{"ham", "spam"}}
	for _, c := range []struct {
		spec Spec
		want []string
	}{
		{Spec{Params: metrics.Params{Task: metrics.Binary}}, []string{"0", "1"}},
		{Spec{Params: metrics.Params{Task: metrics.Binary}, PositiveLabel: "1"}, []string{"0", "1"}},
		{Spec{Params: metrics.Params{Task: metrics.Binary}, PositiveLabel: "ham", Labels: given}, []string{"not ham", "ham"}},
		{Spec{Params: metrics.Params{Task: metrics.Regression}}, []string{"0"}},
		{Spec{Params: metrics.Params{Task: metrics.Multiclass}, Labels: given}, []string{"ham", "spam"}},
		{Spec{Params: metrics.Params{Task: metrics.Multilabel}}, nil},
	} {
		var names []string
		for label, v := 0, asSettled(c.spec).Labels; label < v.Len(); label++ {
			names = append(names, v.Name(label))
		}
		require.Equal(t, c.want, names)
	}
}

// TestLabelLimit: labels that take more bytes than they may end the run, and no more are kept meanwhile.
func TestLabelLimit(t *testing.T) {
	limit := shuffle.NameLimit{Most: 10}
	union, all := unionFn{limit}, labelSet{}
	for _, name := range []string{"aaaa", "bbbb", "bbbb"} {
		all = union.AddInput(all, labelSet{Strings: []string{name}})
	}
	vocabulary := &vocabularyFn{limit}
	_, err := vocabulary.ProcessElement(all)
	require.NoError(t, err)
	for i := range 100 {
		all = union.MergeAccumulators(all, labelSet{Strings: []string{strings.Repeat("c", i)}})
	}
	require.LessOrEqual(t, all.size(), int64(20))
	_, err = vocabulary.ProcessElement(all)
	require.ErrorContains(t, err, "different texts take more than 10 bytes, and a worker holds them: write shorter texts, or set Spec.MaxNames to a larger number")
}
