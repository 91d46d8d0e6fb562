package comparison

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/multiplecomparisons"
)

// member is a difference that is adjusted with others: its pair, and its index there.
type member struct{ pair, at int32 }

func (m member) of(pairs []*pair) *packed { return &pairs[m.pair].list[m.at] }

// family identifies differences that are adjusted together.
type family struct {
	name    string // of a metric; "" for all headline metrics
	overall bool
}

// adjust adjusts the p-values over all pairs. Each metric has two families: its differences in the
// overall slice, and its differences in all other slices. If asked, the headline metrics are one
// family. adjust adds the metrics of the families that max-T cannot adjust to byHolm, by why.
func (s *set) adjust(ctx context.Context, pairs []*pair, byHolm map[string][]string) error {
	all := s.families(pairs)
	err := each(ctx, all, func(members []member) error {
		s.adjustFamily(pairs, members)
		return nil
	})
	for _, members := range all {
		if s.Adjust == comparison.MaxT {
			why := impossible(pairs, members)
			byHolm[why] = append(byHolm[why], s.places[members[0].of(pairs).place].Name)
		}
	}
	return err
}

// adjustments adjust p-values for their number.
var adjustments = map[comparison.Adjustment]func([]float64) []float64{
	comparison.BenjaminiHochberg: confidence.BenjaminiHochberg,
	comparison.Holm:              confidence.Holm,
	comparison.Unadjusted:        slices.Clone[[]float64],
	comparison.MaxT:              confidence.Holm, // of families for which max-T is impossible
}

// adjustFamily adjusts the p-values of the members of a family.
func (s *set) adjustFamily(pairs []*pair, members []member) {
	p := make([]float64, len(members))
	for i, m := range members {
		p[i] = m.of(pairs).pValue
	}
	adjusted := adjustments[s.Adjust](p)
	if s.Adjust == comparison.MaxT && impossible(pairs, members) == "" {
		adjusted = s.maxT(pairs, members, p)
	}
	for i, m := range members {
		m.of(pairs).pAdjusted = adjusted[i]
	}
}

// warnOfHolm adds warnings of families that Holm's method adjusts instead of max-T: their metrics, by why.
// what are their differences for people.
func (s *set) warnOfHolm(metrics map[string][]string, what string) {
	for _, why := range []string{unpaired, tooMany} {
		if of := metrics[why]; len(of) > 0 {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s: holm, which finds no more, adjusts %s%s instead in %s, the first of %s",
				why, what, onData(s.systems[0].Data), familiesOf(len(of)), of[0]))
		}
	}
}

// familiesOf formats a number of families.
func familiesOf(n int) string {
	if n == 1 {
		return "1 family"
	}
	return fmt.Sprintf("%d families", n)
}

func onData(data string) string {
	if data == "" {
		return ""
	}
	return " on " + data
}

// families returns the differences of pairs that have p-values, in families whose members are
// sorted by metric, place and the names of the systems.
func (s *set) families(pairs []*pair) [][]member {
	headline := collections.Set(slices.Values(s.Headline))
	numbers, of := map[family]int{}, make([]int, len(s.places)) // by place
	for i := range s.places {
		f := s.familyOf(&s.places[i], headline)
		if _, met := numbers[f]; !met {
			numbers[f] = len(numbers)
		}
		of[i] = numbers[f]
	}
	list, counts := make([][]member, len(numbers)), make([]int, len(numbers))
	var met []int // families, in the order in which pairs have them
	eachTested(pairs, func(m member, place int32) {
		if counts[of[place]]++; counts[of[place]] == 1 {
			met = append(met, of[place])
		}
	})
	eachTested(pairs, func(m member, place int32) {
		f := of[place]
		if list[f] == nil {
			list[f] = make([]member, 0, counts[f])
		}
		list[f] = append(list[f], m)
	})
	byName := ranksOf(len(pairs), func(i, j int) int {
		x, y := pairs[i], pairs[j]
		return cmp.Or(cmp.Compare(min(x.nameA, x.nameB), min(y.nameA, y.nameB)), cmp.Compare(max(x.nameA, x.nameB), max(y.nameA, y.nameB)))
	})
	for _, members := range list {
		slices.SortFunc(members, func(x, y member) int {
			return cmp.Or(cmp.Compare(s.byMetric[x.of(pairs).place], s.byMetric[y.of(pairs).place]), cmp.Compare(byName[x.pair], byName[y.pair]))
		})
	}
	return collections.Map(met, func(f int) []member { return list[f] })
}

