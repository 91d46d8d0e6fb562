package comparison

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/tabular"
)

// QueryChanges are the metrics of single queries in both reports.
type QueryChanges struct {
	Names []string // of the metrics, in alphabetical order
	List  []QueryChange
}

// QueryChange is one query. Its values are in the order of the names, and NaN if undefined or
// missing.
type QueryChange struct {
	ID   string
	A, B []float64
}

// OptionChange is an option whose values differ between the configurations of the reports.
type OptionChange struct {
	Key string          `json:"key"` // such as decision.threshold
	A   json.RawMessage `json:"a,omitempty"`
	B   json.RawMessage `json:"b,omitempty"` // empty if not set
}

// Show adds to c, whose changes must be sorted, what only comparison.html shows: the curves of both
// reports that it draws, and their queries.
func (c *Comparison) Show(a, b *report.Report) {
	shown := map[string]bool{}
	labels, _, _ := c.changedLabels()
	for _, d := range labels {
		shown[*d.Label] = true
	}
	others := report.OverallCurves(b.Curves)
	for _, x := range report.OverallCurves(a.Curves) {
		y := others.Find(x.Name, x.Label)
		if y != nil && (x.Label == nil || shown[*x.Label] && x.Name == report.CurvePR) {
			c.A.Curves, c.B.Curves = append(c.A.Curves, *x), append(c.B.Curves, *y)
		}
	}
	c.Queries = CompareQueries(a.Queries, b.Queries)
}

// CompareQueries returns the queries of both reports, those of a first, or nil unless both have
// queries.
func CompareQueries(a, b *report.Queries) *QueryChanges {
	if a == nil || b == nil {
		return nil
	}
	q := &QueryChanges{}
	var columns [2][]int // of the names
	for _, i := range a.ByName() {
		if j := slices.Index(b.Names, a.Names[i]); j >= 0 {
			q.Names = append(q.Names, a.Names[i])
			columns[0], columns[1] = append(columns[0], i), append(columns[1], j)
		}
	}
	place := make(map[string]int, len(a.List))
	for side, list := range [][]report.Query{a.List, b.List} {
		for _, query := range list {
			id := query.ID.Plain()
			at, met := place[id]
			if !met {
				at = len(q.List)
				place[id] = at
				q.List = append(q.List, QueryChange{ID: id, A: missing(len(q.Names)), B: missing(len(q.Names))})
			}
			values := [][]float64{q.List[at].A, q.List[at].B}[side]
			for i, column := range columns[side] {
				values[i] = query.Values[column]
			}
		}
	}
	return q
}

