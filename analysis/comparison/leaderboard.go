package comparison

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
)

// System is the finished report of a system.
type System struct {
	Name   string
	Data   string // its data set, or "" if there is only one
	Path   string
	Report *report.Report // with queries, if single queries are to be tested
}

// Options are options of [Rank].
type Options struct {
	Adjust      comparison.Adjustment
	OverMetrics bool   // adjust over the headline metrics as well
	AllPairs    bool   // test the differences of all pairs, not only those from the reference
	Reference   string // the name or the path of a system; "" is the first
	// Gates are judged for each system against the reference, by the path of its report.
	Gates map[string][]report.Gate
}

// Rank compares systems with each other, and ranks them; on several data sets, within each, and then by Friedman's
// test over all. It returns an error if there are too few or too many systems, if tasks or levels of
// confidence differ, if a report has no replicates, or if a system lacks a data set.
func Rank(ctx context.Context, systems []System, o Options) (*comparison.Leaderboard, error) {
	sets, err := byDataSet(systems)
	if err != nil {
		return nil, err
	}
	if err := check(systems, sets); err != nil {
		return nil, err
	}
	reference, err := referenceOf(sets[0], o.Reference)
	if err != nil {
		return nil, err
	}
	first := systems[0].Report
	l := &comparison.Leaderboard{
		Task: first.Task, Level: first.Confidence.Level, Adjust: o.Adjust, OverMetrics: o.OverMetrics, AllPairs: o.AllPairs, Reference: reference,
		Headline: headline(systems, reference),
	}
	var listed []*pair
	var said sayings
	for _, members := range sets {
		s := newSet(l, members)
		s.reference, s.options, s.said = slices.IndexFunc(members, func(s System) bool { return s.Name == reference }), o, &said
		pairs, err := s.compare(ctx)
		if err != nil {
			return nil, err
		}
		listed = append(listed, pairs...)
	}
	l.Differences = listOf(listed)
	l.Warnings = append(said.all(), l.Warnings...)
	if len(sets) > 1 {
		overDataSets(l, sets)
	}
	return l, nil
}

// check returns an error if systems cannot be compared.
func check(systems []System, sets [][]System) error {
	n, first := len(sets[0]), systems[0]
	switch {
	case n > comparison.Most:
		return fmt.Errorf("there are %d systems: at most %d can be compared at once", n, comparison.Most)
	case len(sets) == 1 && first.Data != "":
		return fmt.Errorf("all reports are of data set %s: --by-dataset needs at least two; set report.data in the configurations, or give reports in directories such as data/system", quote.Value(first.Data))
	case n < 2:
		return fmt.Errorf("there is only one system, %s: compare at least two", quote.Value(first.Name))
	}
	for _, s := range systems {
		r := s.Report
		switch {
		case r.Task != first.Report.Task:
			return fmt.Errorf("the reports are of different tasks: %s is %s, %s is %s", first.Path, first.Report.Task, s.Path, r.Task)
		case r.Confidence == nil:
			return fmt.Errorf("%s has no replicates, so systems cannot be ranked: evaluate it with confidence in the configuration", s.Path)
		case !hasReplicates(r):
			return fmt.Errorf("%s has no %s, so systems cannot be ranked: evaluate it with parquet in output.formats", s.Path, report.ReplicatesParquet)
		case r.Confidence.Level != first.Report.Confidence.Level:
			return fmt.Errorf("the level of confidence is %v in %s, %v in %s: evaluate all systems with the same confidence.level", first.Report.Confidence.Level, first.Path, r.Confidence.Level, s.Path)
		}
	}
	return nil
}

// headline returns the metrics to rank: the metrics that the configuration of the reference asks
// for or, if there are none, the best-known overall metrics of any report that have a better
// direction.
func headline(systems []System, reference string) []string {
	reports := collections.Map(systems, func(s System) *report.Report { return s.Report })
	r := reports[slices.IndexFunc(systems, func(s System) bool { return s.Name == reference })]
	list := report.HeadlinesOf(r, reports...)
	directed := slices.DeleteFunc(slices.Clone(list), func(name string) bool { return Direction(name, r, r) == metrics.Neither })
	if len(asked(r)) > 0 || len(directed) == 0 {
		return list
	}
	return directed
}

func asked(r *report.Report) []string {
	settings := r.Settings()
	return settings.Asked()
}

// set is the comparison of the systems on one data set, which it adds to the leaderboard.
type set struct {
	*comparison.Leaderboard
	*table
	systems   []System
	reference int
	options   Options
	said      *sayings // about pairs, on all data sets
}

func newSet(l *comparison.Leaderboard, systems []System) *set {
	return &set{Leaderboard: l, systems: systems, table: newTable(collections.Map(systems, func(x System) *report.Report { return x.Report }))}
}

