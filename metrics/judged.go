package metrics

import (
	"cmp"
	"math"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/ppi"
)

const angelopoulos = "Angelopoulos, Duchi & Zrnic 2023"

// judgedMetrics combine labels, which few rows have, with a model's judgements, which all rows
// have.
var judgedMetrics = []metric{
	{"prediction_powered_mean", Binary | Regression, needJudged, Neither, confidence.Identity, ofJudged(poweredMean).as(PoweredMean), "mean of the labels that all rows would have, $λ$ times the mean judgement of the rows without a label, plus the mean of $y - λ f$ over the rows with one, $f$ being the judgement", angelopoulos, []string{"ppi_mean"}},
	{"prediction_powered_mean_std_error", Binary | Regression, needJudged, Neither, confidence.Log, ofJudged(poweredStdError).as(ErrorOfMean), "standard error of prediction_powered_mean, if all rows are independent: $√ (λ² Var f / N + Var(y - λ f) / n)$, of $N$ rows without a label and $n$ with one; at most label_mean_std_error", angelopoulos, nil},
	{"prediction_powered_lambda", Binary | Regression, needJudged, Neither, confidence.NotSmooth, ofJudged(poweredLambda).as(ErrorOfMean), "$λ$ in [0, 1], how far judgements are trusted, for the least standard error: $Cov(y, f) / (Var f + n/N Var f)$, the first variance over the rows with a label, the second over the rows without", angelopoulos, []string{"ppi_lambda"}},
	{"prediction_powered_correlation", Binary | Regression, needJudged, Higher, confidence.Atanh, ofJudged(poweredCorrelation).ofLabels(), "Pearson correlation of $y$ and $f$ over the rows with a label; where $λ$ is below 1, the variance of prediction_powered_mean is about $1 - ρ² N / (n + N)$ times the variance of label_mean", "SciPy pearsonr", []string{"ppi_correlation"}},
	{"label_mean", Binary | Regression, needJudged, Neither, confidence.Identity, ofJudged(labelMean).ofLabels(), "mean of the labels of the rows that have one", "beameval", nil},
	{"label_mean_std_error", Binary | Regression, needJudged, Neither, confidence.Log, ofJudged(labelStdError).ofLabels().as(ErrorOfMean), "standard error of label_mean, $√ (Var y / n)$, if all rows are independent", "beameval", nil},
	{"judged_mean", Binary | Regression, needJudged, Neither, confidence.Identity, ofJudged(judgedMean).as(JudgedMean), "mean of the judgements of all rows, which is biased as the model is", "beameval", nil},
	{"judged_rows", Binary | Regression, needJudged, Neither, confidence.Count, ofJudged(func(s *estimand) Value { return defined(float64(s.Judged())) }), "number of rows that have weight, with a label or without", "beameval", nil},
	{"prediction_powered_accuracy", Multiclass, needJudgedToo, Higher, confidence.Identity, ofPredicted(poweredMean).as(PoweredMean), "accuracy if all rows had a label: prediction_powered_mean with $y = 1$ where the predicted class is the label, $f = 1$ where it is the judgement, and else 0", angelopoulos, []string{"ppi_accuracy"}},
	{"prediction_powered_accuracy_std_error", Multiclass, needJudgedToo, Neither, confidence.Log, ofPredicted(poweredStdError).as(ErrorOfMean), "standard error of prediction_powered_accuracy, if all rows are independent; at most $√ (Var y / n)$, the standard error of accuracy", angelopoulos, nil},
	{"prediction_powered_accuracy_lambda", Multiclass, needJudgedToo, Neither, confidence.NotSmooth, ofPredicted(poweredLambda).as(ErrorOfMean), "$λ$ of prediction_powered_accuracy", angelopoulos, nil},
	{"prediction_powered_accuracy_correlation", Multiclass, needJudgedToo, Higher, confidence.Atanh, ofPredicted(poweredCorrelation).ofLabels(), "Pearson correlation, over the rows with a label, of whether the predicted class is the label and whether it is the judgement", "SciPy pearsonr", nil},
	{"judged_accuracy", Multiclass, needJudgedToo, Higher, confidence.Identity, ofPredicted(judgedMean).as(JudgedMean), "share of all rows whose predicted class is the judgement, which is biased as the model that judges is", "beameval", nil},
	{"prediction_powered_mean", Multiclass, needJudged, Neither, confidence.Identity, ofShares(poweredMean).as(PoweredMean), "share of the class if all rows had a label: $y = 1$ where the label is the class, $f = 1$ where the judgement is, and else 0", angelopoulos, []string{"ppi_mean"}},
	{"prediction_powered_mean_std_error", Multiclass, needJudged, Neither, confidence.Log, ofShares(poweredStdError).as(ErrorOfMean), "standard error of prediction_powered_mean, if all rows are independent; at most label_mean_std_error", angelopoulos, nil},
	{"prediction_powered_lambda", Multiclass, needJudged, Neither, confidence.NotSmooth, ofShares(poweredLambda).as(ErrorOfMean), "$λ$ of prediction_powered_mean", angelopoulos, []string{"ppi_lambda"}},
	{"prediction_powered_correlation", Multiclass, needJudged, Higher, confidence.Atanh, ofShares(poweredCorrelation).ofLabels(), "Pearson correlation, over the rows with a label, of whether the label and whether the judgement is the class", "SciPy pearsonr", []string{"ppi_correlation"}},
	{"label_mean", Multiclass, needJudged, Neither, confidence.Identity, ofShares(labelMean).ofLabels(), "share of the class in the rows that have a label", "beameval", nil},
	{"label_mean_std_error", Multiclass, needJudged, Neither, confidence.Log, ofShares(labelStdError).ofLabels().as(ErrorOfMean), "standard error of label_mean, $√ (Var y / n)$, if all rows are independent", "beameval", nil},
	{"judged_mean", Multiclass, needJudged, Neither, confidence.Identity, ofShares(judgedMean).as(JudgedMean), "share of the class in the judgements of all rows, which is biased as the model is", "beameval", nil},
	{"judged_rows", Multiclass, needJudged, Neither, confidence.Count, judgedRows, "number of rows that have weight, with a label or without", "beameval", nil},
	{"judge_agreement", Multiclass, needJudged | needRole(roles.Judged), Higher, confidence.Proportion, ofAgreement(judgeAgreement).ofLabels(), "share of the rows with a label whose judgement is the label", sklearn + ", accuracy_score", nil},
	{"judge_cohen_kappa", Multiclass, needJudged | needRole(roles.Judged), Higher, confidence.Atanh, ofAgreement(judgeKappa).ofLabels(), "cohen_kappa of labels and judgements, of the rows with a label", sklearn, []string{"judge_kappa"}},
}

