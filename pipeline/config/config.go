// Package config is the configuration of an evaluation: the YAML file users
// write, its defaults, its checks and its canonical form.
//
// The file is strict. An unknown key, a repeated key, a value of the wrong
// type and options that contradict each other are errors, each with file, line
// and column. All problems of a file are reported at once, one a line.
//
//	c, err := config.Read(data, "eval.yaml")
//	if err != nil {
//		return err // eval.yaml:3:1: unknown key "inpt" (did you mean "input"?)
//	}
//	if err := c.Set("ranking.gain=linear"); err != nil { // a flag overrides the file
//		return err // --set: ranking.gain: unknown value "linar" (did you mean "linear"?)
//	}
//	if err := c.Validate(); err != nil {
//		return err
//	}
//
// A key is described once, by the tags of the field that holds its value; see
// [Config]. What tags cannot say, Validate does.
//
// What only the data or the metric catalogue can tell is left to the caller:
// whether a column exists, whether a metric is known. [Config.Errorf] gives
// such an error the position of the key it is about.
//
// The package reads no file and knows nothing of Beam or Parquet.
package config

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/beameval/beameval/metrics"
)

// Config is an effective configuration: Default with what the file, and then
// the flags, set. The zero value of a key without a default means "not set".
//
// The tags of a field describe the key that sets it:
//
//	key      the name
//	default  the value if the file has none, in YAML
//	values   what a string may be
//	range    the interval in which a number must be, such as [1,10] or (0,) for all above 0
//	tasks    the only tasks that the key may be set for
//	form     label: a string, number or boolean, taken as text; one: a string for a list of one
//	echo     the tasks in whose report the key is, if not in all of tasks; -: none
type Config struct {
	Task  metrics.Task `key:"task"` // 0: inferred from the columns
	Input Input        `key:"input"`
	Truth Truth        `key:"truth"`

	// Labels are the class names in the order of dense vectors. They come from
	// the file, or from LabelsFile: whoever reads that file puts the names here
	// and clears LabelsFile.
	Labels     []string `key:"labels" form:"label" tasks:"multiclass multilabel"`
	LabelsFile string   `key:"labels_file" tasks:"multiclass multilabel" echo:"-"`
	// NumLabels is the number of classes where they have no names.
	NumLabels int `key:"num_labels" range:"[1,2147483647]" tasks:"multiclass multilabel"`
	// PositiveLabel is the label that counts as positive, as text.
	PositiveLabel string `key:"positive_label" form:"label" tasks:"binary"`

	Decision Decision `key:"decision" echo:"binary multilabel"`
	// Metrics are names of metrics; none: every metric of the task that the columns allow.
	Metrics []string `key:"metrics" default:"[]"`
	// K are the cut-offs of the metrics named …@k, ascending.
	K            []int        `key:"k" default:"[1, 3, 5, 10]" range:"[1,)"`
	Beta         []float64    `key:"beta" default:"[0.5, 2]" range:"(0,)"`
	ZeroDivision ZeroDivision `key:"zero_division" default:"0" echo:"binary multiclass multilabel regression"`
	// Slices are evaluated besides the overall slice, which is always there.
	Slices []Slice `key:"slices" default:"[]"`
	// MaxSlices is how many slices there may be; 0: so many that the report stays readable.
	MaxSlices   int         `key:"max_slices" range:"[1,)" echo:"-"`
	PerLabel    PerLabel    `key:"per_label" default:"1000" echo:"binary multiclass multilabel regression"`
	Calibration Calibration `key:"calibration" echo:"binary multiclass multilabel regression"`
	Curves      Curves      `key:"curves" echo:"binary multiclass multilabel regression"`
	Ranking     Ranking     `key:"ranking" tasks:"ranking"`
	// TuneThresholds is what the best threshold of each label is found for, as
	// f<beta>, youden or recall_at_precision@<p>; empty: no thresholds are tuned.
	TuneThresholds string     `key:"tune_thresholds" tasks:"binary multilabel"`
	Propensity     Propensity `key:"propensity" tasks:"multilabel"`
	// LogLossEps is the distance from 0 and 1 to which log loss clips
	// probabilities. If it is not set, it is the machine epsilon of the scores'
	// type (2⁻²³ for float32, 2⁻⁵² for float64), as in scikit-learn. Before
	// version 1.3 scikit-learn used 1e-15 for every type: set that to reproduce
	// its numbers.
	LogLossEps float64 `key:"log_loss_eps" range:"(0,0.5)" echo:"binary multiclass multilabel regression"`

	// BadRows is Fail to stop at the first bad row, Skip to count and skip bad rows.
	BadRows string `key:"bad_rows" values:"fail skip" default:"fail"`
	// MaxSkipped is a gate: how many rows may be skipped.
	MaxSkipped Limit `key:"max_skipped" default:"100%"`
	// ProbabilityTolerance is how far outside [0, 1] a probability may be: it is then
	// clipped and counted. Beyond, the row is bad.
	ProbabilityTolerance float64 `key:"probability_tolerance" default:"1e-4" range:"[0,0.01]" tasks:"binary multiclass multilabel"`
	// Confidence asks for confidence intervals; nil: there are none.
	Confidence *Confidence `key:"confidence"`
	// Gates are what metrics must be: see Gate.
	Gates []Gate `key:"gates"`
	// Baseline is where the report is that gates compare with.
	Baseline string `key:"baseline" echo:"-"`
	// Report is what people are told of the evaluation.
	Report Report `key:"report"`
	// Groups compares groups of examples.
	Groups Groups `key:"groups"`
	Output Output `key:"output" echo:"-"`

	src *source // where the file set each key; nil if there was no file
}

