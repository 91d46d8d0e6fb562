package transforms

import (
	"cmp"
	"errors"
	"fmt"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/join"
	"github.com/beameval/beameval/transforms/internal/quantiles"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Parquet evaluates files: a PCollection of [input.Shard], such as a [beam.CreateList] of the
// result of [input.FindShards]. The files are Parquet or, according to their endings, another
// format such as CSV. If the spec is invalid, Parquet returns an error and adds nothing to the
// pipeline.
func Parquet(s beam.Scope, spec Spec, shards beam.PCollection) (Evaluation, error) {
	if spec.Truth != nil {
		return Evaluation{}, errors.New("spec: Truth is for Joined: leave it nil")
	}
	if spec.Baseline != nil {
		return Evaluation{}, errors.New("spec: Baseline is for JoinedWithBaseline: leave it nil")
	}
	return fromFiles(s.Scope("beameval.Parquet"), spec, &parquetInput{shards: shards})
}

// Joined is [Parquet] for true labels that are in other files than the predictions: in the shards
// truth, which [Spec].Truth describes.
func Joined(s beam.Scope, spec Spec, shards, truth beam.PCollection) (Evaluation, error) {
	if spec.Truth == nil {
		return Evaluation{}, errors.New("spec: no Truth, which says what the true labels look like")
	}
	if err := requireElements[input.Shard](truth, "shards of the truth"); err != nil {
		return Evaluation{}, err
	}
	if spec.Baseline != nil {
		return Evaluation{}, errors.New("spec: Baseline is for JoinedWithBaseline: leave it nil")
	}
	return fromFiles(s.Scope("beameval.Joined"), spec, &parquetInput{shards: shards, truth: truth})
}

// JoinedWithBaseline is [Parquet] for a baseline whose predictions are in other files than the
// model's: in the shards baseline, which [Spec].Baseline describes. truth is as in [Joined], or
// invalid without [Spec].Truth.
func JoinedWithBaseline(s beam.Scope, spec Spec, shards, truth, baseline beam.PCollection) (Evaluation, error) {
	if spec.Baseline == nil {
		return Evaluation{}, errors.New("spec: no Baseline, which says what its predictions look like")
	}
	if truth.IsValid() != (spec.Truth != nil) {
		return Evaluation{}, errors.New("spec: Truth describes the shards of the truth: set both or neither")
	}
	if err := requireElements[input.Shard](baseline, "shards of the baseline"); err != nil {
		return Evaluation{}, err
	}
	return fromFiles(s.Scope("beameval.JoinedWithBaseline"), spec, &parquetInput{shards: shards, truth: truth, baseline: baseline})
}

func fromFiles(s beam.Scope, spec Spec, in *parquetInput) (Evaluation, error) {
	if err := requireElements[input.Shard](in.shards, "shards"); err != nil {
		return Evaluation{}, err
	}
	for _, pc := range []beam.PCollection{in.shards, in.truth, in.baseline} {
		if pc.IsValid() && !isGlobal(pc) {
			return Evaluation{}, fmt.Errorf("the shards are in windows, %v: files are evaluated in the global window", pc.WindowingStrategy())
		}
	}
	settled, err := settle(spec, false)
	if err != nil {
		return Evaluation{}, err
	}
	in.spec = settled
	in.spread = sync.OnceValue(func() beam.PCollection { return spread(s, spec.Division, in.shards) })
	for _, others := range []*beam.PCollection{&in.truth, &in.baseline} {
		if others.IsValid() {
			*others = spread(s, spec.Division, *others)
		}
	}
	return evaluate(s, *settled, in), nil
}

// parquetInput is a source of shards, each a PCollection of input.Shard.
type parquetInput struct {
	spec   *settled
	shards beam.PCollection
	spread func() beam.PCollection // returns shards, spread over workers
	// truth and baseline are spread over workers. They are invalid if they are in the files of the predictions.
	truth, baseline beam.PCollection
}

// fold folds shards; see source.
func (in *parquetInput) fold(s beam.Scope, j shuffle.Job, known prerequisites) (partials, scores beam.PCollection) {
	if !j.ByExample() {
		partials, scores, _ = foldTasks(s, j, known, false, beam.ParDo(s, fold.ShardTask, in.shards))
		return partials, scores
	}
	s = s.Scope("by example")
	if j.Scatters() {
		return in.foldShuffled(s, j, known)
	}
	return in.foldMostlyWhole(s, j, known)
}

// foldShuffled folds examples with several rows if nearly all of their rows are apart. It shuffles all rows:
//
//	shards ─► ScatterFn ─► rows, by bucket ─► fold: assemble the examples of a bucket
func (in *parquetInput) foldShuffled(s beam.Scope, j shuffle.Job, known prerequisites) (partials, scores beam.PCollection) {
	var rows, counts []beam.PCollection
	for side, shards := range [input.Sides]beam.PCollection{in.spread(), in.truth, in.baseline} {
		if shards.IsValid() {
			scattered, skipped := beam.ParDo2(s, &join.ScatterFn{Job: j, Side: input.Side(side)}, shards)
			rows, counts = append(rows, scattered), append(counts, skipped)
		}
	}
	partials, scores, _ = foldTasks(s, j, known, false, rows...)
	return beam.Flatten(s, append(counts, partials)...), scores
}

// foldMostlyWhole folds examples with several rows if most examples are whole within a row group. It shuffles only
// the rows of the others, whose keys it finds first:
//
//	shards ─► keys ─► keys of scattered examples
//	   │                   ▼
//	   └────────────────► fold ─┬─► partials of whole examples
//	                            └─► rows of scattered examples, by bucket ─► fold ─► their partials
func (in *parquetInput) foldMostlyWhole(s beam.Scope, j shuffle.Job, known prerequisites) (partials, scores beam.PCollection) {
	keys := beam.ParDo(s, join.NewKeysFn(&j), in.spread())
	scattered := findScattered(s, j, keys)
	partials, scores, rows := foldTasks(s, j, known, true, beam.ParDo(s, fold.ShardTask, in.spread()), scattered)
	others, otherScores, _ := foldTasks(s, j, known, false, rows)
	return beam.Flatten(s, partials, others), beam.Flatten(s, scores, otherScores)
}

// labels returns the labels in the columns of files; see source.
func (in *parquetInput) labels(s beam.Scope) beam.PCollection {
	limit := in.spec.NameLimit()
	found := []beam.PCollection{beam.ParDo(s, &labelsFn{Columns: in.spec.labelColumns(), Limit: limit}, in.spread())}
	if in.spec.Truth != nil {
		truth := &in.spec.Truth.Columns
		found = append(found, beam.ParDo(s, &labelsFn{Columns: []string{cmp.Or(truth.Class, truth.Label)}, Limit: limit}, in.truth))
	}
	if b := in.spec.Baseline; b != nil && b.Columns.Baseline != "" {
		found = append(found, beam.ParDo(s, &labelsFn{Columns: []string{b.Columns.Baseline}, Limit: limit}, in.baseline))
	}
	return beam.Flatten(s, found...)
}

// sample returns samples of the scores of shards; see source.
func (in *parquetInput) sample(s beam.Scope, j shuffle.Job) beam.PCollection {
	return beam.ParDo(s, &ranges.SampleFn{Job: j}, beam.GroupByKey(s, beam.ParDo(s, ranges.SampledShard, in.shards)))
}

// tallies counts the numbers in the columns of files; see source.
func (in *parquetInput) tallies(s beam.Scope, j shuffle.Job, cuts shuffle.Cuts) beam.PCollection {
	own, ofTruth := j.Truth.Split(quantiles.Columns(&cuts))
	var counted []beam.PCollection
	if len(own) > 0 {
		counted = append(counted, beam.ParDo(s, &quantiles.TallyFn{Job: j, Cuts: cuts, Of: own}, in.spread()))
	}
	if len(ofTruth) > 0 {
		counted = append(counted, beam.ParDo(s, &quantiles.TallyFn{Job: j, Cuts: cuts, Of: ofTruth}, in.truth))
	}
	return beam.Flatten(s, counted...)
}
