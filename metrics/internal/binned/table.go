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

	waiting int       // the number of waiting rows
	bins    []uint8   // of the waiting rows, row by row
	weights []float64 // of the waiting rows; empty if all weigh 1
}

// mostWaiting is the largest number of rows that wait.
const mostWaiting = 128

// AddRow adds an example with a number for each label. All examples must have as many labels.
func (t *Table) AddRow(scale bins.Scale, numbers []float64, weight float64) {
	if weight != 1 && len(t.weights) == 0 {
		for range t.waiting {
			t.weights = append(t.weights, 1)
		}
	}
	if weight != 1 || len(t.weights) > 0 {
		t.weights = append(t.weights, weight)
	}
	waiting := t.bins
	for _, x := range numbers {
		waiting = append(waiting, uint8(scale.Of(x)))
	}
	t.bins = waiting
	if t.waiting++; t.waiting == mostWaiting {
		t.settle()
	}
}

// settle adds the waiting rows to the histograms.
func (t *Table) settle() {
	n := t.waiting
	if n == 0 {
		return
	}
	width := len(t.bins) / n
	var column [mostWaiting]uint8
	for label := range width {
		for i := range n {
			column[i] = t.bins[i*width+label]
		}
		h := t.histograms.Value(uint64(label))
		if len(t.weights) == 0 {
			h.AddOnes(column[:n])
		} else {
			h.AddAll(column[:n], t.weights)
		}
	}
	t.waiting, t.bins, t.weights = 0, t.bins[:0], t.weights[:0]
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
