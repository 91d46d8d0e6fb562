package transforms

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/lanes"
)

// rule is a rule that a spec must obey, with the message if it is broken.
type rule struct {
	broken bool
	why    string
}

// roleRules returns the rules about the columns that a task needs.
func (s *settled) roleRules(memory bool) []rule {
	c, p, has := &s.Columns, &s.Params, s.columns()
	is := func(tasks metrics.Task) bool { return p.Task&tasks != 0 }
	given := roles.Given{Task: roles.Task(p.Task), Has: has &^ roles.SetOf(roles.SamplingStratum), Rows: s.Long, Scores: p.Scores, Sparse: p.Sparse}
	_, err := given.Check(s.set)
	rules := []rule{
		{s.Truth != nil && !roles.Task(p.Task).Labelled(), fmt.Sprintf("task %s is compared with no labels of other files: leave Truth nil", p.Task)},
		{c.Rater != "" && !memory && !s.Long, "raters have a row each: set Long, and Columns.Example to what they rate"},
		{p.Scores && c.Score == "", "no column of scores: set Columns.Score"},
		{is(metrics.Classifying) && !p.Scores && c.Prediction == "", "neither scores nor predictions: set Columns.Score or Columns.Prediction"},
	}
	missing := p.Has&^has | given.Lacks()
	if s.Truth != nil {
		missing &^= roles.SetOf(roles.Label)
	}
	if has.Has(roles.BaselineScore) && !is(metrics.Regression) {
		missing &^= metrics.HasBaseline
	}
	if err != nil {
		rules = append(rules, rule{true, err.Error()})
	}
	for r := range missing.All() {
		rules = append(rules, rule{true, fmt.Sprintf("no column of %s: set %s", r.Of().What, s.set(r))})
	}
	return append(rules, []rule{
		{!is(metrics.Preference) && s.Reference != "", fmt.Sprintf("Reference is for preferences, not for task %s", p.Task)},
		{len(p.QuantileLevels) > 0 && c.Quantiles == "", "no column of the forecasts of quantiles: set Columns.Quantiles"},
		{len(p.QuantileLevels) == 0 && c.Quantiles != "", "no levels of the quantiles that are forecast: set Params.QuantileLevels"},
		{s.CompleteScores && (c.ScoreLabel == "" && !memory || s.Long), "CompleteScores is for lists of some labels and of their scores, in a row for each example: set Columns.ScoreLabel, or leave it out"},
		{!memory && len(c.Wide[c.FurtherGrades]) != len(p.FurtherGrades), "Params.FurtherGrades have a column each: set Columns.FurtherGrades to a name for them, and list them under it in Columns.Wide"},
		{p.Ranking.Ties == metrics.ItemTies && c.Item == "", "ties are broken by item, but there is no column of items: set Columns.Item"},
		{s.ItemFiles != nil && (!is(metrics.Ranking) || c.Item == ""), "ItemFiles are of the items of a ranking: set Columns.Item"},
		{s.ItemFiles != nil && memory, "ItemFiles are for files: a Prediction has ItemFrequencies"},
		{s.ItemFiles != nil && c.ItemFrequency != "", "the frequencies of items are in ItemFiles or in Columns.ItemFrequency: leave one out"},
		{s.ItemFiles != nil && (s.ItemFiles.Item == "" || s.ItemFiles.Count == "" || s.ItemFiles.MaxItems < 1), "ItemFiles need Item, Count and a MaxItems of at least 1"},
		{s.Training != nil && memory, "Training is for files: the ids of predictions in memory are not compared with it"},
		{s.Training != nil && (c.Example == "" || s.Training.ID == ""), "Training needs the ids of the examples and of the training data: set Columns.Example and Training.ID"},
		{s.Long && memory, "Long is for files: a Prediction has all of an example"},
	}...)
}

// set says what to set for a role.
func (s *settled) set(r roles.Role) string { return s.Params.Names.Of(settings.Role(r)) }