var needJudgedToo = NeedDecisions | needJudged | needRole(roles.Judged)

// judging is a statistic of judgements, which rows without a label have, too.
type judging interface {
	foldUnlabelled(b *Batch, rows []int32)
	Judged() int64
}

// judged is the statistic of labels and judgements that are numbers.
type judged struct{ ppi.Sums }

func (s *judged) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		s.AddLabelled(b.weight(r), b.truthAsNumber(r), b.judgement(r))
	}
}

func (s *judged) foldUnlabelled(b *Batch, rows []int32) {
	for _, r := range rows {
		s.AddUnlabelled(b.weight(r), b.judgement(r))
	}
}

func (s *judged) visit(v *fields.Visitor, from statistic) { s.Fields(v, &from.(*judged).Sums) }

func (s *judged) fits(*Params) bool { return true }

// judgedClasses is the statistic of labels and judgements that are classes: the shares of these, and
// whether predictions are right, according to them.
type judgedClasses struct {
	shares ppi.Shares
	right  ppi.Sums
}

func (s *judgedClasses) Fold(b *Batch, rows []int32) {
	judged := b.judgedClasses()
	for _, r := range rows {
		w, y, f := b.weight(r), b.Class[r], judged[r]
		s.shares.AddLabelled(w, y, f)
		if b.Predicted != nil {
			s.right.AddLabelled(w, float64(oneIf(b.Predicted[r] == y)), float64(oneIf(b.Predicted[r] == f)))
		}
	}
}

