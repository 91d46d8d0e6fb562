package config

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/metrics"
)

// minPoints is the minimum number of points of a drawn curve.
const minPoints = 32

// encodingsOf lists the encodings of labels for each task that has more than one.
var encodingsOf = map[metrics.Task][]string{
	metrics.Multiclass: {"class", EncodingDistribution, EncodingIndices, EncodingNames},
	metrics.Multilabel: {EncodingIndices, EncodingNames, EncodingIndicator},
}

// Validate returns an error with a line for each option that is out of range or contradicts
// another. Checks that depend on the task are skipped until Task is set: call it again after
// inference and after flags. It sorts lists whose order has no meaning.
func (c *Config) Validate() error {
	if err := c.src.join(c.problems(nil, (*validator).all)); err != nil {
		return err
	}
	c.normalize()
	return nil
}

// problems returns what a check finds. It ignores values that could not be read.
func (c *Config) problems(failed map[string]bool, check func(*validator)) []problem {
	v := validator{Config: c, failed: failed}
	check(&v)
	return v.found
}

// all checks values by the tags of their keys, and by rules that tags cannot express.
func (v *validator) all() {
	defaults := Default()
	v.keys("", v.Config.keys(), defaults.keys())
	v.columns()
	v.encoding()
	v.truth()
	v.baselinePredictions()
	v.failIf(v.Config.Finite() && v.Confidence == nil, "sampling.finite", "is about confidence intervals: set confidence")
	v.labels()
	v.decision()
	v.numbers(&defaults)
	v.costs()
	v.propensity(&defaults)
	v.slices()
	v.worstExamples()
	v.groups()
	v.search()
	v.gates()
	v.checks()
	v.monitor()
	v.date()
	v.failIf(!slices.Contains(v.Output.Formats, "json"), "output.formats", "json may not be left out")
}

// date checks the day of the report.
func (v *validator) date() {
	_, err := time.Parse(time.DateOnly, v.Report.Date)
	v.failIf(v.Report.Date != "" && err != nil, "report.date", "must be a day such as 2026-11-19, is %q", v.Report.Date)
}

type validator struct {
	*Config
	failed map[string]bool // paths whose value could not be read
	found  []problem

	isLabel    map[string]bool // see known
	isPerLabel map[string]bool // see gateLabel
	damaged    map[string]bool // see failedBelow
	every      *everySlice
}

func (v *validator) fail(path, format string, args ...any) {
	for at := path; at != ""; at = around(at) {
		if v.failed[at] {
			return
		}
	}
	v.found = append(v.found, problem{at: v.src.find(path), path: path, text: fmt.Sprintf(format, args...)})
}

// failIf fails if a value is wrong.
func (v *validator) failIf(wrong bool, path, format string, args ...any) {
	if wrong {
		v.fail(path, format, args...)
	}
}

// keys checks values that the file sets, or that differ from the default, by their tags.
func (v *validator) keys(path string, keys, defaults []key) {
	for i, k := range keys {
		here := join(path, k.name)
		if !v.src.has(here) && reflect.DeepEqual(k.value.Interface(), defaults[i].value.Interface()) {
			continue
		}
		if tasks, listed := k.tasks("tasks"); listed && !k.off() {
			v.onlyFor(here, tasks...)
		}
		v.value(here, k.value, k.tag)
		v.keys(here, k.below(), mappingOf(defaults[i].value))
	}
}

// value checks a value, or the elements of a list.
func (v *validator) value(path string, value reflect.Value, tag reflect.StructTag) {
	switch value.Kind() {
	case reflect.Slice:
		for i := range value.Len() {
			here, element := fmt.Sprintf("%s[%d]", path, i), value.Index(i)
			v.value(here, element, tag)
			v.keys(here, keysOf(element), keysOf(reflect.Zero(element.Type())))
		}
	case reflect.String:
		values, limited := tag.Lookup("values")
		if known := strings.Fields(values); limited && !slices.Contains(known, value.String()) {
			v.fail(path, "%s", unknownValue(value.String(), known))
		}
	case reflect.Int:
		v.inRange(path, float64(value.Int()), tag.Get("range"))
	case reflect.Float64:
		v.inRange(path, value.Float(), tag.Get("range"))
	}
}

