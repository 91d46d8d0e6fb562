package report

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/beameval/beameval/internal/elementary"
	"github.com/beameval/beameval/io/quote"
)

// Confidence says how sure the value of a metric is: what other examples of the same kind
// would give. The end of an interval that is not finite is left out when it is written.
type Confidence struct {
	Low, High  float64 // of the interval; NaN without one
	StdError   float64 // NaN if it is unknown
	DOF        float64 // degrees of freedom; NaN if they are unknown
	Groups     int     // with examples of the slice
	Method     string  // "wilson" or "jackknife"; "" without an interval
	NoInterval string  // why there is no interval; "" with one
	Warning    string  // why the interval may be too narrow, such as "heavy tails"; "" without a reason
}

// hasInterval says whether both ends are known.
func (c *Confidence) hasInterval() bool {
	return c != nil && c.NoInterval == "" && finite(c.Low) && finite(c.High)
}

// Grouping says into which groups the examples were divided for Confidence.
type Grouping struct {
	Level     float64 // of the intervals, such as 0.95
	Groups    int
	By        string // the column whose values were divided
	Seed      uint64
	Clustered bool // several examples may have one value of By
	// Digests has one item for each group. Reports with equal digests are of the same
	// examples with the same labels.
	Digests []GroupDigest
}

// GroupDigest identifies the examples of a group and their labels.
type GroupDigest struct {
	Rows   int64
	Digest uint64
}

// confidenceJSON is a Grouping in metrics.json. A digest is a text of hexadecimal digits:
// not every reader of JSON keeps 64 bits of a number.
type confidenceJSON struct {
	Level     float64      `json:"level"`
	Groups    int          `json:"groups"`
	By        string       `json:"by"`
	Seed      uint64       `json:"seed"`
	Clustered bool         `json:"clustered"`
	Digests   []digestJSON `json:"digests" layout:"lines"`
}

type digestJSON struct {
	Rows   int64  `json:"rows"`
	Digest string `json:"digest"`
}

func (g *Grouping) json() *confidenceJSON {
	if g == nil {
		return nil
	}
	return &confidenceJSON{
		Level: g.Level, Groups: g.Groups, By: quote.Escape(g.By), Seed: g.Seed, Clustered: g.Clustered,
		Digests: mapped(g.Digests, func(d GroupDigest) digestJSON { return digestJSON{d.Rows, fmt.Sprintf("%016x", d.Digest)} }),
	}
}

func (c *confidenceJSON) grouping() (*Grouping, error) {
	if c == nil {
		return nil, nil
	}
	g := &Grouping{Level: c.Level, Groups: c.Groups, By: quote.Unescape(c.By), Seed: c.Seed, Clustered: c.Clustered}
	for i, d := range c.Digests {
		digest, err := strconv.ParseUint(d.Digest, 16, 64)
		if err != nil || len(d.Digest) != 16 {
			return nil, fmt.Errorf("the digest of group %d is %q, not 16 hexadecimal digits", i, d.Digest)
		}
		g.Digests = append(g.Digests, GroupDigest{d.Rows, digest})
	}
	return g, nil
}

// rowConfidence is the Confidence of a metric row in metrics.json. Numbers that are not
// finite are left out; there are groups if there is a Confidence.
type rowConfidence struct {
	Low        *float64 `json:"ci_low,omitempty"`
	High       *float64 `json:"ci_high,omitempty"`
	StdError   *float64 `json:"std_error,omitempty"`
	DOF        *float64 `json:"dof,omitempty"`
	Groups     *int     `json:"groups,omitempty"`
	Method     string   `json:"ci_method,omitempty"`
	NoInterval string   `json:"no_interval,omitempty"`
	Warning    string   `json:"ci_warning,omitempty"`
}