// columns returns the roles that have a column, in any of the files. A name for the scores of
// predictions in memory does not say that they have any.
func (s *settled) columns() roles.Set {
	has := s.Columns.Has() &^ roles.SetOf(roles.Score)
	if s.Params.Scores {
		has |= roles.SetOf(roles.Score)
	}
	return has | s.ColumnsOf(input.OfBaseline).Has()&roles.SetOf(roles.BaselinePrediction, roles.BaselineScore)
}

// rowRules returns the rules about examples that are assembled from rows.
func (s *settled) rowRules(memory bool) []rule {
	c, p := &s.Columns, &s.Params
	is := func(tasks metrics.Task) bool { return p.Task&tasks != 0 }
	rules := []rule{
		{s.Long && !is(metrics.Joined), fmt.Sprintf("Long is for tasks %s, not for task %s", metrics.Joined, p.Task)},
		{s.Shuffled && !s.Long, "Shuffled is for examples that have several rows: set Long, or leave it false"},
		{s.Long && is(metrics.Multilabel) && c.Class == "", "no column that says which label a row is about: set Columns.Class"},
		{s.PerQuery && !is(metrics.Ranking), fmt.Sprintf("PerQuery is for rankings, not for task %s", p.Task)},
		{(s.Long || s.Truth != nil || s.Baseline != nil || s.PerQuery) && !memory && c.Example == "", "no column that says which rows belong together: set Columns.Example"},
	}
	if s.Baseline != nil {
		rules = append(rules, rule{memory, "Baseline describes files: leave it nil, and set Prediction.Baseline or Prediction.BaselineScores"},
			rule{s.Baseline.Columns.Example == "", "no column that says which prediction a row of the baseline belongs to: set Columns.Example of Baseline"},
			rule{c.Baseline != "" || c.BaselineScore != "", "Baseline says that other files have what a baseline predicts: leave Columns.Baseline and Columns.BaselineScore empty"})
	}
	if s.Truth == nil {
		return rules
	}
	t := &s.Truth.Columns
	_, ofTruth := s.Truth.Split(sliceNames(s.Slices, (*SliceColumn).Columns))
	return append(rules, []rule{
		{(s.EstimateUnlabelled || p.Judged) && (len(ofTruth) > 0 || s.Confidence != nil && !s.Confidence.HasStrata() && s.Truth.Has(s.Confidence.By)), "EstimateUnlabelled and Params.Judged evaluate predictions without truth, which have no values of Truth.Slices: take slice columns and Confidence.By from the predictions"},
		{t.Label == "", "no column of true labels: set Columns.Label of the truth"},
		{t.Example == "", "no column that says which prediction a row of the truth belongs to: set Columns.Example of the truth"},
		{t.Weight != "" && s.Sampling == nil, "weights are read from the predictions: leave Columns.Weight of the truth empty"},
		{t.Class != "" && !is(metrics.Multilabel), fmt.Sprintf("Columns.Class of the truth is for multilabel tasks, not for task %s", p.Task)},
		{t.Item != "" && !is(metrics.Ranking), fmt.Sprintf("Columns.Item of the truth is for rankings, not for task %s", p.Task)},
		{t.Item != "" && c.Item == "", "the truth has items, but there is no column of items: set Columns.Item"},
		{s.Truth.EvaluateUnmatched && t.Item == "", "queries without predictions are evaluated if the truth of a ranking has a row for each item: set Columns.Item of the truth, or leave EvaluateUnmatched out"},
		{s.Truth.EvaluateUnmatched && c.Weight != "", "queries without predictions have no weight: leave Columns.Weight empty, or EvaluateUnmatched out"},
		{s.Truth.EvaluateUnmatched && !s.Truth.Has(sliceNames(s.Slices, (*SliceColumn).Columns)...), "queries without predictions have no values in slice columns of the predictions: set Truth.Slices, or leave EvaluateUnmatched out"},
		{s.Truth.EvaluateUnmatched && s.Confidence != nil && !s.Truth.Has(s.Confidence.By), "queries without predictions have no value of Confidence.By: set Truth.Slices, or leave EvaluateUnmatched out"},
	}...)
}

