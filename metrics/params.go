package metrics

import (
	"errors"
	"fmt"
	"math"

	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/queries"
)

// Params fix what an evaluation folds. Partials may only be merged if their
// Params are equal.
//
// A Task is enough in regression and ranking, and a Task with Metrics in binary
// tasks: what metrics need follows from their names. Multiclass and multilabel tasks
// need Labels, too. Instead of Metrics, Scores and Decisions may say what the examples
// have; then every metric is computed that they allow. For all else 0 is the usual
// value; see [Params.Complete].
type Params struct {
	Task Task
	// Labels is the number of labels (multilabel) or classes (multiclass).
	Labels int
	// Scores says whether batches have scores, and ScoreType of which type. They do
	// if Metrics need it. Scores of items are RawScore.
	Scores    bool
	ScoreType ScoreType
	// Sparse says that only some labels of an example have scores; see
	// Batch.Candidates.
	Sparse bool
	// Decisions says whether batches have predicted classes or label sets. They do
	// if Metrics need it.
	Decisions bool
	// Bins is the number of calibration bins; 0: 10.
	Bins int
	// Quantiles says that the bins have equal weight instead of equal width, which
	// needs exact curves.
	Quantiles bool
	// LogLossEps clips probabilities in log loss to [eps, 1-eps]; 0: 2^-52, as in
	// scikit-learn.
	LogLossEps float64
	// Propensity is that of the labels, for the metrics that need it; nil: none.
	Propensity *Propensity
	// Curves says how the metrics of curves are computed, CurveBins in how many
	// bins of scores at most if they are bounded; 0: 4096. CurveLines, if not 0, asks
	// for drawings of curves, with a grid of so many lines; see curves.Outline. Tuning,
	// if not nil, asks for the best threshold of each label.
	Curves     CurveMode
	CurveBins  int
	CurveLines int
	Tuning     *curves.Criterion
	// Ranking settles what the measures of rankings of items leave open.
	Ranking RankingOptions
	// Metrics are the names of the metrics to compute, as Select returns them; none:
	// all that the task and the examples allow, but those of curves if Curves does not
	// say how.
	Metrics []string

	compiled *compiled // what Metrics came to last; copies share it
}

// RankingOptions settle what the measures of rankings of items leave open.
type RankingOptions struct {
	Gain Gain
	Ties Ties
	// RelevanceThreshold is the least relevance of relevant items; positive. 0: 1.
	RelevanceThreshold float64
	// MaxRelevance is the highest grade of relevance, for err; positive, at most
	// 1000. 0: 4.
	MaxRelevance float64
	EmptyQueries EmptyQueries
}

// Propensity is how likely it is that a label that is true of an example is
// marked as true, depending on how frequent the label is: of a label that is true
// of n among N examples
//
//	1 / (1 + C (n + B)^-A)  with  C = (log N - 1) (B + 1)^A
//
// as in Jain, Prabhu & Varma 2016, where A = 0.55 and B = 1.5. For fewer than
// three examples C would be negative; it is 0 then.
type Propensity struct {
	A, B        float64
	Frequencies LabelFrequencies `json:"-"` // large, and known only when folding
}

// LabelFrequencies says of how many of so many examples each label is true;
// labels that are not in Count are true of none.
type LabelFrequencies struct {
	Examples int64
	Count    map[int32]int64
}

// classes is the number of classes of the confusion matrix.
func (p *Params) classes() int {
	if p.Task == Binary {
		return 2
	}
	return p.Labels
}

// scored is the number of labels that have scores, or of curves: in regression
// tasks, of residuals.
func (p *Params) scored() int {
	if p.Task == Binary || p.Task == Regression {
		return 1
	}
	return p.Labels
}

// What the fields of Params that are 0 stand for.
const (
	defaultBins       = 10
	defaultCurveBins  = 4096
	defaultLogLossEps = 0x1p-52
)

// The most bins that there may be: memory follows them.
const (
	mostBins      = 1 << 20
	mostCurveBins = 1 << 24
)

// Complete sets what p leaves open: fields that are 0 become what their
// documentation says, no Metrics become all that the task and the examples allow,
// and metrics that are named say what the examples have and whether there are
// curves. Params that cannot be evaluated are an error. What is complete stays as it
// is.
//
// Completing Params is never necessary, as all methods do it with a copy. But one who
// makes the batches learns of it what they must have; and copies of p that are made
// after it need not find the metrics by their names again.
func (p *Params) Complete() error {
	if err := p.check(); err != nil {
		return err
	}
	p.setDefaults()
	if len(p.Metrics) == 0 {
		if err := p.selectAll(); err != nil {
			return err
		}
	}
	choices, err := p.find()
	if err != nil {
		return err
	}
	for _, c := range choices {
		p.provide(p.needsOf(c))
	}
	if p.Tuning != nil {
		p.provide(needScore | needCurve)
	}
	for _, c := range choices {
		if err := p.possible(c, c.full); err != nil {
			return err
		}
	}
	return p.checkTuning()
}

// completed returns a complete copy of p.
func (p *Params) completed() (*Params, error) {
	full := *p
	return &full, full.Complete()
}

// orNothing is completed for results that have no error: Params that cannot be
// evaluated need nothing.
func (p *Params) orNothing() *Params {
	full, err := p.completed()
	if err != nil {
		return &Params{Task: p.Task, Labels: max(p.Labels, 0)}
	}
	return full
}