func (s *judgedClasses) foldUnlabelled(b *Batch, rows []int32) {
	judged := b.judgedClasses()
	for _, r := range rows {
		w, f := b.weight(r), judged[r]
		s.shares.AddUnlabelled(w, f)
		if b.Predicted != nil {
			s.right.AddUnlabelled(w, float64(oneIf(b.Predicted[r] == f)))
		}
	}
}

func (s *judgedClasses) visit(v *fields.Visitor, from statistic) {
	f := from.(*judgedClasses)
	s.shares.Fields(v, &f.shares)
	s.right.Fields(v, &f.right)
}

func (s *judgedClasses) Judged() int64 { return s.shares.Judged() }

func (s *judgedClasses) fits(p *Params) bool { return s.shares.Below(p.classes()) }

// drawn is the statistic of labels and judgements that are numbers, if the rows with a label were drawn.
type drawn struct{ ppi.Sample }

func (s *drawn) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		s.AddLabelled(b.stratum(r), b.weight(r), b.truthAsNumber(r), b.judgement(r))
	}
}

func (s *drawn) foldUnlabelled(b *Batch, rows []int32) {
	for _, r := range rows {
		s.AddUnlabelled(b.judgement(r))
	}
}

func (s *drawn) visit(v *fields.Visitor, from statistic) { s.Fields(v, &from.(*drawn).Sample) }

func (s *drawn) fits(*Params) bool { return true }

// drawnClasses are judgedClasses if the rows with a label were drawn.
type drawnClasses struct {
	shares ppi.SampleShares
	right  ppi.Sample
}

func (s *drawnClasses) Fold(b *Batch, rows []int32) {
	judged := b.judgedClasses()
	for _, r := range rows {
		h, w, y, f := b.stratum(r), b.weight(r), b.Class[r], judged[r]
		s.shares.AddLabelled(h, w, y, f)
		if b.Predicted != nil {
			s.right.AddLabelled(h, w, float64(oneIf(b.Predicted[r] == y)), float64(oneIf(b.Predicted[r] == f)))
		}
	}
}

func (s *drawnClasses) foldUnlabelled(b *Batch, rows []int32) {
	judged := b.judgedClasses()
	for _, r := range rows {
		s.shares.AddUnlabelled(judged[r])
		if b.Predicted != nil {
			s.right.AddUnlabelled(float64(oneIf(b.Predicted[r] == judged[r])))
		}
	}
}

func (s *drawnClasses) visit(v *fields.Visitor, from statistic) {
	f := from.(*drawnClasses)
	s.shares.Fields(v, &f.shares)
	s.right.Fields(v, &f.right)
}

func (s *drawnClasses) Judged() int64 { return s.shares.Judged() }

func (s *drawnClasses) fits(p *Params) bool { return s.shares.Below(p.classes()) }

// FoldUnlabelled adds the judgements of rows of a batch without a label. Nothing else can be folded
// without labels, but if the rows with a label were drawn, a digest has the others, too.
func (p *Partial) FoldUnlabelled(b *Batch, rows []int32) {
	for _, s := range p.stats {
		if s, ok := s.(judging); ok {
			s.foldUnlabelled(b, rows)
		}
	}
	if d, ok := p.stats[kindDigest].(*digest); ok && (p.stats[kindDrawn] != nil || p.stats[kindDrawnClasses] != nil) {
		d.foldUnlabelled(b, rows)
	}
}

// Design says how rows with a label were drawn, for Params.Drawn.
type Design = ppi.Design

