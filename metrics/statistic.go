package metrics

import (
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/internal/baselinechanges"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/grid"
	"github.com/beameval/beameval/metrics/internal/ranks"
	"github.com/beameval/beameval/metrics/internal/raters"
)

// Statistic is what metrics are computed from: a commutative monoid over examples, with a codec.
// These laws hold, bit for bit; package metricstest tests them:
//
//   - Folding rows part by part gives the same as folding the parts separately and merging them,
//     in any order. So sums of floats must be exact, as in package exact.
//   - Merging an empty statistic changes nothing.
//   - Equal statistics have equal encodings, which decode to equal statistics. Decode fails for
//     bytes that Append never writes, but never panics or takes much more memory than they do.
//   - A statistic retains no reference to a batch, or to a statistic that was merged into it.
//
// A program that adds metrics of its own may add statistics, too; see [OfStatistic].
type Statistic interface {
	// Fold adds the given rows of a batch.
	Fold(b *Batch, rows []int32)
	// Merge adds from, which must have the same type, and leaves it unchanged.
	Merge(from Statistic)
	// Append appends the canonical encoding.
	Append(dst []byte) []byte
	// Decode replaces the statistic with the one that Append encoded.
	Decode(d *Decoder)
	// Reset empties the statistic, and may keep its memory.
	Reset()
}

// Decoder reads what a Statistic has appended, value by value. After the first error, every read
// returns zero, so that errors need not be checked in between. Sums and tallies of package exact
// have their own Decode methods. For other values: Uint and Int read varints, as
// binary.AppendUvarint and binary.AppendVarint write them; Float reads the bits of a float64, as
// binary.LittleEndian.AppendUint64 writes them; Byte and Bytes read bytes. Count reads a number up
// to a limit. Elements reads the length of a list whose elements take at least a byte each, so it
// never exceeds the number of remaining bytes. Fail makes the decoder fail because of a value that
// no statistic has.
type Decoder = wire.Decoder

// statistic is a Statistic in the table below.
type statistic interface {
	Fold(b *Batch, rows []int32)
	// visit lists the fields, so that v can encode, decode, merge or empty them. from has the same
	// type; unless v merges, it is the statistic itself.
	visit(v *fields.Visitor, from statistic)
	// fits reports whether the statistic can have been folded under p.
	fits(p *Params) bool
}

// kind identifies a statistic. Kinds are part of encodings, which are kept in files: a new kind gets the
// next number, and no kind changes its number. An encoding that changes needs a new version of the files
// (transforms/internal/parts).
type kind uint8

const (
	kindExamples kind = iota
	kindConfusion
	kindLabelCounts
	kindSetSizes
	kindLabelLosses
	kindLabelOutcomes
	kindCalibration
	kindTopCalibration
	kindMeans
	kindResiduals
	kindKappaLoss
	kindLabelCurves
	kindLabelHistograms
	kindLabelBins
	kindDigest
	kindOwn
	kindPanic
	kindErrorSpread
	kindQuerySpread
	kindScoreHistograms
	kindValueHistograms
	kindLabelPairs
	kindPairs
	kindItems
	kindComparisons
	kindChanges
	kindJudged
	kindJudgedClasses
	kindLogits
	kindLabelChanges
	kindMoves
	kindErrorChanges
	kindMoveSpread
	kindErrorCosts
	kindClassShares
	kindPredictionSets
	kindGrades
	kindRatings
	kindRaterPairs
	kindFurtherGrades
	kindFurtherMeans
	kindDrawn
	kindDrawnClasses
	numKinds
)

// countsRows marks statistics that count rows, as support does: they fold rows of weight 0, too. To
// others, such rows do not exist.
const countsRows = true

// repetition says how a statistic of some examples can be added several times, and taken away.
type repetition int

const (
	mergeable  repetition = iota // only by merging it again
	multiplied                   // by multiplying what is added
	removable                    // so, too, and it can be subtracted: it consists of sums, tallies, numbers of rows and at most a few largest numbers
)

