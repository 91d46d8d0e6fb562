package main

// byName are runs whose columns are found by their names.
var byName = []scenario{
	{
		name: "names of scikit-learn", preds: "y_true:string y_pred:string y_prob:double\ngood bad 0.4\nbad bad 0.9", code: 2,
		stderr: `evaluate: column "y_true" has strings: set positive_label to the one that means positive`,
	},
	{
		name: "names of scikit-learn with a positive label", preds: "y_true:string y_pred:string y_prob:double\ngood bad 0.4\nbad bad 0.9",
		config: "positive_label: bad\nmetrics: [accuracy, roc_auc]", report: "2 rows, 2 evaluated\naccuracy = 0.5\nroc_auc = 1",
	},
	{
		name: "short names", preds: "y:int64 proba:double\n0 0.4\n1 0.9", config: "metrics: [accuracy]",
		notes: `
label: column "y"
score: column "proba"
task: binary (one label, one score)
predictions: score >= 0.5`,
		report: "2 rows, 2 evaluated\naccuracy = 1",
	},
	{
		name: "short names of a regression", preds: "Y:double Pred:float\n0 0.5\n1 1", config: "metrics: [mae]",
		notes: `
label: column "Y"
prediction: column "Pred"
task: regression (labels and predictions are numbers)`,
		report: "2 rows, 2 evaluated\nmae = 0.25",
	},
	{
		name: "first of the names", preds: "y:int64 y_true:int64 prob:double y_proba:double y_prob:double y_score:double\n0 1 0.9 0.1 0.1 0.1",
		config: "metrics: [accuracy]", report: "1 rows, 1 evaluated\naccuracy = 1",
	},
	{
		name: "unused columns that look like scores or labels", config: "slices: [label_source]\nmetrics: [accuracy]",
		preds: "label:int64 labels_old:string label_source:string score:double y_prob2:double score_text:string prob.a:[]double probe:double target:bool\n0 a b 0.1 0.2 x [0.3] 1 true",
		notes: `
label: column "label"
score: column "score"
task: binary (one label, one score)
predictions: score >= 0.5
not used: columns "labels_old" (string), "prob.a" (list<double>), "target" (bool) and "y_prob2" (double), which look like scores or labels; set input.columns to use them`,
	},
	{
		name: "one unused column that looks like scores", preds: "label:int64 score:double Score2:int32\n0 0.1 1",
		notes: `
label: column "label"
score: column "score"
task: binary (one label, one score)
predictions: score >= 0.5
not used: column "Score2" (int32), which looks like scores or labels; set input.columns to use it`,
	},
	{
		name: "many unused columns that look like scores", preds: "label:int64 score:double score1:double score2:double score3:double score4:double score5:double score6:double score7:double\n0 0.1 1 1 1 1 1 1 1",
		notes: `
label: column "label"
score: column "score"
task: binary (one label, one score)
predictions: score >= 0.5
not used: columns "score1" (double), "score2" (double), "score3" (double), "score4" (double), "score5" (double) and 2 more, which look like scores or labels; set input.columns to use them`,
	},
	{
		name: "an unused column that was spoken of", preds: "label:double prediction:double score:double\n0 0.1 1", config: "task: regression",
		notes: `
label: column "label"
score: column "score"
prediction: column "prediction"
column "score" is not used: a regression has no scores`,
	},
}
