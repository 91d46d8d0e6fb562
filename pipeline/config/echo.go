package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/beameval/beameval/metrics"
)

// maxLabels is the maximum number of names of labels that the report repeats.
const maxLabels = 1000

// Echo returns the effective configuration in the form of the report: a JSON object with the keys
// of the file in a fixed order and with defaults filled in. It omits what does not influence the
// value of any metric: the names of files, and output. It also omits keys without a value and those
// without a meaning for the task. Used as a configuration file, the result means the same, with
// these exceptions: the files of the truth and of a baseline must be added, files with frequencies of labels or
// items are "file", and more than 1,000 labels are given by their number. The characters <, > and & are
// escaped, as in all JSON that Beam sends to workers, so that reports are equal on every runner.
func (c *Config) Echo() (json.RawMessage, error) {
	e := *c
	e.Input.Layout = c.layout()
	if e.Decision.TopK == 0 {
		threshold := c.Threshold()
		e.Decision.Threshold.Default = &threshold
	}
	if len(c.Labels) > maxLabels {
		e.Labels, e.NumLabels = nil, len(c.Labels)
	}
	if c.Propensity.Frequencies != FrequenciesTruth {
		e.Propensity.Frequencies = "file"
	}
	if len(c.Ranking.ItemFrequencies.Files) > 0 {
		e.Ranking.ItemFrequencies.Files = []string{"file"}
	}
	e.K, e.Beta = sorted(c.K), sorted(c.Beta)
	without := c.meaningless()
	without["input.quotes"] = c.Input.Quotes != QuotesNone
	without["input.decimals"] = c.Input.Decimals != DecimalsFloat64
	without["report"] = reflect.ValueOf(c.Report).IsZero()
	raw, err := echo{c.Task, without}.mapping("", e.keys()).MarshalJSON()
	var escaped bytes.Buffer
	json.HTMLEscape(&escaped, raw)
	return escaped.Bytes(), err
}

// meaningless returns the paths of keys that another key makes meaningless.
func (c *Config) meaningless() map[string]bool {
	return map[string]bool{
		"truth":                      len(c.Truth.Files) == 0,
		"input.baseline_predictions": len(c.Input.BaselinePredictions.Files) == 0,
		"curves.bins":                c.Curves.Mode == metrics.ExactCurves,
		"groups":                     len(c.Groups.By) == 0,
		"ranking":                    c.Task != metrics.Ranking,
		"ranking.item_frequencies":   len(c.Ranking.ItemFrequencies.Files) == 0,
		"preference":                 c.Task != metrics.Preference,
		"raters":                     c.Task != metrics.Agreement,
		"calibration":                c.Scores() == metrics.RawScore,
		"propensity":                 c.Propensity.Frequencies == "",
		"max_skipped":                c.BadRows != Skip && c.Truth.Missing != Skip && c.Input.BaselinePredictions.Missing != Skip,
		"probability_tolerance":      c.Input.ScoreType != metrics.Probability,
	}
}

// echo decides which keys a report repeats.
type echo struct {
	task    metrics.Task
	without map[string]bool // paths of keys that another key makes meaningless
}

// mapping writes the keys that have a meaning for the task and are set or have a default.
func (e echo) mapping(path string, keys []key) *object {
	o := new(object)
	for _, k := range keys {
		here := join(path, k.name)
		tasks, listed := k.tasks("echo", "tasks")
		meant := !listed || slices.Contains(tasks, e.task) || e.task == 0 && len(tasks) > 0
		_, always := k.tag.Lookup("default")
		switch below := k.below(); {
		case e.without[here] || !meant:
		case below != nil:
			o.add(k.name, e.mapping(here, below))
		case always || !k.value.IsZero():
			o.add(k.name, k.value.Interface())
		}
	}
	return o
}

// sorted returns the distinct elements of s in ascending order; the result is never nil.
func sorted[T cmp.Ordered](s []T) []T {
	s = append([]T{}, s...)
	slices.Sort(s)
	return slices.Compact(s)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// object writes a JSON object whose keys are in the order in which they were added.
type object struct {
	buf bytes.Buffer
	err error
}

func (o *object) add(key string, value any) {
	separator := byte(',')
	if o.buf.Len() == 0 {
		separator = '{'
	}
	k, keyErr := marshal(key)
	v, err := marshal(value)
	o.err = cmp.Or(o.err, keyErr, err)
	o.buf.WriteByte(separator)
	o.buf.Write(k)
	o.buf.WriteByte(':')
	o.buf.Write(v)
}

// MarshalJSON implements json.Marshaler.
func (o *object) MarshalJSON() ([]byte, error) {
	if o.buf.Len() == 0 {
		return []byte("{}"), nil
	}
	return append(o.buf.Bytes(), '}'), o.err
}

// marshal is like json.Marshal, but does not escape HTML.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
