package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// Confusion is the confusion of the overall slice: one matrix of all classes, or a 2×2 matrix for
// each label.
type Confusion struct {
	Names    []string // classes, or labels
	PerLabel bool
	Matrices []Matrix // one, or one for each label
	Weighted bool
}

// Matrix is a square matrix of counts and weights. Rows are true classes.
type Matrix struct {
	size    int
	Counts  []int64
	Weights []float64
}

// newMatrix returns a matrix of zeros.
func newMatrix(size int) Matrix {
	return Matrix{size, make([]int64, size*size), make([]float64, size*size)}
}

// add adds c to a cell.
func (m *Matrix) add(row, column int, c *ConfusionCell) {
	m.Counts[row*m.size+column] += c.Count
	m.Weights[row*m.size+column] += c.Weight
}

// The indexes of the cells of a 2×2 matrix.
const (
	TN = iota
	FP
	FN
	TP
)

// ConfusionOf returns the confusion of the overall slice, or nil if there is none or if it has more
// than limit classes or labels.
func (r *Report) ConfusionOf(limit int) *Confusion {
	cells := collections.Select(r.Confusion, func(c *ConfusionCell) bool { return len(c.Slice) == 0 })
	if len(cells) == 0 {
		return nil
	}
	f := &Confusion{}
	labels, classes := map[string]bool{}, map[string]int{}
	for _, c := range cells {
		f.Weighted = f.Weighted || c.Weight != float64(c.Count)
		if c.Label != nil {
			labels[*c.Label] = true
			continue
		}
		classes[c.True] = c.TrueIndex
		classes[c.Predicted] = c.PredictedIndex
	}
	if f.PerLabel = len(labels) > 0; f.PerLabel {
		f.Names = LabelOrder(r.Labels, labels)
	} else {
		f.Names = classOrder(r.Labels, classes)
	}
	if len(f.Names) > limit {
		return nil
	}
	f.fill(cells)
	return f
}

// fill makes the matrices of cells.
func (f *Confusion) fill(cells []*ConfusionCell) {
	place := collections.Places(f.Names)
	if !f.PerLabel {
		f.Matrices = []Matrix{newMatrix(len(f.Names))}
		for _, c := range cells {
			f.Matrices[0].add(place[c.True], place[c.Predicted], c)
		}
		return
	}
	for range f.Names {
		f.Matrices = append(f.Matrices, newMatrix(2))
	}
	bit := map[string]int{"1": 1}
	for _, c := range cells {
		if c.Label != nil {
			f.Matrices[place[*c.Label]].add(bit[c.True], bit[c.Predicted], c)
		}
	}
}

// classOrder returns the listed classes, followed by the unlisted classes of cells, by index.
func classOrder(listed []string, inUse map[string]int) []string {
	order := LabelOrder(listed, nil)
	for _, class := range order {
		delete(inUse, class)
	}
	first := len(order)
	for class := range inUse {
		order = append(order, class)
	}
	slices.SortFunc(order[first:], func(a, b string) int {
		return cmp.Or(cmp.Compare(inUse[a], inUse[b]), strings.Compare(a, b))
	})
	return order
}

// confusionJSON is the confusion in metrics.json: of all classes, or of each label. If rows have
// weights, the matrices hold sums of weights, next to matrices of counts.
type confusionJSON struct {
	Labels   []string    `json:"labels,omitempty"`
	Matrix   squareJSON  `json:"matrix,omitempty" layout:"lines"`
	Counts   squareJSON  `json:"counts,omitempty" layout:"lines"`
	PerLabel []labelJSON `json:"per_label,omitempty" layout:"lines"`
}

// squareJSON is a matrix. A weight that is not finite is null.
type squareJSON [][]*json.Number

type labelJSON struct {
	Label string `json:"label"`
	twoByTwoJSON
	Counts *twoByTwoJSON `json:"counts,omitempty"`
}

type twoByTwoJSON struct {
	TP *json.Number `json:"tp"`
	FP *json.Number `json:"fp"`
	FN *json.Number `json:"fn"`
	TN *json.Number `json:"tn"`
}

