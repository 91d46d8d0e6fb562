package shuffle

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
	// Whole is the largest number of different numbers that are not divided. Bins are then nil.
	Whole int
	Bins  []float64 // see SliceColumn; nil until they are known
}

// Cuts holds the cuts of all quantiles of a job.
type Cuts struct{ List []Cut }

func cutsFields(c *wire.Coder, cuts *Cuts) {
	wire.List(c, &cuts.List, func(c *wire.Coder, cut *Cut) {
		wire.String(c, &cut.Column)
		wire.Int(c, &cut.Quantiles)
		wire.Int(c, &cut.Whole)
		wire.List(c, &cut.Bins, (*wire.Coder).Float)
	})
}

// Cuts returns the quantiles that the slices and the search of a job ask for, sorted and without
// duplicates.
func (j *Job) Cuts() Cuts {
	var list []Cut
	add := func(columns []input.SliceColumn, whole int) {
		for _, c := range columns {
			if c.Quantiles > 0 {
				list = append(list, Cut{Column: c.Column, Quantiles: c.Quantiles, Whole: whole})
			}
		}
	}
	add(slices.Concat(j.Slices...), 0)
	if j.Search != nil {
		add(j.Search.Columns, j.Search.MostValues)
	}
	order := func(a, b Cut) int {
		return cmp.Or(cmp.Compare(a.Column, b.Column), cmp.Compare(a.Quantiles, b.Quantiles), cmp.Compare(a.Whole, b.Whole))
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
		sets[i] = cuts.divide(set, 0)
	}
	j.Slices = sets
	if j.Search != nil {
		search := *j.Search
		search.Columns = cuts.divide(search.Columns, search.MostValues)
		j.Search = &search
	}
	return j
}

// divide returns columns with bins instead of quantiles.
func (cuts *Cuts) divide(columns []input.SliceColumn, whole int) []input.SliceColumn {
	columns = slices.Clone(columns)
	for k := range columns {
		c := &columns[k]
		at := slices.IndexFunc(cuts.List, func(cut Cut) bool {
			return cut.Column == c.Column && cut.Quantiles == c.Quantiles && cut.Whole == whole
		})
		if at >= 0 {
			c.Bins, c.Quantiles = cuts.List[at].Bins, 0
		}
	}
	return columns
}
