package transforms

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/recalibration"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/lanes"
)

// Spec says what predictions look like and what to compute. The task, and for files the columns,
// may be enough: everything else has a default. [Parquet], [Joined] and [Predictions] return an
// error if the Spec is invalid. It travels to workers as JSON.
type Spec struct {
	// Params has the task and the metrics; no metrics means all that the examples allow. Whether
	// there are scores and decisions follows from Columns, and the number of labels from Labels.
	// Curves are exact by default.
	Params metrics.Params
	// Columns are the columns of files. Predictions in memory need no names, except for messages;
	// but a name for Prediction says that Predicted is used even if there are scores. If neither it
	// nor Params says which there are, an example without Predicted is decided by its scores.
	Columns input.Columns
	// Long says that an example has several rows: in a multilabel task, one row for each label
	// (Columns.Class), with its truth (0 or 1), score and prediction; in a ranking, one row for
	// each retrieved item. Rows with the same value of Columns.Example belong together, in any
	// order.
	Long bool
	// PerQuery also reports the metrics of each single query of a ranking, by the value of
	// Columns.Example.
	PerQuery bool
	// Worst lists the examples with the highest losses; nil lists none.
	Worst *Worst
	// Changed lists the examples that the baseline predicts right and that are now predicted wrong, and
	// the reverse; nil lists none.
	Changed *Worst
	// Search asks for the slices with the highest losses; nil means no search.
	Search *Search
	// Encoding says how lists of labels are written in a multilabel task. In a multiclass task it
	// is Distribution if the labels are soft.
	Encoding input.Encoding
	// Reference, of preferences, is the name of the system whose strength is 0; "" means that strengths
	// add up to 0.
	Reference string
	// PositiveLabel is the positive label of a binary task; "" if the labels are 0 and 1.
	PositiveLabel string
	// BothClasses, if not nil, says that a score of a binary task is a list with those of both classes.
	BothClasses *BothClasses
	// Decision says how scores become predictions. It is nil if there is a column of predictions,
	// and for the default: a probability is positive from 0.5, any other score from 0. In a
	// multiclass task, the class with the highest score is predicted.
	Decision *input.Decision
	// Labels is the vocabulary of a multiclass or multilabel task, or the systems of preferences. If it is empty, the labels are
	// found in the data and sorted: numbers by value, strings by their bytes. Encodings with a
	// value for every label need it.
	Labels input.Vocabulary
	// TuningName names the criterion of Params.Tuning in reports.
	TuningName string
	// RangeBytes is the approximate size limit of a range of scores: exact curves shuffle a range
	// under one key, and one goroutine sorts it. 0 means 32 MiB.
	RangeBytes int
	// Goroutines is the number of goroutines that work on a bundle; 0 means one for each core, with
	// bundles that run at the same time sharing the cores.
	Goroutines int
	// Division says how the work is divided between workers, which changes no result.
	Division lanes.Division
	// TempDir is a local directory for data that a runner in this process would otherwise hold in
	// memory; "" leaves the data to the runner.
	TempDir string
	// Slices are evaluated in addition to the overall slice. More than MaxSlices slices are an
	// error; 0 means as many as fit into a report of [MaxRows].
	Slices    []Slice
	MaxSlices int
	// MaxExampleRows limits the rows of an example or query that has several, as these are held whole.
	// More are an error. 0 means 100,000.
	MaxExampleRows int
	// MaxNames limits the bytes that names of slices, labels and examples add to a report: the size of
	// each name, times the rows that repeat it. 0 means 4 GiB.
	MaxNames int64
	// ProbabilityTolerance is how far outside [0, 1] a probability may lie to be clipped and
	// counted. If it lies farther outside, the row is bad.
	ProbabilityTolerance float64
	// NegativeIsZero says that items with a negative relevance, such as the -1 of NIST's qrels,
	// count as not judged, and therefore as not relevant. Otherwise their rows are bad.
	NegativeIsZero bool
	// Crossing says what is done about rows whose forecasts of quantiles decrease with the level. Without it,
	// they are bad.
	Crossing input.Crossing
	// EstimateUnlabelled says that rows without a label are not bad: the metrics of these rows are
	// estimated from their probabilities (confidence-based performance estimation). They are in
	// slices of their own, whose keys have the column [Estimated] in addition. It is for binary and
	// multiclass tasks with probabilities or logits.
	EstimateUnlabelled bool
	// Recalibration, if not nil, replaces the scores of a binary task by probabilities, before anything
	// is computed from them. Params.ScoreType must be Probability.
	Recalibration *recalibration.Map
	// SkipBadRows says that bad rows are counted and skipped. Otherwise they fail the run.
	SkipBadRows bool
	// MaxSkipped is a gate: the limit of skipped rows. nil means no limit.
	MaxSkipped *report.Limit
	// ZeroDivision is the value of an undefined ratio: "0", "1" or "nan".
	ZeroDivision string
	PerLabel     PerLabel
	// CompleteScores says that sparse scores, those with Columns.ScoreLabel, name every label, so that metrics
	// that need a score for every label can be computed. A row that lacks a label is bad.
	CompleteScores bool
	// AverageLabels are the labels that metrics with the suffixes _micro, _macro and _weighted are over, such as
	// all but a background class; none means all. Metrics of the scores of all labels together, and of pairs of
	// classes, are left out.
	AverageLabels []string
	// Truth describes the true labels in other files, for [Joined]. It is nil if the true labels
	// are in the files of the predictions.
	Truth *Truth
	// ItemFiles say how frequent the items of rankings are, instead of Columns.ItemFrequency; nil if no
	// files do.
	ItemFiles *input.ItemFiles
	// Baseline describes what a baseline predicts in other files, for [JoinedWithBaseline]. It is nil if
	// there is no baseline, or if it is in the files of the predictions.
	Baseline *Baseline
	// Confidence asks for confidence intervals; nil means none.
	Confidence *Confidence
	// Groups compares groups of examples; nil means no comparison. The slices must include its
	// column.
	Groups *Groups
	// Histograms reports histograms of all examples: for a regression, of the residuals and of
	// predicted against true values; for a ranking, of the metrics shown first.
	Histograms bool

	either   bool // predictions in memory have Predicted or else are decided by Scores; see Job.Either
	windowed bool // the predictions are in windows; Job.Windowed tells workers
}

