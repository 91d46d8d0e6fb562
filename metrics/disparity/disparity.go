// Package disparity compares the values of metrics in groups of examples, such as people of
// different origins.
package disparity

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
)

// Values are the values of a metric in the groups in which it is defined.
type Values struct {
	Metric string
	Groups []Group
	Left   int // the number of groups in which the metric is undefined
	Small  int // the number of other groups that are too small to be compared
}

// Group is the value of a metric in a group of people.
type Group struct {
	Value float64
	// Replicates are the values without each of some folds, whose numbers increase.
	Replicates []float64
	Folds      []int32
	Interval   *confidence.Interval // nil if the uncertainty of the value is unknown
}

// Combination is a number computed from the values of some metrics by group.
type Combination struct {
	Name string
	Of   []int // indices of metrics
	*Kind
}

// Disparity is a number that compares groups.
type Disparity struct {
	Value     float64 // NaN if it is undefined
	Undefined string  // the reason for which it is undefined, or in how many groups a metric is; or ""

	// Replicates, the folds that they leave out, and the interval; nil if they are
	// unknown.
	Replicates []float64
	Folds      []int32
	Interval   *confidence.Interval
}

// Combinations returns the combinations that are reported for metrics with these names.
func Combinations(base []string) (list []Combination) {
	add := func(name string, of []int, kinds ...*Kind) {
		for _, k := range kinds {
			list = append(list, Combination{name + k.Suffix, of, k})
		}
	}
	for _, c := range metrics.Criteria() {
		var of []int
		for _, rate := range c.Rates {
			of = append(of, slices.Index(base, rate))
		}
		if !slices.Contains(of, -1) {
			add(c.Name, of, &differenceKind, &ratioKind)
		}
	}
	for i, name := range base {
		add(name, []int{i}, &differenceKind, &ratioKind, &greatestKind, &leastKind)
	}
	return list
}

// Compare returns the number computed from the values of some metrics.
func (k *Kind) Compare(of []*Values) Disparity {
	d := Disparity{Value: math.NaN()}
	values := make([][]float64, len(of))
	for i, v := range of {
		switch {
		case len(v.Groups) == 0 && v.Small > 0:
			d.Undefined = fmt.Sprintf("no group in which %s is defined is large enough", v.Metric)
			return d
		case len(v.Groups) == 0:
			d.Undefined = fmt.Sprintf("%s is undefined in all groups", v.Metric)
			return d
		case v.Left > 0:
			d.Undefined = fmt.Sprintf("%s is undefined in %d of %d groups", v.Metric, v.Left, v.Left+v.Small+len(v.Groups))
		}
		for _, g := range v.Groups {
			values[i] = append(values[i], g.Value)
		}
	}
	if d.Value = k.value(values); math.IsNaN(d.Value) || math.IsInf(d.Value, 0) {
		d.Value, d.Undefined = math.NaN(), k.undefined
	}
	return d
}

// tooManyGroups is the reason for which a comparison of more than mostPaired groups has no
// interval: it would have to consider all pairs.
const (
	tooManyGroups = "too many groups"
	mostPaired    = 50
)

// Assess adds replicates and an interval to the result of Compare. A replicate is computed from the
// values without the examples of one fold. Assess adds nothing if some values have no
// replicates themselves.
func (k *Kind) Assess(d *Disparity, of []*Values, level float64) {
	if slices.ContainsFunc(of, (*Values).unassessed) {
		return
	}
	for _, v := range of {
		for i := range v.Groups {
			d.Folds = append(d.Folds, v.Groups[i].Folds...)
		}
	}
	slices.Sort(d.Folds)
	d.Folds = slices.Compact(d.Folds)
	without := make([][][]float64, len(d.Folds)) // by fold, metric and group
	for i, fold := range d.Folds {
		for _, v := range of {
			without[i] = append(without[i], v.without(fold))
		}
		x := k.value(without[i])
		if math.IsInf(x, 0) {
			x = math.NaN()
		}
		d.Replicates = append(d.Replicates, x)
	}
	e := confidence.Estimate{Value: d.Value, Replicates: d.Replicates, Scale: k.scale, Rarer: confidence.MinFolds}
	if k.extremes != nil {
		e.Replicates = k.unfolded(d.Value, of, without)
	}
	obstacle := ""
	for _, v := range of {
		for i := range v.Groups {
			g := &v.Groups[i]
			if g.changing() < confidence.MinFolds {
				e.Rarer = 0
			}
			obstacle = cmp.Or(obstacle, g.impediment())
			e.HeavyTails = e.HeavyTails || g.Interval.Warning == confidence.HeavyTails
		}
		if k.contrasts != nil && len(v.Groups) > mostPaired {
			obstacle = cmp.Or(obstacle, tooManyGroups)
		}
	}
	found := e.Interval(level)
	if found.NoInterval != confidence.Undefined {
		found.NoInterval = cmp.Or(obstacle, found.NoInterval)
	}
	if found.NoInterval == "" && k.contrasts != nil {
		if found.Low, found.High = k.interval(of, without, level); math.IsNaN(found.Low + found.High) {
			found.NoInterval = confidence.AtItsBound
		}
	}
	if found.Low, found.High = k.cut(of, found.Low, found.High); found.NoInterval != "" {
		found.Low, found.High, found.Method = math.NaN(), math.NaN(), ""
		found.Warning = ""
	}
	d.Interval = &found
}

