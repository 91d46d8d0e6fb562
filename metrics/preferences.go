package metrics

import (
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/preference"
)

const (
	bradleyTerry = "Bradley & Terry 1952"
	arena        = "Chiang et al. 2024"
)

// preferenceMetrics are of systems that are compared in pairs.
var preferenceMetrics = []metric{
	{"bradley_terry", Preference, 0, Higher, confidence.Identity, ofStrength(func(s *systems, i int) float64 { return s.Strength[i] }), "maximum-likelihood log-strength $β$: the odds that $i$ wins against $j$ are $exp(βᵢ - βⱼ)$; mean 0, or 0 for the reference", bradleyTerry, nil},
	{"bradley_terry_std_error", Preference, 0, Neither, confidence.Log, ofStrength(func(s *systems, i int) float64 { return s.StdError[i] }), "standard error of bradley_terry by the Fisher information, if all comparisons are independent; 0 for the reference", bradleyTerry, nil},
	{"elo", Preference, 0, Higher, confidence.Identity, ofStrength(func(s *systems, i int) float64 { return preference.Elo(s.Strength[i]) }), "$1000 + bradley_terry · 400 / ln 10$", arena, nil},
	{"win_rate", Preference, 0, Higher, confidence.Logit, ofRecord(winRate), "share of a system's comparisons that it wins; a tie is half a win", arena, nil},
	{"tie_rate", Preference, 0, Neither, confidence.Proportion, ofOutcomes(tieRate), "share of comparisons that are ties", arena, nil},
	{"first_win_rate", Preference, 0, Neither, confidence.Logit, ofOutcomes(winRate), "share of comparisons that the first system wins, whichever it is; a tie is half a win; 0.5 without a preference for a position", "Zheng et al. 2023", nil},
}

// MostSystems is the largest number of systems in a task of preferences. The time of an estimate grows
// with its third power.
const MostSystems = 500

// PreferenceOptions settle how comparisons of systems are modelled.
type PreferenceOptions struct {
	// Davidson estimates the probability of ties; otherwise, a tie is half a win of each system.
	Davidson bool
}

// Outcome is the outcome of a comparison of two systems.
type Outcome uint8

// The outcomes.
const (
	FirstWins Outcome = iota
	SecondWins
	Tie
)

// comparisons counts, for each two systems in each order, the outcomes of their comparisons. Only
// pairs that occur take memory.
type comparisons struct {
	fields.Keyed[encounters, *encounters]
	systems int
}

// encounters counts the outcomes of comparisons.
type encounters struct{ first, second, tie exact.Tally }

func (o *encounters) Empty() bool { return o.first.Empty() && o.second.Empty() && o.tie.Empty() }

func (o *encounters) Fields(v *fields.Visitor, from *encounters) {
	fields.Visit(v, &o.first, &from.first)
	fields.Visit(v, &o.second, &from.second)
	fields.Visit(v, &o.tie, &from.tie)
}

func (s *comparisons) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		o, w := s.Value(uint64(b.First[r])*uint64(s.systems)+uint64(b.Second[r])), b.weight(r)
		switch b.Outcome[r] {
		case FirstWins:
			o.first.Add(w)
		case SecondWins:
			o.second.Add(w)
		default:
			o.tie.Add(w)
		}
	}
}

func (s *comparisons) visit(v *fields.Visitor, from statistic) {
	f := from.(*comparisons)
	v.Size(&s.systems, f.systems)
	s.Keyed.Fields(v, &f.Keyed)
	if !v.Decodes() {
		return
	}
	for key := range s.All() {
		if n := uint64(s.systems); n == 0 || key/n >= n || key/n == key%n {
			v.Fail("comparisons: pair %d of %d systems", key, s.systems)
			return
		}
	}
}

func (s *comparisons) fits(p *Params) bool {
	return s.systems == p.Labels && p.Task == Preference || s.systems == 0
}

func (s *comparisons) relabelled(to []int32, systems int) statistic {
	n := uint64(max(s.systems, 1))
	return &comparisons{systems: systems, Keyed: s.Rekeyed(func(key uint64) uint64 { return uint64(to[key/n])*uint64(systems) + uint64(to[key%n]) })}
}

// systems holds what metrics of a partial's systems have in common.
type systems struct {
	*preference.Model // nil until a strength is asked for
	pairs             []preference.Pair
	rows              []int64      // of each pair: the number of comparisons
	records           []encounters // of each system, as the first: its wins, losses and ties
	all               encounters
}

