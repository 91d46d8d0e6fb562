package metrics

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/bins"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/binned"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/grid"
)

// ScoreHistogram says how the scores of a label, its targets or its predictions are distributed over
// bins. No data decide the edges of the bins, so histograms of different data can be compared; see
// Params.ScoreHistogramsOf.
type ScoreHistogram struct {
	Name  string     // HistogramOfScores, HistogramOfTargets or HistogramOfPredictions
	Label int        // PooledLabel if the task has no labels, or if one histogram has the scores of all
	Bins  []ScoreBin // in order, without empty bins
	// Folds has the weight of each fold in each bin, bin by bin. It is nil if the folds are not
	// wanted.
	Folds []float64
}

// ScoreBin holds the examples whose values are at least From and less than To; values of 1 may be in
// a bin up to 1. From and To are both infinite for infinite values, and NaN for values of a
// regression that are infinite or too large.
type ScoreBin struct {
	From, To float64
	Rows     int64 // rows of weight 0 count, unless it is a regression
	Weight   float64
}

// The names of score histograms.
const (
	HistogramOfScores      = "score"
	HistogramOfTargets     = "target"
	HistogramOfPredictions = "prediction"
)

// mostLabelsWithHistograms is the largest number of labels that have histograms of their own.
const mostLabelsWithHistograms = 1000

// HistogramLabels returns the number of labels that have histograms of their own in each slice, or 1
// if none has.
func (p *Params) HistogramLabels() int {
	if p.labelsApart() {
		return max(p.scored(), 1)
	}
	return 1
}

// scoreHistogramKind returns the statistic of score histograms.
func (p *Params) scoreHistogramKind() kind {
	if p.Task == Regression {
		return kindValueHistograms
	}
	return kindScoreHistograms
}

// labelsApart reports whether each label has histograms of its own.
func (p *Params) labelsApart() bool {
	return p.Task != Ranking && p.scored() <= mostLabelsWithHistograms
}

// scoresApart reports whether each label has a histogram of its scores, instead of one for all.
func (p *Params) scoresApart() bool { return !p.Sparse && p.labelsApart() }

// scaleOf returns the scale of a kind of score histogram.
func (p *Params) scaleOf(of int) bins.Scale {
	switch {
	case p.Task == Ranking:
		return bins.Real
	case of != ofScores || p.ScoreType == Probability:
		return bins.Unit
	case p.ScoreType == Logit && p.Task == Multiclass && !p.Sparse: // see CurveScores
		return bins.Unit
	}
	return bins.Real
}

// ScoreHistogramsOf returns the score histograms of the examples of a partial, by name and label. folds
// holds the partials of all folds, by number, nil if a fold has no examples; or nothing, if the weights
// of folds are not wanted. It returns nil without p.ScoreHistograms, or if a partial was folded under
// other Params.
func (p *Params) ScoreHistogramsOf(partial *Partial, folds []*Partial) []ScoreHistogram {
	if p = p.orNothing(); !p.ScoreHistograms || !partial.fits(p) || slices.ContainsFunc(folds, func(f *Partial) bool { return f != nil && !f.fits(p) }) {
		return nil
	}
	if p.Task == Regression {
		return valueHistogramsOf(partial, folds)
	}
	all, parts := p.tabulated(partial), make([]*scoreHistograms, len(folds))
	for i, f := range folds {
		if parts[i] = new(scoreHistograms); f != nil {
			parts[i] = p.tabulated(f)
		}
	}
	var list []ScoreHistogram
	ofFolds := make([]*binned.Histogram, len(folds))
	for of, name := range scoreHistogramNames {
		for key, h := range all.of[of].Histograms().All() {
			for i := range parts {
				ofFolds[i] = parts[i].of[of].Histograms().Lookup(key)
			}
			label := int(key)
			if p.Task&(Multiclass|Multilabel) == 0 || of == ofScores && !p.scoresApart() {
				label = pooled
			}
			bins, weights := scoreBins(h, p.scaleOf(of), ofFolds)
			if len(bins) > 0 {
				list = append(list, ScoreHistogram{name, label, bins, weights})
			}
		}
	}
	return list
}

