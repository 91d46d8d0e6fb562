package metrics

import (
	"cmp"
	"slices"

	"github.com/beameval/beameval/metrics/curves"
)

// metric is a row of the catalogue.
type metric struct {
	// name is the base name; a parameter stands in it as <beta>, <q>…
	name  string
	tasks Task
	needs need
	evaluator
	// doc is the definition, in one line; ref its source.
	doc, ref string
	aliases  []string
}

// need is what a metric needs to know of the examples.
type need uint8

const (
	needDecision    need = 1 << iota // predicted classes or label sets
	needProbability                  // probabilities, given or from logits
	needLogit                        // logits
	needScore                        // scores of any type
	needPropensity                   // propensities of the labels
	needCurve                        // scores of single labels in order, exactly or within bounds
	needExactCurve                   // exactly
)

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
	torre   = "de la Torre, Puig & Valls 2018"

	jarvelin = "Järvelin & Kekäläinen 2002"
	chapelle = "Chapelle et al. 2009"
	trec     = "trec_eval"
)

// catalogue is the table of all metrics. docs/metrics.md is made from it.
var catalogue []metric

// Metrics find others in the catalogue: an initializer would be a cycle.
func init() {
	catalogue = slices.Concat(countMetrics, agreementMetrics, lossMetrics, calibrationMetrics, curveMetrics, labelSetMetrics, labelRankingMetrics, regressionMetrics, queryMetrics)
}

// evaluator says how a metric is computed. Whatever statistics, sweeps and
// selections have to know of a metric is a field: none asks which metric it is.
type evaluator struct {
	// from is the statistic that the metric is a function of; see Params.kindOf.
	from kind
	// One of the two computes the metric: of all examples, or of each label.
	overall func(*evaluation, choice) Value
	byLabel func(*evaluation, choice) labelValues
	// averages are the suffixes of the names that a metric of labels has where there
	// are several labels; "" is the metric of each label. average, if it is not "",
	// is the only one, under a name of its own.
	averages []string
	average  string
	// arg is the argument where the name has no parameter to state one.
	arg float64

	// measures are what the statistic of row means totals for the metric, isMean
	// says that the metric is the mean of the only one.
	measures []measure
	isMean   bool

	// binned says that the metric depends on how examples are divided among
	// calibration bins: with Params.Quantiles, it is a function of curves.
	binned bool
	// Of functions of curves: PooledLabel or TopClass if the curve is always that,
	// the operating point if it is a metric of one, and what a sweep has to add.
	curve     int
	criterion curves.Objective
	sweeps    sweepExtra
}

// labelValues are a metric of each label, and of all labels pooled.
type labelValues struct {
	labels  []alike // all of them
	value   func(label int) Value
	support func(label int) (weight float64, rows int64) // of the label's positives
}

// at fixes the argument.
func (ev evaluator) with(arg float64) evaluator {
	ev.arg = arg
	return ev
}

// averaged fixes the averages.
func (ev evaluator) averaged(averages ...string) evaluator {
	ev.averages = averages
	return ev
}

// only makes one of the averages a metric with a name of its own.
func (ev evaluator) only(average string) evaluator {
	ev.average = average
	return ev
}

// averagesIn lists the suffixes of the names that the metric has in a task.
func (ev *evaluator) averagesIn(t Task) []string {
	if ev.byLabel == nil || ev.average != "" || t == Binary {
		return onlyItself
	}
	return ev.averages
}

// averaging is the average that is computed, if it is one.
func (c choice) averaging() string { return cmp.Or(c.metric.average, c.average) }
