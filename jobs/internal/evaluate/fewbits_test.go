package evaluate

// fewBits are runs on columns of 32 bits whose values meet decimal numbers of the configuration.
var fewBits = []scenario{
	{
		name: "a threshold and scores of 32 bits", preds: "label:int64 score:float\n1 0.7\n1 0.7\n0 0.3\n0 0.1", config: "decision: {threshold: 0.7}\nmetrics: [tp, net_benefit@0.7]",
		report: "4 rows, 4 evaluated\nnet_benefit@0.7 = 0.5\ntp = 2",
	}, {
		name: "a threshold and scores of 32 and of 64 bits", preds: "label:int64 score:float\n1 0.7\n0 0.1", files: map[string]string{"z.parquet": "label:int64 score:double\n1 0.7\n1 0.69999998807907104\n0 0.3"},
		args: "--input *.parquet --output out", config: "decision: {threshold: 0.7}\nmetrics: [fn, tp]", report: "5 rows, 5 evaluated\nfn = 1\ntp = 2",
	}, {
		name: "thresholds of labels and scores of 32 bits", preds: "labels:[]int64 scores:[]float\n[0,1] [0.7,0.3]\n[1] [0.1,0.3]", config: "decision: {threshold: {default: 0.7, '1': 0.3}}\nlabels: ['0', '1']\nmetrics: [subset_accuracy]",
		report: "2 rows, 2 evaluated\nsubset_accuracy = 1",
	}, {
		name: "a threshold and scores of 16 bits", preds: "label:int64 score:half\n1 0.1\n1 0.1\n0 0.05", config: "decision: {threshold: 0.1}\nmetrics: [tp, net_benefit@0.1]",
		report: "3 rows, 3 evaluated\nnet_benefit@0.1 = 0.6667\ntp = 2",
	}, {
		name: "a threshold and logits of 32 bits in two columns", preds: "label:int64 logits_0:float logits_1:float\n1 0 0.7\n0 0 0.3", config: "decision: {threshold: 0.7}\nmetrics: [tp]",
		report: "2 rows, 2 evaluated\ntp = 0",
	}, {
		name: "a threshold, bins and values of 32 bits", preds: "label:int64 score:double x:float\n1 0.9 0.3\n0 0.9 0.7\n1 0.9 0.1", config: "slices: [{x: {bins: [0.3, 0.7]}}, {x: [0.7]}]\nmetrics: [accuracy]",
		report: "3 rows, 3 evaluated\naccuracy = 0.6667\naccuracy{x=0.7} = 0\naccuracy{x < 0.3} = 1\naccuracy{x in [0.3, 0.7)} = 1\naccuracy{x >= 0.7} = 0",
	}, {
		name: "quantiles beside a value of 32 bits", preds: "label:int64 score:double x:float\n1 0.9 0.3\n0 0.9 0.7\n1 0.9 0.7\n1 0.9 0.9", config: "slices: [{x: {quantiles: 2}}, {x: [0.7]}]\nmetrics: [accuracy]",
		report: "4 rows, 4 evaluated\naccuracy = 0.75\naccuracy{x=0.7} = 0.5\naccuracy{x < 0.7} = 1\naccuracy{x >= 0.7} = 0.6667",
	}, {
		name: "a value of 32 bits in the truth", preds: "example_id:int64 score:double\n1 0.9\n2 0.9", files: truth("example_id:int64 label:int64 x:float\n1 1 0.7\n2 0 0.3"), config: truthIn + "slices: [{x: {bins: [0.7]}}]\nmetrics: [accuracy]",
		report: "2 rows, 2 evaluated\ntruth of 2, 0 without prediction\naccuracy = 0.5\naccuracy{x < 0.7} = 0\naccuracy{x >= 0.7} = 1",
	}, {
		name: "a group of 32 bits that is the reference", preds: "label:int64 score:double x:float\n1 0.9 0.7\n0 0.9 0.3", config: "groups: {by: x, reference: 0.7}\nmetrics: [accuracy]",
		report: "",
	}, {
		name: "a relevance of 32 bits", preds: "query_id:int64 label:float score:double\n1 0.7 0.9\n1 0.3 0.8", config: "task: ranking\nranking: {relevance_threshold: 0.7}\nmetrics: [mrr]",
		report: "1 rows, 1 evaluated\nmrr = 1",
	}, {
		name: "a gate on a value of 32 bits in one file and of 64 in another", preds: "label:int64 score:double x:float\n1 0.9 0.7\n0 0.9 0.3",
		files: map[string]string{"z.parquet": "label:int64 score:double x:double\n1 0.9 0.7\n1 0.9 0.69999998807907104"}, args: "--input *.parquet --output out",
		config: "slices: [x]\nmetrics: [accuracy]\ngates: [{metric: accuracy, min: 1, slice: x=0.7}, {metric: accuracy, max: 0, slice: {x: 0.30}}]",
		report: "4 rows, 4 evaluated\naccuracy = 0.75\naccuracy{x=0.3} = 0\naccuracy{x=0.699999988079071} = 1\naccuracy{x=0.7} = 1",
	}, {
		name: "a gate on a value of 16 bits and a text", preds: "label:int64 score:double x:half country:string\n1 0.9 0.1 de\n0 0.9 0.1 fr",
		config: "slices: [[x, country]]\nmetrics: [accuracy]\ngates: [{metric: accuracy, min: 1, slice: {country: de, x: 1e-1}}]",
		report: "2 rows, 2 evaluated\naccuracy = 0.5\naccuracy{country=de, x=0.1} = 1\naccuracy{country=fr, x=0.1} = 0",
	}, {
		name: "a gate spells a value of the slices in another way", preds: "label:int64 score:double x:float\n1 0.9 0.7\n0 0.9 1",
		config: "slices: [{x: [0.7, 1]}]\nmetrics: [accuracy]\ngates: [{metric: accuracy, min: 1, slice: {x: 0.70}}, {metric: accuracy, max: 0, slice: {x: 1.0}}]",
		report: "2 rows, 2 evaluated\naccuracy = 0.5\naccuracy{x=0.7} = 1\naccuracy{x=1} = 0",
	},
}
