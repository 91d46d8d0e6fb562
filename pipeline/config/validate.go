package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/quote"
)

var (
	tasks      = []string{TaskBinary, TaskMulticlass, TaskMultilabel, TaskRanking, TaskRegression}
	layouts    = []string{LayoutExample, LayoutLabel}
	scoreTypes = []string{ScoreProbability, ScoreLogit, ScoreAny}
	decimals   = []string{DecimalsExact, DecimalsFloat64}
	strategies = []string{StrategyUniform, StrategyQuantile}
	curveModes = []string{CurvesAuto, CurvesExact, CurvesBounded}
	badRows    = []string{BadRowsFail, BadRowsSkip}
	missing    = []string{MissingFail, MissingSkip}
	gains      = []string{GainExponential, GainLinear}
	ties       = []string{TiesExpected, TiesItem}
	empty      = []string{EmptyQueriesSkip, EmptyQueriesZero, EmptyQueriesOne}
	negative   = []string{NegativeBadRow, NegativeZero}
	formats    = []string{FormatJSON, FormatCSV, FormatParquet, FormatMarkdown}

	encodings = []string{EncodingIndices, EncodingNames, EncodingIndicator, EncodingClass, EncodingDistribution}
	// encodingsOf has no row for a task whose labels have one encoding only.
	encodingsOf = map[string][]string{
		TaskMulticlass: {EncodingClass, EncodingDistribution, EncodingIndices, EncodingNames},
		TaskMultilabel: {EncodingIndices, EncodingNames, EncodingIndicator},
	}
)

const (
	maxBins         = 10_000
	minPoints       = 32 // fewer would be no curve
	maxPoints       = 1_000_000
	maxCurveBins    = 1 << 24
	maxTolerance    = 0.01
	mostPageMiB     = 16 << 10 // values take up to 8 bytes each, and a page has up to 2³¹
	logLossEpsRange = "must be greater than 0 and less than 0.5, is %v"
)

// Validate returns an error with a line for each option that is out of range
// or contradicts another. Checks that depend on the task wait until Task is
// set: call it again after inference and after flags.
func (c *Config) Validate() error { return c.src.join(c.problems()) }

func (c *Config) problems() []problem {
	v := validator{Config: c}
	v.choices()
	v.layout()
	v.truth()
	v.labels()
	v.decision()
	v.metricOptions()
	v.curves()
	v.ranking()
	v.onlyFor("tune_thresholds", v.TuneThresholds != "", TaskBinary, TaskMultilabel)
	v.propensity()
	v.slices()
	v.output()
	return v.found
}

type validator struct {
	*Config
	isLabel map[string]bool // see known
	found   []problem
}

func (v *validator) fail(path, format string, args ...any) {
	v.found = append(v.found, problem{at: v.src.find(path), path: path, text: fmt.Sprintf(format, args...)})
}

func (v *validator) choice(path, value string, choices []string) {
	if !slices.Contains(choices, value) {
		v.fail(path, "unknown value %q %s", shorten(value), hint(value, "values", choices))
	}
}

// onlyFor fails if a key is set that has no meaning for the task.
func (v *validator) onlyFor(path string, set bool, those ...string) {
	if set && v.knownTask() && !slices.Contains(those, v.Task) {
		v.fail(path, "only for task %s, the task is %s", strings.Join(those, " or "), v.Task)
	}
}

func (v *validator) knownTask() bool { return slices.Contains(tasks, v.Task) }

func (v *validator) choices() {
	if v.Task != "" {
		v.choice("task", v.Task, tasks)
	}
	v.choice("input.score_type", v.Input.ScoreType, scoreTypes)
	v.choice("input.decimals", v.Input.Decimals, decimals)
	if n := v.Input.MaxPageMiB; n < 1 || n > mostPageMiB {
		v.fail("input.max_page_mib", "must be from 1 to %d, is %d: no page of a Parquet file takes more", mostPageMiB, n)
	}
	v.choice("bad_rows", v.BadRows, badRows)
	v.maxSkipped()
	if x := v.ProbabilityTolerance; !(x >= 0 && x <= maxTolerance) {
		v.fail("probability_tolerance", "must be within 0 and %v, is %v", maxTolerance, x)
	}

	const path = "input.label_encoding"
	encoding := v.Input.LabelEncoding
	allowed, encoded := encodingsOf[v.Task]
	switch {
	case encoding == "":
	case !slices.Contains(encodings, encoding):
		v.choice(path, encoding, encodings)
	case encoded && !slices.Contains(allowed, encoding):
		v.fail(path, "%q is not an encoding of task %s (valid values: %s)", encoding, v.Task, strings.Join(allowed, ", "))
	case !encoded:
		v.onlyFor(path, true, TaskMulticlass, TaskMultilabel)
	}
}

