package metrics

import "math"

// Propensity is how likely it is that a label that is true of an example is
// marked as true, depending on how frequent the label is: of a label that is true
// of n among N examples
//
//	1 / (1 + C (n + B)^-A)  with  C = (log N - 1) (B + 1)^A
//
// as in Jain, Prabhu & Varma 2016, where A = 0.55 and B = 1.5. For fewer than
// three examples C would be negative; it is 0 then.
type Propensity struct {
	A, B        float64
	Frequencies LabelFrequencies `json:"-"` // large, and known only when folding
}

// LabelFrequencies says of how many of so many examples each label is true;
// labels that are not in Count are true of none.
type LabelFrequencies struct {
	Examples int64
	Count    map[int32]int64
}

// inverse returns the inverse propensities of labels.
func (p *Propensity) inverse() func(label int32) float64 {
	c := max(math.Log(float64(p.Frequencies.Examples))-1, 0) * math.Pow(p.B+1, p.A)
	return func(label int32) float64 {
		return 1 + float64(c*math.Pow(float64(p.Frequencies.Count[label])+p.B, -p.A))
	}
}

// CountLabels returns how many of the examples of part, folded with decisions,
// each label is true of, whatever their weights.
func CountLabels(part *Partial) LabelFrequencies {
	f := LabelFrequencies{Examples: part.Examples(), Count: make(map[int32]int64)}
	if s, ok := part.stats[kindLabelCounts].(*labelCounts); ok {
		for label, o := range s.all() {
			if n := o.tp.Rows() + o.fn.Rows(); n > 0 {
				f.Count[int32(label)] = n
			}
		}
	}
	return f
}