// labelRules returns the rules about labels.
func (s *settled) labelRules() []rule {
	p, known := &s.Params, s.labelled()
	is := func(tasks metrics.Task) bool { return p.Task&tasks != 0 }
	encodings := []input.Encoding{"", input.Indices, input.Names, input.Indicator, input.Distribution}
	return []rule{
		{!slices.Contains(encodings, s.Encoding), fmt.Sprintf("no such Encoding: %q; it is one of %q", s.Encoding, encodings[1:])},
		{s.Encoding == input.Distribution && !is(metrics.Multiclass), fmt.Sprintf("Encoding %q is for multiclass tasks, not for task %s", s.Encoding, p.Task)},
		{s.Encoding == input.Indicator && !is(metrics.Multilabel), fmt.Sprintf("Encoding %q is for multilabel tasks, not for task %s", s.Encoding, p.Task)},
		{(s.Encoding == input.Distribution || s.Encoding == input.Indicator) && !known, fmt.Sprintf("Encoding %q has a value for every label: set Labels", s.Encoding)},
		{s.PositiveLabel != "" && !is(metrics.Binary), fmt.Sprintf("PositiveLabel is for binary tasks, not for task %s", p.Task)},
		{s.BothClasses != nil && !(is(metrics.Binary) && p.Scores), "BothClasses is for the scores of a binary task: leave it nil, or set Columns.Score"},
		{s.BothClasses != nil && (s.BothClasses.Positive < 0 || s.BothClasses.Positive > 1), "BothClasses.Positive is the first score, 0, or the second, 1"},
		{s.BothClasses != nil && s.scoreType() == metrics.RawScore, "BothClasses is for probabilities and logits: set Params.ScoreType, or leave it nil and set Columns.Score to the scores of the positive label"},
		{p.Propensity != nil && !is(metrics.Multilabel), fmt.Sprintf("Params.Propensity is for multilabel tasks, not for task %s", p.Task)},
		{s.NegativeIsZero && !is(metrics.Ranking), fmt.Sprintf("NegativeIsZero is for rankings, not for task %s", p.Task)},
		{!slices.Contains([]input.Crossing{"", input.FailCrossing, input.SortCrossing, input.KeepCrossing}, s.Crossing), fmt.Sprintf("no such Crossing: %q; it is fail, sort or keep", s.Crossing)},
		{s.Crossing != "" && len(p.QuantileLevels) == 0, fmt.Sprintf("Crossing is of forecasts of quantiles, and there are none: set %s", s.set(roles.Quantiles))},
		{s.Recalibration != nil && !(is(metrics.Binary) && p.Scores && p.ScoreType == metrics.Probability), "Recalibration makes probabilities of the scores of a binary task: set Params.ScoreType to Probability, and Columns.Score"},
		{s.Recalibration.Check() != nil, fmt.Sprintf("Recalibration: %v", s.Recalibration.Check())},
		{s.Recalibration != nil && s.ColumnsOf(input.OfBaseline).BaselineScore != "", "Recalibration is of the scores of one model: leave Columns.BaselineScore empty"},
		{s.EstimateUnlabelled && !s.estimable(), "EstimateUnlabelled is for binary and multiclass tasks with a probability, or logit, of each class and labels that are not distributions"},
		{s.EstimateUnlabelled && p.Judged, "EstimateUnlabelled and Params.Judged are two uses of rows without a label: leave one out"},
		{p.Judged && s.Encoding == input.Distribution, "Params.Judged compares classes, and labels are distributions: leave one out"},
		{s.EstimateUnlabelled && s.Long, "EstimateUnlabelled is for examples of one row, and Long says that they have several"},
		{s.EstimateUnlabelled && slices.ContainsFunc(slices.Concat(s.Slices...), func(c SliceColumn) bool { return c.Name() == report.Estimated }), fmt.Sprintf("EstimateUnlabelled adds the column %q to slices: rename that slice column", report.Estimated)},
		{!(s.ProbabilityTolerance >= 0 && s.ProbabilityTolerance < 1), fmt.Sprintf("ProbabilityTolerance of %v: it must be 0 or more, and less than 1", s.ProbabilityTolerance)},
	}
}

// scoreType returns the type of scores, as they are in columns.
func (s *settled) scoreType() metrics.ScoreType {
	if s.Recalibration != nil && s.Recalibration.ScoreType == metrics.RawScore.String() {
		return metrics.RawScore
	}
	return s.Params.ScoreType
}