func (v *validator) maxSkipped() {
	const path = "max_skipped"
	switch m := v.MaxSkipped; {
	case !(m.Value >= 0) || m.Percent && m.Value > 100:
		v.fail(path, "must be a share from 0%% to 100%% or a number of rows, is %v", m)
	case v.BadRows == BadRowsFail && v.Truth.Missing == MissingFail && m != Default().MaxSkipped:
		v.fail(path, "limits how many rows are skipped, but none are: set bad_rows: skip, or leave max_skipped out")
	}
}

// layout checks the layout and the columns that only some tasks or layouts have.
func (v *validator) layout() {
	in := &v.Input
	if in.Layout != "" {
		v.choice("input.layout", in.Layout, layouts)
	}
	const path = "input.columns."
	c := &in.Columns
	v.origin(path+"label", &c.Label)
	v.origin(path+"score", &c.Score)
	v.origin(path+"prediction", &c.Prediction)
	v.onlyFor("input.layout", in.Layout == LayoutLabel, TaskMultilabel, TaskRanking)
	v.onlyFor(path+"class", c.Class != "", TaskMultilabel)
	v.onlyForLayout(path+"class", c.Class != "", LayoutLabel)
	v.onlyFor(path+"query", c.Query != "", TaskRanking)
	v.onlyFor(path+"item", c.Item != "", TaskRanking)
	v.notForRanking(path, c.Example)
	if c.ScoreLabel != "" && c.ScoreLabel != c.Class && v.effectiveLayout() == LayoutLabel {
		v.fail(path+"score_label", "in layout %s it can only be the column of %sclass: labels without a row then have no score", LayoutLabel, path)
	}
	v.onlyForLayout("input.label_encoding", in.LabelEncoding == EncodingIndicator && len(v.Truth.Files) == 0, LayoutExample)
}

// origin fails if labels share a column.
func (v *validator) origin(path string, o *Origin) {
	names := make([]string, len(o.Wide))
	for i, c := range o.Wide {
		names[i] = c.Column
	}
	v.distinct(path, names)
}

// onlyForLayout fails if a key is set that has no meaning for the layout.
func (v *validator) onlyForLayout(path string, set bool, layout string) {
	if other := v.effectiveLayout(); set && slices.Contains(layouts, other) && other != layout {
		v.fail(path, "only for input.layout %s, the layout is %s", layout, other)
	}
}

// notForRanking fails if there is a column of examples where queries are meant.
func (v *validator) notForRanking(path, example string) {
	if example != "" && v.Task == TaskRanking {
		v.fail(path+"example", "not for task %s, where %squery says which rows belong together", TaskRanking, path)
	}
}

func (v *validator) truth() {
	t, path := &v.Truth, "truth.columns."
	v.origin(path+"label", &t.Columns.Label)
	v.choice("truth.missing", t.Missing, missing)
	switch {
	case len(t.Files) > 0:
	case v.src.has("truth"), !reflect.DeepEqual(t.Columns, TruthColumns{}), t.Missing == MissingSkip:
		v.fail("truth.files", "must say where the truth is; leave truth out if it is in the predictions")
	}
	v.onlyFor(path+"class", t.Columns.Class != "", TaskMultilabel)
	v.onlyFor(path+"query", t.Columns.Query != "", TaskRanking)
	v.onlyFor(path+"item", t.Columns.Item != "", TaskRanking)
	v.notForRanking(path, t.Columns.Example)
}

func (v *validator) labels() {
	if v.Labels != nil && len(v.Labels) == 0 {
		v.fail("labels", "the list is empty; leave it out to take the labels from the data")
	}
	v.distinct("labels", v.Labels)
	if len(v.Labels) > 0 && v.LabelsFile != "" {
		v.fail("labels_file", "contradicts labels; give one of them")
	}
	if v.NumLabels < 0 {
		v.fail("num_labels", "must be at least 1, is %d", v.NumLabels)
	}
	if v.NumLabels > math.MaxInt32 {
		v.fail("num_labels", "must be at most %d, is %d", math.MaxInt32, v.NumLabels)
	}
	if v.NumLabels > 0 && (len(v.Labels) > 0 || v.LabelsFile != "") {
		v.fail("num_labels", "is for labels without names, but there are labels; leave it out")
	}
	v.onlyFor("labels", len(v.Labels) > 0, TaskMulticlass, TaskMultilabel)
	v.onlyFor("labels_file", v.LabelsFile != "", TaskMulticlass, TaskMultilabel)
	v.onlyFor("num_labels", v.NumLabels > 0, TaskMulticlass, TaskMultilabel)
	v.onlyFor("positive_label", v.PositiveLabel != "", TaskBinary)

	v.distinct("per_label", v.PerLabel.Names)
	for i, name := range v.PerLabel.Names {
		v.known(fmt.Sprintf("per_label[%d]", i), name)
	}
	if v.PerLabel.Limit < 0 {
		v.fail("per_label", "must not be negative, is %d", v.PerLabel.Limit)
	}
}

