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
	return fromFiles(s.Scope("beameval.Parquet"), spec, shards, beam.PCollection{})
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
	return fromFiles(s.Scope("beameval.Joined"), spec, shards, truth)
}

func fromFiles(s beam.Scope, spec Spec, shards, truth beam.PCollection) (Evaluation, error) {
	if err := requireElements[input.Shard](shards, "shards"); err != nil {
		return Evaluation{}, err
	}
	for _, pc := range []beam.PCollection{shards, truth} {
		if pc.IsValid() && !isGlobal(pc) {
			return Evaluation{}, fmt.Errorf("the shards are in windows, %v: files are evaluated in the global window", pc.WindowingStrategy())
		}
	}
	spec, err := spec.settled(false)
	if err != nil {
		return Evaluation{}, err
	}
	in := &parquetInput{spec: &spec, shards: shards, truth: truth}
	in.spread = sync.OnceValue(func() beam.PCollection { return spread(s, spec.Division, shards) })
	if truth.IsValid() {
		in.truth = spread(s, spec.Division, truth)
	}
	return evaluate(s, spec, in), nil
}

// parquetInput is shards of Parquet files.
type parquetInput struct {
	spec   *Spec
	shards beam.PCollection
	spread func() beam.PCollection // returns shards that are spread over workers
	truth  beam.PCollection        // invalid if the true labels are in the files of the predictions
}
