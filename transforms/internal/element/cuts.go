package element

import (
	"cmp"
	"slices"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/transforms/input"
)

// Cut says where quantiles divide the numbers of a slice column.
type Cut struct {
	Column    string
	Quantiles int
	Bins      []float64 // see SliceColumn; nil until they are known
}

// Cuts holds the cuts of all quantiles of a job.
type Cuts struct{ List []Cut }

func cutsFields(c *wire.Coder, cuts *Cuts) {
	wire.List(c, &cuts.List, func(c *wire.Coder, cut *Cut) {
		wire.String(c, &cut.Column)
		wire.Int(c, &cut.Quantiles)
		wire.List(c, &cut.Bins, (*wire.Coder).Float)
	})
}

// Cuts returns the quantiles that the slices of a job ask for, sorted and without duplicates.
func (j *Job) Cuts() Cuts {
	var list []Cut
	for _, c := range slices.Concat(j.Slices...) {
		if c.Quantiles > 0 {
			list = append(list, Cut{Column: c.Column, Quantiles: c.Quantiles})
		}
	}
	order := func(a, b Cut) int {
		return cmp.Or(cmp.Compare(a.Column, b.Column), cmp.Compare(a.Quantiles, b.Quantiles))
	}
	slices.SortFunc(list, order)
	return Cuts{slices.CompactFunc(list, func(a, b Cut) bool { return order(a, b) == 0 })}
}

// WithCuts returns the job with bins instead of quantiles. cuts may be nil.
func (j Job) WithCuts(cuts *Cuts) Job {
	if cuts == nil {
		return j
	}
	sets := make([]input.Slice, len(j.Slices))
	for i, set := range j.Slices {
		sets[i] = slices.Clone(set)
		for k := range set {
			c := &sets[i][k]
			at := slices.IndexFunc(cuts.List, func(cut Cut) bool { return cut.Column == c.Column && cut.Quantiles == c.Quantiles })
			if at >= 0 {
				c.Bins, c.Quantiles = cuts.List[at].Bins, 0
			}
		}
	}
	j.Slices = sets
	return j
}
