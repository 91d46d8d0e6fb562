package transforms

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// Encoding says how true labels are written, where that is a list.
type Encoding = ingest.Encoding

// The encodings of label lists: of multilabel examples, and the distribution of
// multiclass ones, whose labels are one value otherwise.
const (
	Indices      = ingest.Indices      // label numbers, from 0
	Names        = ingest.Names        // label names
	Indicator    = ingest.Indicator    // a 0 or 1 for every label
	Distribution = ingest.Distribution // the probability of every class
)

// Decision says how scores become predictions where there are none.
type Decision = ingest.Decision

// Roles are the names of the columns with each role, "" where there is none.
// ScoreLabel is there where Params.Sparse says so: a list as long as that of
// Score, with the labels that the scores are of, each once and in any order. Both may
// be parts of one list of structs or map, as scores.label and scores.score.
type Roles = ingest.Roles

// Vocabulary is the set of labels, in order: their Names or, for labels without
// names, their Count; see [NumberedLabels]. Names too many to travel with a pipeline
// can be left in a File, one a line, of Count lines, which workers read if they need
// names. Frequencies are those of the labels in training data, from which metrics with
// propensities take these; left zero, they are counted in the evaluated examples.
type Vocabulary = ingest.Vocabulary

// NumberedLabels returns the vocabulary of n labels without names.
func NumberedLabels(n int) Vocabulary { return ingest.NumberedLabels(n) }

// ReadNames returns the names of labels that this version of a file has, one a line, and
// the version, which "" leaves open.
func ReadNames(ctx context.Context, file string, v files.Version) ([]string, files.Version, error) {
	return ingest.ReadNames(ctx, file, v)
}

// Spec says what predictions look like and what is asked of them. A task, and the
// columns of files, may be all: what is left open follows, and a Spec that cannot be
// evaluated is an error of [Parquet], [Joined] and [Predictions]. It travels to workers
// as JSON.
type Spec struct {
	// Params are the task, the metrics (none: all that the examples allow) and what
	// they are made from. Columns say whether there are scores and decisions, and
	// curves are exact if nothing else is said. Labels may be left 0: it follows from
	// the vocabulary.
	Params metrics.Params
	// Columns are the columns of files. Those of predictions in memory need no
	// names, which only appear in messages; but a name for Prediction says that
	// Predicted counts where there are scores too.
	Columns Roles
	// Long says that an example has several rows: in a multilabel task one for each
	// label (Columns.Class), with the label's truth (0 or 1), score and prediction;
	// in a ranking one for each item that was retrieved. Columns.Example tells which
	// rows belong together, in any order.
	Long bool
	// PerQuery asks for the metrics of each query of a ranking, by the value of
	// Columns.Example.
	PerQuery bool
	// Encoding of the label lists of multilabel examples; Distribution, if the
	// labels of multiclass ones are soft.
	Encoding Encoding
	// PositiveLabel is the label that counts as positive in a binary task; ""
	// means that labels are 0 and 1.
	PositiveLabel string
	// Decision says how scores become predictions, unless there is a column of
	// these; nil: a probability of 0.5 is positive, and another score of 0. In a
	// multiclass task the class with the highest score is predicted.
	Decision *Decision
	// Labels is the vocabulary of a multiclass or multilabel task. If it is
	// empty, labels are found in the data and sorted: numbers by value, strings by
	// their bytes. Encodings with a value for every label need it.
	Labels Vocabulary
	// TuningName is what thresholds are tuned for (Params.Tuning), for people.
	TuningName string
	// WorkerScores is how many scores of curves a goroutine holds at a time, or
	// so; 0 is two million. Labels with more are cut into ranges of scores.
	WorkerScores int
	// Goroutines is how many goroutines work on a bundle; 0 is one for each core.
	Goroutines int
	// TempDir is a local directory for data that a runner within this process
	// would otherwise hold in memory; "" leaves them to the runner.
	TempDir string
	// Slices are evaluated besides the overall one, MaxSlices at most, or so many that
	// the report has [MaxRows] if that is 0. More are an error.
	Slices    []Slice
	MaxSlices int
	// ProbabilityTolerance is how far outside [0, 1] a probability is clipped and
	// counted; beyond, the row is bad.
	ProbabilityTolerance float64
	// NegativeIsZero says that an item with a negative relevance, such as the -1 of
	// NIST's qrels, is not relevant, as if it was not judged; else the row is bad.
	NegativeIsZero bool
	// SkipBadRows counts rows that cannot be evaluated instead of failing.
	SkipBadRows bool
	// MaxSkipped is how many rows may be skipped; more fail the run. nil is any number.
	MaxSkipped *Limit
	// ZeroDivision is "0", "1" or "nan": what an undefined ratio counts as.
	ZeroDivision string
	PerLabel     PerLabel
	// Truth says what true labels look like that are in other files; see [Joined]. nil:
	// they are beside the predictions.
	Truth *Truth
}

// Truth says what true labels look like that are in other files than the predictions; see
// [Joined]. They belong to the predictions with the same value of Columns.Example.
type Truth struct {
	// Columns has Example and Label and, if there is a row for each label or item of
	// an example, Class or Item.
	Columns Roles
	// Slices are the slice columns that these files have, not those of the predictions.
	// All rows of an example must agree on them.
	Slices []string
	// SkipMissing leaves out examples without truth, and counts them, instead of
	// failing.
	SkipMissing bool
}

// PerLabel says which labels get rows of their own: all, those named, or at most
// Limit: all if they are not more, else the first that a slice's examples have or
// are predicted to have.
type PerLabel struct {
	All   bool
	Names []string
	Limit int
}

