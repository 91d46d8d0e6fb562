// Package config is the configuration of an evaluation: the YAML file that users write, its
// defaults, its validation and its canonical form.
//
// The file is strict. An unknown key, a repeated key, a value of the wrong type and contradictory
// options are errors, each with file, line and column. All problems of a file are reported at once,
// one on each line:
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
// A key is described only once, by the tags of the field that holds its value; see [Config].
// Validate checks what tags cannot express.
//
// What depends on the data or on the metric catalogue is left to the caller: whether a column
// exists, whether a metric is known. [Config.Errorf] adds the position of a key to such an error.
//
// The package does not read files and knows nothing about Beam or Parquet.
package config

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
)

// Config is an effective configuration: Default, overridden by the file and then by the flags. The
// zero value of a key without a default means "not set".
//
// The first paragraph of a field's comment is the description of the key for users, in files that
// [Print] writes and in the JSON Schema; further paragraphs are for Go programmers.
//
// The tags of a field describe the key that sets it:
//
//	key      the name
//	default  the value if the file has none, in YAML
//	values   what a string may be
//	range    the interval in which a number must be, such as [1,10] or (0,) for all above 0
//	tasks    the only tasks that the key may be set for
//	form     label: a string, number or boolean, taken as text; text: the same, or a list of them; share: a number or a percentage
//	echo     the tasks in whose report the key is, if not in all of tasks; -: none
type Config struct {
	// The kind of problem. Without it, the task is inferred from the columns of the predictions.
	Task metrics.Task `key:"task"`
	// Where the predictions are, and what their columns mean.
	Input Input `key:"input"`
	// The ground truth, if it is not in the predictions. It is joined with them on example, on
	// example and class or, for ranking, on query and item. In a ranking, items without truth have
	// relevance 0, and items without a prediction count as not retrieved.
	Truth Truth `key:"truth" tasks:"binary multiclass multilabel regression ranking preference"`

	// The names of labels, in the order of the scores in a list. Numbers and booleans are taken
	// as text. Without names, they are taken from what files say of themselves or found in the data.
	//
	// They come from the file, or from LabelsFile: whoever reads that file puts the names here
	// and clears LabelsFile.
	Labels []string `key:"labels" form:"label" tasks:"binary multiclass multilabel preference"`
	// Instead of labels: a file of their names, one a line.
	LabelsFile string `key:"labels_file" tasks:"binary multiclass multilabel preference" echo:"-"`
	// How many labels there are, if they have no names.
	NumLabels int `key:"num_labels" range:"[1,2147483647]" tasks:"multiclass multilabel"`
	// The order of the labels has a meaning, as with grades: also compute the metrics that depend on
	// it, the weighted kappas and their losses. metrics can name them in any case.
	Ordinal bool `key:"ordinal" tasks:"multiclass"`
	// The label that counts as positive, if labels are strings or other numbers than 0 and 1.
	PositiveLabel string `key:"positive_label" form:"label" tasks:"binary"`

	// Which labels are predicted, if the data has no predictions.
	Decision Decision `key:"decision" echo:"binary multilabel"`
	// Names of metrics. An empty list is every metric of the task that the columns allow.
	Metrics []string `key:"metrics" default:"[]"`
	// The cut-offs of the metrics named …@k.
	//
	// They are in ascending order.
	K []int `key:"k" default:"[1, 3, 5, 10]" range:"[1,)"`
	// The betas of f<beta>.
	Beta []float64 `key:"beta" default:"[0.5, 2]" range:"(0,)"`
	// The value of a metric whose denominator is zero: 0, 1 or nan.
	ZeroDivision ZeroDivision `key:"zero_division" default:"0" echo:"binary multiclass multilabel regression"`
	// Slices, besides the overall one, which is always there. country is one for each country;
	// [country, device] one for each combination; {country: [de, fr], device: [tv, ~]} these values
	// only, where ~ is null; {age: {bins: [18, 40, 65]}} numbers by interval: < 18, [18, 40),
	// [40, 65), >= 65; [country, {age: {quantiles: 4}}] intervals with about equally many rows, in
	// each country.
	Slices []Slice `key:"slices" default:"[]"`
	// How many slices there may be; more fail the run. Without it, as many as give a report of
	// 20,000,000 metric rows, but at most 100,000.
	MaxSlices int `key:"max_slices" range:"[1,)" echo:"-"`
	// How many distinct pairs of label and prediction, means of grades or items a slice may have for
	// metrics that need them all, such as spearman, median and gini@k; with more, these metrics are undefined. Without it, 200,000,
	// which take some 13 MB in each slice, and of items some 50 MB. Also how many weighted scores
	// an isotonic fit tells apart, for metrics such as miscalibration.
	MaxDistinct int `key:"max_distinct" range:"[1,1073741824]" tasks:"binary multilabel regression ranking grade"`
	// Labels with metric rows of their own: all, none, a list of labels or a number. A number means
	// all labels if there are not more, otherwise the first that occur in a slice.
	PerLabel PerLabel `key:"per_label" default:"1000" echo:"binary multiclass multilabel regression preference"`
	// The labels that averages are over, such as all but a background class, as scikit-learn's labels. The
	// averages are the metrics that end with _micro, _macro or _weighted. Metrics of the scores of all labels
	// together, such as roc_auc_micro, are left out. Without this key, averages are over all labels.
	AverageLabels []string `key:"average_labels" tasks:"multiclass multilabel"`
	// The bins of calibration metrics.
	Calibration Calibration `key:"calibration" echo:"binary multiclass multilabel regression"`
	// ROC and precision-recall curves, and the metrics made from them.
	Curves Curves `key:"curves" echo:"binary multiclass multilabel regression"`
	// How the rankings of queries are judged.
	Ranking Ranking `key:"ranking" tasks:"ranking"`
	// How comparisons of systems are modelled.
	Preference Preference `key:"preference" tasks:"preference"`
	// How far ratings agree.
	Raters Raters `key:"raters" tasks:"agreement"`
	// The lowest grade that passes, for pass_rate, pass@k and others, if grades are numbers. Booleans need none: true passes. Of further
	// grades, by their names: {rating: 4, cost: 0.1}, where the column of the grade is its name. Where lower is better, it is the highest.
	PassThreshold PassThreshold `key:"pass_threshold" tasks:"grade"`
	// The grades whose lower values are better, such as costs: names of input.columns.grades, or the column of the grade. Comparisons,
	// best@k and others follow. Of booleans, false then passes.
	LowerIsBetter []string `key:"lower_is_better" tasks:"grade"`
	// What is done about examples with fewer attempts than a metric needs, such as pass@10. skip, as without this key: the metric leaves
	// them out, and says how many. fail: they are bad rows.
	TooFewAttempts string `key:"too_few_attempts" values:"skip fail" tasks:"grade"`
	// What thresholds are tuned for: f<beta>, youden, recall_at_precision@<p> or, the least that costs
	// allow, expected_cost. The best threshold
	// of each label is written to thresholds.json, which decision.threshold can name.
	TuneThresholds string `key:"tune_thresholds" tasks:"binary multilabel"`
	// What predictions cost, for expected_cost. Binary, multilabel: {fp: 1, fn: 10, tp: 0, tn: 0}, where
	// what is left out costs 0. Multiclass: for each true class, in the order of the labels, a list of the
	// cost of each predicted class. Costs are at least 0.
	Costs Costs `key:"costs" tasks:"binary multiclass multilabel"`
	// How likely labels are to be marked where they are true, for psp@k and psndcg@k (Jain, Prabhu &
	// Varma 2016).
	Propensity Propensity `key:"propensity" tasks:"multilabel"`
	// The distance from 0 and 1 to which log loss clips probabilities. Without it, it is the machine
	// epsilon of the scores' type (2⁻²³ for float32, 2⁻⁵² for float64), as in scikit-learn; 1e-15
	// reproduces scikit-learn before version 1.3.
	LogLossEps float64 `key:"log_loss_eps" range:"(0,0.5)" echo:"binary multiclass multilabel regression"`

	// A file that replaces scores by probabilities before anything is computed from them: the
	// recalibration.json of a report on other data, whose metrics include miscalibration. Thresholds are
	// then of these probabilities.
	Recalibrate string `key:"recalibrate" tasks:"binary" echo:"-"`

	// What is done about rows that cannot be evaluated: fail ends the run at the first, skip counts
	// them by reason.
	BadRows string `key:"bad_rows" values:"fail skip" default:"fail"`
	// Rows without a label: bad_row, as without this key, makes them bad rows; estimate estimates their
	// metrics from their probabilities, beside the metrics of the rows with a label.
	Unlabelled string `key:"unlabelled" values:"bad_row estimate" tasks:"binary multiclass"`
	// How many rows may be skipped, as a share of all or as a number. It is a gate: if there are more,
	// the report is written and the exit code is 3. The report warns of more than 10% in any case.
	MaxSkipped Limit `key:"max_skipped" default:"100%"`
	// How far outside [0, 1] a probability may be. Such probabilities are clipped, and the report
	// warns of them. Beyond, the row is bad.
	ProbabilityTolerance float64 `key:"probability_tolerance" form:"share" default:"1e-4" range:"[0,0.01]" tasks:"binary multiclass multilabel"`
	// List the examples with the highest losses in worst_examples.parquet and .csv, report.md and
	// report.html: 20, or {count: 20, per: [label, slice]} for as many of each label and slice, too.
	// The loss is log_loss, absolute_error or 1 - ndcg; without probabilities zero_one_loss or
	// hamming_loss. run.json has the files and rows.
	WorstExamples *WorstExamples `key:"worst_examples"`
	// List the examples that the baseline predicts right and the model wrong, and the examples that are
	// mended, in changed_examples.parquet and .csv, report.md and report.html: 20 of each, or
	// {count: 20, per: [label, slice]} as for worst_examples. Those whose score of the true class
	// changed most come first. It needs baseline_score or baseline_prediction.
	ChangedExamples *WorstExamples `key:"changed_examples" tasks:"binary multiclass"`
	// Count which labels are missed with which others predicted in their place, in all examples, for
	// label_pairs.parquet, report.md and report.html: of a multilabel task among the first 1,000 labels.
	// The 10,000 heaviest pairs are reported.
	LabelPairs bool `key:"label_pairs" tasks:"multiclass multilabel"`
	// Confidence intervals of all metrics. Examples are divided into groups by a hash of a column,
	// and each metric is computed without each group in turn (the delete-a-group jackknife). {} asks
	// for them with the defaults; without the key there are none.
	Confidence *Confidence `key:"confidence"`
	// What intervals of rows are about that were drawn to be labelled, with input.columns.sampling_probability.
	Sampling *Sampling `key:"sampling"`
	// What metrics must be. If a gate fails, the report is written and the exit code is 3.
	Gates []Gate `key:"gates"`
	// What is odd in the data: which checks are gates, and which are not made; docs/checks.md has all of them.
	Checks Checks `key:"checks" echo:"-"`
	// The report that max_drop and max_rise of gates, and the check volume, compare with: its directory or, if there are
	// several directories, a directory that holds reports or a glob, the newest finished report that
	// is older than this one. The flag --baseline overrides this.
	Baseline []string `key:"baseline" echo:"-"`
	// How many of the newest reports are the baseline. If there are several, gates compare with the
	// median of each metric. The flag --baseline-window overrides this.
	BaselineWindow int `key:"baseline_window" default:"1" range:"[1,1000]" echo:"-"`
	// What happens without a baseline, as on the first night. unknown: the report is written with a
	// warning, and max_drop and max_rise are not judged. fail: the exit code is 2.
	BaselineMissing string `key:"baseline_missing" values:"unknown fail" default:"unknown" echo:"-"`
	// What report.html says besides the numbers, and what it shows first. It is repeated in the report's configuration.
	Report Report `key:"report"`
	// Groups of examples that are compared: differences and ratios between the least and the
	// greatest value, and to the reference.
	Groups Groups `key:"groups"`
	// Search for the slices with the highest losses, which nobody has to name, and confirm them with
	// examples that were not searched: found_slices.parquet and .csv, report.md and report.html.
	Search *Search `key:"search"`
	// What beameval monitor looks at in the finished reports of many nights, and when it raises an
	// alarm. An evaluation ignores it.
	Monitor Monitor `key:"monitor" echo:"-"`
	// Where the report goes, and in which formats.
	Output Output `key:"output" echo:"-"`

	src *source // where the file or a flag set each key; nil if none did
}

