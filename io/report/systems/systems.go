// Package systems is the part of a report about systems that were compared in pairs.
package systems

import (
	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// Rank is the rank of a system in a slice, as an interval: from 1 + the number of systems that are
// significantly stronger to the number of systems with a strength that are not significantly
// weaker.
type Rank struct {
	Slice        slice.Key
	System       string
	Elo          float64
	Low, High    int
	TiedForFirst bool // Low is 1
}

// Match has the weights of the outcomes of comparisons of two systems.
type Match struct {
	A           string  `json:"a"`
	B           string  `json:"b"`
	WinsA       float64 `json:"a_wins"`
	WinsB       float64 `json:"b_wins"`
	Ties        float64 `json:"ties"`
	Comparisons int64   `json:"comparisons"` // their number
}

// RankJSON is a rank in metrics.json.
type RankJSON struct {
	Metric       string    `json:"metric"`
	Slice        slice.Key `json:"slice"`
	System       string    `json:"system"`
	Value        *float64  `json:"value"`
	Low          int       `json:"rank_low"`
	High         int       `json:"rank_high"`
	TiedForFirst bool      `json:"tied_for_first"`
}

// JSON returns ranks as metrics.json has them.
func JSON(ranks []Rank) []RankJSON {
	return lists.Map(ranks, func(r Rank) RankJSON {
		return RankJSON{"elo", r.Slice, quote.Escape(r.System), numbers.OrNil(r.Elo), r.Low, r.High, r.TiedForFirst}
	})
}

// Ranks returns the ranks that metrics.json describes.
func Ranks(list []RankJSON) []Rank {
	return lists.Map(list, func(j RankJSON) Rank {
		return Rank{j.Slice, quote.Unescape(j.System), numbers.OrNaN(j.Value), j.Low, j.High, j.TiedForFirst}
	})
}

// Matches returns matches with changed names: [quote.Escape] for metrics.json, or [quote.Unescape]
// from it.
func Matches(list []Match, name func(string) string) []Match {
	return lists.Map(list, func(m Match) Match {
		m.A, m.B = name(m.A), name(m.B)
		return m
	})
}
