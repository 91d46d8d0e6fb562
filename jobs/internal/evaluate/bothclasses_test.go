package evaluate

import (
	"fmt"
	"strings"
)

// bothClasses are runs with the scores of both classes in a row.
var bothClasses = byBothClasses()

// bothScores returns five rows whose scores are of no, and of yes: as a list or in two columns. The
// ROC AUC of yes is 5/6, of its negation 1/6.
func bothScores(kind, no, yes string, asList, swapped bool) string {
	text := "label:" + kind + " p_" + no + ":double p_" + yes + ":double"
	if asList {
		text = "label:" + kind + " p:[]double"
	}
	for _, row := range []struct {
		positive bool
		score    float64
	}{{true, 0.9}, {false, 0.2}, {true, 0.4}, {false, 0.6}, {true, 0.7}} {
		class := map[bool]string{false: no, true: yes}[row.positive]
		scores := []string{fmt.Sprintf("%.1f", 1-row.score), fmt.Sprintf("%.1f", row.score)}
		if swapped {
			scores[0], scores[1] = scores[1], scores[0]
		}
		if asList {
			text += "\n" + class + " [" + strings.Join(scores, ",") + "]"
		} else {
			text += "\n" + class + " " + strings.Join(scores, " ")
		}
	}
	return text
}

