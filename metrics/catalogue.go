package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/internal/exactcurve"
	"github.com/beameval/beameval/metrics/internal/forecast"
)

// metric is a row of the catalogue.
type metric struct {
	// name is the name without an average. It contains the parameter, if any, as <beta>, <k>…
	name  string
	tasks Task
	needs Needs
	// better says which values are better; scale says on which scale the errors of a value are
	// symmetric.
	better Better
	scale  confidence.Scale
	evaluator
	// doc defines the metric in one line, with formulas between dollars, as package formula reads them; ref cites the source of
	// the definition. For metrics that the program has registered, ref is "", and a dollar in doc is a dollar.
	doc, ref string
	aliases  []string
}

// Needs says what examples must have for a metric: a set of bits.
type Needs uint64

// What metrics need in a Batch. The scores of rankings are always present.
const (
	NeedDecisions     Needs = 1 << iota // Predicted or PredictedSet
	NeedProbabilities                   // Probability, given or from logits
	NeedLogits                          // Logit
	NeedScores                          // Score, of any type
	needPropensity                      // propensities of the labels
	needCurve                           // curves, exact or bounded
	needExactCurve                      // exact curves
	needJudgements                      // Judged, for rankings whose items may not be judged
	needLevels                          // of levels that Params.QuantileLevels lacks
	needCosts                           // Params.Costs
	needJudged                          // Params.Judged
	needAllLabels                       // averages over all labels
	needEstimate                        // Estimate, in a regression
	needPass                            // grades that pass or not
	needNumbers                         // grades or ratings that are numbers
)

// firstRole is the bit of the first role: metrics need the columns of roles, too.
const firstRole = 20

// needRole is the need of the columns of batches that a role is for.
func needRole(r roles.Role) Needs { return 1 << (firstRole + r) }

// roles returns the roles whose columns are needed.
func (n Needs) roles() roles.Set { return roles.Set(n >> firstRole) }

// What is needed fits into the bits of Needs.
const _ = uint(64 - firstRole - roles.Count)

// The sources of the formulas; docs/metrics.md lists them in full.
const (
	sklearn = "scikit-learn"
	zhang   = "Zhang & Zhou 2014"
	godbole = "Godbole & Sarawagi 2004"
	guo     = "Guo et al. 2017"
	kull    = "Kull et al. 2019"
	tfma    = "TensorFlow Model Analysis"
	jain    = "Jain, Prabhu & Varma 2016"
	powers  = "Powers 2011"
	manning = "Manning, Raghavan & Schütze 2008"
	vickers = "Vickers & Elkin 2006"
	corp    = "Dimitriadis, Gneiting & Jordan 2021"
	torre   = "de la Torre, Puig & Valls 2018"

	jarvelin = "Järvelin & Kekäläinen 2002"
	chapelle = "Chapelle et al. 2009"
	trec     = "trec_eval"
)

// catalogue is the table of all metrics, subject by subject. The tables of docs/metrics.md
// and of the pages in docs/metrics are generated from it.
var catalogue []metric

// The catalogue is set in init because its evaluators look up metrics in it, and Go rejects a
// variable whose initializer depends on itself.
func init() {
	catalogue = slices.Concat(countMetrics, agreementMetrics, changeMetrics, lossMetrics, calibrationMetrics, curveMetrics, labelSetMetrics, labelRankingMetrics, regressionMetrics, forecastMetrics, errorChangeMetrics, judgedMetrics, predictionSetMetrics, queryMetrics, preferenceMetrics, gradeMetrics, raterMetrics)
}

// evaluator says how a metric is computed. Everything that statistics, curves and selections have
// to know about a metric is a field here, so that none of them depends on which metric it is.
type evaluator struct {
	// from is the statistic that the metric is computed from; see Params.kindOf. If it is kindOwn,
	// own identifies the statistic.
	from kind
	own  *ownStatistic
	// also is another statistic that the metric needs, besides kindExamples, which it always has.
	also kind
	// One of these two functions computes the metric: overall if there is one value for all
	// examples, byLabel if there is one for each label.
	overall func(*evaluation, choice) Value
	byLabel func(*evaluation, choice) labelValues
	// averages are suffixes of the name: the averages over labels of a metric with byLabel; "" is
	// the metric of each label. If average is not "", the metric is only that average, and its name
	// has no suffix.
	averages []string
	average  string
	// arg is the argument of the function if the name has no parameter.
	arg float64

	// measures are the measures that means (means.go) has to total for the metric. isMean says that
	// the metric is the mean of the first.
	measures []measure
	isMean   bool
	// order is 1 if the metric is a mean over examples of a number that each example has, although it is computed from
	// counts, losses of labels, sizes of label sets or residuals; and 2 if it is the square root of a mean of squares.
	order int

	// binned says that the metric depends on how examples are divided into calibration bins. With
	// Params.Quantiles it is therefore computed from curves.
	binned bool
	// ordinal says that the metric depends on the order of the classes.
	ordinal bool
	// similar says that the metric compares the items that queries show, for metrics of these.
	similar bool
	// requested says that the metric is computed only if it is requested by name.
	requested bool
	// further says that each further grade has the metric, and units that lower values are better if lower grades are.
	further, units bool
	// ofShare says that the argument is a share: the metric reads that share of the examples, the
	// highest scores first.
	ofShare bool
	// labelled says that the metric is of rows with a label, although it needs judgements.
	labelled bool
	// judgements returns what a metric of judgements is estimated from, of a label or, if label is ofAll, of all; estimates says
	// what it is.
	judgements func(e *evaluation, label int) judgements
	estimates  Estimated
	// missing, if not nil, returns the levels of forecasts of quantiles that the metric needs and
	// that are not among the given ones.
	missing func(levels forecast.Levels, arg float64) []float64
	// For metrics of curves: PooledLabel or TopClass if the metric always uses that curve; the
	// objective, if it is a metric of an operating point; and what else has to be computed of it.
	curve     int
	criterion curves.Objective
	extra     exactcurve.Extra
}

