package ingest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics"
)

// badCases has every reason. Messages are the row, the reason as it is counted,
// and the text.
var badCases = []struct {
	name  string
	spec  Spec
	vocab *Vocabulary
	in    Input
	want  []string
}{
	{
		"null label of a class", Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}}, numbered(3),
		Input{Rows: 4, Label: null(ints(0, 1, 2, 2), 0, 3), Prediction: ints(0, 1, 2, 2)},
		[]string{
			`0 null label: column "y": null: the label is missing`,
			`3 null label: column "y": null: the label is missing`,
		},
	},
	{
		"null binary label", Spec{Params: metrics.Params{Task: metrics.Binary, Decisions: true}}, numbered(2),
		Input{Rows: 3, Label: null(bools(true, true, false), 0, 2), Prediction: bools(true, true, false)},
		[]string{
			`0 null label: column "y": null: the label is missing`,
			`2 null label: column "y": null: the label is missing`,
		},
	},
	{
		"null label lists and elements", Spec{Params: metrics.Params{Task: metrics.Multilabel, Decisions: true}}, numbered(3),
		Input{Rows: 4, Label: lists(null(ints(0, 1, 2), 1), -1, 2, 0, 1), Prediction: lists(ints(), 0, 0, 0, 0)},
		[]string{
			`0 null label: column "y": null: the label is missing`,
			`1 null label: column "y": null (element 1): the label is missing`,
		},
	},
	{
		"null target", Spec{Params: metrics.Params{Task: metrics.Regression}}, numbered(1),
		Input{Rows: 3, Label: null(floats(1, 2, 3), 1, 2), Prediction: floats(1, 2, 3)},
		[]string{
			`1 null label: column "y": null: the label is missing`,
			`2 null label: column "y": null: the label is missing`,
		},
	},
	{
		"null prediction of a class", Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}}, named("a", "b"),
		Input{Rows: 3, Label: words("a", "b", "a"), Prediction: null(words("a", "b", "a"), 0, 2)},
		[]string{
			`0 null prediction: column "p": null: the prediction is missing`,
			`2 null prediction: column "p": null: the prediction is missing`,
		},
	},
	{
		"null prediction lists and elements", Spec{Params: metrics.Params{Task: metrics.Multilabel, Decisions: true}}, named("a", "b"),
		Input{Rows: 3, Label: lists(words("a"), 0, 1, 0), Prediction: lists(null(words("a", "b"), 0), 1, -1, 1)},
		[]string{
			`0 null prediction: column "p": null (element 0): the prediction is missing`,
			`1 null prediction: column "p": null: the prediction is missing`,
		},
	},
	{
		"null estimate", Spec{Params: metrics.Params{Task: metrics.Regression}}, numbered(1),
		Input{Rows: 2, Label: ints(1, 2), Prediction: null(ints(1, 2), 0)},
		[]string{`0 null prediction: column "p": null: the prediction is missing`},
	},
	{
		"null score", Spec{Params: metrics.Params{Task: metrics.Binary, Scores: true}}, numbered(2),
		Input{Rows: 3, Label: ints(0, 1, 1), Score: null(floats(.1, .2, .3), 0, 2)},
		[]string{
			`0 null score: column "s": null: the score is missing`,
			`2 null score: column "s": null: the score is missing`,
		},
	},
	{
		"null scores and elements", Spec{Params: metrics.Params{Task: metrics.Multiclass, Scores: true}}, numbered(2),
		Input{Rows: 3, Label: ints(0, 1, 1), Score: lists(null(floats(.1, .9, .2, .8), 3), 2, -1, 2)},
		[]string{
			`1 null score: column "s": null: the score is missing`,
			`2 null score: column "s": null (element 1): the score is missing`,
		},
	},
	{
		"NaN score", Spec{Params: metrics.Params{Task: metrics.Binary, Scores: true}}, numbered(2),
		Input{Rows: 3, Label: ints(0, 1, 1), Score: floats(nan, .5, nan)},
		[]string{
			`0 NaN score: column "s": NaN: not a number`,
			`2 NaN score: column "s": NaN: not a number`,
		},
	},
	{
		"NaN among scores of any kind", Spec{Params: metrics.Params{Task: metrics.Multilabel, Scores: true, ScoreType: metrics.RawScore}}, numbered(2),
		Input{Rows: 2, Label: lists(ints(0), 1, 0), Score: lists(floats(7, -inf, 3, nan), 2, 2)},
		[]string{`1 NaN score: column "s": NaN (element 1): not a number`},
	},
	{
		"probability outside [0, 1]", Spec{Params: metrics.Params{Task: metrics.Binary, Scores: true}}, numbered(2),
		Input{Rows: 4, Label: ints(0, 1, 1, 0), Score: floats(1.5, 1, -1e-9, inf)},
		[]string{
			`0 probability outside [0, 1]: column "s": 1.5: expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities`,
			`2 probability outside [0, 1]: column "s": -1e-09: expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities`,
			`3 probability outside [0, 1]: column "s": +Inf: expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities`,
		},
	},
	{
		"probability outside [0, 1] in a list", Spec{Params: metrics.Params{Task: metrics.Multiclass, Scores: true}}, numbered(3),
		Input{Rows: 2, Label: ints(0, 1), Score: lists(floats(0, 0, 1, 0, 2, 3), 3, 3)},
		[]string{`1 probability outside [0, 1]: column "s": 2 (element 1): expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities`},
	},
	{
		"not a finite number", Spec{Params: metrics.Params{Task: metrics.Regression}}, numbered(1),
		Input{Rows: 4, Label: floats(nan, 1, 2, 3), Prediction: floats(1, -inf, 2, inf)},
		[]string{
			`0 not a finite number: column "y": NaN: expected a finite number`,
			`1 not a finite number: column "p": -Inf: expected a finite number`,
			`3 not a finite number: column "p": +Inf: expected a finite number`,
		},
	},
	{
		"weights", Spec{Params: metrics.Params{Task: metrics.Binary, Scores: true}}, numbered(2),
		Input{Rows: 6, Label: ints(0, 1, 1, 0, 1, 1), Score: floats(0, 0, 0, 0, 0, 0), Weight: null(floats(1, 0, -2, nan, inf, 0), 0)},
		[]string{
			`0 null weight: column "w": null: the weight is missing`,
			`3 not a finite number: column "w": NaN: expected a finite number`,
			`4 not a finite number: column "w": +Inf: expected a finite number`,
			`2 negative weight: column "w": -2: expected a weight of 0 or more`,
		},
	},
	{
		"scores of another length", Spec{Params: metrics.Params{Task: metrics.Multiclass, Scores: true}}, numbered(3),
		Input{Rows: 3, Label: ints(0, 1, 2), Score: lists(floats(1, 0, 0, 1, 0, 0, 0), 2, 3, 2)},
		[]string{
			`0 wrong number of values: column "s": 2 scores: expected 3, one for each label`,
			`2 wrong number of values: column "s": 2 scores: expected 3, one for each label`,
		},
	},
	{
		"indicators of another length", Spec{Params: metrics.Params{Task: metrics.Multilabel, Decisions: true}, Encoding: Indicator}, numbered(2),
		Input{Rows: 3, Label: lists(ints(1, 0, 1, 0, 1), 1, 2, 2), Prediction: lists(ints(1, 0, 1, 0, 1), 2, 2, 1)},
		[]string{
			`0 wrong number of values: column "y": 1 values: expected 2, one for each label`,
			`2 wrong number of values: column "p": 1 values: expected 2, one for each label`,
		},
	},
	{
		"class out of range", Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}}, numbered(3),
		Input{Rows: 5, Label: floats(3, -1, 2, 1.5, 1e300), Prediction: ints(0, 0, 0, 0, 0)},
		[]string{
			`0 label out of range: column "y": 3: expected a label index from 0 to 2`,
			`1 label out of range: column "y": -1: expected a label index from 0 to 2`,
			`3 label out of range: column "y": 1.5: expected a label index from 0 to 2`,
			`4 label out of range: column "y": 1e+300: expected a label index from 0 to 2`,
		},
	},
	{
		"NaN class", Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}}, numbered(3),
		Input{Rows: 2, Label: floats(nan, 1), Prediction: ints(0, 0)},
		[]string{`0 label out of range: column "y": NaN: expected a label index from 0 to 2`},
	},
	{
		"index beyond 32 bits", Spec{Params: metrics.Params{Task: metrics.Multilabel, Decisions: true}}, numbered(3),
		Input{Rows: 2, Label: lists(ints(0, 1, 1<<32), 1, 2), Prediction: lists(ints(), 0, 0)},
		[]string{`1 label out of range: column "y": 4294967296 (element 1): expected a label index from 0 to 2`},
	},
	{
		"unknown names", Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}}, named("cat", "dog"),
		Input{Rows: 3, Label: words("cat", "Dog", "dog"), Prediction: words("cat", "dog", "do\ng")},
		[]string{
			`1 unknown label name: column "y": "Dog": not one of the 2 labels; see labels and labels_file`,
			`2 unknown label name: column "p": "do\ng": not one of the 2 labels; see labels and labels_file`,
		},
	},
	{
		"unknown name in a list", Spec{Params: metrics.Params{Task: metrics.Multilabel, Decisions: true}, Encoding: Names}, named("cat", "dog"),
		Input{Rows: 2, Label: lists(words("cat", "dog", "cow"), 2, 1), Prediction: lists(words(), 0, 0)},
		[]string{`1 unknown label name: column "y": "cow" (element 0): not one of the 2 labels; see labels and labels_file`},
	},
	{
		"unknown numbers that are names", Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}}, &Vocabulary{Names: []string{"-1", "0", "1"}, Numbers: true},
		Input{Rows: 4, Label: ints(-1, 0, 2, 1), Prediction: floats(-1, .5, 0, 1)},
		[]string{
			`2 unknown label name: column "y": 2: not one of the 3 labels; see labels and labels_file`,
			`1 unknown label name: column "p": 0.5: not one of the 3 labels; see labels and labels_file`,
		},
	},
	{
		"duplicate labels", Spec{Params: metrics.Params{Task: metrics.Multilabel, Decisions: true}}, named("cat", "dog"),
		Input{Rows: 3, Label: lists(words("dog", "cat", "dog", "cat"), 3, 0, 1), Prediction: lists(ints(1, 1, 0), 0, 2, 1)},
		[]string{
			`0 duplicate label: column "y": "dog": the list names it twice`,
			`1 duplicate label: column "p": "dog": the list names it twice; set input.label_encoding to indicator if lists have a 0 or 1 for each label`,
		},
	},
	{
		"label not 0 or 1", Spec{Params: metrics.Params{Task: metrics.Binary, Decisions: true}}, numbered(2),
		Input{Rows: 4, Label: ints(0, 2, 1, -1), Prediction: floats(.5, 1, 0, 1)},
		[]string{
			`1 label not 0 or 1: column "y": 2: expected 0 or 1; set positive_label if another value means positive`,
			`3 label not 0 or 1: column "y": -1: expected 0 or 1; set positive_label if another value means positive`,
			`0 label not 0 or 1: column "p": 0.5: expected 0 or 1; set positive_label if another value means positive`,
		},
	},
	{
		"text not 0 or 1", Spec{Params: metrics.Params{Task: metrics.Binary, Decisions: true}}, numbered(2),
		Input{Rows: 3, Label: words("0", "yes", "1"), Prediction: words("0", "1", "")},
		[]string{
			`1 label not 0 or 1: column "y": "yes": expected 0 or 1; set positive_label if another value means positive`,
			`2 label not 0 or 1: column "p": "": expected 0 or 1; set positive_label if another value means positive`,
		},
	},
	{
		"indicator not 0 or 1", Spec{Params: metrics.Params{Task: metrics.Multilabel, Decisions: true}, Encoding: Indicator}, numbered(2),
		Input{Rows: 4, Label: lists(null(floats(0, 1, 0, 2, .5, 0, 1, 0), 6), 2, 2, 2, 2), Prediction: lists(ints(0, 0, 0, 0, 0, 0, 0, 0), 2, 2, 2, 2)},
		[]string{
			`1 indicator not 0 or 1: column "y": 2 (element 1): expected 0 or 1 for each label`,
			`2 indicator not 0 or 1: column "y": 0.5 (element 0): expected 0 or 1 for each label`,
			`3 indicator not 0 or 1: column "y": null (element 0): expected 0 or 1 for each label`,
		},
	},
	{
		"sparse scores", Spec{Params: metrics.Params{Task: metrics.Multilabel, Scores: true, Sparse: true}}, numbered(5),
		Input{
			Rows: 10, Label: lists(ints(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
			ScoreLabel: lists(null(ints(4, 2, 4, 5, 0, 1, 2, 1, 3, 2, -1), 6), 3, 1, 2, 1, -1, 1, 0, 1, 1, 1),
			Score:      lists(null(floats(.1, .2, .3, .5, .5, 1.5, .5, .5, .5, 0, .1), 8), 3, 1, 2, 1, 0, 1, 0, 1, 1, 1),
		},
		[]string{
			`0 duplicate label: column "sl": "4": the list names it twice`,
			`1 label out of range: column "sl": 5 (element 0): expected a label index from 0 to 4`,
			`2 probability outside [0, 1]: column "s": 1.5 (element 1): expected a probability within [0, 1]; set input.score_type to logit or score if these are not probabilities`,
			`3 null label: column "sl": null (element 0): the label is missing`,
			`4 null score: column "sl": null: the list is missing; where no label has a score, it must be empty`,
			`7 null score: column "s": null (element 0): the score is missing`,
			`9 label out of range: column "sl": -1 (element 0): expected a label index from 0 to 4`,
		},
	},
	{
		"sparse scores by name", Spec{Params: metrics.Params{Task: metrics.Multilabel, Scores: true, Sparse: true, ScoreType: metrics.Logit}, Encoding: Names}, named("cat", "dog"),
		Input{
			Rows: 4, Label: lists(words(), 0, 0, 0, 0),
			ScoreLabel: lists(words("dog", "cat", "bird", "dog", "cat"), 2, 1, 1, 1), Score: lists(floats(inf, -2, 1, nan), 2, 1, 1, 0),
		},
		[]string{
			`1 unknown label name: column "sl": "bird" (element 0): not one of the 2 labels; see labels and labels_file`,
			`2 NaN score: column "s": NaN (element 0): not a number`,
			`3 lists of unequal length: column "s": 1 labels and 0 scores: expected a label for each score`,
		},
	},
	{
		"no candidates", Spec{Params: metrics.Params{Task: metrics.Multiclass, Scores: true, Sparse: true, Decisions: true}}, numbered(3),
		Input{Rows: 2, Label: ints(1, 1), ScoreLabel: lists(ints(2), 1, 0), Score: lists(floats(.5), 1, 0)},
		[]string{`1 no scores: column "s": an empty list: without a score no class can be predicted`},
	},
	{
		"null distributions and elements", Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}, Encoding: Distribution}, numbered(2),
		Input{Rows: 3, Label: lists(null(floats(1, 0, .5, .5), 1), 2, -1, 2), Prediction: ints(0, 0, 0)},
		[]string{
			`0 null label: column "y": null (element 1): the label is missing`,
			`1 null label: column "y": null: the label is missing`,
		},
	},
	{
		"distributions of another length", Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}, Encoding: Distribution}, numbered(2),
		Input{Rows: 4, Label: lists(floats(1, .5, .5, .5, .5, 0), 1, 2, 3, 0), Prediction: ints(0, 0, 0, 0)},
		[]string{
			`0 wrong number of values: column "y": 1 values: expected 2, one for each label`,
			`2 wrong number of values: column "y": 3 values: expected 2, one for each label`,
			`3 wrong number of values: column "y": 0 values: expected 2, one for each label`,
		},
	},
	{
		"no probabilities of classes", Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}, Encoding: Distribution}, numbered(3),
		Input{Rows: 5, Label: lists(floats(.5, nan, .5, 1, 0, 0, 0, inf, 0, 1.5, 0, -.5, -1e-300, -inf, 1), 3, 3, 3, 3, 3), Prediction: ints(0, 0, 0, 0, 0)},
		[]string{
			`0 not a finite number: column "y": NaN (element 1): expected a finite number`,
			`2 not a finite number: column "y": +Inf (element 1): expected a finite number`,
			`3 negative probability of a class: column "y": -0.5 (element 2): expected a probability of 0 or more for each class`,
			`4 negative probability of a class: column "y": -1e-300 (element 0): expected a probability of 0 or more for each class`,
		},
	},
	{
		"sums of distributions", Spec{Params: metrics.Params{Task: metrics.Multiclass, Decisions: true}, Encoding: Distribution}, numbered(2),
		Input{
			Rows:       9,
			Label:      lists(floats(0, 0, .5, .4, .5, .4989, .5, .4991, .5, .5009, .5, .5011, 1, 3, 50, 50, 1e308, 1e308), 2, 2, 2, 2, 2, 2, 2, 2, 2),
			Prediction: ints(0, 0, 0, 0, 0, 0, 0, 0, 0),
		},
		[]string{
			`0 label does not add up to 1: column "y": sum 0: expected probabilities of the classes that add up to 1, within 0.001; divide each by their sum`,
			`1 label does not add up to 1: column "y": sum 0.9: expected probabilities of the classes that add up to 1, within 0.001; divide each by their sum`,
			`2 label does not add up to 1: column "y": sum 0.9989: expected probabilities of the classes that add up to 1, within 0.001; divide each by their sum`,
			`5 label does not add up to 1: column "y": sum 1.0011: expected probabilities of the classes that add up to 1, within 0.001; divide each by their sum`,
			`6 label does not add up to 1: column "y": sum 4: expected probabilities of the classes that add up to 1, within 0.001; divide each by their sum`,
			`7 label does not add up to 1: column "y": sum 100: expected probabilities of the classes that add up to 1, within 0.001; divide each by their sum`,
			`8 label does not add up to 1: column "y": sum +Inf: expected probabilities of the classes that add up to 1, within 0.001; divide each by their sum`,
		},
	},
	{
		"a label's rows", Spec{Params: metrics.Params{Task: metrics.Multilabel, Scores: true, ScoreType: metrics.RawScore}}, numbered(2),
		Input{
			Rows: 4, Label: lists(ints(0, 1, 0, 1, 2, 0, 1, 0), 2, 2, 2, 2), Score: lists(floats(.1, .2, .3, .4, .5, .6, .7, nan), 2, 2, 2, 2),
			LabelClass: lists(null(ints(0, 0, 1, 1, 0, 1, 1, 0), 1), 2, 2, 2, 2), ScoreLabel: lists(null(ints(0, 0, 1, 1, 0, 1, 1, 0), 1), 2, 2, 2, 2),
		},
		[]string{
			`0 null class: column "c": null (element 1): the row does not say which label it is about`,
			`1 duplicate label: column "c": "1" (element 1): the example has it twice`,
			`2 indicator not 0 or 1: column "y": 2 (element 0): expected 0 or 1 for each label`,
			`3 NaN score: column "s": NaN (element 1): not a number`,
		},
	},
	{
		"truth of some labels",
		Spec{Params: metrics.Params{Task: metrics.Multilabel, Scores: true, ScoreType: metrics.RawScore}, Truth: Roles{Class: "tc", Label: "ty"}}, numbered(2),
		Input{
			Rows: 2, Label: lists(ints(0, 1, 0), 2, 1), LabelClass: lists(ints(1, 0, 1), 2, 1),
			Score: lists(floats(.1, .2, .3, .4), 2, 2), ScoreLabel: lists(ints(0, 1, 1, 0), 2, 2),
		},
		[]string{`1 no truth: column "tc": 1 labels of 2: the truth has no row for it; set truth.missing: skip to count and skip such examples`},
	},
	{
		"several bad rows",
		Spec{Params: metrics.Params{Task: metrics.Ranking, Scores: true, ScoreType: metrics.RawScore}, AnyOrder: true}, numbered(1),
		Input{
			Rows: 3, Label: lists(null(floats(-1, 0, 0, -1, inf, 1), 1, 2), 2, 2, 2), Score: lists(floats(1, 2, 3, 4, 5, nan), 2, 2, 2),
		},
		[]string{
			`0 null label: column "y": null (element 1): the label is missing`,
			`1 null label: column "y": null (element 0): the label is missing`,
			`2 not a finite number: column "y": +Inf (element 0): expected a finite number`,
		},
	},
	{
		"items", Spec{Params: metrics.Params{Task: metrics.Ranking, Scores: true, ScoreType: metrics.RawScore}}, numbered(1),
		Input{
			Rows: 4, Label: lists(floats(0, 1, -1, 1, 1, 1, 1, 1), 2, 2, 2, 2), Score: lists(floats(.1, .2, .3, .4, .5, .6, .7), 2, 2, 2, 1),
			Item: lists(null(ints(5, 6, 7, 8, 9, 9, 0), 0), 2, 2, 2, 1),
		},
		[]string{
			`0 null item: column "d": null (element 0): the id of the item is missing`,
			`1 negative relevance: column "y": -1 (element 0): expected a relevance of 0 or more; ranking.negative_relevance: zero would take it as 0`,
			`2 duplicate item: column "d": 9 (element 1): the query has the item twice`,
			`3 lists of unequal length: column "y": 2 values and 1 scores: expected one for each score`,
		},
	},
	{
		"only the first thing wrong with a row", Spec{Params: metrics.Params{Task: metrics.Binary, Scores: true, Decisions: true}}, numbered(2),
		Input{Rows: 2, Label: ints(7, 1), Score: floats(nan, .5), Prediction: ints(9, 1), Weight: floats(-1, 1)},
		[]string{`0 label not 0 or 1: column "y": 7: expected 0 or 1; set positive_label if another value means positive`},
	},
}

func TestBadRows(t *testing.T) {
	// Those that rows cannot be put together for are found before.
	met := map[Reason]bool{NullExample: true, DuplicateExample: true, SeveralWeights: true, SeveralSlices: true}
	for _, c := range badCases {
		t.Run(c.name, func(t *testing.T) {
			got := convert(t, c.spec, c.vocab, c.in)
			var texts []string
			bad := make(map[int]bool)
			for i := range got.bad {
				b := &got.bad[i]
				texts = append(texts, fmt.Sprintf("%d %s: column %q: %s: %s", b.Row, b.Reason, b.Column, b.Where(), b.Explain()))
				met[b.Reason] = true
				bad[b.Row] = true
			}
			require.Equal(t, c.want, texts)
			var rest []int32
			for r := range c.in.Rows {
				if !bad[r] {
					rest = append(rest, int32(r))
				}
			}
			require.Equal(t, rest, append([]int32(nil), got.rows...), "the rows that are good")
			require.Equal(t, c.in.Rows, len(got.rows)+len(got.bad))
		})
	}
	for r := range reasons {
		require.True(t, met[Reason(r)], "no case of %q", Reason(r))
	}
}