// Values of Config.BadRows and Truth.Missing.
const (
	Fail = "fail"
	Skip = "skip"
)

// Input says where the predictions are and what their columns mean.
type Input struct {
	Files   []string `key:"files" form:"one" echo:"-"`     // files, globs and directories
	Layout  string   `key:"layout" values:"example label"` // empty: by schema
	Columns Columns  `key:"columns"`
	// ScoreType has no meaning for ranking, where a score is any real number,
	// nor for regression, which has none.
	ScoreType metrics.ScoreType `key:"score_type" default:"probability" echo:"binary multiclass multilabel"`
	// LabelEncoding says how labels are written; empty: by schema.
	LabelEncoding string `key:"label_encoding" values:"indices names indicator class distribution"`
	// Decimals says how decimals are read that no 64-bit number holds exactly, in
	// files of the truth as well: not at all or as the nearest float64.
	Decimals string `key:"decimals" values:"exact float64" default:"exact"`
	// MaxPageMiB is how much memory a page of a file may take, in MiB. A file with a
	// larger page is refused, as it may have been made to exhaust the memory. Values
	// take up to 8 bytes, and a page has up to 2³¹: none takes more than 16 GiB.
	MaxPageMiB int `key:"max_page_mib" default:"128" range:"[1,16384]" echo:"-"`
}

// Values of Input.Layout.
const (
	LayoutExample = "example" // one row per example or, for ranking, per query
	LayoutLabel   = "label"   // one row per (example, label); for ranking, per (query, item)
)

// Values of Input.LabelEncoding.
const (
	EncodingDistribution = "distribution" // multiclass: the probability of each class
	EncodingIndices      = "indices"      // label indices
	EncodingNames        = "names"        // label names, which may be integers
	EncodingIndicator    = "indicator"    // multilabel: one 0 or 1 for each label
)

// DecimalsFloat64 is the Input.Decimals that reads the nearest float64.
const DecimalsFloat64 = "float64"

// Columns gives the column of each role. An empty role is found by name.
type Columns struct {
	Example    string `key:"example"`
	Class      string `key:"class" tasks:"multilabel"` // LayoutLabel: which label the row is about
	Query      string `key:"query" tasks:"ranking"`    // the group of items that are ranked
	Item       string `key:"item" tasks:"ranking"`     // what is ranked
	Label      Origin `key:"label"`
	Score      Origin `key:"score"`
	ScoreLabel string `key:"score_label"` // sparse scores: the labels that the scores are of
	Prediction Origin `key:"prediction"`
	Weight     string `key:"weight"`
}

// Truth says where the ground truth is, if not in the predictions; it is not set
// if Files is empty. It is joined with the predictions on the example, on the
// example and class or on the query and item.
type Truth struct {
	Files   []string     `key:"files" form:"one" echo:"-"` // files, globs and directories
	Columns TruthColumns `key:"columns"`
	// Missing says what is done about predictions without truth: Fail to stop at the
	// first, Skip to count and skip them.
	Missing string `key:"missing" values:"fail skip" default:"fail"`
}

