package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/internal/forecast"
	"github.com/beameval/beameval/metrics/queries"
)

// Params say what an evaluation folds. Partials may be merged only if their Params are equal.
//
// For regression and ranking, a Task is enough. Binary tasks need a Task and Metrics, from whose
// names it follows what examples must have. Multiclass and multilabel tasks also need Labels, as do preferences.
// Instead of naming Metrics, you can set Scores and Decisions to what the examples have: then every
// metric that they allow is computed. All other fields have defaults; see [Params.Complete].
type Params struct {
	Task Task
	// Labels is the number of labels (multilabel), of classes (multiclass), of systems (preference; at
	// most MostSystems) or of raters (agreement).
	Labels int
	// Ordinal says that classes have a meaningful order, such as grades. Without Metrics, only then
	// the metrics that depend on the order are computed.
	Ordinal bool
	// Scores says whether batches have scores, and ScoreType which type they have. Complete sets
	// Scores if Metrics need them. Scores of items are always RawScore.
	Scores    bool
	ScoreType ScoreType
	// Has says which further columns batches have. Complete adds the columns that Metrics need.
	Has Roles
	// Judged says, in a binary, multiclass or regression task, that the predictions of batches are
	// judgements of the truth, and only few examples have a true label. Judgements are the scores
	// of a binary task, or its decisions if it has no scores; the decisions of a multiclass task;
	// or Estimate. They allow prediction-powered inference; see [Partial.FoldUnlabelled].
	// HasJudgedClass implies Judged.
	Judged bool
	// Drawn says, if there are judgements, that rows with a label were drawn from all rows with known probabilities, from the
	// strata of Batch.Stratum. Each weighs 1 / probability, and rows without a label weigh 1. Options.Drawn then describes
	// all examples.
	Drawn bool
	// Sparse says that only some labels of an example have scores; see
	// Batch.Candidates.
	Sparse bool
	// Decisions says whether batches have predicted classes or label sets. Complete sets it if
	// Metrics need them.
	Decisions bool
	// Bins is the number of calibration bins. 0 means 10.
	Bins int
	// Quantiles gives the bins equal weight instead of equal width. It requires exact curves.
	Quantiles bool
	// LogLossEps clips probabilities in log loss to [eps, 1-eps]. 0 means 2^-52, as in
	// scikit-learn.
	LogLossEps float64
	// Propensity is the model of the propensities of labels, for metrics that need it.
	Propensity *Propensity
	// Costs holds, for each true class, what an example costs by its predicted class, for
	// expected_cost: the classes are absent and present in binary and multilabel tasks. Costs are
	// within [0, 1e100].
	Costs [][]float64
	// Judgements says that retrieved items may be without a judgement, for metrics that count
	// those. If it is not set, all items are judged.
	Judgements bool
	// CatalogSize is the number of items that could be retrieved. 0 means the number of items that
	// are retrieved or judged for any query.
	CatalogSize int
	// FrequencyTotal is what Batch.ItemFrequency is counted out of, such as the number of users in
	// the training data, for novelty. 0 means that it is unknown.
	FrequencyTotal float64
	// HeadFrequency is the lowest Batch.ItemFrequency of items of the head, for tail_share, if all items
	// are known; see [HeadFrequency]. 0 means that the head is found among the items that are
	// retrieved or judged.
	HeadFrequency float64
	// QuantileLevels, in a regression, are the levels of the quantiles that Batch.Quantile
	// forecasts: increasing, at least 1e-6 apart, and within (0, 1). An interval that should contain
	// 90 % of the targets is a pair of the quantiles 0.05 and 0.95.
	QuantileLevels []float64
	// NoEstimate says, in a regression, that batches have no Estimate but only forecasts of quantiles or
	// ensembles. Metrics of estimates, curves and histograms are left out.
	NoEstimate bool
	// Curves says how metrics of curves are computed.
	Curves CurveMode
	// Portable also folds the histograms of bounded curves if Curves are exact, because exact curves of
	// parts of the data cannot be merged: see Bounded, Own and Travelling.
	Portable bool
	// CurveBins is the largest number of bins in a histogram of bounded curves. 0 means 4096.
	CurveBins int
	// CurveLines, if not 0, asks for drawings of curves, on grids with this number of lines; see
	// curves.Outline.
	CurveLines int
	// Tuning, if not nil, asks for the best threshold of each label.
	Tuning *curves.Criterion
	// Ranking settles what the definitions of metrics of queries leave open.
	Ranking RankingOptions
	// Preference settles how comparisons of systems are modelled.
	Preference PreferenceOptions
	// Grades says what grades mean.
	Grades GradeOptions
	// FurtherGrades are numbers or booleans that attempts have besides their grades.
	FurtherGrades []FurtherGrade
	// Raters says what ratings mean.
	Raters RaterOptions
	// Digest asks for the digest of the examples. Batches must then have keys.
	Digest bool
	// Replicated are the names of the metrics whose curves are also traced without each fold; see
	// WithoutFolds.
	Replicated []string
	// SpreadOf are the names of the metrics of queries that get histograms if they are in [0, 1];
	// see NewSpread.
	SpreadOf []string
	// ScoreHistograms asks for histograms of scores, targets and predictions over bins that no data
	// decide; see ScoreHistogramsOf.
	ScoreHistograms bool
	// LabelPairs asks for the labels that are predicted in place of others; see LabelPairsOf. The task
	// must be multiclass or multilabel. Complete then sets Decisions.
	LabelPairs bool
	// SomeAveraged says that averages over labels are over some of them, see Options.AverageLabels. It leaves out
	// metrics of the scores of all labels together, and of pairs of classes.
	SomeAveraged bool
	// MaxDistinct is how many distinct pairs of target and estimate, or items, a statistic may hold, for metrics
	// that need them all. If there are more, these metrics are undefined. Isotonic fits of more scores than
	// that, of rows that do not all weigh 1, join blocks of nearly equal shares. 0 means 200,000.
	MaxDistinct int
	// Metrics are the names of the metrics to compute, as Select returns them. None means all that
	// the task and the examples allow, except metrics of curves if Curves is NoCurves.
	Metrics []string
	// Names says whether messages name fields, which is the default, or keys of the configuration
	// of the command beameval.
	Names settings.Names

	ofFold   bool      // see OfFolds
	binned   bool      // see Binned
	compiled *compiled // the metrics most recently looked up by name; copies of Params share them
}