// Drawn returns the strata of the rows with a label: the Strata of the Design of all examples.
func (p *Partial) Drawn() map[uint64]ppi.Stratum {
	if numbers, ok := p.stats[kindDrawn].(*drawn); ok {
		return numbers.Strata()
	}
	if classes, ok := p.stats[kindDrawnClasses].(*drawnClasses); ok {
		return classes.shares.Strata()
	}
	return nil
}

// truthAsNumber returns the target of a row in a regression, and its class, 0 or 1, in a binary task.
func (b *Batch) truthAsNumber(r int32) float64 {
	if b.Target != nil {
		return b.Target[r]
	}
	return float64(b.Class[r])
}

// judgement returns what a model judges the truth of a row to be: in a binary task its score, which is a
// probability unless it is of another type, or else the decision.
func (b *Batch) judgement(r int32) float64 {
	switch {
	case b.Estimate != nil:
		return b.Estimate[r]
	case b.Probability != nil:
		return b.Probability[r]
	case b.Score != nil:
		return b.Score[r]
	}
	return float64(b.Predicted[r])
}

// judgedClasses returns what a model judges the classes of a multiclass task to be.
func (b *Batch) judgedClasses() []int32 {
	if b.JudgedClass != nil {
		return b.JudgedClass
	}
	return b.Predicted
}

// judgements are what a mean is estimated from: a ppi.Sums, or a ppi.Sample if rows were drawn.
type judgements interface {
	JudgedMean() (mean float64, why string)
	Judged() int64
}

// estimand is what metrics of judgements estimate. Several metrics share the estimate.
type estimand struct {
	judgements
	estimate ppi.Estimate
	trust    ppi.Trust
	why      string // there is none
	drawn    bool
}

func newEstimand(of judgements, d Design) *estimand {
	e := &estimand{judgements: of}
	switch s := of.(type) {
	case *ppi.Sums:
		e.estimate, e.why = s.Estimate()
	case *ppi.Sample:
		e.estimate, e.trust, e.why = s.Estimate(d)
		e.drawn = true
	}
	return e
}

// judged returns the labels and judgements that are numbers.
func (e *evaluation) judged() judgements {
	if e.params.Drawn {
		return &statisticOf[*drawn](e, kindDrawn).Sample
	}
	return &statisticOf[*judged](e, kindJudged).Sums
}

// right returns whether predicted classes are right, according to labels and to judgements.
func (e *evaluation) right() judgements {
	if e.params.Drawn {
		return &statisticOf[*drawnClasses](e, kindDrawnClasses).right
	}
	return &statisticOf[*judgedClasses](e, kindJudgedClasses).right
}

// shares returns the shares of classes by labels, which weigh, and by the judgements of the same rows.
func (e *evaluation) shares() *ppi.Shares {
	if e.params.Drawn {
		return statisticOf[*drawnClasses](e, kindDrawnClasses).shares.Weighted()
	}
	return &statisticOf[*judgedClasses](e, kindJudgedClasses).shares
}

// shareOf returns whether labels and judgements are a class.
func (e *evaluation) shareOf(class int) judgements {
	if e.params.Drawn {
		return statisticOf[*drawnClasses](e, kindDrawnClasses).shares.Of(class)
	}
	return statisticOf[*judgedClasses](e, kindJudgedClasses).shares.Of(class)
}

// ofJudged evaluates a function of labels and judgements that are numbers.
func ofJudged(f func(*estimand) Value) evaluator {
	return ofEstimand(kindJudged, (*evaluation).judged, f)
}

// ofPredicted evaluates a function of whether predicted classes are right, according to labels and to
// judgements.
func ofPredicted(f func(*estimand) Value) evaluator {
	return ofEstimand(kindJudgedClasses, (*evaluation).right, f)
}

// ofAll is the key of the estimand of all examples. A class is the key of its estimand.
const ofAll = -1

// ofEstimand evaluates a function of the estimand of the judgements that the function of returns.
func ofEstimand(from kind, of func(*evaluation) judgements, f func(*estimand) Value) evaluator {
	return evaluator{from: from, judgements: func(e *evaluation, _ int) judgements { return of(e) }, overall: func(e *evaluation, _ choice) Value {
		return f(e.estimand(ofAll, func() judgements { return of(e) }))
	}}
}