// compared returns the systems with their comparisons.
func (e *evaluation) compared() *systems {
	if e.systems != nil {
		return e.systems
	}
	n := uint64(e.params.Labels)
	s := &systems{records: make([]encounters, n)}
	var pairs fields.Keyed[encounters, *encounters] // of the lower and the higher system
	for key, o := range statisticOf[*comparisons](e, kindComparisons).All() {
		a, b, turned := key/n, key%n, encounters{o.second, o.first, o.tie}
		fields.Merge(&s.all, o)
		fields.Merge(&s.records[a], o)
		fields.Merge(&s.records[b], &turned)
		if a > b {
			a, b, o = b, a, &turned
		}
		fields.Merge(pairs.Value(a*n+b), o)
	}
	for key, o := range pairs.All() {
		s.pairs = append(s.pairs, preference.Pair{
			A: int(key / n), B: int(key % n), WinsA: o.first.Weight(), WinsB: o.second.Weight(), Tie: o.tie.Weight(),
		})
		s.rows = append(s.rows, o.rows())
	}
	e.systems = s
	return s
}

// Match has the outcomes of the comparisons of two systems; A has the lower number.
type Match struct {
	preference.Pair       // the weights
	Comparisons     int64 // their number
}

// Matches returns the outcomes of the comparisons in a partial, by pairs of systems, in the order of the pairs. It
// returns nil if the examples are no preferences, if their weights are too large, or if the partial was folded under
// other Params.
func (p *Params) Matches(partial *Partial) (list []Match) {
	if p = p.orNothing(); p.Task != Preference || !partial.fits(p) || partial.tooHeavy() {
		return nil
	}
	s := (&evaluation{params: p, partial: partial}).compared()
	for i, pair := range s.pairs {
		list = append(list, Match{pair, s.rows[i]})
	}
	return list
}

// first returns the first n systems that are compared.
func (s *systems) first(n int) []int {
	list := []int{}
	for i := range s.records {
		if len(list) < n && !s.records[i].Empty() {
			list = append(list, i)
		}
	}
	return list
}

// rows returns the number of comparisons.
func (o *encounters) rows() int64 { return o.first.Rows() + o.second.Rows() + o.tie.Rows() }

// weights returns the weights of all comparisons, of wins of the first system, and of ties.
func (o *encounters) weights() (all, first, tie float64) {
	var sum exact.Tally
	for _, t := range []*exact.Tally{&o.first, &o.second, &o.tie} {
		sum.Merge(t)
	}
	return sum.Weight(), o.first.Weight(), o.tie.Weight()
}

// ofSystems evaluates a function of each system.
func ofSystems(value func(e *evaluation, s *systems, system int) Value) evaluator {
	return evaluator{from: kindComparisons, averages: onlyItself, byLabel: func(e *evaluation, _ choice) labelValues {
		s := e.compared()
		return labelValues{
			value:   func(system int) Value { return value(e, s, system) },
			support: func(system int) (float64, int64) { return 0, s.records[system].rows() },
		}
	}}
}

// ofStrength evaluates a function of the strength of each system.
func ofStrength(value func(s *systems, system int) float64) evaluator {
	return ofSystems(func(e *evaluation, s *systems, system int) Value {
		if e.partial.tooHeavy() {
			return Undefined(weightsTooLarge)
		}
		if s.Model == nil {
			o := preference.Options{Davidson: e.params.Preference.Davidson, Reference: -1}
			if r := e.options.Reference; r != nil {
				o.Reference = *r
			}
			s.Model = preference.Fit(e.params.Labels, s.pairs, o)
		}
		if why := s.Undefined[system]; why != "" {
			return Undefined(why)
		}
		return defined(value(s, system))
	})
}

// ofRecord evaluates a function of the record of each system.
func ofRecord(value func(*encounters) Value) evaluator {
	return ofSystems(func(_ *evaluation, s *systems, system int) Value { return value(&s.records[system]) })
}

// ofOutcomes evaluates a function of all outcomes.
func ofOutcomes(value func(*encounters) Value) evaluator {
	return evaluator{from: kindComparisons, overall: func(e *evaluation, _ choice) Value { return value(&e.compared().all) }}
}

func winRate(o *encounters) Value {
	all, first, tie := o.weights()
	v := quotient(first+float64(tie/2), all, "no comparisons")
	v.Trials = 0 // halves are no successes
	return v
}

func tieRate(o *encounters) Value {
	all, _, tie := o.weights()
	return quotient(tie, all, "no comparisons")
}
