package confidence

import (
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
)

// StratumOfOneGroup is the reason for which a value of a sample has no interval: a stratum whose rows are one group, such as
// a single row, does not show how much its rows differ.
const StratumOfOneGroup = "stratum of one group"

// OfDrawnRows is the reason for which a standard error has no interval, nor λ of a prediction-powered mean, if rows were drawn:
// folds do not show how uncertain a variance within strata is.
const OfDrawnRows = "of drawn rows"

// Sample describes a stratified sample: rows that were drawn at random within strata, and divided at random into folds, each
// of rows of one stratum. Its replicates give the standard error of a value of weights 1 / probability (Hájek).
//
// The value without fold g differs from the value θ by what the fold contributes: ε = (1 - ω) (θ - θ₋g), where ω is the fold's
// share of the weight (Campbell 1980; Berger & Skinner 2005). For a mean, ε is exactly Σ w (y - θ) / Σ w over the fold. So ε
// is 0 for a fold without rows of a slice, and the sum over a stratum h, ε_h = W_h (θ_h - θ) for a mean, is how much the
// stratum moves the value. With n_g of the n_h rows of the stratum in the fold, and N_h = Σ 1 / probability,
//
//	variance = Σ_h n_h / (n_h - Σ_g n_g²/n_h) Σ_g (ε_g - n_g/n_h ε_h)²  +  Σ_h ε_h² / N_h.
//
// The first term is the jackknife within strata (Rust & Rao 1996), without bias for means whatever the sizes of folds: where
// each row is a fold, it is Σ W_h² s_h² / n_h (Särndal, Swensson & Wretman 1992). The second is the variance between strata,
// Σ W_h (θ_h - θ)² / N for means: because the target is the process that made the N rows from which the sample was drawn.
// If the target is these N rows, Finite, the term of a stratum is multiplied by 1 - n_h / N_h, and there is no second.
type Sample struct {
	// By fold: its stratum, from 0; its rows; and the rows that these stand for, Σ 1 / probability.
	Stratum     []int
	Rows, Total []float64
	Finite      bool
}

// stratum is what the folds of a stratum have together.
type stratum struct {
	folds               int
	rows, total, square float64 // square is Σ n_g²
	moved               float64 // ε_h
	shift               float64 // of each fold, for the variance between strata
}

// strata adds up folds by stratum.
func (s *Sample) strata() []stratum {
	list := make([]stratum, slices.Max(s.Stratum)+1)
	for g, h := range s.Stratum {
		of, n := &list[h], s.Rows[g]
		of.folds++
		of.rows, of.total, of.square = of.rows+n, of.total+s.Total[g], of.square+float64(n*n)
	}
	return list
}

// Obstacle returns the reason for which the sample shows no standard errors, or "". Each stratum takes a degree of freedom.
func (s *Sample) Obstacle() string {
	if len(s.Stratum) == 0 {
		return FewFolds
	}
	strata := s.strata()
	switch {
	case slices.ContainsFunc(strata, func(h stratum) bool { return h.folds == 1 }):
		return StratumOfOneGroup
	case len(s.Stratum)-len(strata)+1 < MinFolds:
		return FewFolds
	}
	return ""
}

// Replicates returns replicates of a value, one for each fold: [Jackknife] computes the standard error of the sample from them.
// without has the values without each fold, and shares the fold's share of the weight. The replicates of a difference of two
// values with the same shares are the differences of their replicates. Obstacle must return "".
func (s *Sample) Replicates(value float64, without, shares []float64) []float64 {
	moved := make([]float64, len(without))
	for g, x := range without {
		moved[g] = float64((1 - shares[g]) * (value - x))
	}
	strata := s.moving(moved)
	deviations := s.within(strata, moved, func(h *stratum) float64 {
		if s.Finite {
			return math.Sqrt(h.others())
		}
		return 1
	})
	if !s.Finite {
		s.shift(strata, deviations)
	}
	return replicatesOf(sum(without)/float64(len(without)), deviations) // the mean has the bias
}