// TruthColumns gives the column of each role in the files of the truth. An empty
// role has the name that it has in the predictions, or is found by name.
type TruthColumns struct {
	Example string `key:"example"`
	Class   string `key:"class" tasks:"multilabel"`
	Query   string `key:"query" tasks:"ranking"`
	Item    string `key:"item" tasks:"ranking"`
	Label   Origin `key:"label"`
}

// Decision is the rule that turns scores into predicted labels.
type Decision struct {
	Threshold Thresholds `key:"threshold" tasks:"binary multilabel"`
	// TopK predicts the k best labels whatever their scores.
	TopK int `key:"top_k" range:"[1,)" tasks:"multilabel"`
}

// Calibration says how probabilities are binned.
type Calibration struct {
	Bins     int    `key:"bins" default:"10" range:"[1,10000]"`
	Strategy string `key:"strategy" values:"uniform quantile" default:"uniform"`
}

// StrategyQuantile is the Calibration.Strategy of bins of equal weight. Those of the
// other have equal width, as in scikit-learn's calibration_curve.
const StrategyQuantile = "quantile"

// Curves says how metrics of ROC and precision-recall curves are computed.
type Curves struct {
	Mode   metrics.CurveMode `key:"mode" values:"auto exact bounded" default:"auto"`
	Points int               `key:"points" default:"1000" range:"[0,1000000]"` // approximate points per drawn curve; 0: none is drawn
	Bins   int               `key:"bins" default:"4096" range:"[2,16777216]"`  // the most scores kept per curve if curves are bounded
	// RangeMiB is about how many MiB of scores a worker sorts at a time at most if curves
	// are exact.
	RangeMiB int `key:"range_mib" default:"32" range:"[1,1024]" echo:"-"`
}

// CurvesAuto is the Curves.Mode that is exact unless there are too many scores.
const CurvesAuto metrics.CurveMode = "auto"

// Ranking says how the rankings of queries are judged.
type Ranking struct {
	Gain metrics.Gain `key:"gain" default:"exponential"` // of an item in dcg and ndcg
	Ties metrics.Ties `key:"ties" default:"expected"`    // the order of items of equal scores
	// RelevanceThreshold is the relevance from which on an item is relevant, for
	// metrics that know only relevant and not.
	RelevanceThreshold float64 `key:"relevance_threshold" default:"1" range:"(0,)"`
	// MaxRelevance is the highest grade of relevance, for err (Chapelle et al.
	// 2009). It is a constant of the grading, not of the data, so that queries
	// and runs can be compared.
	MaxRelevance float64 `key:"max_relevance" default:"4" range:"(0,)"`
	// EmptyQueries is what a query without relevant items counts as.
	EmptyQueries metrics.EmptyQueries `key:"empty_queries" default:"skip"`
	// NegativeRelevance says what a relevance below 0 means, as the -1 in NIST's qrels:
	// a bad row or, as in trec_eval, an item that is not relevant and not judged.
	NegativeRelevance string `key:"negative_relevance" values:"bad_row zero" default:"bad_row"`
}

// NegativeZero is the Ranking.NegativeRelevance that is no bad row.
const NegativeZero = "zero"

// Propensity says how likely labels are to be marked where they are true, for
// the propensity-scored metrics; it is not set if Frequencies is empty.
type Propensity struct {
	// Frequencies is FrequenciesTruth or the name of a file: one count a line,
	// in the order of the labels, or Parquet, with Columns.
	Frequencies string           `key:"frequencies"`
	Columns     FrequencyColumns `key:"columns" echo:"-"`
	// Examples is the number of examples that a file counts labels in.
	Examples int     `key:"examples" range:"[1,)"`
	A        float64 `key:"a" default:"0.55" range:"[0,)"`
	B        float64 `key:"b" default:"1.5" range:"(0,)"`
}

// FrequencyColumns are the columns of a Parquet file with the frequencies of labels.
type FrequencyColumns struct {
	Label string `key:"label" default:"label"`
	Count string `key:"count" default:"count"`
}

// FrequenciesTruth is the Propensity.Frequencies with which labels are counted in the
// evaluated data.
const FrequenciesTruth = "truth"

// Confidence says how confidence intervals are computed: by the delete-a-group jackknife.
type Confidence struct {
	Level  float64 `key:"level" default:"0.95" range:"(0,1)"` // the share of intervals that hold the true value
	Groups int     `key:"groups" default:"50" range:"[10,1000]"`
	// By is the column whose values are divided into groups, such as the user if examples of one
	// user depend on each other; empty: the id of the example or query.
	By string `key:"by"`
	// Seed chooses among divisions into groups.
	Seed int `key:"seed" default:"0" range:"[0,)"`
	// Metrics are names of those that get intervals; none: all.
	Metrics []string `key:"metrics" default:"[]"`
}

