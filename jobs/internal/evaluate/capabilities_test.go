package evaluate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// capabilities are runs that have, between them, every field that travels to a worker and no other
// scenario has; see TestShapesOfScenarios. Package pipeline tests their numbers.
var capabilities = []scenario{
	capability("worst examples of a binary task, and a search", binaryRows, `
task: binary
worst_examples: {count: 3, per: [slice]}
search: {columns: [country, age], measure: log_loss, min_support: 2, level: 2, top: 5, alpha: 0.9, max_values: 5, confirm: false}
slices: [country]
confidence: {groups: 20, seed: 1}
`),
	capability("a search that is confirmed, of a column of losses", binaryRows, `
task: binary
search: {columns: all, measure: cost, min_support: 2}
confidence: {groups: 40}
`),
	capability("worst examples of labels", classRows, `
worst_examples: {count: 2, per: [label]}
per_label: all
label_pairs: true
ordinal: true
labels: [a, b, c]
average_labels: [a, b]
costs: [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
input: {columns: {score: {a: p_a, b: p_b, c: p_c}}}
`),
	capability("scores of a baseline, and what changed", binaryRows, `
task: binary
input: {columns: {baseline_score: other}}
changed_examples: {count: 3, per: [slice]}
slices: [country]
gates: [{metric: accuracy, max_drop: 1, sure: true}]
confidence: {}
`),
	capability("predictions of a baseline", binaryRows, `
task: binary
input: {columns: {baseline_prediction: predicted}}
`),
	capability("a baseline in other files", binaryRows, `
task: binary
input: {baseline_predictions: {files: [data.csv], columns: {score: other}, missing: skip}}
`),
	capability("undefined ratios that are 1", func(int) string { return "id,label,prediction\nx,0,0\ny,0,0\n" }, "task: binary\nzero_division: 1\nmetrics: [precision, recall]\n"),
	capability("scores a little above 1", func(int) string { return "id,label,score\nx,0,0.1\ny,1,1.0000001\n" }, "task: binary\n"),
	capability("costs of rows", binaryRows, "task: binary\ninput: {columns: {cost_fp: cost, cost_fn: age}}\n"),
	capability("groups", binaryRows, "task: binary\nslices: [country]\ngroups: {by: country, reference: de, min_support: 2}\nconfidence: {}\n"),
	capability("prediction sets", func(int) string { return "id,label,prediction,in_a,in_b\nx,a,a,1,0\ny,b,a,1,1\nz,b,b,0,1\n" }, "task: multiclass\ninput: {columns: {set: in_*}}\n"),
	capability("intervals of all examples, a group and the slice of a gate", binaryRows, `
task: binary
slices: [country, age]
groups: {by: country}
confidence: {slices: overall, groups: 20}
gates: [{metric: accuracy, min: 0, slice: age=21}]
`),
	capability("recalibration", binaryRows, "task: binary\nrecalibrate: map.json\ncalibration: {strategy: quantile}\n"),
	capability("rows that were drawn from strata", func(seed int) string {
		text := "id,label,prediction,sampling_probability,sampling_stratum\n"
		for i := range 40 {
			text += fmt.Sprintf("%d,%d,%d,%v,%s\n", seed+i, i%2, i%3%2, []float64{0.5, 0.25}[i%2], []string{"low", "high"}[i%2])
		}
		return text
	}, "task: binary\nconfidence: {}\nsampling: {finite: true}\n"),
	capability("judgements, and labels of rows that were drawn", func(seed int) string {
		text := "id,judge,label,sampling_probability,sampling_stratum\n"
		for i := range 60 {
			text += fmt.Sprintf("%d,%v,", seed+i, float64(i%10)/10)
			if i%2 == 0 {
				text += fmt.Sprintf("%d,%v,%s", i%4/2, []float64{0.5, 0.25}[i%4/2], []string{"low", "high"}[i%4/2])
			} else {
				text += ",,"
			}
			text += "\n"
		}
		return text
	}, "task: binary\ninput: {columns: {judged: judge}}\nconfidence: {}\n"),
	capability("judgements", judgedRows, "task: binary\ninput: {columns: {judged: judge}}\nconfidence: {}\n"),
	capability("judged classes beside predictions", judgedClassRows, "task: multiclass\ninput: {columns: {judged: judge}}\nconfidence: {by: cluster}\n"),
	capability("clusters that the truth names", binaryRows, "task: binary\ntruth: {files: [truth.csv]}\nconfidence: {by: shop}\n"),
	capability("examples that the model was trained on", binaryRows, "task: binary\nchecks: {training: {files: [truth.csv]}}\n"),
	capability("rows without a label", judgedRows, "task: binary\nunlabelled: estimate\n"),
	capability("forecasts", forecastRows, `
task: regression
input: {columns: {quantiles: {0.1: low, 0.5: middle, 0.9: high}, ensemble: [one, two], scale: scale}}
`),
	capability("forecasts alone", forecastRows, `
task: regression
input: {columns: {quantiles: {0.1: low, 0.9: high}, ensemble: [one, two]}, crossing: keep}
`),
	capability("items of many queries", rankingRows, `
task: ranking
input: {columns: {category: kind, item_frequency: known}}
ranking: {catalog_size: 40, frequency_total: 100, map_divisor: attainable, missing_queries: zero}
truth: {files: [data.csv]}
`),
	capability("items of queries in random order", shuffledRows, "task: ranking\n"),
	capability("frequencies of items in other files", rankingRows, "task: ranking\nmetrics: [novelty@5, tail_share@5]\nranking: {item_frequencies: {files: [items.csv], item: item, count: n}}\n"),
	capability("attempts that pass or not", attemptRows, "task: grade\ninput: {columns: {example: id, grade: passed, answer: said, label: right}}\ntoo_few_attempts: fail\nk: [1, 2]\nconfidence: {}\n"),
	capability("raters in columns", raterColumns, "task: agreement\ninput: {columns: {example: id, raters: [ann, bob, judge]}}\nraters: {weights: linear, max_values: 50}\nconfidence: {}\nslices: [[suite]]\nworst_examples: {count: 2}\n"),
	capability("raters in rows", raterRows, "task: agreement\ninput: {columns: {example: id, rater: who, grade: said}}\nconfidence: {}\n"),
	capability("ratings", attemptRows, "task: grade\ninput: {columns: {example: id, grade: rating}}\npass_threshold: 3\nk: [1, 2]\nconfidence: {}\n"),
	capability("attempts that cost", attemptRows, "task: grade\ninput: {columns: {example: id, grade: rating, grades: [passed]}}\nlower_is_better: [rating, passed]\nk: [1, 2]\n"),
	capability("attempts that cost and pass or not", attemptRows, "task: grade\ninput: {columns: {example: id, grade: passed, grades: {stars: rating}}}\npass_threshold: {stars: 3}\nlower_is_better: [stars]\nmetrics: [mean, mean_stars, median_stars, std_stars, pass@2_stars]\nconfidence: {}\n"),
	capability("statistics of clusters, with ids", binaryRows, `
task: binary
slices: [age]
curves: {mode: bounded}
confidence: {by: country}
output: {statistics: {min_support: 2, ids: true}}
`),
	capability("statistics with scores", binaryRows, "task: binary\nslices: [age]\nconfidence: {by: country}\noutput: {statistics: {curves: exact}}\n"),
	capability("statistics beside exact curves", classRows, "input: {columns: {score: {a: p_a, b: p_b, c: p_c}}}\nconfidence: {}\noutput: {statistics: true}\n"),
	{
		name: "statistics of labels that planning finds", config: "output: {statistics: true}\n",
		preds: "label:category prediction:category\na a\nb a\n---\nc b\na a",
	},
	capability("preferences", preferenceRows, "task: preference\npreference: {ties: davidson, reference: x}\nconfidence: {}\n"),
	capability("sparse scores that name every label", sparseRows, `
task: multilabel
labels_file: labels.txt
input: {complete_scores: true, decimals: float64, max_page_mib: 64, max_row_values: 1000, max_name_kib: 1}
decision: {top_k: 1}
search: {columns: all, confirm: false, min_support: 2}
propensity: {frequencies: counts.txt, examples: 100}
output: {overwrite: true, max_names_mib: 1000}
`),
	{
		name: "days that folders name", config: "task: binary\nslices: [day]\ninput: {quotes: none}\n", args: "--config eval.yaml --input nights --output out",
		setup: func(t *testing.T, dir string) {
			for day, name := range []string{"day=1", "day=__HIVE_DEFAULT_PARTITION__"} {
				content := strings.ReplaceAll(binaryRows(day), ",", "\t")
				require.NoError(t, os.MkdirAll(filepath.Join(dir, "nights", name), 0o777))
				require.NoError(t, os.WriteFile(filepath.Join(dir, "nights", name, "data.tsv"), []byte(content), 0o666))
			}
		},
	},
}

