package ranges

import (
	"cmp"
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/scoreruns"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/lanes"
)

// Sample is a sample of the scores.
type Sample struct {
	Knots  []scoreruns.Knot
	Curves int // the approximate number of curves, over all labels and slices
}

func sampleFields(c *wire.Coder, s *Sample) {
	wire.List(c, &s.Knots, func(c *wire.Coder, k *scoreruns.Knot) {
		c.Fixed(&k.Image)
		wire.Int(c, &k.Entries)
	})
	wire.Int(c, &s.Curves)
}

// onlyKey is the key of all shards, from which one worker takes a sample, and of all samples.
const onlyKey = 0

// SampledShard gives a shard the only key.
func SampledShard(s input.Shard) (int, input.Shard) { return onlyKey, s }

// NoSample is a sample without scores, which ensures that bounds are emitted even if there is no
// other.
func NoSample([]byte) (int, Sample) { return onlyKey, Sample{} }

const (
	// sampledGroups is the largest number of row groups in a sample.
	sampledGroups = 64
	// groupScores is the largest number of scores from one row group in a sample.
	groupScores = 2048
)

// SampleFn takes a sample of the scores in shards: some of the first scores of some row groups. A
// bad sample makes the ranges uneven, but never makes a result wrong.
type SampleFn struct{ Job shuffle.Job }

// ProcessElement reads row groups that are spread evenly over the shards.
func (f *SampleFn) ProcessElement(ctx context.Context, _ int, next func(*input.Shard) bool, emit func(int, Sample)) error {
	chosen, groups := chooseGroups(next)
	samples := make([]Sample, len(chosen))
	readers, ctx := errgroup.WithContext(ctx)
	readers.SetLimit(2 * runtime.GOMAXPROCS(0)) // twice the cores, because readers also wait for storage
	for i, at := range chosen {
		readers.Go(func() error {
			s := newSampler(f.Job)
			// Ignore errors: whoever reads the whole file will find and report them.
			if s.readGroup(ctx, at) == nil {
				samples[i] = s.sample(float64(groups) / float64(len(chosen)))
			}
			return ctx.Err()
		})
	}
	err := readers.Wait()
	for _, s := range samples {
		emit(onlyKey, s)
	}
	return err
}

// chooseGroups chooses some row groups, each as a shard of its own, and counts all row groups.
func chooseGroups(next func(*input.Shard) bool) (chosen []input.Shard, groups int) {
	var shards []input.Shard
	var s input.Shard
	for next(&s) {
		shards = append(shards, s)
		groups += s.RowGroups
	}
	slices.SortFunc(shards, func(a, b input.Shard) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.First, b.First))
	})
	n := min(groups, max(4, min(groups/8, sampledGroups)))
	before := 0
	for _, s := range shards {
		for len(chosen) < n {
			at := (2*len(chosen) + 1) * groups / (2 * n)
			if at >= before+s.RowGroups {
				break
			}
			one := s
			one.First, one.RowGroups = s.First+at-before, 1
			chosen = append(chosen, one)
		}
		before += s.RowGroups
	}
	return chosen, groups
}

// sampler collects the scores of a sample.
type sampler struct {
	job    shuffle.Job
	slicer *batches.Slicer
	dicts  batches.Dictionaries
	top    bool // whether scores of the top class are needed as well
	twice  bool // whether each score is also one of metrics.CostLabel

	tuples []int32
	scores []float64
	rows   int     // the number of rows that the scores come from
	every  float64 // the number of rows of the row group that each of these rows stands for
}

func newSampler(j shuffle.Job) *sampler {
	own, _ := j.SliceColumns()
	for _, c := range slices.Concat(j.Slices...) {
		if c.Bins != nil || c.Quantiles > 0 || c.Function != "" { // its slices have far fewer values than the columns
			own = slices.DeleteFunc(own, func(name string) bool { return slices.Contains(c.Columns(), name) })
		}
	}
	return &sampler{
		job: j, slicer: batches.NewDescriber(own, nil), dicts: make(batches.Dictionaries), every: 1,
		top: slices.Contains(j.Params.ScoredLabels(), metrics.TopClass), twice: slices.Equal(j.Params.ScoredLabels(), []int{0, metrics.CostLabel}),
	}
}

