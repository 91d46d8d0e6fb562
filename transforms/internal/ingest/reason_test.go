package ingest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// badCases has every reason. Each bad row must have its place, the reason as it is counted, the
// column, the value and, once in a case, the explanation.
var badCases = []struct {
	name  string
	spec  input.Spec
	vocab *input.Vocabulary
	in    Input
	want  []string
}{
	{
		"null label of a class", decided(metrics.Multiclass), numbered(3),
		Input{Rows: 4, Of: Columns{roles.Label: null(ints(0, 1, 2, 2), 0, 3), roles.Prediction: ints(0, 1, 2, 2)}},
		[]string{`0 null label: y: null: the label is missing`, `3 null label: y: null`},
	},
	{
		"null binary label", decided(metrics.Binary), numbered(2),
		Input{Rows: 3, Of: Columns{roles.Label: null(bools(true, true, false), 0, 2), roles.Prediction: bools(true, true, false)}},
		[]string{`0 null label: y: null: the label is missing`, `2 null label: y: null`},
	},
	{
		"null label lists and elements", decided(metrics.Multilabel), numbered(3),
		Input{Rows: 4, Of: Columns{roles.Label: listsOf(null(ints(0, 1, 2), 1), -1, 2, 0, 1), roles.Prediction: listsOf(ints(), 0, 0, 0, 0)}},
		[]string{`0 null label: y: null: the label is missing`, `1 null label: y: null (element 1)`},
	},
	{
		"null target", input.Spec{Params: metrics.Params{Task: metrics.Regression}}, numbered(1),
		Input{Rows: 3, Of: Columns{roles.Label: null(floats(1, 2, 3), 1, 2), roles.Prediction: floats(1, 2, 3)}},
		[]string{`1 null label: y: null: the label is missing`, `2 null label: y: null`},
	},
	{
		"null prediction of a class", decided(metrics.Multiclass), named("a", "b"),
		Input{Rows: 3, Of: Columns{roles.Label: words("a", "b", "a"), roles.Prediction: null(words("a", "b", "a"), 0, 2)}},
		[]string{`0 null prediction: p: null: the prediction is missing`, `2 null prediction: p: null`},
	},
	{
		"null prediction lists and elements", decided(metrics.Multilabel), named("a", "b"),
		Input{Rows: 3, Of: Columns{roles.Label: listsOf(words("a"), 0, 1, 0), roles.Prediction: listsOf(null(words("a", "b"), 0), 1, -1, 1)}},
		[]string{`0 null prediction: p: null (element 0): the prediction is missing`, `1 null prediction: p: null`},
	},
	{
		"null estimate", input.Spec{Params: metrics.Params{Task: metrics.Regression}}, numbered(1),
		Input{Rows: 2, Of: Columns{roles.Label: ints(1, 2), roles.Prediction: null(ints(1, 2), 0)}},
		[]string{`0 null prediction: p: null: the prediction is missing`},
	},
	{
		"forecasts of quantiles", input.Spec{Params: metrics.Params{Task: metrics.Regression, QuantileLevels: []float64{0.1, 0.5, 0.9}}}, numbered(1),
		Input{Rows: 6, Of: Columns{roles.Label: ints(1, 1, 1, 1, 1, 1), roles.Prediction: ints(1, 1, 1, 1, 1, 1), roles.Quantiles: listsOf(null(floats(1, 2, 3, 3, 2, 1, 1, 2, 1, math.Inf(1), 2, 2, 2, 2, 3), 13), 3, 3, 2, -1, 4, 3)}},
		[]string{
			`1 quantiles out of order: q: 2 below 3 (element 1): expected forecasts of higher quantiles, or upper bounds, that are not below those of lower ones, or set input.crossing to sort or keep`,
			`2 wrong number of forecasts: q: 2 forecasts: expected 3, one for each quantile`,
			`3 null forecast: q: null: the forecast is missing`,
			`4 wrong number of forecasts: q: 4 forecasts`,
			`5 null forecast: q: null (element 1)`,
		},
	},
	{
		"ensembles", input.Spec{Params: metrics.Params{Task: metrics.Regression, Has: metrics.HasEnsemble}}, numbered(1),
		Input{Rows: 5, Of: Columns{roles.Label: ints(1, 1, 1, 1, 1), roles.Prediction: ints(1, 1, 1, 1, 1), roles.Ensemble: listsOf(null(floats(1, 2, 3, math.NaN(), 5), 4), 2, 0, -1, 2, 1)}},
		[]string{
			`1 null forecast: m: an empty list: the forecast is missing`, `2 null forecast: m: null`,
			`3 not a finite number: m: NaN (element 1): expected a finite number`, `4 null forecast: m: null (element 0)`,
		},
	},
	{
		"baselines", input.Spec{Params: metrics.Params{Task: metrics.Binary, Decisions: true, Scores: true, Has: metrics.HasBaseline | metrics.HasBaselineScores}}, numbered(2),
		Input{Rows: 5, Of: Columns{roles.Label: ints(0, 1, 0, 1, 0), roles.Score: floats(0, 1, 0, 1, 0), roles.BaselinePrediction: null(ints(0, 1, 2, 1, 0), 3), roles.BaselineScore: null(floats(1, math.NaN(), 0, 0, 0), 4)}},
		[]string{
			`4 null score of the baseline: old: null: the score of the baseline is missing`, `1 NaN score: old: NaN: not a number`,
			`2 label not 0 or 1: was: 2: expected 0 or 1; set positive_label if another value means positive`, `3 null prediction of the baseline: was: null: the prediction of the baseline is missing`,
		},
	},
	{
		"judged classes", input.Spec{Params: metrics.Params{Task: metrics.Multiclass, Labels: 2, Decisions: true, Judged: true, Has: metrics.HasJudgedClass}}, numbered(2),
		Input{Rows: 5, Of: Columns{roles.Label: null(ints(0, 1, 0, 1, 0), 1), roles.Prediction: ints(0, 1, 0, 1, 0), roles.Judged: null(ints(0, 1, 2, 1, -1), 1, 3)}},
		[]string{
			`1 null judgement: j: null: the judgement is missing, and every row must have one`, `2 label out of range: j: 2: expected a label index from 0 to 1`,
			`3 null judgement: j: null`, `4 label out of range: j: -1`,
		},
	},
	{
		"prediction sets", input.Spec{Params: metrics.Params{Task: metrics.Multiclass, Labels: 2, Decisions: true, Has: metrics.HasPredictionSets}}, numbered(2),
		Input{Rows: 4, Of: Columns{roles.Label: ints(0, 1, 0, 1), roles.Prediction: ints(0, 1, 0, 1), roles.PredictionSet: listsOf(ints(0, 1, 1, 1, 2), 2, -1, 2, 1)}},
		[]string{
			`1 null set: ps: null: the set is missing; a set without classes is an empty list`, `2 duplicate label: ps: "1": the list names it twice`,
			`3 label out of range: ps: 2 (element 0): expected a label index from 0 to 1`,
		},
	},
	{
		"baselines of labels", input.Spec{Params: metrics.Params{Task: metrics.Multilabel, Labels: 2, Decisions: true, Scores: true, Has: metrics.HasBaseline | metrics.HasBaselineScores}, Decision: &input.Decision{Threshold: 0.5}}, numbered(2),
		Input{Rows: 4, Of: Columns{roles.Label: listsOf(ints(0, 1, 0, 1), 1, 1, 1, 1), roles.Score: listsOf(floats(0, 1, 0, 1, 0, 1, 0, 1), 2, 2, 2, 2), roles.BaselineScore: listsOf(floats(1, math.NaN(), 0, 1, 1), 2, 1, 2, -1)}},
		[]string{
			`1 wrong number of values: old: 1 scores: expected 2, one for each label`, `3 null score of the baseline: old: null: the score of the baseline is missing`,
			`0 NaN score: old: NaN (element 1): not a number`,
		},
	},
	{
		"baselines of numbers", input.Spec{Params: metrics.Params{Task: metrics.Regression, Has: metrics.HasBaseline}}, numbered(1),
		Input{Rows: 3, Of: Columns{roles.Label: ints(1, 1, 1), roles.Prediction: ints(1, 1, 1), roles.BaselinePrediction: null(floats(1, math.Inf(1), 2), 2)}},
		[]string{`1 not a finite number: was: +Inf: expected a finite number`, `2 null prediction of the baseline: was: null: the prediction of the baseline is missing`},
	},
	{
		"scales", input.Spec{Params: metrics.Params{Task: metrics.Regression, Has: metrics.HasScale}}, numbered(1),
		Input{Rows: 4, Of: Columns{roles.Label: ints(1, 1, 1, 1), roles.Prediction: ints(1, 1, 1, 1), roles.Scale: null(floats(1, 0, -1, 2), 3)}},
		[]string{
			`3 null scale: z: null: the scale of errors is missing`,
			`1 scale not positive: z: 0: expected a positive number to divide errors by`, `2 scale not positive: z: -1`,
		},
	},
	{
		"costs", costing, numbered(2),
		Input{Rows: 7, Of: Columns{roles.Label: ints(1, 1, 1, 0, 0, 0, 1), roles.Prediction: ints(1, 1, 1, 0, 0, 0, 1), roles.CostFP: null(floats(0, -1, 1, 2, 1e100, 1e101, 0), 3), roles.CostFN: floats(nan, 0, math.Inf(1), 1, 0, 1, -5e-324)}},
		[]string{
			`3 null cost: cp: null: the cost is missing; where an error costs nothing, it is 0`,
			`1 cost outside [0, 1e100]: cp: -1: expected a cost within 0 and 1e100`, `5 cost outside [0, 1e100]: cp: 1e+101`,
			`0 not a finite number: cn: NaN: expected a finite number`, `2 not a finite number: cn: +Inf`, `6 cost outside [0, 1e100]: cn: -5e-324`,
		},
	},
	{
		"preferences", input.Spec{Params: metrics.Params{Task: metrics.Preference, Labels: 2}}, numbered(2),
		Input{Rows: 5, Of: Columns{roles.A: null(ints(0, 1, 0, 1, 0), 3), roles.B: ints(1, 1, 1, 0, 7), roles.Label: words("a", "b", "c", "tie", "a")}},
		[]string{
			`3 null system: sa: null: the name of a system is missing`,
			`4 label out of range: sb: 7: expected a label index from 0 to 1`,
			`1 system compared with itself: sb: 1: expected two different systems`,
			`2 unknown outcome: y: "c": expected a if the first system wins, b if the second does, or tie (or model_a, model_b, tie (bothbad), both_bad)`,
		},
	},
	{
		"null score", scored(metrics.Binary), numbered(2),
		Input{Rows: 3, Of: Columns{roles.Label: ints(0, 1, 1), roles.Score: null(floats(.1, .2, .3), 0, 2)}},
		[]string{`0 null score: s: null: the score is missing`, `2 null score: s: null`},
	},
	{
		"null scores and elements", scored(metrics.Multiclass), numbered(2),
		Input{Rows: 3, Of: Columns{roles.Label: ints(0, 1, 1), roles.Score: listsOf(null(floats(.1, .9, .2, .8), 3), 2, -1, 2)}},
		[]string{`1 null score: s: null: the score is missing`, `2 null score: s: null (element 1)`},
	},
	{
		"NaN score", scored(metrics.Binary), numbered(2),
		Input{Rows: 3, Of: Columns{roles.Label: ints(0, 1, 1), roles.Score: floats(nan, .5, nan)}},
		[]string{`0 NaN score: s: NaN: not a number`, `2 NaN score: s: NaN`},
	},
	{
		"NaN among scores of any kind", input.Spec{Params: metrics.Params{Task: metrics.Multilabel, Scores: true, ScoreType: metrics.RawScore}}, numbered(2),
		Input{Rows: 2, Of: Columns{roles.Label: listsOf(ints(0), 1, 0), roles.Score: listsOf(floats(7, -inf, 3, nan), 2, 2)}},
		[]string{`1 NaN score: s: NaN (element 1): not a number`},
	},
	{
		"probability outside [0, 1]", scored(metrics.Binary), numbered(2),
		Input{Rows: 4, Of: Columns{roles.Label: ints(0, 1, 1, 0), roles.Score: floats(1.5, 1, -1e-9, inf)}},
		[]string{
			`0 probability outside [0, 1]: s: 1.5: expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities`,
			`2 probability outside [0, 1]: s: -1e-09`, `3 probability outside [0, 1]: s: +Inf`,
		},
	},
	{
		"probability outside [0, 1] in a list", scored(metrics.Multiclass), numbered(3),
		Input{Rows: 2, Of: Columns{roles.Label: ints(0, 1), roles.Score: listsOf(floats(0, 0, 1, 0, 2, 3), 3, 3)}},
		[]string{`1 probability outside [0, 1]: s: 2 (element 1): expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities`},
	},
	{
		"integers that float64 does not hold", input.Spec{Params: metrics.Params{Task: metrics.Regression}}, numbered(1),
		Input{Rows: 4, Of: Columns{roles.Label: ints(1<<53+1, 1<<62, -1<<63, 3), roles.Prediction: ints(1<<53, 0, 1, -1<<60-1)}},
		[]string{`0 number too long for float64: y: 9007199254740993: expected a number that float64 holds exactly, as it does all integers up to 2^53; subtract the same number from labels and predictions, or convert them to double`,
			`3 number too long for float64: p: -1152921504606846977`},
	},
	{
		"not a finite number", input.Spec{Params: metrics.Params{Task: metrics.Regression}}, numbered(1),
		Input{Rows: 4, Of: Columns{roles.Label: floats(nan, 1, 2, 3), roles.Prediction: floats(1, -inf, 2, inf)}},
		[]string{`0 not a finite number: y: NaN: expected a finite number`, `1 not a finite number: p: -Inf`, `3 not a finite number: p: +Inf`},
	},
	{
		"probabilities with which rows were drawn", input.Spec{Params: scored(metrics.Binary).Params, Sampling: new(input.Sampling)}, numbered(2),
		Input{Rows: 8, Of: Columns{roles.Label: ints(0, 1, 1, 0, 1, 1, 0, 1), roles.Score: floats(0, 0, 0, 0, 0, 0, 0, 0), roles.Weight: null(floats(1, 0, -2, nan, 1.5, 0.25, 1e-310, 1e-300), 0)}},
		[]string{
			`0 null sampling probability: w: null: the probability with which the row was drawn is missing`, `3 not a finite number: w: NaN: expected a finite number`,
			`1 sampling probability outside (0, 1]: w: 0: expected the probability with which the row was drawn, above 0 and up to 1`,
			`2 sampling probability outside (0, 1]: w: -2`, `4 sampling probability outside (0, 1]: w: 1.5`, `6 sampling probability outside (0, 1]: w: 1e-310`,
		},
	},
	{
		"strata from which rows were drawn", input.Spec{Params: metrics.Params{Task: metrics.Regression, Judged: true, Drawn: true}, Sampling: new(input.Sampling)}, numbered(1),
		Input{Rows: 3, Of: Columns{roles.Label: floats(1, 2, 3), roles.Prediction: floats(1, 2, 3), roles.Weight: floats(0.5, 1, 7), roles.SamplingStratum: null(ints(1, 0, 1), 1)}},
		[]string{
			`1 null sampling stratum: h: null: the row was drawn with a probability, but from no stratum`,
			`2 sampling probability outside (0, 1]: w: 7: expected the probability with which the row was drawn, above 0 and up to 1`,
		},
	},
	{
		"weights", scored(metrics.Binary), numbered(2),
		Input{Rows: 6, Of: Columns{roles.Label: ints(0, 1, 1, 0, 1, 1), roles.Score: floats(0, 0, 0, 0, 0, 0), roles.Weight: null(floats(1, 0, -2, nan, inf, 0), 0)}},
		[]string{
			`0 null weight: w: null: the weight is missing`, `3 not a finite number: w: NaN: expected a finite number`, `4 not a finite number: w: +Inf`,
			`2 negative weight: w: -2: expected a weight of 0 or more`,
		},
	},
	{
		"scores of another length", scored(metrics.Multiclass), numbered(3),
		Input{Rows: 3, Of: Columns{roles.Label: ints(0, 1, 2), roles.Score: listsOf(floats(1, 0, 0, 1, 0, 0, 0), 2, 3, 2)}},
		[]string{`0 wrong number of values: s: 2 scores: expected 3, one for each label`, `2 wrong number of values: s: 2 scores`},
	},
	{
		"indicators of another length", input.Spec{Params: decided(metrics.Multilabel).Params, Encoding: input.Indicator}, numbered(2),
		Input{Rows: 3, Of: Columns{roles.Label: listsOf(ints(1, 0, 1, 0, 1), 1, 2, 2), roles.Prediction: listsOf(ints(1, 0, 1, 0, 1), 2, 2, 1)}},
		[]string{`0 wrong number of values: y: 1 values: expected 2, one for each label`, `2 wrong number of values: p: 1 values`},
	},
	{
		"class out of range", decided(metrics.Multiclass), numbered(3),
		Input{Rows: 5, Of: Columns{roles.Label: floats(3, -1, 2, 1.5, 1e300), roles.Prediction: ints(0, 0, 0, 0, 0)}},
		[]string{
			`0 label out of range: y: 3: expected a label index from 0 to 2`, `1 label out of range: y: -1`, `3 label out of range: y: 1.5: expected a label index from 0 to 2; a class is a whole number, a boolean or a text, so write 0.5 as a text such as "grade 0.5", or set task to regression`,
			`4 label out of range: y: 1e+300`,
		},
	},
	{
		"NaN class", decided(metrics.Multiclass), numbered(3),
		Input{Rows: 2, Of: Columns{roles.Label: floats(nan, 1), roles.Prediction: ints(0, 0)}},
		[]string{`0 label out of range: y: NaN: expected a label index from 0 to 2`},
	},
	{
		"index beyond 32 bits", decided(metrics.Multilabel), numbered(3),
		Input{Rows: 2, Of: Columns{roles.Label: listsOf(ints(0, 1, 1<<32), 1, 2), roles.Prediction: listsOf(ints(), 0, 0)}},
		[]string{`1 label out of range: y: 4294967296 (element 1): expected a label index from 0 to 2`},
	},
	{
		"unknown names", decided(metrics.Multiclass), named("cat", "dog"),
		Input{Rows: 3, Of: Columns{roles.Label: words("cat", "Dog", "dog"), roles.Prediction: words("cat", "dog", "do\ng")}},
		[]string{`1 unknown label name: y: "Dog": not one of the 2 labels; see labels and labels_file`, `2 unknown label name: p: "do\ng"`},
	},
	{
		"unknown name in a list", input.Spec{Params: decided(metrics.Multilabel).Params, Encoding: input.Names}, named("cat", "dog"),
		Input{Rows: 2, Of: Columns{roles.Label: listsOf(words("cat", "dog", "cow"), 2, 1), roles.Prediction: listsOf(words(), 0, 0)}},
		[]string{`1 unknown label name: y: "cow" (element 0): not one of the 2 labels; see labels and labels_file`},
	},
	{
		"unknown numbers that are names", decided(metrics.Multiclass), &input.Vocabulary{Names: []string{"-1", "0", "1"}, Numbers: true},
		Input{Rows: 4, Of: Columns{roles.Label: ints(-1, 0, 2, 1), roles.Prediction: floats(-1, .5, 0, 1)}},
		[]string{`2 unknown label name: y: 2: not one of the 3 labels; see labels and labels_file`, `1 unknown label name: p: 0.5`},
	},
	{
		"duplicate labels", decided(metrics.Multilabel), named("cat", "dog"),
		Input{Rows: 3, Of: Columns{roles.Label: listsOf(words("dog", "cat", "dog", "cat"), 3, 0, 1), roles.Prediction: listsOf(ints(1, 1, 0), 0, 2, 1)}},
		[]string{
			`0 duplicate label: y: "dog": the list names it twice`,
			`1 duplicate label: p: "dog": the list names it twice; set input.label_encoding to indicator if lists have a 0 or 1 for each label`,
		},
	},
	{
		"label not 0 or 1", decided(metrics.Binary), numbered(2),
		Input{Rows: 4, Of: Columns{roles.Label: ints(0, 2, 1, -1), roles.Prediction: floats(.5, 1, 0, 1)}},
		[]string{
			`1 label not 0 or 1: y: 2: expected 0 or 1; set positive_label if another value means positive`, `3 label not 0 or 1: y: -1`,
			`0 label not 0 or 1: p: 0.5`,
		},
	},
	{
		"text not 0 or 1", decided(metrics.Binary), numbered(2),
		Input{Rows: 3, Of: Columns{roles.Label: words("0", "yes", "1"), roles.Prediction: words("0", "1", "")}},
		[]string{`1 label not 0 or 1: y: "yes": expected 0 or 1; set positive_label if another value means positive`, `2 label not 0 or 1: p: ""`},
	},
	{
		"indicator not 0 or 1", input.Spec{Params: decided(metrics.Multilabel).Params, Encoding: input.Indicator}, numbered(2),
		Input{Rows: 4, Of: Columns{roles.Label: listsOf(null(floats(0, 1, 0, 2, .5, 0, 1, 0), 6), 2, 2, 2, 2), roles.Prediction: listsOf(ints(0, 0, 0, 0, 0, 0, 0, 0), 2, 2, 2, 2)}},
		[]string{
			`1 indicator not 0 or 1: y: 2 (element 1): expected 0 or 1 for each label`, `2 indicator not 0 or 1: y: 0.5 (element 0)`,
			`3 indicator not 0 or 1: y: null (element 0)`,
		},
	},
	{
		"sparse scores", input.Spec{Params: metrics.Params{Task: metrics.Multilabel, Scores: true, Sparse: true}}, numbered(5),
		Input{
			Rows: 10, Of: Columns{roles.Label: listsOf(ints(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), roles.ScoreLabel: listsOf(null(ints(4, 2, 4, 5, 0, 1, 2, 1, 3, 2, -1), 6), 3, 1, 2, 1, -1, 1, 0, 1, 1, 1), roles.Score: listsOf(null(floats(.1, .2, .3, .5, .5, 1.5, .5, .5, .5, 0, .1), 8), 3, 1, 2, 1, 0, 1, 0, 1, 1, 1)},
		},
		[]string{
			`0 duplicate label: sl: "4": the list names it twice`, `1 label out of range: sl: 5 (element 0): expected a label index from 0 to 4`,
			`2 probability outside [0, 1]: s: 1.5 (element 1): expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities`,
			`3 null label: sl: null (element 0): the label is missing`, `4 null score: sl: null: the list is missing; where no label has a score, it must be empty`,
			`7 null score: s: null (element 0): the score is missing`, `9 label out of range: sl: -1 (element 0)`,
		},
	},
	{
		"sparse scores by name", input.Spec{Params: metrics.Params{Task: metrics.Multilabel, Scores: true, Sparse: true, ScoreType: metrics.Logit}, Encoding: input.Names}, named("cat", "dog"),
		Input{
			Rows: 4, Of: Columns{roles.Label: listsOf(words(), 0, 0, 0, 0), roles.ScoreLabel: listsOf(words("dog", "cat", "bird", "dog", "cat"), 2, 1, 1, 1), roles.Score: listsOf(floats(inf, -2, 1, nan), 2, 1, 1, 0)},
		},
		[]string{
			`1 unknown label name: sl: "bird" (element 0): not one of the 2 labels; see labels and labels_file`, `2 NaN score: s: NaN (element 0): not a number`,
			`3 lists of unequal length: s: 1 labels and 0 scores: expected a label for each score`,
		},
	},
	{
		"no candidates", input.Spec{Params: metrics.Params{Task: metrics.Multiclass, Scores: true, Sparse: true, Decisions: true}}, numbered(3),
		Input{Rows: 2, Of: Columns{roles.Label: ints(1, 1), roles.ScoreLabel: listsOf(ints(2), 1, 0), roles.Score: listsOf(floats(.5), 1, 0)}},
		[]string{`1 no scores: s: an empty list: expected a score for at least one class, to predict a class from`},
	},
	{
		"null distributions and elements", input.Spec{Params: decided(metrics.Multiclass).Params, Encoding: input.Distribution}, numbered(2),
		Input{Rows: 3, Of: Columns{roles.Label: listsOf(null(floats(1, 0, .5, .5), 1), 2, -1, 2), roles.Prediction: ints(0, 0, 0)}},
		[]string{`0 null label: y: null (element 1): the label is missing`, `1 null label: y: null`},
	},
	{
		"distributions of another length", input.Spec{Params: decided(metrics.Multiclass).Params, Encoding: input.Distribution}, numbered(2),
		Input{Rows: 4, Of: Columns{roles.Label: listsOf(floats(1, .5, .5, .5, .5, 0), 1, 2, 3, 0), roles.Prediction: ints(0, 0, 0, 0)}},
		[]string{
			`0 wrong number of values: y: 1 values: expected 2, one for each label`, `2 wrong number of values: y: 3 values`,
			`3 wrong number of values: y: 0 values`,
		},
	},
	{
		"no probabilities of classes", input.Spec{Params: decided(metrics.Multiclass).Params, Encoding: input.Distribution}, numbered(3),
		Input{Rows: 5, Of: Columns{roles.Label: listsOf(floats(.5, nan, .5, 1, 0, 0, 0, inf, 0, 1.5, 0, -.5, -1e-300, -inf, 1), 3, 3, 3, 3, 3), roles.Prediction: ints(0, 0, 0, 0, 0)}},
		[]string{
			`0 not a finite number: y: NaN (element 1): expected a finite number`, `2 not a finite number: y: +Inf (element 1)`,
			`3 negative probability of a class: y: -0.5 (element 2): expected a probability of 0 or more for each class`,
			`4 negative probability of a class: y: -1e-300 (element 0)`,
		},
	},
	{
		"sums of distributions", input.Spec{Params: decided(metrics.Multiclass).Params, Encoding: input.Distribution}, numbered(2),
		Input{
			Rows: 9, Of: Columns{roles.Label: listsOf(floats(0, 0, .5, .4, .5, .4989, .5, .4991, .5, .5009, .5, .5011, 1, 3, 50, 50, 1e308, 1e308), 2, 2, 2, 2, 2, 2, 2, 2, 2), roles.Prediction: ints(0, 0, 0, 0, 0, 0, 0, 0, 0)},
		},
		[]string{
			`0 label does not add up to 1: y: sum 0: expected probabilities of the classes that add up to 1, within 0.001; divide each by their sum`,
			`1 label does not add up to 1: y: sum 0.9`, `2 label does not add up to 1: y: sum 0.9989`, `5 label does not add up to 1: y: sum 1.0011`,
			`6 label does not add up to 1: y: sum 4`, `7 label does not add up to 1: y: sum 100`, `8 label does not add up to 1: y: sum +Inf`,
		},
	},
	{
		"a label's rows", input.Spec{Params: metrics.Params{Task: metrics.Multilabel, Scores: true, ScoreType: metrics.RawScore}}, numbered(2),
		Input{
			Rows: 4, LabelClass: listsOf(null(ints(0, 0, 1, 1, 0, 1, 1, 0), 1), 2, 2, 2, 2), Of: Columns{roles.Label: listsOf(ints(0, 1, 0, 1, 2, 0, 1, 0), 2, 2, 2, 2), roles.Score: listsOf(floats(.1, .2, .3, .4, .5, .6, .7, nan), 2, 2, 2, 2), roles.ScoreLabel: listsOf(null(ints(0, 0, 1, 1, 0, 1, 1, 0), 1), 2, 2, 2, 2)},
		},
		[]string{
			`0 null class: c: null (element 1): the row does not say which label it is about`, `1 duplicate label: c: "1" (element 1): the example has it twice`,
			`2 indicator not 0 or 1: y: 2 (element 0): expected 0 or 1 for each label`, `3 NaN score: s: NaN (element 1): not a number`,
		},
	},
	{
		"truth of some labels",
		input.Spec{Params: metrics.Params{Task: metrics.Multilabel, Scores: true, ScoreType: metrics.RawScore}, Truth: &input.Truth{Columns: input.Columns{Class: "tc", Label: "ty"}}}, numbered(2),
		Input{
			Rows: 2, LabelClass: listsOf(ints(1, 0, 1), 2, 1), Of: Columns{roles.Label: listsOf(ints(0, 1, 0), 2, 1), roles.Score: listsOf(floats(.1, .2, .3, .4), 2, 2), roles.ScoreLabel: listsOf(ints(0, 1, 1, 0), 2, 2)},
		},
		[]string{`1 no truth: tc: 1 labels of 2: the truth has no row for it; set truth.missing: skip to count and skip such examples`},
	},
	{
		"several bad rows",
		input.Spec{Params: metrics.Params{Task: metrics.Ranking, Scores: true, ScoreType: metrics.RawScore}, Long: true}, numbered(1),
		Input{
			Rows: 3, Of: Columns{roles.Label: listsOf(null(floats(-1, 0, 0, -1, inf, 1), 1, 2), 2, 2, 2), roles.Score: listsOf(floats(1, 2, 3, 4, 5, nan), 2, 2, 2)},
		},
		[]string{
			`0 null label: y: null (element 1): the label is missing`, `1 null label: y: null (element 0)`,
			`2 not a finite number: y: +Inf (element 0): expected a finite number`,
		},
	},
	{
		"items", input.Spec{Params: metrics.Params{Task: metrics.Ranking, Scores: true, ScoreType: metrics.RawScore}}, numbered(1),
		Input{
			Rows: 4, Of: Columns{roles.Label: listsOf(floats(0, 1, -1, 1, 1, 1, 1, 1), 2, 2, 2, 2), roles.Score: listsOf(floats(.1, .2, .3, .4, .5, .6, .7), 2, 2, 2, 1), roles.Item: listsOf(null(ints(5, 6, 7, 8, 9, 9, 0), 0), 2, 2, 2, 1)},
		},
		[]string{
			`0 null item: d: null (element 0): the id of the item is missing`,
			`1 negative relevance: y: -1 (element 0): expected a relevance of 0 or more; set ranking.negative_relevance: zero to count it as 0`,
			`2 duplicate item: d: 9 (element 1): the query has the item twice`, `3 lists of unequal length: y: 2 values and 1 scores: expected one value for each score`,
		},
	},
	{
		"categories and frequencies of items", input.Spec{Params: metrics.Params{Task: metrics.Ranking, Scores: true, ScoreType: metrics.RawScore, Has: metrics.HasItems | metrics.HasCategories}}, numbered(1),
		Input{
			Rows: 6, Of: Columns{roles.Label: listsOf(ints(1, 1, 1, 1, 1, 1), 1, 1, 1, 1, 1, 1), roles.Score: listsOf(ints(1, 2, 3, 4, 5, 6), 1, 1, 1, 1, 1, 1), roles.Item: listsOf(ints(1, 2, 3, 4, 5, 6), 1, 1, 1, 1, 1, 1), roles.Category: listsOf(null(words("a", "b", "c", "d", "e", "f", "g"), 1), 1, 1, 2, 1, 1, 1), roles.ItemFrequency: listsOf(null(floats(1, 2, 3, -1, math.NaN(), 1, 1), 0), 1, 1, 1, 1, 1, 2)},
		},
		[]string{
			`0 null item frequency: f: null (element 0): the frequency of the item is missing; where an item is unknown, it is 0`,
			`1 null category: k: null (element 0): the category of the item is missing`, `2 lists of unequal length: k: 2 values and 1 scores: expected one value for each score`,
			`3 negative item frequency: f: -1 (element 0): expected a frequency of 0 or more`, `4 not a finite number: f: NaN (element 0): expected a finite number`,
			`5 lists of unequal length: f: 2 values and 1 scores`,
		},
	},
	{
		"raters in columns", input.Spec{Params: metrics.Params{Task: metrics.Agreement}}, named("ann", "bob"),
		Input{Rows: 4, Of: Columns{roles.Raters: listsOf(floats(1, math.Inf(1), 2, nan, 3), 2, 2, 1, -1)}},
		[]string{
			`0 not a finite number: rs: +Inf (element 1): expected a finite number`,
			`2 wrong number of values: rs: 1 ratings: expected 2, one for each label`,
			`3 null ratings: rs: null: the ratings are missing`,
		},
	},
	{
		"raters in rows", input.Spec{Params: metrics.Params{Task: metrics.Agreement}}, named("ann", "bob"),
		Input{Rows: 4, Of: Columns{roles.Grade: listsOf(floats(1, 2, 3, 4, 5, 6, 7), 2, 2, 2, 1), roles.Rater: listsOf(null(words("ann", "ann", "bob", "", "ann", "carl", "bob"), 3), 2, 2, 2, 1)}},
		[]string{
			`0 several ratings of a rater: rr: "ann": expected one rating of each rater in all rows of an example`,
			`1 null rater: rr: null (element 1): the rater is missing`,
			`2 unknown label name: rr: "carl" (element 1): not one of the 2 labels; see labels and labels_file`,
		},
	},
	{
		"attempts", input.Spec{Params: metrics.Params{Task: metrics.Grading, Has: metrics.HasAnswers, Grades: metrics.GradeOptions{Booleans: true, FailFew: true}, Metrics: []string{"pass@2"}}}, numbered(1),
		Input{
			Rows: 4, Of: Columns{roles.Grade: listsOf(null(ints(1, 0, 1, 1, 0, 1, 1), 1), 2, 1, 2, 2), roles.Answer: listsOf(words("a", "b", "a", "a", "a", "c", "d"), 2, 1, 2, 2), roles.Label: listsOf(words("a", "a", "a", "a", "b", "c", "c"), 2, 1, 2, 2)},
		},
		[]string{
			`0 null grade: g: null (element 1): the grade is missing; where an attempt that failed has none, it is false or 0`,
			`1 too few attempts: g: 1 of 2: expected as many as metrics need, the largest k of those named …@k; see too_few_attempts`,
			`2 several labels: y: "b" (element 1): expected the same label in all rows of an example`,
		},
	},
	{
		"further grades", input.Spec{Params: metrics.Params{Task: metrics.Grading, FurtherGrades: []metrics.FurtherGrade{{Name: "cost"}, {Name: "tokens"}}}}, numbered(1),
		Input{Rows: 4, Of: Columns{roles.Grade: listsOf(floats(1, 2, 0, 5, 6, 7, 8), 2, 1, 2, 2), roles.FurtherGrades: listsOf(null(floats(9, 1, 3, 2, 0.5, 7, 1, 2, nan, 4, 1, 1), 5), 4, 2, 4, 2)}},
		[]string{
			`1 null further grade: tokens: null (element 0): a further grade is missing, and every row must have all of them; where an attempt that failed has none, write what it is worth`,
			`2 not a finite number: cost: NaN (element 1): expected a finite number`,
			`3 lists of unequal length: fg: 2 further grades of 2 attempts: expected each further grade of each attempt`,
		},
	},
	{
		"rows without a cluster", input.Spec{Params: metrics.Params{Task: metrics.Regression}, Confidence: &input.Confidence{By: "user"}}, numbered(1),
		Input{Rows: 3, Clusterless: []bool{true, true, false}, Of: Columns{roles.Label: null(ints(1, 2, 3), 1), roles.Prediction: ints(1, 2, 3)}},
		[]string{`0 null cluster: user: null: the row does not say which cluster it is in; see confidence.by`, `1 null cluster: user: null`},
	},
	{
		"only the first thing wrong with a row", input.Spec{Params: metrics.Params{Task: metrics.Binary, Scores: true, Decisions: true}}, numbered(2),
		Input{Rows: 2, Of: Columns{roles.Label: ints(7, 1), roles.Score: floats(nan, .5), roles.Prediction: ints(9, 1), roles.Weight: floats(-1, 1)}},
		[]string{`0 label not 0 or 1: y: 7: expected 0 or 1; set positive_label if another value means positive`},
	},
}

func TestBadRows(t *testing.T) {
	// Rows that cannot be joined into an example are found before.
	met := map[Reason]bool{NullExample: true, DuplicateExample: true, SeveralWeights: true, SeveralSlices: true, NoBaseline: true}
	for _, c := range badCases {
		t.Run(c.name, func(t *testing.T) {
			got := convert(t, c.spec, c.vocab, c.in)
			var texts []string
			good := metrics.AllRows(nil, c.in.Rows)
			explained := make(map[string]bool)
			for i := range got.bad {
				b := &got.bad[i]
				text := fmt.Sprintf("%d %s: %s: %s", b.Row, b.Reason, b.Column, b.DescribeValue())
				if !explained[b.Explain(settings.Keys)] {
					text += ": " + b.Explain(settings.Keys)
				}
				texts = append(texts, text)
				met[b.Reason], explained[b.Explain(settings.Keys)] = true, true
				good = slices.DeleteFunc(good, func(r int32) bool { return int(r) == b.Row })
			}
			require.Equal(t, c.want, texts)
			require.Equal(t, good, append([]int32{}, got.rows...))
		})
	}
	for r, why := range reasons {
		if why.name == "" { // of a role that is never null
			continue
		}
		require.True(t, met[Reason(r)], "no case of %q", Reason(r))
	}
}