// estimable reports whether metrics can be estimated from probabilities.
func (s *settled) estimable() bool {
	p := &s.Params
	return p.Task&(metrics.Binary|metrics.Multiclass) != 0 && p.Scores && p.ScoreType != metrics.RawScore && !p.Sparse && s.Encoding != input.Distribution
}

// decisionRules returns the rules about how scores become predictions. It sets the default
// Decision, with which a column of predictions is compared.
func (s *settled) decisionRules() []rule {
	p, d := &s.Params, s.Decision
	switch {
	case d != nil:
	case (p.Scores || s.Either) && p.Task&metrics.Classifying != 0 && p.ScoreType == metrics.Probability:
		s.Decision = &input.Decision{Threshold: 0.5}
		return nil
	default:
		return nil
	}
	rules := []rule{
		{p.Task&metrics.Classifying == 0, fmt.Sprintf("task %s has no decisions: leave Decision nil", p.Task)},
		{!p.Scores && !s.Either, "Decision makes predictions from scores, and there are none: set Columns.Score"},
		{s.Columns.Prediction != "" && !s.Either, "predictions are in Columns.Prediction, or follow from scores by Decision: leave one empty"},
		{!floats.Finite(d.Threshold), fmt.Sprintf("Decision.Threshold is %v: it must be finite", d.Threshold)},
		{d.TopK < 0, fmt.Sprintf("Decision.TopK is %d: it must not be negative", d.TopK)},
		{d.TopK > 0 && p.Task != metrics.Multilabel, fmt.Sprintf("Decision.TopK is for multilabel tasks, not for task %s", p.Task)},
		{len(d.PerLabel) > 0 && p.Task != metrics.Multilabel, fmt.Sprintf("Decision.PerLabel is for multilabel tasks, not for task %s", p.Task)},
		{len(d.PerLabel) > 0 && d.TopK > 0, "Decision has both TopK and PerLabel: leave one empty"},
	}
	for _, name := range slices.Sorted(maps.Keys(d.PerLabel)) {
		rules = append(rules, rule{!floats.Finite(d.PerLabel[name]), fmt.Sprintf("Decision.PerLabel of %q is %v: it must be finite", name, d.PerLabel[name])})
		if s.labelled() {
			_, found := s.Labels.Label(name)
			rules = append(rules, rule{!found, fmt.Sprintf("Decision.PerLabel has %q, which is not one of the %d labels", name, s.Labels.Len())})
		}
	}
	return rules
}

// mostQuantiles is the largest number of quantiles, and of bins, that numbers may be divided into.
const mostQuantiles = 1000

// divides reports whether numbers can be divided as the column asks.
func divides(c *SliceColumn) bool {
	ways := 0
	for _, way := range []bool{len(c.Values) > 0, len(c.Bins) > 0, c.Quantiles != 0} {
		if way {
			ways++
		}
	}
	for i, x := range c.Bins {
		if !floats.Finite(x) || i > 0 && x <= c.Bins[i-1] {
			return false
		}
	}
	if c.Function != "" && (len(c.Bins) > 0 || c.Quantiles != 0) {
		return false
	}
	return ways <= 1 && len(c.Bins) <= mostQuantiles && (c.Quantiles == 0 || c.Quantiles >= 2 && c.Quantiles <= mostQuantiles)
}

