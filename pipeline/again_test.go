package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// againWith evaluates the statistics of a report again, with keys of the configuration: KEY=VALUE, one a line.
func againWith(t *testing.T, dir, keys string) (made string, leftOut []string) {
	t.Helper()
	p, err := openAgain(t, dir, keys)
	require.NoError(t, err)
	out := p.Output
	out.Dir = filepath.Join(t.TempDir(), "again")
	graph, s := beam.NewPipelineWithRoot()
	transforms.Merge(s, p).WriteReport(s, out)
	require.NoError(t, runOn(t.Context(), graph, "direct"))
	return out.Dir, p.LeftOut
}

func openAgain(t *testing.T, dir, keys string) (*transforms.Parts, error) {
	t.Helper()
	list := strings.Split(keys, "\n")
	var names []string
	for _, assignment := range list {
		name, _, _ := strings.Cut(assignment, "=")
		names = append(names, name)
	}
	return Again(t.Context(), dir, names, func(cfg *config.Config) error {
		for _, assignment := range list {
			if err := cfg.Set(assignment); err != nil {
				return err
			}
		}
		return nil
	})
}

// againData is text for each of some tasks, with a configuration that finds its columns.
var againData = func() map[string][2]string {
	score := func(i int) float64 { return float64(i*37%101) / 101 }
	rows := func(header string, n int, row func(i int) string) string {
		var text strings.Builder
		fmt.Fprintln(&text, header)
		for i := range n {
			fmt.Fprintln(&text, row(i))
		}
		return text.String()
	}
	classes := rows("id,label,a,b,c,country", 300, func(i int) string {
		x, y := score(i)/2, score(i+5)/2
		return fmt.Sprintf("%d,%c,%v,%v,%v,c%d", i, 'a'+i*i%7%3, x, y, 1-x-y, i%4)
	})
	return map[string][2]string{
		"binary": {"task: binary\nslices: [country]\ncurves: {mode: bounded}\n", rows("id,label,score,country", 400, func(i int) string {
			return fmt.Sprintf("%d,%d,%.4f,%s", i, i*i%7%2, score(i), []string{"de", "fr", "ch"}[i*i%11%3])
		})},
		"multiclass": {"task: multiclass\nslices: [country]\ncurves: {mode: bounded}\nlabels: [a, b, c]\ninput: {columns: {score: {a: a, b: b, c: c}}}\n", classes},
		"found":      {"task: multiclass\nslices: [country]\ninput: {columns: {prediction: a, score: ~}}\n", strings.ReplaceAll(classes, "0.", "x")},
		"regression": {"task: regression\nslices: [country]\ncurves: {mode: bounded}\n", rows("id,label,prediction,country", 300, func(i int) string {
			return fmt.Sprintf("%d,%.3f,%.3f,c%d", i, score(i), score(i+2), i%3)
		})},
		"ranking": {"task: ranking\nslices: [country]\n", rows("query_id,item_id,relevance,score,country", 600, func(i int) string {
			q := i / 5
			return fmt.Sprintf("q%d,i%d,%d,%.4f,%s", q, i*7%40, i*i%5%3, score(i), []string{"de", "fr"}[q*q%3%2])
		})},
		"grade": {"task: grade\nslices: [country]\ninput: {columns: {example: id, grade: passed, answer: answer, label: label}}\nk: [1, 2]\n", rows("id,passed,answer,label,country", 400, func(i int) string {
			task := i / 4
			return fmt.Sprintf("%d,%t,%c,x,c%d", task, i*i%7%2 == 0, 'x'+i*i%5%2, task%3)
		})},
		"further grades": {"task: grade\nslices: [country]\ninput: {columns: {example: id, grade: passed, grades: {usd: cost, late: late}}}\nlower_is_better: [usd]\nk: [1, 2]\n", rows("id,passed,cost,late,country", 400, func(i int) string {
			task := i / 4
			return fmt.Sprintf("%d,%t,%v,%t,c%d", task, i*i%7%2 == 0, score(i), i%3 == 0, task%3)
		})},
		"preference": {"task: preference\nslices: [country]\n", rows("id,model_a,model_b,winner,country", 300, func(i int) string {
			return fmt.Sprintf("%d,m%d,m%d,%s,c%d", i, i%4, (i+1+i*i%7%3)%4, []string{"model_a", "model_b", "tie"}[i*i%5%3], i%3)
		})},
	}
}()