// capability evaluates rows in data.csv, beside the other files that a configuration may name.
func capability(name string, rows func(seed int) string, config string) scenario {
	return scenario{
		name: name, config: config, args: "--config eval.yaml --input data.* --output out",
		setup: func(t *testing.T, dir string) {
			name, data := "data.csv", rows(0)
			if data[0] == '{' {
				name = "data.jsonl"
			}
			for file, content := range map[string]string{
				name:         data,
				"map.json":   `{"schema": "beameval.recalibration/v1", "score_type": "probability", "scores": [0.2, 0.4, 0.8], "probabilities": [0.1, 0.5, 0.9]}`,
				"items.csv":  "item,n\n" + linesOf(40, func(i int) string { return fmt.Sprintf("i%d,%d", i, i) }),
				"truth.csv":  "id,label,shop\n" + linesOf(80, func(i int) string { return fmt.Sprintf("e%d,%d,s%d", i, i%2, i%13) }),
				"labels.txt": "a\nb\nc\n",
				"counts.txt": "10\n5\n1\n",
			} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(content), 0o666))
			}
		},
	}
}

func linesOf(n int, row func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(row(i) + "\n")
	}
	return b.String()
}

// score is a number from 0 to 1 that looks random.
func score(i int) float64 { return float64(i*37%101) / 101 }

