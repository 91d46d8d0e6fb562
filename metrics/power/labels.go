package power

import "math"

// Judge says what the judgements of a model are worth beside labels of people, which few rows have. The estimate of
// the mean of all labels is prediction-powered (PPI++, Angelopoulos, Duchi & Zrnic 2023).
type Judge struct {
	Rows        float64 // N, all rows with a judgement
	Correlation float64 // ρ, of labels and judgements
	// Spread is the standard deviation of judgements divided by the labels'. It is above 0 if Correlation is.
	Spread float64
}

// Spread returns the Spread of the judge of an estimate from n labels of all rows. lambda is how far the estimate trusts
// judgements, and narrowing its variance divided by the variance from the labels alone, or NaN if it is unknown.
//
// λ is ρ (N - n) / (s N) of the spread s, or 1 if that is more; then s follows from the variance 1 + s² N / (N - n) - 2 ρ s.
func Spread(correlation, rows, n, lambda, narrowing float64) float64 {
	times := rows / (rows - n)
	if lambda < 1 || math.IsNaN(narrowing) {
		return correlation / (lambda * times)
	}
	return (correlation - math.Sqrt(max(float64(correlation*correlation)-float64(times*(1-narrowing)), 0))) / times
}

// Variance returns the variance of the estimate from n labels, at most N, divided by the variance of a label. It falls with
// each label, and is 1/n if the judge is worth nothing. Where λ is below 1, it is (1 - ρ² (1 - n/N)) / n.
func (j Judge) Variance(n float64) float64 {
	if !(j.Correlation > 0) || n >= j.Rows {
		return 1 / n
	}
	left := j.Rows - n
	trusted := min(j.Correlation*left/j.Rows, j.Spread) // λ s
	return (1-float64(2*trusted*j.Correlation)+float64(trusted*trusted))/n + float64(trusted*trusted)/left
}

// CheapestShare returns the share of the rows to label for which an interval of any width costs least, if all rows are
// judged: n/N = min(1, √((1 - ρ²) c_f / (ρ² c_y))), of the costs c_y of a label and c_f of a judgement. It is the share that
// makes ((1 - ρ²)/n + ρ²/N) (c_y n + c_f N) least, the variance times the cost, where λ is below 1.
func (j Judge) CheapestShare(label, judgement float64) float64 {
	if !(j.Correlation > 0) {
		return 1
	}
	squared := float64(j.Correlation * j.Correlation)
	return min(1, math.Sqrt((1-squared)/squared*(judgement/label)))
}

// ByChance returns how large the correlation of n pairs is that have nothing to do with each other: its standard deviation,
// about 1/√(n - 2).
func ByChance(n float64) float64 {
	if n <= 2 {
		return 1
	}
	return 1 / math.Sqrt(n-2)
}
