package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// Queries holds the metrics of single queries.
type Queries struct {
	Names []string // of the metrics
	List  []Query
}

// Query is one query of a ranking task.
type Query struct {
	ID     slice.Value
	Values []float64 // in the order of Queries.Names; NaN if undefined
}

func queriesTable() table {
	return table{
		name: "per_query", always: true, wanted: func(r *Report) bool { return r.Queries != nil }, parquet: (*Report).writeQueries, show: (*Report).ReadQueries,
		sort: func(r *Report, _ *ranks) { r.Queries.sort() },
		names: func(r *Report, n *NameBytes) {
			if r.Queries != nil {
				for _, q := range r.Queries.List {
					n.addID(q.ID, len(q.Values))
				}
			}
		},
	}
}

// sort sorts the queries by ID. The names keep their order.
func (q *Queries) sort() {
	if q == nil {
		return
	}
	compare := func(a, b Query) int {
		return cmp.Or(
			a.ID.Compare(b.ID),
			// Queries should have different IDs. If two do not, their order must not depend on the
			// order of arrival.
			slices.Compare(a.Values, b.Values),
		)
	}
	if !slices.IsSortedFunc(q.List, compare) { // there may be millions of queries
		slices.SortFunc(q.List, compare)
	}
}

// ByName returns the indexes of the names in alphabetical order, the order of metrics.parquet.
func (q *Queries) ByName() []int {
	order := make([]int, len(q.Names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(q.Names[i], q.Names[j]) })
	return order
}

// queryRow is a row of per_query.parquet. Like the output of trec_eval -q, the file has a row
// for each query and metric.
type queryRow struct {
	id, name string
	value    float64
}

func columnsOfQueries() []tabular.Column[queryRow] {
	return []tabular.Column[queryRow]{
		tabular.Text("query", func(q *queryRow) *string { return &q.id }),
		tabular.Text("name", func(q *queryRow) *string { return &q.name }),
		tabular.Number("value", func(q *queryRow) *float64 { return &q.value }),
	}
}

func (r *Report) writeQueries(w io.Writer) error {
	q := r.Queries
	for i := range q.List {
		if n := len(q.List[i].Values); n != len(q.Names) {
			return fmt.Errorf("query %s has %d values of %d metrics", q.List[i].ID, n, len(q.Names))
		}
	}
	order := q.ByName()
	rows := tabular.Flatten(q.List, func(*Query) int { return len(order) }, func(query *Query, i int, room *queryRow) {
		*room = queryRow{query.ID.Plain(), q.Names[order[i]], query.Values[order[i]]}
	})
	return rows.WriteParquet(w, "queryParquet", columnsOfQueries())
}

// ReadQueries reads the per_query.parquet of r, which was returned by [Read]. IDs become strings,
// and null values become NaN.
func (r *Report) ReadQueries(file columns.Source) error {
	q := &Queries{}
	err := tabular.Read(file, "report: "+PerQueryParquet, columnsOfQueries(), nil, func(row *queryRow) error {
		if len(q.List) == 0 || row.name == q.Names[0] {
			q.List = append(q.List, Query{ID: slice.String(row.id)})
		}
		query := &q.List[len(q.List)-1]
		switch n := len(query.Values); {
		case len(q.List) == 1:
			q.Names = append(q.Names, row.name)
		case n >= len(q.Names) || q.Names[n] != row.name:
			return fmt.Errorf("query %s has other metrics than the first", query.ID)
		}
		query.Values = append(query.Values, row.value)
		return nil
	})
	if err != nil {
		return err
	}
	if n := len(q.List); n > 0 && len(q.List[n-1].Values) < len(q.Names) {
		return fmt.Errorf("report: %s: the last query has other metrics than the first", PerQueryParquet)
	}
	r.Queries = q
	return nil
}