// Roles is a set of columns that batches may have, such as HasItems | HasCategories.
type Roles = roles.Set

// What batches may have.
const (
	// HasBaseline: Baseline, BaselineSet or, in a regression, BaselineEstimate. HasBaselineScores:
	// BaselineScore, of the same ScoreType as other scores, which are then not Sparse.
	HasBaseline       Roles = 1 << roles.BaselinePrediction
	HasBaselineScores Roles = 1 << roles.BaselineScore
	// HasJudgedClass, in a multiclass task: the judgements are not the decisions but JudgedClass, by
	// which the decisions are judged.
	HasJudgedClass Roles = 1 << roles.Judged
	// HasPredictionSets, in a multiclass task: PredictedSet.
	HasPredictionSets Roles = 1 << roles.PredictionSet
	// HasErrorCosts, in a binary task: CostFP and CostFN, for expected_cost. Right decisions then cost
	// nothing, and Params.Costs is nil. Tuning for curves.NetBenefit then counts examples by what their
	// errors cost: at 1, it finds the threshold of least cost.
	HasErrorCosts Roles = 1<<roles.CostFP | 1<<roles.CostFN
	// HasItems and HasCategories, in a ranking: ItemKey, and MissedKey if there is Missed; and Category.
	HasItems      Roles = 1 << roles.Item
	HasCategories Roles = 1 << roles.Category
	// HasEnsemble and HasScale, in a regression: Member and Scale.
	HasEnsemble Roles = 1 << roles.Ensemble
	HasScale    Roles = 1 << roles.Scale
	// HasAnswers, of grades: Majority.
	HasAnswers Roles = 1 << roles.Answer
	// HasFurtherGrades, of grades: FurtherGrade. Complete sets it if there are FurtherGrades.
	HasFurtherGrades Roles = 1 << roles.FurtherGrades
)

// has reports whether batches have all of some columns.
func (p *Params) has(some Roles) bool { return p.Has&some == some }

