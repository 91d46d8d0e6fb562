package evaluate

const twoModels = "and whether both are of one model is unknown: set input.columns."

// meaning are runs whose columns could be taken for something else than they are.
var meaning = []scenario{
	{
		name: "a weight that is switched off", preds: "label:int64 score:double weight:double\n1 0.9 9\n0 0.8 1", config: "input: {columns: {weight: null}}\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\naccuracy = 0.5",
	}, {
		name: "a weight that a flag switches off", preds: "label:int64 score:double weight:double\n1 0.9 9\n0 0.8 1", config: "input: {columns: {weight: weight}}\nmetrics: [accuracy]",
		args: flagsOf + " --set input.columns.weight=null", report: "2 rows, 2 evaluated\naccuracy = 0.5",
	}, {
		name: "predictions that are switched off", preds: "label:int64 score:double pred:int64\n1 0.9 0\n0 0.2 0", config: "input: {columns: {prediction: ~}}\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\naccuracy = 1",
	}, {
		name: "scores that are switched off", preds: "label:int64 proba:double pred:int64\n1 0.9 0\n0 0.2 0", config: "task: binary\ninput: {columns: {score: null}}\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\naccuracy = 0.5",
	}, {
		name: "scores in columns that are switched off", preds: "label:string proba_a:double proba_b:double pred:string\na 0.9 0.1 b\nb 0.2 0.8 b", config: "input: {columns: {score: null}}\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\naccuracy = 0.5",
	}, {
		name: "roles of other tasks that are switched off", preds: "label:int64 score:double weight:double\n1 0.9 9", config: "task: binary\ninput: {columns: {query: null, class: null, quantiles: null, a: ~}}\nmetrics: [accuracy]",
		report: "1 rows, 1 evaluated\naccuracy = 1",
	}, {
		name: "a label that is switched off", preds: "label:int64 score:double\n1 0.9", config: "input: {columns: {label: null}}", code: 2,
		stderr: `evaluate: no label column: set input.columns.label …`,
	}, {
		name: "a prediction found beside a score that is named", preds: "y:int64 p:double pred:int64\n1 0.9 0\n0 0.2 0", config: "input: {columns: {score: p}}\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\nwarning: column \"pred\" is not used: input.columns.score names column \"p\", " + twoModels + "prediction to use it, or to null if it is not\naccuracy = 1",
	}, {
		name: "a prediction found beside scores that are named", preds: "y:string p_a:double p_b:double pred:string\na 0.9 0.1 b\nb 0.2 0.8 b", config: "input: {columns: {score: p_*}}\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\nwarning: column \"pred\" is not used: input.columns.score names column \"p_*\", " + twoModels + "prediction to use it, or to null if it is not\naccuracy = 1",
	}, {
		name: "a score found beside a prediction that is named", preds: "y:bool yhat:bool score:double\ntrue true 0.1\nfalse false 0.9", config: "input: {columns: {prediction: yhat}}\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\nwarning: column \"score\" is not used: input.columns.prediction names column \"yhat\", " + twoModels + "score to use it, or to null if it is not\naccuracy = 1",
	}, {
		name: "columns of scores found beside a prediction that is named", preds: "y:string yhat:string proba_a:double proba_b:double\na a 0.9 0.1\nb b 0.8 0.2", config: "input: {columns: {prediction: yhat}}\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\nwarning: column \"proba_a\" is not used: input.columns.prediction names column \"yhat\", " + twoModels + "score to use it, or to null if it is not\naccuracy = 1",
	}, {
		name: "a prediction and a score that are both named", preds: "y:bool yhat:bool score:double\ntrue true 0.1\nfalse false 0.9", config: "input: {columns: {prediction: yhat, score: score}}\nmetrics: [roc_auc]",
		report: "2 rows, 2 evaluated\nwarning: the prediction of 100.0 % of the rows is not score >= 0.5, nor is it that of any threshold (ties and rounding explain 0.0 %): check that scores and predictions are of the same labels and the same model\nroc_auc = 0",
	}, {
		name: "a prediction found by name that few scores do not explain", preds: "y:bool pred:bool score:double\nfalse true 0.1" + lines("", 500, func(int) string { return "true true 0.8\nfalse false 0.2" }), config: "metrics: [recall]",
		report: "1001 rows, 1001 evaluated\nrecall = 1",
	}, {
		name: "a prediction found by name that a few more scores do not explain", preds: "y:bool pred:bool score:double\nfalse true 0.1" + lines("", 499, func(int) string { return "true true 0.8\nfalse false 0.2" }), config: "metrics: [recall]",
		report: "999 rows, 999 evaluated\nwarning: the prediction of 0.1 % of the rows is not score >= 0.5, nor is it that of any threshold (ties and rounding explain 0.0 %): check that scores and predictions are of the same labels and the same model\nrecall = 1",
	},
	{
		name: "scores found by the name of logits", preds: "label:int64 Logits:double\n1 0.2\n0 -0.5\n1 0.9", config: "metrics: [accuracy, log_loss]",
		report: "3 rows, 3 evaluated\naccuracy = 1\nlog_loss = 0.4711",
	}, {
		name: "scores found by the name of logits that are probabilities", preds: "label:int64 logits:double\n1 0.2\n0 0.5\n1 0.9", config: "input: {score_type: probability}\nmetrics: [accuracy]",
		report: "3 rows, 3 evaluated\naccuracy = 0.3333",
	}, {
		name: "columns of scores found by the name of logits", preds: "label:string logits_a:double logits_b:double\na 2 1\nb 2 3\nb 0.9 0.1", config: "metrics: [accuracy, log_loss]",
		report: "3 rows, 3 evaluated\naccuracy = 0.6667\nlog_loss = 0.5992",
	}, {
		name: "texts in brackets", preds: "label:string prediction:string\n[CLS] [CLS]\n[SEP] [CLS]", config: "metrics: [accuracy]", report: "2 rows, 2 evaluated\naccuracy = 0.5",
	}, {
		name: "lists as text that are classes", preds: "label:string prediction:string\n['a'] ['a']\n['b'] ['a']", config: "labels: [\"['a']\", \"['b']\"]\nmetrics: [accuracy]", report: "2 rows, 2 evaluated\naccuracy = 0.5",
	},
}

