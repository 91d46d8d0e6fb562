package transforms

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// Prediction is a prediction in memory, as an element of a PCollection. Which
// fields count depends on the task.
type Prediction struct {
	// Example names the example in messages; in a ranking it is the query, which
	// Spec.PerQuery reports.
	Example string
	// Labels are the names of the true labels: exactly one of a binary or
	// multiclass example, any number of a multilabel one. In a binary task it is
	// the spec's PositiveLabel or another; without PositiveLabel "1" or "0".
	Labels []string
	// Distribution is the true distribution over the classes, in their order, of a
	// multiclass example if the spec's Encoding is Distribution; Labels count for
	// nothing then.
	Distribution []float64
	// Items are the ids of the items retrieved for a query, each once, whose scores
	// are Scores and whose relevance is Relevance, for specs of rankings. Items may be
	// missing if ties are not broken by them.
	Items     []string
	Relevance []float64
	// Target is the true value in a regression.
	Target float64
	// Scores are the scores of all labels, in their order; the one score of the
	// positive label in a binary task; where they are sparse, those of ScoreLabels.
	Scores []float64
	// ScoreLabels are the names of the labels that have scores, for specs with
	// sparse scores.
	ScoreLabels []string
	// Predicted are the names of the predicted labels, for specs without scores
	// or with decisions of their own; see Spec.Columns.Prediction.
	Predicted []string
	// Estimate is the predicted value in a regression.
	Estimate float64
	// Weight is the example's weight; nil means 1.
	Weight *float64
	// Slices are the values of slice columns; one that is missing is null.
	Slices map[string]string
}

// predictionBatch is how many predictions are folded at a time.
const predictionBatch = 1024

// foldPredictionsFn folds predictions into one partial for each slice and
// bundle.
type foldPredictionsFn struct {
	Spec Spec

	rows    beam.Counter
	folder  *folder
	waiting []Prediction
}

// Setup makes the counter.
func (f *foldPredictionsFn) Setup() { f.rows = beam.NewCounter(CounterNamespace, RowsCounter) }

// Teardown forgets what a failed bundle left, if it was the last.
func (f *foldPredictionsFn) Teardown() { f.abandon() }

func (f *foldPredictionsFn) abandon() {
	if f.folder != nil {
		f.folder.abandon()
		f.folder, f.waiting = nil, nil
	}
}

// ProcessElement collects predictions and folds them in batches.
func (f *foldPredictionsFn) ProcessElement(ctx context.Context, p Prediction, _ func([]byte, partial), _ func(int, scoreRun)) error {
	if f.folder == nil {
		vocab := f.Spec.labels()
		var err error
		if f.folder, err = newFolder(f.Spec, &vocab); err != nil {
			return marked(err)
		}
	}
	f.rows.Inc(ctx, 1)
	if f.waiting = append(f.waiting, p); len(f.waiting) < predictionBatch {
		return nil
	}
	if err := f.flush(); err != nil {
		f.abandon()
		return marked(err)
	}
	return nil
}

// FinishBundle folds the rest and emits.
func (f *foldPredictionsFn) FinishBundle(_ context.Context, emit func([]byte, partial), emitScores func(int, scoreRun)) error {
	if f.folder == nil {
		return nil
	}
	defer f.abandon()
	if err := f.flush(); err != nil {
		return marked(err)
	}
	if err := f.folder.finish(); err != nil {
		return marked(err)
	}
	return marked(emitFolded([]*folder{f.folder}, emit, emitScores))
}

func (f *foldPredictionsFn) flush() error {
	err := f.folder.foldPredictions(f.waiting)
	f.waiting = f.waiting[:0]
	return err
}

// foldPredictions folds a batch of predictions.
func (f *folder) foldPredictions(list []Prediction) error {
	if len(list) == 0 {
		return nil
	}
	b := f.columnar(list)
	b.where = func(bad *ingest.Bad) report.SkippedRow {
		if bad == nil {
			return report.SkippedRow{File: "predictions in memory", RowGroup: -1}
		}
		return report.SkippedRow{File: fmt.Sprintf("example %q", list[bad.Row].Example), RowGroup: -1}
	}
	return f.fold(b)
}

// packPredictionsFn packs predictions for tasks, batch by batch.
type packPredictionsFn struct {
	TempDir string

	bundleSpill
	batches int
	waiting []Prediction
}

// ProcessElement collects predictions.
func (f *packPredictionsFn) ProcessElement(p Prediction, emit func(int, taskPart)) error {
	if f.waiting = append(f.waiting, p); len(f.waiting) < predictionBatch {
		return nil
	}
	return f.pack(emit)
}

// FinishBundle packs the rest.
func (f *packPredictionsFn) FinishBundle(emit func(int, taskPart)) error {
	if err := f.pack(emit); err != nil {
		return err
	}
	return f.close()
}

func (f *packPredictionsFn) pack(emit func(int, taskPart)) error {
	var w writer
	writeList(&w, f.waiting, func(p Prediction) { w.string(string(encodePrediction(p))) })
	f.waiting = f.waiting[:0]
	data, err := f.into(f.TempDir).write(w.buf)
	if err != nil {
		return marked(err)
	}
	emit(f.batches, taskPart{kind: predictionsTask, Predictions: data})
	f.batches++
	return nil
}

