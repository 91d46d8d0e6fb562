package transforms

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/fold"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// Output says where a report goes and what it says besides metrics.
type Output struct {
	// Dir is a directory, on local disk or gs://bucket/…, that does not exist
	// or is empty.
	Dir     string
	Formats []report.Format
	// Config is the effective configuration, repeated in the report.
	Config   json.RawMessage
	Warnings []string
	// What run.json says of the run.
	Runner  string
	Started time.Time
	Files   []string
}

// writeFn writes the report of all slices.
type writeFn struct {
	Spec   Spec
	Output Output
	// ID tells the attempts of a runner at this one report from all others.
	ID string
}

// ProcessElement receives every slice at once.
func (f *writeFn) ProcessElement(ctx context.Context, _ int, elements func(*outcomeElement) bool) error {
	all, err := readOutcome(&f.Spec, elements)
	if err != nil {
		return workers.Mark(err)
	}
	return workers.Mark(f.write(ctx, all))
}

func (f *writeFn) write(ctx context.Context, all *evaluable) error {
	if f.written(ctx) {
		return nil
	}
	vocab := all.vocab
	parts, err := f.evaluate(ctx, all)
	if err != nil {
		return err
	}
	rep := &report.Report{
		Task:     f.Spec.Params.Task.String(),
		Config:   f.Output.Config,
		Warnings: slices.Clone(f.Output.Warnings),
	}
	var counts element.RowCounts
	var mentioned []int
	for _, p := range parts {
		mentioned = append(mentioned, p.labels...)
		rep.Metrics = append(rep.Metrics, p.rows...)
		rep.Confusion = append(rep.Confusion, p.cells...)
		rep.Curves = append(rep.Curves, p.points...)
		if p.overall {
			counts, rep.Rows = p.counts, f.Spec.reported(&p.counts, p.examples)
			rep.Queries = p.queries
			rep.Examples = p.examples
			rep.Thresholds = p.thresholds
		}
	}
	if f.Spec.Params.Task&(metrics.Regression|metrics.Ranking) == 0 {
		list(rep, vocab, mentioned)
	}
	if spec := f.Spec.with(vocab); spec.Params.CurveLines > 0 && spec.Params.Lines(len(all.slices)) == 0 {
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("curves are not drawn: those of %d slices and %d labels are too many", len(all.slices), vocab.Len()))
	}
	rep.Warnings = append(rep.Warnings, all.warnings...)
	rep.Warnings = append(rep.Warnings, f.Spec.warnings(vocab, rep.Metrics)...)
	if err := vocab.Err(); err != nil {
		return err
	}
	first, err := f.Spec.verdict(&counts, rep.Examples)
	if err != nil {
		return err
	}
	rep.Warnings = append(first, rep.Warnings...)
	run := f.run(counts.Sample)
	run.Finish(time.Now(), counts.Rows)
	writing.RLock()
	defer writing.RUnlock()
	err = files.PublishAs(ctx, f.Output.Dir, f.ID, func(create func(string) (io.Writer, error)) error {
		return report.Write(rep, run, f.Output.Formats, create)
	})
	if err != nil && !f.written(ctx) {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// written says whether the report is complete: the answer of an earlier attempt was lost,
// or another is at work and was faster.
func (f *writeFn) written(ctx context.Context) bool {
	if _, err := files.ReadFile(ctx, files.Join(f.Output.Dir, report.MetricsJSON)); err != nil {
		return false
	}
	run, err := files.ReadFile(ctx, files.Join(f.Output.Dir, report.RunJSON))
	return err == nil && report.RunID(run) == f.ID
}

// maxListed is how many labels a report lists; of more, only those that it
// says something about.
const maxListed = 1000

// list lists the labels in a report that is otherwise complete, and has rows of
// those mentioned.
func list(rep *report.Report, vocab *Vocabulary, mentioned []int) {
	n := vocab.Len()
	if n <= maxListed {
		for label := range n {
			rep.Labels = append(rep.Labels, vocab.Name(label))
		}
		return
	}
	rep.NumLabels = n
	slices.Sort(mentioned)
	for _, label := range slices.Compact(mentioned) {
		rep.Labels = append(rep.Labels, vocab.Name(label))
	}
}

// writing is locked while a report is being written in this process.
var writing sync.RWMutex

// StopWriting waits until no report is being written in this process, and lets
// none begin any more. It is for a process that is about to end: after the
// pipeline's context was cancelled, a writer removes what it has written, for
// which it needs a moment.
func StopWriting() { writing.Lock() }

// contribution is what one slice adds to the report.
type contribution struct {
	rows     []report.Row
	labels   []int // that have rows
	cells    []report.Cell
	points   []report.CurvePoint
	overall  bool
	counts   element.RowCounts
	examples int64

	// Of the overall slice, if asked for.
	thresholds *report.Thresholds
	queries    *report.Queries
}

// evaluate computes the parts of all slices.
func (f *writeFn) evaluate(ctx context.Context, all *evaluable) ([]contribution, error) {
	spec, vocab := f.Spec.with(all.vocab), all.vocab
	parts := make([]contribution, len(all.slices))
	err := all.each(ctx, &spec, func(i int, key slice.Key, p *element.Partial) error {
		rows, labels, err := evaluate(spec, vocab, key, p.Stats)
		if err != nil {
			return err
		}
		parts[i] = contribution{
			rows: rows, labels: labels, cells: confusion(spec, vocab, key, p.Stats), points: drawings(spec, vocab, key, p.Stats, len(all.slices)),
			overall: len(key) == 0, counts: p.Counts, examples: p.Stats.Examples(),
		}
		if parts[i].overall {
			parts[i].thresholds = thresholds(spec, vocab, p.Stats)
			if spec.PerQuery {
				parts[i].queries = &report.Queries{Names: spec.Params.QueryMetrics()}
				parts[i].queries.List, err = fold.ReadQueries(p.Queries)
			}
		}
		return err
	})
	return parts, err
}

func (f *writeFn) run(sample []report.SkippedRow) *report.Run {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return &report.Run{
		ID: f.ID, Started: f.Output.Started, Runner: f.Output.Runner, Files: f.Output.Files, Output: f.Output.Dir, SkippedSample: sample,
		Versions: report.Versions{Go: runtime.Version(), Beam: core.SdkVersion, Beameval: version},
	}
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[writeFn]())
}