// ForScoreHistograms returns a partial with only those statistics of another, which it shares, from which
// [Params.ScoreHistogramsOf] takes the weights of a fold, or nil if there are no score histograms.
func (p *Params) ForScoreHistograms(partial *Partial) *Partial {
	if p = p.orNothing(); !p.ScoreHistograms {
		return nil
	}
	kinds := []kind{kindExamples, p.scoreHistogramKind()}
	if k, confused := p.confusionKind(); confused {
		kinds = append(kinds, k)
	}
	some := &Partial{mixed: partial.mixed}
	for _, k := range kinds {
		some.stats[k] = partial.stats[k]
	}
	return some
}

// scoreBins returns the bins of a histogram, and in each the weights of the folds, whose histograms are
// nil if they are empty.
func scoreBins(h *binned.Histogram, scale bins.Scale, folds []*binned.Histogram) (list []ScoreBin, weights []float64) {
	for bin, i := range h.All() {
		b := ScoreBin{Rows: h.Tallies().Rows(i), Weight: h.Tallies().Weight(i)}
		if b.Weight == 0 {
			continue
		}
		b.From, b.To = scale.Edges(bin)
		list = append(list, b)
		for _, of := range folds {
			weight := 0.0
			if of != nil {
				weight = of.Weight(bin)
			}
			weights = append(weights, weight)
		}
	}
	return list, weights
}

// scoreHistograms counts the scores, and the targets that are not counted elsewhere, by label. All are
// under label 0 if labels have no histograms of their own.
type scoreHistograms struct {
	params *Params
	of     [len(scoreHistogramNames)]binned.Table
}

// scoreHistogramNames are the names of score histograms, in the order of reports.
var scoreHistogramNames = [...]string{ofPredictions: HistogramOfPredictions, ofScores: HistogramOfScores, ofTargets: HistogramOfTargets}

const (
	ofPredictions = iota
	ofScores
	ofTargets
)

func (s *scoreHistograms) Fold(b *Batch, rows []int32) {
	p := s.params
	if p.Task == Ranking {
		s.foldItems(b, rows)
		return
	}
	if p.Scores {
		s.foldScores(b, rows)
	}
	if b.Distribution != nil && p.labelsApart() {
		s.foldDense(ofTargets, b, b.Distribution, rows)
	}
}

func (s *scoreHistograms) foldScores(b *Batch, rows []int32) {
	scores := b.CurveScores(s.params.Task)
	if s.params.scoresApart() {
		s.foldDense(ofScores, b, scores, rows)
		return
	}
	h, scale := s.of[ofScores].Of(0), s.params.scaleOf(ofScores)
	for _, r := range rows {
		list, w := scores, b.weight(r)
		if b.Candidates.Offset == nil {
			list = list[int(r)*b.Labels:][:b.Labels]
		} else {
			list = list[b.Candidates.Offset[r]:b.Candidates.Offset[r+1]]
		}
		for _, x := range list {
			h.Add(scale.Of(x), w)
		}
	}
}

// foldDense adds numbers, one for each label of each row.
func (s *scoreHistograms) foldDense(of int, b *Batch, numbers []float64, rows []int32) {
	scale := s.params.scaleOf(of)
	for _, r := range rows {
		s.of[of].AddRow(scale, numbers[int(r)*b.Labels:][:b.Labels], b.weight(r))
	}
}

// foldItems adds the scores of retrieved items, and the relevances of judged ones.
func (s *scoreHistograms) foldItems(b *Batch, rows []int32) {
	scores, targets := s.of[ofScores].Of(0), s.of[ofTargets].Of(0)
	for _, r := range rows {
		w := b.weight(r)
		for i := b.ItemOffset[r]; i < b.ItemOffset[r+1]; i++ {
			scores.Add(bins.Real.Of(b.Score[i]), w)
			if b.Judged == nil || b.Judged[i] {
				targets.Add(bins.Real.Of(b.Relevance[i]), w)
			}
		}
		if b.MissedOffset != nil {
			for _, relevance := range b.Missed[b.MissedOffset[r]:b.MissedOffset[r+1]] {
				targets.Add(bins.Real.Of(relevance), w)
			}
		}
	}
}

func (s *scoreHistograms) visit(v *fields.Visitor, from statistic) {
	for i := range s.of {
		s.of[i].Fields(v, &from.(*scoreHistograms).of[i])
	}
}

func (s *scoreHistograms) fits(p *Params) bool {
	labels := uint64(p.HistogramLabels())
	return s.of[ofPredictions].Histograms().Below(0) && s.of[ofScores].Histograms().Below(labels) && s.of[ofTargets].Histograms().Below(labels)
}

