package metrics

import (
	"fmt"
	"math"

	"github.com/beameval/beameval/metrics/queries"
)

// RankingOptions settle what the measures of rankings of items leave open.
type RankingOptions struct {
	Gain Gain
	Ties Ties
	// RelevanceThreshold is the least relevance of relevant items; positive. 0: 1.
	RelevanceThreshold float64
	// MaxRelevance is the highest grade of relevance, for err; positive, at most
	// 1000. 0: 4.
	MaxRelevance float64
	EmptyQueries EmptyQueries
}

// Gain says what an item adds to DCG, by its relevance.
type Gain uint8

// The gains.
const (
	ExponentialGain Gain = iota // 2^relevance - 1
	LinearGain                  // the relevance
)

var gainNames = []string{"exponential", "linear"}

// String returns the name.
func (g Gain) String() string { return nameOf(gainNames, g) }

// MarshalText returns the name.
func (g Gain) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// UnmarshalText sets the value of a name.
func (g *Gain) UnmarshalText(name []byte) error { return setNamed(g, gainNames, name) }

// Ties says how items of equal scores rank.
type Ties uint8

// The ways to rank items of equal scores.
const (
	ExpectedTies Ties = iota // in all orders alike: measures are expectations
	ItemTies                 // in the order of the batch
)

var tiesNames = []string{"expected", "item"}

// String returns the name.
func (t Ties) String() string { return nameOf(tiesNames, t) }

// MarshalText returns the name.
func (t Ties) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText sets the value of a name.
func (t *Ties) UnmarshalText(name []byte) error { return setNamed(t, tiesNames, name) }

// EmptyQueries says what queries without relevant items count as; for measures of
// gain, queries without gain.
type EmptyQueries uint8

// What empty queries count as.
const (
	SkipEmpty   EmptyQueries = iota // nothing: they are left out of means
	EmptyIsZero                     // 0
	EmptyIsOne                      // 1; in dcg 0, which has no best value
)

var emptyQueriesNames = []string{"skip", "zero", "one"}

// String returns the name.
func (e EmptyQueries) String() string { return nameOf(emptyQueriesNames, e) }

// MarshalText returns the name.
func (e EmptyQueries) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText sets the value of a name.
func (e *EmptyQueries) UnmarshalText(name []byte) error { return setNamed(e, emptyQueriesNames, name) }

// setDefaults sets fields that are 0.
func (o *RankingOptions) setDefaults() {
	if o.RelevanceThreshold == 0 {
		o.RelevanceThreshold = 1
	}
	if o.MaxRelevance == 0 {
		o.MaxRelevance = 4
	}
}

// check says whether rankings can be read under o.
func (o RankingOptions) check() error {
	switch {
	case !(o.RelevanceThreshold >= 0) || math.IsInf(o.RelevanceThreshold, 1):
		return fmt.Errorf("ranking with a relevance threshold of %v: it must be positive and finite", o.RelevanceThreshold)
	case !(o.MaxRelevance >= 0 && o.MaxRelevance <= queries.MaxGrade):
		return fmt.Errorf("ranking with a highest relevance of %v: it must be positive, and at most %v", o.MaxRelevance, queries.MaxGrade)
	case o.Gain > LinearGain, o.Ties > ItemTies, o.EmptyQueries > EmptyIsOne:
		return fmt.Errorf("ranking with unknown options: %+v", o)
	}
	return nil
}

// reading are the options in terms of package queries.
func (o RankingOptions) reading() queries.Options {
	q := queries.Options{
		Gain: queries.ExponentialGain, InOrder: o.Ties == ItemTies,
		Threshold: o.RelevanceThreshold, MaxRelevance: o.MaxRelevance,
	}
	if o.Gain == LinearGain {
		q.Gain = queries.LinearGain
	}
	return q
}
