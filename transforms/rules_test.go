package transforms

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/recalibration"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/checks"
	"github.com/beameval/beameval/transforms/input"
)

// TestWrongSpecs has specs that cannot be evaluated: an error says why before
// anything runs.
func TestWrongSpecs(t *testing.T) {
	nan := math.NaN()
	task := func(task metrics.Task) metrics.Params { return metrics.Params{Task: task} }
	both := input.Columns{Label: "y", Score: "s"}
	unmatched := func(change func(*Spec)) Spec {
		s := Spec{Params: task(metrics.Ranking), Columns: input.Columns{Score: "s", Example: "id", Item: "d"}, Long: true}
		s.Truth = &Truth{Columns: input.Columns{Example: "id", Label: "y", Item: "d"}, EvaluateUnmatched: true}
		change(&s)
		return s
	}
	halves := recalibration.New("logit")
	halves.Add(0, 0.5)
	for want, spec := range map[string]Spec{
		"unknown task 0: expected one of binary, multiclass, multilabel, regression, ranking, preference, grade, agreement": {},
		"no column of true labels: set Columns.Label":                                                                                                {Params: task(metrics.Binary), Columns: input.Columns{Score: "s"}},
		"neither scores nor predictions: set Columns.Score or Columns.Prediction":                                                                    {Params: task(metrics.Binary), Columns: input.Columns{Label: "y"}},
		"no column of scores: set Columns.Score":                                                                                                     {Params: metrics.Params{Task: metrics.Binary, Metrics: []string{"roc_auc"}}, Columns: input.Columns{Label: "y", Prediction: "p"}},
		"regression needs a prediction column: set Columns.Prediction":                                                                               {Params: task(metrics.Regression), Columns: input.Columns{Label: "y"}},
		"a regression has no scores: leave Columns.Score out, and set Columns.Prediction":                                                            {Params: task(metrics.Regression), Columns: input.Columns{Label: "y", Prediction: "p", Score: "s"}},
		"no column of the forecasts of quantiles: set Columns.Quantiles":                                                                             {Params: metrics.Params{Task: metrics.Regression, QuantileLevels: []float64{0.5}}, Columns: input.Columns{Label: "y", Prediction: "p"}},
		"no levels of the quantiles that are forecast: set Params.QuantileLevels":                                                                    {Params: task(metrics.Regression), Columns: input.Columns{Label: "y", Prediction: "p", Quantiles: "q"}},
		"no column of an ensemble of forecasts: set Columns.Ensemble":                                                                                {Params: metrics.Params{Task: metrics.Regression, Has: metrics.HasEnsemble}, Columns: input.Columns{Label: "y", Prediction: "p"}},
		"no column of predictions besides the judgements: set Columns.Judged":                                                                        {Params: metrics.Params{Task: metrics.Multiclass, Has: metrics.HasJudgedClass}, Columns: input.Columns{Label: "y", Prediction: "p"}},
		"judged classes besides the predictions are for multiclass tasks, not for task binary":                                                       {Params: task(metrics.Binary), Columns: input.Columns{Label: "y", Prediction: "p", Judged: "j"}},
		"Params.Judged compares classes, and labels are distributions: leave one out":                                                                {Params: metrics.Params{Task: metrics.Multiclass}, Columns: input.Columns{Label: "y", Score: "p", Judged: "j"}, Encoding: input.Distribution, Labels: input.Vocabulary{Names: labelNames}},
		"no column of scores of a baseline: set Columns.BaselineScore":                                                                               {Params: metrics.Params{Task: metrics.Binary, Metrics: []string{"mean_score_change"}}, Columns: input.Columns{Label: "y", Score: "s", Baseline: "b"}},
		"Columns.Baseline: only for task binary or multiclass or multilabel or regression, the task is ranking":                                      {Params: metrics.Params{Task: metrics.Ranking}, Columns: input.Columns{Label: "y", Score: "s", Baseline: "b"}},
		"Columns.BaselineScore: only for task binary or multiclass or multilabel, the task is regression":                                            {Params: metrics.Params{Task: metrics.Regression}, Columns: input.Columns{Label: "y", Prediction: "p", BaselineScore: "b"}},
		"a baseline has a score for every label, and scores are sparse: leave Columns.BaselineScore out, and set Columns.Baseline":                   {Params: metrics.Params{Task: metrics.Multiclass, Sparse: true}, Columns: input.Columns{Label: "y", Score: "s", ScoreLabel: "l", BaselineScore: "b"}},
		"scores of a baseline are compared with scores, and there are none: set Columns.Score, or Columns.Baseline instead of Columns.BaselineScore": {Params: metrics.Params{Task: metrics.Multilabel}, Columns: input.Columns{Label: "y", Prediction: "p", BaselineScore: "b"}},
		"no column of the items: set Columns.Item":                                                                                                   {Params: metrics.Params{Task: metrics.Ranking, Metrics: []string{"gini@3"}}, Columns: input.Columns{Label: "y", Score: "s"}},
		"no column of the categories of items: set Columns.Category":                                                                                 {Params: metrics.Params{Task: metrics.Ranking, Metrics: []string{"diversity@3"}}, Columns: input.Columns{Label: "y", Score: "s"}},
		"Columns.Category: only for task ranking, the task is regression":                                                                            {Params: metrics.Params{Task: metrics.Regression}, Columns: input.Columns{Label: "y", Prediction: "p", Category: "c"}},
		"an error may also be a false negative: set Columns.CostFN":                                                                                  {Params: metrics.Params{Task: metrics.Binary}, Columns: input.Columns{Label: "y", Prediction: "p", CostFP: "f"}},
		"no column of the scale of errors: set Columns.Scale":                                                                                        {Params: metrics.Params{Task: metrics.Regression, Has: metrics.HasScale}, Columns: input.Columns{Label: "y", Prediction: "p"}},
		"a ranking has no predictions: leave Columns.Prediction out":                                                                                 {Params: task(metrics.Ranking), Columns: input.Columns{Label: "y", Prediction: "p", Score: "s"}},
		"ties are broken by item, but there is no column of items: set Columns.Item":                                                                 {Params: metrics.Params{Task: metrics.Ranking, Ranking: metrics.RankingOptions{Ties: metrics.ItemTies}}, Columns: both},
		"scores are sparse, and nothing says which labels they are of: set Columns.ScoreLabel":                                                       {Params: metrics.Params{Task: metrics.Multilabel, Sparse: true}, Columns: both},
		"Columns.ScoreLabel says which labels the scores are of, and there are none: set Columns.Score": {
			Params: task(metrics.Multilabel), Columns: input.Columns{Label: "y", Prediction: "p", ScoreLabel: "l"},
		},
		"sparse scores are for multiclass and multilabel tasks, not for task binary": {Params: task(metrics.Binary), Columns: input.Columns{Label: "y", Score: "s", ScoreLabel: "l"}},

		"Changed lists examples that a model predicts right and its baseline does not, or the reverse: set Columns.Baseline or Columns.BaselineScore": {Params: task(metrics.Binary), Columns: both, Changed: &Worst{Count: 1}},
		"Worst.Count is 0: it must be 1 to 10000":                                    {Params: task(metrics.Binary), Columns: both, Worst: new(Worst)},
		"Worst.Count is 10001: it must be 1 to 10000":                                {Params: task(metrics.Binary), Columns: both, Worst: &Worst{Count: 10_001}},
		"Worst.PerLabel is for multiclass and multilabel tasks, not for task binary": {Params: task(metrics.Binary), Columns: both, Worst: &Worst{Count: 1, PerLabel: true}},
		"Worst.PerSlice lists examples of slices, and there are none: set Slices":    {Params: task(metrics.Binary), Columns: both, Worst: &Worst{Count: 1, PerSlice: true}},

		"Params.FurtherGrades have a column each: set Columns.FurtherGrades to a name for them, and list them under it in Columns.Wide": {
			Params: metrics.Params{Task: metrics.Grading, FurtherGrades: []metrics.FurtherGrade{{Name: "cost"}, {Name: "n"}}}, Columns: input.Columns{Grade: "g", FurtherGrades: "all", Wide: map[string][]string{"all": {"cost"}}},
		},
		"no column of further grades: set Columns.FurtherGrades":                                                                                                     {Params: metrics.Params{Task: metrics.Grading, FurtherGrades: []metrics.FurtherGrade{{Name: "cost"}}}, Columns: input.Columns{Grade: "g"}},
		"Columns.FurtherGrades: only for task grade, the task is binary":                                                                                             {Params: task(metrics.Binary), Columns: input.Columns{Label: "y", Score: "s", FurtherGrades: "all"}},
		"Long is for tasks multilabel, ranking, grade, agreement, not for task binary":                                                                               {Params: task(metrics.Binary), Columns: both, Long: true},
		"Shuffled is for examples that have several rows: set Long, or leave it false":                                                                               {Params: task(metrics.Binary), Columns: both, Shuffled: true},
		"no column that says which label a row is about: set Columns.Class":                                                                                          {Params: task(metrics.Multilabel), Columns: input.Columns{Label: "y", Score: "s", Example: "id"}, Long: true},
		"no column that says which rows belong together: set Columns.Example":                                                                                        {Params: task(metrics.Ranking), Columns: both, Long: true},
		"PerQuery is for rankings, not for task binary":                                                                                                              {Params: task(metrics.Binary), Columns: both, PerQuery: true},
		"no column of true labels: set Columns.Label of the truth":                                                                                                   {Params: task(metrics.Binary), Columns: input.Columns{Score: "s", Example: "id"}, Truth: &Truth{Columns: input.Columns{Example: "id"}}},
		"Columns.Class of the truth is for multilabel tasks, not for task binary":                                                                                    {Params: task(metrics.Binary), Columns: input.Columns{Score: "s", Example: "id"}, Truth: &Truth{Columns: input.Columns{Example: "id", Label: "y", Class: "c"}}},
		"Columns.Item of the truth is for rankings, not for task binary":                                                                                             {Params: task(metrics.Binary), Columns: input.Columns{Score: "s", Example: "id"}, Truth: &Truth{Columns: input.Columns{Example: "id", Label: "y", Item: "d"}}},
		"queries without predictions are evaluated if the truth of a ranking has a row for each item: set Columns.Item of the truth, or leave EvaluateUnmatched out": unmatched(func(s *Spec) { s.Truth.Columns.Item = "" }),
		"queries without predictions have no weight: leave Columns.Weight empty, or EvaluateUnmatched out":                                                           unmatched(func(s *Spec) { s.Columns.Weight = "w" }),
		"queries without predictions have no values in slice columns of the predictions: set Truth.Slices, or leave EvaluateUnmatched out":                           unmatched(func(s *Spec) { s.Slices = []Slice{{{Column: "c"}}} }),
		"queries without predictions have no value of Confidence.By: set Truth.Slices, or leave EvaluateUnmatched out":                                               unmatched(func(s *Spec) { s.Confidence = &Confidence{By: "c"} }),
		"the truth has items, but there is no column of items: set Columns.Item":                                                                                     {Params: task(metrics.Ranking), Columns: input.Columns{Score: "s", Example: "id"}, Truth: &Truth{Columns: input.Columns{Example: "id", Label: "y", Item: "d"}}},
		"no column that says which prediction a row of the truth belongs to: set Columns.Example of the truth": {
			Params: task(metrics.Binary), Columns: input.Columns{Score: "s", Example: "id"}, Truth: &Truth{Columns: input.Columns{Label: "y"}},
		},

		`no such Encoding: "index"; it is one of ["indices" "names" "indicator" "distribution"]`: {Params: task(metrics.Multilabel), Columns: both, Encoding: "index"},
		`Encoding "distribution" is for multiclass tasks, not for task multilabel`:               {Params: task(metrics.Multilabel), Columns: both, Encoding: input.Distribution},
		`Encoding "indicator" is for multilabel tasks, not for task multiclass`:                  {Params: task(metrics.Multiclass), Columns: both, Encoding: input.Indicator},
		`Encoding "indicator" has a value for every label: set Labels`:                           {Params: task(metrics.Multilabel), Columns: both, Encoding: input.Indicator},
		"PositiveLabel is for binary tasks, not for task multiclass":                             {Params: task(metrics.Multiclass), Columns: both, PositiveLabel: "1"},
		"Params.Propensity is for multilabel tasks, not for task binary":                         {Params: metrics.Params{Task: metrics.Binary, Propensity: &metrics.Propensity{A: 1, B: 1}}, Columns: both},
		"Params.Labels is 3, but there are 2 Labels: leave it 0":                                 {Params: metrics.Params{Task: metrics.Multiclass, Labels: 3}, Columns: both, Labels: input.NumberedLabels(2)},
		"a vocabulary of -2 Labels":                                                              {Params: task(metrics.Multiclass), Columns: both, Labels: input.NumberedLabels(-2)},
		"a vocabulary of -3 Labels":                                                              {Params: metrics.Params{Task: metrics.Multilabel, Labels: -3}, Columns: both},
		"Recalibration makes probabilities of the scores of a binary task: set Params.ScoreType to Probability, and Columns.Score": {
			Params: metrics.Params{Task: metrics.Binary, ScoreType: metrics.Logit}, Columns: both, Recalibration: halves},
		"Recalibration is of the scores of one model: leave Columns.BaselineScore empty": {
			Params: task(metrics.Binary), Columns: input.Columns{Label: "y", Score: "s", BaselineScore: "b"}, Recalibration: halves},
		"Recalibration: scores is empty: expected at least one":              {Params: task(metrics.Binary), Columns: both, Recalibration: recalibration.New("logit")},
		"NegativeIsZero is for rankings, not for task binary":                {Params: task(metrics.Binary), Columns: both, NegativeIsZero: true},
		"ProbabilityTolerance of NaN: it must be 0 or more, and less than 1": {Params: task(metrics.Binary), Columns: both, ProbabilityTolerance: nan},

		"task regression has no decisions: leave Decision nil":                                          {Params: task(metrics.Regression), Columns: input.Columns{Label: "y", Prediction: "p"}, Decision: new(input.Decision)},
		"Decision makes predictions from scores, and there are none: set Columns.Score":                 {Params: task(metrics.Binary), Columns: input.Columns{Label: "y", Prediction: "p"}, Decision: new(input.Decision)},
		"predictions are in Columns.Prediction, or follow from scores by Decision: leave one empty":     {Params: task(metrics.Binary), Columns: input.Columns{Label: "y", Score: "s", Prediction: "p"}, Decision: new(input.Decision)},
		"Decision.Threshold is NaN: it must be finite":                                                  {Params: task(metrics.Binary), Columns: both, Decision: &input.Decision{Threshold: nan}},
		"Decision.TopK is -1: it must not be negative":                                                  {Params: task(metrics.Multilabel), Columns: both, Decision: &input.Decision{TopK: -1}},
		"Decision.TopK is for multilabel tasks, not for task binary":                                    {Params: task(metrics.Binary), Columns: both, Decision: &input.Decision{TopK: 1}},
		"Decision.PerLabel is for multilabel tasks, not for task multiclass":                            {Params: task(metrics.Multiclass), Columns: both, Decision: &input.Decision{PerLabel: map[string]float64{"a": 1}}},
		"Decision has both TopK and PerLabel: leave one empty":                                          {Params: task(metrics.Multilabel), Columns: both, Decision: &input.Decision{TopK: 1, PerLabel: map[string]float64{"a": 1}}},
		`Decision.PerLabel of "a" is NaN: it must be finite`:                                            {Params: task(metrics.Multilabel), Columns: both, Decision: &input.Decision{PerLabel: map[string]float64{"a": nan}}},
		`Decision.PerLabel has "c", which is not one of the 2 labels`:                                   {Params: task(metrics.Multilabel), Columns: both, Labels: input.Vocabulary{Names: []string{"a", "b"}}, Decision: &input.Decision{PerLabel: map[string]float64{"a": 1, "c": 1}}},
		`ZeroDivision is "none": it must be 0, 1 or nan`:                                                {Params: task(metrics.Binary), Columns: both, ZeroDivision: "none"},
		"PerLabel.Limit is -1: it must not be negative":                                                 {Params: task(metrics.Multilabel), Columns: both, PerLabel: PerLabel{Limit: -1}},
		"MaxExampleRows is -1: it must not be negative":                                                 {Params: task(metrics.Binary), Columns: both, MaxExampleRows: -1},
		"MaxNames is -1: it must not be negative":                                                       {Params: task(metrics.Binary), Columns: both, MaxNames: -1},
		"MaxSlices is -1: it must not be negative":                                                      {Params: task(metrics.Binary), Columns: both, MaxSlices: -1},
		"MaxSkipped must be finite and not negative":                                                    {Params: task(metrics.Binary), Columns: both, MaxSkipped: &report.Limit{Value: nan}},
		"RangeBytes is -1: it must not be negative":                                                     {Params: task(metrics.Binary), Columns: both, RangeBytes: -1},
		"Slices[1] has no columns":                                                                      {Params: task(metrics.Binary), Columns: both, Slices: []Slice{by("a"), {}}},
		"Slices[0] has a column without a name":                                                         {Params: task(metrics.Binary), Columns: both, Slices: []Slice{by("")}},
		`Slices[0] has column "a" twice`:                                                                {Params: task(metrics.Binary), Columns: both, Slices: []Slice{{{Column: "a"}, {Column: "a"}}}},
		`unknown metric "f1_macro_" of task multilabel`:                                                 {Params: metrics.Params{Task: metrics.Multilabel, Metrics: []string{"f1_macro_"}}, Columns: both},
		"-1 calibration bins: there must be 1 to 1048576, or 0 for the default of 10":                   {Params: metrics.Params{Task: metrics.Binary, Bins: -1}, Columns: both},
		`metric "log_loss" needs probabilities: Params.ScoreType is RawScore, not Probability or Logit`: {Params: metrics.Params{Task: metrics.Binary, ScoreType: metrics.RawScore, Metrics: []string{"log_loss"}}, Columns: both},
	} {
		_, s := beam.NewPipelineWithRoot()
		shards := beam.CreateList(s, []input.Shard{{File: "a.parquet", RowGroups: 1}})
		evaluate := func() (Evaluation, error) { return Parquet(s, spec, shards) }
		if spec.Truth != nil {
			evaluate = func() (Evaluation, error) { return Joined(s, spec, shards, shards) }
		}
		_, err := evaluate()
		require.EqualError(t, err, "spec: "+want, want)
	}
	for want, spec := range map[string]Spec{
		"unknown task 0: expected one of binary, multiclass, multilabel, regression, ranking, preference, grade, agreement": {},
		"no metrics: set Scores or Decisions, which say what examples have, or Metrics":                                     {Params: task(metrics.Binary)},
		"Long is for files: a Prediction has all of an example":                                                             {Params: task(metrics.Ranking), Long: true},
		"Decision makes predictions from scores, and there are none: set Columns.Score":                                     {Params: metrics.Params{Task: metrics.Binary, Decisions: true}, Decision: new(input.Decision)},
	} {
		_, s := beam.NewPipelineWithRoot()
		_, err := Predictions(s, spec, beam.CreateList(s, []input.Prediction{}))
		require.EqualError(t, err, "spec: "+want, want)
	}
}