func binaryRows(seed int) string {
	return "id,label,score,other,predicted,country,age,cost\n" + linesOf(80, func(i int) string {
		i += 1000 * seed
		return fmt.Sprintf("e%d,%d,%.3f,%.3f,%d,%s,%d,%.2f", i, i*i%7%2, score(i), score(i+3), i%3%2, []string{"de", "fr", "ch"}[i%3], 20+i%4, score(5*i))
	})
}

func classRows(int) string {
	return "id,label,p_a,p_b,p_c\n" + linesOf(60, func(i int) string {
		a, b := score(i)/2, score(i+9)/2
		return fmt.Sprintf("e%d,%c,%.3f,%.3f,%.3f", i, 'a'+i*i%7%3, a, b, 1-a-b)
	})
}

func judgedRows(int) string {
	return "id,label,score,judge\n" + linesOf(80, func(i int) string {
		label := ""
		if i%4 == 0 {
			label = fmt.Sprint(i / 4 % 2)
		}
		return fmt.Sprintf("e%d,%s,%.3f,%.3f", i, label, score(i), score(i+3))
	})
}

func judgedClassRows(int) string {
	return "id,label,prediction,judge,cluster\n" + linesOf(80, func(i int) string {
		label := ""
		if i%4 == 0 {
			label = string(rune('a' + i/4%3))
		}
		return fmt.Sprintf("e%d,%s,%c,%c,c%d", i, label, 'a'+i*i%7%3, 'a'+i%5%3, i%13)
	})
}

func forecastRows(int) string {
	return "id,label,low,middle,high,one,two,scale\n" + linesOf(60, func(i int) string {
		return fmt.Sprintf("e%d,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%d", i, 3*score(i), score(i+3), score(i+3)+1, score(i+3)+2, score(i+5), 2*score(i+7), 1+i%2)
	})
}

func rankingRows(int) string { return rankingHeader + linesOf(60, rankingRow) }

const rankingHeader = "query_id,item_id,relevance,score,kind,known\n"

func rankingRow(i int) string {
	return fmt.Sprintf("q%d,i%d,%d,%.3f,k%d,%d", i/6, i*7%40, i*i%5%3, score(i), i%4, i%9)
}

// shuffledRows are rows of rankingRows, no two of a query one after the other.
func shuffledRows(int) string {
	return rankingHeader + linesOf(60, func(i int) string { return rankingRow(i * 7 % 60) })
}

// raterColumns has ratings of three raters, some of which are missing.
func raterColumns(int) string {
	return "id,ann,bob,judge,suite\n" + linesOf(60, func(i int) string {
		bob := fmt.Sprint(1 + i*7%6)
		if i%9 == 0 {
			bob = ""
		}
		return fmt.Sprintf("q%d,%d,%s,%g,%d", i, 1+i*7%5, bob, 1.5+float64(i*7%4), i%2)
	})
}

// raterRows has a row for each rating, which is a word.
func raterRows(int) string {
	return "id,who,said\n" + linesOf(90, func(i int) string {
		return fmt.Sprintf("q%d,rater %d,%s", i/3, i%3, []string{"good", "bad", "fair"}[(i/3*5+i%3*(i%7/6))%3])
	})
}

// attemptRows has two attempts at each of some questions.
func attemptRows(int) string {
	return "id,passed,said,right,rating\n" + linesOf(60, func(i int) string {
		return fmt.Sprintf("q%d,%t,%c,x,%d", i/2, i*7%5 < 3, 'x'+i*7%5/3, 1+i%5)
	})
}

func preferenceRows(int) string {
	return "id,model_a,model_b,winner\n" + linesOf(60, func(i int) string {
		return fmt.Sprintf("e%d,%c,%c,%s", i, 'x'+i%3, 'x'+(i+1)%3, []string{"a", "b", "tie"}[i*i%7%3])
	})
}

func sparseRows(int) string {
	return linesOf(40, func(i int) string {
		return fmt.Sprintf(`{"id": "e%d", "labels": ["%c"], "scores": [{"label": "a", "score": %.3f}, {"label": "b", "score": %.3f}, {"label": "c", "score": %.3f}], "tags": ["x"], "kind": "%c"}`, i, 'a'+i*i%7%3, score(i), score(i+3), score(i+9), 'x'+i%2)
	})
}
