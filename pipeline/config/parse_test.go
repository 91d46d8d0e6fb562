package config

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/formats"
	"github.com/beameval/beameval/metrics"
)

func ptr(x float64) *float64 { return &x }

// with returns the defaults changed by f.
func with(f func(c *Config)) Config {
	c := Default()
	f(&c)
	return c
}

func TestParse(t *testing.T) {
	tests := []struct {
		name, yaml string
		want       Config
	}{
		{"empty", "", Default()},
		{"comments only", "# nothing\n\n# here\n", Default()},
		{"empty document", "---\n", Default()},
		{"byte order mark and CRLF", "\ufefftask: binary\r\nbad_rows: skip\r\n", with(func(c *Config) {
			c.Task = metrics.Binary
			c.BadRows = "skip"
		})},
		{"directive and document markers", "%YAML 1.2\n---\ntask: binary\n...\n", with(func(c *Config) { c.Task = metrics.Binary })},
		{"directive after a comment", "# c\n\n%YAML 1.2\n---\ntask: binary\n", with(func(c *Config) { c.Task = metrics.Binary })},
		{"JSON with escapes", `{"positive_label": "\ud83d\ude00\\ud83d\u00e9"}`, with(func(c *Config) { c.PositiveLabel = `😀\ud83dé` })},
		{"JSON", `{"task": "binary", "decision": {"threshold": 0.25}}`, with(func(c *Config) {
			c.Task = metrics.Binary
			c.Decision.Threshold.Default = ptr(0.25)
		})},
		{"one file", "input: {files: a.parquet}", with(func(c *Config) { c.Input.Files = []string{"a.parquet"} })},
		{"files", "input:\n  files:\n  - a.parquet\n  - b/*\n", with(func(c *Config) { c.Input.Files = []string{"a.parquet", "b/*"} })},
		{"columns", "input: {columns: {example: e, label: a.b, score: s, prediction: p, weight: w}}", with(func(c *Config) {
			c.Input.Columns = Columns{roles.Example: {Column: "e"}, roles.Label: {Column: "a.b"}, roles.Score: {Column: "s"}, roles.Prediction: {Column: "p"}, roles.Weight: {Column: "w"}}
		})},
		{"columns of labels in a list and a mapping", "input: {columns: {label: {b: is_b, a: is_a}, score: [s1, s2, s3], prediction: said_*}}\ntruth: {files: t, columns: {label: [y]}}", with(func(c *Config) {
			c.Input.Columns = Columns{
				roles.Label:      {Column: "is_b … is_a", Wide: []WideColumn{{"b", "is_b"}, {"a", "is_a"}}},
				roles.Score:      {Column: "s1 … s3", Wide: []WideColumn{{"", "s1"}, {"", "s2"}, {"", "s3"}}},
				roles.Prediction: {Column: "said_*"},
			}
			c.Truth = Truth{Files: []string{"t"}, Columns: TruthColumns{roles.Label: {Column: "y … y", Wide: []WideColumn{{"", "y"}}}}, Missing: "fail"}
		})},
		{"accepted constants", "calibration: {strategy: uniform}\noutput: {per_query: false}", Default()},
		{"one row per label", "task: multilabel\ninput: {layout: label, columns: {example: e, class: c}}", with(func(c *Config) {
			c.Task = metrics.Multilabel
			c.Input.Layout = "label"
			c.Input.Columns = Columns{roles.Example: {Column: "e"}, roles.Class: {Column: "c"}}
		})},
		{"ranking", "task: ranking\ninput: {layout: example, columns: {query: q, item: i, label: rel}}\n" +
			"ranking: {gain: linear, ties: item, relevance_threshold: 0.5, max_relevance: 3, empty_queries: one, negative_relevance: zero}\noutput: {per_query: True}", with(func(c *Config) {
			c.Task = metrics.Ranking
			c.Input.Layout = "example"
			c.Input.Columns = Columns{roles.Query: {Column: "q"}, roles.Item: {Column: "i"}, roles.Label: {Column: "rel"}}
			c.Ranking = Ranking{
				Gain: metrics.LinearGain, Ties: metrics.ItemTies, RelevanceThreshold: 0.5, MaxRelevance: 3,
				EmptyQueries: metrics.EmptyIsOne, MissingQueries: Skip, NegativeRelevance: NegativeZero, ItemFrequencies: c.Ranking.ItemFrequencies,
			}
			c.Output.PerQuery = true
		})},
		{"preset", "ranking: {preset: trec_eval}", with(func(c *Config) {
			c.Ranking.Preset, c.Ranking.Gain, c.Ranking.Ties = "trec_eval", metrics.LinearGain, metrics.ItemTies
			c.Ranking.EmptyQueries, c.Ranking.NegativeRelevance = metrics.EmptyIsZero, NegativeZero
		})},
		{"keys beside a preset", "ranking: {ties: expected, preset: trec_eval, empty_queries: one, relevance_threshold: 2}", with(func(c *Config) {
			c.Ranking.Preset, c.Ranking.Gain, c.Ranking.EmptyQueries = "trec_eval", metrics.LinearGain, metrics.EmptyIsOne
			c.Ranking.RelevanceThreshold, c.Ranking.NegativeRelevance = 2, NegativeZero
		})},
		{"queries without predictions", "truth: {files: t}\nranking: {missing_queries: zero}", with(func(c *Config) {
			c.Truth.Files, c.Ranking.MissingQueries = []string{"t"}, MissingZero
		})},
		{"score types of ranking", "task: ranking\ninput: {score_type: score}", with(func(c *Config) {
			c.Task = metrics.Ranking
			c.Input.ScoreType = metrics.RawScore
		})},
		{"truth in a file", "truth: {files: t.parquet}", with(func(c *Config) { c.Truth.Files = []string{"t.parquet"} })},
		{"truth of ranking", "task: ranking\ntruth: {files: [a, b], columns: {query: q, item: i, label: rel}, missing: skip}", with(func(c *Config) {
			c.Task = metrics.Ranking
			c.Truth = Truth{Files: []string{"a", "b"}, Columns: TruthColumns{roles.Query: {Column: "q"}, roles.Item: {Column: "i"}, roles.Label: {Column: "rel"}}, Missing: "skip"}
		})},
		{"truth of labels", "truth: {files: t, columns: {example: e, class: c}}", with(func(c *Config) {
			c.Truth = Truth{Files: []string{"t"}, Columns: TruthColumns{roles.Example: {Column: "e"}, roles.Class: {Column: "c"}}, Missing: "fail"}
		})},
		{"logits", "input: {score_type: logit}\ndecision: {threshold: -1.5}", with(func(c *Config) {
			c.Input.ScoreType = metrics.Logit
			c.Decision.Threshold.Default = ptr(-1.5)
		})},
		{"labels are text", `labels: [beach, 1, true, 010, 1.50, 0x1F, "null", .nan, no]`, with(func(c *Config) {
			c.Labels = []string{"beach", "1", "true", "010", "1.50", "0x1F", "null", ".nan", "no"}
		})},
		{"labels file", "labels_file: labels.txt", with(func(c *Config) { c.LabelsFile = "labels.txt" })},
		{"number of labels", "num_labels: 5000", with(func(c *Config) { c.NumLabels = 5000 })},
		{"positive label number", "positive_label: 1", with(func(c *Config) { c.PositiveLabel = "1" })},
		{"positive label boolean", "positive_label: true", with(func(c *Config) { c.PositiveLabel = "true" })},
		{"thresholds by label", "decision: {threshold: {default: 0.4, sunset: 0.3, 1: 0}}", with(func(c *Config) {
			c.Decision = Decision{Threshold: Thresholds{Default: ptr(0.4), ByLabel: map[string]float64{"sunset": 0.3, "1": 0}}}
		})},
		{"thresholds without default", "decision: {threshold: {sunset: 0.3}}", with(func(c *Config) {
			c.Decision = Decision{Threshold: Thresholds{ByLabel: map[string]float64{"sunset": 0.3}}}
		})},
		{"top k", "task: multilabel\ndecision: {top_k: 3}", with(func(c *Config) {
			c.Task = metrics.Multilabel
			c.Decision.TopK = 3
		})},
		{"k and beta are sets", "k: [10, 1, 5, 1]\nbeta: [2, 0.5, 1e-1, 2.0]", with(func(c *Config) {
			c.K = []int{1, 5, 10}
			c.Beta = []float64{0.1, 0.5, 2}
		})},
		{"no k", "k: []", with(func(c *Config) { c.K = []int{} })},
		{"metrics", "metrics: [f1_macro, ndcg@k]", with(func(c *Config) { c.Metrics = []string{"f1_macro", "ndcg@k"} })},
		{"zero division 1", "zero_division: 1", with(func(c *Config) { c.ZeroDivision = "1" })},
		{"zero division 1.0", "zero_division: 1.0", with(func(c *Config) { c.ZeroDivision = "1" })},
		{"zero division nan", "zero_division: nan", with(func(c *Config) { c.ZeroDivision = "nan" })},
		{"zero division .nan", "zero_division: .NaN", with(func(c *Config) { c.ZeroDivision = "nan" })},
		{"zero division quoted", `zero_division: "nan"`, with(func(c *Config) { c.ZeroDivision = "nan" })},
		{"slices", "slices:\n- country\n- [country, device]\n- {country: [de, 1, ~, 'null']}\n- a: [x]\n  b: [y, z]\n", with(func(c *Config) {
			c.Slices = []Slice{
				{{Column: "country"}},
				{{Column: "country"}, {Column: "device"}},
				{{Column: "country", Values: []SliceValue{{Text: "de"}, {Text: "1"}, {Null: true}, {Text: "null"}}}},
				{{Column: "a", Values: []SliceValue{{Text: "x"}}}, {Column: "b", Values: []SliceValue{{Text: "y"}, {Text: "z"}}}},
			}
		})},
		{"numeric slices", "slices:\n- {age: {bins: [18, 40, 65]}}\n- [country, {age: {quantiles: 4}}]\n- [{age: {bins: [1e6]}, country: [de]}]\n", with(func(c *Config) {
			c.Slices = []Slice{
				{{Column: "age", Binning: Binning{Bins: []float64{18, 40, 65}}}},
				{{Column: "country"}, {Column: "age", Binning: Binning{Quantiles: 4}}},
				{{Column: "age", Binning: Binning{Bins: []float64{1e6}}}, {Column: "country", Values: []SliceValue{{Text: "de"}}}},
			}
		})},
		{"a list of one", "metrics: f1\nslices: country\noutput: {formats: json}", with(func(c *Config) {
			c.Metrics, c.Slices, c.Output.Formats = []string{"f1"}, []Slice{{{Column: "country"}}}, []string{"json"}
		})},
		{"texts that mean null", "input: {null_values: [NA, -999, 'null', \"-\"]}", with(func(c *Config) { c.Input.NullValues = []string{"NA", "-999", "null", "-"} })},
		{"a text that means null", "input: {null_values: -1.0}", with(func(c *Config) { c.Input.NullValues = []string{"-1.0"} })},
		{"shares", "slices: country\nconfidence: {level: 90%}\ntask: binary\ndecision: {threshold: 90.1%}\n" +
			"gates: [{metric: f1, min: 90%, max: 97.5%, slice: country=de}, {metric: f1, max_drop: 2%, slice: 'country = a b'}]\n" +
			"monitor: {bounds: [{metric: f1, min: 7e1%}]}", with(func(c *Config) {
			c.Task, c.Slices, c.Confidence = metrics.Binary, []Slice{{{Column: "country"}}}, &Confidence{Level: 0.9, Metrics: []string{}}
			c.Decision.Threshold.Default = new(0.901)
			c.Gates = []Gate{
				{Metric: "f1", Min: new(0.9), Max: new(0.975), Slice: GateSlice{Values: []GateValue{{"country", SliceValue{Text: "de"}}}}},
				{Metric: "f1", MaxDrop: &Limit{2, true}, Slice: GateSlice{Values: []GateValue{{"country", SliceValue{Text: "a b"}}}}},
			}
			c.Monitor.Bounds = []MonitorBound{{Metric: "f1", Min: new(0.7)}}
		})},
		{"per label all", "per_label: all", with(func(c *Config) { c.PerLabel = PerLabel{All: true} })},
		{"per label none", "per_label: none", with(func(c *Config) { c.PerLabel = PerLabel{} })},
		{"per label number", "per_label: 20", with(func(c *Config) { c.PerLabel = PerLabel{Limit: 20} })},
		{"per label names", "per_label: [all, 7]", with(func(c *Config) { c.PerLabel = PerLabel{Names: []string{"all", "7"}} })},
		{"bins", "calibration: {bins: 0x20}", with(func(c *Config) { c.Calibration.Bins = 32 })},
		{"no points of curves", "curves: {points: 0}", with(func(c *Config) { c.Curves.Points = 0 })},
		{"log loss epsilon", "log_loss_eps: 1e-15", with(func(c *Config) { c.LogLossEps = 1e-15 })},
		{"skipped rows", "bad_rows: skip\nmax_skipped: 10", with(func(c *Config) { c.BadRows, c.MaxSkipped = "skip", Limit{10, false} })},
		{"probabilities must be within [0, 1]", "probability_tolerance: 0", with(func(c *Config) { c.ProbabilityTolerance = 0 })},
		{"output", "output: {dir: gs://b/o, formats: [parquet, json, parquet]}", with(func(c *Config) {
			c.Output = Output{Dir: "gs://b/o", Formats: []string{"json", "parquet"}, JSONRows: 100_000, MaxNamesMiB: 4096}
		})},
		{"anchors", "input:\n  columns: {label: &y truth}\nper_label: &names [a, b]\nlabels: *names\noutput: {dir: *y}", with(func(c *Config) {
			c.Input.Columns[roles.Label].Column = "truth"
			c.PerLabel = PerLabel{Names: []string{"a", "b"}}
			c.Labels = []string{"a", "b"}
			c.Output.Dir = "truth"
		})},
		{"explicit key and block string", "? task\n: >-\n  binary\n", with(func(c *Config) { c.Task = metrics.Binary })},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse([]byte(test.yaml), "c.yaml")
			if err != nil {
				t.Fatal(err)
			}
			got.src = nil
			if !reflect.DeepEqual(*got, test.want) {
				t.Errorf("got  %+v\nwant %+v", *got, test.want)
			}
		})
	}
}

