package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
)

// pageEnds is the number of best and of worst queries that a page lists, and pageSteps the number
// of values in a picture of all queries.
const (
	pageEnds  = 10
	pageSteps = 1000
)

// tied is the largest difference of a query that counts as a rounding error.
const tied = 1e-9

// of returns the differences of a metric, the highest first, and the number of undefined ones.
func (q *QueryChanges) of(name string) (list []changedQuery, undefined int64) {
	at := -1
	if q != nil {
		at = slices.Index(q.Names, name)
	}
	if at < 0 {
		return nil, 0
	}
	for i := range q.List {
		query := q.List[i].change(at, q.Names)
		switch {
		case !floats.Finite(query.difference):
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

func (n names) queryTable(list []changedQuery) *document.Table {
	return document.TableOf(list,
		document.Text("query", func(q changedQuery) string { return quote.Visible(q.id) }),
		document.Numbers(n[0], func(q changedQuery) string { return document.Number(q.a) }),
		document.Numbers(n[1], func(q changedQuery) string { return document.Number(q.b) }),
		document.Numbers("difference", func(q changedQuery) string { return document.Signed(q.difference, document.Number(q.difference)) }))
}

// ends returns how many of the sorted queries are better, and how many of those that follow are the
// same.
func ends(list []changedQuery) (better, same int) {
	for _, q := range list {
		switch {
		case q.difference > 0:
			better++
		case q.difference == 0:
			same++
		}
	}
	return better, same
}

// queries draws the sorted differences of single queries for the best-known metrics.
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
	n := len(list)
	better, same := ends(list)
	worse := n - better - same
	about := g.About("Queries: "+name, "The difference of each query, "+g.names.difference()+", from the highest to the lowest.")
	about.Note = fmt.Sprintf("%s is better for %s of %s, worse for %s, and the same for %s.",
		g.names[1], document.Grouped(int64(better)), document.Plural(int64(n), "query"), document.Grouped(int64(worse)), document.Grouped(int64(same)))
	if undefined > 0 {
		about.Note += " Without " + document.Plural(undefined, "query") + " that " + g.names[0] + " or " + g.names[1] + " has no value of."
	}
	chart := picture.Sorted{
		About: about, X: "queries, sorted", Label: "difference: " + g.names.difference(), Count: n,
		Above: g.names[1] + " is better: " + document.Grouped(int64(better)), Below: g.names[1] + " is worse: " + document.Grouped(int64(worse)),
	}
	for _, q := range collections.Spread(list, pageSteps) {
		chart.Values = append(chart.Values, q.difference)
	}
	g.Add(&chart, g.names.queryTable(collections.Spread(list, 24)))
}

// addQueries lists the queries that lost and gained most, by the first metric that queries have.
func (c *Comparison) addQueries(d *document.Document, headlines []*Change) {
	for _, change := range headlines {
		list, _ := c.Queries.of(change.Name)
		if len(list) == 0 || report.Direction(change.Name) <= 0 {
			continue
		}
		add := func(title string, list []changedQuery) {
			kept, first := document.First(list, pageEnds, "; "+QueriesParquet+" has all")
			d.Add(document.Section{In: document.Page, Title: title + quote.Visible(change.Name), Table: c.names().queryTable(kept), Notes: []string{first}})
		}
		better, same := ends(list)
		lost := slices.Clone(list[better+same:])
		slices.Reverse(lost)
		add("Queries that lost most: ", lost)
		add("Queries that gained most: ", list[:better])
		return
	}
}
