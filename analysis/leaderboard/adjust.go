package leaderboard

import (
	"cmp"
	"context"
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

// member is a difference that is adjusted with others: its pair, and its index there.
type member struct{ pair, at int32 }

// family identifies differences that are adjusted together.
type family struct {
	name    string // of a metric; "" for all headline metrics
	overall bool
}

// adjust adjusts the p-values over all pairs. Each metric has two families: its differences in the
// overall slice, and its differences in all other slices. If asked, the headline metrics are one
// family. adjust adds the families that max-T cannot adjust to byHolm.
func (s *set) adjust(ctx context.Context, pairs []*pair, byHolm *holmed) error {
	adjust := map[changes.Adjustment]func([]float64) []float64{
		changes.BenjaminiHochberg: confidence.BenjaminiHochberg,
		changes.Holm:              confidence.Holm,
		changes.Unadjusted:        slices.Clone[[]float64],
		leaderboard.MaxT:          confidence.Holm, // of families for which max-T is impossible
	}[s.Adjust]
	all := s.families(pairs)
	err := each(ctx, all, func(members []member) error {
		p := make([]float64, len(members))
		for i, m := range members {
			p[i] = pairs[m.pair].PValue(int(m.at))
		}
		adjusted := adjust(p)
		if s.Adjust == leaderboard.MaxT && impossible(pairs, members) == "" {
			adjusted = s.maxT(pairs, members, p)
		}
		for i, m := range members {
			pairs[m.pair].Adjust(int(m.at), adjusted[i])
		}
		return nil
	})
	for _, members := range all {
		if s.Adjust == leaderboard.MaxT {
			m := members[0]
			byHolm.add(impossible(pairs, members), s.places.Rows[pairs[m.pair].Place(int(m.at))].Name)
		}
	}
	return err
}

// holmed are families that Holm's method adjusts instead of max-T, by why.
type holmed struct {
	first map[string]string // the metric of the first of them
	count map[string]int
}

func newHolmed() *holmed { return &holmed{map[string]string{}, map[string]int{}} }

func (h *holmed) add(why, metric string) {
	h.first[why] = cmp.Or(h.first[why], metric)
	h.count[why]++
}

// warnOfHolm adds warnings of families. what are their differences for people.
func (s *set) warnOfHolm(of *holmed, what string) {
	for _, why := range []string{unpaired, tooMany} {
		if n := of.count[why]; n > 0 {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s: holm, which finds no more, adjusts %s%s instead in %s, the first of %s",
				why, what, onData(s.systems[0].Data), familiesOf(n), of.first[why]))
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
	headline := lists.Set(slices.Values(s.Headline))
	numbers, of := map[family]int{}, make([]int, len(s.places.Rows)) // by place
	for i := range s.places.Rows {
		f := s.familyOf(&s.places.Rows[i], headline)
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
		return cmp.Or(cmp.Compare(min(x.SystemA, x.SystemB), min(y.SystemA, y.SystemB)), cmp.Compare(max(x.SystemA, x.SystemB), max(y.SystemA, y.SystemB)))
	})
	for _, members := range list {
		slices.SortFunc(members, func(x, y member) int {
			placeX, placeY := pairs[x.pair].Place(int(x.at)), pairs[y.pair].Place(int(y.at))
			return cmp.Or(cmp.Compare(s.byMetric[placeX], s.byMetric[placeY]), cmp.Compare(byName[x.pair], byName[y.pair]))
		})
	}
	return lists.Map(met, func(f int) []member { return list[f] })
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
		for at := range p.Len() {
			if !math.IsNaN(p.PValue(at)) {
				do(member{int32(i), int32(at)}, p.Place(at))
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
	case slices.ContainsFunc(members, func(m member) bool { return pairs[m.pair].Change(int(m.at)).Pairing != changes.Paired }):
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
		of := pairs[m.pair]
		place := of.Place(int(m.at))
		replicates[i] = of.Replicates(s.row(of.a, place), s.row(of.b, place))
		for j := range replicates[i] {
			if of.SystemA > of.SystemB {
				replicates[i][j] = -replicates[i][j]
			}
		}
	}
	return multiple.MaxT(p, multiple.Covariance(replicates), seedOfMaxT)
}