// RankingOptions settle what the definitions of metrics of queries leave open.
type RankingOptions struct {
	Gain Gain
	Ties Ties
	// RelevanceThreshold is the smallest relevance of relevant items. It is positive; 0 means 1.
	RelevanceThreshold float64
	// MaxRelevance is the highest grade of relevance, which err needs. It is positive and at most
	// 1000; 0 means 4.
	MaxRelevance float64
	EmptyQueries EmptyQueries
	// AttainableMAP divides map@k by min(k, R), as many relevant items as could be among the first k, instead of R.
	AttainableMAP bool
}

// Propensity models how likely it is that a label which is true of an example is marked
// as true, by how frequent the label is. If it is true of n among N examples, this is
//
//	1 / (1 + C (n + B)^-A)  with  C = (log N - 1) (B + 1)^A
//
// as in Jain, Prabhu & Varma 2016, where A = 0.55 and B = 1.5. For fewer than three
// examples, C would be negative and is taken as 0.
type Propensity struct {
	A, B        float64
	Frequencies LabelFrequencies `json:"-"` // they are large, and known only when folding
}

// LabelFrequencies counts, for each label, the Examples that have it. A label that is not in Count
// has none.
type LabelFrequencies struct {
	Examples int64
	Count    map[int32]int64
}

// classes returns the number of classes of the confusion matrix.
func (p *Params) classes() int {
	if p.Task == Binary {
		return 2
	}
	return p.Labels
}

// scored returns the number of labels that have scores and curves. Regression has one curve, of
// residuals.
func (p *Params) scored() int {
	if p.Task == Binary || p.Task == Regression {
		return 1
	}
	return p.Labels
}

// The defaults of fields of Params.
const (
	defaultBins       = 10
	defaultCurveBins  = 4096
	defaultLogLossEps = 0x1p-52

	defaultMaxRelevance = 4
	defaultMaxDistinct  = 200_000
)

// Limits of numbers of bins, because bins take memory.
const (
	mostBins      = 1 << 20
	mostCurveBins = 1 << 24
	mostDistinct  = 1 << 30
)

