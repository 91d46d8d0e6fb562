package transforms

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/everyfield"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/scoreruns"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/parts"
	"github.com/beameval/beameval/transforms/internal/quantiles"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/lanes"
)

// through is an element as it comes out of its coder.
func through[T any](t testing.TB, x T) T {
	t.Helper()
	data, err := shuffle.Encode(x)
	require.NoError(t, err)
	back, err := shuffle.Decode(reflect.TypeFor[T](), data)
	require.NoError(t, err)
	return back.(T)
}

// someElements has elements of every type with a coder, with everything that they may
// have and with nothing, and with values that nothing but a damaged file has.
func someElements(t testing.TB) []any {
	zero, empty, label := 0., "", "dog"
	here, lost := shuffle.Spilled{Bytes: []byte{0, 255}}, shuffle.Spilled{File: "\xff\x00", Parts: []shuffle.FilePart{{Offset: math.MaxInt64, Size: math.MinInt64}, {Offset: 1}}}
	key := slice.Key{{Column: "country", Value: slice.String("de")}, {Column: "age", Value: slice.Null()}}
	list := []any{
		here, lost, shuffle.Spilled{},
		input.Shard{File: "a\xff.parquet", Version: "1 byte", Format: "csv", Path: "b/\xff", Row: 1 << 40, First: 3, RowGroups: 2, Plan: []byte{0, 255}, Keys: []files.Key{{Name: "dt", Value: "x"}, {Name: "n", Null: true}}, Options: columns.Options{MaxPage: 1 << 40, MaxRowValues: 3, MaxName: 5, RoundDecimals: true, NoQuotes: true, NullValues: []string{"NA", ""}, Names: 7}},
		parts.Part{File: "a\xff", Version: "1 byte", Relabel: []int32{0, 7}, Labels: 9, Refold: []int32{3}, Slice: key, Late: parts.Late{"why": 2}, Queries: "b\xff", QueryIDs: slice.KindString}, parts.Part{},
		input.Shard{Lane: 9, Content: []byte{0, 255}}, input.Shard{},
		input.Prediction{},
		input.Prediction{
			Example: "e", Labels: []string{"a", "b"}, Distribution: []float64{0.25, 0.75}, Target: math.Inf(1), Scores: []float64{0.5, -1}, Predicted: []string{"c"},
			ScoreLabels: []string{""}, Estimate: 3, Quantiles: []float64{1, 2}, Ensemble: []float64{-1}, Scale: 0.5, CostFP: 1, CostFN: 1e100, Weight: &zero, Slices: map[string]string{"x": "y", "a": ""}, First: "m", Second: "\xff", Baseline: []string{"d"}, BaselineScores: []float64{1, 0}, BaselineEstimate: -2, Judged: []string{"", "e"}, Set: []string{"f", ""}, Items: []string{"", "\xff"}, Relevance: []float64{0, 3}, Categories: []string{"c", ""}, ItemFrequencies: []float64{0, 1e9}, Grades: []float64{0, 4.5}, FurtherGrades: [][]float64{{1, -1}, {2}}, Answers: []string{"", "\xff"}, Raters: []string{"", "r"},
		},
		labelSet{}, labelSet{Ints: []int64{-1, 0, 1 << 62}, Strings: []string{"a"}},
		outcomeElement{Slice: []byte{1}}, outcomeElement{Slice: []byte{0}, Partial: []byte{3}, Rows: []byte{4}, Labels: &here, Slices: 4}, outcomeElement{Scores: &ranges.Piece{Range: 2, Labels: 3, Entries: 4, Tuples: here, Scores: lost, Totals: here}},
		shuffle.TaskInput{Shard: &input.Shard{File: "a\xff", Version: "1 byte", First: 2, RowGroups: 3}},
		shuffle.TaskInput{Lane: 70, Pass: shuffle.Pass{Number: 2, From: 5, To: math.MaxInt}, Predictions: &here},
		shuffle.TaskInput{Scattered: &shuffle.ScatteredKeys{Shard: "a\xff:2", Bucket: lanes.MostBuckets - 1, All: true}},
		shuffle.TaskInput{Scattered: &shuffle.ScatteredKeys{Bucket: 3, Hashes: []uint64{0, 0, 1, math.MaxUint64}}},
		shuffle.TaskInput{Rows: &shuffle.RowChunk{Bucket: lanes.MostBuckets - 1, Side: input.OfTruth, Data: here}},
		shuffle.TaskInput{Rows: &shuffle.RowChunk{Data: lost}}, shuffle.TaskInput{Predictions: &here}, shuffle.TaskInput{Labels: &lost},
		shuffle.TaskInput{Bounds: &shuffle.Bounds{Images: []uint64{math.MaxUint64, 0}}}, shuffle.TaskInput{Bounds: &shuffle.Bounds{Images: []uint64{7}}},
		shuffle.TaskInput{Plan: &lost}, shuffle.TaskInput{Cuts: &shuffle.Cuts{List: []shuffle.Cut{{Column: "age", Quantiles: 4, Whole: 50}, {Bins: []float64{-1, 0.5}}}}},
		ranges.Sample{}, ranges.Sample{Knots: []scoreruns.Knot{{Image: math.MaxUint64, Entries: math.MinInt}, {}}, Curves: -1},
		ranges.Piece{}, ranges.Piece{Range: 2, Labels: math.MaxInt, Entries: -1, Tuples: lost, Scores: here, Totals: lost},
		quantiles.Tallies{}, // others are compared by their cuts
		report.Row{}, report.Row{Name: "f1", Value: 0.5, Support: 12}, report.Row{Name: "recall", Slice: key, Label: &label, Value: -1, Support: -1},
		report.Row{Name: "recall", Slice: key[:1], Label: &empty, Undefined: "no positives", Bounds: &report.Bounds{Low: 1, High: 2}},
		report.Row{Name: "f1", Folds: []int32{0, 7}, Replicates: []float64{0.25, 0.5}, Weights: []float64{3, 1.5}, Confidence: &report.Confidence{Low: 0.25, High: 0.75, StdError: 0.125, DOF: 9, Folds: 10, Method: "jackknife", NoInterval: "few groups", Warning: "heavy tails"}},
	}
	for _, v := range []input.Vocabulary{
		{},
		{Names: []string{"", "\xff", "a"}, Numbers: true},
		{Count: 3_000_000, File: "gs://bucket/names.txt", FileVersion: "1795279376034899"},
		{Count: 9, Frequencies: metrics.LabelFrequencies{Examples: 1 << 40, Count: map[int32]int64{0: 3, 8: 1 << 40}}},
		{Count: 1, Items: input.ItemFrequencies{Keys: []uint64{3, 1 << 63}, Counts: []float64{0, 7.5}, Head: 7.5}},
	} {
		v.Prepare()
		list = append(list, v)
	}
	searches := withSearches(t)
	searches[0].Search.Counts.Undefined = 2
	plan := searches[1].Search.Plan
	plan.Undefined, plan.Sought, plan.Unsearched, plan.Same = 2, true, 3, 4
	for _, p := range append(searches, wholePartial(t, here)) {
		list = append(list, p, accumulated{Partial: p}, accumulated{Waiting: []input.Prediction{{Example: "e"}}, Partial: p})
	}
	return append(list, MetricRows{}, MetricRows{[]report.Row{{Name: "f1", Value: 0.5}, {Name: "recall"}}})
}

