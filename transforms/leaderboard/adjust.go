package leaderboard

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/lists"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/leaderboard"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/multiple"
)

// member is a difference that is adjusted with others.
type member struct {
	of     *pair
	change *changes.Change
	key    string // its place
	// low and high are the names of both systems in alphabetical order. reversed says that the
	// difference is low − high. So results do not depend on the order of the systems.
	low, high string
	reversed  bool
}

// family identifies differences that are adjusted together.
type family struct {
	name    string // of a metric; "" for all headline metrics
	overall bool
}

// adjust adjusts the p-values of pairs over all of them: for each metric, those of all examples
// together, and those of all slices. If asked, the headline metrics are adjusted together.
func (s *set) adjust(pairs []*pair) error {
	adjust := map[changes.Adjustment]func([]float64) []float64{
		changes.BenjaminiHochberg: confidence.BenjaminiHochberg,
		changes.Holm:              confidence.Holm,
		changes.Unadjusted:        slices.Clone[[]float64],
	}[s.Adjust]
	for _, members := range s.families(pairs) {
		p := lists.Map(members, func(m member) float64 { return m.change.PValue })
		var adjusted []float64
		if s.Adjust == leaderboard.MaxT {
			var err error
			if adjusted, err = maxT(members, p); err != nil {
				return err
			}
		} else {
			adjusted = adjust(p)
		}
		for i, m := range members {
			m.change.PAdjusted = adjusted[i]
		}
	}
	return nil
}

// families returns the differences of pairs that have p-values, in families whose members are
// sorted by metric, place and the names of the systems.
func (s *set) families(pairs []*pair) (list [][]member) {
	headline, at := lists.Set(slices.Values(s.Headline)), map[family]int{}
	for _, p := range pairs {
		a, b := s.systems[p.a].Name, s.systems[p.b].Name
		for i := range p.Changes {
			d := &p.Changes[i]
			if math.IsNaN(d.PValue) {
				continue
			}
			f := family{d.Name, len(d.Slice) == 0}
			if s.OverMetrics && headline[d.Name] {
				f.name = ""
			}
			if _, met := at[f]; !met {
				at[f], list = len(list), append(list, nil)
			}
			key := (&report.Row{Name: d.Name, Slice: d.Slice, Label: d.Label}).Key()
			list[at[f]] = append(list[at[f]], member{p, d, string(key), min(a, b), max(a, b), a > b})
		}
	}
	for _, members := range list {
		slices.SortFunc(members, func(x, y member) int {
			return cmp.Or(cmp.Compare(x.change.Name, y.change.Name), cmp.Compare(x.key, y.key), cmp.Compare(x.low, y.low), cmp.Compare(x.high, y.high))
		})
	}
	return list
}

// mostTogether is the greatest number of differences of which max-T can know the joint distribution.
const mostTogether = 2000

// seedOfMaxT is the seed of the random numbers of max-T.
const seedOfMaxT = 1

// maxT adjusts p-values by the joint distribution of their differences.
func maxT(members []member, p []float64) ([]float64, error) {
	if n := len(members); n > mostTogether {
		return nil, fmt.Errorf("maxt adjusts at most %d differences together, but there are %d of %s in slices and labels: use holm, fewer slices or fewer systems", mostTogether, n, members[0].change.Name)
	}
	replicates := make([][]float64, len(members))
	for i, m := range members {
		if m.change.Pairing != changes.Paired {
			return nil, errNoPair
		}
		replicates[i] = m.of.Replicates(m.change)
		for j := range replicates[i] {
			if m.reversed {
				replicates[i][j] = -replicates[i][j]
			}
		}
	}
	return multiple.MaxT(p, multiple.Covariance(replicates), seedOfMaxT), nil
}
