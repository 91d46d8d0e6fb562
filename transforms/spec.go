package transforms

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/element"
)

// Spec says what predictions look like and what to compute. A task, and the columns of
// files, may be enough: the rest has defaults. [Parquet], [Joined] and [Predictions] return
// an error for a Spec that cannot be evaluated. It travels to workers as JSON.
type Spec struct {
	// Params has the task and the metrics; none means all that the examples allow. It
	// follows from Columns whether there are scores and decisions, and from Labels how
	// many labels there are. Curves are exact by default.
	Params metrics.Params
	// Columns are the columns of files. Predictions in memory need no names, except in
	// messages; but a name for Prediction says that Predicted counts even where there are
	// scores. If neither it nor Params says what there is, scores are decided where
	// Predicted is empty.
	Columns input.Columns
	// Long says that an example has several rows: in a multilabel task one for each label
	// (Columns.Class), with its truth (0 or 1), score and prediction; in a ranking one for
	// each item that was retrieved. Rows with the same value of Columns.Example belong
	// together, in any order.
	Long bool
	// PerQuery reports the metrics of each query of a ranking too, by the value of
	// Columns.Example.
	PerQuery bool
	// Encoding says how lists of labels are written in a multilabel task. In a multiclass
	// task it is Distribution if labels are soft.
	Encoding input.Encoding
	// PositiveLabel is the positive label of a binary task; "" if labels are 0 and 1.
	PositiveLabel string
	// Decision says how scores become predictions. It is nil if there is a column of
	// predictions, or for the default: positive is a probability of 0.5 or more, another
	// score of 0 or more. In a multiclass task the class with the highest score is predicted.
	Decision *input.Decision
	// Labels is the vocabulary of a multiclass or multilabel task. If it is empty, labels
	// are found in the data and sorted: numbers by value, strings by their bytes. Encodings
	// with a value for every label need it.
	Labels input.Vocabulary
	// TuningName names the criterion of Params.Tuning in reports.
	TuningName string
	// RangeBytes is about how many bytes of scores a range has at most: what exact curves
	// shuffle under one key, and one goroutine sorts. 0 is 32 MiB.
	RangeBytes int
	// Goroutines is how many goroutines work on a bundle; 0 is one for each core, and bundles
	// that run at once share the cores.
	Goroutines int
	// Bundles is in how many bundles, at least, shards are folded, however few subtasks there
	// are: for runners of which a bundle may put out only so much; see [Bundles]. It takes DoFns
	// with state, which Beam's runner direct does not have. 0 leaves it to the runner.
	Bundles int
	// BundlePerKey says that the runner begins a bundle with each key of a step that has state, as
	// Beam's job servers for Flink and Spark do. Partials are then merged in such bundles.
	BundlePerKey bool
	// TempDir is a local directory for data that a runner in this process would otherwise
	// hold in memory; "" leaves them to the runner.
	TempDir string
	// Slices are evaluated besides the overall slice. It is an error if there are more than
	// MaxSlices; 0 is as many as fit into a report of [MaxRows].
	Slices    []Slice
	MaxSlices int
	// ProbabilityTolerance is how far outside [0, 1] a probability may be to be clipped and
	// counted. If it is farther outside, the row is bad.
	ProbabilityTolerance float64
	// NegativeIsZero says that items with a negative relevance, such as the -1 of NIST's
	// qrels, count as not judged, and so as not relevant. Otherwise the row is bad.
	NegativeIsZero bool
	// SkipBadRows says that bad rows are counted and left out. Otherwise they fail the run.
	SkipBadRows bool
	// MaxSkipped is a gate: how many rows may be skipped. nil is no limit.
	MaxSkipped *report.Limit
	// ZeroDivision is what an undefined ratio counts as: "0", "1" or "nan".
	ZeroDivision string
	PerLabel     PerLabel
	// Truth describes true labels in other files, for [Joined]. It is nil if the true labels
	// are beside the predictions.
	Truth *Truth
	// Confidence asks for confidence intervals; nil: there are none.
	Confidence *Confidence
	// Groups compares groups of examples; nil: it does not. The slices must have its column.
	Groups *Groups
	// Histograms reports histograms of all examples: of a regression those of residuals and of
	// predicted against true values, of a ranking those of the metrics shown first.
	Histograms bool

	either   bool // predictions in memory have Predicted or, if not, are decided by Scores; see Job.Either
	windowed bool // the predictions are in windows; workers are told by Job.Windowed
}

// Confidence says how confidence intervals are computed: by the delete-a-group jackknife, see
// package confidence. Examples are divided into groups by a hash of the value of a column, and
// every metric is computed without each group in turn.
type Confidence struct {
	// Level is how likely an interval is to hold the true value; 0 is 0.95.
	Level float64
	// Groups is how many groups there are, from 10 to 1000; 0 is 50.
	Groups int
	// By is the column of the values, in the truth if it is one of Truth.Slices. A row where it
	// is null is bad. Predictions in memory have Prediction.Example if it is "".
	By string
	// Clustered says that several examples have the same value of By and depend on each other,
	// such as the sessions of a user.
	Clustered bool
	// Seed chooses among divisions into groups.
	Seed uint64
	// Metrics are the names of those that get intervals; none: all.
	Metrics []string
}