func (f *Confusion) json() *confusionJSON {
	if f == nil {
		return nil
	}
	c := &confusionJSON{}
	if !f.PerLabel {
		c.Labels, c.Matrix = collections.Map(f.Names, quote.Escape), f.Matrices[0].json(f.Weighted)
		if f.Weighted {
			c.Counts = f.Matrices[0].json(false)
		}
		return c
	}
	for i := range f.Names {
		m := &f.Matrices[i]
		label := labelJSON{Label: quote.Escape(f.Names[i]), twoByTwoJSON: *m.json(f.Weighted).twoByTwo()}
		if f.Weighted {
			label.Counts = m.json(false).twoByTwo()
		}
		c.PerLabel = append(c.PerLabel, label)
	}
	return c
}

func (m *Matrix) json(weights bool) squareJSON {
	rows := make(squareJSON, m.size)
	for i := range m.Counts {
		number := new(json.Number(strconv.FormatInt(m.Counts[i], 10)))
		if weights {
			number = nil
			if floats.Finite(m.Weights[i]) {
				number = new(json.Number(floats.JSON(m.Weights[i])))
			}
		}
		rows[i/m.size] = append(rows[i/m.size], number)
	}
	return rows
}

func (s squareJSON) twoByTwo() *twoByTwoJSON {
	return &twoByTwoJSON{TN: s[0][0], FP: s[0][1], FN: s[1][0], TP: s[1][1]}
}

// square is the inverse of twoByTwo; nil becomes nil.
func (t *twoByTwoJSON) square() squareJSON {
	if t == nil {
		return nil
	}
	return squareJSON{{t.TN, t.FP}, {t.FN, t.TP}}
}

