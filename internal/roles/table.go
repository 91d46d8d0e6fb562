package roles

import "math"

// Task is a set of tasks. Package metrics exports them, with the same names and values.
type Task uint16

// The tasks.
const (
	Binary Task = 1 << iota
	Multiclass
	Multilabel
	Regression
	Ranking
	Preference
	Grading
	Agreement
	afterTasks
)

// Sets of tasks. Those that are not Classifying predict no labels; Unlabelled ones do not even have names that labels could
// have. The rows of Results are results already: nothing is predicted in them, and only answers are compared with what is true.
// The examples of Joined ones may have several rows: one for each label, item, attempt or rater. The examples of Several ones
// have several scores: one for each label or item.
const (
	AnyTask     = afterTasks - 1
	Classifying = Binary | Multiclass | Multilabel
	Unlabelled  = Regression | Ranking | Grading
	Results     = Grading | Agreement
	Joined      = Multilabel | Ranking | Results
	Several     = Multiclass | Multilabel | Ranking
)

// TaskNames are the names of tasks, in the order of their bits.
var TaskNames = []string{"binary", "multiclass", "multilabel", "regression", "ranking", "preference", "grade", "agreement"}

// The roles, in the order in which the configuration lists them.
const (
	Example Role = iota
	Class
	Query
	Item
	Category
	ItemFrequency
	Label
	Score
	ScoreLabel
	Prediction
	BaselinePrediction
	BaselineScore
	Judged
	PredictionSet
	Weight
	Quantiles
	Lower
	Upper
	Ensemble
	Scale
	CostFP
	CostFN
	A
	B
	Grade
	Answer
	SamplingProbability
	SamplingStratum
	Raters
	Rater
	FurtherGrades
	Count = int(iota)
)

// HighestCost is the highest cost of an error. Products of costs and weights are within float64.
const HighestCost = 1e100

// Range says which numbers a column may have. The zero Range has no limits.
type Range struct {
	Least, Most float64
	// Outside names, in reports, rows with another number, and Expected says what was expected.
	Outside, Expected string
}

// Has reports whether a number is in the range.
func (r *Range) Has(x float64) bool { return r.Outside == "" || x >= r.Least && x <= r.Most }

var (
	positive    = Range{Least: math.SmallestNonzeroFloat64, Most: math.MaxFloat64}
	notNegative = Range{Most: math.MaxFloat64}
)

// otherwise returns the range with what reports say of other numbers.
func (r Range) otherwise(outside, expected string) Range {
	r.Outside, r.Expected = outside, expected
	return r
}

var ofCost = Range{Most: HighestCost}.otherwise("cost outside [0, 1e100]", "expected a cost within 0 and 1e100")