func TestParseFull(t *testing.T) {
	data, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(data, "full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got.src = nil
	want := Config{
		Task: metrics.Multilabel,
		Input: Input{
			Files:  []string{"gs://bucket/preds/dt=2026-11-19/*.parquet", "more/preds.parquet"},
			Format: "parquet",
			Layout: LayoutExample,
			Columns: Columns{
				roles.Example: {Column: "example_id"}, roles.Label: {Column: "truth.labels"}, roles.Score: {Column: "scores"}, roles.ScoreLabel: {Column: "score_ids"},
				roles.Prediction: {Column: "predicted"}, roles.Weight: {Column: "weight"},
			},
			ScoreType:           metrics.Probability,
			LabelEncoding:       EncodingNames,
			Decimals:            DecimalsFloat64,
			Quotes:              "double",
			MaxPageMiB:          1024,
			BaselinePredictions: BaselinePredictions{Missing: Fail},
			MaxRowValues:        300_000,
			MaxNameKiB:          100,
			CompleteScores:      true,
		},
		Truth: Truth{
			Files:   []string{"gs://bucket/labels/dt=2026-11-19/*.parquet"},
			Format:  "parquet",
			Columns: TruthColumns{roles.Example: {Column: "id"}, roles.Label: {Column: "labels"}},
			Missing: Skip,
		},
		Labels:       []string{"beach", "sunset", "mountain", "1999"},
		Decision:     Decision{Threshold: Thresholds{Default: ptr(0.5), ByLabel: map[string]float64{"sunset": 0.3}}},
		Metrics:      []string{"subset_accuracy", "f1_macro", "ndcg@k"},
		K:            []int{1, 3, 5, 10},
		Beta:         []float64{0.5, 2},
		ZeroDivision: "nan",
		Groups:       Groups{By: GroupColumns{"race"}, Reference: References{{Group: "white"}}, Metrics: []string{"f1_macro"}},
		Slices: []Slice{
			{{Column: "country"}},
			{{Column: "country"}, {Column: "device"}},
			{
				{Column: "country", Values: []SliceValue{{Text: "de"}, {Text: "fr"}}},
				{Column: "device", Values: []SliceValue{{Text: "tv"}, {Null: true}}},
			},
			{{Column: "age", Binning: Binning{Bins: []float64{18, 40, 65}}}},
			{{Column: "country"}, {Column: "age", Binning: Binning{Quantiles: 4}}},
		},
		MaxSlices:      5000,
		PerLabel:       PerLabel{Names: []string{"beach", "sunset"}},
		AverageLabels:  []string{"beach", "mountain"},
		Calibration:    Calibration{Bins: 10, Strategy: "uniform"},
		Curves:         Curves{Mode: metrics.ExactCurves, Points: 1000, Bins: 4096, RangeMiB: 16},
		Ranking:        Default().Ranking,
		Preference:     Default().Preference,
		Raters:         Default().Raters,
		TuneThresholds: "f1",
		Propensity: Propensity{
			Frequencies: "train/frequencies.parquet", Columns: FrequencyColumns{"label", "count"}, Examples: 1_000_000, A: 0.55, B: 1.5,
		},
		LogLossEps: 1e-15, MaxSkipped: Limit{0.5, true}, ProbabilityTolerance: 1e-6,
		WorstExamples: &WorstExamples{Count: 30, Per: []string{"label", "slice"}},
		LabelPairs:    true,
		Sampling:      &Sampling{Finite: true},
		Confidence:    &Confidence{Level: 0.9, Groups: 100, By: "user_id", Seed: 7, Metrics: []string{"f1_macro"}},
		Search:        &Search{Columns: []string{"country", "age"}, Measure: "hamming_loss", Level: 3, Top: 10, MinSupport: 50, Alpha: 0.9, MaxValues: 100, MaxCandidates: 5000},
		Gates: []Gate{
			{Metric: "f1_macro", Min: new(0.8), Sure: true},
			{Metric: "recall", Label: "beach", Slice: GateSlice{Values: []GateValue{{"country", SliceValue{Text: "de"}}}}, Min: new(0.5), AllowUndefined: true},
			{Metric: "hamming_loss", Max: new(0.1), Slice: GateSlice{Each: true}},
			{Metric: "f1_macro", MaxDrop: &Limit{2.5, true}, MaxRise: &Limit{0.2, false}},
		},
		Checks:   Checks{Fail: []string{"inverted_scores", "skipped_rows"}, Off: []string{"few_distinct_scores"}, Volume: 0.3},
		Baseline: []string{"reports/dt=2026-11-18"}, BaselineWindow: 7, BaselineMissing: "fail",
		BadRows: Skip,
		Report: Report{
			Title: "Attributes of photos, nightly", Model: "resnet-50, 2026-11-18", Data: "photos of November 2026",
			Notes: "The labels were checked by two people.\n", Date: "2026-11-19",
			Headline: []string{"f1_macro", "subset_accuracy"}, SortBy: "f1_macro",
		},
		Monitor: Monitor{
			Metrics: []string{"f1_macro"}, Slices: "none", NightsToFalseAlarm: 1000, BurnIn: 28, Season: 7, MaxVolumeDrop: 0.3,
			Bounds: []MonitorBound{
				{Metric: "f1_macro", Min: new(0.8)},
				{Metric: "recall", Label: "beach", Slice: GateSlice{Values: []GateValue{{"country", SliceValue{Text: "de"}}}}, Max: new(1.0)},
			},
		},
		Output: Output{Dir: "out", Formats: []string{"json", "csv", "parquet", "markdown", "html"}, Statistics: &Statistics{MinSupport: 20, Curves: metrics.ExactCurves, IDs: true}, JSONRows: 5000, MaxNamesMiB: 100},
	}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("got  %+v\nwant %+v", *got, want)
	}
}