// Report is what report.html says of the evaluation besides its numbers.
type Report struct {
	Title string `key:"title"`
	Model string `key:"model"` // what made the predictions
	Data  string `key:"data"`  // what was predicted
	Notes string `key:"notes"`
}

// Output says where the report goes and in which formats.
type Output struct {
	Dir     string   `key:"dir"`
	Formats []string `key:"formats" values:"json csv parquet markdown html" default:"[json, csv, parquet, markdown, html]"`
	// PerQuery adds a file with the metrics of each query.
	PerQuery bool `key:"per_query" tasks:"ranking"`
}

// maxFile is how many bytes a file may have: each label in it costs microseconds and a
// kilobyte of memory.
const maxFile = 8 << 20

// Parse reads a configuration from the text of a YAML file. The name of the
// file is for messages only. The result has been validated.
func Parse(data []byte, filename string) (*Config, error) {
	c, err := Read(data, filename)
	if err == nil {
		err = c.Validate()
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Read is Parse for a file that flags may contradict: if all values could be read, it does not
// validate them. Do that when flags are set.
func Read(data []byte, filename string) (*Config, error) {
	c, failed, problems, err := read(data, filename)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, c.src.join(slices.Concat(problems, c.problems(failed, (*validator).all)))
	}
	return c, nil
}

// read reads a configuration. It returns what could not be read, and at which paths.
func read(data []byte, filename string) (c *Config, failed map[string]bool, problems []problem, err error) {
	if filename == "" {
		filename = "config"
	}
	if len(data) > maxFile {
		return nil, nil, nil, fmt.Errorf("%s: the configuration has %d bytes, more than %d: list labels in a labels_file, one name a line, and thresholds in a JSON file that decision.threshold names",
			filename, len(data), maxFile)
	}
	c = new(Default())
	c.src = &source{file: filename, at: map[string]position{}}
	d := decoder{at: c.src.at, failed: map[string]bool{}}
	root, problems := parseYAML(data)
	if root != nil {
		c.src.at[""] = root.at
		d.mapping(root, "", c.keys())
	}
	return c, d.failed, slices.Concat(problems, d.problems), nil
}

// Default returns the configuration of an empty file.
func Default() Config {
	var c Config
	setDefaults(c.keys())
	return c
}

func setDefaults(keys []key) {
	d := decoder{at: map[string]position{}, failed: map[string]bool{}}
	for _, k := range keys {
		setDefaults(k.below())
		if text, ok := k.tag.Lookup("default"); ok {
			n, _ := parseYAML([]byte(text))
			d.value(n, k.name, k.value, k.tag)
		}
	}
	if len(d.problems) > 0 {
		panic(fmt.Sprintf("a default of the configuration is invalid: %+v", d.problems))
	}
}

// keys are the keys of a file.
func (c *Config) keys() []key { return keysOf(reflect.ValueOf(c).Elem()) }

// normalize puts lists whose order has no meaning into one order.
func (c *Config) normalize() {
	c.K = sorted(c.K)
	c.Beta = sorted(c.Beta)
	formats := Default().Output.Formats
	c.Output.Formats = slices.Clone(c.Output.Formats)
	slices.SortFunc(c.Output.Formats, func(a, b string) int { return slices.Index(formats, a) - slices.Index(formats, b) })
	c.Output.Formats = slices.Compact(c.Output.Formats)
}

// Threshold returns the score from which on a label is predicted, for labels
// without a threshold of their own: what the file says or, by default, 0.5 for
// probabilities and 0 for logits (the same decision) and other scores.
func (c *Config) Threshold() float64 {
	switch {
	case c.Decision.Threshold.Default != nil:
		return *c.Decision.Threshold.Default
	case c.Input.ScoreType == metrics.Probability:
		return 0.5
	}
	return 0
}

// layout returns the layout, or "" where only the data can tell it.
func (c *Config) layout() string {
	switch {
	case c.Input.Layout != "":
		return c.Input.Layout
	case c.Input.Columns.Class != "":
		return LayoutLabel
	case c.Task == metrics.Ranking:
		return ""
	}
	return LayoutExample
}
