package metrics

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/raters"
)

const (
	krippendorff = "Krippendorff 2011"
	gwet         = "Gwet 2008, 2014"
)

// raterMetrics say how far several raters agree who rate the same examples. Ratings may be missing. The labels are the raters.
var raterMetrics = []metric{
	{"alpha_nominal", Agreement, 0, Higher, confidence.Atanh, ofAlpha(raters.Nominal), "Krippendorff's α: $1 - observed disagreement / disagreement by chance$; ratings are equal or not", krippendorff, []string{"krippendorff_alpha_nominal", "krippendorff_alpha"}},
	{"alpha_ordinal", Agreement, needNumbers, Higher, confidence.Atanh, ofAlpha(raters.Ordinal), "Krippendorff's α of ratings whose order counts: the distance of two values is $(number of ratings between them + half of the ratings of both)²$", krippendorff, []string{"krippendorff_alpha_ordinal"}},
	{"alpha_interval", Agreement, needNumbers, Higher, confidence.Atanh, ofRatings(func(e *evaluation, t *raters.Table) (float64, string) { return t.AlphaOfIntervals() }), "Krippendorff's α of ratings whose differences count: the distance of two values is $(c - k)²$", krippendorff, []string{"krippendorff_alpha_interval"}},
	{"alpha_ratio", Agreement, needNumbers, Higher, confidence.Atanh, ofAlpha(raters.Ratio), "Krippendorff's α of ratings on a scale that begins at 0: the distance of two values is $((c - k) / (c + k))²$", krippendorff, []string{"krippendorff_alpha_ratio"}},
	{"fleiss_kappa", Agreement, 0, Higher, confidence.Atanh, ofRatings(func(e *evaluation, t *raters.Table) (float64, string) { return t.FleissKappa(e.tooManyRatings()) }), "Fleiss' κ: pairwise_agreement beyond $Σ (share of a value)²$, only where all examples have equally many ratings", "Fleiss 1971", nil},
	{"gwet_ac1", Agreement, 0, Higher, confidence.Atanh, ofRatings(func(e *evaluation, t *raters.Table) (float64, string) {
		return t.Gwet(raters.Identity, e.tooManyRatings())
	}), "Gwet's AC₁: pairwise_agreement beyond $Σ π (1 - π) / (q - 1)$, $π$ being the mean share of a value in the ratings of an example, and $q$ the number of values; high where nearly all ratings are equal, unlike α and κ", gwet, []string{"ac1"}},
	{"gwet_ac2", Agreement, needNumbers, Higher, confidence.Atanh, ofRatings(func(e *evaluation, t *raters.Table) (float64, string) {
		return t.Gwet([]raters.Weights{raters.Quadratic, raters.Linear}[e.params.Raters.Weights], e.tooManyRatings())
	}), "Gwet's AC₂: gwet_ac1 where values $c$ and $k$ agree by $1 - (c - k)² / range²$ or, with `raters.weights: linear`, by $1 - |c - k| / range$", gwet, []string{"ac2"}},
	{"light_kappa", Agreement, 0, Higher, confidence.Atanh, lightKappa, "mean of Cohen's κ of all pairs of raters", "Light 1971", nil},
	{"pairwise_agreement", Agreement, 0, Higher, confidence.Logit, mean(pairwiseAgreement), "mean over the examples with several ratings of the share of pairs of ratings that are equal", "Fleiss 1971", []string{"percent_agreement"}},
	{"full_agreement", Agreement, 0, Higher, confidence.Proportion, mean(fullAgreement), "share of the examples with several ratings whose ratings are all equal", "beameval", nil},
	{"ratings", Agreement, 0, Neither, confidence.Count, ofRatings(func(_ *evaluation, t *raters.Table) (float64, string) { return float64(t.Ratings()), "" }), "number of ratings of examples that have weight", "beameval", nil},
	{"kappa_with_others", Agreement, 0, Higher, confidence.Atanh, kappaWithOthers, "Cohen's κ of a rater with all others: the agreement with another, and the agreement by chance, each a mean over the others, weighted by the examples that both rate", "Schouten 1982", nil},
	{"agreement_with_others", Agreement, 0, Higher, confidence.Logit, ofRater(func(weight *exact.Tally, agreed, _ *exact.Sum) Value { return average(agreed, weight) }), "mean, over the examples that a rater and others rate, of the share of the others who give the same rating", "beameval", nil},
	{"difference_to_others", Agreement, needNumbers, NearZero, confidence.Identity, ofRater(func(weight *exact.Tally, _, deviation *exact.Sum) Value { return average(deviation, weight) }), "mean, over the examples that a rater and others rate, of the rating less the mean of the others' ratings: below 0 for a strict rater", "beameval", nil},
}

