// Package sequential decides, night after night, whether a metric has become worse, and whether it
// keeps a bound. Its answers hold although one looks every night.
//
// A night's rank among the nights so far gives a p-value, whatever the distribution of the nights:
// while nothing changes, all orders of the nights are equally likely, so the p-values are
// independent and uniform. A p-value gives a factor of evidence, whose expectation is 1 while
// nothing changes. Their product, which begins anew where it falls below 1, is an e-detector:
//
//	value     ──·──·─·──·─·─·──·──·           worse from here
//	                              └─·──··─·─
//	evidence  ______/\____/\_____/‾‾‾‾‾‾/     alarm at the threshold
//
// Shin, Ramdas & Rinaldo, E-detectors: a nonparametric framework for sequential change detection
// (2023): the expected number of nights until a false alarm is at least the threshold.
package sequential

import (
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/internal/hash"
	"github.com/beameval/beameval/metrics/confidence"
)

// Gate watches the values of a series.
type Gate struct {
	// BurnIn is the number of nights that only serve as a reference.
	BurnIn int
	// Season is the number of days after which values repeat, such as 7; 0 if there is no season. A
	// value is then compared by its residual: its difference from the mean of the earlier nights at
	// the same place in the season.
	Season int
	// Threshold is the evidence of an alarm.
	Threshold float64
	// TwoSided looks for higher values as well as for lower values, which share the evidence.
	TwoSided bool
}

// Night is the value of a night.
type Night struct {
	Name  string
	Day   int     // counts days; only its remainder by Season matters
	Value float64 // finite; lower is worse
}

// Step is the judgement of a night. Both numbers are NaN where the night only serves as a
// reference.
type Step struct {
	// P is uniform in (0, 1) while nothing changes, and small if the night is worse than most before.
	P float64
	// Evidence is the evidence after the night that the series has become worse.
	Evidence float64
}

// Alarm is an alarm. Both are indices of nights.
type Alarm struct {
	At    int // the night of the alarm
	Since int // the first night after the change
}

// Watch judges the nights, which are in the order of time, and returns the alarms among them. The
// names of the series and of the nights decide ties.
//
// After an alarm, the nights since the change are the new reference, with a burn-in of their own.
// Evidence also begins anew, with the same reference, at night from.
func (g Gate) Watch(series string, nights []Night, from int) ([]Step, []Alarm) {
	var alarms []Alarm
	steps := make([]Step, len(nights))
	ref, watching := newReference(g.Season), g.detectors()
	seed := text(0, series)
	for i, night := range nights {
		if i == from {
			watching = g.detectors()
		}
		seen := ref.len()
		p := ref.add(night, uniform(text(seed, night.Name)))
		if seen < g.BurnIn || math.IsNaN(p) {
			steps[i] = Step{math.NaN(), math.NaN()}
			continue
		}
		evidence, strongest := watching.add(p, i)
		steps[i] = Step{p, evidence}
		if evidence >= g.Threshold {
			alarms = append(alarms, Alarm{i, strongest.since})
			ref, watching = newReference(g.Season), g.detectors()
			for _, night := range nights[strongest.since : i+1] {
				ref.add(night, 0)
			}
		}
	}
	return steps, alarms
}

// Ranked returns how many of the nights can be compared with others: all or, with a season, all but
// the first at each place in it. Without an alarm, those beyond the burn-in are judged.
func (g Gate) Ranked(nights []Night) int {
	if g.Season == 0 {
		return len(nights)
	}
	ranked, met := 0, make([]bool, g.Season)
	for _, night := range nights {
		place := place(night, g.Season)
		if met[place] {
			ranked++
		}
		met[place] = true
	}
	return ranked
}

// place returns the place of a night in a season.
func place(night Night, season int) int { return (night.Day%season + season) % season }

// reference holds the nights that a night is compared with.
type reference struct {
	season int
	n      int       // nights that have a residual
	sorted []float64 // their values, or residuals
	places []struct {
		sum   float64
		count int
	}
}

func newReference(season int) *reference {
	r := &reference{season: season}
	r.places = make([]struct {
		sum   float64
		count int
	}, season)
	return r
}

func (r *reference) len() int { return r.n }

// add adds a night and returns its p-value. It is NaN for the first night of each place in a
// season, which has no residual.
func (r *reference) add(night Night, u float64) float64 {
	v, ok := r.residual(night)
	if !ok {
		return math.NaN()
	}
	less, _ := slices.BinarySearch(r.sorted, v)
	equal := sort.Search(len(r.sorted)-less, func(i int) bool { return r.sorted[less+i] > v || math.IsNaN(v) })
	if r.n++; !math.IsNaN(v) { // a sum that is too large
		r.sorted = slices.Insert(r.sorted, less, v)
	}
	return (float64(less) + float64(u*float64(1+equal))) / float64(r.n)
}

// residual returns what nights are compared by. With a season, it is a recursive residual (Brown,
// Durbin & Evans 1975): its factor makes the residuals of independent nights of equal variance
// equally variable and, if nights are normal, independent. Without the factor, the first residuals
// would be the most extreme.
func (r *reference) residual(night Night) (v float64, ok bool) {
	if r.season == 0 {
		return night.Value, true
	}
	place := &r.places[place(night, r.season)]
	if n := float64(place.count); n > 0 {
		v, ok = (night.Value-place.sum/n)*math.Sqrt(n/(n+1)), true
	}
	place.sum += night.Value
	place.count++
	return v, ok
}

// detector is an e-detector for one size of a change, in standard deviations.
type detector struct {
	size     float64 // negative for higher values
	evidence float64
	since    int // the night since which the evidence is at least 1
}

type detectors []detector

func (g Gate) detectors() (all detectors) {
	for _, size := range []float64{0.5, 1} {
		all = append(all, detector{size: size, evidence: 1})
		if g.TwoSided {
			all = append(all, detector{size: -size, evidence: 1})
		}
	}
	return all
}

// add adds the p-value of night i. It returns the mean of the evidence, and the detector with the
// most of it: the first, if there are several.
func (all detectors) add(p float64, i int) (evidence float64, strongest *detector) {
	z := score(p)
	for k := range all {
		d := &all[k]
		if d.evidence <= 1 {
			d.evidence, d.since = 1, i
		}
		d.evidence = float64(d.evidence * elementary.Exp(float64(d.size*z)-float64(d.size*d.size/2)))
		evidence += d.evidence
		if strongest == nil || d.evidence > strongest.evidence {
			strongest = d
		}
	}
	return evidence / float64(len(all)), strongest
}

// score returns the number that a standard normal variable exceeds with probability p.
func score(p float64) float64 {
	if p > 0.5 {
		return -confidence.NormalQuantile(float64(2*p) - 1)
	}
	return confidence.NormalQuantile(1 - float64(2*p))
}

// text continues a hash with a text.
func text(h uint64, s string) uint64 {
	for _, b := range []byte(s) {
		h = hash.Mix(bits.RotateLeft64(h, 8) ^ (uint64(b) + 1))
	}
	return hash.Mix(h ^ uint64(len(s)))
}

// uniform turns a hash into a number in (0, 1) that is so coarse that no sum with a rank rounds to
// the next rank.
func uniform(h uint64) float64 { return (float64(h>>32) + 0.5) / (1 << 32) }
