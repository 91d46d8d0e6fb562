package transforms

import (
	"errors"
	"fmt"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/transforms/input"
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

// parquetInput is shards of Parquet files.
type parquetInput struct {
	spec   *settled
	shards beam.PCollection
	spread func() beam.PCollection // returns shards that are spread over workers
	// truth and baseline are invalid if they are in the files of the predictions.
	truth, baseline beam.PCollection
}
