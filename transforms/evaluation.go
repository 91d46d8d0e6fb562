package transforms

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
)

// Evaluation is the outcome of an evaluation within a pipeline: the merged
// statistics of every slice.
type Evaluation struct {
	spec   Spec
	slices beam.PCollection // KV<[]byte, partial>, a slice each
	vocab  beam.PCollection // Vocabulary, one
}

// Parquet evaluates Parquet files: a PCollection of [Shard], as [FindShards]
// returns them and beam.CreateList puts them into the pipeline. Where the spec has
// Truth, truth is another one, of the files with the true labels.
func Parquet(s beam.Scope, spec Spec, shards beam.PCollection, truth ...beam.PCollection) Evaluation {
	s = s.Scope("beameval.Parquet")
	shards = beam.Reshuffle(s, shards)
	var labels beam.PCollection
	if spec.Truth != nil {
		labels = beam.Reshuffle(s, truth[0])
	}
	return evaluated(s, spec, func(s beam.Scope) beam.PCollection {
		found := beam.ParDo(s, &labelsFn{spec.namedIn()}, shards)
		if spec.Truth == nil {
			return found
		}
		return beam.Flatten(s, found, beam.ParDo(s, &labelsFn{spec.namedInTruth()}, labels))
	}, func(s beam.Scope, spec Spec, vocab ...beam.SideInput) (partials, scores beam.PCollection) {
		switch {
		case spec.byExample():
			return byExample(s, spec, shards, labels, vocab...)
		case len(vocab) == 0:
			return beam.ParDo2(s, &foldFn{Spec: spec}, shards)
		}
		return beam.ParDo2(s, &foldFoundFn{foldFn{Spec: spec}}, shards, vocab[0])
	})
}

// Predictions evaluates a PCollection of [Prediction], each of which is an example
// with its true labels: Long and Truth of the spec are for files.
func Predictions(s beam.Scope, spec Spec, predictions beam.PCollection) Evaluation {
	s = s.Scope("beameval.Predictions")
	spec.Long, spec.Truth = false, nil
	return evaluated(s, spec, func(s beam.Scope) beam.PCollection {
		return beam.ParDo(s, namesOf, predictions)
	}, func(s beam.Scope, spec Spec, vocab ...beam.SideInput) (partials, scores beam.PCollection) {
		if len(vocab) == 0 {
			return beam.ParDo2(s, &foldPredictionsFn{Spec: spec}, predictions)
		}
		return beam.ParDo2(s, &foldFoundPredictionsFn{foldPredictionsFn{Spec: spec}}, predictions, vocab[0])
	})
}

// evaluated evaluates an input, of which found returns the labels and fold the
// partials of its slices.
func evaluated(s beam.Scope, spec Spec, found func(beam.Scope) beam.PCollection, fold folding) Evaluation {
	vocab, known := vocabulary(s, spec, found)
	if spec.counts() {
		vocab, known = withFrequencies(s, spec, vocab, fold), false
	}
	light := spec
	light.Labels = Vocabulary{} // may be large, and travels as vocab
	var partials, scores beam.PCollection
	if known && len(spec.Labels.Frequencies.Count) == 0 { // which may be many
		partials, scores = fold(s, spec)
	} else {
		partials, scores = fold(s, light, beam.SideInput{Input: vocab})
	}
	all := []beam.PCollection{partials}
	if spec.Params.Curving() {
		all = append(all, curves(s, light, scores))
	}
	return Evaluation{light, merged(s, all...), vocab}
}

// folding folds an input into the partials of its slices, and sorts its scores if
// curves need them. The labels are those of the spec, or a side input.
type folding func(s beam.Scope, spec Spec, vocab ...beam.SideInput) (partials, scores beam.PCollection)

func merged(s beam.Scope, partials ...beam.PCollection) beam.PCollection {
	// Of an input without rows there is an overall slice too.
	none := beam.ParDo(s, noRows, beam.Impulse(s))
	return beam.CombinePerKey(s, &mergeFn{}, beam.Flatten(s, append(partials, none)...))
}

// noRows is the partial of no rows.
func noRows([]byte) ([]byte, partial) { return []byte(overall), emptyPartial() }

func emptyPartial() partial { return partial{stats: new(metrics.Partial)} }

// Rows returns the metrics as a PCollection of report.Row.
func (e Evaluation) Rows(s beam.Scope) beam.PCollection {
	return beam.ParDo(s.Scope("beameval.Rows"), &rowsFn{e.spec}, e.slices, beam.SideInput{Input: e.vocab})
}

