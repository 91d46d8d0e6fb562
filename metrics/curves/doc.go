// Package curves computes what is read off ROC and precision-recall curves:
// areas, operating points, and the points of a drawing.
//
// A curve arrives as a stream of [Point] values, one for each distinct score,
// highest first. An [Accumulator] adds up exact sums of terms, each a function
// of two neighbouring points and of the totals alone. A curve may therefore be
// cut into ranges of scores that are processed apart: merged, they give the
// same bits. An [Outline] keeps the points of a drawing likewise.
//
// A [Histogram] needs no sorted scores. It holds a bounded number of bins, and
// its [Bounds] are intervals that contain the values of the scores that it met.
//
// [DCG] and [Pairs] are for two measures that need more than a curve: NDCG of
// one ranking of all rows, and the one-vs-one ROC AUC of several classes.
//
// Weights are finite and not negative, and scores are not NaN. A class whose
// weights total zero counts as absent.
package curves