// Limit is a number of rows or, if Percent, a share of all.
type Limit struct {
	Value   float64
	Percent bool
}

// Slice is a set of slices: one for each combination of values of its columns.
type Slice []SliceColumn

// SliceColumn is one column of a Slice and the values that it is limited to,
// if any.
type SliceColumn struct {
	Column string
	Values []SliceValue
}

// SliceValue is a value as text ("de", "3", "true"), or null.
type SliceValue struct {
	Text string
	Null bool
}

// SliceColumns returns the columns that slices need, sorted, each once.
func SliceColumns(list []Slice) []string {
	var names []string
	for _, slice := range list {
		for _, c := range slice {
			names = append(names, c.Column)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// MaxRows is about how many metric rows a report may have: of one slice, and of all if the
// spec does not say how many slices there may be.
const MaxRows = element.MaxRows

// Rows returns about how many metric rows a slice has.
func (s *Spec) Rows() int { return s.Params.Rows(min(s.PerLabel.most(), s.Params.Labels)) }

// most is how many labels have rows of their own at most.
func (l *PerLabel) most() int {
	switch {
	case l.All:
		return math.MaxInt
	case l.Names != nil:
		return len(l.Names)
	}
	return l.Limit
}

// job returns what workers need to know of a spec that is settled.
func (s *Spec) job() element.Job {
	j := element.Job{
		Params: s.Params, Columns: s.Columns, Encoding: s.Encoding, PositiveLabel: s.PositiveLabel, Labels: s.labels(),
		Long: s.Long, PerQuery: s.PerQuery, MaxSlices: s.MaxSlices, PerLabel: s.PerLabel.most(), SkipBadRows: s.SkipBadRows,
		ProbabilityTolerance: s.ProbabilityTolerance, NegativeIsZero: s.NegativeIsZero,
		WorkerScores: cmp.Or(s.WorkerScores, 2<<20), Goroutines: s.Goroutines, TempDir: s.TempDir,
	}
	if s.Decision != nil {
		j.Decision = *s.Decision
	}
	for _, slice := range s.Slices {
		j.SliceSets = append(j.SliceSets, slice.set())
	}
	if t := s.Truth; t != nil {
		j.Truth, j.TruthSlices, j.SkipMissing = &t.Columns, t.Slices, t.SkipMissing
		j.LongTruth = t.Columns.Class != "" || t.Columns.Item != ""
	}
	return j
}

func (s Slice) set() element.SliceSet {
	set := make(element.SliceSet, len(s))
	for i, c := range s {
		set[i].Column = c.Column
		for _, v := range c.Values {
			set[i].Values = append(set[i].Values, v.key())
		}
	}
	return set
}

func (v SliceValue) key() slice.Value {
	if v.Null {
		return slice.Null()
	}
	return slice.String(v.Text)
}

// labels returns the vocabulary, as far as the spec says what it is.
func (s *Spec) labels() Vocabulary {
	switch s.Params.Task {
	case metrics.Binary:
		return ingest.BinaryLabels(s.PositiveLabel)
	case metrics.Regression, metrics.Ranking:
		return NumberedLabels(1)
	}
	return s.Labels
}

// labelled says whether the spec has the labels.
func (s *Spec) labelled() bool {
	vocab := s.labels()
	return vocab.Len() > 0
}

// with returns the spec with what follows from the labels.
func (s Spec) with(v *Vocabulary) Spec {
	s.Params = element.WithLabels(s.Params, v)
	return s
}

// options returns how statistics become rows.
func (s *Spec) options(v *Vocabulary) metrics.Options {
	o := metrics.Options{ZeroDivision: math.NaN()}
	switch s.ZeroDivision {
	case "0", "":
		o.ZeroDivision = 0
	case "1":
		o.ZeroDivision = 1
	}
	o.PerLabel = metrics.PerLabel{All: s.PerLabel.All, Limit: s.PerLabel.Limit}
	if s.PerLabel.Names != nil {
		o.PerLabel.Labels = []int{}
		for _, name := range s.PerLabel.Names {
			if label, found := v.Label(name); found {
				o.PerLabel.Labels = append(o.PerLabel.Labels, label)
			}
		}
		slices.Sort(o.PerLabel.Labels)
		o.PerLabel.Labels = slices.Compact(o.PerLabel.Labels)
	}
	return o
}

// warnings says what rows the report leaves out.
func (s *Spec) warnings(v *Vocabulary, rows []report.Row) []string {
	if s.Params.Task&(metrics.Multiclass|metrics.Multilabel) == 0 {
		return nil
	}
	var list []string
	for _, name := range s.PerLabel.Names {
		if _, found := v.Label(name); !found {
			list = append(list, fmt.Sprintf("per_label names %q, which is not one of the labels", name))
		}
	}
	if s.PerLabel.All || s.PerLabel.Names != nil {
		return list
	}
	n, confused := s.PerLabel.Limit, max(s.PerLabel.Limit, metrics.ConfusedLabels)
	ofLabels := slices.ContainsFunc(rows, func(r report.Row) bool { return r.Label != nil })
	if n > 0 && n < v.Len() && ofLabels {
		list = append(list, fmt.Sprintf("metrics of single labels are reported for the first %d of %d labels that occur; set per_label for others", n, v.Len()))
	}
	if s.Params.Task == metrics.Multilabel && s.Params.Decisions && confused < v.Len() && (n != confused || !ofLabels) {
		list = append(list, fmt.Sprintf("confusion matrices are reported for the first %d of %d labels that occur; set per_label for others", confused, v.Len()))
	}
	return list
}
