package report

import (
	"errors"
	"io"

	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/tabular"
)

// The names of the histograms of a regression. The histograms of a ranking are named after metrics.
const (
	HistogramResidual = "residual"       // true − predicted value
	HistogramPairs    = "true,predicted" // two-dimensional
)

// Histogram is the distribution of values over all examples. Its bins are sorted, and have gaps
// only where there are no examples.
type Histogram struct {
	Name string
	Bins []Bin
}

// Bin counts the examples with a value in [From, To) and, in two dimensions, a second value in
// [YFrom, YTo). The last possible bin includes To. A bin with NaN borders counts the examples that
// are in no other bin: their values are undefined, infinite or too large.
type Bin struct {
	From, To, YFrom, YTo float64 // NaN if not applicable
	Count                int64
	Weight               float64 // sum of weights; equal to Count if examples have no weights
}

// binParquet is a row of histograms.parquet.
type binParquet struct {
	Histogram string   `parquet:"histogram"`
	From      *float64 `parquet:"from,optional"`
	To        *float64 `parquet:"to,optional"`
	YFrom     *float64 `parquet:"y_from,optional"`
	YTo       *float64 `parquet:"y_to,optional"`
	Count     int64    `parquet:"count"`
	Weight    float64  `parquet:"weight"`
}

// WriteHistograms writes histograms.parquet.
func (r *Report) WriteHistograms(w io.Writer) error {
	return tabular.WriteRows(w, r.Histograms, func(h *Histogram, add func(binParquet)) {
		name := quote.Valid(h.Name)
		for _, b := range h.Bins {
			add(binParquet{name, numbers.OrNil(b.From), numbers.OrNil(b.To), numbers.OrNil(b.YFrom), numbers.OrNil(b.YTo), b.Count, b.Weight})
		}
	})
}

// ReadHistograms reads the histograms.parquet of r, which [Read] returned.
func (r *Report) ReadHistograms(file columns.Source) error {
	r.Histograms = nil
	return tabular.ReadRows[binParquet](file, "report: "+HistogramsParquet, func(batch []columns.Column, i int) error {
		name := tabular.TextAt(&batch[0], i)
		if name == nil {
			return errors.New("a histogram is null")
		}
		if n := len(r.Histograms); n == 0 || r.Histograms[n-1].Name != *name {
			r.Histograms = append(r.Histograms, Histogram{Name: *name})
		}
		h := &r.Histograms[len(r.Histograms)-1]
		h.Bins = append(h.Bins, Bin{
			From: tabular.NumberAt(&batch[1], i), To: tabular.NumberAt(&batch[2], i), YFrom: tabular.NumberAt(&batch[3], i), YTo: tabular.NumberAt(&batch[4], i),
			Count: batch[5].Ints[i], Weight: tabular.NumberAt(&batch[6], i),
		})
		return nil
	})
}

// Histogram returns the histogram with a name, or nil.
func (r *Report) Histogram(name string) *Histogram {
	for i := range r.Histograms {
		if r.Histograms[i].Name == name {
			return &r.Histograms[i]
		}
	}
	return nil
}
