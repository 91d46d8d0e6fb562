package binned

import (
	"github.com/beameval/beameval/internal/bins"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// Table counts the numbers of examples in a histogram for each label. Rows of numbers wait until
// there are enough of them: adding each at once would touch as many lines of the cache as there are
// labels, and with many folds these are not in the cache. The zero Table is empty.
type Table struct {
	histograms fields.Keyed[Histogram, *Histogram]

	bins    []uint8   // of the waiting rows, row by row
	weights []float64 // of the waiting rows
}

// mostWaiting is the largest number of rows that wait.
const mostWaiting = 128

// AddRow adds an example with a number for each label. All examples must have as many labels.
func (t *Table) AddRow(scale bins.Scale, numbers []float64, weight float64) {
	t.weights = append(t.weights, weight)
	waiting := t.bins
	for _, x := range numbers {
		waiting = append(waiting, uint8(scale.Of(x)))
	}
	if t.bins = waiting; len(t.weights) == mostWaiting {
		t.settle()
	}
}

// settle adds the waiting rows to the histograms.
func (t *Table) settle() {
	n := len(t.weights)
	if n == 0 {
		return
	}
	ones := true
	for _, w := range t.weights {
		ones = ones && w == 1
	}
	width := len(t.bins) / n
	var column [mostWaiting]uint8
	for label := range width {
		for i := range n {
			column[i] = t.bins[i*width+label]
		}
		h := t.histograms.Value(uint64(label))
		if ones {
			h.AddOnes(column[:n])
		} else {
			h.AddAll(column[:n], t.weights)
		}
	}
	t.bins, t.weights = t.bins[:0], t.weights[:0]
}

// Of returns the histogram of a label, which it adds if necessary. The pointer is valid until the
// next call.
func (t *Table) Of(label int) *Histogram { return t.histograms.Value(uint64(label)) }

// Histograms returns the histograms by label, for reading.
func (t *Table) Histograms() *fields.Keyed[Histogram, *Histogram] {
	t.settle()
	return &t.histograms
}

// Fields encodes or decodes the table, empties it, or merges from into it.
func (t *Table) Fields(v *fields.Visitor, from *Table) {
	t.settle()
	from.settle()
	t.histograms.Fields(v, &from.histograms)
}
