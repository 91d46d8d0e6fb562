package transforms

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/pendingwrites"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/version"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/checks"
	"github.com/beameval/beameval/transforms/findings"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// Output says where to write a report, and what it contains besides metrics.
type Output struct {
	// Dir is a directory, on local disk or at gs://bucket/…, s3://bucket/… or az://container/…. It
	// must be empty or not exist.
	Dir string
	// Overwrite allows Dir to hold a finished report, which is replaced.
	Overwrite bool
	// Formats are the formats of the files besides metrics.json and run.json; there may be none.
	Formats []report.Format
	// JSONRows is the number of metric rows above which metrics.json has only the rows of the
	// overall slice; see [report.Report].
	JSONRows int
	// Config is the effective configuration, which is copied into the report.
	Config json.RawMessage
	// Checks say what follows from checks, and Found what they found before the run.
	Checks checks.Options
	Found  []checks.Said
	// FoundByName says that the columns of scores and of predictions were found by their names, so that they
	// may be of two models: the report then warns of fewer disagreements between them.
	FoundByName bool
	// Gates are judged by the metrics; the report contains the results.
	Gates []report.Gate
	// Baseline are the directories of the reports that gates compare with, the newest first: with
	// their medians, if there are several. Without any, gates on change are unknown.
	Baseline []string
	// Statistics, if not nil, adds statistics.bin, from which [Merge] makes the report of several parts of the
	// data; see [CheckStatistics].
	Statistics *Statistics
	// Merged lists the reports that this one is the merge of; nil if it is none.
	Merged *report.Merged
	// ID, Runner, Started and Files describe the run in run.json. ID must be unique; if it is
	// empty, a new one is generated.
	ID      string
	Runner  string
	Started time.Time
	Files   report.Files
}

// writeFn writes the report of all slices.
type writeFn struct {
	Spec   settled
	Output Output // its ID is the same for all attempts of a runner to write this report, and unique to it
	Known  bool   // labels were known before the run
}

// ProcessElement writes the report of all slices, which it receives at once, and emits its
// location.
func (f *writeFn) ProcessElement(ctx context.Context, _ int, elements func(*outcomeElement) bool, emit func(string)) error {
	out, err := readOutcome(&f.Spec, elements)
	if err != nil {
		return workers.Mark(err)
	}
	if err := f.write(ctx, out); err != nil {
		return workers.Mark(err)
	}
	emit(f.Output.Dir)
	return nil
}