// Complete fills in what p leaves open. Fields that are 0 get their defaults. If no Metrics are
// named, they become all that the task and the examples allow; otherwise Scores, Decisions and
// Curves become what the named Metrics need. Complete returns an error if p is invalid, and does
// not change Params that are complete.
//
// Calling it is optional, because all methods complete a copy. But afterwards, p says what batches
// must have, and copies of p need not look up the metrics again.
func (p *Params) Complete() error {
	if err := p.check(); err != nil {
		return err
	}
	p.setDefaults()
	if p.LabelPairs || p.Judged && (p.Task == Binary && !p.Scores || p.Task == Multiclass && !p.has(HasJudgedClass)) {
		p.provide(NeedDecisions)
	}
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
		p.provide(NeedScores | needCurve)
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

// orNothing is completed for methods without an error: if p is invalid, it returns Params that need
// nothing.
func (p *Params) orNothing() *Params {
	full, err := p.completed()
	if err != nil {
		return &Params{Task: p.Task, Labels: max(p.Labels, 0)}
	}
	return full
}

// check returns an error if fields of p are invalid, whatever the metrics.
func (p *Params) check() error {
	_, known := vocabularies()[p.Task]
	switch {
	case !known:
		return fmt.Errorf("unknown task %d: expected one of %s", p.Task, AnyTask)
	case p.Labels < 0 || p.Labels > math.MaxInt32 || p.Labels == 0 && p.Task&(Binary|Unlabelled) == 0:
		return fmt.Errorf("task %s of %d labels", p.Task, p.Labels)
	case p.Task == Preference && (p.Labels < 2 || p.Labels > MostSystems):
		return fmt.Errorf("task %s of %d systems: there must be 2 to %d, because each is compared with others", p.Task, p.Labels, MostSystems)
	case p.Preference != PreferenceOptions{} && p.Task != Preference:
		return fmt.Errorf("a model of preferences is for task %s, not for task %s", Preference, p.Task)
	case p.Grades != GradeOptions{} && p.Task != Grading:
		return fmt.Errorf("options of grades are for task %s, not for task %s", Grading, p.Task)
	case p.Raters != RaterOptions{} && p.Task != Agreement:
		return fmt.Errorf("options of raters are for task %s, not for task %s", Agreement, p.Task)
	case p.ScoreType > RawScore:
		return fmt.Errorf("unknown score type %d: expected Probability, Logit or RawScore", p.ScoreType)
	case p.Task != Regression && len(p.QuantileLevels) > 0:
		return fmt.Errorf("levels of quantiles are for task regression, not for task %s", p.Task)
	case !forecast.Levels(p.QuantileLevels).Valid():
		return fmt.Errorf("levels of quantiles %v: they must be increasing, at least 1e-6 apart, and between 0 and 1", p.QuantileLevels)
	case p.NoEstimate && (p.Task != Regression || p.Judged || p.has(HasBaseline) || p.has(HasScale)):
		return errors.New("NoEstimate is for a regression without judgements, predictions of a baseline and a scale of errors")
	case p.Judged && p.Task&(Binary|Multiclass|Regression) == 0:
		return fmt.Errorf("judgements are for binary, multiclass and regression tasks, not for task %s", p.Task)
	case p.Drawn && !p.Judged && !p.has(HasJudgedClass):
		return errors.New("Drawn is about rows with a label beside judgements of all rows: set Judged, or leave Drawn out")
	case p.has(HasJudgedClass) && p.Task != Multiclass:
		return fmt.Errorf("judged classes besides the predictions are for multiclass tasks, not for task %s", p.Task)
	case p.Sparse && p.Task&(Multiclass|Multilabel) == 0:
		return fmt.Errorf("sparse scores are for multiclass and multilabel tasks, not for task %s", p.Task)
	case p.Bins < 0 || p.Bins > mostBins:
		return fmt.Errorf("%d calibration bins: there must be 1 to %d, or 0 for the default of %d", p.Bins, mostBins, defaultBins)
	case p.LogLossEps != 0 && !(p.LogLossEps > 0 && p.LogLossEps < 0.5):
		return fmt.Errorf("LogLossEps of %v: it must be more than 0 and less than 0.5, or 0 for the default of 2^-52", p.LogLossEps)
	case p.Curves != NoCurves && p.Curves != ExactCurves && p.Curves != BoundedCurves:
		return fmt.Errorf("unknown mode of curves %q: expected %q, %q or %q", p.Curves, NoCurves, ExactCurves, BoundedCurves)
	case p.CurveBins < 0 || p.CurveBins > mostCurveBins:
		return fmt.Errorf("%d bins of curves: there must be 1 to %d, or 0 for the default of %d", p.CurveBins, mostCurveBins, defaultCurveBins)
	case p.CatalogSize < 0 || !(p.FrequencyTotal >= 0) || math.IsInf(p.FrequencyTotal, 1) || !(p.HeadFrequency >= 0) || math.IsInf(p.HeadFrequency, 1):
		return fmt.Errorf("CatalogSize of %d, FrequencyTotal of %v and HeadFrequency of %v: they must be positive and finite, or 0", p.CatalogSize, p.FrequencyTotal, p.HeadFrequency)
	case p.MaxDistinct < 0 || p.MaxDistinct > mostDistinct:
		return fmt.Errorf("MaxDistinct of %d: it must be 1 to %d, or 0 for the default of %d", p.MaxDistinct, mostDistinct, defaultMaxDistinct)
	case p.LabelPairs && p.Task&(Multiclass|Multilabel) == 0:
		return fmt.Errorf("pairs of labels are of multiclass and multilabel tasks, not of task %s", p.Task)
	case p.SomeAveraged && p.Task&(Multiclass|Multilabel) == 0:
		return fmt.Errorf("averages over labels are of multiclass and multilabel tasks, not of task %s", p.Task)
	case p.CurveLines < 0:
		return fmt.Errorf("%d lines of curves: the number must not be negative", p.CurveLines)
	}
	return cmp.Or(p.checkRoles(), p.Ranking.check(), p.Grades.check(), p.checkFurther(), p.Raters.check(), p.checkCosts(), p.checkPropensity())
}

// checkRoles returns an error if batches have columns that the task does not, or that contradict others.
func (p *Params) checkRoles() error {
	set := func(r roles.Role) string { return p.Names.Of(settings.Column(r)) }
	given := roles.Given{Task: roles.Task(p.Task), Has: p.Has, Rows: true, Scores: true, Sparse: p.Sparse}
	if p.Task&(Regression|Preference|Results) != 0 { // whose rules are about columns that batches do not have
		r, err := given.CheckTask()
		if err != nil {
			err = fmt.Errorf("%s: %w", set(r), err)
		}
		return err
	}
	_, err := given.Check(set)
	return err
}

// HighestCost is the highest cost in Params and batches. Products of costs and weights are within float64.
const HighestCost = roles.HighestCost

func (p *Params) checkCosts() error {
	switch {
	case p.has(HasErrorCosts) && p.Costs != nil:
		return errors.New("costs are the same for all examples, or those of the errors of each example: leave one out")
	case p.Costs == nil:
		return nil
	}
	classes := 2
	switch p.Task {
	case Binary, Multilabel:
	case Multiclass:
		classes = p.Labels
	default:
		return fmt.Errorf("costs are of predicted classes, which task %s does not have", p.Task)
	}
	if len(p.Costs) != classes {
		return fmt.Errorf("costs of %d true classes: there are %d classes", len(p.Costs), classes)
	}
	for class, costs := range p.Costs {
		if len(costs) != classes {
			return fmt.Errorf("%d costs of true class %d: there are %d classes", len(costs), class, classes)
		}
		for _, cost := range costs {
			if !(cost >= 0 && cost <= HighestCost) {
				return fmt.Errorf("cost of %v of true class %d: it must be within 0 and %v", cost, class, HighestCost)
			}
		}
	}
	return nil
}

func (p *Params) checkPropensity() error {
	m := p.Propensity
	if m == nil || m.A >= 0 && m.B > 0 && !math.IsInf(m.A, 1) && !math.IsInf(m.B, 1) {
		return nil
	}
	return fmt.Errorf("propensity with A = %v and B = %v: A must be 0 or more, B positive, and both finite", m.A, m.B)
}

// check returns an error if fields of o are invalid.
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

// setDefaults sets the defaults that do not depend on the metrics.
func (p *Params) setDefaults() {
	p.Bins = cmp.Or(p.Bins, defaultBins)
	p.CurveBins = cmp.Or(p.CurveBins, defaultCurveBins)
	p.LogLossEps = cmp.Or(p.LogLossEps, defaultLogLossEps)
	p.MaxDistinct = cmp.Or(p.MaxDistinct, defaultMaxDistinct)
	p.Judged = p.Judged || p.has(HasJudgedClass)
	if len(p.FurtherGrades) > 0 {
		p.Has |= HasFurtherGrades
	}
	if p.NoEstimate {
		p.Curves, p.ScoreHistograms = NoCurves, false
	}
	if p.Task == Agreement {
		p.Raters.MaxValues = cmp.Or(p.Raters.MaxValues, defaultRatingValues)
	}
	needs := roles.Task(p.Task).Needs()
	p.Has |= needs.Batch()
	if needs.Has(roles.Score) { // to order by
		p.Scores, p.ScoreType = true, RawScore
	}
	if p.Task == Ranking {
		p.Ranking.RelevanceThreshold = cmp.Or(p.Ranking.RelevanceThreshold, 1)
		p.Ranking.MaxRelevance = cmp.Or(p.Ranking.MaxRelevance, defaultMaxRelevance)
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

// provided are the columns that batches are taken to have if a metric needs them.
const provided = HasBaseline | HasBaselineScores | HasItems | HasCategories

// provide records in p that examples have what is needed, unless p already says what they have
// instead.
func (p *Params) provide(n Needs) {
	if n&(NeedScores|NeedProbabilities|NeedLogits) != 0 {
		p.Scores = true
	}
	if n&NeedDecisions != 0 {
		p.Decisions = true
	}
	p.Has |= n.roles() & provided
	if n&needJudgements != 0 {
		p.Judgements = true
	}
	if n&needCurve != 0 && p.Curves == NoCurves {
		p.Curves = ExactCurves
	}
}

// checkTuning returns an error if thresholds cannot be tuned.
func (p *Params) checkTuning() error {
	switch {
	case p.Tuning == nil:
		return nil
	case p.Task&(Binary|Multiclass|Multilabel) == 0:
		return fmt.Errorf("thresholds are tuned for labels, which task %s does not have", p.Task)
	case p.Sparse:
		return errors.New("tuning thresholds needs a score for every label: the scores are sparse")
	case p.TunesCosts() && p.Curves == BoundedCurves:
		return fmt.Errorf("tuning thresholds for the costs of each example needs exact curves: set %s", p.Names.Of(settings.ExactCurves))
	}
	return p.Tuning.Check()
}