// Values of Config.BadRows and Truth.Missing.
const (
	Fail = "fail"
	Skip = "skip"
	// Estimate is the Unlabelled that evaluates rows without a label by their probabilities.
	Estimate = "estimate"
	// IntervalsOverall is a value of Confidence.Slices.
	IntervalsOverall = "overall"
)

// Input defines where the predictions are and what their columns mean.
type Input struct {
	// Files, globs and directories, local, gs://, s3:// or az://; a single string is fine, too. Folders named
	// key=value become columns. The flag --input overrides this.
	Files []string `key:"files" echo:"-"`
	// The format of the files. Without it, the ending of a file says which it is (.parquet, .csv, .tsv, .jsonl, .ndjson,
	// .run, .qrels, .arrow, .arrows, .feather; for texts also with .gz or .zst); a file with an unknown ending is
	// a TREC run or qrels if its lines are, and otherwise Parquet. run and qrels are trec_run and trec_qrels.
	Format string `key:"format" values:"parquet csv tsv jsonl trec_run trec_qrels arrow run qrels" echo:"-"`
	// example: one row per example or, for ranking, per query. label: one row per example and label
	// or, for ranking, per query and item. Without it, the layout is inferred from the columns.
	Layout string `key:"layout" values:"example label"`
	// Which column plays which role. Dots reach into structs. Without a name, a column is found by
	// the usual names (label: label, labels, y_true, …); null switches a role off.
	Columns Columns `key:"columns"`
	// What scores are; score is any real number. It has no meaning for ranking, where scores are any
	// real numbers, nor for regression, which has none.
	ScoreType metrics.ScoreType `key:"score_type" default:"probability" echo:"binary multiclass multilabel"`
	// How labels are written. Multilabel: indices, names or indicator (0 or 1 for each label);
	// multiclass: class, or distribution (a list with the probability of each class). Without it, it
	// is inferred from the type of the label column. If that has integers and labels have names: names
	// if all names are integers, indices if none is; otherwise set one of these, for multiclass too.
	LabelEncoding string `key:"label_encoding" values:"indices names indicator class distribution"`
	// What another model, such as that in production, predicts for the same examples, if that is in other
	// files; see also input.columns.baseline_score.
	BaselinePredictions BaselinePredictions `key:"baseline_predictions" tasks:"binary multiclass"`
	// How likely the label should lie within input.columns.lower and upper.
	IntervalLevel float64 `key:"interval_level" form:"share" range:"(0,1)" tasks:"regression"`
	// What is done about rows in which the forecast of a quantile is below the forecast of a lower one, or upper below lower.
	// fail, as without this key: they are bad rows. sort: forecasts are sorted. keep: they are evaluated as they are,
	// as scikit-learn and scoringrules do. The report warns of such rows.
	Crossing string `key:"crossing" values:"fail sort keep" tasks:"regression"`
	// Sparse scores name every label in each row, so that metrics that need a score for every label are there,
	// such as log_loss and roc_auc. A row that lacks a label is a bad row.
	CompleteScores bool `key:"complete_scores" tasks:"multiclass multilabel"`
	// How decimals are read that no 64-bit number holds (more than 18 digits or, with a scale, 15).
	// exact: such a column is an error. float64: its values are rounded to the nearest float64. It
	// applies to truth.files, too.
	Decimals string `key:"decimals" values:"exact float64" default:"exact"`
	// Whether values of CSV and TSV files may be in quotes. double: a value that begins with a double
	// quote ends with one, and may hold separators, line ends and, written twice, quotes. none: quotes
	// are characters like any other, as in many TSV files. It applies to truth.files, too.
	Quotes string `key:"quotes" values:"double none" default:"double"`
	// Texts that mean null in CSV and TSV files, besides empty values: ["NA", "-"]. They are compared as the file
	// spells them, in quotes or not. It applies to truth.files, too.
	NullValues []string `key:"null_values" form:"text"`
	// How much memory a page of a file may take, in MiB: a small malicious file could become
	// gigabytes. It applies to truth.files, too.
	//
	// Values take up to 8 bytes, and a page has up to 2³¹: none takes more than 16 GiB.
	MaxPageMiB int `key:"max_page_mib" default:"128" range:"[1,16384]" echo:"-"`
	// How many values a row may have in a list, or in the columns that a name with a * stands for, and
	// how many rows an example or query may have. More are an error, as rows and examples are held
	// whole. It applies to truth.files, too.
	MaxRowValues int `key:"max_row_values" default:"100000" range:"[1,268435456]" echo:"-"`
	// How long a text may be, in KiB: a label, a value of a slice, a system or an id, which many rows of
	// a report repeat. A row with a longer one is an error. It applies to truth.files, too.
	MaxNameKiB int `key:"max_name_kib" default:"64" range:"[1,1048576]" echo:"-"`
}