// table has a row for each role.
var table = [Count]Info{
	Example: {
		Input:    In{Key: "example", Doc: "Names examples in messages, and joins rows and truth."},
		Truth:    In{Key: "example", Doc: "The example that the truth is of."},
		Baseline: In{Key: "example", Doc: "The example that the prediction is of."},
		Training: In{Key: "example", Doc: "The example that the model was trained on."},
		Field:    "Example", Names: []string{"example_id", "id"}, Also: []string{"example"}, Hints: []string{"uuid", "row_id", "image", "sample"}, Type: ID,
	},
	Class: {
		Input: In{Key: "class", Doc: "Layout label: which label a row is about."},
		Truth: In{Key: "class", Doc: "Layout label: which label a row is about."},
		Field: "Class", Also: []string{"class"}, Tasks: Multilabel, Type: Text,
		Null: "null class", Missing: "the row does not say which label it is about",
	},
	Query: {
		Input:    In{Key: "query", Doc: "Instead of example: the group of items that are ranked together."},
		Truth:    In{Key: "query", Doc: "The query that the item was judged for."},
		Training: In{Key: "query", Doc: "The query that the model was trained on."},
		Names:    []string{"query_id", "qid"}, Also: []string{"query"}, Hints: []string{"user", "uid", "session", "visitor", "customer", "topic", "search"}, Tasks: Ranking, Type: ID,
	},
	Item: {
		Input: In{Key: "item", Doc: "What is ranked; it joins truth and breaks ties."},
		Truth: In{Key: "item", Doc: "The item that was judged."},
		Field: "Item", Memory: "Items", Names: []string{"doc_id", "item_id"}, Also: []string{"item", "doc", "document_id", "corpus_id", "pid"}, Hints: []string{"movie", "product", "sku", "asin", "article", "track", "song", "video", "book", "content", "passage", "docno"}, Tasks: Ranking, Shape: PerLabel, Type: ID,
		Null: "null item", Missing: "the id of the item is missing",
		What: "the items", Batch: "ItemKey", OfRow: true,
	},
	Category: {
		Input: In{Key: "category", Doc: "What kind each item is of, for diversity@k."},
		Field: "Category", Tasks: Ranking, Shape: PerLabel, Type: ID,
		Null: "null category", Missing: "the category of the item is missing",
		What: "the categories of items", Batch: "Category", OfRow: true,
	},
	ItemFrequency: {
		Input: In{Key: "item_frequency", Doc: "How frequent each item is, such as the number of users who have it in the training data, for novelty@k, average_popularity@k and tail_share@k. Without it, and without ranking.item_frequencies, it is the number of queries that the item is relevant to."},
		Field: "ItemFrequency", Tasks: Ranking, Shape: PerLabel, Range: notNegative.otherwise("negative item frequency", "expected a frequency of 0 or more"),
		Null: "null item frequency", Missing: "the frequency of the item is missing; where an item is unknown, it is 0",
	},
	Label: {
		Input: In{Key: "label", Doc: "The ground truth. If each label has a column of its own, all of them: [is_a, is_b], {a: is_a, b: is_b} or is_*.", Wide: true},
		Truth: In{Key: "label", Doc: "The ground truth. It may be several columns, as in input.columns.", Wide: true, Also: []string{"score"}},
		Field: "Label", Names: []string{"label", "labels", "y_true", "y", "target", "ground_truth", "relevance", "winner"}, Also: []string{"references"}, Hints: []string{"rating", "ratings", "actual", "gold", "outcome", "clicked", "purchased", "grade"}, Shape: OfTask, Type: Target, Needed: AnyTask &^ Results,
		Null: "null label", Missing: "the label is missing",
		What: "true labels",
	},
	Score: {
		Input: In{Key: "score", Doc: "A list with a score for every label or, if scores are sparse, a list<struct<label, score>> or map<label, score>. If each label has a column of its own, all of them: [p_a, p_b], {a: p_a, b: p_b} or p_*.", Wide: true},
		Field: "Score", Memory: "Scores",
		Names: []string{"score", "scores", "probability", "probabilities", "proba", "prob", "y_score", "y_prob", "y_proba", "logits"}, Hints: []string{"score", "confidence", "proba", "prob"}, Needed: Ranking, Shape: PerLabel,
		Null: "null score", Missing: "the score is missing",
		What: "scores",
	},
	ScoreLabel: {
		Input: In{Key: "score_label", Doc: "Sparse scores in two lists: the labels that the scores are of."},
		Field: "ScoreLabel", Memory: "ScoreLabels", Shape: PerLabel, Type: ID,
		Null: "null label", Missing: "the label is missing",
	},
	Prediction: {
		Input: In{Key: "prediction", Doc: "The hard decision of the model; without it, decision decides. It may be several columns, like the score.", Wide: true},
		Field: "Prediction", Names: []string{"prediction", "predictions", "predicted", "pred", "y_pred"}, Hints: []string{"forecast", "yhat", "y_hat", "predicted", "prediction"}, Shape: OfTask, Type: Target,
		Null: "null prediction", Missing: "the prediction is missing",
	},
	BaselinePrediction: {
		Input:    In{Key: "baseline_prediction", Doc: "What another model, such as that in production, predicts for the same rows; without it, decision decides by baseline_score. It may be several columns, like the score. See flip_rate.", Wide: true},
		Baseline: In{Key: "prediction", Doc: "The hard decision; without it, decision decides by the score."},
		Field:    "Baseline", Tasks: Binary | Multiclass | Multilabel | Regression, Shape: OfTask, Type: Target,
		Null: "null prediction of the baseline", Missing: "the prediction of the baseline is missing",
		What: "predictions of a baseline", Batch: "Baseline",
	},
	BaselineScore: {
		Input:    In{Key: "baseline_score", Doc: "The score of that other model, of the same type and in the same form as score, with a score for every label.", Wide: true},
		Baseline: In{Key: "score", Doc: "The score, of the same type as input.columns.score."},
		Field:    "BaselineScore", Tasks: Binary | Multiclass | Multilabel, Shape: PerLabel,
		Null: "null score of the baseline", Missing: "the score of the baseline is missing",
		What: "scores of a baseline", Batch: "BaselineScore",
	},
	Judged: {
		Input: In{Key: "judged", Doc: "What a model, such as an LLM, judges the rows to be, of which few have a label that people gave. It is the score of a binary task if it is a number, and otherwise the prediction. In a multiclass task it is a class, by which the predictions of another model are judged if there are any. Rows without a label are not bad, but count in the metrics of judgements only, such as prediction_powered_mean."},
		Field: "Judged", Tasks: Binary | Multiclass | Regression, Type: Target,
		Null: "null judgement", Missing: "the judgement is missing, and every row must have one",
		What: "predictions besides the judgements", Batch: "JudgedClass",
	},
	PredictionSet: {
		Input: In{Key: "set", Doc: "The classes that may be the true one, such as a conformal prediction set: a list of classes or of a true or false for every class; or several columns, like the score, with a 0 or 1 each. See set_coverage.", Wide: true},
		Field: "Set", Tasks: Multiclass, Shape: PerLabel, Type: Target,
		Null: "null set", Missing: "the set is missing; a set without classes is an empty list",
		What: "prediction sets", Batch: "PredictedSet",
	},
	Weight: {
		Input: In{Key: "weight", Doc: "How much a row counts. Without it, every row weighs 1."},
		Field: "Weight", Names: []string{"weight", "sample_weight"}, Also: []string{"example_weight", "example_weights"}, Range: notNegative.otherwise("negative weight", "expected a weight of 0 or more"),
		Null: "null weight", Missing: "the weight is missing",
	},
	Quantiles: {
		Input: In{Key: "quantiles", Doc: "Forecasts of quantiles by level: {0.1: q10, 0.5: q50, 0.9: q90}, or q_* for columns q_0.1, …. Without a prediction, the median is the prediction.", Wide: true},
		Field: "Quantiles", Tasks: Regression, Shape: List,
		Null: "null forecast", Missing: "the forecast is missing",
		What: "forecasts of quantiles", Batch: "Quantile",
	},
	Lower: {
		Input: In{Key: "lower", Doc: "The bounds of an interval that should contain the label with probability interval_level."},
		Tasks: Regression,
	},
	Upper: {
		Input: In{Key: "upper", Doc: "See lower."},
		Tasks: Regression,
	},
	Ensemble: {
		Input: In{Key: "ensemble", Doc: "The members of an ensemble of forecasts: a list, or several columns.", Wide: true},
		Field: "Ensemble", Tasks: Regression, Shape: List,
		Null: "null forecast", Missing: "the forecast is missing",
		What: "an ensemble of forecasts", Batch: "Member",
	},
	Scale: {
		Input: In{Key: "scale", Doc: "What mase and rmsse divide errors by: usually the mean error of the naive forecast in the training data of the row's series."},
		Field: "Scale", Tasks: Regression, Range: positive.otherwise("scale not positive", "expected a positive number to divide errors by"),
		Null: "null scale", Missing: "the scale of errors is missing",
		What: "the scale of errors", Batch: "Scale", OfRow: true,
	},
	CostFP: {
		Input: In{Key: "cost_fp", Doc: "What it costs if the row is a false positive, for expected_cost, instead of costs: at least 0."},
		Field: "CostFP", Tasks: Binary, Range: ofCost,
		Null: "null cost", Missing: "the cost is missing; where an error costs nothing, it is 0",
		What: "costs", Batch: "CostFP", OfRow: true,
	},
	CostFN: {
		Input: In{Key: "cost_fn", Doc: "What it costs if the row is a false negative. Both columns are needed; right decisions cost 0."},
		Field: "CostFN", Tasks: Binary, Range: ofCost,
		Null: "null cost", Missing: "the cost is missing; where an error costs nothing, it is 0",
		What: "costs", Batch: "CostFN", OfRow: true,
	},
	A: {
		Input: In{Key: "a", Doc: "The first of the two systems that are compared. The label says which wins: a, b or tie."},
		Field: "First", Names: []string{"model_a"}, Tasks: Preference, Needed: Preference, Naming: Preference, Type: Text,
		Null: "null system", Missing: "the name of a system is missing",
		What: "the first system",
	},
	B: {
		Input: In{Key: "b", Doc: "The second system."},
		Field: "Second", Names: []string{"model_b"}, Tasks: Preference, Needed: Preference, Naming: Preference, Type: Text,
		Null: "null system", Missing: "the name of a system is missing",
		What: "the second system",
	},
	Grade: {
		Input: In{Key: "grade", Doc: "What the result of a row is worth: a number, or a boolean that says whether it passes. Several rows of one example are its attempts. With rater, the rating of that rater, which may be a text."},
		Field: "Grade", Memory: "Grades", Also: []string{"grade", "passed", "reward", "score"}, Hints: []string{"pass", "score", "correct", "resolved", "success", "rating", "result"}, Tasks: Results, Needed: Grading, Type: Flag,
		Null: "null grade", Missing: "the grade is missing; where an attempt that failed has none, it is false or 0",
		What: "grades",
	},
	Answer: {
		Input: In{Key: "answer", Doc: "What an attempt answered, for majority_accuracy: whether the most frequent answer of all attempts is the label. Null is no answer."},
		Field: "Answer", Memory: "Answers", Tasks: Grading, Type: ID,
		What: "answers", Batch: "Majority",
	},
	SamplingProbability: {
		Input: In{Key: "sampling_probability", Doc: "With which probability the row was drawn from all rows that could be labelled, above 0 and up to 1. The row stands for 1 / probability rows, and weighs as much; intervals follow from sampling_stratum. With judged, only rows with a label need it."},
		Truth: In{Key: "sampling_probability", Doc: "With which probability the example was drawn to be labelled; see input.columns."},
		Names: []string{"sampling_probability"},
		Null:  "null sampling probability", Missing: "the probability with which the row was drawn is missing",
	},
	SamplingStratum: {
		Input: In{Key: "sampling_stratum", Doc: "The stratum that the row was drawn from, at random and independently of other strata. Without it, all rows were drawn from one."},
		Truth: In{Key: "sampling_stratum", Doc: "The stratum that the example was drawn from."},
		Field: "Stratum", Names: []string{"sampling_stratum"}, Type: Text,
		Null: "null sampling stratum", Missing: "the row was drawn with a probability, but from no stratum",
	},
	Raters: {
		Input: In{Key: "raters", Doc: "The ratings of several raters, a column of each: [ann, bob, judge], {Ann: r1, Bob: r2} or r_*. A null is no rating.", Wide: true},
		Field: "Raters", Tasks: Agreement, Shape: List, Type: ID,
		Null: "null ratings", Missing: "the ratings are missing",
	},
	Rater: {
		Input: In{Key: "rater", Doc: "Who gave the grade of a row, if each rating is a row. example says what was rated."},
		Field: "Rater", Memory: "Raters", Also: []string{"rater", "annotator", "annotator_id", "rater_id", "worker_id"}, Hints: []string{"annotator", "worker", "judge", "coder"}, Tasks: Agreement, Naming: Agreement, Type: Text,
		Null: "null rater", Missing: "the rater is missing",
	},
	FurtherGrades: {
		Input: In{Key: "grades", Doc: "Further grades of a row, such as cost and latency: a number or a boolean each, in a column of each: [cost, latency_ms], {cost: usd} or score_*. Each has the metrics that the grade has, called <metric>_<name>.", Wide: true},
		Field: "FurtherGrades", Tasks: Grading, Shape: List, Type: Flag,
		Null: "null further grade", Missing: "a further grade is missing, and every row must have all of them; where an attempt that failed has none, write what it is worth",
		What: "further grades", Batch: "FurtherGrade",
	},
}
