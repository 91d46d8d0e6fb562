package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// echo is the canonical configuration. Its fields are in the order of the
// file's documentation, and what is not set is left out.
type echo struct {
	Task          string           `json:"task,omitempty"`
	Input         echoInput        `json:"input"`
	Truth         *echoTruth       `json:"truth,omitempty"`
	Labels        []string         `json:"labels,omitempty"`
	NumLabels     int              `json:"num_labels,omitempty"`
	PositiveLabel string           `json:"positive_label,omitempty"`
	Decision      *echoDecision    `json:"decision,omitempty"`
	Metrics       []string         `json:"metrics"`
	K             []int            `json:"k"`
	Beta          []float64        `json:"beta"`
	ZeroDivision  any              `json:"zero_division,omitempty"`
	Slices        []echoSlice      `json:"slices"`
	PerLabel      any              `json:"per_label,omitempty"`
	Calibration   *echoCalibration `json:"calibration,omitempty"`
	Curves        *echoCurves      `json:"curves,omitempty"`
	Ranking       *echoRanking     `json:"ranking,omitempty"`
	Thresholds    string           `json:"tune_thresholds,omitempty"`
	Propensity    *echoPropensity  `json:"propensity,omitempty"`
	LogLossEps    float64          `json:"log_loss_eps,omitempty"`
	BadRows       string           `json:"bad_rows"`
	MaxSkipped    any              `json:"max_skipped,omitempty"`
	Tolerance     *float64         `json:"probability_tolerance,omitempty"`
}

type echoInput struct {
	Layout        string      `json:"layout,omitempty"`
	Columns       echoColumns `json:"columns"`
	ScoreType     string      `json:"score_type,omitempty"`
	LabelEncoding string      `json:"label_encoding,omitempty"`
	Decimals      string      `json:"decimals,omitempty"` // unless exact
}

type echoColumns struct {
	Example    string `json:"example,omitempty"`
	Class      string `json:"class,omitempty"`
	Query      string `json:"query,omitempty"`
	Item       string `json:"item,omitempty"`
	Label      Origin `json:"label,omitzero"`
	Score      Origin `json:"score,omitzero"`
	ScoreLabel string `json:"score_label,omitempty"`
	Prediction Origin `json:"prediction,omitzero"`
	Weight     string `json:"weight,omitempty"`
}

type echoTruth struct {
	Columns echoTruthColumns `json:"columns"`
	Missing string           `json:"missing"`
}

type echoTruthColumns struct {
	Example string `json:"example,omitempty"`
	Class   string `json:"class,omitempty"`
	Query   string `json:"query,omitempty"`
	Item    string `json:"item,omitempty"`
	Label   Origin `json:"label,omitzero"`
}

func (t *Truth) echo() *echoTruth {
	if len(t.Files) == 0 {
		return nil
	}
	return &echoTruth{echoTruthColumns(t.Columns), t.Missing}
}

type echoDecision struct {
	Threshold any `json:"threshold,omitempty"`
	TopK      int `json:"top_k,omitempty"`
}

type echoCalibration struct {
	Bins     int    `json:"bins"`
	Strategy string `json:"strategy"`
}

type echoCurves struct {
	Mode   string `json:"mode"`
	Points int    `json:"points"`
	Bins   int    `json:"bins,omitempty"`
}

func (c *Curves) echo() *echoCurves {
	e := &echoCurves{Mode: c.Mode, Points: c.Points}
	if c.Mode != CurvesExact {
		e.Bins = c.Bins
	}
	return e
}

type echoRanking struct {
	Gain               string  `json:"gain"`
	Ties               string  `json:"ties"`
	RelevanceThreshold float64 `json:"relevance_threshold"`
	MaxRelevance       float64 `json:"max_relevance"`
	EmptyQueries       string  `json:"empty_queries"`
	NegativeRelevance  string  `json:"negative_relevance"`
}

type echoPropensity struct {
	Frequencies string  `json:"frequencies"`
	Examples    int     `json:"examples,omitempty"`
	A           float64 `json:"a"`
	B           float64 `json:"b"`
}

func (p *Propensity) echo() *echoPropensity {
	switch p.Frequencies {
	case "":
		return nil
	case FrequenciesTruth:
		return &echoPropensity{FrequenciesTruth, 0, p.A, p.B}
	}
	return &echoPropensity{"file", p.Examples, p.A, p.B}
}

// maxLabels is how many names of labels the report repeats.
const maxLabels = 1000