// BaselinePredictions defines where the predictions of a baseline are, if they are not in the files of
// the predictions. It is not set if Files is empty. They are joined with the predictions on example;
// rows without a prediction are ignored.
type BaselinePredictions struct {
	// Files, globs and directories, as in input.files.
	Files []string `key:"files" echo:"-"`
	// The format of the files, as in input.format.
	Format string `key:"format" values:"parquet csv tsv jsonl arrow" echo:"-"`
	// Which column plays which role.
	Columns BaselineColumns `key:"columns"`
	// What is done about rows that the baseline has not predicted: fail ends the run at the first, skip
	// counts them.
	Missing string `key:"missing" values:"fail skip" default:"fail"`
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

// QuotesNone is the Input.Quotes that reads quotes like any other character.
const QuotesNone = "none"

// Truth defines where the ground truth is, if it is not in the predictions. It is not set if Files
// is empty.
type Truth struct {
	// Files, globs and directories, as in input.files.
	Files []string `key:"files" echo:"-"`
	// The format of the files, as in input.format.
	Format string `key:"format" values:"parquet csv tsv jsonl trec_run trec_qrels arrow run qrels" echo:"-"`
	// Which column plays which role. A role without a name here has the column of input.columns, or is found by name.
	Columns TruthColumns `key:"columns"`
	// What is done about predictions without truth: fail ends the run at the first, skip counts them.
	Missing string `key:"missing" values:"fail skip" default:"fail"`
}

// Decision is the rule that turns scores into predicted labels.
type Decision struct {
	// A label is predicted if its score is at least the threshold. A number; for multilabel, a number
	// for each label named here and default for the others; or the name of a file with such an
	// object, such as a thresholds.json. Without it: 0.5 for probabilities, 0 for logits and scores.
	Threshold Thresholds `key:"threshold" tasks:"binary multilabel"`
	// Instead of a threshold: the k best labels are predicted, whatever their scores.
	TopK int `key:"top_k" range:"[1,)" tasks:"multilabel"`
}

// Calibration defines how probabilities are binned.
type Calibration struct {
	// How many bins there are.
	Bins int `key:"bins" default:"10" range:"[1,10000]"`
	// uniform: bins of equal width. quantile: bins of equal weight.
	Strategy string `key:"strategy" values:"uniform quantile" default:"uniform"`
}

// StrategyQuantile is the Calibration.Strategy with bins of equal weight. The other strategy has
// bins of equal width, like scikit-learn's calibration_curve.
const StrategyQuantile = "quantile"

// Curves defines how metrics of ROC and precision-recall curves are computed.
type Curves struct {
	// exact: as from a full sort. bounded: in fixed memory; every metric comes with an interval that
	// certainly holds the exact value. auto: exact for up to 200 million scores.
	Mode metrics.CurveMode `key:"mode" values:"auto exact bounded" default:"auto"`
	// Approximate points per curve in curves.parquet, at least 32; 0 disables the file.
	Points int `key:"points" default:"1000" range:"[0,1000000]"`
	// bounded: how many different scores are kept per label and slice at most.
	Bins int `key:"bins" default:"4096" range:"[2,16777216]"`
	// exact: the most MiB of scores, about, that a worker gets and sorts at a time.
	RangeMiB int `key:"range_mib" default:"32" range:"[1,1024]" echo:"-"`
}

// CurvesAuto is the Curves.Mode that is exact unless there are too many scores.
const CurvesAuto metrics.CurveMode = "auto"

// Ranking defines how the rankings of queries are judged.
type Ranking struct {
	// A tool that is followed where the keys below are not set. trec_eval: gain: linear, ties: item,
	// empty_queries: zero, negative_relevance: zero.
	Preset string `key:"preset" values:"trec_eval" echo:"-"`
	// The gain of an item in dcg and ndcg: exponential is 2^relevance - 1, linear is relevance.
	Gain metrics.Gain `key:"gain" default:"exponential"`
	// The order of items of equal scores. expected: the mean over their orders. item: by item,
	// descending, as trec_eval.
	Ties metrics.Ties `key:"ties" default:"expected"`
	// The least relevance of relevant items, for metrics that know only relevant and not: map,
	// recall@k, …
	RelevanceThreshold float64 `key:"relevance_threshold" default:"1" range:"(0,)"`
	// The highest grade of relevance, for err (Chapelle et al. 2009). It is a constant of the
	// grading, not of the data, so that queries and runs can be compared.
	MaxRelevance float64 `key:"max_relevance" default:"4" range:"(0,)"`
	// What a query without relevant items counts as.
	EmptyQueries metrics.EmptyQueries `key:"empty_queries" default:"skip"`
	// What a query of the truth without predictions counts as. skip: nothing. zero: a query for which
	// nothing was retrieved, as with trec_eval -c.
	MissingQueries string `key:"missing_queries" values:"skip zero" default:"skip"`
	// What a relevance below 0 means, such as the -1 of NIST's qrels: a bad row, or zero, an item
	// that is not relevant and not judged, as in trec_eval.
	NegativeRelevance string `key:"negative_relevance" values:"bad_row zero" default:"bad_row"`
	// What the precisions that map@k adds up are divided by. relevant: R, the number of relevant items, as
	// trec_eval. attainable: min(k, R), as many as could be among the first k. Without it, relevant.
	MapDivisor string `key:"map_divisor" values:"relevant attainable"`
	// How many items could be retrieved, for item_coverage@k and gini@k. Without it, the items that are
	// retrieved or judged count.
	CatalogSize int `key:"catalog_size" range:"[1,)"`
	// What input.columns.item_frequency, or item_frequencies, is a part of, such as the number of users in
	// the training data, for novelty@k.
	FrequencyTotal float64 `key:"frequency_total" range:"(0,)"`
	// Files that say how frequent each item is, instead of input.columns.item_frequency. An item that they
	// lack has the frequency 0.
	ItemFrequencies ItemFrequencies `key:"item_frequencies"`
}

// ItemFrequencies are files with a row for each item.
type ItemFrequencies struct {
	// Files, globs and directories; a single string is fine, too.
	Files []string `key:"files"`
	// The format of the files; without it, the ending of a file says which it is.
	Format string `key:"format" values:"parquet csv tsv jsonl arrow" echo:"-"`
	// The column of the ids of items. Without it, it has the same name as in the predictions.
	Item string `key:"item" echo:"-"`
	// The column of the frequencies.
	Count string `key:"count" default:"count" echo:"-"`
	// How many items there may be; more are an error. On every worker, each takes some 16 bytes.
	MaxItems int `key:"max_items" default:"1000000" range:"[1,100000000]" echo:"-"`
}

// Preference defines how comparisons of systems are modelled.
type Preference struct {
	// What a tie is. half: half a win of each system. davidson: an outcome with a probability of its
	// own, which is estimated.
	Ties string `key:"ties" values:"half davidson" default:"half"`
	// The system whose strength is 0. Without it, the mean strength is 0.
	Reference string `key:"reference" form:"label"`
}

// Raters defines how far ratings agree.
type Raters struct {
	// How far two ratings agree that differ by d, for gwet_ac2. quadratic: 1 - (d / range)². linear: 1 - d / range.
	Weights metrics.RatingWeights `key:"weights" default:"quadratic"`
	// How many different ratings a slice may have for metrics that count them, all but alpha_interval and shares of agreement; with more, these metrics
	// are undefined.
	MaxValues int `key:"max_values" default:"1000" range:"[2,100000]"`
}

// Davidson is the Preference.Ties with a probability of ties.
const Davidson = "davidson"

// NegativeZero is the Ranking.NegativeRelevance that accepts a negative relevance, and MissingZero
// the Ranking.MissingQueries that counts a missing query.
const (
	NegativeZero = "zero"
	MissingZero  = "zero"
)

// Propensity defines how likely labels are marked where they are true, for the propensity-scored
// metrics. It is not set if Frequencies is empty.
type Propensity struct {
	// How many examples each label is true of. truth: counted in the evaluated data. Or the name of a
	// file: one count a line, in the order of the labels, or Parquet.
	Frequencies string `key:"frequencies"`
	// The columns of a Parquet file with the frequencies.
	Columns FrequencyColumns `key:"columns" echo:"-"`
	// The number of examples that the file counts labels in.
	Examples int `key:"examples" range:"[1,)"`
	// The parameter A of the propensity.
	A float64 `key:"a" default:"0.55" range:"[0,)"`
	// The parameter B of the propensity.
	B float64 `key:"b" default:"1.5" range:"(0,)"`
}

// FrequencyColumns are the columns of a Parquet file with the frequencies of labels.
type FrequencyColumns struct {
	// The column of the names of labels.
	Label string `key:"label" default:"label"`
	// The column of the frequencies.
	Count string `key:"count" default:"count"`
}

// FrequenciesTruth is the Propensity.Frequencies with which labels are counted in the
// evaluated data.
const FrequenciesTruth = "truth"

// Confidence says how confidence intervals are computed: by the delete-a-group jackknife.
type Confidence struct {
	// The share of such intervals that hold the true value.
	Level float64 `key:"level" form:"share" default:"0.95" range:"(0,1)"`
	// Into how many groups examples are divided. Without it, each of 10 to 200 values of by, and each of
	// 10 to 1,000 queries of a ranking, or of examples with grades, is a group; everything else is divided into 50.
	Groups int `key:"groups" range:"[10,1000]"`
	// The column whose values are divided into groups. If examples depend on each other, name what
	// they have in common, such as the user: intervals of single examples would be too narrow. Without
	// it, it is the id of the example or, for ranking, the query.
	By string `key:"by"`
	// Another seed divides examples into other groups.
	Seed int `key:"seed" default:"0" range:"[0,)"`
	// The metrics that get intervals. An empty list is all.
	Metrics []string `key:"metrics" default:"[]"`
	// The slices that get intervals: each, or overall for all examples, the groups of groups.by and the slices that gates
	// name. Intervals of hundreds of slices take several times as long as everything else.
	Slices string `key:"slices" values:"each overall"`
}

// Sampling says what rows that were drawn stand for.
type Sampling struct {
	// false: the process that made the rows from which others were drawn, as for rows that were not drawn. true: these
	// rows alone, so that intervals have no width where all of them were drawn.
	Finite bool `key:"finite" default:"false"`
}

// Finite reports whether rows that were drawn stand for the rows from which they were drawn, and nothing else.
func (c *Config) Finite() bool { return c.Sampling != nil && c.Sampling.Finite }

// Report is what report.html says of the evaluation besides its numbers, and which of them come first.
type Report struct {
	// The title; without it, the title names the task.
	Title string `key:"title"`
	// What made the predictions.
	Model string `key:"model"`
	// What was predicted.
	Data string `key:"data"`
	// Paragraphs, one a line.
	Notes string `key:"notes"`
	// The day that the predictions are of, such as 2026-11-19. It orders reports whose directories
	// have no date in their names.
	Date string `key:"date"`
	// The metrics to show first, in this order. Without it, the key metrics names them or, if that is
	// empty, they are the best known of the task.
	Headline []string `key:"headline"`
	// The metric that slices are sorted by, from the worst. Without it, it is the first shown metric
	// whose higher or lower values are better.
	SortBy string `key:"sort_by"`
}

// Output says where the report goes and in which formats.
type Output struct {
	// The directory of the report, local, gs://, s3:// or az://. The flag --output overrides this.
	Dir string `key:"dir"`
	// Replace a finished report in the directory, when the new one is complete. The flag --overwrite
	// overrides this.
	Overwrite bool `key:"overwrite"`
	// The formats of the report; json may not be left out. prometheus is metrics.prom, for the textfile
	// collector of the node exporter; mlflow is metrics.jsonl, for mlflow.log_metrics.
	Formats []string `key:"formats" values:"json csv parquet markdown html prometheus mlflow" default:"[json, csv, parquet, markdown, html]"`
	// Also write the metrics of each query, to per_query.parquet.
	PerQuery bool `key:"per_query" tasks:"ranking"`
	// Also write the statistics of all slices, to statistics.bin. From such reports, beameval merge makes the report of
	// all their data, such as of a week from its nights, without reading a prediction. Beside exact curves, statistics
	// have bounded ones, which can be merged. true, or {min_support: 20, curves: exact}.
	Statistics *Statistics `key:"statistics"`
	// If a report has more metric rows, metrics.json has only the rows of all examples and, if these are
	// still too many, only the rows without a label. All rows are in metrics.parquet; without format
	// parquet, this has no effect. 0 means any number.
	JSONRows int `key:"json_rows" default:"100000" range:"[0,1000000000]"`
	// How many MiB the names of slices, labels and ids may add to a report: the size of each, times the
	// rows that repeat it. A run with more fails before it writes anything.
	MaxNamesMiB int `key:"max_names_mib" default:"4096" range:"[1,16777216]" echo:"-"`
	// Temporary says that Dir is not the report's own place, so a date in its name means nothing. It
	// is not a key.
	Temporary bool `jsonschema:"-"`
}

// MaxFile is the maximum size of a file in bytes: each label in it costs microseconds and a
// kilobyte of memory.
const MaxFile = 8 << 20

// Parse parses the text of a YAML file and validates it. The name of the file is used only in
// messages.
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

// Read is like Parse, for a file that flags may override: if all values could be read, it does not
// validate them. Validate when the flags are set.
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

// read parses a configuration. It returns which values could not be read, with their paths.
func read(data []byte, filename string) (c *Config, failed map[string]bool, problems []problem, err error) {
	if filename == "" {
		filename = "config"
	}
	if len(data) > MaxFile {
		return nil, nil, nil, fmt.Errorf("%s: the configuration has %d bytes, more than %d: list labels in a labels_file, one name a line, and thresholds in a JSON file that decision.threshold names",
			filename, len(data), MaxFile)
	}
	c = new(Default())
	c.src = &source{file: filename, at: map[string]position{}}
	d := decoder{at: c.src.at, failed: map[string]bool{}}
	root, problems := parseYAML(data)
	if root != nil {
		c.src.at[""] = positionOf(root)
		d.mapping(root, "", c.keys())
	}
	return c, d.failed, slices.Concat(problems, d.problems), nil
}

// Default returns the configuration that an empty file defines.
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

// keys returns the keys of a file.
func (c *Config) keys() []key { return keysOf(reflect.ValueOf(c).Elem()) }

// normalize applies the preset and sorts lists whose order has no meaning.
func (c *Config) normalize() {
	c.applyPreset()
	c.K = sorted(c.K)
	c.Beta = sorted(c.Beta)
	keys := keysOf(reflect.ValueOf(&c.Output))
	formats := keys[slices.IndexFunc(keys, func(k key) bool { return k.name == "formats" })].values()
	c.Output.Formats = slices.Clone(c.Output.Formats)
	slices.SortFunc(c.Output.Formats, func(a, b string) int { return slices.Index(formats, a) - slices.Index(formats, b) })
	c.Output.Formats = slices.Compact(c.Output.Formats)
}

// Sets reports whether the file or a flag sets the key at a path.
func (c *Config) Sets(path string) bool { return c.src.has(path) }

// Scores returns what metrics are computed from: scores as the files have them or, if they are
// recalibrated, probabilities.
func (c *Config) Scores() metrics.ScoreType {
	if c.Recalibrate != "" {
		return metrics.Probability
	}
	return c.Input.ScoreType
}

// Threshold returns the minimum score with which a label is predicted if the label has no threshold
// of its own: the configured one or, by default, 0.5 for probabilities and 0 for logits (the same
// decision) and other scores.
func (c *Config) Threshold() float64 {
	switch {
	case c.Decision.Threshold.Default != nil:
		return *c.Decision.Threshold.Default
	case c.Scores() == metrics.Probability:
		return 0.5
	}
	return 0
}

// layout returns the layout, or "" if only the data can tell it.
func (c *Config) layout() string {
	switch {
	case c.Input.Layout != "":
		return c.Input.Layout
	case c.Input.Columns[roles.Class].Column != "":
		return LayoutLabel
	case c.Task == metrics.Ranking:
		return ""
	}
	return LayoutExample
}
