package comparison

import (
	"fmt"
	"math"

	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/metrics/confidence"
)

// families returns the indices of the changes that are adjusted together. A metric has two
// families: its changes in the overall slice, and its changes in other slices; each includes
// labels.
func families(c *comparison.Comparison) map[family][]int {
	list := map[family][]int{}
	for i := range c.Changes {
		f := family{c.Changes[i].Name, len(c.Changes[i].Slice) == 0}
		list[f] = append(list[f], i)
	}
	return list
}

type family struct {
	name    string
	overall bool
}

// adjustAll adjusts the p-values of each family.
func adjustAll(c *comparison.Comparison) {
	adjust := map[comparison.Adjustment]func([]float64) []float64{
		comparison.BenjaminiHochberg: confidence.BenjaminiHochberg,
		comparison.Holm:              confidence.Holm,
		comparison.Unadjusted:        func(p []float64) []float64 { return p },
	}[c.Adjust]
	for _, members := range families(c) {
		p := make([]float64, len(members))
		for i, at := range members {
			p[i] = c.Changes[at].PValue
		}
		for i, adjusted := range adjust(p) {
			c.Changes[members[i]].PAdjusted = adjusted
		}
	}
}

// coarse is a number of standard errors: if Holm needs a difference that is larger by more than
// this only because there are few groups, a warning is worthwhile.
const coarse = 1. / 3

// ofHolm says what Holm's adjustment misses because there are few groups: the tails of Student's t
// are heavier the farther out they are, where the p-values of many differences have to be.
func ofHolm(c *comparison.Comparison) []string {
	var largest family
	n, dof := 0, 0.0
	for f, members := range families(c) {
		tested, most := 0, 0.0
		for _, at := range members {
			if d := &c.Changes[at]; !math.IsNaN(d.PValue) {
				tested, most = tested+1, max(most, d.DOF)
			}
		}
		if tested > n || tested == n && (f.name < largest.name || f.name == largest.name && f.overall) {
			largest, n, dof = f, tested, most
		}
	}
	if n < 2 {
		return nil
	}
	level := 1 - (1-c.Level)/float64(n)
	few, many := confidence.TQuantile(level, dof), confidence.NormalQuantile(level)
	if few-many < coarse {
		return nil
	}
	return []string{fmt.Sprintf("holm adjusts %d differences of %s together: with %d groups, one is shown from %.1f standard errors on; with many groups, from %.1f on. Evaluate with more confidence.groups, or use bh",
		n, largest.name, min(c.A.Groups, c.B.Groups), few, many)}
}