// labelValues gives the values of a metric for each label, and for all labels pooled.
type labelValues struct {
	labels  []alike // all labels
	value   func(label int) Value
	support func(label int) (weight float64, rows int64) // of the label's positives
}

// with sets the argument of a metric whose name has no parameter.
func (ev evaluator) with(arg float64) evaluator {
	ev.arg = arg
	return ev
}

// averaged sets the averages that the metric has.
func (ev evaluator) averaged(averages ...string) evaluator {
	ev.averages = averages
	return ev
}

// asMean marks a metric that is a mean over examples, although it has no measures.
func (ev evaluator) asMean() evaluator {
	ev.order = 1
	return ev
}

// asRootMean marks a metric that is the square root of a mean of squares over examples.
func (ev evaluator) asRootMean() evaluator {
	ev.order = 2
	return ev
}

// ofOrder marks a metric that depends on the order of the classes.
func (ev evaluator) ofOrder() evaluator {
	ev.ordinal = true
	return ev
}

// onRequest marks a metric that is computed only if it is requested by name.
func (ev evaluator) onRequest() evaluator {
	ev.requested = true
	return ev
}

// ofLabels marks a metric of judgements that is computed from rows with a label only.
func (ev evaluator) ofLabels() evaluator {
	ev.labelled = true
	return ev
}

// as says what a metric of judgements is.
func (ev evaluator) as(what Estimated) evaluator {
	ev.estimates = what
	return ev
}

// of marks a metric that needs forecasts of certain quantiles.
func (ev evaluator) of(missing func(levels forecast.Levels, arg float64) []float64) evaluator {
	ev.missing = missing
	return ev
}

// only returns the evaluator of a single average, as a metric of its own.
func (ev evaluator) only(average string) evaluator {
	ev.average = average
	return ev
}

// averagesIn returns the suffixes that the name of the metric can have in a task.
func (ev *evaluator) averagesIn(t Task) []string {
	if ev.byLabel == nil || ev.average != "" || t == Binary {
		return onlyItself
	}
	return ev.averages
}

// averaging returns the average over labels that c stands for, or "".
func (c choice) averaging() string { return cmp.Or(c.metric.average, c.average) }

// About is what people want to know about a metric of a task.
type About struct {
	// Name is the main name, without an average; a parameter is in brackets, as in ndcg@<k>. Averages are
	// suffixes that it may have, "" being the metric of each label; none means that it has no averages.
	Name     string
	Averages []string
	// Definition is a line. Interval is the scale of its intervals, or why there are none.
	Definition, Interval string
	// Formulas are the bytes of Definition that are formulas, each from the first and up to the second number; a registered
	// metric has none.
	Formulas [][2]int
	Better   Better
	Needs    string // what examples must have
	Aliases  []string
	Source   string // of the definition; "" for a registered metric
	// Grade is the name of the further grade whose metric Lookup was asked for, or "".
	Grade string
}

// Catalogue returns all metrics of a task, subject by subject, and then the registered ones.
func Catalogue(task Task) (list []About) {
	for i := range catalogue {
		if m := &catalogue[i]; m.tasks&task != 0 {
			list = append(list, m.about(task))
		}
	}
	return list
}

// Lookup returns the metric of a task that a name stands for, which is spelled as in a configuration: with
// an average and an argument, or without. In task grade, any name of a further grade may follow. found reports whether there
// is one.
func Lookup(task Task, name string) (m About, found bool) {
	with := DefaultArguments()
	list, ok, err := resolve(task, name, with)
	if !ok {
		list, _, err = spelled(task, name, with)
	}
	grade := ""
	if len(list) == 0 && task == Grading {
		list, grade = furtherOf(name, with)
	}
	if err != nil || len(list) == 0 { // such as quantile_loss@3, which is no quantile
		return About{}, false
	}
	m = list[0].metric.about(task)
	m.Grade = grade
	return m, true
}

func (m *metric) about(task Task) About {
	a := About{Name: m.name, Interval: m.scale.String(), Better: m.better, Needs: m.needed(), Aliases: m.aliases, Source: m.ref}
	a.Definition, a.Formulas = m.definition()
	if m.scale >= confidence.Biased {
		a.Interval = "none: " + a.Interval
	}
	if averages := m.averagesIn(task); len(averages) > 1 {
		a.Averages = averages
	}
	return a
}