func missing(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// sidedPoint is a row of comparison_curves.parquet.
type sidedPoint struct {
	side string
	report.PointRow
}

func columnsOfSidedPoints() []tabular.Column[sidedPoint] {
	return append([]tabular.Column[sidedPoint]{tabular.Word("report", func(p *sidedPoint) *string { return &p.side }, sides)},
		tabular.Of(func(p *sidedPoint) *report.PointRow { return &p.PointRow }, report.ColumnsOfPoints()...)...)
}

// sides are the names of the reports in files and, if they have no others, for people.
var sides = []string{"a", "b"}

func (c *Comparison) writeCurves(w io.Writer) error {
	type sidedCurve struct {
		side string
		*report.Curve
	}
	var curves []sidedCurve
	for i, of := range []*Compared{&c.A, &c.B} {
		for k := range of.Curves {
			curves = append(curves, sidedCurve{sides[i], &of.Curves[k]})
		}
	}
	points := tabular.Flatten(curves, func(s *sidedCurve) int { return len(s.Points) }, func(s *sidedCurve, i int, room *sidedPoint) {
		*room = sidedPoint{s.side, s.Row(i)}
	})
	return points.WriteParquet(w, "sidedPoint", columnsOfSidedPoints())
}

// ReadCurves reads the comparison_curves.parquet of c, which was returned by [Read].
func (c *Comparison) ReadCurves(file columns.Source) error {
	c.A.Curves, c.B.Curves = nil, nil
	return tabular.Read(file, "comparison: "+CurvesParquet, columnsOfSidedPoints(), nil, func(p *sidedPoint) error {
		p.AddTo(&[]*Compared{&c.A, &c.B}[slices.Index(sides, p.side)].Curves)
		return nil
	})
}

// changedQuery is the difference of a metric of one query, a row of comparison_queries.parquet.
type changedQuery struct {
	id, name         string
	a, b, difference float64
}

// change returns the difference of metric i.
func (q *QueryChange) change(i int, names []string) changedQuery {
	return changedQuery{q.ID, names[i], q.A[i], q.B[i], q.B[i] - q.A[i]}
}

func columnsOfQueries() []tabular.Column[changedQuery] {
	return []tabular.Column[changedQuery]{
		tabular.Text("query", func(q *changedQuery) *string { return &q.id }),
		tabular.Text("name", func(q *changedQuery) *string { return &q.name }),
		tabular.Number("a", func(q *changedQuery) *float64 { return &q.a }),
		tabular.Number("b", func(q *changedQuery) *float64 { return &q.b }),
		tabular.Number("difference", func(q *changedQuery) *float64 { return &q.difference }),
	}
}

func (c *Comparison) writeQueries(w io.Writer) error {
	names := c.Queries.Names
	rows := tabular.Flatten(c.Queries.List, func(*QueryChange) int { return len(names) }, func(q *QueryChange, i int, room *changedQuery) {
		*room = q.change(i, names)
	})
	return rows.WriteParquet(w, "sidedQuery", columnsOfQueries())
}

// ReadQueries reads the comparison_queries.parquet of c, which was returned by [Read].
func (c *Comparison) ReadQueries(file columns.Source) error {
	q := &QueryChanges{}
	err := tabular.Read(file, "comparison: "+QueriesParquet, columnsOfQueries(), nil, func(row *changedQuery) error {
		if n := len(q.List); n == 0 || q.List[n-1].ID != row.id {
			if err := q.whole(); err != nil {
				return err
			}
			q.List = append(q.List, QueryChange{ID: row.id})
		}
		query := &q.List[len(q.List)-1]
		if len(q.List) == 1 {
			q.Names = append(q.Names, row.name)
		}
		if n := len(query.A); n >= len(q.Names) || q.Names[n] != row.name {
			return fmt.Errorf("query %s has other metrics than the first", quote.Short(row.id))
		}
		query.A, query.B = append(query.A, row.a), append(query.B, row.b)
		return nil
	})
	if err != nil {
		return err
	}
	if err := q.whole(); err != nil {
		return fmt.Errorf("comparison: %s: %w", QueriesParquet, err)
	}
	c.Queries = q
	return nil
}

// whole checks that the last query does not lack metrics of the first.
func (q *QueryChanges) whole() error {
	if n := len(q.List); n > 0 && len(q.List[n-1].A) < len(q.Names) {
		return fmt.Errorf("query %s has other metrics than the first", quote.Short(q.List[n-1].ID))
	}
	return nil
}

// changedLabels returns the differences of the labels whose curves are drawn, the largest first,
// the number of all such differences, and their metric: the first of several metrics that differs
// between labels.
func (c *Comparison) changedLabels() (list []*Change, all int, metric string) {
	for _, metric = range []string{"average_precision", "f1", "roc_auc"} {
		list = collections.Select(c.Changes, func(d *Change) bool {
			return d.Name == metric && len(d.Slice) == 0 && d.Label != nil && floats.Finite(d.Difference) && d.Difference != 0
		})
		if len(list) > 0 {
			break
		}
	}
	slices.SortStableFunc(list, func(a, b *Change) int { return cmp.Compare(math.Abs(b.Difference), math.Abs(a.Difference)) })
	return list[:min(len(list), document.PageCurves)], len(list), metric
}