// rowsFn computes the metric rows of a slice.
type rowsFn struct{ Spec Spec }

// ProcessElement emits the rows of a slice.
func (f *rowsFn) ProcessElement(key []byte, p partial, vocab Vocabulary, emit func(report.Row)) error {
	slice, _, err := report.DecodeSlice(key)
	if err != nil {
		return err
	}
	rows, _, err := evaluate(f.Spec, &vocab, slice, p.stats)
	if err == nil {
		err = vocab.Err()
	}
	if err != nil {
		return marked(err)
	}
	for _, row := range rows {
		emit(row)
	}
	return nil
}

// evaluate computes the metric rows of a slice, and returns the labels that have
// some, in increasing order.
func evaluate(spec Spec, vocab *Vocabulary, slice report.Slice, stats *metrics.Partial) ([]report.Row, []int, error) {
	params := spec.with(vocab).Params
	results, err := params.Evaluate(stats, spec.options(vocab))
	if err != nil {
		return nil, nil, fmt.Errorf("slice %s: %w", slice, err)
	}
	rows := make([]report.Row, len(results))
	var labels []int
	for i, r := range results {
		rows[i] = report.Row{Name: r.Name, Slice: slice, Value: r.Number, Undefined: r.Undefined, Support: r.Support}
		if r.Bounded {
			rows[i].Interval = &report.Interval{Low: r.Low, High: r.High}
		}
		if r.Label >= 0 {
			name := vocab.Name(r.Label)
			rows[i].Label = &name
			labels = append(labels, r.Label)
		}
	}
	slices.Sort(labels)
	return rows, slices.Compact(labels), nil
}

// confusion returns the cells of a slice's confusion matrix.
func confusion(spec Spec, vocab *Vocabulary, slice report.Slice, stats *metrics.Partial) []report.Cell {
	params := spec.with(vocab).Params
	var cells []report.Cell
	for _, c := range params.Confusion(stats, spec.options(vocab)) {
		cell := report.Cell{Slice: slice, TrueIndex: c.True, PredictedIndex: c.Predicted, Count: c.Count, Weight: c.Weight}
		if c.Label >= 0 {
			name := vocab.Name(c.Label)
			cell.Label = &name
			cell.True, cell.Predicted = binaryNames[c.True], binaryNames[c.Predicted]
		} else {
			cell.True, cell.Predicted = vocab.Name(c.True), vocab.Name(c.Predicted)
		}
		cells = append(cells, cell)
	}
	return cells
}

var binaryNames = [2]string{"0", "1"}

// sliceState is a slice and its encoded statistics, on the way to the report.
type sliceState struct{ Slice, State []byte }

func stateOf(key []byte, p partial) (int, sliceState, error) {
	state, err := encodePartial(p)
	return 0, sliceState{key, state}, err
}

// byKey orders slices, so that reports are computed in the same order always.
func byKey(a, b sliceState) int { return cmp.Compare(string(a.Slice), string(b.Slice)) }

func sortStates(states []sliceState) { slices.SortFunc(states, byKey) }

func encodeRow(r report.Row) []byte {
	w := writer{r.Slice.AppendBinary(nil)}
	w.string(r.Name)
	w.string(r.Undefined)
	w.flag(r.Label != nil)
	if r.Label != nil {
		w.string(*r.Label)
	}
	w.float(r.Value)
	w.int(int(r.Support))
	w.flag(r.Interval != nil)
	if r.Interval != nil {
		w.float(r.Interval.Low)
		w.float(r.Interval.High)
	}
	return w.buf
}

func decodeRow(data []byte) (report.Row, error) {
	slice, data, err := report.DecodeSlice(data)
	if err != nil {
		return report.Row{}, err
	}
	r := reader{buf: data}
	row := report.Row{Slice: slice, Name: r.string(), Undefined: r.string()}
	if r.int() == 1 {
		label := r.string()
		row.Label = &label
	}
	row.Value, row.Support = r.float(), int64(r.int())
	if r.int() == 1 {
		row.Interval = &report.Interval{Low: r.float(), High: r.float()}
	}
	if len(r.buf) > 0 {
		r.fail()
	}
	return row, r.err
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[report.Row](), encodeRow, decodeRow)
	register.Function1x1(encodeRow)
	register.Function1x2(decodeRow)
	register.DoFn4x1[[]byte, partial, Vocabulary, func(report.Row), error](&rowsFn{})
	register.Emitter1[report.Row]()
	register.Function2x3(stateOf)
	register.Function1x2(noRows)
}
