package comparison

import (
	"cmp"
	"slices"

	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
)

// table has the rows of several reports side by side. Places are in the order of reports, in which
// labels have the order of the first report that has them.
type table struct {
	reports  []*report.Report
	places   []report.Row // their names, slices and labels
	rows     [][]int32    // by report and place: the index of a row of the report, or missing
	byMetric []int32      // by place: its rank by metric, and then by key
}

// missing is the index of a row that a report does not have.
const missing = -1

func newTable(reports []*report.Report) *table {
	places := placesIn(reports)
	t := &table{reports: reports, places: places}
	keys, at := make([]string, len(places)), make(map[string]int32, len(places))
	for i := range places {
		keys[i] = string(places[i].Key())
		at[keys[i]] = int32(i)
	}
	for _, r := range reports {
		of := slices.Repeat([]int32{missing}, len(places))
		for i := range r.Metrics {
			of[at[string(r.Metrics[i].Key())]] = int32(i)
		}
		t.rows = append(t.rows, of)
	}
	t.byMetric = ranksOf(len(places), func(i, j int) int {
		return cmp.Or(cmp.Compare(places[i].Name, places[j].Name), cmp.Compare(keys[i], keys[j]))
	})
	return t
}

// placesIn returns the names, slices and labels of the rows of all reports, without duplicates and in
// the order of reports. Labels have the order of the first report that has them.
func placesIn(reports []*report.Report) []report.Row {
	met := map[string]bool{}
	var all report.Report
	for _, r := range reports {
		all.Labels = append(all.Labels, r.Labels...)
		for i := range r.Metrics {
			row := &r.Metrics[i]
			if k := string(row.Key()); !met[k] {
				met[k] = true
				all.Metrics = append(all.Metrics, report.Row{Name: row.Name, Slice: row.Slice, Label: row.Label})
			}
		}
	}
	all.Sort()
	return all.Metrics
}

// ranksOf returns the ranks, from 0 on, of n different items.
func ranksOf(n int, compare func(i, j int) int) []int32 {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, compare)
	ranks := make([]int32, n)
	for rank, i := range order {
		ranks[i] = int32(rank)
	}
	return ranks
}

// allPlaces returns the numbers of all places.
func (t *table) allPlaces() []int32 {
	return t.placesOf(func(*report.Row) bool { return true })
}

// placesOf returns the numbers of some places.
func (t *table) placesOf(want func(*report.Row) bool) (numbers []int32) {
	for i := range t.places {
		if want(&t.places[i]) {
			numbers = append(numbers, int32(i))
		}
	}
	return numbers
}

func (t *table) has(report int, place int32) bool { return t.rows[report][place] != missing }

// row returns the row of a report at a place, or nil.
func (t *table) row(report int, place int32) *report.Row {
	if !t.has(report, place) {
		return nil
	}
	return &t.reports[report].Metrics[t.rows[report][place]]
}

// orderOf returns the order of the differences of a pair, by their indices, which is the order of a
// comparison of the two reports: by importance and, where it is equal, as in reports.
func (t *table) orderOf(p *pair) []int32 {
	order := make([]int32, len(p.list))
	for i := range order {
		order[i] = int32(i)
	}
	a, b := t.reports[p.a], t.reports[p.b]
	if !slices.Equal(a.Labels, b.Labels) || !slices.Equal(a.Labels, t.reports[0].Labels) {
		of := report.Report{Labels: slices.Concat(b.Labels, a.Labels)}
		for i := range order {
			row := t.places[p.list[i].place]
			row.Support = int64(i) // stays with its row
			of.Metrics = append(of.Metrics, row)
		}
		of.Sort()
		for i := range order {
			order[i] = int32(of.Metrics[i].Support)
		}
	}
	slices.SortStableFunc(order, func(i, j int32) int {
		return comparison.ByImportance(new(p.change(int(i))), new(p.change(int(j))))
	})
	return order
}