// inRange checks a number against an interval such as [1,10].
func (v *validator) inRange(path string, x float64, tag string) {
	if tag == "" {
		return
	}
	switch r := parseInterval(tag); {
	case !v.finite(path, x):
	case !r.has(x):
		number, _ := json.Marshal(x) // %v of 3000000000 is 3e+09
		v.fail(path, "must be %s, is %s", r, number)
	}
}

// finite fails if a number is not finite.
func (v *validator) finite(path string, x float64) bool {
	ok := !math.IsNaN(x) && !math.IsInf(x, 0)
	v.failIf(!ok, path, "must be a finite number, is %v", x)
	return ok
}

// onlyFor fails if a key is set that is not valid for the task.
func (v *validator) onlyFor(path string, tasks ...metrics.Task) {
	if v.Task == 0 || slices.Contains(tasks, v.Task) {
		return
	}
	v.fail(path, "only for task %s, the task is %s", oneOf(tasks), v.Task)
}

// encoding checks that the task supports the encoding of labels.
func (v *validator) encoding() {
	const path = "input.label_encoding"
	encoding := v.Input.LabelEncoding
	allowed, encoded := encodingsOf[v.Task]
	switch {
	case encoding == "":
	case !encoded:
		v.onlyFor(path, metrics.Multiclass, metrics.Multilabel)
	case !slices.Contains(allowed, encoding):
		v.fail(path, "%q is not an encoding of task %s (valid values: %s)", encoding, v.Task, strings.Join(allowed, ", "))
	}
	if encoding == EncodingIndicator && len(v.Truth.Files) == 0 {
		v.onlyForLayout(path, LayoutExample)
	}
}

// columns checks the layout and the columns that only some layouts have.
func (v *validator) columns() {
	const path = "input.columns."
	c := &v.Input.Columns
	for r := range roles.All() {
		v.origin(path+r.String(), &c[r])
	}
	v.forecasts(path, c)
	none := len(v.Ranking.ItemFrequencies.Files) == 0
	v.failIf(none && v.src.has("ranking.item_frequencies"), "ranking.item_frequencies", "needs the files: set files")
	v.failIf(!none && c[roles.ItemFrequency].Column != "", "ranking.item_frequencies", "only without %sitem_frequency: both say how frequent items are", path)
	v.failIf(c[roles.Judged].Column != "" && v.Task == 0, path+"judged", "set task: to regression, for means of numbers, to binary, for shares of rows, or to multiclass, for classes")
	v.failIf(c[roles.Judged].Column != "" && v.Unlabelled != "", "unlabelled", "only without %sjudged, with which rows without a label are not bad", path)
	v.notForRanking(path, c[roles.Example].Column)
	if v.Input.Layout == LayoutLabel {
		v.onlyFor("input.layout", metrics.Multilabel, metrics.Ranking)
	}
	if c[roles.Class].Column != "" {
		v.onlyForLayout(path+"class", LayoutLabel)
	}
	v.failIf(c[roles.ScoreLabel].Column != "" && c[roles.ScoreLabel].Column != c[roles.Class].Column && v.layout() == LayoutLabel,
		path+"score_label", "in layout %s it can only be the column of %sclass: labels without a row then have no score", LayoutLabel, path)
}

// forecasts checks the columns of an interval and of quantiles.
func (v *validator) forecasts(path string, c *Columns) {
	lower, upper := c[roles.Lower].Column, c[roles.Upper].Column
	interval := lower != "" || upper != ""
	v.failIf(interval && upper == "", path+"lower", "an interval has two bounds: set %supper", path)
	v.failIf(interval && lower == "", path+"upper", "an interval has two bounds: set %slower", path)
	v.failIf(interval && v.Input.IntervalLevel == 0, "input.interval_level", "set it to the probability with which labels should lie within %slower and upper, such as 0.9", path)
	v.failIf(!interval && v.Input.IntervalLevel != 0, "input.interval_level", "only for %slower and upper", path)
	v.failIf(v.Input.Crossing != "" && !interval && c[roles.Quantiles].Column == "", "input.crossing", "only for %squantiles, or lower and upper", path)
	v.failIf(interval && c[roles.Quantiles].Column != "", path+"quantiles", "only without %slower and upper: name these as quantiles, too", path)
}

