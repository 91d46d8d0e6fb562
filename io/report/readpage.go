package report

import (
	"errors"
	"fmt"
	"io"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/slice"
)

// overallSlice is the slice of all examples in Parquet files.
const overallSlice = "{}"

var (
	curveColumns = append([]parquetColumn{{"slice", columns.String}}, pointColumns...)
	pointColumns = []parquetColumn{
		{"label", columns.String}, {"curve", columns.String},
		{"x", columns.Float}, {"y", columns.Float}, {"threshold", columns.Float}, {"weight", columns.Float},
	}
	cellColumns = []parquetColumn{
		{"slice", columns.String}, {"label", columns.String}, {"true", columns.String}, {"predicted", columns.String},
		{"count", columns.Int}, {"weight", columns.Float},
	}
)

// ReadCurves reads what report.html shows of the curves.parquet of r, which [Read] returned: the
// curves of all examples. Numbers that are null become NaN.
func (r *Report) ReadCurves(file columns.Source) error {
	r.Curves = nil
	err := readParquet(file, curveColumns, func(batch []columns.Column, i int) error {
		slice := textAt(&batch[0], i)
		switch {
		case slice == nil:
			return errors.New("a slice is null")
		case *slice != overallSlice:
			return nil
		}
		return readPoint(&r.Curves, batch[1:], i)
	})
	if err != nil {
		return fmt.Errorf("report: %s: %w", CurvesParquet, err)
	}
	return nil
}

// readPoint adds the point in row i of the pointColumns to the last curve, or to a new one.
func readPoint(curves *[]Curve, batch []columns.Column, i int) error {
	label, name := nameAt(&batch[0], i), textAt(&batch[1], i)
	if name == nil {
		return errors.New("a curve is null")
	}
	n := len(*curves)
	if n == 0 || (*curves)[n-1].Name != *name || !sameLabel((*curves)[n-1].Label, label) {
		*curves = append(*curves, Curve{Label: label, Name: *name})
		n++
	}
	p := CurvePoint{X: numberAt(&batch[2], i), Y: numberAt(&batch[3], i), Threshold: numberAt(&batch[4], i)}
	if *name == CurveCalibration {
		p.Weight = numberAt(&batch[5], i)
	}
	c := &(*curves)[n-1]
	c.Points = append(c.Points, p)
	return nil
}

// ReadConfusion reads what report.html shows of the confusion.parquet of r, which [Read]
// returned: the cells of all examples. Those in metrics.json are only of few classes.
func (r *Report) ReadConfusion(file columns.Source) error {
	r.Confusion = nil
	place := places(r.Labels)
	at := func(class string, label *string) int {
		if label != nil {
			return map[string]int{"1": 1}[class]
		}
		if i, ok := place[class]; ok {
			return i
		}
		place[class] = len(place) // after those that are listed, as they come: cells are sorted
		return place[class]
	}
	err := readParquet(file, cellColumns, func(batch []columns.Column, i int) error {
		slice, truth, predicted := textAt(&batch[0], i), nameAt(&batch[2], i), nameAt(&batch[3], i)
		if slice == nil || truth == nil || predicted == nil {
			return errors.New("a slice or class is null")
		}
		if *slice != overallSlice {
			return nil
		}
		c := Cell{Label: nameAt(&batch[1], i), True: *truth, Predicted: *predicted, Count: batch[4].Ints[i], Weight: numberAt(&batch[5], i)}
		c.TrueIndex, c.PredictedIndex = at(c.True, c.Label), at(c.Predicted, c.Label)
		r.Confusion = append(r.Confusion, c)
		return nil
	})
	if err != nil {
		return fmt.Errorf("report: %s: %w", ConfusionParquet, err)
	}
	return nil
}

var queryColumns = []parquetColumn{{"query", columns.String}, {"name", columns.String}, {"value", columns.Float}}

// ReadQueries reads the per_query.parquet of r, which [Read] returned. IDs become texts, and a
// value that is null becomes NaN.
func (r *Report) ReadQueries(file columns.Source) error {
	q := &Queries{}
	err := readParquet(file, queryColumns, func(batch []columns.Column, i int) error {
		id, name := textAt(&batch[0], i), textAt(&batch[1], i)
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
		query.Values = append(query.Values, numberAt(&batch[2], i))
		return nil
	})
	if err != nil {
		return fmt.Errorf("report: %s: %w", PerQueryParquet, err)
	}
	if n := len(q.List); n > 0 && len(q.List[n-1].Values) < len(q.Names) {
		return fmt.Errorf("report: %s: the last query has other metrics than the first", PerQueryParquet)
	}
	r.Queries = q
	return nil
}

// WritePage sorts r, and writes report.html as [Write] does.
func (r *Report) WritePage(w io.Writer) error {
	r.Sort()
	return r.writePage(w)
}