func (f *writeFn) write(ctx context.Context, out *evaluable) error {
	if f.written(ctx) {
		return nil
	}
	rep, counts, err := f.report(ctx, out)
	if err != nil {
		return err
	}
	if rep.Statistics, err = out.statistics(ctx, f); err != nil {
		return err
	}
	if err := f.Spec.NameLimit().CheckReport(rep.NameBytes()); err != nil {
		return err
	}
	run := f.run(counts.Sample)
	run.Finish(time.Now(), counts.Rows)
	defer pendingwrites.Begin()()
	err = files.PublishAs(ctx, f.Output.Dir, f.Output.ID, func(create func(string) (io.Writer, error)) error {
		return export.Write(rep, run, f.Output.Formats, create)
	}, export.Replaceable().If(f.Output.Overwrite)...)
	if err != nil && !f.written(ctx) {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// written reports whether the report is already complete: either an earlier attempt wrote it but
// its result was lost, or a concurrent attempt was faster.
func (f *writeFn) written(ctx context.Context) bool {
	return report.Complete(ctx, f.Output.Dir, f.Output.ID)
}

// report computes the report. It also returns the counts of rows.
func (f *writeFn) report(ctx context.Context, out *evaluable) (*report.Report, *shuffle.RowCounts, error) {
	facts := findings.Facts{Task: out.spec.Params.Task}
	rep := &report.Report{Task: out.spec.Params.Task.String(), Config: f.Output.Config, JSONRows: f.Output.JSONRows, SliceColumns: sliceNames(out.spec.Slices, func(c *SliceColumn) []string { return []string{c.Name()} })}
	var counts shuffle.RowCounts
	var leftOut []string
	var ids *shuffle.IDs
	labels := make([][]int, len(out.slices)) // the labels of each slice
	var before []report.Row                  // of the baseline
	tables := out.tables(rep, &before)
	rows, folding, doubts, err := out.allRows(ctx, func(i int, key slice.Key, p *shuffle.Partial, of []int) error {
		labels[i] = of
		for _, t := range tables {
			if err := t.add(i, key, p); err != nil {
				return err
			}
		}
		if len(key) > 0 {
			return nil
		}
		ids = p.IDs
		out.decided(&facts, p)
		counts, rep.Examples = p.Counts, p.Stats.Examples()
		var err error
		leftOut, err = out.tablesOfAll(rep, p)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	rep.Metrics, rep.Confidence = rows, folding
	out.spec.explainGrades(rep)
	rep.Ranks = out.spec.ranks(rows)
	for _, t := range tables {
		t.done()
	}
	if rep.Differences, err = out.differences(before, rows, folding); err != nil {
		return nil, nil, err
	}
	if err := out.checkLists(rep); err != nil {
		return nil, nil, err
	}
	rep.Rows = out.spec.reported(&counts, rep.Examples)
	out.listLabels(rep, slices.Concat(labels...))
	if err := out.vocab.Err(); err != nil {
		return nil, nil, err
	}
	if err := out.spec.verdict(&counts, rep.Examples); err != nil {
		return nil, nil, err
	}
	odd := slices.Concat(checks.Before(f.Output.Found), out.spec.ofRows(&counts, f.Output.FoundByName), out.odd(rep), checks.Named("label_pairs_left_out", leftOut), checks.Named("small_groups", doubts))
	if err := f.conclude(ctx, rep, &checks.Facts{Report: rep, Task: out.spec.Params.Task, Counts: &counts, IDs: ids, Options: f.Output.Checks, Others: odd}, &facts); err != nil {
		return nil, nil, err
	}
	Explain(rep)
	return rep, &counts, nil
}

// mostUnaccounted is how far the number of rows for which those with a label stand may be from the number of rows, as a share of it:
// in samples without fixed sizes, it is as chance has it.
const mostUnaccounted = 0.05

// odd returns what checks find in the labels, slices and metrics.
func (out *evaluable) odd(rep *report.Report) (list []checks.Found) {
	if p := &out.spec.Params; p.CurveLines > 0 && p.Lines(len(out.slices)) == 0 {
		list = append(list, checks.Say("curves_left_out", "curves are not drawn: those of %d slices and %d labels are too many", len(out.slices), out.vocab.Len()))
	}
	stood, judged := out.drawn.Weight(), float64(rep.Rows.Evaluated+rep.Rows.Unlabelled)
	if stood > 0 && math.Abs(stood-judged) > mostUnaccounted*judged {
		list = append(list, checks.Say("drawn_rows", "the rows with a label were drawn from about %.0f rows, as their probabilities say, but %.0f rows have a judgement: judge and evaluate all rows from which they were drawn, and label all that were drawn", stood, judged))
	}
	return slices.Concat(list, checks.Named("empty_slices", out.warnings), out.spec.alike(out.vocab), checks.Named("labels_left_out", out.spec.warnings(out.vocab, rep.Metrics)),
		checks.Named("heavy_tails", comparison.HeavyTails("these values", rep.Metrics)))
}

// decided adds to the facts of findings what the statistics of all examples say of other thresholds.
func (out *evaluable) decided(facts *findings.Facts, p *shuffle.Partial) {
	params := &out.spec.Params
	facts.Weighted = p.Stats.Weighted()
	if params.Has.Has(roles.CostFP) { // each row has costs of its own, and nothing sums them by threshold and group
		return
	}
	if params.Task == metrics.Binary {
		facts.Costs = params.Costs
	}
	if out.spec.Columns.Prediction == "" && !out.spec.Either {
		facts.Threshold = &out.spec.Decision.Threshold
	}
	if out.sample != nil { // groups are of strata, and one says nothing about the others
		return
	}
	facts.Decided, facts.Lowest = params.Decided(p.Stats, collections.Map(p.Folds, func(f shuffle.Fold) *metrics.Partial { return f.Stats }))
}

// conclude adds to the report what follows from it: checks, the results of gates, and findings.
func (f *writeFn) conclude(ctx context.Context, rep *report.Report, facts *checks.Facts, found *findings.Facts) (err error) {
	if of := f.Spec.Training; of != nil && facts.IDs != nil {
		if facts.Trained, err = checks.SearchTraining(ctx, of, facts.IDs); err != nil {
			return err
		}
	}
	if found.Compared, err = f.judge(ctx, rep, facts); err != nil {
		return err
	}
	found.Report = rep
	rep.Findings = findings.Make(found)
	return nil
}

// judge makes the checks, judges the gates and adds both to the report. It returns the comparison with the baseline of
// gates, if there is one.
func (f *writeFn) judge(ctx context.Context, rep *report.Report, facts *checks.Facts) (*changes.Comparison, error) {
	c, doubts, err := comparison.WithBaseline(ctx, f.Output.Baseline, rep, f.Output.Gates)
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	changes.Judge(rep, f.Output.Gates, c)
	facts.Others = append(facts.Others, checks.Named("baseline", doubts)...)
	var gates []report.GateResult
	if gate := f.Spec.skippedGate(facts.Counts); gate != nil {
		gates = append(gates, *gate)
	}
	var ofChecks []report.GateResult
	rep.Checks, ofChecks = checks.Make(facts)
	rep.Gates = slices.Concat(gates, ofChecks, rep.Gates)
	return c, nil
}

// maxListed is the largest number of labels that a report lists in full. If there are more, it
// lists only those with metric rows.
const maxListed = 1000

// listLabels lists the labels in a report. some are the labels with metric rows.
func (out *evaluable) listLabels(rep *report.Report, some []int) {
	n := out.vocab.Len()
	switch {
	case out.spec.Params.Task&metrics.Unlabelled != 0:
	case n <= maxListed:
		for label := range n {
			rep.Labels = append(rep.Labels, out.vocab.Name(label))
		}
	default:
		rep.NumLabels = n
		slices.Sort(some)
		for _, label := range slices.Compact(some) { // there may be a billion labels, but never that many rows
			rep.Labels = append(rep.Labels, out.vocab.Name(label))
		}
	}
}

func (f *writeFn) run(sample []report.SkippedRow) *report.Run {
	build := version.Get()
	return &report.Run{
		ID: f.Output.ID, Started: f.Output.Started, Runner: f.Output.Runner, Files: f.Output.Files, Output: f.Output.Dir, Baseline: f.Output.Baseline, SkippedSample: sample, Merged: f.Output.Merged,
		Versions: report.Versions{Go: build.Go, Beam: core.SdkVersion, Beameval: build.Version},
	}
}

// writePerKeyFn is writeFn for elements that arrive one by one.
type writePerKeyFn struct {
	writeFn
	PerKey workers.BundlePerKey

	all gathered
}

// OneByOne returns a writePerKeyFn.
func (f *writeFn) OneByOne() any {
	return &writePerKeyFn{writeFn: *f, PerKey: workers.NewBundlePerKey()}
}

// StartBundle discards the remains of a failed bundle.
func (f *writePerKeyFn) StartBundle(func(string)) { f.all = nil }

// ProcessElement collects an element.
func (f *writePerKeyFn) ProcessElement(_ state.Provider, _ int, e outcomeElement, _ func(string)) {
	f.all = append(f.all, e)
}

// FinishBundle writes the report.
func (f *writePerKeyFn) FinishBundle(ctx context.Context, emit func(string)) error {
	return f.all.pass(func(elements func(*outcomeElement) bool) error {
		return f.writeFn.ProcessElement(ctx, 0, elements, emit)
	})
}

// writeWindowFn is writeFn for the slices of one window.
type writeWindowFn struct{ writeFn }

// ProcessElement writes the report of the window.
func (f *writeWindowFn) ProcessElement(ctx context.Context, w beam.Window, key int, elements func(*outcomeElement) bool, emit func(string)) error {
	of := f.writeFn
	name := windowName(w.(window.IntervalWindow))
	of.Output.Dir = files.Join(of.Output.Dir, name)
	of.Output.ID += "-" + name
	return of.ProcessElement(ctx, key, elements, emit)
}

// windowName returns the name of the directory for a window: its start and its end.
func windowName(w window.IntervalWindow) string {
	const layout = "20060102T150405.999Z"
	return time.UnixMilli(int64(w.Start)).UTC().Format(layout) + "-" + time.UnixMilli(int64(w.End)).UTC().Format(layout)
}

// endOfReport receives the location of each report that is written.
func endOfReport(string) {}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[writeFn]())
	beam.RegisterDoFn(reflect.TypeFor[writePerKeyFn]())
	beam.RegisterDoFn(reflect.TypeFor[writeWindowFn]())
	register.Function1x0(endOfReport)
}
