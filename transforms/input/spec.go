package input

import (
	"math"

	"github.com/beameval/beameval/io/recalibration"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/sliceline"
	"github.com/beameval/beameval/transforms/lanes"
)

// Spec says what predictions look like and what to compute. The task, and for files the columns,
// may be enough: everything else has a default. The functions of
// package transforms return an error if the Spec is invalid. It travels to workers as JSON.
type Spec struct {
	// Params has the task and the metrics; no metrics means all that the examples allow. Whether
	// there are scores and decisions follows from Columns, and the number of labels from Labels.
	// Curves are exact by default.
	Params metrics.Params
	// Columns are the columns of files. Predictions in memory need no names, except for messages;
	// but a name for Prediction says that Predicted is used even if there are scores. If neither it
	// nor Params says which there are, an example without Predicted is decided by its scores.
	Columns Columns
	// Long says that an example has several rows: in a multilabel task, one row for each label
	// (Columns.Class), with its truth (0 or 1), score and prediction; in a ranking, one row for
	// each retrieved item; in task grade, one row for each attempt; in task agreement, one row for each rating. Rows with the same value of
	// Columns.Example belong together, in any order.
	Long bool
	// Shuffled says that hardly any example has its rows together. No pass over the ids then looks for those
	// that do, which changes no result. See [Order].
	Shuffled bool
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
	Encoding Encoding
	// Reference, of preferences, is the name of the system whose strength is 0; "" means that strengths
	// add up to 0.
	Reference string
	// PositiveLabel is the positive label of a binary task; "" if the labels are 0 and 1.
	PositiveLabel string
	// BothClasses, if not nil, says that a score of a binary task is a list with a score for each
	// of the two classes.
	BothClasses *BothClasses
	// Decision says how scores become predictions. It is nil if there is a column of predictions,
	// and for the default: a probability is positive from 0.5, any other score from 0. In a
	// multiclass task, the class with the highest score is predicted.
	Decision *Decision
	// Labels is the vocabulary of a multiclass or multilabel task, or the systems of preferences. If it is empty, the labels are
	// found in the data and sorted: numbers by value, strings by their bytes. Encodings with a
	// value for every label need it.
	Labels Vocabulary
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
	// error; 0 means as many as fit into a report of 20 million rows.
	Slices    []Slice
	MaxSlices int
	// GateSlices are the slices of gates that judge the report, as in [report.Gate]: a value of a column of
	// float32 or float16 is the decimal number of a gate that rounds to it.
	GateSlices []slice.Key
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
	Crossing Crossing
	// EstimateUnlabelled says that rows without a label are not bad: the metrics of these rows are
	// estimated from their probabilities (confidence-based performance estimation). They are in
	// slices of their own, whose keys have the column transforms.Estimated in addition. It is for binary and
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
	// Truth describes the true labels in other files, for transforms.Joined. It is nil if the true labels
	// are in the files of the predictions.
	Truth *Truth
	// ItemFiles say how frequent the items of rankings are, instead of Columns.ItemFrequency; nil if no
	// files do.
	ItemFiles *ItemFiles
	// Training is searched for the ids of the examples, which Columns.Example has, when the report is written; nil
	// if nothing is. It is for the check overlap.
	Training *TrainingFiles
	// Baseline describes a baseline's predictions in other files, for
	// transforms.JoinedWithBaseline. It is nil if there is no baseline, or if it is in the files of
	// the predictions.
	Baseline *Baseline
	// Confidence asks for confidence intervals; nil means none.
	Confidence *Confidence
	// Sampling says how rows were drawn; nil means that all there are were taken.
	Sampling *Sampling `json:",omitempty"`
	// Groups compares groups of examples; nil means no comparison. The slices must include its
	// column.
	Groups *Groups
	// KeepIDs keeps the hashes of the ids of all examples, which Columns.Example has, so that examples of several reports
	// that are merged are told apart.
	KeepIDs bool
	// Histograms reports histograms of all examples: for a regression, of the residuals and of
	// predicted against true values; for a ranking, of the metrics shown first.
	Histograms bool
}

