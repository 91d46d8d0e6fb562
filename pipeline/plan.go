// Package pipeline turns a configuration into a Beam pipeline: it finds the input files, reads
// their footers, infers what the configuration leaves open, and builds the graph. It has no main
// function and no flags, and evaluates nothing itself.
//
// Planning derives a sequence of values, each from the previous ones:
//
//	configuration
//	     │ open files, find columns, infer task and layout
//	     ▼
//	tables     the files and the roles of their columns
//	     │ find names, number and encoding of the labels
//	     ▼
//	labels
//	     │ planner: decision, slices, metrics, intervals, gates, …
//	     ▼
//	Plan       the specification that package transforms evaluates
//	     │ Build: divide the input into bundles
//	     ▼
//	Beam graph
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
	"github.com/beameval/beameval/transforms/input"
)

// Plan is a configuration in which everything has been decided and checked for consistency. No row
// has been evaluated yet.
type Plan struct {
	// Notes tell people what was inferred.
	Notes []string
	// Rows, RowGroups and Files are the totals of the input, including the truth and a baseline.
	// Files also has the files that say how frequent items are.
	Rows      int64
	RowGroups int
	Files     []string
	// Searches is how often the rows are read by a search for slices, before they are read for metrics.
	Searches int
	// ID identifies the run in run.json.
	ID string
	// Config is the effective configuration: the given one, completed by what was inferred from the
	// files.
	Config *config.Config
	// TempDir is a local directory in which a runner in this process may keep large data instead of
	// in memory. It must outlive the run; "" means none.
	TempDir string

	spec     transforms.Spec
	shards   []shard
	truth    []shard
	baseline []shard
	output   transforms.Output
}

// Make checks a configuration against the input that it names. The error says what is wrong with
// either.
func Make(ctx context.Context, cfg *config.Config) (*Plan, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if len(cfg.Input.Files) == 0 {
		return nil, errors.New("no input: set input.files or --input")
	}
	if cfg.Output.Dir == "" {
		return nil, errors.New("no output: set output.dir or --output")
	}
	t, err := findTables(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer t.close()
	l, err := findLabels(ctx, t)
	if err != nil {
		return nil, err
	}
	return newPlanner(t, l).plan(ctx)
}

// CheckOutput is like [files.CheckOutput]. If the output exists and nothing may be replaced, the
// error names the flag that allows replacing it; what says what it is: a finished report or a
// comparison.
func CheckOutput(ctx context.Context, dir, what string, replaceable ...files.Replaceable) error {
	err := files.CheckOutput(ctx, dir, replaceable...)
	if errors.Is(err, files.ErrOutputExists) && len(replaceable) == 0 {
		return fmt.Errorf("%w; --overwrite replaces a finished %s", err, what)
	}
	return err
}

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

// InProcess reports whether the workers of a runner are in this process.
func InProcess(runner string) bool { return runner == "prism" || runner == "direct" }

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

// LabelsFile returns the file of labels that workers read, if there is one.
func (p *Plan) LabelsFile() string { return p.spec.Labels.File }

// Memory says what the memory of a worker grows with, given the number of slices that it has met, and which keys of the
// configuration lower it.
func (p *Plan) Memory(slices int) string {
	grows, keys := []string{document.Plural(int64(slices), "slice")}, []string(nil)
	if slices > 1 {
		keys = append(keys, "slices with fewer values")
	}
	if n := p.spec.Params.Labels; n > 1 && p.spec.Params.Task != metrics.Binary {
		grows = append(grows, document.Plural(int64(n), "label"))
		if p.spec.PerLabel.All {
			keys = append(keys, "per_label")
		}
	}
	if c := p.spec.Confidence; c != nil {
		grows = append(grows, document.Plural(int64(c.Groups), "group"))
		if slices > 1 && !c.Overall {
			keys = append(keys, "confidence.slices: overall")
		}
		keys = append(keys, "confidence.metrics", "fewer confidence.groups")
	}
	text := "It grows with the statistics of " + strings.Join(grows, " × ")
	if len(keys) > 0 {
		text += "; what lowers it: " + strings.Join(keys, ", ")
	}
	return text
}

// Output returns where the report will be.
func (p *Plan) Output() string { return p.output.Dir }
