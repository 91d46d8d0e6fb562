package element

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

// Job is what workers know of a transforms.Spec that is settled: nothing is left open in
// it but, perhaps, the labels. It travels to them as JSON, in fields of DoFns.
type Job struct {
	Params        metrics.Params
	Columns       input.Columns
	Encoding      input.Encoding
	PositiveLabel string
	Decision      input.Decision
	// Labels is the vocabulary; empty if labels are found in the data.
	Labels input.Vocabulary
	// Long says that an example has several rows of predictions, LongTruth that it has
	// several rows of truth.
	Long, LongTruth bool
	// Truth are the columns of the true labels if these are in other files; else nil.
	Truth    *input.Columns
	PerQuery bool
	// Slices are the slices to evaluate besides the overall one, of which there may be
	// MaxSlices; 0: as many as MaxRows allows, if a slice has rows for PerLabel labels.
	// The truth has the values of the columns TruthSlices.
	Slices      []input.Slice
	TruthSlices []string
	MaxSlices   int
	PerLabel    int
	// SkipBadRows and SkipMissing say that bad rows, and examples without truth, are
	// counted instead of ending the run.
	SkipBadRows, SkipMissing bool
	// EvaluateUnmatched says that queries of the truth without predictions are evaluated.
	EvaluateUnmatched bool

	// Grouping divides the examples into groups; nil: there are none.
	Grouping *Grouping
	// Spread asks for what histograms are made of; see metrics.Params.NewSpread.
	Spread bool

	ProbabilityTolerance float64
	NegativeIsZero       bool
	// RangeBytes is about how many bytes of scores a range has at most, and Goroutines how
	// many work on a bundle; 0: one for each core.
	RangeBytes, Goroutines int
	// Bundles is into how many bundles, at least, whatever puts out much is divided; 0: as
	// the runner has it.
	Bundles int
	// Either says that a prediction in memory has Predicted or, if that is empty, Scores, which Decision
	// makes predictions of.
	Either bool
	// Windowed says that what is evaluated is in windows. A DoFn then emits what it has at the end of
	// ProcessElement: what is emitted at the end of a bundle is in the global window.
	Windowed bool

	TempDir string
}

// Grouping divides examples into groups by a hash of the value of a column, for the
// delete-a-group jackknife: metrics are computed without each group in turn.
type Grouping struct {
	By      string // the column
	OfTruth bool   // whether the truth has it, not the predictions
	Groups  int
	Seed    uint64
}

// NoGroup is the group of examples if there are no groups.
const NoGroup = -1

// MostGroups is how many groups there are at most.
const MostGroups = 1000

// GroupField is the number of a group, or NoGroup.
func GroupField(c *wire.Coder, group *int32) {
	if wire.Int(c, group); *group < NoGroup || *group >= MostGroups {
		c.Fail("there is no group %d", *group)
	}
}

// Cell says what examples are in: slices, by their keys, and a group.
type Cell struct {
	Slices []string
	Group  int32
}

// With returns the job with what follows from the labels.
func (j Job) With(v *input.Vocabulary) Job {
	j.Params = WithLabels(j.Params, v)
	return j
}

// Complete completes the parameters, which the program that made the job could complete.
func (j *Job) Complete() error {
	err := j.Params.Complete()
	if unknown := (*metrics.UnknownMetricError)(nil); errors.As(err, &unknown) {
		return fmt.Errorf("the program of this worker has no metric %q: all workers must run a program that registers it, in an init function", unknown.Name)
	}
	return cmp.Or(err, j.checkFunctions())
}

// WithLabels returns the parameters with what follows from the labels.
func WithLabels(p metrics.Params, v *input.Vocabulary) metrics.Params {
	p.Labels = v.Len()
	if p.Propensity != nil {
		propensity := *p.Propensity
		propensity.Frequencies = v.Frequencies
		p.Propensity = &propensity
	}
	return p
}

// Ingest says how columns become examples.
func (j *Job) Ingest() *ingest.Spec {
	s := &ingest.Spec{
		Params: j.Params, Columns: j.Columns, Encoding: j.Encoding, PositiveLabel: j.PositiveLabel, Decision: j.Decision,
		ProbabilityTolerance: j.ProbabilityTolerance, NegativeIsZero: j.NegativeIsZero, AnyOrder: j.Long || j.LongTruth,
	}
	if j.Long {
		s.Columns.ScoreLabel = j.Columns.Class
	}
	if j.Truth != nil {
		s.Truth = *j.Truth
	}
	if g := j.Grouping; g != nil {
		s.GroupBy, s.GroupByTruth = g.By, g.OfTruth
	}
	return s
}

// ByExample says whether examples are put together from rows with equal ids.
func (j *Job) ByExample() bool { return j.Long || j.Truth != nil || j.PerQuery }

// SliceColumns returns the slice columns of predictions, and those of the truth.
func (j *Job) SliceColumns() (predictions, truth []string) {
	for _, set := range j.Slices {
		for _, c := range set {
			for _, name := range c.Columns() {
				if slices.Contains(j.TruthSlices, name) {
					truth = append(truth, name)
				} else {
					predictions = append(predictions, name)
				}
			}
		}
	}
	slices.Sort(predictions)
	slices.Sort(truth)
	return slices.Compact(predictions), slices.Compact(truth)
}

// Skips says whether rows that are bad for a reason are counted instead of ending the run.
func (j *Job) Skips(why ingest.Reason) bool {
	if why == ingest.NoTruth {
		return j.SkipMissing
	}
	return j.SkipBadRows
}

// describe returns a bad row as it is listed.
func (j *Job) describe(bad *ingest.Bad, at report.SkippedRow) report.SkippedRow {
	at.Column, at.Value, at.Reason = bad.Column, bad.Value, bad.Reason.String()
	long, from := j.Long, &j.Columns
	if bad.OfTruth && j.Truth != nil {
		long, from = j.LongTruth, j.Truth
	}
	if wide := from.Wide[bad.Column]; wide != nil && bad.Element >= 0 {
		at.Column = wide[bad.Element]
	} else if !long { // else the row is that of the element
		at.Value = bad.DescribeValue()
	}
	return at
}

// MaxRows is about how many metric rows a report may have: of one slice, and of all where
// the spec does not say how many slices it may have.
const MaxRows = 20_000_000

// SliceLimit is how many slices there may be besides the overall one.
func (j *Job) SliceLimit() int {
	rows := j.Params.Rows(min(j.PerLabel, j.Params.Labels))
	if g := j.Grouping; g != nil {
		rows *= 1 + g.Groups
	}
	return cmp.Or(j.MaxSlices, min(max(MaxRows/max(rows, 1), 1), 100_000))
}

// TooManySlices is the error for more slices than the limit: it names the column with the
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