// resultRules returns the rules about slices and reports.
func (s *settled) resultRules() []rule {
	rules := []rule{
		{!slices.Contains([]string{"", "0", "1", "nan"}, s.ZeroDivision), fmt.Sprintf("ZeroDivision is %q: it must be 0, 1 or nan", s.ZeroDivision)},
		{s.PerLabel.Limit < 0, fmt.Sprintf("PerLabel.Limit is %d: it must not be negative", s.PerLabel.Limit)},
		{s.MaxSlices < 0, fmt.Sprintf("MaxSlices is %d: it must not be negative", s.MaxSlices)},
		{s.MaxExampleRows < 0, fmt.Sprintf("MaxExampleRows is %d: it must not be negative", s.MaxExampleRows)},
		{s.MaxNames < 0, fmt.Sprintf("MaxNames is %d: it must not be negative", s.MaxNames)},
		{s.MaxSkipped != nil && !(s.MaxSkipped.Value >= 0 && floats.Finite(s.MaxSkipped.Value)), "MaxSkipped must be finite and not negative"},
		{!s.Division.Valid(), fmt.Sprintf("Division is %+v: Lanes and PartialBytes must not be negative, Lanes not be 0 with Bundles, PartialBytes be 0 without Lanes, and Bundles or BundlePerKey, RangeLanes be 0 without BundlePerKey, and Buckets be a power of two up to %d", s.Division, lanes.MostBuckets)},
		{s.RangeBytes < 0, fmt.Sprintf("RangeBytes is %d: it must not be negative", s.RangeBytes)},
		{s.Goroutines < 0, fmt.Sprintf("Goroutines is %d: it must not be negative", s.Goroutines)},
	}
	rules = append(rules, rule{s.Changed != nil && !(s.Params.Has.Has(roles.BaselinePrediction) && s.Params.Decisions),
		"Changed lists examples that a model predicts right and its baseline does not, or the reverse: set Columns.Baseline or Columns.BaselineScore"})
	for i, w := range []*Worst{s.Worst, s.Changed} {
		if w == nil {
			continue
		}
		name := []string{"Worst", "Changed"}[i]
		rules = append(rules,
			rule{w.Count < 1 || w.Count > shuffle.MostWorst, fmt.Sprintf("%s.Count is %d: it must be 1 to %d", name, w.Count, shuffle.MostWorst)},
			rule{w.PerLabel && s.Params.Task&naming == 0, fmt.Sprintf("%s.PerLabel is for multiclass and multilabel tasks, not for task %s", name, s.Params.Task)},
			rule{w.PerSlice && len(s.Slices) == 0, name + ".PerSlice lists examples of slices, and there are none: set Slices"})
	}
	for i, slice := range s.Slices {
		rules = append(rules, rule{len(slice) == 0, fmt.Sprintf("Slices[%d] has no columns", i)})
		for j, c := range slice {
			again := slices.ContainsFunc(slice[:j], func(other SliceColumn) bool { return other.Name() == c.Name() })
			rules = append(rules, rule{c.Column == "" || slices.Contains(c.Others, ""), fmt.Sprintf("Slices[%d] has a column without a name", i)},
				rule{again, fmt.Sprintf("Slices[%d] has column %q twice", i, c.Name())},
				rule{c.Function != "" && shuffle.SliceFunctions[c.Function] == nil, fmt.Sprintf("Slices[%d]: no slice function %q is registered: call RegisterSlice in an init function", i, c.Function)},
				rule{c.Function == "" && len(c.Others) > 0, fmt.Sprintf("Slices[%d]: column %q has Others, but no Function takes them", i, c.Column)},
				rule{!divides(&c), fmt.Sprintf("Slices[%d]: column %q may have Values, Bins that ascend and are finite, or 2 to %d Quantiles, and with a Function only Values", i, c.Column, mostQuantiles)})
		}
	}
	return rules
}

// samplingRules returns the rules about rows that were drawn.
func (s *settled) samplingRules(memory bool) []rule {
	stratum := s.Columns.Stratum != "" || s.Truth != nil && s.Truth.Columns.Stratum != ""
	if s.Sampling == nil {
		return []rule{
			{s.Params.Drawn, "Params.Drawn is about rows that were drawn: set Sampling"},
			{stratum, "Columns.Stratum is about rows that were drawn: set Sampling"},
		}
	}
	ofTruth := s.Sampling.OfTruth(s.Truth)
	return []rule{
		{memory, "Sampling is for files: give a Prediction a Weight of 1 / probability"},
		{s.Columns.Weight == "" && !ofTruth, "no column of the probabilities with which rows were drawn: set Columns.Weight, of Spec or of Truth"},
		{s.Columns.Weight != "" && ofTruth, "the probabilities with which rows were drawn are in Columns.Weight of Spec or of Truth: leave one empty"},
		{s.EstimateUnlabelled, "rows without a label were not drawn, and have no probability: leave Sampling or EstimateUnlabelled out"},
		{s.Params.Judged && !s.Params.Drawn, "rows with a label were drawn, and others have judgements: set Params.Drawn"},
		{stratum && !s.Params.Drawn, "Columns.Stratum is for Params.Drawn: leave it empty; intervals read Confidence.Stratum"},
		{ofTruth && s.Columns.Stratum != "", "rows were drawn as Columns.Weight of the truth says: leave Columns.Stratum of Spec empty, and set it in Truth"},
		{!ofTruth && s.Truth != nil && s.Truth.Columns.Stratum != "", "rows were drawn as Columns.Weight of Spec says: leave Columns.Stratum of the truth empty"},
		{ofTruth && s.Truth.EvaluateUnmatched, "queries without predictions have no weight: leave Sampling or EvaluateUnmatched out"},
	}
}