// familyOf returns the family of the differences of a place.
func (s *set) familyOf(at *report.Row, headline map[string]bool) family {
	f := family{at.Name, len(at.Slice) == 0}
	if s.OverMetrics && headline[at.Name] {
		f.name = ""
	}
	return f
}

// eachTested calls do with the differences that have p-values.
func eachTested(pairs []*pair, do func(m member, place int32)) {
	for i, p := range pairs {
		for at := range p.list {
			if d := &p.list[at]; !math.IsNaN(d.pValue) {
				do(member{int32(i), int32(at)}, d.place)
			}
		}
	}
}

// mostTogether is the greatest number of differences whose joint distribution max-T computes.
const mostTogether = 2000

// Why max-T cannot adjust a family.
const (
	unpaired = "maxt needs reports that can be paired"
	tooMany  = "maxt adjusts at most 2,000 differences together" // mostTogether
)

// impossible returns why max-T cannot adjust the members of a family, or "".
func impossible(pairs []*pair, members []member) string {
	switch {
	case slices.ContainsFunc(members, func(m member) bool { return pairings[m.of(pairs).pairing] != comparison.Paired }):
		return unpaired
	case len(members) > mostTogether:
		return tooMany
	}
	return ""
}

// seedOfMaxT is the seed of the random numbers of max-T.
const seedOfMaxT = 1

// maxT adjusts p-values by the joint distribution of their differences. The order of the systems of a
// pair does not matter: its difference is the first in alphabetical order − the other.
func (s *set) maxT(pairs []*pair, members []member, p []float64) []float64 {
	replicates := make([][]float64, len(members))
	for i, m := range members {
		of, place := pairs[m.pair], m.of(pairs).place
		replicates[i] = of.replicates(s.row(of.a, place), s.row(of.b, place))
		for j := range replicates[i] {
			if of.nameA > of.nameB {
				replicates[i][j] = -replicates[i][j]
			}
		}
	}
	return multiplecomparisons.MaxT(p, multiplecomparisons.Covariance(replicates), seedOfMaxT)
}

// coarse is a number of standard errors: if Holm needs a difference that is larger by more than
// this only because there are few groups, a warning is worthwhile.
const coarse = 1. / 3

// ofHolm says what Holm's adjustment of two reports misses because there are few groups: the tails of
// Student's t are heavier the farther out they are, where the p-values of many differences have to be.
func (s *set) ofHolm(p *pair) []string {
	var largest report.Row
	n, dof := 0, 0.0
	for _, members := range s.families([]*pair{p}) {
		at, tested, most := s.places[p.list[members[0].at].place], len(members), 0.0
		for _, m := range members {
			most = max(most, p.list[m.at].dof)
		}
		if tested > n || tested == n && (at.Name < largest.Name || at.Name == largest.Name && len(at.Slice) == 0) {
			largest, n, dof = at, tested, most
		}
	}
	if n < 2 {
		return nil
	}
	level := 1 - (1-p.Level)/float64(n)
	few, many := confidence.TQuantile(level, dof), confidence.NormalQuantile(level)
	if few-many < coarse {
		return nil
	}
	return []string{fmt.Sprintf("holm adjusts %d differences of %s together: with %d groups, one is shown from %.1f standard errors on; with many groups, from %.1f on. Evaluate with more confidence.groups, or use bh",
		n, largest.Name, min(p.A.Groups, p.B.Groups), few, many)}
}