func TestDefaultsAreNotShared(t *testing.T) {
	a := Default()
	a.K[0], a.Beta[0], a.Output.Formats[0] = 7, 7, "x"
	if reflect.DeepEqual(a, Default()) || Default().Output.Formats[0] != "json" {
		t.Error("a change of one default configuration shows in the next")
	}
}

func TestThreshold(t *testing.T) {
	for _, test := range []struct {
		yaml string
		want float64
	}{
		{"", 0.5},
		{"input: {score_type: logit}", 0},
		{"input: {score_type: score}", 0},
		{"decision: {threshold: 0.2}", 0.2},
		{"decision: {threshold: {default: 0.2, a: 0.1}}", 0.2},
		{"decision: {threshold: {a: 0.1}}", 0.5},
	} {
		c, err := Parse([]byte(test.yaml), "")
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Threshold(); got != test.want {
			t.Errorf("%q: threshold %v, want %v", test.yaml, got, test.want)
		}
	}
}

// TestFormatsAreThoseOfTheTable: the configuration names the formats that can be read.
func TestFormatsAreThoseOfTheTable(t *testing.T) {
	for _, of := range []any{Input{}, Truth{}} {
		field, _ := reflect.TypeOf(of).FieldByName("Format")
		if got, want := field.Tag.Get("values"), strings.Join(formats.Names(), " "); got != want {
			t.Errorf("%T: got %q, want %q", of, got, want)
		}
	}
}