// tabulated returns all histograms of a partial. The histograms of predictions and of true labels
// follow from its confusion matrix.
func (p *Params) tabulated(partial *Partial) *scoreHistograms {
	full := new(scoreHistograms)
	if s, ok := partial.stats[kindScoreHistograms].(*scoreHistograms); ok {
		for _, of := range []int{ofScores, ofTargets} {
			s.of[of].Histograms() // without waiting rows, which a copy would add again
			full.of[of] = s.of[of]
		}
	}
	k, confused := p.confusionKind()
	if !confused || !p.labelsApart() || partial.stats[k] == nil {
		return full
	}
	e := &evaluation{params: p, partial: partial}
	soft, met := full.of[ofTargets].Histograms().Size() > 0, e.outcomes()
	for label := range p.scored() {
		o := met.Lookup(uint64(label))
		if o == nil {
			o = new(outcomes)
		}
		full.addShare(ofPredictions, label, e.weight(), &o.tp, &o.fp)
		if !soft {
			full.addShare(ofTargets, label, e.weight(), &o.tp, &o.fn)
		}
	}
	return full
}

// addShare adds a histogram of zeros and ones to label: examples in some are ones, the rest of all
// are zeros.
func (s *scoreHistograms) addShare(of, label int, all *exact.Tally, some ...*exact.Tally) {
	var zeros, ones exact.Tally
	zeros.Merge(all)
	for _, t := range some {
		ones.Merge(t)
		zeros.Subtract(t)
	}
	h := s.of[of].Of(label)
	h.AddTally(bins.Unit.Of(0), &zeros)
	h.AddTally(bins.Unit.Of(1), &ones)
}

// valueHistograms counts the predictions and targets of a regression, in cells of lines.
type valueHistograms struct{ predictions, targets grid.Line }

func (s *valueHistograms) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		w := b.weight(r)
		s.predictions.Add(b.Estimate[r], w)
		s.targets.Add(b.Target[r], w)
	}
}

func (s *valueHistograms) visit(v *fields.Visitor, from statistic) {
	f := from.(*valueHistograms)
	fields.Visit(v, &s.predictions, &f.predictions)
	fields.Visit(v, &s.targets, &f.targets)
}

func (s *valueHistograms) fits(p *Params) bool { return p.Task == Regression }

// valueHistogramsOf returns the histograms of a regression.
func valueHistogramsOf(partial *Partial, folds []*Partial) []ScoreHistogram {
	all, ok := partial.stats[kindValueHistograms].(*valueHistograms)
	if !ok {
		return nil
	}
	var list []ScoreHistogram
	for _, of := range []struct {
		name string
		line func(*valueHistograms) *grid.Line
	}{
		{HistogramOfPredictions, func(s *valueHistograms) *grid.Line { return &s.predictions }},
		{HistogramOfTargets, func(s *valueHistograms) *grid.Line { return &s.targets }},
	} {
		parts := make([]*grid.Line, len(folds))
		for i, f := range folds {
			parts[i] = new(grid.Line)
			if f == nil {
				continue
			}
			if s, ok := f.stats[kindValueHistograms].(*valueHistograms); ok {
				parts[i] = of.line(s)
			}
		}
		if line := of.line(all); !line.Empty() {
			bins, weights := lineBins(line, parts)
			list = append(list, ScoreHistogram{of.name, pooled, bins, weights})
		}
	}
	return list
}

// lineBins returns the cells of a line as bins, and the weights of the folds in each. The last bin
// has the numbers outside.
func lineBins(line *grid.Line, folds []*grid.Line) (list []ScoreBin, weights []float64) {
	from, tallies := line.Cells()
	for i, x := range from {
		list = append(list, ScoreBin{x, x + line.Side(), tallies.Rows(i), tallies.Weight(i)})
	}
	cells := len(list)
	if line.Outside.Rows() > 0 {
		list = append(list, ScoreBin{math.NaN(), math.NaN(), line.Outside.Rows(), line.Outside.Weight()})
	}
	weights = make([]float64, len(list)*len(folds))
	for fold, of := range folds {
		from, tallies := of.Like(line).Cells()
		for i, at := 0, 0; i < len(from); i++ {
			for list[at].From != from[i] {
				at++
			}
			weights[at*len(folds)+fold] = tallies.Weight(i)
		}
		if cells < len(list) {
			weights[cells*len(folds)+fold] = of.Outside.Weight()
		}
	}
	return list, weights
}
