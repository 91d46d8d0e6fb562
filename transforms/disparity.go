package transforms

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/confidence"
)

// Groups asks how metrics differ between groups of examples, such as people.
type Groups struct {
	// By is the column that says of which group an example is. Slices have its values alone.
	By string
	// Reference is the group that the others are compared with, as text; "" is none.
	Reference string
	// Metrics are names of Params.Metrics, of all labels together.
	Metrics []string
}

// smallGroup is the support below which a report warns of a group.
const smallGroup = 30

// groupValues are the values of a metric by group.
type groupValues struct {
	name    string
	overall *report.Row
	rows    []*report.Row // of the groups, where the metric is defined
	left    int           // groups in which the metric is undefined
}

// combination is a number that is made of the values of some metrics by group.
type combination struct {
	name string
	of   []int // places of metrics
	*kind
}

// infinite is why a difference, or the greatest or least value, is undefined.
const infinite = "a value is infinite"

// kind is how values by group make a number, and how sure that is.
type kind struct {
	suffix string
	value  func(values [][]float64) float64 // of the values of each metric
	// extremes makes the number of the greatest and the least value of a metric. It is nil if the number is of a pair.
	extremes  func(greatest, least float64) float64
	undefined string // why there is no value, if there is none
	scale     confidence.Scale
	// The number is a function of the greatest of some contrasts of the values of a metric, unless they are nil.
	// Their errors are about symmetric: replicates are carried to them by the slope at the value.
	contrasts func(values, at []float64) []float64
	from      func(greatest float64) float64
	// An interval is cut off at the range of the number, which follows from that of the metrics.
	within func(least, greatest float64) (low, high float64)
}

var (
	differenceKind = kind{
		suffix: metrics.GroupDifference, value: difference, undefined: infinite, scale: confidence.Identity, extremes: distance,
		contrasts: pairs(subtracted), from: itself, within: upToDistance,
	}
	ratioKind = kind{
		suffix: metrics.GroupRatio, value: ratio, undefined: "the greatest value is 0", scale: confidence.Log, extremes: quotient,
		contrasts: pairs(subtractedLogs), from: func(x float64) float64 { return elementary.Exp(-x) }, within: upToOne,
	}
	greatestKind = kind{
		suffix: metrics.GroupMax, value: greatest, undefined: infinite, scale: confidence.Identity, extremes: first,
		contrasts: each(1), from: itself, within: asTheMetric,
	}
	leastKind = kind{
		suffix: metrics.GroupMin, value: least, undefined: infinite, scale: confidence.Identity, extremes: second,
		contrasts: each(-1), from: func(x float64) float64 { return -x }, within: asTheMetric,
	}
	// Of two groups, of which the second is compared with the first.
	differenceToReferenceKind = kind{
		suffix: metrics.DifferenceToReference, value: func(of [][]float64) float64 { return of[0][1] - of[0][0] }, undefined: infinite,
		scale: confidence.Identity, within: eitherDistance,
	}
	ratioToReferenceKind = kind{
		suffix: metrics.RatioToReference, value: func(of [][]float64) float64 { return of[0][1] / of[0][0] }, undefined: "the value of the reference is 0",
		scale: confidence.Log, within: anything,
	}
)

func itself(x float64) float64 { return x }

func distance(greatest, least float64) float64 { return greatest - least }
func quotient(greatest, least float64) float64 { return least / greatest }
func first(greatest, _ float64) float64        { return greatest }
func second(_, least float64) float64          { return least }

func upToDistance(least, greatest float64) (low, high float64) { return 0, greatest - least }
func upToOne(_, _ float64) (low, high float64)                 { return 0, 1 }
func asTheMetric(least, greatest float64) (low, high float64)  { return least, greatest }
func eitherDistance(least, greatest float64) (low, high float64) {
	return least - greatest, greatest - least
}
func anything(_, _ float64) (low, high float64) { return math.Inf(-1), math.Inf(1) }