func byBothClasses() (all []scenario) {
	const good, bad = "5 rows, 5 evaluated\naccuracy = 0.6\nroc_auc = 0.8333", "5 rows, 5 evaluated\naccuracy = 0.4\nroc_auc = 0.1667"
	add := func(name, preds, config, report string) {
		all = append(all, scenario{name: name, preds: preds, config: "metrics: [accuracy, roc_auc]\n" + config, report: report})
	}
	for _, c := range []struct{ kind, no, yes string }{{"int64", "0", "1"}, {"int32", "0", "1"}, {"double", "0", "1"}, {"float", "0", "1"}, {"bool", "false", "true"}} {
		of := "two scores of classes of " + c.kind
		list, wide := bothScores(c.kind, c.no, c.yes, true, false), bothScores(c.kind, c.no, c.yes, false, false)
		const columns = "input: {columns: {score: p_*}}\n"
		add(of+" in a list", list, "input: {columns: {score: p}}\n", good)
		add(of+" in a list, task set", list, "task: binary\ninput: {columns: {score: p}}\n", good)
		add(of+" in columns", wide, columns, good)
		add(of+" in columns that are found", strings.ReplaceAll(wide, "p_", "proba_"), "", good)
		add(of+" in columns, task set", strings.ReplaceAll(wide, "p_", "proba_"), "task: binary\n", good)
		add(of+" in columns in order", wide, fmt.Sprintf("input: {columns: {score: [p_%s, p_%s]}}\n", c.no, c.yes), good)
		add(of+" in a list, other positive label", list, "positive_label: "+c.no+"\ninput: {columns: {score: p}}\n", good)
		add(of+" in columns, other positive label", wide, "positive_label: "+c.no+"\n"+columns, good)
		swapped := bothScores(c.kind, c.no, c.yes, true, true)
		for _, labels := range []string{"[1, 0]", "[1.0, 0.0]", "[true, false]", "[True, 'FALSE']"} {
			add(of+" in the order of labels "+labels, swapped, "labels: "+labels+"\ninput: {columns: {score: p}}\n", good)
		}
		add(of+" in the order of the metadata", swapped+"\n# labels [1, 0]", "input: {columns: {score: p}}\n", good)
		add(of+" that another order of labels contradicts", swapped, "input: {columns: {score: p}}\n", bad)
	}
	texts, wide := bothScores("string", "no", "yes", true, false), bothScores("string", "no", "yes", false, false)
	add("two scores of texts, in the order of labels", texts, "positive_label: yes\nlabels: [no, yes]\ninput: {columns: {score: p}}\n", good)
	add("two scores of texts, in columns", wide, "positive_label: yes\ninput: {columns: {score: p_*}}\n", good)
	add("two scores of texts, by names", wide, "positive_label: yes\ninput: {columns: {score: {yes: p_yes, no: p_no}}}\n", good)
	add("two scores of texts without a positive label", wide, "metrics: [accuracy, f1_micro]\ninput: {columns: {score: p_*}}\n", "5 rows, 5 evaluated\naccuracy = 0.6\nf1_micro = 0.6")
	all[len(all)-1].config = "metrics: [accuracy, f1_micro]\ninput: {columns: {score: p_*}}\n"
	numbers := bothScores("int64", "1", "2", true, false)
	add("two scores of other numbers", numbers, "positive_label: 2.0\ninput: {columns: {score: p}}\n", good)
	return append(all, scenario{
		name: "two scores with task multiclass", preds: bothScores("int64", "0", "1", true, false), config: "task: multiclass\nmetrics: [recall]\ninput: {columns: {score: p}}\n",
		report: "5 rows, 5 evaluated\nrecall[0] = 0.5\nrecall[1] = 0.6667",
	}, scenario{
		name: "two scores of classes that have names", preds: bothScores("int64", "0", "1", true, false), config: "labels: [ham, spam]\nmetrics: [recall]\ninput: {columns: {score: p}}\n",
		report: "5 rows, 5 evaluated\nrecall[ham] = 0.5\nrecall[spam] = 0.6667",
	}, scenario{
		name: "two logits", preds: "label:int64 logits:[]double\n1 [5,6]\n0 [1,0]\n1 [3,2.5]\n0 [0,0.5]", config: "metrics: [accuracy, roc_auc, log_loss]\n",
		report: "4 rows, 4 evaluated\naccuracy = 0.5\nlog_loss = 0.6437\nroc_auc = 0.75",
	}, scenario{
		name: "two scores of a model and of a baseline", preds: "label:int64 p:[]double q:[]double\n1 [0.1,0.9] [0.9,0.1]\n0 [0.7,0.3] [0.2,0.8]\n1 [0.2,0.8] [0.3,0.7]", config: "input: {columns: {score: p, baseline_score: q}}\nmetrics: [accuracy, churn]\n",
		report: "3 rows, 3 evaluated\naccuracy = 1\nchurn = 0.6667",
	}, scenario{
		name: "two logits that are infinite", preds: "label:int64 logits:[]double\n1 [-inf,inf]\n0 [inf,inf]\n0 [1,0]", config: "bad_rows: skip\nmetrics: [accuracy]\n",
		report: "3 rows, 2 evaluated\nskipped: NaN score: 1\nwarning: 33.3 % of the rows (1 of 3) were skipped: NaN score (1)\naccuracy = 1",
	})
}

// bothClassesRefusals are rejected before any row is read.
var bothClassesRefusals = []refusal{
	{"two scores of texts whose order nothing says", bothScores("string", "no", "yes", true, false), "positive_label: yes\ninput: {columns: {score: p}}",
		`eval.yaml:1:17: positive_label: is "yes", and nothing says which of the two scores of a row is its: set labels, in the order of the scores`},
	{"two scores of other classes", bothScores("string", "no", "yes", true, false), "positive_label: maybe\nlabels: [no, yes]\ninput: {columns: {score: p}}",
		`eval.yaml:1:17: positive_label: is "maybe", and the two scores of a row are of "no" and "yes"`},
	{"two scores that are no probabilities", bothScores("int64", "0", "1", true, false), "input: {score_type: score, columns: {score: p}}",
		`eval.yaml:1:45: input.columns.score: rows have two scores, and of scores that are not probabilities nothing says what both together mean: name one column with the score of the positive label or the difference, or set task to multiclass`},
	{"three labels of a binary task", bothScores("int64", "0", "1", true, false), "task: binary\nlabels: [a, b, c]\ninput: {columns: {score: p}}",
		`eval.yaml:2:9: labels: a binary task has two labels, not 3`},
}