// confidenceRules returns the rules about confidence intervals. It sets the defaults of Confidence.
func (s *settled) confidenceRules(memory bool) []rule {
	if s.Confidence == nil {
		return nil
	}
	c := *s.Confidence
	c.Level, c.Folds = cmp.Or(c.Level, 0.95), cmp.Or(c.Folds, len(c.Each), DefaultFolds) // with Refold, Folds is set
	s.Confidence = &c
	names, err := s.Params.Select(c.Metrics, metrics.DefaultArguments())
	unknown := ""
	if err != nil {
		unknown = err.Error()
	} else if len(c.Metrics) > 0 {
		c.Metrics = names
	}
	rules := []rule{
		{!(c.Level > 0 && c.Level < 1), fmt.Sprintf("Confidence.Level is %v: it must be between 0 and 1", c.Level)},
		{c.Folds < confidence.MinFolds || c.Folds > shuffle.MostFolds, fmt.Sprintf("Confidence.Folds is %d: it must be %d to %d", c.Folds, confidence.MinFolds, shuffle.MostFolds)},
		{c.Refold && (len(c.Each) == 0 || len(c.Each) > MostEach || s.Params.Curving()), "Confidence.Refold joins the values of Each, up to 1000, into Folds, but no exact curves"},
		{len(c.Each) > 0 && !c.Refold && c.Folds != len(c.Each), fmt.Sprintf("Confidence.Folds is %d, but Confidence.Each has %d values: leave one of them out", c.Folds, len(c.Each))},
		{c.Position && (c.By != "" || memory || s.Long || s.PerQuery || s.Truth != nil || s.Baseline != nil), "Confidence.Position is for examples that are a row of a file each, and leaves By out"},
		{c.HasStrata() && (s.Sampling == nil || c.Stratum == "" || c.By == "" || c.Clustered || len(c.Each) > 0 || s.Search != nil), "Confidence.Strata are of rows that were drawn, see Sampling, with a column Stratum, and are divided By their ids: leave Clustered, Each and Search out"},
		{c.HasStrata() && ((c.Folds-c.Rest)%len(c.Strata) > 0 || c.Folds-c.Rest < 2*len(c.Strata)), fmt.Sprintf("Confidence.Folds is %d: without Rest, it must be a multiple, 2 or more, of the %d Strata", c.Folds, len(c.Strata))},
		{c.HasStrata() && s.Params.Drawn && 2*c.Rest != c.Folds || c.Rest != 0 && !(c.HasStrata() && s.Params.Drawn), "Confidence.Rest is half of Folds for Params.Drawn and Strata, and otherwise 0"},
		{s.Sampling != nil && s.Sampling.Finite && (c.Clustered || s.Search != nil), "Sampling.Finite is about rows that were drawn, not about clusters of them: leave Confidence.Clustered and Search out"},
		{c.By == "" && !c.Position && !memory, "no column to divide the examples by: set Confidence.By"},
		{unknown != "", "Confidence.Metrics: " + unknown},
	}
	for _, name := range c.Metrics {
		rules = append(rules, rule{len(s.Params.Metrics) > 0 && !slices.Contains(s.Params.Metrics, name), fmt.Sprintf("Confidence.Metrics has %q, which is not computed: add it to Params.Metrics", name)})
	}
	return rules
}
