package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// The names of the histograms of a regression. The histograms of a ranking are named after metrics.
const (
	HistogramResidual = "residual"       // true − predicted value
	HistogramPairs    = "true,predicted" // two-dimensional
	HistogramMoves    = "baseline,now"   // two-dimensional, also of the scores of a binary task
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

// The names of score histograms.
const (
	HistogramPrediction = "prediction" // of a regression, or of decisions: whether a label is predicted, 0 or 1
	HistogramScore      = "score"
	HistogramTarget     = "target" // the true value, the relevance, or whether a label is true: 0, 1 or, if it is soft, between
)

// ScoreHistogram is the distribution of scores, targets or predictions of the examples of a slice, in
// bins that no data decide: reports of other data have the same bins. docs/histograms.md has their
// edges.
type ScoreHistogram struct {
	Name  string // HistogramPrediction, HistogramScore or HistogramTarget
	Slice slice.Key
	Label *string    // nil if the task has no labels, or if the histogram has the scores of all
	Bins  []ScoreBin // in order; those without examples are left out
	// Folds has the weights of the examples of each group of Report.Confidence, by the number of the group,
	// in each bin: first those in the first bin. It is empty if there are no groups, or in the histograms of
	// later slices.
	Folds []float64
}

// FoldsOf returns the weights of the groups in a bin.
func (h *ScoreHistogram) FoldsOf(bin int) []float64 {
	groups := len(h.Folds) / len(h.Bins)
	return h.Folds[bin*groups:][:groups]
}

// ScoreBin counts the values that are at least From and less than To; in a histogram of numbers from 0
// to 1, the bin up to 1 includes 1. From and To are both -Inf, or both Inf, in the bins of infinite
// values. The bin of values of a regression that are infinite or too large is the last; its From and
// To are NaN.
type ScoreBin struct {
	From, To float64
	Count    int64
	Weight   float64 // sum of weights; equal to Count if examples have no weights
}

// scoreBinParquet is a row of score_histograms.parquet.
type scoreBinParquet struct {
	Histogram string    `parquet:"histogram"`
	Slice     string    `parquet:"slice"` // JSON
	Label     *string   `parquet:"label,optional"`
	From      *float64  `parquet:"from,optional"`
	To        *float64  `parquet:"to,optional"`
	Count     int64     `parquet:"count"`
	Weight    float64   `parquet:"weight"`
	Folds     []float64 `parquet:"folds"`
}

// WriteScoreHistograms writes score_histograms.parquet.
func (r *Report) WriteScoreHistograms(w io.Writer) error {
	var slice tabular.SliceText
	orNull := func(x float64) *float64 {
		if math.IsNaN(x) {
			return nil
		}
		return &x
	}
	return tabular.WriteRows(w, r.ScoreHistograms, func(h *ScoreHistogram, add func(scoreBinParquet)) {
		row := scoreBinParquet{Histogram: quote.Valid(h.Name), Slice: slice.JSON(h.Slice), Label: tabular.LabelText(h.Label)}
		for i, b := range h.Bins {
			row.From, row.To, row.Count, row.Weight, row.Folds = orNull(b.From), orNull(b.To), b.Count, b.Weight, h.FoldsOf(i)
			add(row)
		}
	})
}

func compareScoreHistograms(a, b *ranked[ScoreHistogram]) int {
	return cmp.Or(cmp.Compare(a.slice, b.slice), strings.Compare(a.item.Name, b.item.Name), cmp.Compare(a.label, b.label))
}

// ReadScoreHistograms reads the score_histograms.parquet of r, which [Read] returned. It returns an
// error if a histogram occurs twice, or has bins that are empty, out of order or not of the groups of
// r.
func (r *Report) ReadScoreHistograms(file columns.Source) error {
	r.ScoreHistograms = nil
	in := scoreHistogramReader{report: r, met: make(map[string]bool)}
	return tabular.ReadRows[scoreBinParquet](file, "report: "+ScoreHistogramsParquet, in.add)
}

// scoreHistogramReader adds rows of the file to a report.
type scoreHistogramReader struct {
	report *Report
	met    map[string]bool // the histograms, by name, slice and label
	slice  string          // of the last histogram, as it was written
}

// add adds row i of a batch.
func (d *scoreHistogramReader) add(batch []columns.Column, i int) error {
	name, slice, label := tabular.TextAt(&batch[0], i), tabular.TextAt(&batch[1], i), tabular.NameAt(&batch[2], i)
	if name == nil || slice == nil {
		return errors.New("a histogram or slice is null")
	}
	list := &d.report.ScoreHistograms
	if n := len(*list); n == 0 || (*list)[n-1].Name != *name || d.slice != *slice || !SameLabel((*list)[n-1].Label, label) {
		if err := d.begin(*name, *slice, label); err != nil {
			return err
		}
	}
	h := &(*list)[len(*list)-1]
	b := ScoreBin{From: tabular.NumberAt(&batch[3], i), To: tabular.NumberAt(&batch[4], i), Weight: tabular.NumberAt(&batch[6], i)}
	folds := tabular.NumbersAt(&batch[7], i)
	if count := &batch[5]; count.Null == nil || !count.Null[i] {
		b.Count = count.Ints[i]
	}
	if err := d.check(h, &b, folds); err != nil {
		return fmt.Errorf("histogram %s of %s: the bin from %v to %v: %w", h.Name, quote.Short(*slice), b.From, b.To, err)
	}
	h.Bins, h.Folds = append(h.Bins, b), append(h.Folds, folds...)
	return nil
}

// begin begins a histogram.
func (d *scoreHistogramReader) begin(name, slice string, label *string) error {
	h := ScoreHistogram{Name: name, Label: label}
	if name != HistogramPrediction && name != HistogramScore && name != HistogramTarget {
		return fmt.Errorf("unknown histogram %s: expected %s, %s or %s", quote.Short(name), HistogramPrediction, HistogramScore, HistogramTarget)
	}
	if err := json.Unmarshal([]byte(slice), &h.Slice); err != nil {
		return fmt.Errorf("histogram %s: slice %s: %w", name, quote.Short(slice), err)
	}
	key := name + "\x00" + slice
	if label != nil {
		key += "\x00" + *label
	}
	if d.met[key] {
		return fmt.Errorf("histogram %s of %s occurs twice", name, quote.Short(slice))
	}
	d.met[key], d.slice = true, slice
	d.report.ScoreHistograms = append(d.report.ScoreHistograms, h)
	return nil
}

// check returns an error unless b, with the weights of groups, can follow the bins of h.
func (d *scoreHistogramReader) check(h *ScoreHistogram, b *ScoreBin, folds []float64) error {
	groups := 0
	if c := d.report.Confidence; c != nil {
		groups = c.Groups
	}
	negative := func(w *float64) bool { return !(*w >= 0) }
	ends := math.IsNaN(b.From) && math.IsNaN(b.To)
	switch n := len(folds); {
	case !ends && !(b.From <= b.To):
		return errors.New("it ends before it begins")
	case b.Count <= 0:
		return fmt.Errorf("it counts %d examples, and bins without examples are left out", b.Count)
	case negative(&b.Weight) || len(lists.Select(folds, negative)) > 0:
		return errors.New("a weight is negative or null")
	case n != 0 && n != groups:
		return fmt.Errorf("it has the weights of %d groups, and %s has %d groups: the files are of different reports", n, MetricsJSON, groups)
	case len(h.Bins) > 0 && n*len(h.Bins) != len(h.Folds):
		return errors.New("it has the weights of groups where another bin has none, or the reverse")
	}
	if len(h.Bins) == 0 {
		return nil
	}
	last := &h.Bins[len(h.Bins)-1]
	if follows := b.From >= last.To && (b.From != last.From || b.To != last.To); !follows && !(ends && !math.IsNaN(last.From)) {
		return fmt.Errorf("it does not follow the bin from %v to %v", last.From, last.To)
	}
	return nil
}