// pairs returns the contrasts of all groups with all others.
func pairs(contrast func(a, b, atA, atB float64) float64) func(values, at []float64) []float64 {
	return func(values, at []float64) (list []float64) {
		for i := range values {
			for j := range values {
				if i != j {
					list = append(list, contrast(values[i], values[j], at[i], at[j]))
				}
			}
		}
		return list
	}
}

func subtracted(a, b, _, _ float64) float64 { return a - b }

func subtractedLogs(a, b, atA, atB float64) float64 { return logNear(a, atA) - logNear(b, atB) }

// logNear is the logarithm of x by the slope at a value near it.
func logNear(x, at float64) float64 { return elementary.Log(at) + (x-at)/at }

// each returns the values themselves, times a factor.
func each(factor float64) func(values, at []float64) []float64 {
	return func(values, _ []float64) (list []float64) {
		for _, x := range values {
			list = append(list, float64(factor*x))
		}
		return list
	}
}

// Names returns the names of the metrics that compare groups. Those of all examples are Fairlearn's.
func (g *Groups) Names() (names []string) {
	if g == nil {
		return nil
	}
	for _, c := range combinations(g.Metrics) {
		names = append(names, c.name)
	}
	for _, name := range g.Metrics {
		if g.Reference != "" {
			names = append(names, name+metrics.DifferenceToReference, name+metrics.RatioToReference)
		}
	}
	return names
}

func difference(values [][]float64) float64 {
	most := math.Inf(-1)
	for _, v := range values {
		most = max(most, distance(slices.Max(v), slices.Min(v)))
	}
	return most
}

func ratio(values [][]float64) float64 {
	least := math.Inf(1)
	for _, v := range values {
		least = min(least, quotient(slices.Max(v), slices.Min(v))) // NaN if both are 0
	}
	return least
}

func greatest(values [][]float64) float64 { return slices.Max(values[0]) }

func least(values [][]float64) float64 { return slices.Min(values[0]) }

