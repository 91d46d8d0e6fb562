package report

import (
	"maps"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/slice"
)

// Suffixes of the names of metrics that compare groups.
const (
	GroupDifference       = "_difference"
	GroupRatio            = "_ratio"
	groupMax              = "_group_max"
	groupMin              = "_group_min"
	DifferenceToReference = "_difference_to_reference"
	ratioToReference      = "_ratio_to_reference"
)

// groupsBy begins what follows them where groups are formed by several columns, alone and together.
const groupsBy = "_by_"

// GroupsBy returns what follows the suffix of a comparison of the groups that columns form, if there are others.
func GroupsBy(columns []string) string { return groupsBy + strings.Join(columns, "+") }

// ofGroups returns the metric whose values in groups a name compares, if one of the suffixes says so.
func ofGroups(name string, suffixes ...string) (of string, compares bool) {
	for _, suffix := range suffixes {
		of, by, found := strings.Cut(name, suffix)
		if found && (by == "" || strings.HasPrefix(by, groupsBy)) {
			return of, true
		}
	}
	return "", false
}

// SmallGroup is the support below which a group says little about its people.
const SmallGroup = 30

// Group holds the results of a group of people.
type Group struct {
	Slice   slice.Key
	Support int64           // the largest of the rows
	Rows    map[string]*Row // by name; of all labels together
}

// ComparedMetrics returns the names of the metrics that a report compares between groups, sorted.
func (r *Report) ComparedMetrics() []string {
	names, found := map[string]bool{}, map[string]bool{}
	for i := range r.Metrics {
		if row := &r.Metrics[i]; len(row.Slice) == 0 && row.Label == nil {
			names[row.Name] = true
		}
	}
	for name := range names {
		if of, compares := ofGroups(name, groupMin); compares && names[of] {
			found[of] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), CompareNames)
}

// Groups returns the groups that the values of columns form together, sorted. Null forms none: rest is
// the support of the examples that are in no group.
func (r *Report) Groups(columns []string) (groups []*Group, rest int64) {
	columns = slices.Sorted(slices.Values(columns))
	found, left := map[string]*Group{}, map[string]int64{}
	for i := range r.Metrics {
		row := &r.Metrics[i]
		if row.Label != nil || !slices.EqualFunc(row.Slice, columns, func(p slice.Pair, column string) bool { return p.Column == column }) {
			continue
		}
		key := row.Slice.Encoded()
		if slices.ContainsFunc(row.Slice, func(p slice.Pair) bool { return p.Value == slice.Null() }) {
			left[key] = max(left[key], row.Support)
			continue
		}
		g := found[key]
		if g == nil {
			g = &Group{Slice: row.Slice, Rows: map[string]*Row{}}
			found[key] = g
		}
		g.Rows[row.Name], g.Support = row, max(g.Support, row.Support)
	}
	for _, n := range left {
		rest += n
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *Group) int { return a.Slice.Compare(b.Slice) }), rest
}
