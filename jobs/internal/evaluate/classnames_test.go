package evaluate

import "fmt"

// classNames are runs whose classes are numbers or booleans, which labels write in some spelling.
var classNames = byClassNames()

func byClassNames() (all []scenario) {
	const rows = "1 2 [0.1,0.8,0.1]\n2 2 [0.1,0.8,0.1]\n3 3 [0.1,0.1,0.8]\n1 1 [0.8,0.1,0.1]\n3 3 [0.1,0.1,0.8]"
	for _, kind := range []string{"double", "float", "int64", "int32"} {
		for _, labels := range []string{"[1, 2, 3]", "[1.0, 2.0, 3.0]", `["1.0", "2", 3e0]`, "[3.0, 1, 2.00]"} {
			all = append(all, scenario{
				name: fmt.Sprintf("classes of %s called %s", kind, labels), preds: "label:" + kind + " prediction:" + kind + " other:[]double\n" + rows,
				config: "task: multiclass\nlabels: " + labels + "\nmetrics: [accuracy]", report: "5 rows, 5 evaluated\naccuracy = 0.8",
			})
		}
	}
	all = append(all,
		scenario{
			name: "scores of classes called 1.0", preds: "label:double scores:[]double\n1 [0.1,0.8,0.1]\n2 [0.1,0.8,0.1]\n3 [0.1,0.1,0.8]\n1 [0.8,0.1,0.1]\n3 [0.1,0.1,0.8]",
			config: "labels: [1.0, 2.0, 3.0]\nmetrics: [accuracy]", report: "5 rows, 5 evaluated\naccuracy = 0.8",
		},
		scenario{
			name: "scores of classes called 1.0 in the metadata", preds: "label:double scores:[]double\n1 [0.1,0.8,0.1]\n2 [0.1,0.8,0.1]\n# labels [1.0, 2.0, 3.0]",
			config: "metrics: [accuracy]", report: "2 rows, 2 evaluated\naccuracy = 0.5",
		},
		scenario{
			name: "scores of classes called 1.0 in a labels_file", preds: "label:double scores:[]double\n1 [0.1,0.8,0.1]\n2 [0.1,0.8,0.1]",
			config: "labels_file: names.txt\nmetrics: [accuracy]", setup: text("names.txt", "1.0\n2.0\n3.0\n"), report: "2 rows, 2 evaluated\naccuracy = 0.5",
		},
		scenario{
			name: "columns of classes called 1.0", preds: "label:double score_1.0:double score_2.0:double score_3.0:double\n1 0.1 0.8 0.1\n2 0.1 0.8 0.1\n3 0.1 0.1 0.8\n1 0.8 0.1 0.1\n3 0.1 0.1 0.8",
			config: "metrics: [accuracy]", report: "5 rows, 5 evaluated\naccuracy = 0.8",
		},
		scenario{
			name: "columns of booleans in another order", preds: "label:bool score_True:double score_False:double\ntrue 0.9 0.1\ntrue 0.8 0.2\nfalse 0.7 0.3\ntrue 0.6 0.4",
			config: "task: multiclass\nmetrics: [accuracy]", report: "4 rows, 4 evaluated\naccuracy = 0.75",
		},
		refusal{
			"columns of names beside a label of booleans", "label:bool p_b:double p_a:double\ntrue 0.9 0.1", "task: multiclass\ninput: {columns: {score: p_*}}",
			`eval.yaml:2:26: input.columns.score: columns "p_a", "p_b" name the labels, but nothing says which of them is which in column "label": set labels`,
		}.scenario(),
		scenario{
			name: "texts that look like numbers", preds: "label:string prediction:string\n1.0 1.0\n2.0 1.0", config: "labels: [1.0, 2.0]\nmetrics: [accuracy]",
			report: "2 rows, 2 evaluated\naccuracy = 0.5",
		},
		scenario{
			name: "indices of classes that are called by numbers", preds: "label:int64 prediction:int64\n0 1\n2 2", config: "task: multiclass\nlabels: [1.0, 2.0, 3.0]\ninput: {label_encoding: indices}\nmetrics: [accuracy]",
			report: "2 rows, 2 evaluated\naccuracy = 0.5",
		},
		scenario{
			name: "a boolean label and a prediction of 0 and 1", preds: "label:bool prediction:int64\ntrue 1\nfalse 1", config: "task: multiclass\nlabels: [true, false]\nmetrics: [accuracy, recall]",
			report: "2 rows, 2 evaluated\naccuracy = 0.5\nrecall[true] = 1\nrecall[false] = 0",
		},
		scenario{
			name: "a boolean label whose numbers are in order", preds: "label:bool prediction:bool\ntrue true\nfalse true", config: "task: multiclass\nlabels: [0, 1]\nmetrics: [recall]",
			report: "2 rows, 2 evaluated\nrecall[0] = 0\nrecall[1] = 1",
		},
		scenario{
			name: "a boolean label whose numbers are in another order, and match by value", preds: "label:bool prediction:bool\ntrue true\nfalse true", config: "task: multiclass\nlabels: [1, 0]\ninput: {label_encoding: names}\nmetrics: [recall]",
			report: "2 rows, 2 evaluated\nrecall[1] = 1\nrecall[0] = 0",
		},
		refusal{
			"a boolean label whose numbers are in another order", "label:bool prediction:bool\ntrue true\nfalse true", "task: multiclass\nlabels: [1, 0]",
			`eval.yaml:2:9: labels: column "label" is bool, and the labels are numbers in another order than 0 and 1: write the labels as true and false, or set input.label_encoding to names if true means 1, or to indices if it means the index 1 of the labels`,
		}.scenario(),
		refusal{
			"two spellings of a number", "label:int64 prediction:int64\n1 1", "task: multiclass\nlabels: [1, 2, 1.0]",
			`eval.yaml:2:9: labels: "1" and "1.0" are the same in column "label", which is int64: leave one out`,
		}.scenario(),
	)
	for _, labels := range []string{"[true, false]", "[True, False]", `["FALSE", "true"]`, "[false, true]"} {
		all = append(all, scenario{
			name: "booleans called " + labels, preds: "label:bool scores:[]double\ntrue [0.9,0.1]\ntrue [0.8,0.2]\nfalse [0.7,0.3]\ntrue [0.6,0.4]",
			config: "labels: " + labels + "\nmetrics: [accuracy]", report: map[bool]string{true: "4 rows, 4 evaluated\naccuracy = 0.75", false: "4 rows, 4 evaluated\naccuracy = 0.25"}[labels[1] == 't' || labels[1] == 'T'],
		})
	}
	return all
}