func (v *validator) distinct(path string, names []string) {
	first := map[string]int{}
	for i, name := range names {
		if j, repeated := first[name]; repeated {
			v.fail(fmt.Sprintf("%s[%d]", path, i), "%q repeats %s[%d]", shorten(name), path, j)
			continue
		}
		first[name] = i
	}
}

// known fails if the labels are named and name is not among them.
func (v *validator) known(path, name string) {
	if len(v.Labels) == 0 {
		return
	}
	if v.isLabel == nil { // the labels may be many, and seldom matter
		v.isLabel = make(map[string]bool, len(v.Labels))
		for _, label := range v.Labels {
			v.isLabel[label] = true
		}
	}
	if v.isLabel[name] {
		return
	}
	suffix := ""
	if n := quote.Slip(name, v.Labels); n != "" {
		suffix = fmt.Sprintf(" (did you mean %q?)", n)
	}
	v.fail(path, "%q is not among labels%s", shorten(name), suffix)
}

func (v *validator) decision() {
	const path = "decision.threshold"
	d := v.Decision
	if d.Threshold != nil {
		at := path
		if v.src.has(join(path, defaultThreshold)) {
			at = join(path, defaultThreshold)
		}
		v.threshold(at, *d.Threshold)
	}
	for _, name := range sortedKeys(d.PerLabel) {
		v.threshold(join(path, name), d.PerLabel[name])
		v.known(join(path, name), name)
	}
	if d.TopK < 0 {
		v.fail("decision.top_k", "must be at least 1, is %d", d.TopK)
	}
	if d.TopK > 0 && (d.Threshold != nil || len(d.PerLabel) > 0) {
		v.fail("decision.top_k", "contradicts decision.threshold; give one of them")
	}
	if d.ThresholdFile != "" && d.TopK > 0 {
		v.fail("decision.top_k", "contradicts decision.threshold; give one of them")
	}
	v.onlyFor(path, d.ThresholdFile != "" || d.Threshold != nil && len(d.PerLabel) == 0, TaskBinary, TaskMultilabel)
	if len(d.PerLabel) > 0 && v.knownTask() && v.Task != TaskMultilabel {
		v.fail(path, "thresholds by label are only for task %s, the task is %s", TaskMultilabel, v.Task)
	}
	v.onlyFor("decision.top_k", d.TopK > 0, TaskMultilabel)
}

func (v *validator) threshold(path string, x float64) {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		v.fail(path, "must be a finite number, is %v", x)
	case v.Input.ScoreType == ScoreProbability && (x < 0 || x > 1):
		v.fail(path, "must be within [0, 1] for input.score_type %s, is %v", ScoreProbability, x)
	}
}

func (v *validator) metricOptions() {
	for i, k := range v.K {
		if k < 1 {
			v.fail(fmt.Sprintf("k[%d]", i), "must be at least 1, is %d", k)
		}
	}
	for i, beta := range v.Beta {
		v.positive(fmt.Sprintf("beta[%d]", i), beta)
	}
	switch v.ZeroDivision {
	case ZeroDivisionZero, ZeroDivisionOne, ZeroDivisionNaN:
	default:
		v.fail("zero_division", "must be 0, 1 or nan, is %q", string(v.ZeroDivision))
	}
	if bins := v.Calibration.Bins; bins < 1 || bins > maxBins {
		v.fail("calibration.bins", "must be within 1 and %d, is %d", maxBins, bins)
	}
	v.choice("calibration.strategy", v.Calibration.Strategy, strategies)
	if v.LogLossEps != 0 && !(v.LogLossEps > 0 && v.LogLossEps < 0.5) {
		v.fail("log_loss_eps", logLossEpsRange, v.LogLossEps)
	}
	v.needsProbabilities()
}

func (v *validator) positive(path string, x float64) {
	if !(x > 0) || math.IsInf(x, 0) {
		v.fail(path, "must be a positive number, is %v", x)
	}
}

func (v *validator) curves() {
	c := v.Curves
	v.choice("curves.mode", c.Mode, curveModes)
	if c.Points != 0 && (c.Points < minPoints || c.Points > maxPoints) {
		v.fail("curves.points", "must be 0 or within %d and %d, is %d", minPoints, maxPoints, c.Points)
	}
	if c.Bins < 2 || c.Bins > maxCurveBins {
		v.fail("curves.bins", "must be within 2 and %d, is %d", maxCurveBins, c.Bins)
	}
}