// ofShares evaluates a function of the share of each class, according to labels and to judgements.
func ofShares(f func(*estimand) Value) evaluator {
	return evaluator{from: kindJudgedClasses, averages: onlyItself, judgements: (*evaluation).shareOf, byLabel: func(e *evaluation, _ choice) labelValues {
		shares := e.shares()
		return labelValues{eachLabel(e.params.classes()), func(label int) Value {
			return f(e.estimand(label, func() judgements { return e.shareOf(label) }))
		}, func(label int) (float64, int64) {
			of := shares.Labelled(label)
			return of.Weight(), of.Rows()
		}}
	}}
}

// estimand returns what has been estimated for a key, or else does it from the judgements.
func (e *evaluation) estimand(key int, of func() judgements) *estimand {
	if e.estimands == nil {
		e.estimands = make(map[int]*estimand)
	}
	if e.estimands[key] == nil {
		e.estimands[key] = newEstimand(of(), e.options.Drawn)
	}
	return e.estimands[key]
}

// ofAgreement evaluates a function of the shares of all classes.
func ofAgreement(f func(*ppi.Shares) Value) evaluator {
	return evaluator{from: kindJudgedClasses, overall: func(e *evaluation, _ choice) Value { return f(e.shares()) }}
}

// judgedRows evaluates the number of rows with a judgement that is a class.
var judgedRows = evaluator{from: kindJudgedClasses, overall: func(e *evaluation, _ choice) Value {
	if e.params.Drawn {
		return defined(float64(statisticOf[*drawnClasses](e, kindDrawnClasses).Judged()))
	}
	return defined(float64(statisticOf[*judgedClasses](e, kindJudgedClasses).Judged()))
}}

func judgeAgreement(s *ppi.Shares) Value { return multiclassAccuracy(nil, marginsOf(s)) }

func judgeKappa(s *ppi.Shares) Value { return cohenKappa(nil, marginsOf(s)) }

// marginsOf returns the margins of the confusion matrix of labels and judgements.
func marginsOf(s *ppi.Shares) margins {
	a := s.Agreement()
	return margins{a.Classes, a.Label, a.Judged, a.Total, a.Differ}
}

func poweredMean(s *estimand) Value { return s.value(s.estimate.Mean, s.estimate.StdError) }

func poweredLambda(s *estimand) Value { return s.value(s.estimate.Lambda, 0) }

func poweredCorrelation(s *estimand) Value {
	if !math.IsNaN(s.estimate.LabelStdError) && math.IsNaN(s.estimate.Correlation) {
		return Undefined(cmp.Or(s.why, ppi.Constant))
	}
	return s.error(s.estimate.Correlation)
}

func labelMean(s *estimand) Value { return s.value(s.estimate.LabelMean, s.estimate.LabelStdError) }

func poweredStdError(s *estimand) Value { return s.error(s.estimate.StdError) }

func labelStdError(s *estimand) Value { return s.error(s.estimate.LabelStdError) }

// value returns a number of the estimate with its standard error, which is 0 if it is unknown.
func (s *estimand) value(number, stdError float64) Value {
	switch {
	case s.why != "":
		return Undefined(s.why)
	case s.drawn: // few rows of a stratum make its variance uncertain, which replicates show
		return defined(number)
	}
	return Value{Number: number, StdError: stdError}
}

// error returns a standard error of the estimate.
func (s *estimand) error(stdError float64) Value {
	switch {
	case s.why != "":
		return Undefined(s.why)
	case math.IsNaN(stdError):
		return Undefined(ppi.FewLabels)
	}
	return defined(stdError)
}

func judgedMean(s *estimand) Value {
	mean, why := s.JudgedMean()
	if why != "" {
		return Undefined(why)
	}
	return defined(mean)
}