// Confidence says how to compute confidence intervals: by the delete-a-group jackknife, see package
// confidence. A hash of the value of a column divides the examples into groups, and every metric is
// computed without each group in turn.
type Confidence struct {
	// Level is the probability that an interval contains the true value; 0 means 0.95.
	Level float64
	// Groups is the number of groups, from 10 to 1000; 0 means 50 or, with Each, one for each value.
	Groups int
	// Each, if not nil, makes each value of By a group of its own, of which there are 10 to 1000. It
	// is what [input.Distinct] collects; values that it lacks join the group of another value.
	Each []uint64
	// By is the column that divides the examples; it is in the truth if it is one of Truth.Slices.
	// A row where it is null is bad. If it is "", predictions in memory use Prediction.Example.
	By string
	// Position says that no column does: the position of a row in its file divides the examples, which
	// are taken as independent. Each must be a row of a file.
	Position bool
	// Clustered says that examples with the same value of By depend on each other, such as the
	// sessions of a user.
	Clustered bool
	// Seed selects the division into groups.
	Seed uint64
	// Metrics are the names of the metrics that get intervals; none means all.
	Metrics []string
}

// DefaultGroups is the number of groups if neither Groups nor Each is set.
const DefaultGroups = 50

// MostEach is the largest number of values of a column that are a group each.
const MostEach = element.MostFolds

// Worst says which of the examples with the highest losses a report lists or, in Spec.Changed, which of
// those that changed since the baseline: the examples whose scores of the true class changed most come
// first and, among equals, those with the greatest margin of the wrong prediction. Both kinds of changes
// are listed by themselves, each with as many examples. An example is identified
// by the value of Columns.Example, if there is such a column; run.json has its file and row.
// [metrics.LossEvaluator] defines the loss. Examples whose loss is 0, those without weight, and
// queries for which nDCG is undefined, are not listed.
type Worst struct {
	// Count is the number of examples, from 1 to 10,000.
	Count int
	// PerLabel also lists as many examples of each label: in a multilabel task those with the
	// highest losses of the label, in a multiclass task those of the class. PerSlice lists as many of
	// each slice, and with PerLabel of each label in it. More than 200,000 in all are an error.
	PerLabel, PerSlice bool
}

// BothClasses says which of two scores in a row is of the positive label, as predict_proba of scikit-learn
// returns them. Of two logits, the difference from the other is the score. Params.ScoreType must be one of
// these, because of other scores nothing says what both mean together.
type BothClasses = input.BothClasses

// Truth describes true labels that are in other files than the predictions; see [Joined].
type Truth = input.Truth

// Baseline describes what a baseline predicts, if that is in other files than the predictions; see
// [JoinedWithBaseline].
type Baseline = input.Baseline

// PerLabel says which labels have metric rows of their own: all labels; the labels with these
// Names; or at most Limit labels, namely the first that occur in the examples of a slice, as true
// or predicted.
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

