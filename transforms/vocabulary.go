package transforms

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/io/columns"
)

// foundLabels returns the Vocabulary of the labels that find finds in the data, as
// sets.
func foundLabels(s beam.Scope, find func(beam.Scope) beam.PCollection) beam.PCollection {
	s = s.Scope("labels")
	sets := beam.Flatten(s, find(s), beam.Create(s, labelSet{}))
	return beam.ParDo(s, vocabularyOfAll, beam.Combine(s, &unionFn{}, sets))
}

func vocabularyOfAll(set labelSet) (Vocabulary, error) {
	v := vocabularyOf(set)
	if len(v.Names) == 0 {
		return v, marked(errors.New("no labels were found: the input is empty, or all its labels are null"))
	}
	return v, nil
}

// packLabelsFn packs labels, which may be millions and are copied to many places.
type packLabelsFn struct {
	TempDir string

	bundleSpill
}

// ProcessElement emits the packed labels.
func (f *packLabelsFn) ProcessElement(vocab Vocabulary, emit func(spilled)) error {
	data, err := f.into(f.TempDir).write(encodeVocabulary(vocab))
	if err != nil {
		return marked(err)
	}
	emit(data)
	return nil
}

// FinishBundle closes the file of the labels.
func (f *packLabelsFn) FinishBundle(_ func(spilled)) error { return f.close() }

func unpackLabels(labels *spilled) (Vocabulary, error) {
	data, err := labels.read()
	if err != nil {
		return Vocabulary{}, err
	}
	return decodeVocabulary(data)
}

// labelSet is a set of labels found in data: of numbers or of strings.
type labelSet struct {
	Ints    []int64
	Strings []string
}

// vocabularyOf returns the labels in order. A number and its text are the same
// label.
func vocabularyOf(set labelSet) Vocabulary {
	v := Vocabulary{Numbers: len(set.Ints) > 0}
	for _, i := range set.Ints {
		v.Names = append(v.Names, strconv.FormatInt(i, 10))
	}
	for _, s := range set.Strings {
		if !isOneOf(s, set.Ints) {
			v.Names = append(v.Names, s)
		}
	}
	return v
}

// isOneOf says whether s is the text of a number of a sorted list.
func isOneOf(s string, list []int64) bool {
	i, err := strconv.ParseInt(s, 10, 64)
	_, found := slices.BinarySearch(list, i)
	return err == nil && found && strconv.FormatInt(i, 10) == s
}

// unionFn merges label sets, keeping them sorted.
type unionFn struct{}

// CreateAccumulator returns an empty set.
func (unionFn) CreateAccumulator() labelSet { return labelSet{} }

// AddInput adds a set.
func (unionFn) AddInput(acc, in labelSet) labelSet {
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
	ints    map[int64]bool
	strings map[string]bool
	codes   []bool // which strings of the column's table were met: it may hold others
}

func newCollector() *collector {
	return &collector{ints: make(map[int64]bool), strings: make(map[string]bool)}
}

// add collects the values of a column. Nulls, and numbers that are not whole,
// are found to be bad when they are evaluated.
func (c *collector) add(col *columns.Column) {
	for i := range col.Len() {
		if col.Null != nil && col.Null[i] {
			continue
		}
		switch col.Type {
		case columns.String:
			code := int(col.Codes[i])
			if code >= len(c.codes) {
				c.codes = append(c.codes, make([]bool, col.Dict.Len()-len(c.codes))...)
			}
			c.codes[code] = true
		case columns.Float:
			if x := col.Floats[i]; x == float64(int64(x)) {
				c.ints[int64(x)] = true
			}
		case columns.Int, columns.Bool:
			c.ints[col.Ints[i]] = true
		}
	}
}

func (c *collector) set() labelSet {
	return labelSet{slices.Sorted(maps.Keys(c.ints)), slices.Sorted(maps.Keys(c.strings))}
}

// namedIn returns the columns of predictions whose values are labels.
func (s *Spec) namedIn() []string {
	c := &s.Columns
	if s.Long {
		return []string{c.Class}
	}
	return nonEmpty(c.Label, c.ScoreLabel, c.Prediction)
}

// namedInTruth returns those of the truth.
func (s *Spec) namedInTruth() []string {
	c := &s.truth.Columns
	if c.Class != "" {
		return []string{c.Class}
	}
	return nonEmpty(c.Label)
}

func nonEmpty(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// labelsFn finds the labels in columns of shards.
type labelsFn struct{ Columns []string }

// ProcessElement reads a shard.
func (f *labelsFn) ProcessElement(ctx context.Context, shard Shard, emit func(labelSet)) error {
	found := newCollector()
	if err := f.collect(ctx, shard, found); err != nil {
		return marked(err)
	}
	emit(found.set())
	return nil
}

func (f *labelsFn) collect(ctx context.Context, shard Shard, found *collector) (err error) {
	open, file, err := shard.open(ctx)
	if err != nil {
		return err
	}
	defer file.Close()
	defer func() { err = unlessChanged(open.file.source, err) }()
	for _, name := range f.Columns {
		dict := new(columns.Strings)
		found.codes = nil
		for g := shard.First; g < shard.First+shard.Groups; g++ {
			if err := collect(ctx, open.file.File, g, name, dict, found); err != nil {
				return err
			}
		}
		for code, met := range found.codes {
			if met {
				found.strings[dict.Values()[code]] = true
			}
		}
	}
	return nil
}

func collect(ctx context.Context, file *columns.File, group int, name string, dict *columns.Strings, found *collector) error {
	for read, err := range file.Read(group, []string{name}, []*columns.Strings{dict}, batchValues) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		found.add(&read.Columns[0])
	}
	return nil
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[labelsFn]())
	register.Emitter1[labelSet]()
	register.Function1x2(vocabularyOfAll)
	beam.RegisterDoFn(reflect.TypeFor[packLabelsFn]())
	register.Emitter1[spilled]()
	register.Combiner1[labelSet](&unionFn{})
}