// Rows returns the approximate number of metric rows of a slice.
func (s *Spec) Rows() int { return s.Params.Rows(min(s.PerLabel.Most(), s.Params.Labels)) }

// Most returns the largest number of labels with rows of their own.
func (l *PerLabel) Most() int {
	switch {
	case l.All:
		return math.MaxInt
	case l.Names != nil:
		return len(l.Names)
	}
	return l.Limit
}

// Confidence says how to compute confidence intervals: by the delete-a-group jackknife, see package
// confidence. A hash of the value of a column divides the examples into folds, and every metric is
// computed without each fold in turn. (Configurations and reports call a fold a group.)
type Confidence struct {
	// Level is the probability that an interval contains the true value; 0 means 0.95.
	Level float64
	// Folds is the number of folds, from 10 to 1000; 0 means 50 or, with Each, one for each value.
	Folds int
	// Each, if not nil, makes each value of By a fold of its own. It has 10 to 1000 values, as
	// [Distinct] collects them; a value that it lacks joins the fold of another value.
	Each []uint64
	// Refold says that the values in Each, of any number up to 1000, are not a fold each: by their hashes, they
	// are joined into Folds when metrics are computed. Until then they are apart, so that the statistics can be
	// merged with statistics of other values, and all values may be a fold each. Params.Curves must not be exact.
	Refold bool
	// Strata are the strata that rows were drawn from, see Spec.Sampling, if there are several: each is divided into
	// Folds / len(Strata) folds of its own. The column Stratum says which a row is of; it is where By is.
	Stratum string    `json:",omitempty"`
	Strata  []Stratum `json:",omitempty"`
	// Rest is how many of the Folds, the last, no stratum has: as many as all Strata, where Params.Drawn. All rows of no stratum, which
	// have no label, are in the first of them, and replicates of the others show how their judgements vary within strata.
	Rest int `json:",omitempty"`
	// By is the column that divides the examples; it is in the truth if it is one of Truth.Slices.
	// A row where it is null is bad. If it is "", predictions in memory use Prediction.Example.
	By string
	// Position says that no column does: the position of a row in its file divides the examples, which
	// are taken as independent. Each must be a row of a file.
	Position bool
	// Clustered says that examples with the same value of By depend on each other, such as the
	// sessions of a user.
	Clustered bool
	// Seed selects the division into folds.
	Seed uint64
	// Metrics are the names of the metrics that get intervals; none means all.
	Metrics []string
	// Overall says that only all examples, the groups of Spec.Groups and Spec.GateSlices get
	// intervals. With hundreds of slices, intervals cost several times as much as everything else.
	Overall bool
}

// DefaultFolds is the number of folds if neither Folds nor Each is set.
const DefaultFolds = 50

// FineFolds returns the number of folds in which statistics are kept before they are joined into Folds.
func (c *Confidence) FineFolds() int {
	if c.Refold {
		return len(c.Each)
	}
	return c.Folds
}

// Folding says how statistics are divided into folds when they are merged with others: as all examples would have
// been. The zero value says that the number of folds is given.
type Folding struct {
	// From Least to Most values of Confidence.By are a fold each; more, or fewer, are divided into DefaultFolds.
	Least, Most int
	// Clusters says that values are clusters, unless there are more of them than half of the Rows.
	Clusters bool `json:",omitempty"`
	Rows     int64
	// Many says that there are more than Most values, or that their number is unknown.
	Many bool `json:",omitempty"`
	// Lost says that at most Most values were divided into folds without being kept apart.
	Lost bool `json:",omitempty"`
}

// Each reports whether so many values are a fold each.
func (g *Folding) Each(values int) bool {
	return values >= g.Least && values <= g.Most && !(g.Clusters && int64(values) > g.Rows/2)
}

// OfTruth reports whether the column that divides the examples is in the truth instead of the predictions. c may be nil.
func (c *Confidence) OfTruth(t *Truth) bool { return c != nil && t.Has(c.By) }