// unfolded returns replicates of the number that are always computed from the same groups: those
// with the greatest and the least value for all examples. In replicates of the number itself, other
// groups may take their places: if the difference is about 0, these replicates are never below 0
// and vary too little.
func (k *Kind) unfolded(value float64, of []*Values, without [][][]float64) []float64 {
	metric := max(0, slices.IndexFunc(of, func(v *Values) bool { // if there are several metrics, the one that determines the number
		high, low := v.extremes()
		return k.extremes(v.Groups[high].Value, v.Groups[low].Value) == value
	}))
	high, low := of[metric].extremes()
	list := make([]float64, len(without))
	for i, values := range without {
		list[i] = k.extremes(values[metric][high], values[metric][low])
	}
	return list
}

// extremes returns the indices of the greatest and the least value. Among equal values they are the
// first and the last, so that the two groups are different.
func (v *Values) extremes() (high, low int) {
	for i, r := range v.Groups {
		if r.Value > v.Groups[high].Value {
			high = i
		}
		if r.Value <= v.Groups[low].Value {
			low = i
		}
	}
	return high, low
}

// cut limits an interval to the range of the number.
func (k *Kind) cut(of []*Values, low, high float64) (float64, float64) {
	least, greatest := math.Inf(1), math.Inf(-1)
	for _, v := range of {
		l, g := metrics.Bounds(v.Metric)
		least, greatest = min(least, l), max(greatest, g)
	}
	least, greatest = k.within(least, greatest)
	return max(low, least), min(high, greatest)
}

// impediment returns the reason for which results computed from the value of a group can have no
// interval, or "".
func (g *Group) impediment() string {
	switch why := g.Interval.NoInterval; {
	case why == confidence.HasBias || why == confidence.IsNotSmooth || why == confidence.IsCount:
		return why
	case len(g.Folds) < confidence.MinFolds:
		return confidence.FewFolds
	}
	return ""
}

// interval returns the interval of a number that is determined by the greatest contrast between
// groups.
func (k *Kind) interval(of []*Values, without [][][]float64, level float64) (low, high float64) {
	var values []float64
	var replicates [][]float64
	for m, v := range of {
		at := make([]float64, len(v.Groups))
		for i, r := range v.Groups {
			at[i] = r.Value
		}
		first := len(values)
		values = append(values, k.contrasts(at, at)...)
		replicates = append(replicates, make([][]float64, len(values)-first)...)
		for _, others := range without {
			for i, x := range k.contrasts(others[m], at) {
				replicates[first+i] = append(replicates[first+i], x)
			}
		}
	}
	low, high = confidence.Greatest(values, replicates, level)
	low, high = k.from(low), k.from(high)
	return min(low, high), max(low, high)
}

// unassessed reports whether there are no values, or their uncertainty is unknown.
func (v *Values) unassessed() bool {
	return len(v.Groups) == 0 || slices.ContainsFunc(v.Groups, func(g Group) bool { return g.Interval == nil })
}

// without returns the values without the examples of a fold. Values of groups that have
// no examples in it do not change.
func (v *Values) without(fold int32) []float64 {
	values := make([]float64, len(v.Groups))
	for i, r := range v.Groups {
		values[i] = r.Value
		if at, has := slices.BinarySearch(r.Folds, fold); has {
			values[i] = r.Replicates[at]
		}
	}
	return values
}

// changing returns the number of replicates that differ from the value: a fold without
// examples of a class does not change a rate of that class.
func (g *Group) changing() (n int) {
	for _, x := range g.Replicates {
		if x != g.Value {
			n++
		}
	}
	return n
}