// origin fails if labels share a column.
func (v *validator) origin(path string, o *Origin) {
	names := make([]string, len(o.Wide))
	for i, c := range o.Wide {
		names[i] = c.Column
	}
	v.distinct(path, names)
}

// onlyForLayout fails if a key is set that is not valid for the layout.
func (v *validator) onlyForLayout(path, layout string) {
	if other := v.layout(); other != "" && other != layout {
		v.fail(path, "only for input.layout %s, the layout is %s", layout, other)
	}
}

// notForRanking fails if there is a column of examples where there should be a column of queries.
func (v *validator) notForRanking(path, example string) {
	v.failIf(example != "" && v.Task == metrics.Ranking, path+"example", "not for task %s, where %squery says which rows belong together", v.Task, path)
}

func (v *validator) truth() {
	t, path := &v.Truth, "truth.columns."
	v.origin(path+"label", &t.Columns[roles.Label])
	v.failIf(len(t.Files) == 0 && (v.src.has("truth") || !reflect.ValueOf(t.Columns).IsZero() || t.Missing == Skip),
		"truth.files", "must say where the truth is; leave truth out if it is in the predictions")
	v.notForRanking(path, t.Columns[roles.Example].Column)
	v.failIf(len(t.Files) == 0 && v.Ranking.MissingQueries == MissingZero,
		"ranking.missing_queries", "%s is for queries that only truth.files have, and there is no truth", MissingZero)
}

func (v *validator) baselinePredictions() {
	const path = "input.baseline_predictions"
	b, c := &v.Input.BaselinePredictions, &v.Input.Columns
	v.failIf(len(b.Files) == 0 && (v.src.has(path) || !reflect.ValueOf(b.Columns).IsZero() || b.Missing == Skip),
		path+".files", "must say where the predictions of the baseline are; leave baseline_predictions out if they are in the rows of the predictions")
	v.failIf(len(b.Files) > 0 && (c[roles.BaselinePrediction].Column != "" || c[roles.BaselineScore].Column != ""),
		path, "contradicts input.columns.baseline_prediction and baseline_score, which are columns of the predictions; give one of them")
	v.failIf(len(b.Files) > 0 && v.Input.Layout == LayoutLabel, path, "needs one row per example, and input.layout is %s", LayoutLabel)
}

