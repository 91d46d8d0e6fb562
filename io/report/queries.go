package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
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

// sort sorts the queries by ID. The names keep their order.
func (q *Queries) sort() {
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

// queryParquet is a row of per_query.parquet. Like the output of trec_eval -q, the file has a row
// for each query and metric.
type queryParquet struct {
	Query string   `parquet:"query"`
	Name  string   `parquet:"name"`
	Value *float64 `parquet:"value,optional"`
}

// WriteQueries writes per_query.parquet.
func (r *Report) WriteQueries(w io.Writer) error {
	q := r.Queries
	for i := range q.List {
		if n := len(q.List[i].Values); n != len(q.Names) {
			return fmt.Errorf("query %s has %d values of %d metrics", q.List[i].ID, n, len(q.Names))
		}
	}
	names := lists.Map(q.Names, quote.Valid)
	order := q.ByName()
	return tabular.WriteRows(w, q.List, func(query *Query, add func(queryParquet)) {
		id := query.ID.Plain()
		for _, i := range order {
			add(queryParquet{id, names[i], numbers.OrNil(query.Values[i])})
		}
	})
}

// ReadQueries reads the per_query.parquet of r, which was returned by [Read]. IDs become strings,
// and null values become NaN.
func (r *Report) ReadQueries(file columns.Source) error {
	q := &Queries{}
	err := tabular.ReadRows[queryParquet](file, "report: "+PerQueryParquet, func(batch []columns.Column, i int) error {
		id, name := tabular.TextAt(&batch[0], i), tabular.TextAt(&batch[1], i)
		if id == nil || name == nil {
			return errors.New("a query or name is null")
		}
		if len(q.List) == 0 || *name == q.Names[0] {
			q.List = append(q.List, Query{ID: slice.String(*id)})
		}
		query := &q.List[len(q.List)-1]
		switch n := len(query.Values); {
		case len(q.List) == 1:
			q.Names = append(q.Names, *name)
		case n >= len(q.Names) || q.Names[n] != *name:
			return fmt.Errorf("query %s has other metrics than the first", query.ID)
		}
		query.Values = append(query.Values, tabular.NumberAt(&batch[2], i))
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
