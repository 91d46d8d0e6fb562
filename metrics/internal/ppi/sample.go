package ppi

import (
	"math"
	"math/big"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/multiprecision"
)

// Sample is what estimates are computed from if rows were drawn from strata to be labelled, each with a known
// probability π, while all rows have a judgement. A row with a label weighs w = 1/π. The zero Sample is empty and ready
// to use. [Sample.Estimate] says how it estimates.
type Sample struct {
	strata fields.Keyed[Sums, *Sums] // of the rows with a label, by stratum
	once   Sums                      // of all rows; each weighs 1
}

// AddLabelled adds a row that was drawn from a stratum, and labelled.
func (s *Sample) AddLabelled(stratum uint64, w, y, f float64) {
	if w == 0 {
		return
	}
	s.strata.Value(stratum).AddLabelled(w, y, f)
	s.once.AddLabelled(1, y, f)
}

// AddUnlabelled adds a row without a label.
func (s *Sample) AddUnlabelled(f float64) { s.once.AddUnlabelled(1, f) }

// JudgedMean returns the mean of the judgements of all rows, or the reason for which there is none.
func (s *Sample) JudgedMean() (mean float64, why string) { return s.once.JudgedMean() }

// Judged returns the number of rows.
func (s *Sample) Judged() int64 { return s.once.Judged() }

// Fields lists the fields.
func (s *Sample) Fields(v *fields.Visitor, from *Sample) {
	s.strata.Fields(v, &from.strata)
	s.once.Fields(v, &from.once)
}

// Empty reports whether there are no rows.
func (s *Sums) Empty() bool { return s.labelled.rows.Empty() && s.unlabelled.rows.Empty() }

// SampleShares are the Samples of each class, as [Shares] are the Sums.
type SampleShares struct {
	strata fields.Keyed[Shares, *Shares]
	once   Shares
}

// AddLabelled adds a row that was drawn from a stratum, whose label is class y and whose judgement is class f.
func (s *SampleShares) AddLabelled(stratum uint64, w float64, y, f int32) {
	if w == 0 {
		return
	}
	s.strata.Value(stratum).AddLabelled(w, y, f)
	s.once.AddLabelled(1, y, f)
}

// AddUnlabelled adds a row without a label whose judgement is class f.
func (s *SampleShares) AddUnlabelled(f int32) { s.once.AddUnlabelled(1, f) }

// Of returns the sample of a class. Adding to it, or to s, may change the other.
func (s *SampleShares) Of(class int) *Sample {
	of := &Sample{once: *s.once.Of(class)}
	for stratum, shares := range s.strata.All() {
		*of.strata.Value(stratum) = *shares.Of(class)
	}
	return of
}

// Weighted returns the shares of the rows with a label, which weigh 1/π.
func (s *SampleShares) Weighted() *Shares {
	all := new(Shares)
	for _, shares := range s.strata.All() {
		fields.Merge(all, shares)
	}
	return all
}

// Judged returns the number of rows.
func (s *SampleShares) Judged() int64 { return s.once.Judged() }

// Below reports whether all classes are less than limit.
func (s *SampleShares) Below(limit int) bool {
	for _, shares := range s.strata.All() {
		if !shares.Below(limit) {
			return false
		}
	}
	return s.once.Below(limit)
}

// Fields lists the fields.
func (s *SampleShares) Fields(v *fields.Visitor, from *SampleShares) {
	s.strata.Fields(v, &from.strata)
	s.once.Fields(v, &from.once)
}

// Empty reports whether there are no rows.
func (s *Shares) Empty() bool { return s.labelled.rows.Empty() && s.unlabelled.rows.Empty() }

// Design says how rows were drawn, and what estimates are about.
type Design struct {
	// Strata has each stratum of all rows. If the rows of a Sample are some of these, such as the rows of a slice, the others
	// count as well: how many of the rows that were drawn from a stratum are in the slice is chance.
	Strata map[uint64]Stratum
	// Finite says that estimates are about the rows themselves; otherwise, about the process that made them.
	Finite bool
}

