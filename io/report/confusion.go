package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/io/quote"
)

// confusion is the confusion of the overall slice: one matrix of all classes, or a 2×2
// matrix for each label.
type confusion struct {
	names    []string // classes, or labels
	matrix   *matrix  // nil if each label has one
	perLabel []matrix
	weighted bool
}

// matrix is a square of counts and of weights. Rows are true classes.
type matrix struct {
	size    int
	counts  []int64
	weights []float64
}

func newMatrix(size int) matrix {
	return matrix{size, make([]int64, size*size), make([]float64, size*size)}
}

func (m *matrix) add(row, column int, c *Cell) {
	m.counts[row*m.size+column] += c.Count
	m.weights[row*m.size+column] += c.Weight
}

// Places in a 2×2 matrix.
const (
	tn = iota
	fp
	fn
	tp
)

// confusion returns the confusion of the overall slice. It is nil if there is none, or if
// there are more classes or labels than limit.
func (r *Report) confusion(limit int) *confusion {
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
		return perLabelConfusion(cells, labelOrder(r.Labels, labels), weighted, limit)
	}
	return matrixConfusion(cells, classOrder(r.Labels, classes), weighted, limit)
}

func perLabelConfusion(cells []*Cell, labels []string, weighted bool, limit int) *confusion {
	if len(labels) > limit {
		return nil
	}
	f := &confusion{names: labels, weighted: weighted, perLabel: make([]matrix, len(labels))}
	for i := range f.perLabel {
		f.perLabel[i] = newMatrix(2)
	}
	place := places(labels)
	bit := map[string]int{"1": 1}
	for _, c := range cells {
		if c.Label != nil {
			f.perLabel[place[*c.Label]].add(bit[c.True], bit[c.Predicted], c)
		}
	}
	return f
}

func matrixConfusion(cells []*Cell, classes []string, weighted bool, limit int) *confusion {
	if len(classes) > limit {
		return nil
	}
	m := newMatrix(len(classes))
	place := places(classes)
	for _, c := range cells {
		m.add(place[c.True], place[c.Predicted], c)
	}
	return &confusion{names: classes, weighted: weighted, matrix: &m}
}

// classOrder returns the listed classes, and then the classes of cells that are not
// listed, by index.
func classOrder(listed []string, inUse map[string]int) []string {
	order := labelOrder(listed, nil)
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

func places(names []string) map[string]int {
	place := make(map[string]int, len(names))
	for i, name := range names {
		place[name] = i
	}
	return place
}

// confusionJSON is the confusion in metrics.json: of all classes, or of each label.
// If rows have weights, the matrices hold sums of weights, and counts are beside them.
type confusionJSON struct {
	Labels   []string    `json:"labels,omitempty"`
	Matrix   squareJSON  `json:"matrix,omitempty" layout:"lines"`
	Counts   squareJSON  `json:"counts,omitempty" layout:"lines"`
	PerLabel []labelJSON `json:"per_label,omitempty" layout:"lines"`
}

// squareJSON is a matrix; null is a weight that is not finite.
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

func (f *confusion) json() *confusionJSON {
	if f == nil {
		return nil
	}
	names := mapped(f.names, quote.Escape)
	if f.matrix != nil {
		c := &confusionJSON{Labels: names, Matrix: f.matrix.json(f.weighted)}
		if f.weighted {
			c.Counts = f.matrix.json(false)
		}
		return c
	}
	c := &confusionJSON{PerLabel: make([]labelJSON, len(names))}
	for i := range names {
		m := &f.perLabel[i]
		c.PerLabel[i] = labelJSON{Label: names[i], twoByTwoJSON: *m.json(f.weighted).twoByTwo()}
		if f.weighted {
			c.PerLabel[i].Counts = m.json(false).twoByTwo()
		}
	}
	return c
}

func (m *matrix) json(weights bool) squareJSON {
	rows := make(squareJSON, m.size)
	for i := range m.counts {
		number := new(json.Number(strconv.FormatInt(m.counts[i], 10)))
		if weights {
			number = nil
			if finite(m.weights[i]) {
				number = new(json.Number(numberText(m.weights[i])))
			}
		}
		rows[i/m.size] = append(rows[i/m.size], number)
	}
	return rows
}

func (s squareJSON) twoByTwo() *twoByTwoJSON {
	return &twoByTwoJSON{TN: s[0][0], FP: s[0][1], FN: s[1][0], TP: s[1][1]}
}

// square is the inverse of twoByTwo, nil for nil.
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
		return appendCells(nil, Cell{}, mapped(c.Labels, quote.Unescape), c.Matrix, c.Counts)
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

// appendCells appends a copy of cell for each entry of a matrix that is not zero. Without
// counts, the entries are both counts and weights.
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

// check returns an error unless there are size rows of size columns.
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