// TestAgainIsEvaluation: a report from the statistics of another has the bytes of an evaluation with these keys.
func TestAgainIsEvaluation(t *testing.T) {
	t.Parallel()
	for i, c := range []struct{ data, yaml, keys string }{
		{"binary", "", "metrics=[f1, roc_auc]"},
		{"binary", "metrics: [f1, net_benefit@0.2, net_benefit@0.3, log_loss, ece]\n", "metrics=[net_benefit@0.3, brier]"},
		{"binary", "confidence: {}\n", "metrics=[log_loss, f1]\nconfidence.level=0.9"},
		{"binary", "confidence: {metrics: [f1]}\n", "confidence.metrics=[accuracy, roc_auc]"},
		{"binary", "confidence: {}\n", "costs={fp: 1, fn: 10}\ntune_thresholds=expected_cost"},
		{"binary", "tune_thresholds: f1\n", "tune_thresholds=youden\nzero_division=nan"},
		{"binary", "confidence: {}\ngates: [{metric: f1, min: 0.9}]\n", "gates=[{metric: accuracy, min: 0.1, slice: {country: de}, sure: true}, {metric: f1, max_drop: 0.1}]"},
		{"binary", "confidence: {slices: overall}\ngates: [{metric: f1, min: 0.9, slice: {country: de}}]\n", "gates=[{metric: f1, min: 0.1}]"},
		{"binary", "groups: {by: country}\nconfidence: {}\n", "groups.reference=de\ngroups.metrics=[f1]"},
		{"binary", "", "output.formats=[json, csv]"},
		{"binary", "worst_examples: 5\n", "metrics=[f1]\nreport={title: Again, headline: [f1]}"},
		{"binary", "", "decision.threshold=0.25\nmetrics=[f1, accuracy, roc_auc]"},
		{"binary", "confidence: {}\n", "decision.threshold=0.36"},
		{"multiclass", "confidence: {}\n", "average_labels=[a, b]\nper_label=[b]"},
		{"multiclass", "average_labels: [a, b]\n", "average_labels=[a, c]\ncosts=[[0, 1, 2], [1, 0, 3], [4, 1, 0]]"},
		{"multiclass", "", "beta=[3]\nmetrics=[f<beta>_macro, top_k_accuracy@3, log_loss]"},
		{"found", "confidence: {}\n", "metrics=[f1_macro, cohen_kappa]\nper_label=2"},
		{"regression", "confidence: {}\n", "metrics=[mae, r2]"},
		{"ranking", "confidence: {}\n", "metrics=[ndcg@10, map]"},
		{"ranking", "output: {formats: [json, parquet, csv, markdown]}\nmetrics: [mrr, \"gini@1\", \"gini@3\", \"personalization@3\", \"personalization@5\"]\n", "metrics=[mrr, \"gini@1\", \"personalization@5\"]"},
		{"ranking", "output: {formats: [json, parquet, csv]}\nk: [1, 5, 10]\n", "k=[5]"},
		{"grade", "confidence: {}\n", "metrics=[pass@2, majority_accuracy]"},
		{"further grades", "confidence: {}\n", "metrics=[mean_usd, pass@2_late, std_usd]"},
		{"further grades", "metrics: [pass_rate, median_usd, mean_late]\n", "metrics=[quantile@0.9_usd]"},
		{"preference", "confidence: {}\n", "preference={ties: davidson, reference: m2}"},
	} {
		t.Run(fmt.Sprintf("%d %s", i, c.data), func(t *testing.T) {
			t.Parallel()
			text := againData[c.data]
			of := func(keys string) string {
				cfg := parse(t, text[0]+c.yaml, namedTexts(t, [2]string{"data.csv", text[1]})...)
				require.NoError(t, cfg.Set("output.statistics=true"))
				for _, assignment := range strings.Split(keys, "\n") {
					if keys != "" {
						require.NoError(t, cfg.Set(assignment))
					}
				}
				return evaluateOn(t, cfg, "direct", 0)
			}
			got, _ := againWith(t, of(""), c.keys)
			requireSameReport(t, of(c.keys), got)
			back, _ := againWith(t, got, "report.title=Same")
			require.DirExists(t, back)
		})
	}
}

// TestAgainLeavesOut: what was not made is left out by name, and everything else is as in an evaluation.
func TestAgainLeavesOut(t *testing.T) {
	t.Parallel()
	of := func(yaml string) string {
		return evaluateOn(t, parse(t, againData["ranking"][0]+yaml+"output: {statistics: true}\n", namedTexts(t, [2]string{"data.csv", againData["ranking"][1]})...), "direct", 0)
	}
	first := of("")
	got, leftOut := againWith(t, first, "metrics=[precision@5]")
	require.Equal(t, []string{"histogram of precision@5, which was not made"}, leftOut)
	require.NoFileExists(t, filepath.Join(got, "histograms.parquet"))
	for _, name := range []string{report.MetricsJSON, report.MetricsParquet} {
		want, err := os.ReadFile(filepath.Join(of("metrics: [precision@5]\n"), name))
		require.NoError(t, err)
		made, err := os.ReadFile(filepath.Join(got, name))
		require.NoError(t, err)
		require.Equal(t, string(want), string(made))
	}
}