// sliceNames returns names of the columns of slices, sorted and without duplicates.
func sliceNames(list []Slice, of func(*SliceColumn) []string) []string {
	var names []string
	for _, c := range slices.Concat(list...) {
		names = append(names, of(&c)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Estimated is the column that the keys of slices have in addition if their metrics are estimated;
// its value is true.
const Estimated = element.Estimated

// MaxRows is the approximate largest number of metric rows in a report: of one slice, and of all
// slices unless the spec sets their number.
const MaxRows = element.MaxRows

// Rows returns the approximate number of metric rows of a slice.
func (s *Spec) Rows() int { return s.Params.Rows(min(s.PerLabel.most(), s.Params.Labels)) }

// most returns the largest number of labels with rows of their own.
func (l *PerLabel) most() int {
	switch {
	case l.All:
		return math.MaxInt
	case l.Names != nil:
		return len(l.Names)
	}
	return l.Limit
}

// job returns the part of a settled spec that workers need.
func (s *Spec) job() element.Job {
	j := element.Job{
		Spec: ingest.Spec{
			Params: s.Params, Columns: s.Columns, Encoding: s.Encoding, PositiveLabel: s.PositiveLabel, BothClasses: s.BothClasses, Long: s.Long, Truth: s.Truth, Baseline: s.Baseline,
			ProbabilityTolerance: s.ProbabilityTolerance, NegativeIsZero: s.NegativeIsZero, Crossing: s.Crossing, Estimate: s.EstimateUnlabelled,
			Recalibration: s.Recalibration, CompleteScores: s.CompleteScores,
		},
		Labels: s.labels(), PerQuery: s.PerQuery, Slices: s.Slices, Spread: s.Histograms || s.Params.LabelPairs && s.Params.Task == metrics.Multilabel, MaxSlices: s.MaxSlices, MaxNames: s.MaxNames, MaxExampleRows: cmp.Or(s.MaxExampleRows, 100_000), PerLabel: s.PerLabel.most(), SkipBadRows: s.SkipBadRows,
		RangeBytes: cmp.Or(s.RangeBytes, 32<<20), Goroutines: s.Goroutines, Division: s.Division, Compare: s.Params.Has.Has(roles.BaselinePrediction), Either: s.either, Windowed: s.windowed, TempDir: s.TempDir,
	}
	if s.Decision != nil {
		j.Decision = *s.Decision
	}
	j.Search = s.Search.job()
	if s.Worst != nil {
		j.Worst = element.WorstOptions(*s.Worst)
	}
	if s.Changed != nil {
		j.Changed = element.WorstOptions(*s.Changed)
	}
	if c := s.Confidence; c != nil {
		j.Params.Digest, j.Params.Replicated = true, c.Metrics
		j.Folding = &ingest.Folding{By: c.By, Position: c.Position, OfTruth: s.Truth.Has(c.By), Folds: c.Groups, Seed: c.Seed, Each: c.Each}
	}
	var reference map[string]string
	if s.Groups != nil {
		reference = s.Groups.Reference
	}
	j.FindConstants(reference)
	j.Division.PartialBytes = partialLimit(&j)
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

// labelled reports whether the spec has the labels.
func (s *Spec) labelled() bool {
	vocab := s.labels()
	return vocab.Len() > 0
}

// with returns the spec completed by what follows from the labels.
func (s Spec) with(v *input.Vocabulary) Spec {
	s.Params = element.WithLabels(s.Params, v)
	return s
}

// options returns the options with which statistics become metrics.
func (s *Spec) options(v *input.Vocabulary) metrics.Options {
	o := metrics.Options{ZeroDivision: map[string]float64{"1": 1, "nan": math.NaN()}[s.ZeroDivision]}
	o.PerLabel = metrics.PerLabel{All: s.PerLabel.All, Limit: s.PerLabel.Limit}
	if system, found := v.Label(s.Reference); found && s.Reference != "" {
		o.Reference = &system
	}
	if s.PerLabel.Names != nil {
		o.PerLabel.Labels = labelsNamed(v, s.PerLabel.Names)
	}
	if len(s.AverageLabels) > 0 {
		o.AverageLabels = labelsNamed(v, s.AverageLabels)
	}
	return o
}

// labelsNamed returns the labels with these names, in increasing order. It is not nil.
func labelsNamed(v *input.Vocabulary, names []string) []int {
	labels := []int{}
	for _, name := range names {
		if label, found := v.Label(name); found {
			labels = append(labels, label)
		}
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// checkAverages returns an error if AverageLabels has a name that is not one of the labels.
func (s *Spec) checkAverages(v *input.Vocabulary) error {
	for _, name := range s.AverageLabels {
		if _, found := v.Label(name); !found {
			return fmt.Errorf("%s has %q, which is not one of the %d labels", s.Params.Names.Of(settings.AverageLabels), name, v.Len())
		}
	}
	return nil
}