// TestWrongCollections has PCollections of the wrong elements.
func TestWrongCollections(t *testing.T) {
	spec := Spec{Params: metrics.Params{Task: metrics.Binary}, Columns: input.Columns{Label: "y", Score: "s", Example: "id"}}
	_, s := beam.NewPipelineWithRoot()
	numbers, shards := beam.Create(s, 1), beam.CreateList(s, []input.Shard{})
	_, err := Parquet(s, spec, numbers)
	require.EqualError(t, err, "the shards are a PCollection of int: it must be of input.Shard")
	_, err = Parquet(s, spec, beam.PCollection{})
	require.EqualError(t, err, "no shards: the PCollection is not valid")
	_, err = Joined(s, spec, shards, shards)
	require.EqualError(t, err, "spec: no Truth, which says what the true labels look like")
	joined := spec
	joined.Truth = &Truth{Columns: input.Columns{Label: "y", Example: "id"}}
	_, err = Parquet(s, joined, shards)
	require.EqualError(t, err, "spec: Truth is for Joined: leave it nil")
	_, err = Joined(s, joined, shards, beam.PCollection{})
	require.EqualError(t, err, "no shards of the truth: the PCollection is not valid")
	_, err = JoinedWithBaseline(s, spec, shards, beam.PCollection{}, shards)
	require.EqualError(t, err, "spec: no Baseline, which says what its predictions look like")
	before := spec
	before.Baseline = &Baseline{Columns: input.Columns{BaselineScore: "s", Example: "id"}}
	_, err = JoinedWithBaseline(s, before, shards, shards, shards)
	require.EqualError(t, err, "spec: Truth describes the shards of the truth: set both or neither")
	_, err = JoinedWithBaseline(s, before, shards, beam.PCollection{}, beam.PCollection{})
	require.EqualError(t, err, "no shards of the baseline: the PCollection is not valid")
	_, err = Parquet(s, before, shards)
	require.EqualError(t, err, "spec: Baseline is for JoinedWithBaseline: leave it nil")
	_, err = Predictions(s, before, beam.CreateList(s, []input.Prediction{}))
	require.ErrorContains(t, err, "Baseline describes files: leave it nil")
	_, err = Predictions(s, spec, shards)
	require.EqualError(t, err, "the predictions are a PCollection of input.Shard: it must be of input.Prediction")
}

