package config

import (
	"math"
	"strings"
	"testing"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics"
)

// Configurations that no file can produce, and messages without positions.
func TestValidate(t *testing.T) {
	tests := []struct {
		name string
		set  func(c *Config)
		want []string
	}{
		{"default", func(c *Config) {}, nil},
		{"zero value", func(c *Config) { *c = Config{} }, []string{
			`input.baseline_predictions.missing: unknown value "" (valid values: fail, skip)`,
			`input.decimals: unknown value "" (valid values: exact, float64)`,
			`input.quotes: unknown value "" (valid values: double, none)`,
			`input.max_page_mib: must be from 1 to 16384, is 0`,
			`input.max_row_values: must be from 1 to 268435456, is 0`,
			`input.max_name_kib: must be from 1 to 1048576, is 0`,
			`truth.missing: unknown value "" (valid values: fail, skip)`,
			`calibration.bins: must be from 1 to 10000, is 0`,
			`calibration.strategy: unknown value "" (valid values: uniform, quantile)`,
			`curves.mode: unknown value "" (valid values: auto, exact, bounded)`,
			`curves.bins: must be from 2 to 16777216, is 0`,
			`curves.range_mib: must be from 1 to 1024, is 0`,
			`ranking.relevance_threshold: must be greater than 0, is 0`,
			`ranking.max_relevance: must be greater than 0, is 0`,
			`ranking.missing_queries: unknown value "" (valid values: skip, zero)`,
			`ranking.negative_relevance: unknown value "" (valid values: bad_row, zero)`,
			`ranking.item_frequencies.max_items: must be from 1 to 100000000, is 0`,
			`preference.ties: unknown value "" (valid values: half, davidson)`,
			"raters.max_values: must be from 2 to 100000, is 0",
			`propensity.b: must be greater than 0, is 0`,
			`more problems from here on: 12`,
		}},
		{"several", func(c *Config) {
			c.Task = metrics.Binary
			c.Decision = Decision{TopK: 2, Threshold: Thresholds{Default: ptr(math.NaN())}}
			c.K = []int{0}
			c.NumLabels = -1
			c.PerLabel.Limit = -1
		}, []string{
			`num_labels: only for task multiclass or multilabel, the task is binary`,
			`num_labels: must be from 1 to 2147483647, is -1`,
			`decision.top_k: only for task multilabel, the task is binary`,
			`k[0]: must be at least 1, is 0`,
			`per_label: must be at least 0, is -1`,
			`decision.threshold: must be a finite number, is NaN`,
			`decision.top_k: contradicts decision.threshold; give one of them`,
		}},
		{"top k", func(c *Config) { c.Decision.TopK = -1 }, []string{`decision.top_k: must be at least 1, is -1`}},
		{"thresholds are in the order of labels", func(c *Config) {
			c.Decision.Threshold.ByLabel = map[string]float64{"c": 3, "a": 2, "b": 0.5}
		}, []string{
			`decision.threshold.a: must be within [0, 1] for input.score_type probability, is 2`,
			`decision.threshold.c: must be within [0, 1] for input.score_type probability, is 3`,
		}},
		{"changed calibration", func(c *Config) {
			c.Input.ScoreType = metrics.RawScore
			c.Calibration.Bins = 20
		}, []string{`calibration: needs probabilities or logits, but input.score_type is score`}},
		{"unchanged calibration", func(c *Config) { c.Input.ScoreType = metrics.RawScore }, nil},
		{"ranking of another task", func(c *Config) {
			c.Task = metrics.Binary
			c.Ranking.MaxRelevance = 3
		}, []string{`ranking: only for task ranking, the task is binary`}},
		{"queries of no truth", func(c *Config) { c.Ranking.MissingQueries = MissingZero }, []string{
			`ranking.missing_queries: zero is for queries that only truth.files have, and there is no truth`,
		}},
		{"truth without files", func(c *Config) { c.Truth.Columns[roles.Label].Column = "y" }, []string{
			`truth.files: must say where the truth is; leave truth out if it is in the predictions`,
		}},
		{"sparse scores in layout label", func(c *Config) {
			c.Input.Columns = Columns{roles.Class: {Column: "c"}, roles.ScoreLabel: {Column: "c"}}
		}, nil},
		{"sparse scores of another column", func(c *Config) {
			c.Input.Columns = Columns{roles.Class: {Column: "c"}, roles.ScoreLabel: {Column: "d"}}
		}, []string{`input.columns.score_label: in layout label it can only be the column of input.columns.class: labels without a row then have no score`}},
		{"encoding of truth in lists", func(c *Config) {
			c.Input.Columns[roles.Class].Column, c.Input.LabelEncoding, c.Truth.Files = "c", EncodingNames, []string{"t"}
		}, nil},
		{"encoding without lists", func(c *Config) {
			c.Input.Columns[roles.Class].Column, c.Input.LabelEncoding = "c", EncodingIndicator
		}, []string{`input.label_encoding: only for input.layout example, the layout is label`}},
		{"an interval", func(c *Config) {
			c.Input.Columns[roles.Lower].Column, c.Input.Columns[roles.Upper].Column, c.Input.IntervalLevel = "l", "u", 0.9
		}, nil},
		{"an interval of one bound", func(c *Config) { c.Input.Columns[roles.Lower].Column, c.Input.IntervalLevel = "l", 0.9 }, []string{
			`input.columns.lower: an interval has two bounds: set input.columns.upper`,
		}},
		{"an interval of no level", func(c *Config) { c.Input.Columns[roles.Lower].Column, c.Input.Columns[roles.Upper].Column = "l", "u" }, []string{
			`input.interval_level: set it to the probability with which labels should lie within input.columns.lower and upper, such as 0.9`,
		}},
		{"a level of no interval", func(c *Config) { c.Input.IntervalLevel = 0.9 }, []string{`input.interval_level: only for input.columns.lower and upper`}},
		{"an interval beside quantiles", func(c *Config) {
			c.Input.Columns[roles.Lower].Column, c.Input.Columns[roles.Upper].Column, c.Input.IntervalLevel = "l", "u", 0.9
			c.Input.Columns[roles.Quantiles].Column = "q_*"
		}, []string{`input.columns.quantiles: only without input.columns.lower and upper: name these as quantiles, too`}},
		{"ranking takes any score", func(c *Config) { c.Task = metrics.Ranking }, nil},
		{"slices", func(c *Config) {
			c.Slices = []Slice{{}, {{Column: ""}}, {{Column: "a"}}, {{Column: "a", Values: []SliceValue{{Null: true}, {Null: true}}}}}
		}, []string{
			`slices[0]: needs at least one column`,
			`slices[1]: a column has no name`,
			`slices[3].a[1]: null is there twice`,
		}},
		{"null is not its text", func(c *Config) {
			c.Slices = []Slice{{{Column: "a", Values: []SliceValue{{Null: true}, {Text: "null"}, {}}}}}
		}, nil},
		{"same slice", func(c *Config) {
			x, y := SliceValue{Text: "x"}, SliceValue{Text: "y"}
			c.Slices = []Slice{
				{{Column: "a", Values: []SliceValue{x, y}}, {Column: "b"}},
				{{Column: "a", Values: []SliceValue{x}}, {Column: "b"}},
				{{Column: "b"}, {Column: "a", Values: []SliceValue{y, x}}},
			}
		}, []string{`slices[2]: repeats slices[0]`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := with(test.set)
			got := ""
			if err := c.Validate(); err != nil {
				got = err.Error()
			}
			if want := strings.Join(test.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A check that is delayed until the task is known still reports where the file set the key.
func TestValidateAfterInference(t *testing.T) {
	c, err := Parse([]byte("k: [1]\ndecision:\n  top_k: 3\n"), "eval.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c.Task = metrics.Multiclass
	err = c.Validate()
	if want := "eval.yaml:3:10: decision.top_k: only for task multilabel, the task is multiclass"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestErrorf(t *testing.T) {
	parsed, err := Parse([]byte("metrics:\n  - f1\n  - f3\ninput:\n  columns: {label: y}\n"), "eval.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defaults := Default()
	for _, test := range []struct {
		c          *Config
		path, want string
	}{
		{parsed, "metrics[1]", "eval.yaml:3:5: metrics[1]: oh 1"},
		{parsed, "metrics", "eval.yaml:1:1: metrics: oh 1"},
		{parsed, "input.columns.label", "eval.yaml:5:20: input.columns.label: oh 1"},
		{parsed, "input.columns.score", "eval.yaml:5:12: input.columns.score: oh 1"},
		{parsed, "k", "k: oh 1"},
		{&defaults, "metrics[1]", "metrics[1]: oh 1"},
	} {
		if got := test.c.Errorf(test.path, "oh %d", 1).Error(); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

// TestParseMonitor reads the file of an evaluation: what is wrong in the rest of it does not matter.
func TestParseMonitor(t *testing.T) {
	c, err := ParseMonitor([]byte("slices: [a, a]\nmonitor: {burn_in: 20, bounds: [{metric: f1, min: 0, slice: {b: x}, label: y}]}"), "eval.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if c.Monitor.BurnIn != 20 || !c.Monitor.EachSlice() || c.Monitor.Season != 0 || c.Monitor.Bounds[0].Gate().Label != "y" {
		t.Errorf("got %+v", c.Monitor)
	}
	_, err = ParseMonitor([]byte("slices: [a, a]\nmonitor: {burn_in: 2, season: 1}"), "eval.yaml")
	if want := "eval.yaml:2:20: monitor.burn_in: must be from 14 to 100000, is 2\neval.yaml:2:31: monitor.season: must be 0 or at least 2 days, is 1"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