// Powered returns replicates of a prediction-powered mean, if all rows have a judgement and those that were drawn a label:
// see package ppi for the variance, and for κ and ratio. labels and judgements have what each fold contributes to the mean of
// labels and to the mean of judgements. The first replicates, one for each fold, have the variance of what rows with a label
// contribute, and the variance between strata. The others, as many, have the variance that judgements of rows without a
// label have within strata; there are none if Finite. Obstacle must return "".
func (s *Sample) Powered(value, kappa, ratio float64, labels, judgements []float64) []float64 {
	strata := s.moving(labels)
	contribute := func(share func(h *stratum) float64) []float64 {
		moved, of := make([]float64, len(labels)), make([]float64, len(strata))
		for h := range strata {
			of[h] = float64(kappa * share(&strata[h]))
		}
		for g, h := range s.Stratum {
			moved[g] = labels[g] - float64(of[h]*judgements[g])
		}
		return moved
	}
	if s.Finite {
		moved := contribute(func(*stratum) float64 { return 1 })
		return replicatesOf(value, s.within(s.moving(moved), moved, func(h *stratum) float64 { return math.Sqrt(h.others()) }))
	}
	moved := contribute((*stratum).others)
	deviations := s.within(s.moving(moved), moved, func(*stratum) float64 { return 1 })
	s.shift(strata, deviations)
	return replicatesOf(value, append(deviations, s.within(s.moving(judgements), judgements, func(h *stratum) float64 {
		return float64(kappa * math.Sqrt(float64((1-h.others())*h.others())*ratio))
	})...))
}

// moving adds up folds by stratum; moved has what each contributes.
func (s *Sample) moving(moved []float64) []stratum {
	strata := s.strata()
	totals := make([]exact.Sum, len(strata))
	for g, x := range moved {
		totals[s.Stratum[g]].Add(x)
	}
	for h := range strata {
		strata[h].moved = totals[h].Float64()
	}
	return strata
}

// others returns the share of the stratum that was not drawn.
func (h *stratum) others() float64 { return max(1-h.rows/h.total, 0) }

// within returns, for each fold, how it deviates from its stratum, times a factor of the stratum. The squares of the deviations
// add up to the variance within strata.
func (s *Sample) within(strata []stratum, moved []float64, factor func(h *stratum) float64) []float64 {
	deviations := make([]float64, len(moved))
	for g, h := range s.Stratum {
		of, n := &strata[h], s.Rows[g]
		deviation := float64(math.Sqrt(of.rows/(of.rows-of.square/of.rows)) * (moved[g] - float64(n/of.rows*of.moved)))
		deviations[g] = float64(deviation * factor(of))
	}
	return deviations
}

// shift adds the variance between strata to the deviations of folds.
func (s *Sample) shift(strata []stratum, deviations []float64) {
	shift(strata, float64(len(deviations)))
	for g, h := range s.Stratum {
		deviations[g] += strata[h].shift
	}
}

// replicatesOf returns the replicates of a value that has the deviations, in their memory.
func replicatesOf(centre float64, deviations []float64) []float64 {
	m := float64(len(deviations))
	for g, deviation := range deviations {
		deviations[g] = centre - float64(math.Sqrt(m/(m-1))*deviation)
	}
	return deviations
}

// shift finds by how much the folds of each stratum are shifted, so that the squares of the shifts add up to Σ ε_h² / N_h and
// the shifts to 0: a reflection turns the vector of ε_h / √N_h, which is orthogonal to the vector of √N_h, into one that is
// orthogonal to the vector of the roots of the numbers of folds. It is linear in ε.
func shift(strata []stratum, folds float64) {
	all := 0.0
	for _, h := range strata {
		all += h.total
	}
	length, along := 0.0, 0.0
	axis := make([]float64, len(strata))
	for i, h := range strata {
		axis[i] = math.Sqrt(h.total/all) - math.Sqrt(float64(h.folds)/folds)
		length += float64(axis[i] * axis[i])
		along += float64(axis[i] * (h.moved / math.Sqrt(h.total)))
	}
	for i := range strata {
		h := &strata[i]
		h.shift = h.moved / math.Sqrt(h.total)
		if length > 0 {
			h.shift -= float64(2 * along / length * axis[i])
		}
		h.shift /= math.Sqrt(float64(h.folds))
	}
}