// TestGroups: a single column keeps its form in reports.
func TestGroups(t *testing.T) {
	for text, want := range map[string]string{
		"{by: race, reference: 1}":    `"groups":{"by":"race","reference":"1"}`,
		"{by: [race]}":                `"groups":{"by":"race"}`,
		"{by: race, min_support: 40}": `"groups":{"by":"race","min_support":40}`,
		"{by: [race, sex], reference: {race: white, sex: true}}": `"groups":{"by":["race","sex"],"reference":{"race":"white","sex":"true"}}`,
		"{by: [race, sex], reference: white}":                    `groups.reference: say of which column it is, such as {race: white}`,
		"{by: [race, sex], reference: {rac: white}}":             `groups.reference: "rac" is no column of by; did you mean "race"?`,
		"{by: [race, race]}":                                     `groups.by: has the column "race" twice`,
		"{by: []}":                                               `groups: needs by: the column that says of which group an example is`,
		`{by: race, reference: ""}`:                              `groups.reference: must not be empty`,
		"{by: race, reference: {}}":                              `groups.reference: needs at least one column`,
	} {
		c, err := Parse([]byte("task: binary\ninput: {files: a}\noutput: {dir: b}\ngroups: "+text), "c.yaml")
		if err != nil {
			require.ErrorContains(t, err, want)
			continue
		}
		echo, err := c.Echo()
		require.NoError(t, err)
		require.Contains(t, string(echo), want)
	}
	c := &Config{Groups: Groups{By: GroupColumns{"race", "sex"}}, Slices: []Slice{{{Column: "sex"}}}}
	require.Equal(t, []Slice{{{Column: "sex"}}, {{Column: "race"}}, {{Column: "race"}, {Column: "sex"}}}, c.AllSlices())
}
