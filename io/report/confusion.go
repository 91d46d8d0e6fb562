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

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/tabular"
)

// Confusion is the confusion of the overall slice: one matrix of all classes, or a 2×2 matrix for
// each label.
type Confusion struct {
	Names    []string // classes, or labels
	Matrix   *Matrix  // nil if each label has its own
	PerLabel []Matrix
	Weighted bool
}

// Matrix is a square matrix of counts and weights. Rows are true classes.
type Matrix struct {
	size    int
	Counts  []int64
	Weights []float64
}

// NewMatrix returns a matrix of zeros.
func NewMatrix(size int) Matrix {
	return Matrix{size, make([]int64, size*size), make([]float64, size*size)}
}

// Add adds c to a cell.
func (m *Matrix) Add(row, column int, c *Cell) {
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
	var cells []*Cell
	weighted := false
	labels, classes := map[string]bool{}, map[string]int{}
	for i := range r.Confusion {
		c := &r.Confusion[i]
		if len(c.Slice) > 0 {
			continue
		}
		cells = append(cells, c)
		weighted = weighted || c.Weight != float64(c.Count)
		if c.Label != nil {
			labels[*c.Label] = true
			continue
		}
		classes[c.True] = c.TrueIndex
		classes[c.Predicted] = c.PredictedIndex
	}
	switch {
	case len(cells) == 0:
		return nil
	case len(labels) > 0:
		return perLabelConfusion(cells, LabelOrder(r.Labels, labels), weighted, limit)
	}
	return matrixConfusion(cells, classOrder(r.Labels, classes), weighted, limit)
}

func perLabelConfusion(cells []*Cell, labels []string, weighted bool, limit int) *Confusion {
	if len(labels) > limit {
		return nil
	}
	f := &Confusion{Names: labels, Weighted: weighted, PerLabel: make([]Matrix, len(labels))}
	for i := range f.PerLabel {
		f.PerLabel[i] = NewMatrix(2)
	}
	place := lists.Places(labels)
	bit := map[string]int{"1": 1}
	for _, c := range cells {
		if c.Label != nil {
			f.PerLabel[place[*c.Label]].Add(bit[c.True], bit[c.Predicted], c)
		}
	}
	return f
}

func matrixConfusion(cells []*Cell, classes []string, weighted bool, limit int) *Confusion {
	if len(classes) > limit {
		return nil
	}
	m := NewMatrix(len(classes))
	place := lists.Places(classes)
	for _, c := range cells {
		m.Add(place[c.True], place[c.Predicted], c)
	}
	return &Confusion{Names: classes, Weighted: weighted, Matrix: &m}
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
	names := lists.Map(f.Names, quote.Escape)
	if f.Matrix != nil {
		c := &confusionJSON{Labels: names, Matrix: f.Matrix.json(f.Weighted)}
		if f.Weighted {
			c.Counts = f.Matrix.json(false)
		}
		return c
	}
	c := &confusionJSON{PerLabel: make([]labelJSON, len(names))}
	for i := range names {
		m := &f.PerLabel[i]
		c.PerLabel[i] = labelJSON{Label: names[i], twoByTwoJSON: *m.json(f.Weighted).twoByTwo()}
		if f.Weighted {
			c.PerLabel[i].Counts = m.json(false).twoByTwo()
		}
	}
	return c
}

func (m *Matrix) json(weights bool) squareJSON {
	rows := make(squareJSON, m.size)
	for i := range m.Counts {
		number := new(json.Number(strconv.FormatInt(m.Counts[i], 10)))
		if weights {
			number = nil
			if numbers.Finite(m.Weights[i]) {
				number = new(json.Number(numbers.JSON(m.Weights[i])))
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
func (c *confusionJSON) cells() ([]Cell, error) {
	switch {
	case c == nil:
		return nil, nil
	case c.PerLabel == nil:
		return appendCells(nil, Cell{}, lists.Map(c.Labels, quote.Unescape), c.Matrix, c.Counts)
	}
	var cells []Cell
	var err error
	for _, label := range c.PerLabel {
		name := quote.Unescape(label.Label)
		cells, err = appendCells(cells, Cell{Label: &name}, []string{"0", "1"}, label.square(), label.Counts.square())
		if err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// appendCells appends a copy of cell for each nonzero entry of a matrix. If counts is nil, the
// entries are both counts and weights.
func appendCells(cells []Cell, cell Cell, classes []string, matrix, counts squareJSON) ([]Cell, error) {
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

// WriteConfusion writes confusion.parquet.
func (r *Report) WriteConfusion(w io.Writer) error {
	var slice tabular.SliceText
	return tabular.WriteRows(w, r.Confusion, func(c *Cell, add func(cellParquet)) {
		if c.Count == 0 && c.Weight == 0 {
			return
		}
		add(cellParquet{
			Slice:     slice.JSON(c.Slice),
			Label:     tabular.LabelText(c.Label),
			True:      quote.Escape(c.True),
			Predicted: quote.Escape(c.Predicted),
			Count:     c.Count,
			Weight:    c.Weight,
		})
	})
}

// ReadConfusion reads from confusion.parquet what report.html shows: the cells of all examples. r
// was returned by [Read], and metrics.json has these cells only if the classes are few.
func (r *Report) ReadConfusion(file columns.Source) error {
	r.Confusion = nil
	place := lists.Places(r.Labels)
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
	return tabular.ReadRows[cellParquet](file, "report: "+ConfusionParquet, func(batch []columns.Column, i int) error {
		slice, truth, predicted := tabular.TextAt(&batch[0], i), tabular.NameAt(&batch[2], i), tabular.NameAt(&batch[3], i)
		if slice == nil || truth == nil || predicted == nil {
			return errors.New("a slice or class is null")
		}
		if *slice != overallSlice {
			return nil
		}
		c := Cell{Label: tabular.NameAt(&batch[1], i), True: *truth, Predicted: *predicted, Count: batch[4].Ints[i], Weight: tabular.NumberAt(&batch[5], i)}
		c.TrueIndex, c.PredictedIndex = at(c.True, c.Label), at(c.Predicted, c.Label)
		r.Confusion = append(r.Confusion, c)
		return nil
	})
}

// cellParquet is a row of confusion.parquet.
type cellParquet struct {
	Slice     string  `parquet:"slice"` // JSON
	Label     *string `parquet:"label,optional"`
	True      string  `parquet:"true"`
	Predicted string  `parquet:"predicted"`
	Count     int64   `parquet:"count"`
	Weight    float64 `parquet:"weight"`
}
