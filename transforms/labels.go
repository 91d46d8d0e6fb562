package transforms

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/itemfrequencies"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// vocabulary returns the labels, and how frequent labels or items are, if the spec lacks them, if files have them, or
// if there are many: a PCollection of one shuffle.Spilled, a packed input.Vocabulary, which then is no longer in the
// spec. Otherwise it returns an invalid PCollection.
func vocabulary(s beam.Scope, spec *settled, in source) (labels beam.PCollection) {
	if !spec.labelled() {
		labels = packLabels(s, spec, findLabels(s, spec.Job, in))
	}
	switch {
	case spec.ItemFiles != nil && spec.Params.Has.Has(roles.Item):
		labels = packLabels(s, spec, itemFrequencies(s, spec))
	case spec.countsLabels():
		labels = packLabels(s, spec, countFrequencies(s, *spec, labels, in))
	case len(spec.Labels.Frequencies.Count) > 0 && !spec.Windowed: // there may be many, and this way they travel only once
		labels = packLabels(s, spec, beam.Create(s, spec.Labels))
	}
	return labels
}

// packLabels takes one input.Vocabulary, and returns it packed for tasks and outcomes, a shuffle.Spilled: there may
// be millions of labels, and they are copied to many places. It removes them from the spec.
func packLabels(s beam.Scope, spec *settled, vocab beam.PCollection) beam.PCollection {
	spec.Labels = input.Vocabulary{}
	return beam.ParDo(s, &packLabelsFn{shuffle.Spill{Dir: spec.TempDir}}, vocab)
}

// findLabels returns one input.Vocabulary, of all labels in the data.
func findLabels(s beam.Scope, j shuffle.Job, in source) beam.PCollection {
	s = s.Scope("labels")
	sets := orNone(s, j, noLabels, in.labels(s))
	limit := j.NameLimit()
	return beam.ParDo(s, &vocabularyFn{limit}, beam.Combine(s, &unionFn{limit}, sets))
}

// itemFrequencies returns one input.Vocabulary, with the frequencies of items from files. It removes these files from
// the spec.
func itemFrequencies(s beam.Scope, spec *settled) beam.PCollection {
	fn := &itemfrequencies.Fn{Files: *spec.ItemFiles, Names: spec.Params.Names}
	spec.ItemFiles = nil
	return beam.ParDo(s.Scope("items"), fn, beam.Impulse(s))
}

// countsLabels reports whether the frequencies of labels have to be counted in the data before the
// evaluation.
func (s *settled) countsLabels() bool {
	return s.Params.Propensity != nil && s.Labels.Frequencies.Examples == 0
}

// countFrequencies returns one input.Vocabulary, with the frequencies of the labels in the examples to be evaluated.
// It is a separate fold, which skips the same bad rows as the evaluation. labels are packed, or invalid if the spec
// has them.
func countFrequencies(s beam.Scope, spec settled, labels beam.PCollection, in source) beam.PCollection {
	s = s.Scope("frequencies")
	spec.Slices, spec.Search, spec.Worst, spec.Changed, spec.Compare = nil, nil, nil, nil, false
	spec.Params = spec.Params.ToCountLabels()
	partials, _ := in.fold(s, spec.Job, prerequisites{labels: labels})
	all := Evaluation{slices: mergePartials(s, spec.Job, partials), labels: labels} // there is a single slice
	return beam.ParDo(s, &frequenciesFn{spec}, beam.GroupByKey(s, all.elements(s, nil)))
}

// vocabularyFn makes the vocabulary of all labels found.
type vocabularyFn struct{ Limit shuffle.NameLimit }

// ProcessElement returns the vocabulary.
func (f *vocabularyFn) ProcessElement(set labelSet) (input.Vocabulary, error) {
	if err := f.Limit.CheckColumns(set.size(), "labels"); err != nil {
		return input.Vocabulary{}, workers.Mark(err)
	}
	v := input.FoundLabels(set.Ints, set.Strings)
	if len(v.Names) == 0 {
		return v, workers.Mark(errors.New("no labels were found: the input is empty, or all its labels are null or have a fraction; a class is a whole number, a boolean or a text"))
	}
	return v, nil
}

