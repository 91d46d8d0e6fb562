package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
)

// changedQuery is the difference of a metric of one query.
type changedQuery struct {
	id         string
	a, b       float64
	difference float64
}

// pageEnds is how many of the best and of the worst queries a page lists, and pageSteps of how
// many values a picture of all queries is.
const (
	pageEnds  = 10
	pageSteps = 1000
)

// tied is how large a difference of a query is that is no more than rounding.
const tied = 1e-9

// of returns the differences of a metric, the highest first, and how many are undefined.
func (q *QueryChanges) of(name string) (list []changedQuery, undefined int64) {
	at := -1
	if q != nil {
		at = slices.Index(q.Names, name)
	}
	if at < 0 {
		return nil, 0
	}
	for i := range q.List {
		query := changedQuery{q.List[i].ID, q.List[i].A[at], q.List[i].B[at], q.List[i].B[at] - q.List[i].A[at]}
		switch {
		case !numbers.Finite(query.difference):
			undefined++
			continue
		case math.Abs(query.difference) < tied:
			query.difference = 0
		}
		list = append(list, query)
	}
	slices.SortStableFunc(list, func(a, b changedQuery) int { return cmp.Compare(b.difference, a.difference) })
	return list, undefined
}

func (q *changedQuery) cells() []string {
	sign := ""
	if q.difference > 0 {
		sign = "+"
	}
	return []string{quote.Visible(q.id), document.Number(q.a), document.Number(q.b), sign + document.Number(q.difference)}
}

// queries draws the sorted differences of single queries by the best-known metrics.
func (g *gallery) queries() {
	drawn := 0
	for _, d := range g.first {
		list, undefined := g.comparison.Queries.of(d.Name)
		if len(list) == 0 || report.Direction(d.Name) <= 0 || drawn == document.PageQueries {
			continue
		}
		drawn++
		g.sorted(quote.Visible(d.Name), list, undefined)
	}
}

func (g *gallery) sorted(name string, list []changedQuery, undefined int64) {
	better := slices.IndexFunc(list, func(q changedQuery) bool { return q.difference <= 0 })
	if better < 0 {
		better = len(list)
	}
	worse := 0
	for worse < len(list) && list[len(list)-1-worse].difference < 0 {
		worse++
	}
	n := len(list)
	note := fmt.Sprintf("b is better for %s of %s, worse for %s, and the same for %s.",
		document.Grouped(int64(better)), document.Plural(int64(n), "query"), document.Grouped(int64(worse)), document.Grouped(int64(n-better-worse)))
	if undefined > 0 {
		note += " Without " + document.Plural(undefined, "query") + " that a or b has no value of."
	}
	about := g.About("Queries: "+name, "The difference of each query, b − a, from the highest to the lowest.")
	chart := picture.Sorted{
		About: about, X: "queries, sorted", Label: "difference: b − a", Count: n,
		Above: "b is better: " + document.Grouped(int64(better)), Below: "b is worse: " + document.Grouped(int64(worse)),
	}
	for _, q := range lists.Spread(list, pageSteps) {
		chart.Values = append(chart.Values, q.difference)
	}
	g.Add(about, note, chart.SVG(), queryHeader, lists.Map(lists.Spread(list, 24), func(q changedQuery) []string { return q.cells() }), 2, 3, 4)
}

var queryHeader = []string{"query", "a", "b", "difference"}

// queryTables list the queries that lost and that gained most, by the first metric that has some.
func (c *Comparison) queryTables(first []*Change) (tables []*document.Table) {
	for _, d := range first {
		list, _ := c.Queries.of(d.Name)
		if len(list) == 0 || report.Direction(d.Name) <= 0 {
			continue
		}
		name := quote.Visible(d.Name)
		add := func(title string, list []changedQuery, better bool) {
			var rows [][]string
			all := 0
			for _, q := range list {
				if q.difference > 0 == better && q.difference != 0 {
					if all++; all <= pageEnds {
						rows = append(rows, q.cells())
					}
				}
			}
			note := ""
			if all > len(rows) {
				note = fmt.Sprintf("The first %d of %s; %s has all.", len(rows), document.Grouped(int64(all)), QueriesParquet)
			}
			if t := document.NewTable(title+name, note, queryHeader, rows, 2, 3, 4); t != nil {
				tables = append(tables, t)
			}
		}
		gains := slices.Clone(list)
		slices.Reverse(list)
		add("Queries that lost most: ", list, false)
		add("Queries that gained most: ", gains, true)
		return tables
	}
	return nil
}