// TestAgainRefuses: an error says what statistics cannot have, and what to do.
func TestAgainRefuses(t *testing.T) {
	t.Parallel()
	dirs := map[string]string{}
	for name, yaml := range map[string]string{
		"plain": "", "json": "output: {statistics: true, formats: [json]}\n", "listed": "worst_examples: 3\n", "named": "metrics: [f1]\n", "overall": "confidence: {slices: overall}\n", "grouped": "confidence: {metrics: [f1]}\ngates: [{metric: recall, min: 0.1}]\n",
	} {
		if name != "json" {
			yaml += "output: {statistics: true}\n"
		}
		dirs[name] = evaluateOn(t, parse(t, againData["binary"][0]+yaml, namedTexts(t, [2]string{"data.csv", againData["binary"][1]})...), "direct", 0)
	}
	for _, c := range []struct{ of, keys, why string }{
		{"plain", "calibration.bins=5", `calibration.bins cannot be set for statistics that exist: evaluate the predictions with it; what can be set is metrics, k,`},
		{"plain", "metrics=[net_benefit@0.37]", `metric net_benefit@0.37: its statistics were not made: evaluate the predictions with it among metrics`},
		{"plain", "metrics=[f2, acuracy]", `--set: metrics[1]: unknown metric "acuracy" of task binary; did you mean "accuracy"?`},
		{"plain", "metrics=[miscalibration]", `exact curves`},
		{"plain", "zero_division=2", `zero_division`},
		{"plain", "confidence.level=0.9", `--set: confidence: there are no intervals, because the statistics are not divided into groups: evaluate the predictions with it`},
		{"plain", "gates=[{metric: f1, min: 0.5, sure: true}]", `there are no intervals`},
		{"named", "metrics=[roc_auc]", `metric roc_auc: its statistics were not made: evaluate the predictions with it among metrics`},
		{"named", "tune_thresholds=f1", `histograms of scores, which thresholds are tuned by, were not made: evaluate the predictions`},
		{"json", "output.formats=[json, parquet]", `histograms of scores for Parquet files were not made: evaluate the predictions`},
		{"named", "decision.threshold=0.3", `a threshold needs the histograms of scores of a binary task without a baseline, which metrics of curves have: evaluate the predictions with this threshold`},
		{"listed", "decision.threshold=0.3", `single examples are listed with their decisions: evaluate the predictions with this threshold`},
		{"overall", "gates=[{metric: f1, min: 0.5, slice: {country: de}}]", `the gate's slice country=de would have intervals, and its statistics are not divided into groups: evaluate the predictions`},
		{"overall", "gates=[{metric: f1, min: 0.5, slice: each}]", `each slice would have intervals, and their statistics are not divided into groups: evaluate the predictions`},
		{"grouped", "metrics=[recall]", `confidence.metrics[0]: "f1" is not computed: add it to metrics`},
		{"grouped", "metrics=[f1]", `gates[0].metric: "recall" is not computed: add it to metrics`},
	} {
		_, err := openAgain(t, dirs[c.of], c.keys)
		require.ErrorContains(t, err, c.why, c.keys)
	}
}

// TestAgainWithinBins: a threshold within a bin of scores is an error; one between bins is none.
func TestAgainWithinBins(t *testing.T) {
	t.Parallel()
	text := "id,label,score\n"
	for i := range 9000 {
		text += fmt.Sprintf("%d,%d,%.8f\n", i, i*i%7%2, float64(i*3701%9001)/9001)
	}
	of := func(threshold string) string {
		return evaluateOn(t, parse(t, "task: binary\ncurves: {mode: bounded}\nmetrics: [f1, roc_auc]\ndecision: {threshold: "+threshold+"}\noutput: {statistics: true}\n", namedTexts(t, [2]string{"data.csv", text})...), "direct", 0)
	}
	first := of("0.5")
	got, _ := againWith(t, first, "decision.threshold=0.75")
	requireSameReport(t, of("0.75"), got)
	p, err := openAgain(t, first, "decision.threshold=0.7371")
	require.NoError(t, err)
	out := p.Output
	out.Dir = filepath.Join(t.TempDir(), "again")
	graph, s := beam.NewPipelineWithRoot()
	transforms.Merge(s, p).WriteReport(s, out)
	require.ErrorContains(t, runOn(t.Context(), graph, "direct"), "statistics.bin: slice overall: the threshold 0.7371 is within a bin of scores: choose one of the thresholds of curves, or evaluate the predictions with it")
	require.NoDirExists(t, out.Dir)
}
