package config

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

func echoOf(t *testing.T, c *Config) string {
	t.Helper()
	raw, err := c.Echo()
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(raw) {
		t.Fatalf("not JSON: %s", raw)
	}
	return string(raw)
}

func TestEcho(t *testing.T) {
	const rest = `"metrics":[],"k":[1,3,5,10],"beta":[0.5,2],"zero_division":0,"slices":[],"per_label":1000,` +
		`"calibration":{"bins":10,"strategy":"uniform"},"curves":{"mode":"auto","points":1000,"bins":4096},"bad_rows":"fail","probability_tolerance":0.0001}`
	noProbabilities := strings.Replace(rest, `,"probability_tolerance":0.0001`, "", 1)
	tests := []struct{ name, yaml, want string }{
		{"default", "", `{"input":{"layout":"example","columns":{},"score_type":"probability"},"decision":{"threshold":0.5},` + rest},
		{
			"files, output and labels file are left out",
			"output: {dir: o, formats: [json]}\nlabels_file: l\ninput: {files: a, score_type: logit}",
			`{"input":{"layout":"example","columns":{},"score_type":"logit"},"decision":{"threshold":0},` + noProbabilities,
		},
		{
			"binary", "task: binary\npositive_label: <1>\ndecision: {threshold: 1e-7}",
			`{"task":"binary","input":{"layout":"example","columns":{},"score_type":"probability"},"positive_label":"\u003c1\u003e","decision":{"threshold":1e-7},` + rest,
		},
		{
			"multiclass decides by the highest score", "task: multiclass\nnum_labels: 7",
			`{"task":"multiclass","input":{"layout":"example","columns":{},"score_type":"probability"},"num_labels":7,` + rest,
		},
		{
			"all labels", "per_label: all",
			`{"input":{"layout":"example","columns":{},"score_type":"probability"},"decision":{"threshold":0.5},` +
				strings.Replace(rest, "1000", `"all"`, 1),
		},
		{"regression has no scores", "task: regression", `{"task":"regression","input":{"layout":"example","columns":{}},` + noProbabilities},
		{
			"one row per label", "task: multilabel\ninput: {layout: label, columns: {example: e, class: c}}",
			`{"task":"multilabel","input":{"layout":"label","columns":{"example":"e","class":"c"},"score_type":"probability"},"decision":{"threshold":0.5},` + rest,
		},
		{
			"a column of classes is one row per label", "input: {columns: {class: c}}",
			`{"input":{"layout":"label","columns":{"class":"c"},"score_type":"probability"},"decision":{"threshold":0.5},` + rest,
		},
		{
			"truth in files", "truth: {files: t, columns: {example: e, class: c, label: y}}",
			`{"input":{"layout":"example","columns":{},"score_type":"probability"},"truth":{"columns":{"example":"e","class":"c","label":"y"},"missing":"fail"},` +
				`"decision":{"threshold":0.5},` + rest,
		},
		{
			"ranking has neither decisions nor labels", "task: ranking\ncalibration: {bins: 5}\nlog_loss_eps: 0.1\nzero_division: 1\noutput: {per_query: true}",
			`{"task":"ranking","input":{"columns":{}},"metrics":[],"k":[1,3,5,10],"beta":[0.5,2],"slices":[],` +
				`"ranking":{"gain":"exponential","ties":"expected","relevance_threshold":1,"max_relevance":4,"empty_queries":"skip","missing_queries":"skip","negative_relevance":"bad_row"},"bad_rows":"fail"}`,
		},
		{
			"preset", "task: ranking\nranking: {preset: trec_eval, gain: exponential}",
			`{"task":"ranking","input":{"columns":{}},"metrics":[],"k":[1,3,5,10],"beta":[0.5,2],"slices":[],` +
				`"ranking":{"gain":"exponential","ties":"item","relevance_threshold":1,"max_relevance":4,"empty_queries":"zero","missing_queries":"skip","negative_relevance":"zero"},"bad_rows":"fail"}`,
		},
		{
			"ranking", "task: ranking\ninput: {layout: label, columns: {query: q, item: i}}\ntruth: {files: t, columns: {query: q, item: d, label: rel}, missing: skip}\n" +
				"ranking: {gain: linear, ties: item, relevance_threshold: 2, max_relevance: 3, empty_queries: zero, negative_relevance: zero}",
			`{"task":"ranking","input":{"layout":"label","columns":{"query":"q","item":"i"}},` +
				`"truth":{"columns":{"query":"q","item":"d","label":"rel"},"missing":"skip"},"metrics":[],"k":[1,3,5,10],"beta":[0.5,2],"slices":[],` +
				`"ranking":{"gain":"linear","ties":"item","relevance_threshold":2,"max_relevance":3,"empty_queries":"zero","missing_queries":"skip","negative_relevance":"zero"},"bad_rows":"fail","max_skipped":"100%"}`,
		},
		{
			"columns of labels", "input: {columns: {label: {b: is_b, a: is_a}, score: [s1, s2, s3], prediction: said_*}}",
			`{"input":{"layout":"example","columns":{"label":{"b":"is_b","a":"is_a"},"score":["s1","s2","s3"],"prediction":"said_*"},"score_type":"probability"},"decision":{"threshold":0.5},` + rest,
		},
		{
			"top k", "decision: {top_k: 3}",
			`{"input":{"layout":"example","columns":{},"score_type":"probability"},"decision":{"top_k":3},` + rest,
		},
		{
			"options",
			"k: []\nbeta: [2, 1.5]\nzero_division: .nan\nper_label: none\nbad_rows: skip\nmax_skipped: 7\nlog_loss_eps: 0.001\nprobability_tolerance: 0\ncalibration: {bins: 15}",
			`{"input":{"layout":"example","columns":{},"score_type":"probability"},"decision":{"threshold":0.5},` +
				`"metrics":[],"k":[],"beta":[1.5,2],"zero_division":"nan","slices":[],"per_label":"none",` +
				`"calibration":{"bins":15,"strategy":"uniform"},"curves":{"mode":"auto","points":1000,"bins":4096},"log_loss_eps":0.001,"bad_rows":"skip","max_skipped":7,"probability_tolerance":0}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := Parse([]byte(test.yaml), "")
			if err != nil {
				t.Fatal(err)
			}
			if got := echoOf(t, c); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestEchoFull(t *testing.T) {
	data, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse(data, "full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"task":"multilabel",` +
		`"input":{"layout":"example","columns":{"example":"example_id","label":"truth.labels","score":"scores","score_label":"score_ids","prediction":"predicted","weight":"weight"},` +
		`"score_type":"probability","label_encoding":"names","complete_scores":true,"decimals":"float64"},` +
		`"truth":{"columns":{"example":"id","label":"labels"},"missing":"skip"},` +
		`"labels":["beach","sunset","mountain","1999"],` +
		`"decision":{"threshold":{"default":0.5,"sunset":0.3}},` +
		`"metrics":["subset_accuracy","f1_macro","ndcg@k"],"k":[1,3,5,10],"beta":[0.5,2],"zero_division":"nan",` +
		`"slices":[["country"],["country","device"],{"country":["de","fr"],"device":["tv",null]},{"age":{"bins":[18,40,65]}},["country",{"age":{"quantiles":4}}]],` +
		`"per_label":["beach","sunset"],"average_labels":["beach","mountain"],"calibration":{"bins":10,"strategy":"uniform"},` +
		`"curves":{"mode":"exact","points":1000},"tune_thresholds":"f1",` +
		`"propensity":{"frequencies":"file","examples":1000000,"a":0.55,"b":1.5},"log_loss_eps":1e-15,"bad_rows":"skip","max_skipped":"0.5%","probability_tolerance":0.000001,"worst_examples":{"count":30,"per":["label","slice"]},"label_pairs":true,"confidence":{"level":0.9,"groups":100,"by":"user_id","seed":7,"metrics":["f1_macro"]},"sampling":{"finite":true},"gates":[{"metric":"f1_macro","min":0.8,"sure":true},{"metric":"recall","slice":{"country":"de"},"label":"beach","min":0.5,"allow_undefined":true},{"metric":"hamming_loss","slice":"each","max":0.1},{"metric":"f1_macro","max_drop":"2.5%","max_rise":0.2}],` +
		`"report":{"title":"Attributes of photos, nightly","model":"resnet-50, 2026-11-18","data":"photos of November 2026","notes":"The labels were checked by two people.\n","date":"2026-11-19","headline":["f1_macro","subset_accuracy"],"sort_by":"f1_macro"},"groups":{"by":"race","reference":"white","metrics":["f1_macro"]},"search":{"columns":["country","age"],"measure":"hamming_loss","level":3,"top":10,"min_support":50,"alpha":0.9,"max_values":100,"max_candidates":5000,"confirm":false}}`
	got := echoOf(t, c)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	named := strings.Replace(got, `"truth":{`, `"truth":{"files":["t"],`, 1)
	again, err := Parse([]byte(named), "echo.json")
	if err != nil {
		t.Fatal(err)
	}
	if second := echoOf(t, again); second != got {
		t.Errorf("the echo of the echo differs:\n%s\n%s", got, second)
	}
}

// The order of maps and sets must not be visible.
func TestEchoIsCanonical(t *testing.T) {
	c := with(func(c *Config) {
		c.Decision.Threshold.ByLabel = map[string]float64{"c": 0.1, "b": 0.2, "a": 0.3, "e": 0.4, "d": 0.5}
		c.K = []int{5, 1, 5}
	})
	want := echoOf(t, &c)
	for range 20 {
		if got := echoOf(t, &c); got != want {
			t.Fatalf("echo differs:\n%s\n%s", got, want)
		}
	}
	if c.K[0] != 5 || len(c.K) != 3 {
		t.Errorf("Echo changed K to %v", c.K)
	}
}

func TestEchoOfNoNumber(t *testing.T) {
	c := with(func(c *Config) { c.Decision.Threshold.ByLabel = map[string]float64{"a": math.NaN()} })
	if _, err := c.Echo(); err == nil {
		t.Error("NaN echoed")
	}
}