// compare returns the pairs whose differences are listed.
func (s *set) compare(ctx context.Context) ([]*pair, error) {
	pairs := s.pairs(s.options.AllPairs)
	rows := 0
	for _, x := range s.systems {
		rows = max(rows, len(x.Report.Metrics))
	}
	if n := rows * len(pairs); n > mostDifferences {
		return nil, fmt.Errorf("there are %d differences between %d systems, more than %d: select metrics or slices in the configurations, or compare fewer systems", n, len(s.systems), mostDifferences)
	}
	if err := s.test(ctx, pairs, s.allPlaces()); err != nil {
		return nil, err
	}
	s.describe(pairs)
	byHolm := map[string][]string{}
	if err := s.adjust(ctx, pairs, byHolm); err != nil {
		return nil, err
	}
	s.warnOfHolm(byHolm, "differences")
	sizes := s.sizes(pairs)
	err := each(ctx, pairs, func(p *pair) error {
		p.judgeAll()
		if p.a == s.reference {
			p.visible = s.visible(p, s.Headline, sizes)
		}
		p.order = s.orderOf(p)
		s.testQueries(p)
		s.judgeGates(p)
		p.tester = nil // reports may be freed
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		s.Gates = append(s.Gates, p.gates...)
		for _, v := range p.visible {
			s.Visible = append(s.Visible, comparison.SystemVisible{System: p.nameB, Data: p.data, Visible: v})
		}
	}
	return pairs, s.rank(ctx)
}

// pairs returns the pairs of the reference and each other system and, if asked, all other pairs.
func (s *set) pairs(all bool) (list []*pair) {
	for i := range s.systems {
		if i != s.reference {
			list = append(list, &pair{a: s.reference, b: i})
		}
	}
	for i := range s.systems {
		for j := i + 1; all && j < len(s.systems); j++ {
			if i != s.reference && j != s.reference {
				list = append(list, &pair{a: i, b: j})
			}
		}
	}
	return list
}

// mostDifferences is the greatest number of differences, which are in memory at once.
const mostDifferences = 20_000_000

// test tests the differences of all pairs at some places.
func (s *set) test(ctx context.Context, pairs []*pair, places []int32) error {
	return each(ctx, pairs, func(p *pair) error { return s.testPair(p, places) })
}

// testPair tests the differences of a pair at some places, which are in ascending order. It replaces
// the differences that the pair had.
func (s *set) testPair(p *pair, places []int32) (err error) {
	a, b := s.systems[p.a], s.systems[p.b]
	if p.tester == nil {
		p.tester, err = newTester(a.Report, b.Report)
	}
	if err != nil {
		return err
	}
	places = slices.DeleteFunc(slices.Clone(places), func(place int32) bool { return !s.has(p.a, place) && !s.has(p.b, place) })
	p.nameA, p.nameB, p.data, p.places, p.list, p.reasons = a.Name, b.Name, a.Data, s.places, make([]packed, 0, len(places)), nil
	for _, place := range places {
		p.add(place, new(p.test(s.row(p.a, place), s.row(p.b, place))))
	}
	return nil
}

// each calls do for all items, several at once, until ctx is done.
func each[T any](ctx context.Context, items []T, do func(T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, item := range items {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(item)
		})
	}
	return group.Wait()
}

// describe adds the systems and the warnings about pairs with the reference.
func (s *set) describe(pairs []*pair) {
	pairings := map[int]comparison.Pairing{}
	for _, p := range pairs {
		if p.a != s.reference {
			continue
		}
		pairings[p.b] = p.Pairing
		for _, warning := range p.Warnings {
			s.said.add(warning, fmt.Sprintf("a is %s, b is %s%s", s.systems[p.a].Name, s.systems[p.b].Name, onData(s.systems[p.a].Data)))
		}
	}
	for i, x := range s.systems {
		says := x.Report.Settings().Report
		s.Systems = append(s.Systems, comparison.System{
			Name: x.Name, Path: x.Path, Data: x.Data, Date: says.Date, Examples: x.Report.Examples, Groups: x.Report.Confidence.Folds, Pairing: pairings[i],
		})
	}
}

// judgeGates judges the gates of a system against the reference.
func (s *set) judgeGates(p *pair) {
	of := s.systems[p.b]
	gates := s.options.Gates[of.Path]
	if p.a != s.reference || len(gates) == 0 {
		return
	}
	judged, c := *of.Report, *p.Comparison
	c.Changes = p.changes()
	comparison.Judge(&judged, gates, &c)
	p.gates = collections.Map(judged.Gates, func(result report.GateResult) comparison.Gate {
		return comparison.Gate{System: of.Name, Data: of.Data, GateResult: result}
	})
}