// definition returns the definition as people read it, and where formulas are in it.
func (m *metric) definition() (text string, formulas [][2]int) {
	if m.ref == "" {
		return m.doc, nil
	}
	for i, part := range strings.Split(m.doc, "$") {
		if i%2 == 1 {
			formulas = append(formulas, [2]int{len(text), len(text) + len(part)})
		}
		text += part
	}
	return text, formulas
}

// needed says what examples must have for the metric: the rarest of its needs, which implies the others.
func (m *metric) needed() string {
	on := ""
	switch {
	case m.requested:
		on = ", on request"
	case m.ordinal:
		on = ", ordered classes"
	}
	if of := m.needs.roles(); of != 0 {
		return of.First().Of().What + on
	}
	for _, n := range needNames {
		if m.needs&n.needs != 0 {
			return n.name + on
		}
	}
	switch m.tasks {
	case Grading:
		return "grades" + on
	case Agreement:
		return "ratings" + on
	}
	return "predictions" + on
}

// needNames are the names of needs besides roles, the rarest first.
var needNames = []struct {
	needs Needs
	name  string
}{
	{needJudged, "judgements"}, {needExactCurve, "exact curves"}, {needCurve, "curves"}, {needPass, "booleans, or `pass_threshold`"}, {needNumbers, "numbers"},
	{needJudgements, "scores, `truth.files`"}, {needPropensity, "scores, propensities"}, {needCosts, "decisions, costs"},
	{NeedDecisions, "decisions"}, {NeedLogits, "logits"}, {NeedProbabilities, "probabilities"}, {NeedScores, "scores"},
}

// A disparity measures how the values of a metric differ between groups of examples, such as people
// of different origins. Its name is the name of the metric, or of a Criterion, with one of these
// suffixes.
const (
	GroupDifference       = "_difference"
	GroupRatio            = "_ratio"
	GroupMax              = "_group_max"
	GroupMin              = "_group_min"
	DifferenceToReference = "_difference_to_reference"
	RatioToReference      = "_ratio_to_reference"
)

// groupsBy begins the part of a name that tells disparities of several columns apart.
const groupsBy = "_by_"

// GroupsBy returns what follows the name of a disparity if groups are compared by several columns,
// alone and together: _by_race or _by_race+sex.
func GroupsBy(columns []string) string { return groupsBy + strings.Join(columns, "+") }

// disparity is a kind of disparity.
type disparity struct {
	suffix string
	better Better // Neither means as for the metric
	doc    string // %s stands for what is compared
}

// disparities is the catalogue of disparities, with the names that Fairlearn uses.
var disparities = []disparity{
	{GroupDifference, Lower, "the greatest %s of a group minus the least"},
	{GroupRatio, Higher, "the least %s of a group divided by the greatest"},
	{GroupMax, Neither, "the greatest %s of a group"},
	{GroupMin, Neither, "the least %s of a group"},
	{DifferenceToReference, NearZero, "%s of the group minus the reference group's"},
	{RatioToReference, NearOne, "%s of the group divided by the reference group's"},
}

// Criterion is a criterion of fairness: all groups have equal rates. It has a difference and a
// ratio, each from the worst of its rates.
type Criterion struct {
	Name  string
	Rates []string // metrics
}

// Criteria returns every Criterion, by Fairlearn's names.
func Criteria() []Criterion {
	return []Criterion{
		{"demographic_parity", []string{"predicted_positive_rate"}},
		{"equalized_odds", []string{"recall", "fpr"}},
		{"equal_opportunity", []string{"recall"}},
	}
}

// criterionOf returns the criterion with a name, or nil.
func criterionOf(name string) *Criterion {
	for _, c := range Criteria() {
		if c.Name == name {
			return &c
		}
	}
	return nil
}

// disparityOf splits the name of a disparity. d is nil if name is not one.
func disparityOf(name string) (of string, d *disparity) {
	first := len(name)
	for i := range disparities {
		if at := strings.Index(name, disparities[i].suffix+groupsBy); at > 0 && at < first {
			first, of, d = at, name[:at], &disparities[i]
		}
	}
	if d != nil {
		return of, d
	}
	for i := range disparities {
		if of, found := strings.CutSuffix(name, disparities[i].suffix); found && of != "" {
			return of, &disparities[i]
		}
	}
	return "", nil
}

// compared reports whether groups can be compared by a metric or criterion in a task.
func compared(t Task, name string) bool {
	if criterionOf(name) != nil {
		return t == Binary
	}
	found, _ := described(t, name)
	return len(found) == 1
}

// of returns the definition of the disparity of a metric or criterion.
func (d *disparity) of(name string) string {
	what := name
	if c := criterionOf(name); c != nil {
		what = strings.Join(c.Rates, " or ")
	}
	text := fmt.Sprintf(d.doc, what)
	if c := criterionOf(name); c != nil && len(c.Rates) > 1 {
		text += ", whichever is worse"
	}
	return text
}
