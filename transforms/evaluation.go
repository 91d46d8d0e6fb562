package transforms

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
)

// Evaluation is the outcome of an evaluation within a pipeline: the merged
// statistics of every slice.
type Evaluation struct {
	spec   Spec
	slices beam.PCollection // KV<[]byte, partial>, a slice each
	labels beam.PCollection // packed; not valid if the spec has them
}

// input is what is evaluated.
type input struct {
	// labels returns the sets of labels in the data, a PCollection of labelSet.
	labels func(beam.Scope) beam.PCollection
	// fold folds the data into the partials of slices, and sorts their scores if
	// curves need them. For labels see foldTasks.
	fold func(s beam.Scope, spec Spec, labels beam.PCollection) (partials, scores beam.PCollection)
}

// Parquet evaluates Parquet files: a PCollection of [Shard], as [FindShards]
// returns them and beam.CreateList puts them into the pipeline. A spec that cannot be
// evaluated is an error, and nothing is added to the pipeline that matters then.
func Parquet(s beam.Scope, spec Spec, shards beam.PCollection) (Evaluation, error) {
	spec.truth = nil
	return fromFiles(s.Scope("beameval.Parquet"), spec, shards, beam.PCollection{})
}

// Joined is Parquet where the true labels are in other files, whose shards are judged.
func Joined(s beam.Scope, spec Spec, shards beam.PCollection, truth Truth, judged beam.PCollection) (Evaluation, error) {
	if err := requireElements[Shard](judged, "shards of the truth"); err != nil {
		return Evaluation{}, err
	}
	spec.truth = &truth
	s = s.Scope("beameval.Joined")
	return fromFiles(s, spec, shards, beam.Reshuffle(s, judged))
}

// fromFiles evaluates files; judged is not valid if the labels are beside the
// predictions.
func fromFiles(s beam.Scope, spec Spec, shards, judged beam.PCollection) (Evaluation, error) {
	if err := requireElements[Shard](shards, "shards"); err != nil {
		return Evaluation{}, err
	}
	spec, err := spec.settled(false)
	if err != nil {
		return Evaluation{}, err
	}
	spread := sync.OnceValue(func() beam.PCollection { return beam.Reshuffle(s, shards) })
	return evaluated(s, spec, input{
		labels: func(s beam.Scope) beam.PCollection {
			found := beam.ParDo(s, &labelsFn{spec.namedIn()}, spread())
			if spec.truth == nil {
				return found
			}
			return beam.Flatten(s, found, beam.ParDo(s, &labelsFn{spec.namedInTruth()}, judged))
		},
		fold: func(s beam.Scope, spec Spec, labels beam.PCollection) (partials, scores beam.PCollection) {
			if spec.byExample() {
				return byExample(s, spec, spread(), judged, labels)
			}
			partials, scores, _ = foldTasks(s, spec, labels, beam.ParDo(s, shardToTask, shards))
			return partials, scores
		},
	}), nil
}

// Predictions evaluates a PCollection of [Prediction], each of which is an example
// with its true labels. A spec that cannot be evaluated is an error.
func Predictions(s beam.Scope, spec Spec, predictions beam.PCollection) (Evaluation, error) {
	if err := requireElements[Prediction](predictions, "predictions"); err != nil {
		return Evaluation{}, err
	}
	spec.truth = nil
	spec, err := spec.settled(true)
	if err != nil {
		return Evaluation{}, err
	}
	return evaluated(s.Scope("beameval.Predictions"), spec, input{
		labels: func(s beam.Scope) beam.PCollection { return beam.ParDo(s, namesOf, predictions) },
		fold: func(s beam.Scope, spec Spec, labels beam.PCollection) (partials, scores beam.PCollection) {
			if !labels.IsValid() {
				return beam.ParDo2(s, &foldPredictionsFn{Spec: spec}, predictions)
			}
			packed := beam.ParDo(s, &packPredictionsFn{TempDir: spec.TempDir}, predictions)
			partials, scores, _ = foldTasks(s, spec, labels, packed)
			return partials, scores
		},
	}), nil
}

