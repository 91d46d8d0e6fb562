package comparison

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/metrics/multiplecomparisons"
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
	pairs, byHolm := s.pairs(true), map[string][]string{}
	before := len(s.Ranks)
	s.Ranks = append(s.Ranks, make([]comparison.Rank, len(places)*len(s.systems))...)
	for _, group := range s.together(places) {
		some := collections.Map(group, func(i int) int32 { return places[i] })
		if err := s.test(ctx, pairs, some); err != nil {
			return err
		}
		if err := s.adjust(ctx, pairs, byHolm); err != nil {
			return err
		}
		of := map[[2]int]*pair{}
		for _, p := range pairs {
			p.judgeAll()
			of[[2]int{p.a, p.b}] = p
		}
		for _, i := range group {
			copy(s.Ranks[before+i*len(s.systems):], s.ranksAt(places[i], pairs[0].better(s.places[places[i]].Name), of))
		}
	}
	s.warnOfHolm(byHolm, "ranks")
	return nil
}

// together groups the indices of places by family, so that only one family's differences are in
// memory at a time.
func (s *set) together(places []int32) (groups [][]int) {
	headline, at := collections.Set(slices.Values(s.Headline)), map[family]int{}
	for i, place := range places {
		f := s.familyOf(&s.places[place], headline)
		if _, met := at[f]; !met {
			at[f], groups = len(groups), append(groups, nil)
		}
		groups[at[f]] = append(groups[at[f]], i)
	}
	return groups
}

// ranksAt returns the ranks at a place, the best value first, given all pairs by the indices of their
// systems. Systems without a value come last.
func (s *set) ranksAt(place int32, better metrics.Better, of map[[2]int]*pair) []comparison.Rank {
	at, list, nan := &s.places[place], make([]comparison.Rank, len(s.systems)), math.NaN()
	var known []int // the systems that have a value
	for i, x := range s.systems {
		r, row := &list[i], s.row(i, place)
		*r = comparison.Rank{Metric: at.Name, Slice: at.Slice, Label: at.Label, Data: x.Data, System: x.Name, Value: nan, ValueLow: nan, ValueHigh: nan}
		switch {
		case row == nil:
			r.Reason = missingRow
			continue
		case !floats.Finite(row.Value):
			r.Reason = row.Reason()
			continue
		case better == metrics.Neither:
			r.Reason = NoDirection
		}
		known, r.Value = append(known, i), row.Value
		if row.Confidence.HasInterval() {
			r.ValueLow, r.ValueHigh = row.Confidence.Low, row.Confidence.High
		}
	}
	if better == metrics.Neither {
		return list
	}
	setRanks(list, known, better, func(i, j int) (d comparison.Change, sign int) {
		if p, met := of[[2]int{i, j}]; met {
			return p.at(place), 1
		}
		return of[[2]int{j, i}].at(place), -1
	})
	slices.SortStableFunc(list, func(a, b comparison.Rank) int { return floats.CompareLast(better.Loss(a.Value), better.Loss(b.Value)) })
	return list
}

// setRanks sets the ranks of the systems that have a value. change returns the difference of two systems,
// j − i, and 1; or, if i and j are the wrong way round, i − j and −1.
func setRanks(list []comparison.Rank, known []int, better metrics.Better, change func(i, j int) (d comparison.Change, sign int)) {
	least := math.Inf(1)
	for _, i := range known {
		least = min(least, better.Loss(list[i].Value))
	}
	low, high := multiplecomparisons.Ranks(len(known), func(i, j int) int {
		switch d, sign := change(known[i], known[j]); d.Verdict {
		case comparison.Worse: // than i
			return sign
		case comparison.Better:
			return -sign
		}
		return 0
	})
	for at, i := range known {
		x := &list[i]
		x.Low, x.High, x.TiedForFirst, x.Best = low[at], high[at], low[at] == 1, better.Loss(x.Value) == least
		untested, reason := 0, ""
		for _, j := range known {
			if j == i {
				continue
			}
			if d, _ := change(i, j); math.IsNaN(d.PAdjusted) {
				untested, reason = untested+1, cmp.Or(reason, d.Reason)
			}
		}
		if untested > 0 {
			x.Reason = fmt.Sprintf("not tested against %d of %d systems: %s", untested, len(known)-1, reason)
		}
	}
}

// ranked returns the places at which systems are ranked.
func (s *set) ranked(everywhere bool) []int32 {
	ofLabels := map[string]bool{}
	for i := range s.places {
		if row := &s.places[i]; len(row.Slice) == 0 && row.Label != nil {
			ofLabels[row.Name] = true
		}
	}
	headline := collections.Set(slices.Values(s.Headline))
	known := collections.Set(slices.Values(report.LabelHeadlines(asked(s.systems[s.reference].Report), slices.Sorted(maps.Keys(ofLabels)))))
	return s.placesOf(func(row *report.Row) bool {
		overall := len(row.Slice) == 0
		return row.Label == nil && headline[row.Name] && (overall || everywhere) || row.Label != nil && known[row.Name] && overall && everywhere
	})
}