// Echo returns the effective configuration as the report states it: a JSON
// object with the keys of the file in a fixed order and defaults filled in.
// What does not decide a metric's value is left out: the names of files, and
// output. So are keys without a value and those without a meaning for the task.
// As a configuration file, the result means the same, but that it has to be told
// the files of the truth, if there is a truth, that a file with frequencies of
// labels is "file", and that more than 1,000 labels are given by their number.
func (c *Config) Echo() (json.RawMessage, error) {
	zeroDivision := any(c.ZeroDivision)
	if c.ZeroDivision != ZeroDivisionNaN {
		zeroDivision = c.ZeroDivision.Value()
	}
	decimals := c.Input.Decimals
	if decimals == DecimalsExact {
		decimals = ""
	}
	e := echo{
		Task: c.Task,
		Input: echoInput{
			Layout:        c.effectiveLayout(),
			Columns:       echoColumns(c.Input.Columns),
			ScoreType:     c.Input.ScoreType,
			LabelEncoding: c.Input.LabelEncoding,
			Decimals:      decimals,
		},
		Truth:         c.Truth.echo(),
		Labels:        c.Labels,
		NumLabels:     c.NumLabels,
		PositiveLabel: c.PositiveLabel,
		Decision:      c.echoDecision(),
		Metrics:       notNil(c.Metrics),
		K:             sorted(c.K),
		Beta:          sorted(c.Beta),
		ZeroDivision:  zeroDivision,
		Slices:        []echoSlice{},
		PerLabel:      c.PerLabel.echo(),
		Calibration:   (*echoCalibration)(&c.Calibration),
		Curves:        c.Curves.echo(),
		Thresholds:    c.TuneThresholds,
		Propensity:    c.Propensity.echo(),
		LogLossEps:    c.LogLossEps,
		BadRows:       c.BadRows,
	}
	if n := len(c.Labels); n > maxLabels {
		e.Labels, e.NumLabels = nil, n
	}
	for _, s := range c.Slices {
		e.Slices = append(e.Slices, echoSlice(s))
	}
	switch c.Task {
	case TaskRegression:
		e.Input.ScoreType = ""
	case TaskRanking:
		e.Input.ScoreType, e.ZeroDivision, e.PerLabel, e.Calibration, e.Curves, e.LogLossEps = "", nil, nil, nil, nil, 0
		e.Ranking = (*echoRanking)(&c.Ranking)
	}
	if c.BadRows == BadRowsSkip || c.Truth.Missing == MissingSkip {
		e.MaxSkipped = c.MaxSkipped.echo()
	}
	if e.Input.ScoreType == ScoreProbability {
		e.Tolerance = &c.ProbabilityTolerance
	}
	return marshal(e)
}

// effectiveLayout returns the layout, or "" where only the data can tell it.
func (c *Config) effectiveLayout() string {
	switch {
	case c.Input.Layout != "":
		return c.Input.Layout
	case c.Input.Columns.Class != "":
		return LayoutLabel
	case c.Task == TaskRanking:
		return ""
	}
	return LayoutExample
}

// echoDecision returns nil for tasks that decide in another way: the class
// with the highest score, or nothing to decide.
func (c *Config) echoDecision() *echoDecision {
	if c.Task == TaskMulticlass || c.Task == TaskRanking || c.Task == TaskRegression {
		return nil
	}
	switch {
	case c.Decision.TopK > 0:
		return &echoDecision{TopK: c.Decision.TopK}
	case len(c.Decision.PerLabel) > 0:
		return &echoDecision{Threshold: echoThresholds{c.Threshold(), c.Decision.PerLabel}}
	}
	return &echoDecision{Threshold: c.Threshold()}
}

// echoThresholds writes the default first and the labels in their order.
type echoThresholds struct {
	Default  float64
	PerLabel map[string]float64
}

func (t echoThresholds) MarshalJSON() ([]byte, error) {
	o := object{}
	o.add(defaultThreshold, t.Default)
	for _, name := range sortedKeys(t.PerLabel) {
		o.add(name, t.PerLabel[name])
	}
	return o.bytes()
}

func (p PerLabel) echo() any {
	switch {
	case p.All:
		return perLabelAll
	case len(p.Names) > 0:
		return p.Names
	case p.Limit == 0:
		return perLabelNone
	}
	return p.Limit
}

func (l Limit) echo() any {
	if l.Percent {
		return l.String()
	}
	return l.Value
}

// echoSlice writes a slice as in the file: a list of columns or, if values are
// chosen, an object of columns and values.
type echoSlice Slice

func (s echoSlice) MarshalJSON() ([]byte, error) {
	columns := []string{}
	o := object{}
	chosen := false
	for _, c := range s {
		columns = append(columns, c.Column)
		values := []*string{}
		for _, v := range c.Values {
			chosen = true
			if v.Null {
				values = append(values, nil)
			} else {
				values = append(values, &v.Text)
			}
		}
		o.add(c.Column, values)
	}
	if !chosen {
		return marshal(columns)
	}
	return o.bytes()
}

// object writes a JSON object whose keys are in the order they were added.
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

func (o *object) bytes() ([]byte, error) {
	if o.buf.Len() == 0 {
		return []byte("{}"), nil
	}
	return append(o.buf.Bytes(), '}'), o.err
}

// marshal is json.Marshal without the escapes for HTML.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// sorted returns the distinct elements of s in ascending order, never nil.
func sorted[T cmp.Ordered](s []T) []T {
	s = slices.Clone(s)
	slices.Sort(s)
	return notNil(slices.Compact(s))
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
