package confidence

import (
	"math"

	"github.com/beameval/beameval/internal/elementary"
)

// Difference compares the values of a metric in two evaluations. Unknown numbers are NaN.
type Difference struct {
	Difference    float64 // the second value minus the first
	Low, High     float64 // its confidence interval
	StdError, DOF float64
	PValue        float64 // of the hypothesis that there is no difference
	Folds         int     // the number of replicates; for unpaired values, of the value with fewer
	NoInterval    string  // the reason for which there is neither interval nor PValue, or ""
}

// Paired compares values for the same examples in the same folds: repsA[i] and repsB[i] are the
// replicates without the i-th fold.
func Paired(a, b float64, repsA, repsB []float64, level float64) Difference {
	var room [usual]float64
	differences := room[:0]
	for i := range min(len(repsA), len(repsB)) {
		differences = append(differences, repsB[i]-repsA[i])
	}
	se, dof := Jackknife(differences)
	d := Difference{Difference: b - a, StdError: se, DOF: dof, Folds: len(differences)}
	return d.judge(obstacle(differences, se), level)
}

// Unpaired compares values for different examples. It uses Welch's degrees of freedom.
func Unpaired(a, b float64, repsA, repsB []float64, level float64) Difference {
	seA, dofA := Jackknife(repsA)
	seB, dofB := Jackknife(repsB)
	se := elementary.Hypot(seA, seB)
	shareA, shareB := seA/se, seB/se
	shareA, shareB = float64(shareA*shareA), float64(shareB*shareB)
	d := Difference{Difference: b - a, StdError: se, Folds: min(len(repsA), len(repsB))}
	d.DOF = 1 / (float64(shareA*shareA)/dofA + float64(shareB*shareB)/dofB)
	fewer := repsA
	if len(repsB) < len(repsA) {
		fewer = repsB
	}
	return d.judge(obstacle(fewer, se), level)
}

// judge completes a difference. obstacle is the reason for which its replicates are useless, or "".
func (d Difference) judge(obstacle string, level float64) Difference {
	d.Low, d.High, d.PValue = math.NaN(), math.NaN(), math.NaN()
	if math.IsNaN(d.Difference) {
		obstacle = Undefined
	}
	if d.NoInterval = obstacle; obstacle != "" {
		return d
	}
	half := float64(TQuantile(level, d.DOF) * d.StdError)
	if low, high := d.Difference-half, d.Difference+half; finite(low, high) {
		d.Low, d.High, d.PValue = low, high, PValue(d.Difference/d.StdError, d.DOF)
	} else {
		d.NoInterval = TooWide
	}
	return d
}
