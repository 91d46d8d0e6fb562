package config

import (
	"math"
	"slices"
	"strconv"
)

// Values of Config.Task. Empty means: infer the task from the schema.
const (
	TaskBinary     = "binary"
	TaskMulticlass = "multiclass"
	TaskMultilabel = "multilabel"
	TaskRanking    = "ranking"
	TaskRegression = "regression"
)

// Values of Input.Layout. Empty means: by schema.
const (
	LayoutExample = "example" // one row per example or, for ranking, per query
	LayoutLabel   = "label"   // one row per (example, label); for ranking, per (query, item)
)

// Values of Input.ScoreType.
const (
	ScoreProbability = "probability" // within [0, 1]
	ScoreLogit       = "logit"       // log-odds; a probability after the sigmoid or softmax
	ScoreAny         = "score"       // any real number, good for ranking only
)

// Values of Input.LabelEncoding. Empty means: by schema.
const (
	EncodingClass        = "class"        // multiclass: one class
	EncodingDistribution = "distribution" // multiclass: the probability of each class
	EncodingIndices      = "indices"      // label indices
	EncodingNames        = "names"        // label names, which may be integers
	EncodingIndicator    = "indicator"    // multilabel: one 0 or 1 for each label
)

// Values of Input.Decimals, of which Truth.Files are read in the same way.
const (
	DecimalsExact   = "exact"   // not at all
	DecimalsFloat64 = "float64" // as the nearest float64
)

// maxPageMiB is the default of Input.MaxPageMiB.
const maxPageMiB = 128

// Values of Config.BadRows.
const (
	BadRowsFail = "fail" // stop at the first bad row
	BadRowsSkip = "skip" // leave bad rows out and count them by reason
)

// Values of Truth.Missing.
const (
	MissingFail = "fail" // stop at the first prediction without truth
	MissingSkip = "skip" // leave such predictions out and count them
)

// Values of Ranking.Gain.
const (
	GainExponential = "exponential" // 2^relevance - 1
	GainLinear      = "linear"      // the relevance itself
)

// Values of Ranking.Ties.
const (
	TiesExpected = "expected" // the mean over all orders of tied items
	TiesItem     = "item"     // by item, descending, as trec_eval does
)

// Values of Ranking.EmptyQueries.
const (
	EmptyQueriesSkip = "skip" // left out of the mean
	EmptyQueriesZero = "zero" // count as 0
	EmptyQueriesOne  = "one"  // count as 1
)

// Values of Ranking.NegativeRelevance.
const (
	NegativeBadRow = "bad_row"
	NegativeZero   = "zero" // the item is not relevant and not judged, as in trec_eval
)

// Values of Output.Formats, in the order reports list them.
const (
	FormatJSON     = "json"
	FormatCSV      = "csv"
	FormatParquet  = "parquet"
	FormatMarkdown = "markdown"
)

// Config is an effective configuration: Default with what the file, and then
// the flags, set. The zero value of an optional field means "not set".
type Config struct {
	Task  string
	Input Input
	Truth Truth

	// Labels are the class names in the order of dense vectors. They come from
	// the file, or from LabelsFile: whoever reads that file puts the names here
	// and clears LabelsFile.
	Labels     []string
	LabelsFile string
	// NumLabels is the number of classes where they have no names; 0 if not set.
	NumLabels int
	// PositiveLabel is the label that counts as positive (binary), as text.
	PositiveLabel string

	Decision     Decision
	Metrics      []string // empty: every metric of the task that the columns allow
	K            []int    // cut-offs of the metrics named …@k, ascending
	Beta         []float64
	ZeroDivision ZeroDivision
	Slices       []Slice // besides the overall slice, which is always there
	MaxSlices    int     // more are an error; 0: so many that the report stays readable
	PerLabel     PerLabel
	Calibration  Calibration
	Propensity   Propensity
	Curves       Curves
	Ranking      Ranking
	// TuneThresholds is what the best threshold of each label is found for, as
	// f<beta>, youden or recall_at_precision@<p>; empty: nothing.
	TuneThresholds string

	// LogLossEps is the distance from 0 and 1 to which log loss clips
	// probabilities. 0, the default, means the machine epsilon of the scores'
	// type (2⁻²³ for float32, 2⁻⁵² for float64), as scikit-learn does. Before
	// version 1.3 scikit-learn used 1e-15 for every type: set that to reproduce
	// its numbers.
	LogLossEps float64

	BadRows string
	// MaxSkipped is how many rows may be skipped: more fail the run.
	MaxSkipped Limit
	// ProbabilityTolerance is how far outside [0, 1] a probability may be: it is then
	// clipped and counted. Beyond, the row is bad.
	ProbabilityTolerance float64
	Output               Output

	src *source // where the file set each key; nil if there was no file
}