var errEnough = errors.New("the sample is large enough")

// readGroup samples the first rows of a row group.
func (s *sampler) readGroup(ctx context.Context, at input.Shard) error {
	shard, file, err := batches.Open(ctx, at)
	if err != nil {
		return err
	}
	defer file.Close()
	names := input.Columns{Score: s.job.Columns.Score}
	if s.compares() {
		names.BaselineScore = s.job.Columns.BaselineScore
	}
	if s.job.Params.Task == metrics.Regression && s.job.Truth == nil {
		names.Label, names.Prediction = s.job.Columns.Label, s.job.Columns.Prediction
	}
	r := batches.Reader{
		Names: shard.Columns(&names, s.slicer.Columns), Constants: s.job.Constants, Wide: s.job.Columns.Wide, Dicts: s.dicts, Rows: batches.Rows(&s.job, 1), Peek: true,
	}
	err = r.Read(ctx, shard, at.First, func(_ *columns.Numbers, rows int, cols []*columns.Column) error {
		in := ingest.Input{Rows: rows, Of: ingest.Columns(cols)}
		s.add(&in, s.slicer.Tuples(s.tuples, rows, cols[roles.Count:], at.Keys))
		s.every = float64(shard.Rows(at.First)) / float64(rows)
		return errEnough
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// add adds the scores of some rows.
func (s *sampler) add(in *ingest.Input, tuples []int32) {
	s.rows, s.tuples = in.Rows, tuples
	if s.job.Params.Task == metrics.Regression {
		truth, estimates := floats(in.Of[roles.Label]), floats(in.Of[roles.Prediction])
		for i := range min(len(truth), len(estimates)) {
			s.scores = append(s.scores, math.Abs(truth[i]-estimates[i]))
		}
		return
	}
	scores := floats(in.Of[roles.Score])
	if s.job.Recalibration != nil {
		s.job.Recalibration.Apply(scores)
	}
	s.addScores(scores)
	if s.compares() {
		s.addScores(floats(in.Of[roles.BaselineScore]))
	}
}

// compares reports whether the scores of a baseline are sampled, too.
func (s *sampler) compares() bool {
	return s.job.Compare && s.job.Params.Has.Has(roles.BaselineScore)
}

// addScores adds scores of the model or of the baseline.
func (s *sampler) addScores(scores []float64) {
	switch p := &s.job.Params; {
	case p.Task == metrics.Multiclass && !s.job.Long:
		s.addClasses(scores)
	case p.Task != metrics.Multiclass || p.ScoreType != metrics.Logit: // logits would have to be normalized with other rows
		s.scores = append(s.scores, scores...)
		if s.twice {
			s.scores = append(s.scores, scores...)
		}
	}
}

// addClasses adds the scores of classes, transformed as for the curves.
func (s *sampler) addClasses(scores []float64) {
	if s.rows == 0 || len(scores)%s.rows != 0 {
		return
	}
	b := &metrics.Batch{Rows: s.rows, Labels: len(scores) / s.rows, Score: scores, Class: make([]int32, s.rows)}
	switch s.job.Params.ScoreType {
	case metrics.Probability:
		b.Probability = scores
	case metrics.Logit:
		b.Logit = scores
	}
	if b.Labels > 0 {
		b.Complete(metrics.Multiclass)
	}
	s.scores = append(s.scores, b.CurveScores(metrics.Multiclass)...)
	if s.top {
		s.scores = append(s.scores, b.Confidence...)
	}
}

// floats returns a copy of the numbers of a column, because the reader reuses the column.
func floats(c *columns.Column) []float64 {
	switch {
	case c == nil:
		return nil
	case c.Type == columns.Float:
		return slices.Clone(c.Floats)
	}
	return columns.Convert([]float64(nil), c.Ints)
}

// sample returns at most groupScores of the collected scores. times is the number of row groups, or
// of predictions, that each sampled one stands for.
func (s *sampler) sample(times float64) Sample {
	if len(s.scores) == 0 {
		return Sample{}
	}
	step := (len(s.scores) + groupScores - 1) / groupScores
	entries := max(int(s.every*times*float64(step)), 1)
	out := Sample{Curves: (int(slices.Max(append(s.tuples, 0))) + 1) * (len(s.scores)/s.rows + 1)}
	for i := range len(s.scores) / step {
		x := s.scores[i*step+i%step] // vary the column, so that not all scores belong to the same label
		if x == x {
			out.Knots = append(out.Knots, scoreruns.Knot{Image: scoreruns.Image(x), Entries: entries})
		}
	}
	return out
}

// SamplePredictionsFn takes a sample of the scores of predictions in memory.
type SamplePredictionsFn struct {
	Job shuffle.Job

	list      []input.Prediction // every step-th prediction
	met, step int
}

// sampledPredictions is the largest number of predictions of a bundle in a sample.
const sampledPredictions = 1024

// ProcessElement keeps every step-th prediction. Whenever the list is full, it drops half of it and
// doubles the step.
func (f *SamplePredictionsFn) ProcessElement(p input.Prediction, _ func(int, Sample)) {
	f.step = max(f.step, 1)
	if f.met++; f.met%f.step != 0 {
		return
	}
	if f.list = append(f.list, p); len(f.list) < sampledPredictions {
		return
	}
	for i := range sampledPredictions / 2 {
		f.list[i] = f.list[2*i+1]
	}
	f.list, f.step = f.list[:sampledPredictions/2], 2*f.step
}

// FinishBundle emits the sample.
func (f *SamplePredictionsFn) FinishBundle(emit func(int, Sample)) {
	if len(f.list) > 0 {
		s := newSampler(f.Job)
		b := batches.OfPredictions(&f.Job, s.slicer.Columns, s.dicts, f.list)
		s.add(&b.Input, s.slicer.Tuples(nil, b.Rows, b.Slices, b.Keys))
		emit(onlyKey, s.sample(float64(f.step)))
	}
	f.list, f.met, f.step = f.list[:0], 0, 1
}

// SampleWindowFn is SamplePredictionsFn for the predictions of one lane and window.
type SampleWindowFn struct{ SamplePredictionsFn }

// ProcessElement samples all of the predictions.
func (f *SampleWindowFn) ProcessElement(_ int, predictions func(*input.Prediction) bool, emit func(int, Sample)) {
	var p input.Prediction
	for predictions(&p) {
		f.SamplePredictionsFn.ProcessElement(p, emit)
	}
	f.FinishBundle(emit)
}

// BoundsFn chooses from samples where to divide the scores into ranges.
type BoundsFn struct {
	RangeBytes int // the approximate size limit of a range
	Division   lanes.Division
}

// scoresIn returns the number of scores that take about the given number of bytes when packed. A
// float32 takes 3 to 4 bytes, a float64 7, and a weight as many again.
func scoresIn(bytes int) int { return max(bytes/8, 1) }

// ProcessElement emits the bounds.
func (f *BoundsFn) ProcessElement(_ int, next func(*Sample) bool, emit func(shuffle.TaskInput)) {
	var all Sample
	entries := 0
	var s Sample
	for next(&s) {
		all.Knots = append(all.Knots, s.Knots...)
		all.Curves = max(all.Curves, s.Curves)
		for _, k := range s.Knots {
			entries += k.Entries
		}
	}
	of := f.Division.RangeScores(entries, all.Curves, scoresIn(f.RangeBytes))
	emit(shuffle.TaskInput{Bounds: &shuffle.Bounds{Images: scoreruns.Bounds(all.Knots, (entries+of-1)/of)}})
}

func init() {
	shuffle.Register(sampleFields)
	beam.RegisterDoFn(reflect.TypeFor[SampleFn]())
	beam.RegisterDoFn(reflect.TypeFor[SamplePredictionsFn]())
	beam.RegisterDoFn(reflect.TypeFor[SampleWindowFn]())
	beam.RegisterDoFn(reflect.TypeFor[BoundsFn]())
	register.Function1x2(SampledShard)
	register.Function1x2(NoSample)
	register.Iter1[input.Shard]()
	register.Iter1[Sample]()
	register.Emitter2[int, Sample]()
	register.Emitter1[shuffle.TaskInput]()
}
