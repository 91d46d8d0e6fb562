package shuffle

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// Job is a settled Spec, in which nothing is left open except perhaps the labels, and what a worker
// does for it. It travels to workers as JSON, in fields of DoFns.
type Job struct {
	input.Spec
	// Constants are what values of few bits are compared with; see FindConstants.
	Constants Constants
	// Either says that a prediction in memory has either Predicted or, if that is empty, Scores,
	// which Decision turns into predictions.
	Either bool
	// Windowed says that the examples are in windows. A DoFn then emits its results at the end of
	// ProcessElement, because what is emitted at the end of a bundle is in the global window.
	Windowed bool
	// Compare asks for the metrics of the baseline, to compare the model's with; see OfBaseline.
	Compare bool
	// Stage says what a fold does for the Search, if there is one.
	Stage Stage
	// Pass says for which slices a worker folds a task.
	Pass Pass
}

// NoFold is the fold of all examples if there are no folds.
const NoFold = -1

// MostFolds is the largest number of folds.
const MostFolds = 1000

// FoldField encodes or decodes the number of a fold, or NoFold.
func FoldField(c *wire.Coder, fold *int32) {
	wire.Int(c, fold)
	CheckFold(c, *fold)
}

// CheckFold makes the coder fail if there is no such fold.
func CheckFold(c *wire.Coder, fold int32) {
	if fold < NoFold || fold >= MostFolds {
		c.Fail("there is no fold %d", fold)
	}
}

// Membership says what an example belongs to: slices, by their keys, and a fold.
type Membership struct {
	Slices []string
	Fold   int32
}

// MembershipOf returns what the examples of a tuple belong to; see batches.Slicer.
type MembershipOf func(tuple int32) Membership

// With returns the job completed by what follows from the labels.
func (j Job) With(v *input.Vocabulary) Job {
	p := &j.Params
	p.Labels, p.HeadFrequency = v.Len(), v.Items.Head
	if p.Propensity != nil {
		propensity := *p.Propensity
		propensity.Frequencies = v.Frequencies
		p.Propensity = &propensity
	}
	return j
}

// Complete completes the parameters. That succeeded in the program that made the job, so an unknown
// metric means that this worker runs a different program.
func (j *Job) Complete() error {
	err := j.Params.Complete()
	if unknown := (*metrics.UnknownMetricError)(nil); errors.As(err, &unknown) {
		return fmt.Errorf("the program of this worker has no metric %q: all workers must run a program that registers it, in an init function", unknown.Name)
	}
	return cmp.Or(err, j.checkFunctions())
}

// Joins reports whether rows of other files belong to the predictions.
func (j *Job) Joins() bool { return j.Truth != nil || j.Baseline != nil }

// Scatters reports whether all rows go to the buckets of their examples: a row of another file is never in the same
// row group as a prediction.
func (j *Job) Scatters() bool { return j.Joins() || j.Shuffled }

// InPasses reports whether a bundle may need several passes over its inputs, because of the statistics of
// all slices.
func (j *Job) InPasses() bool {
	return j.Division.PartialBytes > 0 && j.Division.Lanes > 0 && len(j.Slices) > 0 && !j.Searches()
}

// ByExample reports whether examples are assembled from rows with equal ids.
func (j *Job) ByExample() bool { return j.Long || j.Joins() || j.PerQuery }

// SliceColumns returns the slice columns of the predictions and of the truth.
func (j *Job) SliceColumns() (predictions, truth []string) {
	var names []string
	for _, c := range slices.Concat(j.Slices...) {
		names = append(names, c.Columns()...)
	}
	names = append(names, j.Search.Reads()...)
	slices.Sort(names)
	return j.Truth.Split(slices.Compact(names))
}

// Skips reports whether rows that are bad for this reason are counted instead of ending the run.
func (j *Job) Skips(why ingest.Reason) bool {
	switch why {
	case ingest.NoTruth:
		return j.Truth != nil && j.Truth.SkipMissing
	case ingest.NoBaseline:
		return j.Baseline != nil && j.Baseline.SkipMissing
	}
	return j.SkipBadRows
}

// describe returns a bad row in the form in which it is listed.
func (j *Job) describe(bad *ingest.Bad, at report.SkippedRow) report.SkippedRow {
	at.Column, at.Value, at.Reason = bad.Column, bad.Value, bad.Reason.String()
	long := j.Long
	switch {
	case bad.Side == input.OfTruth && j.Truth != nil:
		long = j.Truth.Long()
	case bad.Side == input.OfBaseline && j.Baseline != nil:
		long = false
	}
	if wide := j.ColumnsOf(bad.Side).Wide[bad.Column]; wide != nil && bad.Element >= 0 {
		at.Column = wide[bad.Element]
	} else if !long { // if it is long, the row is that of the element
		at.Value = bad.DescribeValue()
	}
	return at
}

// ListsExamples reports whether single examples are listed by their ids.
func (j *Job) ListsExamples() bool { return j.Worst != nil || j.Changed != nil }

// Spreads reports whether the statistics of histograms are computed; see metrics.Params.NewSpread.
func (j *Job) Spreads() bool {
	return !j.Searches() && (j.Histograms || j.Params.LabelPairs && j.Params.Task == metrics.Multilabel)
}

// CountsIDs reports whether the ids of examples are counted: if each row is an example and ids are read anyway, or if
// training data are searched for them.
func (j *Job) CountsIDs() bool {
	if j.ByExample() {
		return j.Training != nil
	}
	return j.Columns.Example != "" || j.DividesByID()
}

// DividesByID reports whether examples, each a row, belong to folds by their ids.
func (j *Job) DividesByID() bool {
	c := j.Confidence
	return c != nil && !c.Clustered && !c.Position
}

// OfBaseline returns the parameters of the metrics of the baseline, or nil if the model is not compared
// with one. The labels must be known.
func (j *Job) OfBaseline() *metrics.Params {
	if !j.Compare {
		return nil
	}
	return j.Params.OfBaseline()
}

// MaxRows is the approximate largest number of metric rows in a report: of one slice, and of all
// slices unless the spec sets their number.
const MaxRows = 20_000_000

// SliceLimit returns the largest number of slices besides the overall one.
func (j *Job) SliceLimit() int {
	rows := j.Params.Rows(min(j.PerLabel.Most(), j.Params.Labels))
	if c := j.Confidence; c != nil && !c.Overall {
		rows *= 1 + c.Folds
	}
	if j.Compare {
		rows *= 2
	}
	return cmp.Or(j.MaxSlices, min(max(MaxRows/max(rows, 1), 1), 100_000))
}

// TooManySlices returns the error for exceeding the limit of slices. It names the column with the
// most values.
func (j *Job) TooManySlices(keys iter.Seq[string]) error {
	values := make(map[string]map[slice.Value]bool)
	for key := range keys {
		decoded, _, err := slice.Decode([]byte(key))
		if err != nil {
			return err
		}
		for _, v := range decoded {
			if values[v.Column] == nil {
				values[v.Column] = make(map[slice.Value]bool)
			}
			values[v.Column][v.Value] = true
		}
	}
	column := ""
	for name, met := range values {
		if n := len(met) - len(values[column]); n > 0 || n == 0 && name < column {
			column = name
		}
	}
	return fmt.Errorf("slices: more than %d slices: column %q alone has %d values or more; slice by a column of fewer values, list the values that matter, or set %s",
		j.SliceLimit(), quote.Short(column), len(values[column]), j.Params.Names.Of(settings.MaxSlices))
}
