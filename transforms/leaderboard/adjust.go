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
// together, and those of all slices. If asked, the headline metrics are adjusted together. what are
// the differences of the pairs for people.
func (s *set) adjust(ctx context.Context, pairs []*pair, what string) error {
	adjust := map[changes.Adjustment]func([]float64) []float64{
		changes.BenjaminiHochberg: confidence.BenjaminiHochberg,
		changes.Holm:              confidence.Holm,
		changes.Unadjusted:        slices.Clone[[]float64],
		leaderboard.MaxT:          confidence.Holm, // of families for which max-T is impossible
	}[s.Adjust]
	all := s.families(pairs)
	err := each(ctx, all, func(members []member) error {
		p := lists.Map(members, func(m member) float64 { return m.change.PValue })
		adjusted := adjust(p)
		if s.Adjust == leaderboard.MaxT && impossible(members) == "" {
			adjusted = maxT(members, p)
		}
		for i, m := range members {
			m.change.PAdjusted = adjusted[i]
		}
		return nil
	})
	if s.Adjust == leaderboard.MaxT {
		s.warnOfHolm(all, what)
	}
	return err
}

// warnOfHolm adds warnings of the families that Holm's method adjusts instead of max-T.
func (s *set) warnOfHolm(all [][]member, what string) {
	first, count := map[string]string{}, map[string]int{} // by why
	for _, members := range all {
		why := impossible(members)
		first[why] = cmp.Or(first[why], members[0].change.Name)
		count[why]++
	}
	for _, why := range []string{unpaired, tooMany} {
		if n := count[why]; n > 0 {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s: holm, which finds no more, adjusts %s%s instead in %s, the first of %s",
				why, what, onData(s.systems[0].Data), familiesOf(n), first[why]))
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

// Why max-T cannot adjust a family.
const (
	unpaired = "maxt needs reports that can be paired"
	tooMany  = "maxt adjusts at most 2,000 differences together" // mostTogether
)

// impossible returns why max-T cannot adjust the members of a family, or "".
func impossible(members []member) string {
	switch {
	case slices.ContainsFunc(members, func(m member) bool { return m.change.Pairing != changes.Paired }):
		return unpaired
	case len(members) > mostTogether:
		return tooMany
	}
	return ""
}

// seedOfMaxT is the seed of the random numbers of max-T.
const seedOfMaxT = 1

// maxT adjusts p-values by the joint distribution of their differences.
func maxT(members []member, p []float64) []float64 {
	replicates := make([][]float64, len(members))
	for i, m := range members {
		replicates[i] = m.of.Replicates(m.change)
		for j := range replicates[i] {
			if m.reversed {
				replicates[i][j] = -replicates[i][j]
			}
		}
	}
	return multiple.MaxT(p, multiple.Covariance(replicates), seedOfMaxT)
}