// Weight returns the number of rows for which the labelled rows of all strata stand.
func (d Design) Weight() float64 {
	var sum exact.Sum
	for _, h := range d.Strata {
		sum.Add(h.Weight)
	}
	return sum.Float64()
}

// Stratum is the rows with a label of a stratum: how many there are, and the rows for which they stand, Σ 1/π.
type Stratum struct {
	Rows   int64
	Weight float64
}

// Strata returns the strata.
func (s *Sample) Strata() map[uint64]Stratum {
	strata := map[uint64]Stratum{}
	for key, of := range s.strata.All() {
		strata[key] = Stratum{of.labelled.rows.Rows(), of.labelled.rows.Weight()}
	}
	return strata
}

// Strata returns the strata.
func (s *SampleShares) Strata() map[uint64]Stratum { return s.Of(0).Strata() }

// Centre has what the rows of a sample deviate from: the weighted means of labels and of judgements over the rows with a
// label.
type Centre struct{ weight, y, f *big.Float } // Σ w, ȳ, f̄

// Centre returns the centre, or the reason for which there is none.
func (s *Sample) Centre() (c Centre, why string) {
	c = Centre{multiprecision.Zero(), multiprecision.Zero(), multiprecision.Zero()}
	for _, of := range s.strata.All() {
		y, finite := of.y.mean.Big()
		f, also := of.labelled.f.mean.Big()
		if !finite || !also {
			return c, TooLarge
		}
		c.weight.Add(c.weight, of.labelled.rows.Big())
		c.y.Add(c.y, y)
		c.f.Add(c.f, f)
	}
	if c.weight.Sign() <= 0 {
		return c, NoLabels
	}
	c.y.Quo(c.y, c.weight)
	c.f.Quo(c.f, c.weight)
	return c, ""
}

// Moved returns by how much some rows with a label move the mean of labels and the mean of judgements: Σ w (y - ȳ) / Σ w, where
// the first sum is over these rows, and the same of f. Such numbers of the parts of a sample add up to 0.
func (c Centre) Moved(rows *Sample) (y, f float64) {
	of, why := rows.Centre()
	if why != "" { // no rows
		return 0, 0
	}
	share := multiprecision.Over(of.weight, c.weight)
	return float64(share * less(of.y, c.y)), float64(share * less(of.f, c.f))
}

// less returns x - y.
func less(x, y *big.Float) float64 {
	d, _ := multiprecision.Difference(x, y).Float64()
	return d
}

// Trust is how an estimate uses judgements: κ and R of [Sample.Estimate].
type Trust struct{ Kappa, Ratio float64 }