// cells returns the cells that are not zero.
func (c *confusionJSON) cells() ([]ConfusionCell, error) {
	switch {
	case c == nil:
		return nil, nil
	case c.PerLabel == nil:
		return appendCells(nil, ConfusionCell{}, collections.Map(c.Labels, quote.Unescape), c.Matrix, c.Counts)
	}
	var cells []ConfusionCell
	var err error
	for _, label := range c.PerLabel {
		name := quote.Unescape(label.Label)
		cells, err = appendCells(cells, ConfusionCell{Label: &name}, []string{"0", "1"}, label.square(), label.Counts.square())
		if err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// appendCells appends a copy of cell for each nonzero entry of a matrix. If counts is nil, the
// entries are both counts and weights.
func appendCells(cells []ConfusionCell, cell ConfusionCell, classes []string, matrix, counts squareJSON) ([]ConfusionCell, error) {
	if counts == nil {
		counts = matrix
	}
	if err := cmp.Or(matrix.check(len(classes)), counts.check(len(classes))); err != nil {
		return nil, err
	}
	for i := range classes {
		for j := range classes {
			if counts[i][j] == nil {
				return nil, errors.New("a count is missing")
			}
			count, err := counts[i][j].Int64()
			if err != nil {
				return nil, fmt.Errorf("the count %q is not an integer", *counts[i][j])
			}
			weight := math.NaN()
			if w := matrix[i][j]; w != nil {
				if weight, err = w.Float64(); err != nil {
					return nil, fmt.Errorf("the weight %s is out of range", *w)
				}
			}
			if count == 0 && weight == 0 {
				continue
			}
			cell.True, cell.TrueIndex = classes[i], i
			cell.Predicted, cell.PredictedIndex = classes[j], j
			cell.Count, cell.Weight = count, weight
			cells = append(cells, cell)
		}
	}
	return cells, nil
}

// check returns an error unless the matrix has size rows of size columns.
func (s squareJSON) check(size int) error {
	if len(s) != size {
		return fmt.Errorf("%d rows for %d labels", len(s), size)
	}
	for _, row := range s {
		if len(row) != size {
			return fmt.Errorf("%d columns for %d labels", len(row), size)
		}
	}
	return nil
}

// cellTable has the cells of all slices. metrics.json has the matrices of all examples.
var cellTable = tabular.Table[ConfusionCell]{Name: "confusion", Schema: "cellParquet", Parquet: true, Columns: columnsOfCells, Order: tabular.Order[ConfusionCell]{Then: compareCells}}

func confusionTable() table {
	t := in(&cellTable, func(r *Report) *[]ConfusionCell { return &r.Confusion })
	t.parquet, t.show = (*Report).WriteConfusion, (*Report).ReadConfusion
	return t
}

func compareCells(a, b *ConfusionCell) int {
	return cmp.Or(
		cmp.Compare(a.TrueIndex, b.TrueIndex),
		cmp.Compare(a.PredictedIndex, b.PredictedIndex),
		strings.Compare(a.True, b.True),
		strings.Compare(a.Predicted, b.Predicted),
		cmp.Compare(a.Count, b.Count),
		cmp.Compare(a.Weight, b.Weight),
	)
}

func columnsOfCells([]string) []tabular.Column[ConfusionCell] {
	return tabular.Keyed(func(c *ConfusionCell) *slice.Key { return &c.Slice }, nil,
		tabular.Label(func(c *ConfusionCell) **string { return &c.Label }),
		tabular.Name("true", func(c *ConfusionCell) *string { return &c.True }),
		tabular.Name("predicted", func(c *ConfusionCell) *string { return &c.Predicted }),
		tabular.Whole("count", func(c *ConfusionCell) *int64 { return &c.Count }),
		tabular.Any("weight", func(c *ConfusionCell) *float64 { return &c.Weight }),
	)
}

// WriteConfusion writes confusion.parquet.
func (r *Report) WriteConfusion(w io.Writer) error {
	kept := collections.Select(r.Confusion, func(c *ConfusionCell) bool { return c.Count != 0 || c.Weight != 0 })
	list := tabular.List[ConfusionCell]{Len: len(kept), At: func(i int, _ *ConfusionCell) *ConfusionCell { return kept[i] }}
	return list.WriteParquet(w, cellTable.Schema, columnsOfCells(nil))
}

// ReadConfusion reads from confusion.parquet what report.html shows: the cells of all examples. r
// was returned by [Read], and metrics.json has these cells only if the classes are few.
func (r *Report) ReadConfusion(file columns.Source) error {
	r.Confusion = nil
	return r.eachCell(file, func(c *ConfusionCell) bool { return len(c.Slice) == 0 }, func(c *ConfusionCell) error {
		r.Confusion = append(r.Confusion, *c)
		return nil
	})
}

// EachConfusionCell calls do with the cells of all slices that confusion.parquet has. The next call overwrites a cell.
func (r *Report) EachConfusionCell(file columns.Source, do func(*ConfusionCell) error) error {
	return r.eachCell(file, nil, do)
}

func (r *Report) eachCell(file columns.Source, keep func(*ConfusionCell) bool, do func(*ConfusionCell) error) error {
	place := collections.Places(r.Labels)
	at := func(class string, label *string) int {
		if label != nil {
			return map[string]int{"1": 1}[class]
		}
		if i, ok := place[class]; ok {
			return i
		}
		place[class] = len(place) // unlisted classes follow in order of appearance, because cells are sorted
		return place[class]
	}
	return tabular.Read(file, "report: "+ConfusionParquet, columnsOfCells(nil), keep, func(c *ConfusionCell) error {
		c.TrueIndex, c.PredictedIndex = at(c.True, c.Label), at(c.Predicted, c.Label)
		return do(c)
	})
}

// LabelPair is a label that was missed, and another that was predicted in its place: in the same
// examples, Label was true and not predicted, and Predicted was predicted and not true. Numbers that are
// not finite are written as null.
type LabelPair struct {
	Label, Predicted string
	Count            int64   // of the examples
	Weight           float64 // of the examples; equal to Count if rows have no weights
	Share            float64 // of all examples that miss Label
	Lift             float64 // Share, divided by the share of all examples in which Predicted is wrongly predicted
	Gain             float64 // how much accuracy would rise without the errors; NaN for multilabel tasks
}

// labelPairTable has the pairs, in the order in which they are computed.
var labelPairTable = tabular.Table[LabelPair]{Name: "label_pairs", Parquet: true, Columns: columnsOfLabelPairs, Empty: true}

func columnsOfLabelPairs([]string) []tabular.Column[LabelPair] {
	return []tabular.Column[LabelPair]{
		tabular.Name("label", func(p *LabelPair) *string { return &p.Label }),
		tabular.Name("predicted", func(p *LabelPair) *string { return &p.Predicted }),
		tabular.Whole("count", func(p *LabelPair) *int64 { return &p.Count }),
		tabular.Number("weight", func(p *LabelPair) *float64 { return &p.Weight }),
		tabular.Number("share", func(p *LabelPair) *float64 { return &p.Share }),
		tabular.Number("lift", func(p *LabelPair) *float64 { return &p.Lift }),
		tabular.Number("gain", func(p *LabelPair) *float64 { return &p.Gain }),
	}
}