// TestShortSpecs has the shortest specs of each kind, and what they mean.
func TestShortSpecs(t *testing.T) {
	names := input.Vocabulary{Names: []string{"a", "b"}}
	for _, c := range []struct {
		spec   Spec
		memory bool
		check  func(*Spec)
	}{
		{Spec{Params: metrics.Params{Task: metrics.Binary}, Columns: input.Columns{Label: "y", Score: "s"}}, false, func(s *Spec) {
			require.Equal(t, &input.Decision{Threshold: 0.5}, s.Decision)
			require.True(t, s.Params.Scores && s.Params.Decisions && s.Params.Curving())
			require.Subset(t, s.Params.Metrics, []string{"f1", "roc_auc", "log_loss"})
		}},
		{Spec{Params: metrics.Params{Task: metrics.Binary, ScoreType: metrics.Logit}, Columns: input.Columns{Label: "y", Score: "s"}}, false, func(s *Spec) {
			require.Equal(t, &input.Decision{}, s.Decision)
		}},
		{Spec{Params: metrics.Params{Task: metrics.Multiclass}, Columns: input.Columns{Label: "y", Prediction: "p"}}, false, func(s *Spec) {
			require.True(t, s.Params.Decisions && !s.Params.Scores)
			require.Empty(t, s.Params.Metrics, "they depend on the number of labels")
			require.Zero(t, s.Params.Labels)
		}},
		{Spec{Params: metrics.Params{Task: metrics.Multilabel, Labels: 3}, Columns: input.Columns{Label: "y", Score: "s", ScoreLabel: "l"}}, false, func(s *Spec) {
			require.Equal(t, input.NumberedLabels(3), s.Labels)
			require.True(t, s.Params.Sparse && !s.Params.Curving())
		}},
		{Spec{Params: metrics.Params{Task: metrics.Regression}, Columns: input.Columns{Label: "y", Prediction: "p"}}, false, func(s *Spec) {
			require.Contains(t, s.Params.Metrics, "median_absolute_error")
		}},
		{Spec{Params: metrics.Params{Task: metrics.Ranking, Ranking: metrics.RankingOptions{Ties: metrics.ItemTies}}}, true, func(s *Spec) {
			require.Equal(t, "Items", s.Columns.Item)
			require.Equal(t, metrics.RawScore, s.Params.ScoreType)
		}},
		{Spec{Params: metrics.Params{Task: metrics.Multilabel, Metrics: []string{"f1_micro"}}, Labels: names}, true, func(s *Spec) {
			require.Equal(t, "Predicted", s.Columns.Prediction)
		}},
		{Spec{Params: metrics.Params{Task: metrics.Multilabel, Scores: true}, Labels: names}, true, func(s *Spec) {
			require.Empty(t, s.Columns.Prediction)
			require.True(t, s.Params.Decisions)
		}},
	} {
		once, err := settle(c.spec, c.memory)
		require.NoError(t, err)
		c.check(&once.Spec)
	}
}