// meaningRefusals are rejected before any row is read.
var meaningRefusals = byMeaning()

func byMeaning() (all []refusal) {
	for _, list := range []string{"['a','b']", `["a"]`, "[0,2]", "[]", "{'a','b'}", "('a','b')", "[1]"} {
		for role, preds := range map[string]string{"label": "label:string prediction:string\n" + list + " x", "prediction": "label:string prediction:string\nx " + list} {
			all = append(all, refusal{"lists as text: " + list + " as " + role, preds, "", `input.columns.` + role + `: preds.parquet: column "` + role + `" has lists as text, such as …: write a column for each label, such as ` + role + `_spam, or lists in Parquet or JSON lines`})
		}
	}
	return append(all, refusal{"a vector of Spark", "label:int64 probability.type:int32 probability.size:int32 probability.indices:[]int32 probability.values:[]double\n1 1 3 [0] [0.1,0.8,0.1]", "",
		`input.columns.score: column "probability" is a vector of Spark: write it as a list, with .withColumn("probability", pyspark.ml.functions.vector_to_array("probability"))`},
		refusal{"values of a sparse vector of Spark", "label:int64 p.type:int32 p.size:int32 p.indices:[]int32 p.values:[]double\n1 1 2 [0] [0.2,0.8]\n1 0 3 [1,2] [0.8,0.2]", "input: {columns: {score: p.values}}",
			`eval.yaml:1:26: input.columns.score: preds.parquet: row group 0, row 1: column "p" is a sparse vector of Spark, whose values lack zeros: write it as a list, with .withColumn("p", pyspark.ml.functions.vector_to_array("p"))`})
}