// RaterOptions say what ratings mean.
type RaterOptions struct {
	// Names says that ratings are names, which are equal or not; batches have a number for each. Otherwise, they are numbers.
	Names bool
	// Weights say how far numbers that differ agree, for gwet_ac2.
	Weights RatingWeights
	// MaxValues is how many different ratings there may be, for metrics that count them. If there are more, these metrics
	// are undefined. 0 means 1,000.
	MaxValues int
}

const (
	defaultRatingValues = 1000
	mostRatingValues    = 100_000
)

func (o RaterOptions) check() error {
	switch {
	case o.MaxValues < 0 || o.MaxValues > mostRatingValues:
		return fmt.Errorf("MaxValues of %d: it must be 1 to %d, or 0 for the default of %d", o.MaxValues, mostRatingValues, defaultRatingValues)
	case o.Weights > LinearWeights:
		return fmt.Errorf("unknown weights %d: expected QuadraticWeights or LinearWeights", o.Weights)
	}
	return nil
}

// ratings returns the ratings of the row, and their raters, in the order of these.
func (b *Batch) ratings(r int32) (ratings []float64, by []int32) {
	from, to := b.RatingOffset[r], b.RatingOffset[r+1]
	return b.Rating[from:to], b.Rater[from:to]
}

// sorted returns a copy of the ratings of the row in ascending order.
func (r *row) sorted() []float64 {
	ratings, _ := r.ratings(r.index)
	r.members = append(r.members[:0], ratings...)
	slices.Sort(r.members)
	return r.members
}

// The measures of the ratings of an example.
var (
	pairwiseAgreement = measure{reason: raters.NoneTwice, value: func(r *row, _ float64) (float64, bool) {
		list := r.sorted()
		if len(list) < 2 {
			return 0, false
		}
		return raters.Agreement(list), true
	}}
	fullAgreement = measure{reason: raters.NoneTwice, value: func(r *row, _ float64) (float64, bool) {
		list := r.sorted()
		if len(list) < 2 {
			return 0, false
		}
		return float64(oneIf(list[0] == list[len(list)-1])), true
	}}
)

// ratings is the statistic of ratings by value and by rater.
type ratings struct{ raters.Table }

func (s *ratings) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		list, by := b.ratings(r)
		s.Add(b.weight(r), list, by)
	}
}

func (s *ratings) visit(v *fields.Visitor, from statistic) {
	s.Fields(v, &from.(*ratings).Table)
}

func (s *ratings) fits(p *Params) bool {
	limit := p.Raters.MaxValues
	return p.Task == Agreement && s.Below(p.Labels) && (limit == 0 || s.Limit() == limit) || s.Limit() == 0 && s.Below(0)
}

func (s *ratings) relabelled(to []int32, _ int) statistic {
	return &ratings{*s.Rekeyed(func(rater uint64) uint64 { return uint64(to[rater]) })}
}

// raterPairs is the statistic of how each two raters agree.
type raterPairs struct{ raters.Pairs }

func (s *raterPairs) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		list, by := b.ratings(r)
		s.Add(b.weight(r), list, by)
	}
}

func (s *raterPairs) visit(v *fields.Visitor, from statistic) {
	s.Fields(v, &from.(*raterPairs).Pairs)
}

func (s *raterPairs) fits(p *Params) bool { return s.Fits(p.Labels, p.Raters.MaxValues) }

func (s *raterPairs) relabelled(to []int32, labels int) statistic {
	return &raterPairs{*s.Rekeyed(func(rater uint64) uint64 { return uint64(to[rater]) }, labels)}
}