// foldPacked folds packed predictions.
func (f *folder) foldPacked(ctx context.Context, packed *spilled, progress *progress) error {
	data, err := packed.read()
	if err != nil {
		return err
	}
	r := reader{buf: data}
	list := make([]Prediction, r.length())
	for i := range list {
		if list[i], err = decodePrediction(r.bytes(r.length())); err != nil {
			return err
		}
	}
	if r.err != nil {
		return r.err
	}
	progress.read(ctx, len(list))
	return f.foldPredictions(list)
}

// inMemory returns the spec with names for columns that have none: those of the
// fields of Prediction.
func (s Spec) inMemory() Spec {
	label, prediction := "Labels", "Predicted"
	if s.Encoding == Distribution {
		label = "Distribution"
	}
	switch {
	case s.Params.Task == metrics.Regression:
		label, prediction = "Target", "Estimate"
	case s.Params.Task == metrics.Ranking:
		label, prediction = "Relevance", ""
	case s.Params.Scores:
		prediction = ""
	}
	c := &s.Columns
	c.Label, c.Score = cmp.Or(c.Label, label), cmp.Or(c.Score, "Scores")
	if s.Params.Sparse {
		c.ScoreLabel = cmp.Or(c.ScoreLabel, "ScoreLabels")
	}
	if s.Params.Ranking.Ties == metrics.ItemTies {
		c.Item = cmp.Or(c.Item, "Items")
	}
	c.Prediction, c.Weight = cmp.Or(c.Prediction, prediction), cmp.Or(c.Weight, "Weight")
	return s
}

// columnar puts predictions into columns, as if they had been read from a file.
func (f *folder) columnar(list []Prediction) *batch {
	b := new(batch)
	b.Rows = len(list)
	p := &f.spec.Params
	switch p.Task {
	case metrics.Regression:
		b.Label = floats(list, func(p *Prediction) float64 { return p.Target })
		b.Prediction = floats(list, func(p *Prediction) float64 { return p.Estimate })
	case metrics.Ranking:
		b.Label = lists(list, func(p *Prediction) []float64 { return p.Relevance })
		b.Score = lists(list, func(p *Prediction) []float64 { return p.Scores })
		if f.spec.Columns.Item != "" {
			b.Item = f.strings(list, "item", false, func(p *Prediction) []string { return p.Items })
		}
		if f.queries != nil {
			b.ids = f.strings(list, "query", true, func(p *Prediction) []string { return []string{p.Example} })
		}
	default:
		single := p.Task != metrics.Multilabel
		if f.spec.Encoding == Distribution {
			b.Label = lists(list, func(p *Prediction) []float64 { return p.Distribution })
		} else {
			b.Label = f.strings(list, "label", single, func(p *Prediction) []string { return p.Labels })
		}
		if p.Scores {
			b.Score = lists(list, func(p *Prediction) []float64 { return p.Scores })
			if p.Sparse {
				b.ScoreLabel = f.strings(list, "score label", false, func(p *Prediction) []string { return p.ScoreLabels })
			}
		}
		if p.Decisions && f.spec.Columns.Prediction != "" {
			b.Prediction = f.strings(list, "prediction", single, func(p *Prediction) []string { return p.Predicted })
		}
	}
	if slices.ContainsFunc(list, func(p Prediction) bool { return p.Weight != nil }) {
		b.Weight = floats(list, func(p *Prediction) float64 {
			if p.Weight == nil {
				return 1
			}
			return *p.Weight
		})
	}
	for _, name := range f.slicer.columns {
		b.slices = append(b.slices, f.strings(list, "slice "+name, true, func(p *Prediction) []string {
			if v, ok := p.Slices[name]; ok {
				return []string{v}
			}
			return nil
		}))
	}
	return b
}

func floats(list []Prediction, of func(*Prediction) float64) *columns.Column {
	c := &columns.Column{Type: columns.Float, Floats: make([]float64, len(list))}
	for i := range list {
		c.Floats[i] = of(&list[i])
	}
	return c
}

// lists is a column of lists of numbers.
func lists(list []Prediction, of func(*Prediction) []float64) *columns.Column {
	c := &columns.Column{Type: columns.Float, Offsets: make([]int32, 1, len(list)+1)}
	for i := range list {
		c.Floats = append(c.Floats, of(&list[i])...)
		c.Offsets = append(c.Offsets, int32(len(c.Floats)))
	}
	return c
}

// strings is a column of strings: scalars, null unless there is exactly one,
// or lists.
func (f *folder) strings(list []Prediction, name string, scalar bool, of func(*Prediction) []string) *columns.Column {
	c := &columns.Column{Type: columns.String, Dict: f.dicts.of(name)}
	if scalar {
		c.Null = make([]bool, len(list))
	} else {
		c.Offsets = make([]int32, 1, len(list)+1)
	}
	for i := range list {
		values := of(&list[i])
		if scalar && len(values) != 1 {
			c.Null[i] = true
			c.Codes = append(c.Codes, 0)
			continue
		}
		for _, v := range values {
			c.Codes = append(c.Codes, c.Dict.Code([]byte(v)))
		}
		if !scalar {
			c.Offsets = append(c.Offsets, int32(len(c.Codes)))
		}
	}
	return c
}

// namesOf returns the labels that a prediction names.
func namesOf(p Prediction) labelSet {
	return labelSet{Strings: union(union(p.Labels, p.Predicted), p.ScoreLabels)}
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[foldPredictionsFn]())
	beam.RegisterDoFn(reflect.TypeFor[packPredictionsFn]())
	register.Function1x1(namesOf)
}