// combinations returns what is reported of metrics with these names.
func combinations(base []string) (list []combination) {
	add := func(name string, of []int, kinds ...*kind) {
		for _, k := range kinds {
			list = append(list, combination{name + k.suffix, of, k})
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

// disparities returns the rows that compare groups, and warnings. c is nil without confidence.
func (g *Groups) disparities(rows []report.Row, c *report.Grouping) (list []report.Row, warnings []string, err error) {
	if g == nil {
		return nil, nil, nil
	}
	found, names, warnings := g.find(rows)
	if g.Reference != "" && !slices.Contains(names, g.Reference) {
		return nil, nil, fmt.Errorf("groups: no row is in the reference group %s=%s: the groups are %s%s", quote.Visible(g.By), quote.Value(g.Reference), listLabels(names), meant(g.Reference, names))
	}
	for _, combined := range combinations(g.Metrics) {
		of := make([]*groupValues, len(combined.of))
		for i, at := range combined.of {
			of[i] = found[at]
		}
		list = append(list, combined.row(of, c))
	}
	for _, values := range found {
		list = append(list, values.toReference(g.Reference, c)...)
	}
	return list, warnings, nil
}

// find returns the values of the metrics by group, and the names of the groups.
func (g *Groups) find(rows []report.Row) (found []*groupValues, names, warnings []string) {
	for _, name := range g.Metrics {
		found = append(found, &groupValues{name: name})
	}
	for i := range rows {
		row := &rows[i]
		at := slices.Index(g.Metrics, row.Name)
		if at < 0 || row.Label != nil {
			continue
		}
		values := found[at]
		switch {
		case len(row.Slice) == 0:
			values.overall = row
			continue
		case len(row.Slice) != 1 || row.Slice[0].Column != g.By || row.Slice[0].Value == slice.Null():
			continue
		case math.IsNaN(row.Value):
			values.left++
		default:
			values.rows = append(values.rows, row)
		}
		if at > 0 { // groups are listed once
			continue
		}
		names = append(names, row.Slice[0].Value.AsText().Text())
		if row.Support < smallGroup {
			warnings = append(warnings, fmt.Sprintf("groups: %s has a support of %d, below %d: comparisons with it say little", row.Slice, row.Support, smallGroup))
		}
	}
	if len(names) < 2 {
		warnings = append(warnings, fmt.Sprintf("groups: column %q has fewer than two groups: there is nothing to compare", g.By))
	}
	slices.Sort(names)
	return found, names, warnings
}

// row returns the row of a combination.
func (c *combination) row(of []*groupValues, g *report.Grouping) report.Row {
	row := report.Row{Name: c.name, Value: math.NaN(), Support: of[0].overall.Support}
	values := make([][]float64, len(of))
	for i, v := range of {
		if len(v.rows) == 0 {
			row.Undefined = fmt.Sprintf("%s is undefined in all groups", v.name)
			return row
		}
		if v.left > 0 {
			row.Undefined = fmt.Sprintf("%s is undefined in %d of %d groups", v.name, v.left, v.left+len(v.rows))
		}
		for _, r := range v.rows {
			values[i] = append(values[i], r.Value)
		}
	}
	c.fill(&row, values, of, g)
	return row
}

// fill adds the value and what is known of it to a row.
func (k *kind) fill(row *report.Row, values [][]float64, of []*groupValues, g *report.Grouping) {
	if row.Value = k.value(values); math.IsNaN(row.Value) || math.IsInf(row.Value, 0) {
		row.Value, row.Undefined = math.NaN(), k.undefined
	}
	k.assess(row, of, g)
}

// toReference returns the rows of each other group, compared with the reference.
func (v *groupValues) toReference(reference string, g *report.Grouping) (list []report.Row) {
	at := slices.IndexFunc(v.rows, func(r *report.Row) bool { return r.Slice[0].Value.AsText() == slice.String(reference) })
	if reference == "" || at < 0 {
		return nil
	}
	for i, r := range v.rows {
		if i == at {
			continue
		}
		two := &groupValues{name: v.name, rows: []*report.Row{v.rows[at], r}}
		for _, k := range []*kind{&differenceToReferenceKind, &ratioToReferenceKind} {
			row := report.Row{Name: v.name + k.suffix, Slice: r.Slice, Support: r.Support}
			k.fill(&row, [][]float64{{v.rows[at].Value, r.Value}}, []*groupValues{two}, g)
			list = append(list, row)
		}
	}
	return list
}

// tooManyGroups is why there is no interval of what compares more than mostPaired groups: all
// pairs of them are looked at.
const (
	tooManyGroups = "too many groups"
	mostPaired    = 50
)

// assess adds replicates and confidence to a row: without the examples of a group of the
// jackknife, it is made of the values without them.
func (k *kind) assess(row *report.Row, of []*groupValues, g *report.Grouping) {
	if g == nil || slices.ContainsFunc(of, (*groupValues).unassessed) {
		return
	}
	for _, v := range of {
		for _, r := range v.rows {
			row.Groups = union(row.Groups, r.Groups)
		}
	}
	without := make([][][]float64, len(row.Groups)) // by group of the jackknife, metric and group
	for i, group := range row.Groups {
		for _, v := range of {
			without[i] = append(without[i], v.without(group))
		}
		x := k.value(without[i])
		if math.IsInf(x, 0) {
			x = math.NaN()
		}
		row.Replicates = append(row.Replicates, x)
	}
	e := confidence.Estimate{Value: row.Value, Replicates: row.Replicates, Scale: k.scale, Rarer: confidence.MinGroups}
	if k.extremes != nil {
		e.Replicates = k.unfolded(row.Value, of, without)
	}
	obstacle := ""
	for _, v := range of {
		for _, r := range v.rows {
			if changing(r) < confidence.MinGroups {
				e.Rarer = 0
			}
			obstacle = cmp.Or(obstacle, impediment(r))
			e.HeavyTails = e.HeavyTails || r.Confidence.Warning == confidence.HeavyTails
		}
		if k.contrasts != nil && len(v.rows) > mostPaired {
			obstacle = cmp.Or(obstacle, tooManyGroups)
		}
	}
	found := e.Interval(g.Level)
	if found.NoInterval != confidence.Undefined {
		found.NoInterval = cmp.Or(obstacle, found.NoInterval)
	}
	if found.NoInterval == "" && k.contrasts != nil {
		if found.Low, found.High = k.interval(of, without, g.Level); math.IsNaN(found.Low + found.High) {
			found.NoInterval = confidence.AtItsBound
		}
	}
	if found.Low, found.High = k.cut(of, found.Low, found.High); found.NoInterval != "" {
		found.Low, found.High, found.Method = math.NaN(), math.NaN(), ""
		found.Warning = ""
	}
	row.Confidence = confidenceOf(found)
}

// unfolded returns the replicates of the number as the groups make it that are the greatest and the
// least of all examples. In replicates of the number itself other groups take their places: those of
// a difference of about 0 are never below 0, and spread too little.
func (k *kind) unfolded(value float64, of []*groupValues, without [][][]float64) []float64 {
	metric := max(0, slices.IndexFunc(of, func(v *groupValues) bool { // of several, the one that makes the number
		high, low := v.extremes()
		return k.extremes(v.rows[high].Value, v.rows[low].Value) == value
	}))
	high, low := of[metric].extremes()
	list := make([]float64, len(without))
	for i, values := range without {
		list[i] = k.extremes(values[metric][high], values[metric][low])
	}
	return list
}

// extremes returns the places of the greatest and the least value. Of equal ones they are the first and
// the last, so that these are two groups.
func (v *groupValues) extremes() (high, low int) {
	for i, r := range v.rows {
		if r.Value > v.rows[high].Value {
			high = i
		}
		if r.Value <= v.rows[low].Value {
			low = i
		}
	}
	return high, low
}

// cut cuts an interval off at the range of the number.
func (k *kind) cut(of []*groupValues, low, high float64) (float64, float64) {
	least, greatest := math.Inf(1), math.Inf(-1)
	for _, v := range of {
		l, g := metrics.Bounds(v.name)
		least, greatest = min(least, l), max(greatest, g)
	}
	least, greatest = k.within(least, greatest)
	return max(low, least), min(high, greatest)
}

// impediment is why what is made of the value of a group can have no interval, or "".
func impediment(r *report.Row) string {
	switch why := r.Confidence.NoInterval; {
	case why == confidence.HasBias || why == confidence.IsNotSmooth || why == confidence.IsCount:
		return why
	case len(r.Groups) < confidence.MinGroups:
		return confidence.FewGroups
	}
	return ""
}

// interval returns the interval of a number of which groups the greatest contrast decides.
func (k *kind) interval(of []*groupValues, without [][][]float64, level float64) (low, high float64) {
	var values []float64
	var replicates [][]float64
	for m, v := range of {
		at := make([]float64, len(v.rows))
		for i, r := range v.rows {
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

// unassessed says whether some values have no replicates.
func (v *groupValues) unassessed() bool {
	return slices.ContainsFunc(v.rows, func(r *report.Row) bool { return r.Confidence == nil })
}

// without returns the values without the examples of a group of the jackknife: those of groups of
// people that have none there are what they are.
func (v *groupValues) without(group int32) []float64 {
	values := make([]float64, len(v.rows))
	for i, r := range v.rows {
		values[i] = r.Value
		if at, has := slices.BinarySearch(r.Groups, group); has {
			values[i] = r.Replicates[at]
		}
	}
	return values
}

// changing returns how many replicates of a row differ from its value: a group without examples
// of a class does not change a rate of that class.
func changing(r *report.Row) (n int) {
	for _, x := range r.Replicates {
		if x != r.Value {
			n++
		}
	}
	return n
}
