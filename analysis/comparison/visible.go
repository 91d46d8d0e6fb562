package comparison

import (
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/power"
)

// Worsening returns what a change for the worse of a metric is.
func Worsening(better metrics.Better) differences.Worsening {
	switch better {
	case metrics.Higher:
		return differences.Drop
	case metrics.Lower:
		return differences.Rise
	}
	return differences.Either
}

// sizes returns the number of differences that are adjusted together, by family.
func (s *set) sizes(pairs []*pair) map[family]int {
	headline, sizes := collections.Set(slices.Values(s.Headline)), map[family]int{}
	for _, members := range s.families(pairs) {
		sizes[s.familyOf(&s.places[members[0].of(pairs).place], headline)] = len(members)
	}
	return sizes
}

// visible says what the comparison of a pair, whose differences are judged, could have shown of those of some metrics that
// do not differ significantly over all examples. sizes are of the families of all pairs.
func (s *set) visible(p *pair, names []string, sizes map[family]int) (list []comparison.Visible) {
	headline, examples := collections.Set(slices.Values(s.Headline)), s.systems[p.b].Report.Examples
	overall := map[string]int{}
	for i := range p.list {
		if at := &s.places[p.list[i].place]; len(at.Slice) == 0 && at.Label == nil {
			overall[at.Name] = i
		}
	}
	for _, name := range names {
		i, has := overall[name]
		if !has || verdicts[p.list[i].verdict] != comparison.NoSignificantChange {
			continue
		}
		d := p.change(i)
		together := sizes[s.familyOf(&s.places[p.list[i].place], headline)]
		if s.Adjust == comparison.Unadjusted {
			together = 1
		}
		test := power.Test{Level: 1 - (1-p.Level)/float64(together), DOF: d.DOF}
		v := comparison.Visible{Metric: name, Direction: Worsening(p.better(name)), Drop: test.Effect(d.StdError, power.Usual), Needed: math.NaN()}
		if d.Difference != 0 {
			v.Needed = test.Examples(float64(examples), d.StdError, math.Abs(d.Difference), power.Usual)
		}
		list = append(list, v)
	}
	return list
}