// statistics is the table of statistics: the name of each, a function that makes an empty one,
// whether it countsRows, and how it repeats. An empty statistic for the zero Params can be merged into
// and decoded, but it cannot fold.
var statistics = [numKinds]struct {
	name    string
	empty   func(*Params) statistic
	rows    bool
	repeats repetition
}{
	kindExamples:        {"examples", func(*Params) statistic { return new(examples) }, countsRows, removable},
	kindConfusion:       {"confusion", func(p *Params) statistic { return &confusion{classes: p.classes()} }, countsRows, removable},
	kindLabelCounts:     {"labelCounts", func(*Params) statistic { return new(labelCounts) }, countsRows, removable},
	kindSetSizes:        {"setSizes", func(*Params) statistic { return new(setSizes) }, false, removable},
	kindLabelLosses:     {"labelLosses", func(p *Params) statistic { return newLabelLosses(p) }, countsRows, removable},
	kindLabelOutcomes:   {"labelOutcomes", func(p *Params) statistic { return &labelOutcomes{thresholds: p.benefitThresholds()} }, countsRows, removable},
	kindCalibration:     {"calibration", func(p *Params) statistic { c := newCalibration(p.Bins); return &c }, countsRows, removable},
	kindTopCalibration:  {"topCalibration", func(p *Params) statistic { return &topCalibration{newCalibration(p.Bins)} }, false, removable},
	kindMeans:           {"means", func(p *Params) statistic { return newMeans(p) }, countsRows, removable},
	kindResiduals:       {"residuals", func(*Params) statistic { return new(residuals) }, false, removable},
	kindKappaLoss:       {"kappaLoss", func(*Params) statistic { return new(kappaLosses) }, false, removable},
	kindLabelCurves:     {"labelCurves", func(*Params) statistic { return new(labelCurves) }, countsRows, mergeable},
	kindLabelHistograms: {"labelHistograms", func(p *Params) statistic { return &labelHistograms{params: p} }, countsRows, multiplied},
	kindLabelBins:       {"labelBins", func(*Params) statistic { return new(labelBins) }, countsRows, mergeable},
	kindDigest:          {"digest", func(*Params) statistic { return new(digest) }, countsRows, removable},
	kindOwn:             {"own", newOwn, false, mergeable},
	kindPanic:           {"panic", func(*Params) statistic { return new(panicked) }, countsRows, mergeable},
	kindErrorSpread:     {"errorSpread", func(*Params) statistic { return newErrorSpread() }, false, mergeable},
	kindQuerySpread:     {"querySpread", func(p *Params) statistic { return newQuerySpread(p) }, false, mergeable},
	kindScoreHistograms: {"scoreHistograms", func(p *Params) statistic { return &scoreHistograms{params: p} }, countsRows, mergeable},
	kindValueHistograms: {"valueHistograms", func(*Params) statistic { return new(valueHistograms) }, false, mergeable},
	kindLabelPairs:      {"labelPairs", func(*Params) statistic { return new(labelPairs) }, false, mergeable},
	kindItems:           {"items", newItemTable, false, mergeable},
	kindChanges:         {"changes", func(p *Params) statistic { return &changed{*baselinechanges.NewTable(p.classes())} }, false, mergeable},
	kindJudged:          {"judged", func(*Params) statistic { return new(judged) }, false, mergeable},
	kindJudgedClasses:   {"judgedClasses", func(*Params) statistic { return new(judgedClasses) }, false, mergeable},
	kindLogits:          {"logits", func(*Params) statistic { return new(labelLogits) }, false, mergeable},
	kindLabelChanges:    {"labelChanges", func(*Params) statistic { return new(changedLabels) }, countsRows, mergeable},
	kindMoves:           {"moves", func(*Params) statistic { return new(moves) }, false, mergeable},
	kindErrorChanges:    {"errorChanges", func(*Params) statistic { return new(errorChanges) }, false, mergeable},
	kindMoveSpread:      {"moveSpread", func(*Params) statistic { return &moveSpread{grid.New(cellsOfPairs)} }, false, mergeable},
	kindErrorCosts:      {"errorCosts", func(*Params) statistic { return new(errorCosts) }, false, removable},
	kindClassShares:     {"classShares", func(*Params) statistic { return new(classShares) }, false, removable},
	kindPredictionSets:  {"predictionSets", func(*Params) statistic { return new(predictionSets) }, false, mergeable},
	kindPairs:           {"pairs", func(p *Params) statistic { return &pairTable{*ranks.NewTable(p.MaxDistinct)} }, false, multiplied},
	kindComparisons:     {"comparisons", func(p *Params) statistic { return &comparisons{systems: p.Labels} }, countsRows, removable},
	kindGrades:          {"grades", func(*Params) statistic { return new(grades) }, false, removable},
	kindRatings:         {"ratings", func(p *Params) statistic { return &ratings{*raters.NewTable(p.Raters.MaxValues)} }, false, removable},
	kindRaterPairs:      {"raterPairs", func(p *Params) statistic { return &raterPairs{*raters.NewPairs(p.Labels, p.Raters.MaxValues)} }, false, removable},
	kindFurtherGrades:   {"furtherGrades", newFurtherGrades, false, removable},
	kindFurtherMeans:    {"furtherMeans", newFurtherMeans, false, multiplied},
	kindDrawn:           {"drawn", func(*Params) statistic { return new(drawn) }, false, mergeable},
	kindDrawnClasses:    {"drawnClasses", func(*Params) statistic { return new(drawnClasses) }, false, mergeable},
}