// evaluated evaluates an input.
func evaluated(s beam.Scope, spec Spec, in input) Evaluation {
	var labels beam.PCollection
	if !spec.labelled() {
		labels = packed(s, &spec, foundLabels(s, in.labels))
	}
	switch {
	case spec.counts():
		labels = packed(s, &spec, withFrequencies(s, spec, labels, in))
	case len(spec.Labels.Frequencies.Count) > 0: // they may be many, and travel once
		labels = packed(s, &spec, beam.Create(s, spec.labels()))
	}
	partials, scores := in.fold(s, spec, labels)
	all := []beam.PCollection{partials}
	if spec.Params.Curving() {
		all = append(all, curves(s, spec, scores))
	}
	return Evaluation{spec, merged(s, all...), labels}
}

// packed packs labels for tasks and outcomes. The spec then has them no more.
func packed(s beam.Scope, spec *Spec, vocab beam.PCollection) beam.PCollection {
	spec.Labels = Vocabulary{}
	return beam.ParDo(s, &packLabelsFn{TempDir: spec.TempDir}, vocab)
}

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
	s = s.Scope("beameval.Rows")
	return beam.ParDo(s, &rowsFn{e.spec}, outcome(s, e.slices, e.labels))
}

// rowsFn computes the metric rows of all slices.
type rowsFn struct{ Spec Spec }

// ProcessElement emits the rows.
func (f *rowsFn) ProcessElement(ctx context.Context, _ int, parts func(*outcomePart) bool, emit func(report.Row)) error {
	all, err := f.rows(ctx, parts)
	if err != nil {
		return marked(err)
	}
	for _, rows := range all {
		for _, row := range rows {
			emit(row)
		}
	}
	return nil
}

func (f *rowsFn) rows(ctx context.Context, parts func(*outcomePart) bool) ([][]report.Row, error) {
	out, err := readOutcome(&f.Spec, parts)
	if err != nil {
		return nil, err
	}
	spec := f.Spec.with(out.vocab)
	all := make([][]report.Row, len(out.slices))
	err = out.each(ctx, &spec, func(i int, key slice.Key, p *partial) (err error) {
		if len(key) == 0 && p.counts.Read > 0 { // no rows at all have metrics, undefined ones
			if _, err := spec.verdict(&p.counts, p.stats.Examples()); err != nil {
				return err
			}
		}
		all[i], _, err = evaluate(spec, out.vocab, key, p.stats)
		return err
	})
	if err == nil {
		err = out.vocab.Err()
	}
	return all, err
}

// evaluate computes the metric rows of a slice, and returns the labels that have
// some, in increasing order.
func evaluate(spec Spec, vocab *Vocabulary, key slice.Key, stats *metrics.Partial) ([]report.Row, []int, error) {
	params := spec.with(vocab).Params
	results, err := params.Evaluate(stats, spec.options(vocab))
	if err != nil {
		return nil, nil, fmt.Errorf("slice %s: %w", key, err)
	}
	rows := make([]report.Row, len(results))
	var labels []int
	for i, r := range results {
		rows[i] = report.Row{Name: r.Name, Slice: key, Value: r.Number, Undefined: r.Undefined, Support: r.Support}
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
func confusion(spec Spec, vocab *Vocabulary, key slice.Key, stats *metrics.Partial) []report.Cell {
	params := spec.with(vocab).Params
	var cells []report.Cell
	for _, c := range params.Confusion(stats, spec.options(vocab)) {
		cell := report.Cell{Slice: key, TrueIndex: c.True, PredictedIndex: c.Predicted, Count: c.Count, Weight: c.Weight}
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
	key, data, err := slice.Decode(data)
	if err != nil {
		return report.Row{}, err
	}
	r := reader{buf: data}
	row := report.Row{Slice: key, Name: r.string(), Undefined: r.string()}
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
	beam.RegisterDoFn(reflect.TypeFor[rowsFn]())
	register.Emitter1[report.Row]()
	register.Function1x2(noRows)
}