// TestSpecTravels: specs go to workers as JSON.
func TestSpecTravels(t *testing.T) {
	specs := []Spec{{}, {Truth: &Truth{Columns: input.Columns{Example: "id"}, SkipMissing: true}, PerQuery: true}}
	for _, s := range scenarios(t) {
		specs = append(specs, s.spec)
	}
	type fn struct { // as DoFns have it
		Spec  Spec
		Other int
	}
	for _, spec := range specs {
		data, err := json.Marshal(&fn{spec, 7})
		require.NoError(t, err)
		var back fn
		require.NoError(t, json.Unmarshal(data, &back))
		require.Equal(t, fn{spec, 7}, back)
	}
}

func TestZeroDivision(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "0": 0, "1": 1, "nan": math.NaN()} {
		got := asSettled(Spec{ZeroDivision: text}).Options(&input.Vocabulary{}).ZeroDivision
		require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%q", text)
	}
}

// Labels that were found and differ in spelling alone, or list others, are warned of; those that the spec names are not.
func TestAlike(t *testing.T) {
	const cure = ", or name them in Spec.Labels if that is right"
	spelled := func(text string) string {
		return "labels " + text + ", and count as different: write labels and predictions alike" + cure
	}
	listed := func(text string) string {
		return "label " + text + ", and counts as one of its own: write lists as lists, such as in JSON lines or Parquet, for a multilabel task" + cure
	}
	missing := func(text string) string {
		return "label " + text + ", and counts as a label: write null, or name the text in Options.NullValues" + cure
	}
	for _, c := range []struct{ names, want []string }{
		{[]string{"a", "b", "ab", "a b", "1", "2", "1e", "-", "a,c", "a|", "|"}, nil},
		{[]string{"Cat", "cat", "dog"}, []string{spelled(`"Cat" and "cat" differ in spelling alone`)}},
		{[]string{"cat", "cat ", "dog"}, []string{spelled(`"cat" and "cat " differ in spelling alone`)}},
		{[]string{"a  b", "a b", "dog"}, []string{spelled(`"a  b" and "a b" differ in spelling alone`)}},
		{[]string{"1", "1.0", "x"}, []string{spelled(`"1" and "1.0" differ in spelling alone`)}},
		{[]string{"07", "7", "x"}, []string{spelled(`"07" and "7" differ in spelling alone`)}},
		{[]string{"CAT", "Cat", "DOG", "cat", "dog"}, []string{spelled(`"CAT" and "Cat" differ in spelling alone, as do 2 more`)}},
		{[]string{"cafe\u0301", "caf\u00e9", "x"}, []string{spelled(`"cafe\u0301" and "café" differ in spelling alone`)}},
		{[]string{"big cat", "big\u00a0cat", "x"}, []string{spelled(`"big cat" and "big\u00a0cat" differ in spelling alone`)}},
		{[]string{"tea", "tea\u200b", "\ufeffx", "x"}, []string{spelled(`"tea" and "tea\u200b" differ in spelling alone, as do 1 more`)}},
		{[]string{"A", "\uff21", "x"}, []string{spelled(`"A" and "\uff21" differ in spelling alone`)}},
		{[]string{"cafe", "caf\u00e9", "\u0e01", "\u0e01\u0e33", "1", "\u00b2"}, nil},
		{[]string{"NaN", "a", "none"}, []string{missing(`"NaN" reads as a missing value`)}},
		{[]string{"None", "a", "nan"}, []string{missing(`"None" reads as a missing value, as do 1 more`)}},
		{[]string{"a", "a|b", "b"}, []string{listed(`"a|b" lists other labels`)}},
		{[]string{"a", "a, b", "b", "b;a;b"}, []string{listed(`"a, b" lists other labels, as do 1 more`)}},
	} {
		vocab := input.Vocabulary{Names: c.names}
		for _, task := range []metrics.Task{metrics.Multiclass, metrics.Multilabel, metrics.Preference} {
			spec := Spec{Params: metrics.Params{Task: task}}
			require.Equal(t, c.want, collections.Map(asSettled(spec).alike(&vocab), func(f checks.Found) string { return f.Message }), "%q", c.names)
			spec.Labels = vocab
			require.Nil(t, asSettled(spec).alike(&vocab), "%q", c.names)
		}
		require.Nil(t, asSettled(Spec{Params: metrics.Params{Task: metrics.Binary}}).alike(&vocab))
	}
}