// wholePartial has everything that a partial has but a search.
func wholePartial(t testing.TB, here shuffle.Spilled) shuffle.Partial {
	t.Helper()
	totals, err := shuffle.PackTotals([]shuffle.RangeTotals{{Label: 2, Range: 1, Fold: 4}})
	require.NoError(t, err)
	p, example := shuffle.NewPartial(), shuffle.WorstExample{}
	everyfield.Fill(&p.Counts)
	p.Counts.Sample[0].Line = 0 // a row has a line, or a row group and a number
	p.Counts.Failed.At.RowGroup, p.Counts.Failed.At.Row = 0, 0
	everyfield.Fill(&example)
	example.ID = slice.String("\xff")
	example.At.Column, example.At.Value, example.At.Reason = "", "", "" // of bad rows
	p.Folds = []shuffle.Fold{{Number: 3, Stats: new(metrics.Partial), Curves: new(metrics.Partial)}}
	p.Queries = []shuffle.Spilled{here}
	p.Totals.Add(totals)
	p.Worst = &shuffle.Worst{Count: 2, Lists: map[int32][]shuffle.WorstExample{shuffle.AllLabels: {example}}}
	p.Changed = &shuffle.Worst{Count: 3, Lists: map[int32][]shuffle.WorstExample{shuffle.ChangeOf(1, true): {example}}}
	p.Met = &shuffle.Met{By: map[string][]uint64{"": {7, 1}, "why": {0}}}
	p.IDs = &shuffle.IDs{Hashes: []uint64{1, 3}, Counts: []int64{2, 1}, Left: true}
	p.Again = []shuffle.TaskInput{{Lane: 7, Rows: &shuffle.RowChunk{Bucket: 1, Data: here}}}
	return p
}

// Each field of an element is not zero in some of someElements, so that one that a coder forgets is missed.
func TestSomeElementsHaveEveryField(t *testing.T) {
	set := make(map[string]bool)
	for _, x := range someElements(t) {
		everyfield.In(reflect.ValueOf(x), func(name string, _ reflect.StructField, zero bool) bool {
			set[name] = set[name] || !zero
			return true
		})
	}
	for name, is := range set {
		if !is {
			t.Errorf("no element has %s", name)
		}
	}
}

