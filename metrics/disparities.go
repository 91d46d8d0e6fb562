package metrics

import (
	"fmt"
	"strings"
)

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
	found, ok, _ := resolve(t, name, nil)
	return ok && len(found) == 1
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