// Worst says which of the examples with the highest losses a report lists or, in Spec.Changed,
// which of the examples that changed since the baseline. The examples whose scores of the true
// class changed most come first and, among equals, the greatest margins of the wrong prediction.
// Both kinds of changes are listed by themselves, each with as many examples. An example is
// identified by the value of Columns.Example, if there is such a column; run.json has its file and
// row. [metrics.LossEvaluator] defines the loss. Examples whose loss is 0, those without weight,
// and queries for which nDCG is undefined, are not listed.
type Worst struct {
	// Count is the number of examples, from 1 to 10,000.
	Count int
	// PerLabel also lists Count examples for each label: in a multilabel task the examples with the
	// highest losses of the label, in a multiclass task the examples of the class. PerSlice lists
	// Count examples for each slice, and with PerLabel for each label in it. More than 200,000 in
	// all are an error.
	PerLabel, PerSlice bool
}

// PerLabel says which labels have metric rows of their own: all labels; the labels with these
// Names; or at most Limit labels, namely the first that occur in the examples of a slice, as true
// or predicted.
type PerLabel struct {
	All   bool
	Names []string
	Limit int
}

// Search asks for the slices with the highest losses, which nobody has to name; see package
// sliceline. Half of the groups of Confidence are searched, and the others confirm what was found.
type Search struct {
	// Columns are the columns whose values make slices. They may have Bins or Quantiles; with
	// Quantiles, numbers are divided only if there are more than MostValues of them. They have no
	// Values and no Function.
	Columns []SliceColumn
	// Measure is the loss of an example, as in [metrics.Params.NewLossEvaluator]. An example whose loss
	// is undefined, infinite or negative is left out.
	Measure string
	// OfColumn says that Measure is a column, which has the loss of each example.
	OfColumn bool
	// Level is the largest number of columns of a slice; 0 means 2. Top is the largest number of slices
	// to find; 0 means 20. MinSupport is the smallest number of searched examples of a slice; 0 means
	// 100. Alpha, above 0 and at most 1, weighs errors against size; 0 means 0.95.
	Level, Top, MinSupport int
	Alpha                  float64
	// MostCandidates is the largest number of slices of three and more columns, or of two if these could
	// be too many, that are counted; 0 means 100,000. If more may be among the worst, slices of so many
	// columns and more are left out, and the report says so.
	MostCandidates int
	// MostValues is the largest number of values of a column; 0 means 50. A column with more is left
	// out, and the report says so.
	MostValues int
	// Unconfirmed says that all examples are searched, so that none are left to confirm what was found.
	Unconfirmed bool
	// LeftOut says which columns were left out before, and why. It is added to the report.
	LeftOut []string
}

// Reads returns the names of the columns that a search reads. s may be nil.
func (s *Search) Reads() (names []string) {
	if s == nil {
		return nil
	}
	if s.OfColumn {
		names = append(names, s.Measure)
	}
	for _, c := range s.Columns {
		names = append(names, c.Column)
	}
	return names
}

// Options returns how slices are searched.
func (s *Search) Options() sliceline.Options {
	return sliceline.Options{Alpha: s.Alpha, MinSupport: s.MinSupport, Level: s.Level, Top: s.Top, MostCandidates: s.MostCandidates}
}

// Groups asks how metrics differ between groups of examples, such as groups of people.
type Groups struct {
	// By are the columns that say which groups an example belongs to. Each alone and, if there are
	// several, all together form groups, as [slice.Crossed] says. Some slices must have their values
	// alone.
	By []string
	// Reference are the groups, as text, that the others are compared with, by column. Groups of
	// several columns are compared if each of these has one.
	Reference map[string]string
	// Metrics are names from Params.Metrics, of metrics of all labels together.
	Metrics []string
	// MinSupport is the least support of a group that is compared.
	MinSupport int64
}

// KeepsUnlabelled reports whether rows without a label are not bad.
func (s *Spec) KeepsUnlabelled() bool { return s.EstimateUnlabelled || s.Params.Judged }