// tooManyRatings says what to do about too many different ratings.
func (e *evaluation) tooManyRatings() string {
	text := ": set " + e.params.Names.Of(settings.MaxRatings)
	if e.params.Raters.Names {
		return text
	}
	return text + ", or choose alpha_interval, which counts none"
}

// ofRatings evaluates a function of the ratings.
func ofRatings(f func(*evaluation, *raters.Table) (value float64, undefined string)) evaluator {
	return evaluator{from: kindRatings, overall: func(e *evaluation, _ choice) Value {
		return ratedValue(f(e, &statisticOf[*ratings](e, kindRatings).Table))
	}}
}

func ratedValue(x float64, undefined string) Value {
	if undefined != "" {
		return Undefined(undefined)
	}
	return defined(x)
}

func ofAlpha(level raters.Level) evaluator {
	return ofRatings(func(e *evaluation, t *raters.Table) (float64, string) { return t.Alpha(level, e.tooManyRatings()) })
}

// lightKappa evaluates the mean κ of the pairs that have one. It says how many have none.
var lightKappa = evaluator{from: kindRaterPairs, overall: func(e *evaluation, _ choice) Value {
	pairs := e.raterPairs()
	kappa, without, why := raters.MeanKappa(pairs)
	v := ratedValue(kappa, why)
	if why == "" && without > 0 {
		v.Undefined = fmt.Sprintf("%d of %d pairs undefined", without, len(pairs))
	}
	return v
}}

// raterPairs returns all pairs of raters.
func (e *evaluation) raterPairs() []raters.Pair {
	if e.pairs == nil {
		e.pairs = statisticOf[*raterPairs](e, kindRaterPairs).All(e.tooManyRatings())
	}
	return e.pairs
}

// ofRater evaluates a function of how a rater agrees with the others.
func ofRater(f func(weight *exact.Tally, agreed, deviation *exact.Sum) Value) evaluator {
	return evaluator{from: kindRatings, averages: onlyItself, byLabel: func(e *evaluation, _ choice) labelValues {
		return e.ofRaters(func(rater int) Value {
			weight, agreed, deviation := statisticOf[*ratings](e, kindRatings).Rater(rater)
			if weight.Empty() {
				return Undefined(raters.NoneTwice)
			}
			v := f(weight, agreed, deviation)
			v.Trials = 0 // shares of the others are no successes
			return v
		})
	}}
}

var kappaWithOthers = evaluator{from: kindRaterPairs, also: kindRatings, averages: onlyItself, byLabel: func(e *evaluation, _ choice) labelValues {
	return e.ofRaters(func(rater int) Value { return ratedValue(raters.KappaOf(rater, e.raterPairs())) })
}}

// ofRaters returns the values of raters. The support of a rater is the number of examples that others rate, too.
func (e *evaluation) ofRaters(value func(rater int) Value) labelValues {
	return labelValues{value: value, support: func(rater int) (float64, int64) {
		examples, _, _ := statisticOf[*ratings](e, kindRatings).Rater(rater)
		return 0, examples.Rows()
	}}
}

// RaterPair is how two raters agree; A has the lower number. Kappa is Cohen's κ, or why it is Undefined, and Agreement the
// share of the Examples that both rate to which they give equal ratings.
type RaterPair struct {
	A, B      int
	Examples  int64
	Agreement float64
	Kappa     Value
}

// RaterPairs returns how each two raters agree who rate the same examples, in the order of the raters. It returns nil if
// metrics need no pairs, if weights are too large, or if the partial was folded under other Params.
func (p *Params) RaterPairs(partial *Partial) (list []RaterPair) {
	if p = p.orNothing(); p.Task != Agreement || partial.stats[kindRaterPairs] == nil || !partial.fits(p) || partial.tooHeavy() {
		return nil
	}
	for _, pair := range (&evaluation{params: p, partial: partial}).raterPairs() {
		list = append(list, RaterPair{pair.A, pair.B, pair.Examples, pair.Agreement, ratedValue(pair.Kappa, pair.Undefined)})
	}
	return list
}