// packLabelsFn packs a vocabulary.
type packLabelsFn struct{ Spill shuffle.Spill }

// ProcessElement emits the packed labels.
func (f *packLabelsFn) ProcessElement(vocab input.Vocabulary, emit func(shuffle.Spilled)) error {
	packed, err := shuffle.Pack(&f.Spill, &vocab, shuffle.VocabularyFields)
	if err != nil {
		return workers.Mark(err)
	}
	emit(packed)
	return nil
}

// FinishBundle closes the file of the labels.
func (f *packLabelsFn) FinishBundle(_ func(shuffle.Spilled)) error {
	return workers.Mark(f.Spill.Close())
}

// Teardown removes the remains of a failed bundle, if it was the last one.
func (f *packLabelsFn) Teardown() { f.Spill.Abandon() }

// labelSet is a set of labels found in data: numbers and strings, each sorted.
type labelSet struct {
	Ints    []int64
	Strings []string
}

// noLabels emits the labels of no rows.
func noLabels([]byte) labelSet { return labelSet{} }

func labelSetFields(c *wire.Coder, s *labelSet) {
	wire.List(c, &s.Ints, wire.Int)
	c.Strings(&s.Strings)
}

// size returns the bytes of the names.
func (s *labelSet) size() (n int64) {
	for _, name := range s.Strings {
		n += int64(len(name))
	}
	return n
}

// unionFn merges label sets and keeps them sorted. It adds nothing to a set that exceeds the limit, with
// which vocabularyFn ends the run.
type unionFn struct{ Limit shuffle.NameLimit }

// CreateAccumulator returns an empty set.
func (unionFn) CreateAccumulator() labelSet { return labelSet{} }

// AddInput adds a set.
func (f unionFn) AddInput(acc, in labelSet) labelSet {
	if f.Limit.CheckColumns(acc.size(), "") != nil {
		return acc
	}
	return labelSet{union(acc.Ints, in.Ints), union(acc.Strings, in.Strings)}
}

// MergeAccumulators merges two sets.
func (f unionFn) MergeAccumulators(a, b labelSet) labelSet { return f.AddInput(a, b) }

