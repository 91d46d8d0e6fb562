package report

import (
	"cmp"
	"slices"
	"strings"
)

// confusion is the confusion of the overall slice: one matrix of all classes,
// or one 2×2 matrix for each label.
type confusion struct {
	names    []string // classes, or labels
	matrix   *matrix  // nil when there is one for each label
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

// Places in a 2×2 matrix of the classes 0 and 1.
const (
	tn = iota
	fp
	fn
	tp
)

// confusion returns the confusion of the overall slice, or nil if there is none
// or if it has more classes or labels than limit.
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

// classOrder returns the listed classes, and then those that cells have without
// their being listed, in the order of their indices.
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
