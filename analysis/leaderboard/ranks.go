package leaderboard

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/leaderboard"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/multiple"
)

// missingRow is the reason of a rank if the report of a system lacks the metric in a slice.
const missingRow = "not in the report"

// mostRanked is the greatest number of differences that are tested for ranks in slices and labels.
const mostRanked = 1_000_000

// rank adds the ranks of the systems: by the headline metrics, for all examples and in each slice,
// and by the best-known metrics of labels. They follow from the differences of all pairs, adjusted
// over all pairs.
func (s *set) rank(ctx context.Context) error {
	places := s.ranked(true)
	n := len(s.systems) * (len(s.systems) - 1) / 2
	if found := len(places) * n; found > mostRanked {
		s.Warnings = append(s.Warnings, fmt.Sprintf("systems are ranked for all examples only: ranks in slices and labels would need %d tests, more than %d", found, mostRanked))
		places = s.ranked(false)
	}
	pairs, byHolm := s.pairs(true), newHolmed()
	before := len(s.Ranks)
	s.Ranks = append(s.Ranks, make([]leaderboard.Rank, len(places)*len(s.systems))...)
	for _, group := range s.together(places) {
		some := lists.Map(group, func(i int) int32 { return places[i] })
		if err := s.test(ctx, pairs, some); err != nil {
			return err
		}
		if err := s.adjust(ctx, pairs, byHolm); err != nil {
			return err
		}
		of := map[[2]int]*pair{}
		for _, p := range pairs {
			p.judge()
			of[[2]int{p.a, p.b}] = p
		}
		for _, i := range group {
			copy(s.Ranks[before+i*len(s.systems):], s.ranksAt(places[i], pairs[0].Better(s.places.Rows[places[i]].Name), of))
		}
	}
	s.warnOfHolm(byHolm, "ranks")
	return nil
}

// together groups the indices of places by family, so that only one family's differences are in
// memory at a time.
func (s *set) together(places []int32) (groups [][]int) {
	headline, at := lists.Set(slices.Values(s.Headline)), map[family]int{}
	for i, place := range places {
		f := s.familyOf(&s.places.Rows[place], headline)
		if _, met := at[f]; !met {
			at[f], groups = len(groups), append(groups, nil)
		}
		groups[at[f]] = append(groups[at[f]], i)
	}
	return groups
}

// ranksAt returns the ranks at a place, given all pairs by the indices of their systems.
func (s *set) ranksAt(place int32, better metrics.Better, of map[[2]int]*pair) []leaderboard.Rank {
	r := ranking{systems: s.systems, better: better, place: s.places.Rows[place]}
	for i := range s.systems {
		r.rows = append(r.rows, s.row(i, place))
	}
	r.change = func(i, j int) (d changes.Change, reversed bool) {
		p, met := of[[2]int{i, j}]
		if !met {
			p = of[[2]int{j, i}]
		}
		index, _ := p.Find(place) // as i or j has a value
		return p.Change(index), !met
	}
	return r.ranks()
}

// ranked returns the places at which systems are ranked.
func (s *set) ranked(everywhere bool) []int32 {
	ofLabels := map[string]bool{}
	for i := range s.places.Rows {
		if row := &s.places.Rows[i]; len(row.Slice) == 0 && row.Label != nil {
			ofLabels[row.Name] = true
		}
	}
	headline := lists.Set(slices.Values(s.Headline))
	known := lists.Set(slices.Values(report.LabelHeadlines(asked(s.systems[s.reference].Report), slices.Sorted(maps.Keys(ofLabels)))))
	return s.placesOf(func(row *report.Row) bool {
		overall := len(row.Slice) == 0
		return row.Label == nil && headline[row.Name] && (overall || everywhere) || row.Label != nil && known[row.Name] && overall && everywhere
	})
}

// ranking ranks systems by one metric in one slice, for one label.
type ranking struct {
	systems []System
	place   report.Row
	better  metrics.Better
	rows    []*report.Row // of the systems; nil if missing
	// change returns the difference of a pair, b − a, and whether i is b.
	change func(i, j int) (d changes.Change, reversed bool)
}

// ranks returns the ranks, the best value first. Systems without a value come last.
func (r *ranking) ranks() []leaderboard.Rank {
	list := make([]leaderboard.Rank, len(r.systems))
	var known []int // the systems that have a value
	for i, row := range r.rows {
		nan := math.NaN()
		list[i] = leaderboard.Rank{
			Metric: r.place.Name, Slice: r.place.Slice, Label: r.place.Label, Data: r.systems[i].Data, System: r.systems[i].Name,
			Value: nan, ValueLow: nan, ValueHigh: nan,
		}
		switch {
		case row == nil:
			list[i].Reason = missingRow
			continue
		case !numbers.Finite(row.Value):
			list[i].Reason = row.Reason()
			continue
		}
		known = append(known, i)
		list[i].Value = row.Value
		if row.Confidence.HasInterval() {
			list[i].ValueLow, list[i].ValueHigh = row.Confidence.Low, row.Confidence.High
		}
	}
	if r.better == metrics.Neither {
		for _, i := range known {
			list[i].Reason = comparison.NoDirection
		}
		return list
	}
	r.setRanks(list, known)
	slices.SortStableFunc(list, func(a, b leaderboard.Rank) int { return numbers.CompareLast(r.loss(a.Value), r.loss(b.Value)) })
	return list
}

// setRanks sets the ranks of the systems that have a value.
func (r *ranking) setRanks(list []leaderboard.Rank, known []int) {
	least := math.Inf(1)
	for _, i := range known {
		least = min(least, r.loss(list[i].Value))
	}
	low, high := multiple.Ranks(len(known), func(i, j int) int { return r.verdict(known[i], known[j]) })
	for at, i := range known {
		x := &list[i]
		x.Low, x.High, x.TiedForFirst, x.Best = low[at], high[at], low[at] == 1, r.loss(x.Value) == least
		untested, reason := 0, ""
		for _, j := range known {
			if j == i {
				continue
			}
			if d, _ := r.change(i, j); math.IsNaN(d.PAdjusted) {
				untested, reason = untested+1, cmp.Or(reason, d.Reason)
			}
		}
		if untested > 0 {
			x.Reason = fmt.Sprintf("not tested against %d of %d systems: %s", untested, len(known)-1, reason)
		}
	}
}

// verdict returns 1 if system i is significantly better than j, -1 if it is worse, and 0 otherwise.
func (r *ranking) verdict(i, j int) int {
	d, reversed := r.change(i, j)
	verdict := 0
	switch d.Verdict {
	case changes.Worse: // b is worse than a
		verdict = 1
	case changes.Better:
		verdict = -1
	}
	if reversed {
		return -verdict
	}
	return verdict
}

// loss returns a number that is lower for better values.
func (r *ranking) loss(value float64) float64 { return lossOf(r.better, value) }

// lossOf returns a number that is lower for better values of a metric.
func lossOf(better metrics.Better, value float64) float64 {
	if target, near := better.Target(); near {
		return math.Abs(value - target)
	}
	if better == metrics.Higher {
		return -value
	}
	return value
}
