package comparison

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
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
	Report string `parquet:"report"`
	report.PointParquet
}

// sides are the names of the reports in files and, if they have no others, for people.
var sides = []string{"a", "b"}

func (c *Comparison) writeCurves(w io.Writer) error {
	type side struct {
		name   string
		curves []report.Curve
	}
	return tabular.WriteRows(w, []side{{sides[0], c.A.Curves}, {sides[1], c.B.Curves}}, func(s *side, add func(sidedPoint)) {
		for i := range s.curves {
			s.curves[i].Parquet(func(p report.PointParquet) { add(sidedPoint{s.name, p}) })
		}
	})
}

// ReadCurves reads the comparison_curves.parquet of c, which was returned by [Read].
func (c *Comparison) ReadCurves(file columns.Source) error {
	c.A.Curves, c.B.Curves = nil, nil
	return tabular.ReadRows[sidedPoint](file, "comparison: "+CurvesParquet, func(batch []columns.Column, i int) error {
		side := tabular.TextAt(&batch[0], i)
		if side == nil || !slices.Contains(sides, *side) {
			return errors.New("a report is neither a nor b")
		}
		return report.ReadPoint(&[]*Compared{&c.A, &c.B}[slices.Index(sides, *side)].Curves, batch[1:], i)
	})
}

// sidedQuery is a row of comparison_queries.parquet.
type sidedQuery struct {
	Query      string   `parquet:"query"`
	Name       string   `parquet:"name"`
	A          *float64 `parquet:"a,optional"`
	B          *float64 `parquet:"b,optional"`
	Difference *float64 `parquet:"difference,optional"`
}

func (c *Comparison) writeQueries(w io.Writer) error {
	names := lists.Map(c.Queries.Names, quote.Valid)
	return tabular.WriteRows(w, c.Queries.List, func(q *QueryChange, add func(sidedQuery)) {
		for i, name := range names {
			add(sidedQuery{quote.Valid(q.ID), name, numbers.OrNil(q.A[i]), numbers.OrNil(q.B[i]), numbers.OrNil(q.B[i] - q.A[i])})
		}
	})
}

// ReadQueries reads the comparison_queries.parquet of c, which was returned by [Read].
func (c *Comparison) ReadQueries(file columns.Source) error {
	q := &QueryChanges{}
	err := tabular.ReadRows[sidedQuery](file, "comparison: "+QueriesParquet, func(batch []columns.Column, i int) error {
		id, name := tabular.TextAt(&batch[0], i), tabular.TextAt(&batch[1], i)
		if id == nil || name == nil {
			return errors.New("a query or name is null")
		}
		if n := len(q.List); n == 0 || q.List[n-1].ID != *id {
			if err := q.whole(); err != nil {
				return err
			}
			q.List = append(q.List, QueryChange{ID: *id})
		}
		query := &q.List[len(q.List)-1]
		if len(q.List) == 1 {
			q.Names = append(q.Names, *name)
		}
		if n := len(query.A); n >= len(q.Names) || q.Names[n] != *name {
			return fmt.Errorf("query %s has other metrics than the first", quote.Short(*id))
		}
		query.A, query.B = append(query.A, tabular.NumberAt(&batch[2], i)), append(query.B, tabular.NumberAt(&batch[3], i))
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
		list = lists.Select(c.Changes, func(d *Change) bool {
			return d.Name == metric && len(d.Slice) == 0 && d.Label != nil && numbers.Finite(d.Difference) && d.Difference != 0
		})
		if len(list) > 0 {
			break
		}
	}
	slices.SortStableFunc(list, func(a, b *Change) int { return cmp.Compare(math.Abs(b.Difference), math.Abs(a.Difference)) })
	return list[:min(len(list), document.PageCurves)], len(list), metric
}