// The least and the most groups.
const (
	leastGroups = confidence.MinGroups
	mostGroups  = element.MostGroups
)

// Truth describes true labels that are in other files than the predictions; see [Joined].
// They belong to the predictions with the same value of Columns.Example.
type Truth struct {
	// Columns has Example and Label and, if there is a row for each label or item of an
	// example, Class or Item.
	Columns input.Columns
	// Slices are the slice columns of these files; the others are columns of predictions.
	// All rows of an example must have the same values.
	Slices []string
	// SkipMissing says that examples without truth are counted and left out. Otherwise they
	// fail the run.
	SkipMissing bool
	// EvaluateUnmatched says that queries of a ranking that only the truth has are evaluated, as
	// queries for which nothing was retrieved. Otherwise they are counted and left out. It needs
	// a row for each item of the truth. Such queries have no weight, and their values of slice
	// columns, and of Confidence.By, must be those of the truth.
	EvaluateUnmatched bool
}

// PerLabel says which labels have metric rows of their own: all; those with these Names; or
// at most Limit labels, the first that the examples of a slice have or are predicted to have.
type PerLabel struct {
	All   bool
	Names []string
	Limit int
}

// Slice is a set of slices: one for each combination of values of its columns.
type Slice = input.Slice

// SliceColumn is a column of a [Slice].
type SliceColumn = input.SliceColumn

// SliceValue is a value of a [SliceColumn].
type SliceValue = input.SliceValue

// sliceColumns returns the columns of slices, sorted, each once.
func sliceColumns(list []Slice) []string {
	return sliceNames(list, (*SliceColumn).Columns)
}

// sliceNames returns names of the columns of slices, sorted, each once.
func sliceNames(list []Slice, of func(*SliceColumn) []string) []string {
	var names []string
	for _, slice := range list {
		for i := range slice {
			names = append(names, of(&slice[i])...)
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

// most returns how many labels have rows of their own at most.
func (l *PerLabel) most() int {
	switch {
	case l.All:
		return math.MaxInt
	case l.Names != nil:
		return len(l.Names)
	}
	return l.Limit
}

// job returns what workers need to know of a settled spec.
func (s *Spec) job() element.Job {
	j := element.Job{
		Params: s.Params, Columns: s.Columns, Encoding: s.Encoding, PositiveLabel: s.PositiveLabel, Labels: s.labels(),
		Long: s.Long, PerQuery: s.PerQuery, Slices: s.Slices, Spread: s.Histograms, MaxSlices: s.MaxSlices, PerLabel: s.PerLabel.most(), SkipBadRows: s.SkipBadRows,
		ProbabilityTolerance: s.ProbabilityTolerance, NegativeIsZero: s.NegativeIsZero,
		RangeBytes: cmp.Or(s.RangeBytes, 32<<20), Goroutines: s.Goroutines, Bundles: s.Bundles, Either: s.either, Windowed: s.windowed, TempDir: s.TempDir,
	}
	if s.Decision != nil {
		j.Decision = *s.Decision
	}
	if t := s.Truth; t != nil {
		j.Truth, j.TruthSlices, j.SkipMissing, j.EvaluateUnmatched = &t.Columns, t.Slices, t.SkipMissing, t.EvaluateUnmatched
		j.LongTruth = t.Columns.Class != "" || t.Columns.Item != ""
	}
	if c := s.Confidence; c != nil {
		j.Params.Digest, j.Params.Replicated = true, c.Metrics
		j.Grouping = &element.Grouping{By: c.By, OfTruth: s.Truth != nil && slices.Contains(s.Truth.Slices, c.By), Groups: c.Groups, Seed: c.Seed}
	}
	return j
}

// labels returns the vocabulary; it is empty if the labels are found in the data.
func (s *Spec) labels() input.Vocabulary {
	switch s.Params.Task {
	case metrics.Binary:
		return input.BinaryLabels(s.PositiveLabel)
	case metrics.Regression, metrics.Ranking:
		return input.NumberedLabels(1)
	}
	return s.Labels
}

// labelled says whether the spec says what the labels are.
func (s *Spec) labelled() bool {
	vocab := s.labels()
	return vocab.Len() > 0
}

// with returns the spec with what follows from the labels.
func (s Spec) with(v *input.Vocabulary) Spec {
	s.Params = element.WithLabels(s.Params, v)
	return s
}

// options says how statistics become metrics.
func (s *Spec) options(v *input.Vocabulary) metrics.Options {
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
