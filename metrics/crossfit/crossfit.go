// Package crossfit says what another threshold would have given, measured on examples that did not choose it.
//
// A threshold that is the best of a sample looks better there than it is. So the folds of the examples are divided into parts.
// The folds of the other parts choose a threshold for each part, whose examples it then decides:
//
//	part 1   part 2   part 3
//	├ measured ┤ ◄─ chosen by parts 2 and 3
//	         ├ measured ┤ ◄─ chosen by parts 1 and 3
package crossfit

import "math"

// Counts are the weights of the outcomes of a binary task, by [Outcome].
type Counts [4]float64

// The outcomes.
const (
	TP = iota
	FP
	FN
	TN
)

// Outcome returns the outcome of an example.
func Outcome(positive, predicted bool) int {
	switch {
	case positive && predicted:
		return TP
	case predicted:
		return FP
	case positive:
		return FN
	}
	return TN
}

// Fold has the examples of a fold: as they are decided, and in bins of their scores, the highest scores first. All folds have
// the same bins, or none if they have no examples.
type Fold struct {
	Decided              Counts
	Positives, Negatives []float64
}

// Choice is a choice of a threshold.
type Choice struct {
	// Bin is the last bin that is predicted positive by what all folds choose; -1 if none is.
	Bin int
	// Before are the outcomes of the decisions of all folds, and After are the outcomes of the thresholds that other parts have
	// chosen. Each element of Without has both without one of the folds.
	Before, After Counts
	Without       []Pair
}

// Pair has the outcomes of decisions, and of thresholds.
type Pair struct{ Before, After Counts }

// Choose chooses the threshold of the highest value. Of equally good ones, it is the highest.
func Choose(folds []Fold, parts int, value func(*Counts) float64) Choice {
	c := Choice{Bin: best(folds, func(int) bool { return true }, value), Without: make([]Pair, len(folds))}
	after := make([]Counts, len(folds))
	for part := range parts {
		bin := best(folds, func(fold int) bool { return fold%parts != part }, value)
		for i := part; i < len(folds); i += parts {
			after[i] = folds[i].at(bin)
		}
	}
	for i := range folds {
		c.Before.add(&folds[i].Decided)
		c.After.add(&after[i])
	}
	for without := range folds {
		pair := &c.Without[without]
		for i := range folds {
			if i != without {
				pair.Before.add(&folds[i].Decided)
				pair.After.add(&after[i])
			}
		}
	}
	return c
}

func (c *Counts) add(more *Counts) {
	for i, w := range more {
		c[i] += w
	}
}

// at returns the outcomes if the bins up to the given one are predicted positive.
func (f *Fold) at(bin int) (c Counts) {
	for i, w := range f.Positives {
		c[Outcome(true, i <= bin)] += w
		c[Outcome(false, i <= bin)] += f.Negatives[i]
	}
	return c
}

// best returns the last bin to predict positive for the highest value in some folds.
func best(folds []Fold, some func(fold int) bool, value func(*Counts) float64) int {
	var positives, negatives []float64
	for i := range folds {
		if f := &folds[i]; some(i) && f.Positives != nil {
			positives, negatives = sum(positives, f.Positives), sum(negatives, f.Negatives)
		}
	}
	var c Counts
	for i, w := range positives {
		c[FN] += w
		c[TN] += negatives[i]
	}
	found, most := -1, value(&c)
	for i, w := range positives {
		c[TP], c[FN] = c[TP]+w, c[FN]-w
		c[FP], c[TN] = c[FP]+negatives[i], c[TN]-negatives[i]
		if v := value(&c); v > most || math.IsNaN(most) {
			found, most = i, v
		}
	}
	return found
}

func sum(a, b []float64) []float64 {
	if a == nil {
		return append(a, b...)
	}
	for i, w := range b {
		a[i] += w
	}
	return a
}