func (v *validator) labels() {
	named := len(v.Labels) > 0
	v.failIf(v.Labels != nil && !named, "labels", "the list is empty; leave it out to take the labels from the data")
	v.failIf(named && v.Task == metrics.Binary && len(v.Labels) != 2, "labels", "a binary task has two labels, not %d", len(v.Labels))
	v.distinct("labels", v.Labels)
	v.failIf(named && v.LabelsFile != "", "labels_file", "contradicts labels; give one of them")
	v.failIf(v.NumLabels > 0 && (named || v.LabelsFile != ""), "num_labels", "is for labels without names, but there are labels; leave it out")
	v.distinct("per_label", v.PerLabel.Names)
	for i, name := range v.PerLabel.Names {
		v.known(fmt.Sprintf("per_label[%d]", i), name)
	}
	v.failIf(v.AverageLabels != nil && len(v.AverageLabels) == 0, "average_labels", "the list is empty; leave it out to average over all labels")
	v.distinct("average_labels", v.AverageLabels)
	for i, name := range v.AverageLabels {
		v.known(fmt.Sprintf("average_labels[%d]", i), name)
	}
	v.failIf(v.PerLabel.Limit < 0, "per_label", "must be at least 0, is %d", v.PerLabel.Limit)
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

// known fails if labels have names and name is not one of them.
func (v *validator) known(path, name string) {
	if len(v.Labels) == 0 {
		return
	}
	if v.isLabel == nil { // there may be many labels, and the set is seldom needed
		v.isLabel = collections.Set(slices.Values(v.Labels))
	}
	if v.isLabel[name] {
		return
	}
	suffix := ""
	if len(v.found) < maxShown { // otherwise nobody may read it, and there may be many labels
		if n := quote.Slip(name, v.Labels); n != "" {
			suffix = fmt.Sprintf(" (did you mean %q?)", n)
		}
	}
	v.fail(path, "%q is not among labels%s", shorten(name), suffix)
}

func (v *validator) decision() {
	const path = "decision.threshold"
	t := v.Decision.Threshold
	if t.Default != nil {
		at := path
		if v.src.has(join(path, defaultThreshold)) {
			at = join(path, defaultThreshold)
		}
		v.threshold(at, *t.Default)
	}
	for _, name := range sortedKeys(t.ByLabel) {
		v.threshold(join(path, name), t.ByLabel[name])
		v.known(join(path, name), name)
	}
	v.failIf(v.Decision.TopK > 0 && (t.Default != nil || t.ByLabel != nil || t.File != ""), "decision.top_k", "contradicts %s; give one of them", path)
	v.failIf(len(t.ByLabel) > 0 && v.Task == metrics.Binary, path, "thresholds by label are only for task %s, the task is %s", metrics.Multilabel, v.Task)
}

func (v *validator) threshold(path string, x float64) {
	switch {
	case !v.finite(path, x):
	case v.Scores() == metrics.Probability && !v.failed["input.score_type"] && (x < 0 || x > 1):
		of := "input.score_type " + v.Input.ScoreType.String()
		if v.Recalibrate != "" {
			of = "recalibrated scores"
		}
		v.fail(path, "must be within [0, 1] for %s, is %v", of, x)
	}
}

// numbers checks options of metrics that contradict others.
func (v *validator) numbers(defaults *Config) {
	scores := v.Input.ScoreType
	if x := v.PassThreshold.Grade; x != nil {
		v.finite("pass_threshold", *x)
	}
	for _, name := range sortedKeys(v.PassThreshold.ByName) {
		v.finite(join("pass_threshold", name), v.PassThreshold.ByName[name])
	}
	v.failIf(!v.ZeroDivision.valid(), "zero_division", "must be 0, 1 or nan, is %q", string(v.ZeroDivision))
	v.failIf(v.Scores() == metrics.RawScore && (v.src.has("calibration") || v.Calibration != defaults.Calibration),
		"calibration", "needs probabilities or logits, but input.score_type is %s", scores)
	v.failIf(v.Curves.Points > 0 && v.Curves.Points < minPoints, "curves.points", "must be 0 or at least %d, is %d", minPoints, v.Curves.Points)
	v.failIf(scores != metrics.Probability && v.src.has("probability_tolerance"), "probability_tolerance", "clips probabilities, but input.score_type is %s", scores)
	v.failIf(v.Scores() != metrics.Probability && v.LogLossEps != 0, "log_loss_eps", "clips probabilities, but input.score_type is %s", scores)
	v.failIf(v.Scores() == metrics.RawScore && v.Unlabelled == Estimate, "unlabelled", "%s needs probabilities or logits, but input.score_type is %s", Estimate, scores)
	v.failIf(v.Input.LabelEncoding == EncodingDistribution && v.Unlabelled == Estimate, "unlabelled", "%s is for labels, but input.label_encoding is %s", Estimate, EncodingDistribution)
	switch m := v.MaxSkipped; {
	case m.Percent && !(m.Value >= 0 && m.Value <= 100), !m.Percent && !(m.Value >= 0 && m.Value <= 1<<53 && m.Value == math.Trunc(m.Value)):
		v.fail("max_skipped", "must be a share from 0%% to 100%% or a number of rows, is %v", m)
	case v.BadRows == Fail && v.Truth.Missing == Fail && v.Input.BaselinePredictions.Missing == Fail && m != defaults.MaxSkipped:
		v.fail("max_skipped", "limits how many rows are skipped, but none are: set bad_rows: skip, or leave max_skipped out")
	}
}

func (v *validator) propensity(defaults *Config) {
	p := v.Propensity
	switch truth := p.Frequencies == FrequenciesTruth; {
	case p.Frequencies == "" && p != defaults.Propensity:
		v.fail("propensity", "needs propensity.frequencies: %s, or a file with how often each label is true", FrequenciesTruth)
	case p.Frequencies == "":
	case truth && p.Examples != 0:
		v.fail("propensity.examples", "is for frequencies of a file; those of the truth are of the evaluated examples")
	case truth && p.Columns != defaults.Propensity.Columns:
		v.fail("propensity.columns", "is for frequencies of a file")
	case !truth && p.Examples == 0:
		v.fail("propensity.examples", "must be set: the number of examples that %q counts labels in", p.Frequencies)
	}
}