// Input says where the predictions are and what their columns mean.
type Input struct {
	Files   []string // files, globs and directories
	Layout  string
	Columns Columns
	// ScoreType has no meaning for ranking, where a score is any real number,
	// nor for regression, which has none.
	ScoreType     string
	LabelEncoding string
	// Decimals says how decimals are read that no 64-bit number holds exactly.
	Decimals string
	// MaxPageMiB is how much memory a page of a file may take, in MiB: a file that says
	// more is taken for one that was made to exhaust it.
	MaxPageMiB int
}

// Columns gives the column of each role. An empty role is found by name.
type Columns struct {
	Example    string
	Class      string // multilabel, LayoutLabel: which label the row is about
	Query      string // ranking: the group of items that are ranked
	Item       string // ranking: what is ranked
	Label      Origin
	Score      Origin
	ScoreLabel string // sparse scores: which labels the scores are of
	Prediction Origin
	Weight     string
}

// Truth says where the ground truth is, if not in the predictions; it is not set
// if Files is empty. It is joined with the predictions on the example, on the
// example and class or on the query and item.
type Truth struct {
	Files   []string // files, globs and directories
	Columns TruthColumns
	Missing string // what becomes of predictions without truth
}

// TruthColumns gives the column of each role in the files of the truth. An empty
// role has the name that it has in the predictions, or is found by name.
type TruthColumns struct {
	Example string
	Class   string
	Query   string
	Item    string
	Label   Origin
}

// Decision is the rule that turns scores into predicted labels.
type Decision struct {
	// Threshold is the score from which on a label is predicted; nil for the
	// default of the score type, see [Config.Threshold].
	Threshold *float64
	// ThresholdFile is a file with thresholds, as a run with TuneThresholds writes it:
	// whoever reads it sets Threshold and PerLabel and clears ThresholdFile.
	ThresholdFile string
	// PerLabel replaces the threshold of the labels it names.
	PerLabel map[string]float64
	// TopK, if positive, predicts the k best labels whatever their scores.
	TopK int
}

// Slice is a set of slices of the data: one for each value of a column or,
// if there are several columns, for each combination of their values. Slices
// of one configuration may overlap ([country] and {country: [de]}).
type Slice []SliceColumn

// SliceColumn is one column of a Slice.
type SliceColumn struct {
	Column string
	Values []SliceValue // only these; empty: every value
}

// SliceValue is a value of a column: its text, or null.
type SliceValue struct {
	Text string
	Null bool
}

// ZeroDivision is the value of a metric whose denominator is zero.
type ZeroDivision string

// Values of ZeroDivision.
const (
	ZeroDivisionZero ZeroDivision = "0"
	ZeroDivisionOne  ZeroDivision = "1"
	ZeroDivisionNaN  ZeroDivision = "nan"
)

// Value returns 0, 1 or NaN.
func (z ZeroDivision) Value() float64 {
	switch z {
	case ZeroDivisionZero:
		return 0
	case ZeroDivisionOne:
		return 1
	}
	return math.NaN()
}

// PerLabel says which labels get metric rows of their own: all of them, those
// in Names, or at most Limit (none if 0).
type PerLabel struct {
	All   bool
	Names []string
	Limit int
}

// Calibration sets how probabilities are binned.
type Calibration struct {
	Bins     int
	Strategy string
}

