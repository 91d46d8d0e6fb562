package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/columns"
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

// binRow is a row of histograms.parquet.
type binRow struct {
	name string
	Bin
}

func histogramsTable() table {
	return table{
		name: "histograms", wanted: func(r *Report) bool { return len(r.Histograms) > 0 }, show: (*Report).readHistograms,
		parquet: func(r *Report, w io.Writer) error {
			bins := tabular.Flatten(r.Histograms, func(h *Histogram) int { return len(h.Bins) }, func(h *Histogram, i int, room *binRow) { *room = binRow{h.Name, h.Bins[i]} })
			return bins.WriteParquet(w, "binParquet", columnsOfBins())
		},
	}
}

func columnsOfBins() []tabular.Column[binRow] {
	return []tabular.Column[binRow]{
		tabular.Text("histogram", func(b *binRow) *string { return &b.name }),
		tabular.Number("from", func(b *binRow) *float64 { return &b.From }),
		tabular.Number("to", func(b *binRow) *float64 { return &b.To }),
		tabular.Number("y_from", func(b *binRow) *float64 { return &b.YFrom }),
		tabular.Number("y_to", func(b *binRow) *float64 { return &b.YTo }),
		tabular.Whole("count", func(b *binRow) *int64 { return &b.Count }),
		tabular.Any("weight", func(b *binRow) *float64 { return &b.Weight }),
	}
}

func (r *Report) readHistograms(file columns.Source) error {
	r.Histograms = nil
	return tabular.Read(file, "report: histograms.parquet", columnsOfBins(), nil, func(b *binRow) error {
		if n := len(r.Histograms); n == 0 || r.Histograms[n-1].Name != b.name {
			r.Histograms = append(r.Histograms, Histogram{Name: b.name})
		}
		h := &r.Histograms[len(r.Histograms)-1]
		h.Bins = append(h.Bins, b.Bin)
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
	// in each bin, beginning with the groups in the first bin. It is empty if there are no groups, and in the
	// histograms of later slices.
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

// scoreBinRow is a row of score_histograms.parquet.
type scoreBinRow struct {
	ScoreHistogram // without its bins; Folds are of this bin
	ScoreBin
}

func scoreHistogramsTable() table {
	t := itemsOf("score_histograms", func(r *Report) *[]ScoreHistogram { return &r.ScoreHistograms },
		func(h *ScoreHistogram) (slice.Key, *string) { return h.Slice, h.Label }, func(h *ScoreHistogram) int { return len(h.Bins) },
		tabular.Order[ScoreHistogram]{First: func(a, b *ScoreHistogram) int { return strings.Compare(a.Name, b.Name) }, Then: func(*ScoreHistogram, *ScoreHistogram) int { return 0 }})
	t.parquet = (*Report).WriteScoreHistograms
	return t
}

func columnsOfScoreBins() []tabular.Column[scoreBinRow] {
	name := tabular.Word("histogram", func(b *scoreBinRow) *string { return &b.Name }, []string{HistogramPrediction, HistogramScore, HistogramTarget})
	return tabular.Placed(name, func(b *scoreBinRow) *slice.Key { return &b.Slice }, func(b *scoreBinRow) **string { return &b.Label }, nil,
		tabular.Edge("from", func(b *scoreBinRow) *float64 { return &b.From }),
		tabular.Edge("to", func(b *scoreBinRow) *float64 { return &b.To }),
		tabular.Whole("count", func(b *scoreBinRow) *int64 { return &b.Count }),
		tabular.Any("weight", func(b *scoreBinRow) *float64 { return &b.Weight }),
		tabular.Numbers("folds", func(b *scoreBinRow) *[]float64 { return &b.Folds }),
	)
}

// WriteScoreHistograms writes score_histograms.parquet.
func (r *Report) WriteScoreHistograms(w io.Writer) error {
	bins := tabular.Flatten(r.ScoreHistograms, func(h *ScoreHistogram) int { return len(h.Bins) }, func(h *ScoreHistogram, i int, room *scoreBinRow) {
		*room = scoreBinRow{ScoreHistogram{Name: h.Name, Slice: h.Slice, Label: h.Label, Folds: h.FoldsOf(i)}, h.Bins[i]}
	})
	return bins.WriteParquet(w, "scoreBinParquet", columnsOfScoreBins())
}

// ReadScoreHistograms reads the score_histograms.parquet of r, which [Read] returned. It returns an
// error if a histogram occurs twice, or has bins that are empty, out of order or not of the groups of
// r.
func (r *Report) ReadScoreHistograms(file columns.Source) error {
	r.ScoreHistograms = nil
	in := scoreHistogramReader{report: r, met: make(map[string]bool)}
	return tabular.Read(file, "report: "+ScoreHistogramsParquet, columnsOfScoreBins(), nil, in.add)
}

// scoreHistogramReader adds rows of the file to a report.
type scoreHistogramReader struct {
	report *Report
	met    map[string]bool // the histograms, by name, slice and label
}

func (d *scoreHistogramReader) add(b *scoreBinRow) error {
	list := &d.report.ScoreHistograms
	if n := len(*list); n == 0 || !(*list)[n-1].same(&b.ScoreHistogram) {
		if err := d.begin(&b.ScoreHistogram); err != nil {
			return err
		}
	}
	h := &(*list)[len(*list)-1]
	if err := d.check(h, &b.ScoreBin, b.Folds); err != nil {
		return fmt.Errorf("histogram %s of %s: the bin from %v to %v: %w", h.Name, h.Slice, b.From, b.To, err)
	}
	h.Bins, h.Folds = append(h.Bins, b.ScoreBin), append(h.Folds, b.Folds...)
	return nil
}

func (h *ScoreHistogram) same(other *ScoreHistogram) bool {
	return h.Name == other.Name && slices.Equal(h.Slice, other.Slice) && SameLabel(h.Label, other.Label)
}

// begin begins a histogram.
func (d *scoreHistogramReader) begin(h *ScoreHistogram) error {
	key := KeyOf(h.Name, h.Slice, h.Label)
	if d.met[key] {
		return fmt.Errorf("histogram %s of %s occurs twice", h.Name, h.Slice)
	}
	d.met[key] = true
	d.report.ScoreHistograms = append(d.report.ScoreHistograms, ScoreHistogram{Name: h.Name, Slice: h.Slice, Label: h.Label})
	return nil
}

// check returns an error unless b, with the weights of groups, can follow the bins of h.
func (d *scoreHistogramReader) check(h *ScoreHistogram, b *ScoreBin, folds []float64) error {
	groups := 0
	if c := d.report.Confidence; c != nil {
		groups = c.Folds
	}
	negative := func(w *float64) bool { return !(*w >= 0) }
	ends := math.IsNaN(b.From) && math.IsNaN(b.To)
	switch n := len(folds); {
	case !ends && !(b.From <= b.To):
		return errors.New("it ends before it begins")
	case b.Count <= 0:
		return fmt.Errorf("it counts %d examples, and bins without examples are left out", b.Count)
	case negative(&b.Weight) || len(collections.Select(folds, negative)) > 0:
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