// Estimate returns the estimate, or the reason for which there is none. With fewer than two labels, or with a stratum from which
// only one row was drawn, the standard errors are NaN; with fewer than two labels, so is the correlation.
//
// There are N rows, and n labels. Stratum h has N_h rows and n_h labels, so that π = n_h/N_h: N_h is Σ w over its
// labels, and no row without a label need know its stratum. Let W_h = N_h/N, and let ȳ_h and f̄_h be means over the labels of
// the stratum. With the mean f̄_N of all N judgements, the estimate of the mean of y is (Fisch et al. 2024)
//
//	θ = κ f̄_N + Σ W_h (ȳ_h - κ f̄_h),
//
// the difference estimator of survey sampling (Särndal, Swensson & Wretman 1992), without bias for any κ. Σ W_h ȳ_h is the
// mean of y with weights w.
//
// A stratum's labelled rows are a share π of it, so they make a share π of its judgements in f̄_N. In the labelled rows,
// θ is therefore the mean of y - κ(1 - π) f; the other N_h - n_h rows, independent of these, add κ f / N each. With
// Q_h(x) = W_h² s_h²(x) / n_h, where s_h² is the variance over the n_h labels (divided by n_h - 1), and likewise Q_h(x, x')
// from the covariance, the variance of θ is, about the process that made the rows,
//
//	V = Σ Q_h(y - κ(1 - π_h) f)  +  κ² Σ π_h (1 - π_h) R Q_h(f)  +  Σ W_h (ȳ_h - θ)² / N.
//
// The second sum is κ²/N² Σ (N_h - n_h) s_h²(f), the variance of the other rows' judgements within strata. R corrects it by what
// is known of these: it is the variance of all judgements without a label, divided by what the labelled rows say it is,
// within and between strata. The third sum is the variance between strata, which judgements do not lessen: the process
// decides how large strata are. About the N rows themselves (Design.Finite), V is Σ (1 - π_h) Q_h(y - κ f).
//
// Without a fixed stratum size, as in a slice, the same holds with n_h and N_h of the whole stratum, and with y - ȳ in place of
// y, which is 0 in rows outside of the slice; so does it for rows of one stratum whose π differ, taken as drawn with
// replacement.
//
// κ minimizes the first V, also for Finite, which changes no value:
//
//	κ = Σ (1 - π_h) Q_h(y, f) / Σ (1 - π_h) (1 - π_h + π_h R) Q_h(f).
//
// Estimate.Lambda is λ = κ (N - n) / N, within [0, 1]: θ is Σ W_h ȳ_h + λ (f̃ - f̄) if f̃ is the mean of the judgements
// without a label and there is one stratum. Then λ and θ are as [Sums.Estimate] has them, and V is n / (n - 1) times as large.
func (s *Sample) Estimate(d Design) (e Estimate, t Trust, why string) {
	c, why := s.Centre()
	if why != "" {
		return e, t, why
	}
	strata, labels, why := s.scatter(c, d)
	if why != "" {
		return e, t, why
	}
	e.Correlation = correlated(strata)
	estimate := c.y
	if of := &s.once; !of.unlabelled.rows.Empty() {
		var apart *big.Float
		if apart, t.Ratio, why = s.pool(c, strata); why != "" {
			return e, t, why
		}
		e.Lambda, t.Kappa = trust(strata, t.Ratio, float64(of.unlabelled.rows.Rows())/float64(of.Judged()))
		estimate = multiprecision.Zero().Add(c.y, multiprecision.Product(big.NewFloat(e.Lambda), apart))
	}
	e.Mean, _ = estimate.Float64()
	e.LabelMean, _ = c.y.Float64()
	e.StdError, e.LabelStdError = variance(strata, t, d.Finite), variance(strata, Trust{}, d.Finite)
	if labels < 2 {
		e.Correlation, e.StdError, e.LabelStdError = math.NaN(), math.NaN(), math.NaN()
	}
	e.StdError, e.LabelStdError = math.Sqrt(max(e.StdError, 0)), math.Sqrt(max(e.LabelStdError, 0))
	return e, t, ""
}

// pool compares the judgements of all rows and of the rows with a label. apart is N / (N - n) · (f̄_N - f̄), and ratio is R.
func (s *Sample) pool(c Centre, strata []scatter) (apart *big.Float, ratio float64, why string) {
	others, why := s.once.unlabelled.moments()
	if why != "" {
		return nil, 0, why
	}
	labelled, finite := s.once.labelled.f.mean.Big()
	if !finite {
		return nil, 0, TooLarge
	}
	all := multiprecision.Zero().Add(labelled, others.f.total)
	rows := multiprecision.Zero().Add(s.once.labelled.rows.Big(), others.weight)
	apart = multiprecision.Difference(all, multiprecision.Product(rows, c.f))
	apart.Quo(apart, others.weight)
	found, _ := multiprecision.Product(others.covariance(others.ff, others.f, others.f), others.weight).Float64()
	if expected := expectedVariance(strata); expected > 0 {
		return apart, found / expected, ""
	}
	return apart, 0, ""
}