// TestCoders: elements come back as they were, whatever is encoded and decoded in between, and no beginning of an encoding
// is one.
func TestCoders(t *testing.T) {
	list := someElements(t)
	encodings, decoded := make([][]byte, len(list)), make([]any, len(list))
	for i, x := range list {
		var err error
		encodings[i], err = shuffle.Encode(x)
		require.NoError(t, err)
	}
	for i, x := range list {
		var err error
		decoded[i], err = shuffle.Decode(reflect.TypeOf(x), encodings[i])
		require.NoError(t, err)
	}
	require.Equal(t, list, decoded)
	for at, x := range list {
		data := encodings[at]
		for i := range data {
			_, err := shuffle.Decode(reflect.TypeOf(x), data[:i])
			require.Error(t, err, "%d of %d bytes of %T", i, len(data), x)
		}
		_, err := shuffle.Decode(reflect.TypeOf(x), append(data, 0))
		require.ErrorContains(t, err, "decoding "+reflect.TypeOf(x).String())
	}
	require.True(t, math.IsNaN(through(t, report.Row{Value: math.NaN(), Undefined: "no rows"}).Value))
	require.True(t, math.IsNaN(through(t, input.Prediction{Scores: []float64{math.NaN()}}).Scores[0]))
}

// TestElementsHaveCoders: every struct that is an element of a graph has a coder. Without,
// an accumulator would be summed to nothing, with no error.
func TestElementsHaveCoders(t *testing.T) {
	types := make(map[reflect.Type]bool)
	var check func(typex.FullType)
	check = func(full typex.FullType) {
		if typ := full.Type(); typ.Kind() == reflect.Struct && len(full.Components()) == 0 {
			require.NotNil(t, coder.LookupCustomCoder(typ), "%v", typ)
			types[typ] = true
		}
		for _, c := range full.Components() {
			check(c)
		}
	}
	for _, e := range everyEdge(t) {
		for _, out := range e.Output {
			check(out.Type)
		}
	}
	require.Contains(t, types, reflect.TypeFor[shuffle.Partial]())
	require.Greater(t, len(types), 9)
	for _, x := range someElements(t) {
		delete(types, reflect.TypeOf(x))
	}
	require.Empty(t, types, "TestCoders has no such element")
}

func TestCoderErrors(t *testing.T) {
	for _, bucket := range []int{-1, lanes.MostBuckets, math.MaxInt} {
		_, err := shuffle.Encode(shuffle.TaskInput{Scattered: &shuffle.ScatteredKeys{Bucket: bucket}})
		require.ErrorContains(t, err, "there is no bucket")
	}
	for _, pass := range []shuffle.Pass{{Number: -1}, {Number: 1, From: -1}, {Number: 1, From: 3, To: 2}} {
		_, err := shuffle.Encode(shuffle.TaskInput{Pass: pass})
		require.ErrorContains(t, err, "there is no pass")
	}
	var hashes []uint64
	beyond := []byte{2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1}
	require.EqualError(t, wire.Decode(beyond, &hashes, shuffle.HashesFields), "hashes are not sorted")
}

// FuzzCoders: arbitrary bytes are an error or an element that encodes to bytes of the
// same element, whatever its type; hashes are sorted, as they are searched.
func FuzzCoders(f *testing.F) {
	types := make(map[reflect.Type]bool)
	for _, x := range someElements(f) {
		data, err := shuffle.Encode(x)
		require.NoError(f, err)
		f.Add(data)
		types[reflect.TypeOf(x)] = true
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for typ := range types {
			x, err := shuffle.Decode(typ, data)
			if err != nil {
				continue
			}
			once, err := shuffle.Encode(x)
			require.NoError(t, err)
			again, err := shuffle.Decode(typ, once)
			require.NoError(t, err)
			twice, err := shuffle.Encode(again)
			require.NoError(t, err)
			require.Equal(t, once, twice)
			if in, is := x.(shuffle.TaskInput); is && in.Scattered != nil {
				require.True(t, slices.IsSorted(in.Scattered.Hashes))
			}
		}
		_, _ = fold.ReadQueries([]shuffle.Spilled{{Bytes: data}})
	})
}

// FuzzDecodePartial: arbitrary bytes are an error or a partial that can be merged, and
// that encodes to bytes of the same partial.
func FuzzDecodePartial(f *testing.F) {
	rows := drawExamples(5)
	for _, s := range scenarios(f) {
		for _, p := range partials(f, s, rows[:1], rows) {
			f.Add([]byte(encoded(f, p)))
		}
	}
	for _, p := range withQueries(f) {
		f.Add([]byte(encoded(f, p)))
	}
	for _, p := range withSearches(f) {
		f.Add([]byte(encoded(f, p)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := shuffle.DecodePartial(data)
		if err != nil {
			return
		}
		again := through(t, p)
		require.Equal(t, encoded(t, p), encoded(t, again))
		sum := shuffle.NewPartial()
		sum.Merge(&p)
		sum.Merge(&again)
	})
}