// check says whether what p says can be, whatever the metrics.
func (p *Params) check() error {
	_, known := vocabularies()[p.Task]
	switch {
	case !known:
		return fmt.Errorf("no such task: %d; it is one of Binary, Multiclass, Multilabel, Regression and Ranking", p.Task)
	case p.Labels < 0 || p.Labels > math.MaxInt32 || p.Labels == 0 && p.Task&(Multiclass|Multilabel) != 0:
		return fmt.Errorf("task %s of %d labels", p.Task, p.Labels)
	case p.ScoreType > RawScore:
		return fmt.Errorf("no such score type: %d; it is one of Probability, Logit and RawScore", p.ScoreType)
	case p.Sparse && p.Task&(Multiclass|Multilabel) == 0:
		return fmt.Errorf("sparse scores are for multiclass and multilabel tasks, not for task %s", p.Task)
	case p.Bins < 0 || p.Bins > mostBins:
		return fmt.Errorf("%d calibration bins: there must be 1 to %d, or 0 for the default of %d", p.Bins, mostBins, defaultBins)
	case p.LogLossEps != 0 && !(p.LogLossEps > 0 && p.LogLossEps < 0.5):
		return fmt.Errorf("LogLossEps of %v: it must be more than 0 and less than 0.5, or 0 for the default of 2^-52", p.LogLossEps)
	case p.Curves != NoCurves && p.Curves != ExactCurves && p.Curves != BoundedCurves:
		return fmt.Errorf("no such mode of curves: %q; it is one of %q, %q and %q", p.Curves, NoCurves, ExactCurves, BoundedCurves)
	case p.CurveBins < 0 || p.CurveBins > mostCurveBins:
		return fmt.Errorf("%d bins of curves: there must be 1 to %d, or 0 for the default of %d", p.CurveBins, mostCurveBins, defaultCurveBins)
	case p.CurveLines < 0:
		return fmt.Errorf("%d lines of curves: the number must not be negative", p.CurveLines)
	}
	if err := p.Ranking.check(); err != nil {
		return err
	}
	return p.checkPropensity()
}

func (p *Params) checkPropensity() error {
	of := p.Propensity
	if of == nil || of.A >= 0 && of.B > 0 && !math.IsInf(of.A, 1) && !math.IsInf(of.B, 1) {
		return nil
	}
	return fmt.Errorf("propensity with A = %v and B = %v: A must be 0 or more, B positive, and both finite", of.A, of.B)
}

// check says whether rankings can be read under o.
func (o RankingOptions) check() error {
	switch {
	case !(o.RelevanceThreshold >= 0) || math.IsInf(o.RelevanceThreshold, 1):
		return fmt.Errorf("ranking with a relevance threshold of %v: it must be positive and finite", o.RelevanceThreshold)
	case !(o.MaxRelevance >= 0 && o.MaxRelevance <= queries.MaxGrade):
		return fmt.Errorf("ranking with a highest relevance of %v: it must be positive, and at most %v", o.MaxRelevance, queries.MaxGrade)
	case o.Gain > LinearGain, o.Ties > ItemTies, o.EmptyQueries > EmptyIsOne:
		return fmt.Errorf("ranking with unknown options: %+v", o)
	}
	return nil
}

// setDefaults sets fields that are 0, as far as that does not depend on the metrics.
func (p *Params) setDefaults() {
	if p.Bins == 0 {
		p.Bins = defaultBins
	}
	if p.CurveBins == 0 {
		p.CurveBins = defaultCurveBins
	}
	if p.LogLossEps == 0 {
		p.LogLossEps = defaultLogLossEps
	}
	if p.Task == Ranking {
		p.Scores, p.ScoreType = true, RawScore
		p.Ranking.setDefaults()
	}
}

// setDefaults sets fields that are 0.
func (o *RankingOptions) setDefaults() {
	if o.RelevanceThreshold == 0 {
		o.RelevanceThreshold = 1
	}
	if o.MaxRelevance == 0 {
		o.MaxRelevance = 4
	}
}

// selectAll selects all metrics that the task and the examples allow.
func (p *Params) selectAll() error {
	if p.Task&(Binary|Multiclass|Multilabel) != 0 && !p.Scores && !p.Decisions {
		return errors.New("no metrics: set Scores or Decisions, which say what examples have, or Metrics")
	}
	var err error
	p.Metrics, err = p.Select(nil, DefaultArguments())
	return err
}

// provide says that examples have what is needed, unless p already says what they
// have in its place.
func (p *Params) provide(n need) {
	if n&(needScore|needProbability|needLogit) != 0 {
		p.Scores = true
	}
	if n&needDecision != 0 {
		p.Decisions = true
	}
	if n&needCurve != 0 && p.Curves == NoCurves {
		p.Curves = ExactCurves
	}
}

// checkTuning says whether thresholds can be tuned.
func (p *Params) checkTuning() error {
	switch {
	case p.Tuning == nil:
		return nil
	case p.Task&(Binary|Multiclass|Multilabel) == 0:
		return fmt.Errorf("thresholds are tuned for labels, which task %s does not have", p.Task)
	case p.Sparse:
		return errors.New("tuning thresholds needs a score for every label: the scores are sparse")
	}
	return p.Tuning.Check()
}
