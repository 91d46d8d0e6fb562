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
	"strings"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
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
		grows = append(grows, document.Plural(int64(c.Folds), "group"))
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