func (v *validator) ranking() {
	r := &v.Ranking
	v.choice("ranking.gain", r.Gain, gains)
	v.choice("ranking.ties", r.Ties, ties)
	v.positive("ranking.relevance_threshold", r.RelevanceThreshold)
	v.positive("ranking.max_relevance", r.MaxRelevance)
	v.choice("ranking.empty_queries", r.EmptyQueries, empty)
	v.choice("ranking.negative_relevance", r.NegativeRelevance, negative)
	v.onlyFor("ranking", v.src.has("ranking") || *r != Default().Ranking, TaskRanking)
	v.onlyFor("output.per_query", v.Output.PerQuery, TaskRanking)
}

func (v *validator) propensity() {
	p, unset := v.Propensity, Default().Propensity
	if p.Frequencies == "" {
		if p != unset && p != (Propensity{}) {
			v.fail("propensity", "without propensity.frequencies: %s, or a file with how often each label is true", FrequenciesTruth)
		}
		return
	}
	v.onlyFor("propensity", true, TaskMultilabel)
	switch truth := p.Frequencies == FrequenciesTruth; {
	case truth && p.Examples != 0:
		v.fail("propensity.examples", "is for frequencies of a file; those of the truth are of the evaluated examples")
	case truth && (p.Label != unset.Label || p.Count != unset.Count):
		v.fail("propensity.columns", "is for frequencies of a file")
	case !truth && p.Examples < 1:
		v.fail("propensity.examples", "must say of how many examples %q has the counts", p.Frequencies)
	}
	if !(p.A >= 0) || math.IsInf(p.A, 0) {
		v.fail("propensity.a", "must be 0 or more, is %v", p.A)
	}
	v.positive("propensity.b", p.B)
}

// needsProbabilities fails for options of metrics that the scores rule out.
func (v *validator) needsProbabilities() {
	changed := v.src.has("calibration") || v.Calibration != Default().Calibration
	if changed && v.Input.ScoreType == ScoreAny {
		v.fail("calibration", "needs probabilities or logits, but input.score_type is %s", ScoreAny)
	}
	v.onlyFor("probability_tolerance", v.src.has("probability_tolerance"), TaskBinary, TaskMulticlass, TaskMultilabel)
	if v.src.has("probability_tolerance") && v.Input.ScoreType != ScoreProbability {
		v.fail("probability_tolerance", "clips probabilities, but input.score_type is %s", v.Input.ScoreType)
	}
	switch {
	case v.LogLossEps == 0:
	case v.Input.ScoreType == ScoreAny:
		v.fail("log_loss_eps", "needs probabilities, but input.score_type is %s", ScoreAny)
	case v.Input.ScoreType == ScoreLogit:
		v.fail("log_loss_eps", "clips probabilities, but input.score_type is %s, where nothing is clipped", ScoreLogit)
	}
}

func (v *validator) slices() {
	if v.MaxSlices < 0 {
		v.fail("max_slices", "must be at least 1, is %d", v.MaxSlices)
	}
	seen := map[string]int{}
	for i, s := range v.Slices {
		path := fmt.Sprintf("slices[%d]", i)
		if len(s) == 0 {
			v.fail(path, "needs at least one column")
			continue
		}
		if !v.slice(path, s) {
			continue
		}
		key := s.key()
		if j, repeated := seen[key]; repeated {
			v.fail(path, "repeats slices[%d]", j)
			continue
		}
		seen[key] = i
	}
}

func (v *validator) slice(path string, s Slice) bool {
	before := len(v.found)
	columns := map[string]bool{}
	for _, c := range s {
		if c.Column == "" {
			v.fail(path, "a column has no name")
		}
		if columns[c.Column] {
			v.fail(path, "column %q is there twice", c.Column)
		}
		columns[c.Column] = true
		values := map[SliceValue]bool{}
		for i, value := range c.Values {
			if values[value] {
				v.fail(fmt.Sprintf("%s[%d]", join(path, c.Column), i), "%s is there twice", value)
			}
			values[value] = true
		}
	}
	return len(v.found) == before
}

// String is for messages.
func (v SliceValue) String() string {
	if v.Null {
		return "null"
	}
	return fmt.Sprintf("%q", v.Text)
}

// key is equal for slices that differ only in the order of columns or values.
func (s Slice) key() string {
	columns := make([]string, 0, len(s))
	for _, c := range s {
		values := make([]string, 0, len(c.Values))
		for _, value := range c.Values {
			values = append(values, value.String())
		}
		slices.Sort(values)
		columns = append(columns, fmt.Sprintf("%q%q", c.Column, values))
	}
	slices.Sort(columns)
	return strings.Join(columns, " ")
}

func (v *validator) output() {
	for i, format := range v.Output.Formats {
		v.choice(fmt.Sprintf("output.formats[%d]", i), format, formats)
	}
	if !slices.Contains(v.Output.Formats, FormatJSON) {
		v.fail("output.formats", "%s may not be left out", FormatJSON)
	}
}
