package report

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/tabular"
)

// Confidence describes the uncertainty of a metric's value: how much it would vary with other
// examples of the same kind. An end of an interval that is not finite is omitted in files.
type Confidence struct {
	Low, High  float64 // of the interval; NaN if there is none
	StdError   float64 // NaN if unknown
	DOF        float64 // degrees of freedom; NaN if unknown
	Folds      int     // number of groups that have examples of the slice
	Method     string  // "wilson", "normal", "projection" or "jackknife"; "" if there is no interval
	NoInterval string  // why there is no interval; "" if there is one
	Warning    string  // why the interval may be too narrow, such as "heavy tails"; otherwise ""
}

// HasInterval reports whether both ends are known.
func (c *Confidence) HasInterval() bool {
	return c != nil && c.NoInterval == "" && floats.Finite(c.Low) && floats.Finite(c.High)
}

// Estimate is a number that is not in metric rows, with its interval. What is unknown is NaN.
type Estimate struct{ Value, Low, High float64 }

// UnknownEstimate returns an estimate without any numbers.
func UnknownEstimate() Estimate { return Estimate{math.NaN(), math.NaN(), math.NaN()} }

// Interval returns the interval of the estimate.
func (e *Estimate) Interval() *Confidence { return &Confidence{Low: e.Low, High: e.High} }

// ColumnsOfEstimate returns the columns of an estimate: NAME, NAME_ci_low and NAME_ci_high.
func ColumnsOfEstimate[T any](name string, of func(*T) *Estimate) []tabular.Column[T] {
	return []tabular.Column[T]{
		tabular.Number(name, func(row *T) *float64 { return &of(row).Value }),
		tabular.Number(name+"_ci_low", func(row *T) *float64 { return &of(row).Low }),
		tabular.Number(name+"_ci_high", func(row *T) *float64 { return &of(row).High }),
	}
}

// Folding describes how the examples were divided into folds for Confidence, which files and settings call groups.
type Folding struct {
	Level     float64 // of the intervals, such as 0.95
	Folds     int
	By        string // column by whose values the examples were divided
	Position  bool   // no column: the examples are rows, divided by their positions in files
	Seed      uint64
	Clustered bool // several examples may share a value of By
	// Digests has one element for each fold. Reports with equal digests cover the same examples
	// with the same labels.
	Digests []FoldDigest
}

// FoldDigest identifies the examples of a fold and their labels.
type FoldDigest struct {
	Rows   int64
	Digest uint64
}

// confidenceJSON is a Folding in metrics.json. A digest is a string of hexadecimal digits, because
// some readers of JSON do not keep all 64 bits of a number.
type confidenceJSON struct {
	Level     float64      `json:"level"`
	Groups    int          `json:"groups"`
	By        string       `json:"by"`
	Position  bool         `json:"position,omitempty"`
	Seed      uint64       `json:"seed"`
	Clustered bool         `json:"clustered"`
	Digests   []digestJSON `json:"digests" layout:"lines"`
}

type digestJSON struct {
	Rows   int64  `json:"rows"`
	Digest string `json:"digest"`
}

func (f *Folding) json() *confidenceJSON {
	if f == nil {
		return nil
	}
	return &confidenceJSON{
		Level: f.Level, Groups: f.Folds, By: quote.Escape(f.By), Position: f.Position, Seed: f.Seed, Clustered: f.Clustered,
		Digests: collections.Map(f.Digests, func(d FoldDigest) digestJSON { return digestJSON{d.Rows, fmt.Sprintf("%016x", d.Digest)} }),
	}
}

func (c *confidenceJSON) folding() (*Folding, error) {
	if c == nil {
		return nil, nil
	}
	f := &Folding{Level: c.Level, Folds: c.Groups, By: quote.Unescape(c.By), Position: c.Position, Seed: c.Seed, Clustered: c.Clustered}
	for i, d := range c.Digests {
		digest, err := strconv.ParseUint(d.Digest, 16, 64)
		if err != nil || len(d.Digest) != 16 {
			return nil, fmt.Errorf("the digest of group %d is %q, not 16 hexadecimal digits", i, d.Digest)
		}
		f.Digests = append(f.Digests, FoldDigest{d.Rows, digest})
	}
	return f, nil
}

// NoInterval returns why r has no interval, or "".
func (r *Row) NoInterval() string { return cmp.Or(r.Confidence, new(Confidence)).NoInterval }

// Bounds contain the exact value of a metric whose reported value is inexact. Both ends are
// included and have the unit of the value. An end that is not finite is no bound and is written as
// null.
type Bounds struct{ Low, High float64 }

// FiniteBounds returns the bounds to write for r, or nil if the value is exact or neither end is
// finite.
func (r *Row) FiniteBounds() *Bounds {
	if i := r.Bounds; i != nil && (floats.Finite(i.Low) || floats.Finite(i.High)) {
		return i
	}
	return nil
}

// compareBounds orders exact values first: NaN is less than any bound.
func compareBounds(a, b *Bounds) int {
	exact := &Bounds{math.NaN(), math.NaN()}
	a, b = cmp.Or(a, exact), cmp.Or(b, exact)
	return cmp.Or(cmp.Compare(a.Low, b.Low), cmp.Compare(a.High, b.High))
}
