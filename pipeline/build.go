package pipeline

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// Build adds the evaluation and the writing of its report to a pipeline for a runner. It is an
// error if the input exceeds the limits of the runner. started is recorded in run.json.
func (p *Plan) Build(s beam.Scope, runner string, started time.Time) error {
	out, spec := p.output, p.spec
	var err error
	if spec.Division, err = p.divide(runner); err != nil {
		return fmt.Errorf("runner %s: %w", runner, err)
	}
	shards, truth, baseline := shardsOf(p.shards), shardsOf(p.truth), shardsOf(p.baseline)
	out.ID, out.Runner, out.Started = p.ID, runner, started
	if InProcess(runner) {
		spec.TempDir = p.TempDir
	} else {
		// Workers have other working directories.
		out.Dir = absolute(out.Dir)
		if spec.Labels.File != "" {
			spec.Labels.File = absolute(spec.Labels.File)
		}
		shards, truth, baseline = absoluteFiles(shards), absoluteFiles(truth), absoluteFiles(baseline)
		if spec.ItemFiles != nil {
			items := *spec.ItemFiles
			items.Shards = absoluteFiles(items.Shards)
			spec.ItemFiles = &items
		}
		if spec.Training != nil {
			spec.Training = &input.TrainingFiles{Shards: absoluteFiles(spec.Training.Shards), ID: spec.Training.ID}
		}
	}
	e, err := evaluation(s, spec, shards, truth, baseline)
	if err == nil {
		e.WriteReport(s, out)
	}
	return err
}

// evaluation adds the evaluation of files to a pipeline.
func evaluation(s beam.Scope, spec transforms.Spec, shards, truth, baseline []input.Shard) (transforms.Evaluation, error) {
	predictions, err := addShards(s, shards)
	if err != nil {
		return transforms.Evaluation{}, err
	}
	var labels beam.PCollection
	if spec.Truth != nil {
		if labels, err = addShards(s, truth); err != nil {
			return transforms.Evaluation{}, err
		}
	}
	switch {
	case spec.Baseline != nil:
		before, err := addShards(s, baseline)
		if err != nil {
			return transforms.Evaluation{}, err
		}
		return transforms.JoinedWithBaseline(s, spec, predictions, labels, before)
	case spec.Truth != nil:
		return transforms.Joined(s, spec, predictions, labels)
	}
	return transforms.Parquet(s, spec, predictions)
}

// InProcess reports whether the workers of a runner are in this process.
func InProcess(runner string) bool { return runner == "prism" || runner == "direct" }

func absoluteFiles(shards []input.Shard) []input.Shard {
	shards = slices.Clone(shards)
	for i := range shards {
		shards[i].File = absolute(shards[i].File)
	}
	return shards
}

// absolute returns the absolute name of a local file.
func absolute(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// Shards are part of the pipeline in compressed form, because runners limit the size of a pipeline,
// and copy it: 100,000 shards are 26 MB, and 2 MB compressed.

// shardsPerBlock is the number of shards that are compressed together.
const shardsPerBlock = 1000

// addShards adds shards to a pipeline. It returns a PCollection of input.Shard.
func addShards(s beam.Scope, shards []input.Shard) (beam.PCollection, error) {
	blocks := [][]byte{}
	for some := range slices.Chunk(shards, shardsPerBlock) {
		block, err := compress(some)
		if err != nil {
			return beam.PCollection{}, fmt.Errorf("packing shards: %w", err)
		}
		blocks = append(blocks, block)
	}
	return beam.ParDo(s, decompress, beam.CreateList(s, blocks)), nil
}

func compress(shards []input.Shard) ([]byte, error) {
	var block bytes.Buffer
	z := gzip.NewWriter(&block)
	if err := gob.NewEncoder(z).Encode(shards); err != nil {
		return nil, err
	}
	err := z.Close()
	return block.Bytes(), err
}

func decompress(block []byte, emit func(input.Shard)) error {
	z, err := gzip.NewReader(bytes.NewReader(block))
	var shards []input.Shard
	if err == nil {
		err = gob.NewDecoder(z).Decode(&shards)
	}
	if err != nil {
		return fmt.Errorf("unpacking shards: %w", err)
	}
	for _, s := range shards {
		emit(s)
	}
	return nil
}

func init() {
	register.Function2x1(decompress)
	register.Emitter1[input.Shard]()
}