// Values of Calibration.Strategy, as in scikit-learn's calibration_curve.
const (
	StrategyUniform  = "uniform"  // bins of equal width
	StrategyQuantile = "quantile" // bins of equal weight
)

// Propensity sets how likely labels are to be marked where they are true, for
// the propensity-scored metrics; it is not set if Frequencies is empty.
type Propensity struct {
	// Frequencies is FrequenciesTruth or the name of a file: one count a line,
	// in the order of the labels, or Parquet, with the columns Label and Count.
	Frequencies  string
	Label, Count string
	// Examples is of how many examples a file has the counts.
	Examples int
	A, B     float64
}

// Curves sets how metrics of ROC and precision-recall curves are computed.
type Curves struct {
	Mode   string
	Points int // of a drawing, about; 0: none
	Bins   int // of scores, at most, if they are bounded
}

// Values of Curves.Mode.
const (
	CurvesAuto    = "auto"    // exact unless there are too many scores
	CurvesExact   = "exact"   // as of a full sort
	CurvesBounded = "bounded" // in fixed memory, within a certain interval
)

// Ranking sets how the rankings of queries are judged.
type Ranking struct {
	Gain string // of an item in dcg and ndcg
	Ties string // in which order items of the same score are
	// RelevanceThreshold is the relevance from which on an item is relevant, for
	// metrics that know only relevant and not.
	RelevanceThreshold float64
	// MaxRelevance is the highest grade of relevance, for err (Chapelle et al.
	// 2009). It is a constant of the grading, not of the data, so that queries
	// and runs can be compared.
	MaxRelevance float64
	EmptyQueries string // what a query without relevant items counts
	// NegativeRelevance is what becomes of a relevance below 0: NIST's qrels have -1.
	NegativeRelevance string
}

// FrequenciesTruth is the value of Propensity.Frequencies for which labels are
// counted in the evaluated data.
const FrequenciesTruth = "truth"

// Output says where the report goes and in which formats.
type Output struct {
	Dir     string
	Formats []string
	// PerQuery adds a file with the metrics of each query (ranking).
	PerQuery bool
}

// Limit is a number of rows or, if Percent, a share of all.
type Limit struct {
	Value   float64
	Percent bool
}

// String is the limit as in a file: 100 or 1%.
func (l Limit) String() string {
	text := strconv.FormatFloat(l.Value, 'g', -1, 64)
	if l.Percent {
		text += "%"
	}
	return text
}

// Default returns the configuration of an empty file.
func Default() Config {
	return Config{
		Input:        Input{ScoreType: ScoreProbability, Decimals: DecimalsExact, MaxPageMiB: maxPageMiB},
		K:            []int{1, 3, 5, 10},
		Beta:         []float64{0.5, 2},
		ZeroDivision: ZeroDivisionZero,
		PerLabel:     PerLabel{Limit: 1000},
		Calibration:  Calibration{Bins: 10, Strategy: StrategyUniform},
		Truth:        Truth{Missing: MissingFail},
		Ranking: Ranking{
			Gain: GainExponential, Ties: TiesExpected, RelevanceThreshold: 1, MaxRelevance: 4, EmptyQueries: EmptyQueriesSkip,
			NegativeRelevance: NegativeBadRow,
		},
		Curves:               Curves{Mode: CurvesAuto, Points: 1000, Bins: 4096},
		Propensity:           Propensity{Label: "label", Count: "count", A: 0.55, B: 1.5},
		BadRows:              BadRowsFail,
		MaxSkipped:           Limit{100, true},
		ProbabilityTolerance: 1e-4,
		Output:               Output{Formats: slices.Clone(formats)},
	}
}

// Threshold returns the score from which on a label is predicted, for labels
// without a threshold of their own: what the file says or, by default, 0.5 for
// probabilities and 0 for logits (the same decision) and other scores.
func (c *Config) Threshold() float64 {
	switch {
	case c.Decision.Threshold != nil:
		return *c.Decision.Threshold
	case c.Input.ScoreType == ScoreProbability:
		return 0.5
	}
	return 0
}