func union[T cmp.Ordered](a, b []T) []T {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// collector collects the distinct labels of columns.
type collector struct {
	limit shuffle.NameLimit
	ints  map[int64]bool
	dicts batches.Dictionaries
	codes map[string][]bool // by column and code: whether the string has occurred; the table of a column may have strings that do not occur
}

func newCollector(limit shuffle.NameLimit) (*collector, error) {
	return &collector{limit: limit, ints: make(map[int64]bool), dicts: make(batches.Dictionaries), codes: make(map[string][]bool)}, nil
}

// collect collects the values of columns in a row group.
func (c *collector) collect(ctx context.Context, s *batches.OpenShard, group int, names []string) error {
	for _, name := range names {
		reader := batches.Reader{Names: []string{name}, Dicts: c.dicts, Rows: batches.Values, Limit: c.limit}
		err := reader.Read(ctx, s, group, func(_ *columns.Numbers, _ int, cols []*columns.Column) error {
			c.add(name, cols[0])
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// add collects the values of a column. It ignores nulls and numbers that are not whole, which the
// evaluation will report as bad rows.
func (c *collector) add(name string, col *columns.Column) {
	if col.Type == columns.Bool && col.Offsets != nil { // of a prediction set: for each class, whether it is in the set
		return
	}
	codes := c.codes[name]
	if col.Type == columns.String {
		codes = append(codes, make([]bool, max(col.Dict.Len()-len(codes), 0))...)
		c.codes[name] = codes
	}
	for i := range col.Len() {
		if col.IsNull(i) {
			continue
		}
		switch col.Type {
		case columns.String:
			codes[col.Codes[i]] = true
		case columns.Float:
			if x := col.Floats[i]; x == float64(int64(x)) {
				c.ints[int64(x)] = true
			}
		case columns.Int, columns.Bool:
			c.ints[col.Ints[i]] = true
		}
	}
}

// set returns the set of collected labels.
func (c *collector) set() labelSet {
	found := labelSet{Ints: slices.Sorted(maps.Keys(c.ints))}
	for name, codes := range c.codes {
		for code, met := range codes {
			if met {
				found.Strings = append(found.Strings, c.dicts.Table(name).Values()[code])
			}
		}
	}
	slices.Sort(found.Strings)
	found.Strings = slices.Compact(found.Strings)
	return found
}

// Finish does nothing: all labels are collected at once.
func (c *collector) Finish() error { return nil }

// Abandon does nothing: there are no temporary data.
func (c *collector) Abandon() {}

// labelColumns returns the columns of predictions whose values are labels.
func (s *settled) labelColumns() (names []string) {
	naming := roles.Task(s.Params.Task).Naming()
	for r := range naming.All() {
		names = append(names, *s.Columns.Of(r))
	}
	switch {
	case naming != 0:
		return nonEmpty(names...)
	case s.Long:
		return []string{s.Columns.Class}
	}
	names = nonEmpty(s.Columns.Label, s.Columns.ScoreLabel, s.Columns.Prediction, s.Columns.Baseline, s.Columns.Judged)
	if set := s.Columns.Set; set != "" && s.Columns.Wide[set] == nil {
		names = append(names, set)
	}
	return names
}

func nonEmpty(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// labelsFn finds the labels in columns of shards.
type labelsFn struct {
	Columns []string
	Limit   shuffle.NameLimit

	workers.Bundle[*collector]
}

// ProcessElement submits the row groups of a shard to the pool.
func (f *labelsFn) ProcessElement(ctx context.Context, shard input.Shard, _ func(labelSet)) error {
	newWorker := func() (*collector, error) { return newCollector(f.Limit) }
	return f.Do(ctx, 0, newWorker, func(p *workers.Pool[*collector]) error {
		return batches.ReadShard(ctx, p, shard, func(ctx context.Context, c *collector, s *batches.OpenShard, group int) error {
			return c.collect(ctx, s, group, f.Columns)
		})
	})
}

// FinishBundle waits for the pool and emits the labels that each worker has found.
func (f *labelsFn) FinishBundle(_ context.Context, emit func(labelSet)) error {
	return f.Finish(func(collectors []*collector) error {
		for _, c := range collectors {
			emit(c.set())
		}
		return nil
	})
}

// frequenciesFn adds the frequencies of labels to their vocabulary.
type frequenciesFn struct{ Spec settled }

// ProcessElement returns the labels with their frequencies.
func (f *frequenciesFn) ProcessElement(ctx context.Context, _ int, elements func(*outcomeElement) bool) (input.Vocabulary, error) {
	out, err := readOutcome(&f.Spec, elements)
	if err != nil {
		return input.Vocabulary{}, workers.Mark(err)
	}
	err = out.each(ctx, func(_ int, _ slice.Key, p *shuffle.Partial) error {
		out.vocab.Frequencies = metrics.CountLabels(p.Stats)
		return nil
	})
	return *out.vocab, workers.Mark(err)
}

func init() {
	shuffle.Register(labelSetFields)
	beam.RegisterDoFn(reflect.TypeFor[labelsFn]())
	beam.RegisterDoFn(reflect.TypeFor[packLabelsFn]())
	beam.RegisterDoFn(reflect.TypeFor[frequenciesFn]())
	register.Emitter1[labelSet]()
	register.Emitter1[shuffle.Spilled]()
	register.Function1x1(noLabels)
	beam.RegisterDoFn(reflect.TypeFor[vocabularyFn]())
	register.Combiner1[labelSet](&unionFn{})
}