func TestPerLabel(t *testing.T) {
	vocab := input.Vocabulary{Names: []string{"a", "b", "c"}}
	rows := []report.Row{{Name: "f1_macro"}, {Name: "f1", Label: &vocab.Names[0]}}
	for _, c := range []struct {
		perLabel PerLabel
		want     []bool
		warnings []string
	}{
		{PerLabel{}, []bool{false, false, false}, nil},
		{PerLabel{All: true}, []bool{true, true, true}, nil},
		{PerLabel{Limit: 3}, []bool{true, true, true}, nil},
		{PerLabel{Limit: 2}, []bool{true, true, false}, []string{"metrics of single labels are reported for the first 2 of 3 labels that occur; set Spec.PerLabel for others"}},
		{PerLabel{Names: []string{"c", "x"}, Limit: 1}, []bool{false, false, true}, []string{`Spec.PerLabel names "x", which is not one of the labels`}},
		{PerLabel{Names: []string{}}, []bool{false, false, false}, nil},
	} {
		spec := Spec{Params: metrics.Params{Task: metrics.Multilabel}, PerLabel: c.perLabel}
		perLabel := asSettled(spec).Options(&vocab).PerLabel
		for label, want := range c.want {
			require.Equal(t, want, slices.Contains(perLabel.Labels, label) || perLabel.All || perLabel.Labels == nil && label < perLabel.Limit, "%+v, label %d", c.perLabel, label)
		}
		require.Equal(t, c.warnings, asSettled(spec).warnings(&vocab, rows))
		if spec.PerLabel.Names == nil {
			require.Nil(t, asSettled(spec).warnings(&vocab, rows[:1]), "no metric of single labels was asked for")
		}
		spec.Params.Task = metrics.Binary
		require.Nil(t, asSettled(spec).warnings(&vocab, rows))
	}
}