// appendMembers appends c as encoding/json writes a rowConfidence, after other members.
func (c *Confidence) appendMembers(dst []byte, text func([]byte, string) []byte) []byte {
	if c == nil {
		return dst
	}
	number := func(name string, f float64) {
		if finite(f) {
			dst = appendNumber(append(dst, name...), f)
		}
	}
	number(`,"ci_low":`, c.Low)
	number(`,"ci_high":`, c.High)
	number(`,"std_error":`, c.StdError)
	number(`,"dof":`, c.DOF)
	dst = strconv.AppendInt(append(dst, `,"groups":`...), int64(c.Groups), 10)
	if c.Method != "" {
		dst = text(append(dst, `,"ci_method":`...), quote.Valid(c.Method))
	}
	if c.NoInterval != "" {
		dst = text(append(dst, `,"no_interval":`...), quote.Valid(c.NoInterval))
	}
	if c.Warning != "" {
		dst = text(append(dst, `,"ci_warning":`...), quote.Valid(c.Warning))
	}
	return dst
}

func (r *rowConfidence) confidence() *Confidence {
	if r.Groups == nil {
		return nil
	}
	return &Confidence{
		Low: *cmp.Or(r.Low, &nan), High: *cmp.Or(r.High, &nan), StdError: *cmp.Or(r.StdError, &nan), DOF: *cmp.Or(r.DOF, &nan),
		Groups: *r.Groups, Method: r.Method, NoInterval: r.NoInterval, Warning: r.Warning,
	}
}

// noInterval says why there is no interval for r, or "".
func (r *Row) noInterval() string {
	if r.Confidence == nil {
		return ""
	}
	return r.Confidence.NoInterval
}

// confidenceNote explains the intervals for people, or says why no metric of all examples has
// one; "" if they were not asked for.
func (r *Report) confidenceNote() string {
	g := r.Confidence
	if g == nil {
		return ""
	}
	by := ""
	if g.By != "" {
		by = " by " + quote.Visible(g.By)
	}
	groups, some := 0, false
	for i := range r.Metrics {
		if row := &r.Metrics[i]; len(row.Slice) == 0 && row.Confidence != nil {
			groups, some = max(groups, row.Confidence.Groups), some || row.Confidence.hasInterval()
		}
	}
	if !some && groups < leastGroups {
		return fmt.Sprintf("There are no confidence intervals: examples are in %d of the %d groups%s, and %d are needed.", groups, g.Groups, by, leastGroups)
	}
	from := strconv.Itoa(groups)
	if groups < g.Groups { // few examples or clusters
		from = fmt.Sprintf("examples in %d of %d", groups, g.Groups)
	}
	return fmt.Sprintf("± and [ ]: %s%% confidence, from %s groups%s.", strconv.FormatFloat(g.Level*100, 'g', 4, 64), from, by)
}

// leastGroups is how many groups must have examples for intervals; see package confidence.
const leastGroups = 10

// skewed is how many times as wide as the other half one half of an interval may be for ±.
const skewed = 1.5

// around writes a value and its interval for people: 0.935 ± 0.010, or 0.871 [0.730, 0.944]
// if one half of the interval is much wider than the other. The width has two significant
// digits, and what is shown covers the interval.
func (c *Confidence) around(value float64) string {
	below, above := value-c.Low, c.High-value
	wide, narrow := max(below, above), min(below, above)
	places, fixed := 0, wide > 0
	if fixed {
		_, fixed = decimals(max(math.Abs(value), wide))
		places = max(0, 1-elementary.Exponent10(wide))
	}
	if !fixed || places > 9 {
		return number(value) + " [" + number(c.Low) + ", " + number(c.High) + "]"
	}
	unit := math.Pow10(places)
	text := func(units float64) string { return strconv.FormatFloat(units/unit+0, 'f', places, 64) }
	center := math.RoundToEven(value * unit)
	if narrow*skewed < wide {
		return text(center) + " [" + text(math.Floor(float64(c.Low*unit)+1e-6)) + ", " + text(math.Ceil(float64(c.High*unit)-1e-6)) + "]"
	}
	return text(center) + " ± " + text(math.Ceil(max(float64(c.High*unit)-center, center-float64(c.Low*unit))-1e-6))
}
