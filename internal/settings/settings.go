// Package settings has the names with which messages tell people what to set: a Go program sets
// fields of structs, a user of the command sets keys of a configuration.
package settings

import "github.com/beameval/beameval/internal/roles"

// Names says which names messages use. It travels to workers, because their errors return as text.
type Names int

// The names.
const (
	Fields Names = iota // of the structs of packages transforms, metrics and io/columns
	Keys                // of the command's configuration
)

// Setting is something that messages tell people to set, or to look at.
type Setting struct{ field, key string }

// Of returns the name of a setting.
func (n Names) Of(s Setting) string {
	if n == Keys {
		return s.key
	}
	return s.field
}

// Role is the setting of the column of a role.
func Role(r roles.Role) Setting {
	return Setting{"Columns." + r.Of().Field, "input.columns." + r.String()}
}

// Column is the column of a batch that a role is for.
func Column(r roles.Role) Setting {
	return Setting{"Batch." + r.Of().Batch, Role(r).key}
}

// Batch is the setting that says that batches have what a role is for.
func Batch(r roles.Role) Setting {
	set := Setting{"Params.Has if batches have " + r.Of().Batch, "input.columns." + r.String()}
	switch r {
	case roles.BaselinePrediction:
		set.key += " or baseline_score"
	case roles.Judged: // which are the predictions if there are no others
		set.key = "input.columns.prediction"
	}
	return set
}

// ThresholdOf is the setting that says which further grades with a name pass.
func ThresholdOf(grade string) Setting {
	return Setting{"PassThreshold of the FurtherGrade " + grade + ", or its Booleans if batches have 0 and 1", "pass_threshold." + grade}
}

// The settings.
var (
	// What examples have.
	Decisions     = Setting{"set Params.Decisions if examples have predictions, or Params.Scores if predictions follow from scores", "a prediction column, or scores and a decision threshold or top_k"}
	Estimate      = Setting{"Columns.Prediction, or Params.NoEstimate to false if batches have Estimate", "input.columns.prediction"}
	Scores        = Setting{"set Params.Scores if examples have them", "there is no score column"}
	Probabilities = Setting{"Params.ScoreType is RawScore, not Probability or Logit", "score_type is score, not probability or logit"}
	Logits        = Setting{"Params.ScoreType is not Logit", "score_type is not logit"}
	Propensity    = Setting{"Params.Propensity", "propensity"}
	Quantiles     = Setting{"Params.QuantileLevels if batches have Quantile", "input.columns.quantiles, or lower and upper"}
	Costs         = Setting{"Params.Costs or, in a binary task whose batches have CostFP and CostFN, Params.Has to HasErrorCosts", "costs or, in a binary task, input.columns.cost_fp and cost_fn"}
	Judged        = Setting{"Params.Judged if predictions are judgements", "input.columns.judged"}
	Judgements    = Setting{"Params.Judgements if batches have Judged", "truth.files"}

	// How files are read.
	Format        = Setting{"Shard.Format", "input.format or truth.format"}
	MaxPage       = Setting{"Options.MaxPage", "input.max_page_mib"}
	MaxRowValues  = Setting{"Options.MaxRowValues", "input.max_row_values"}
	MaxName       = Setting{"Options.MaxName", "input.max_name_kib"}
	NoQuotes      = Setting{"Options.NoQuotes", "input.quotes: none"}
	RoundDecimals = Setting{"Options.RoundDecimals", "input.decimals: float64"}

	// How columns are understood.
	OtherScores       = Setting{"Params.ScoreType to Logit or RawScore", "input.score_type to logit or score"}
	Labels            = Setting{"Spec.Labels", "labels and labels_file"}
	NamedLabels       = Setting{"Spec.Labels", "labels"}
	NullValues        = Setting{"Options.NullValues", "input.null_values"}
	IndicatorEncoding = Setting{"Spec.Encoding to Indicator", "input.label_encoding to indicator"}
	PositiveLabel     = Setting{"Spec.PositiveLabel", "positive_label"}
	Reference         = Setting{"Spec.Reference", "preference.reference"}
	NegativeIsZero    = Setting{"Spec.NegativeIsZero", "ranking.negative_relevance: zero"}
	Crossing          = Setting{"Spec.Crossing to SortCrossing or KeepCrossing", "input.crossing to sort or keep"}
	LinearGain        = Setting{"Params.Ranking.Gain to LinearGain", "ranking.gain to linear or ranking.preset to trec_eval"}
	ExponentialGain   = Setting{"Params.Ranking.Gain to ExponentialGain", "ranking.gain to exponential"}
	RelevantFrom      = Setting{"Params.Ranking.RelevanceThreshold", "ranking.relevance_threshold"}
	MaxRelevance      = Setting{"Params.Ranking.MaxRelevance", "ranking.max_relevance"}
	AttainableMAP     = Setting{"Params.Ranking.AttainableMAP", "ranking.map_divisor: attainable"}
	PassThreshold     = Setting{"Params.Grades.PassThreshold, or Params.Grades.Booleans if batches have 0 and 1", "pass_threshold"}
	FewAttempts       = Setting{"Params.Grades.FailFew", "too_few_attempts"}
	MaxRatings        = Setting{"Params.Raters.MaxValues", "raters.max_values"}
	GroupedBy         = Setting{"Confidence.By", "confidence.by"}

	// Which rows are skipped.
	SkipBadRows         = Setting{"Spec.SkipBadRows", "bad_rows: skip"}
	SkipMissing         = Setting{"Truth.SkipMissing", "truth.missing: skip"}
	SkipWithoutBaseline = Setting{"Baseline.SkipMissing", "input.baseline_predictions.missing: skip"}

	// What is reported, and how much.
	ExactCurves    = Setting{"Params.Curves to ExactCurves", "curves.mode to exact"}
	CurveBins      = Setting{"Params.CurveBins", "curves.bins"}
	CatalogSize    = Setting{"Params.CatalogSize", "ranking.catalog_size"}
	FrequencyTotal = Setting{"Params.FrequencyTotal", "ranking.frequency_total"}
	MaxItems       = Setting{"ItemFiles.MaxItems", "ranking.item_frequencies.max_items"}
	MaxDistinct    = Setting{"Params.MaxDistinct", "max_distinct"}
	Groups         = Setting{"Confidence.Folds", "confidence.groups"}
	Slices         = Setting{"Spec.Slices", "slices"}
	MaxExampleRows = Setting{"Spec.MaxExampleRows", "input.max_row_values"}
	MaxSlices      = Setting{"Spec.MaxSlices", "max_slices"}
	MaxNames       = Setting{"Spec.MaxNames", "output.max_names_mib"}
	AverageLabels  = Setting{"Spec.AverageLabels", "average_labels"}
	PerLabel       = Setting{"Spec.PerLabel", "per_label"}
	WorstExamples  = Setting{"Spec.Worst", "worst_examples"}
	Changed        = Setting{"Spec.Changed", "changed_examples"}
)
