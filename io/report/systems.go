package report

import (
	"fmt"
	"strconv"

	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// Rank is the rank of a system that was compared with others in pairs, in a slice. It is an interval: from 1 + the number of systems that are
// significantly stronger to the number of systems with a strength that are not significantly
// weaker.
type Rank struct {
	Slice        slice.Key
	System       string
	Elo          float64
	Low, High    int
	TiedForFirst bool // Low is 1
}

// Places returns an interval of places, such as 1–3.
func Places(low, high int) string {
	if low == high {
		return strconv.Itoa(low)
	}
	return fmt.Sprintf("%d–%d", low, high)
}

// Match has the weights of the outcomes of comparisons of two systems.
type Match struct {
	A, B         string
	WinsA, WinsB float64
	Ties         float64
	Comparisons  int64 // their number
}

var (
	rankTable  = tabular.Table[Rank]{Name: "ranks", Row: "rank", Columns: columnsOfRanks}
	matchTable = tabular.Table[Match]{Name: "comparisons", Row: "comparison", Columns: columnsOfMatches}
)

func columnsOfRanks([]string) []tabular.Column[Rank] {
	return []tabular.Column[Rank]{
		tabular.Text("metric", func(*Rank) *string { return new("elo") }),
		tabular.Slice(func(r *Rank) *slice.Key { return &r.Slice }),
		tabular.Name("system", func(r *Rank) *string { return &r.System }),
		tabular.Number("value", func(r *Rank) *float64 { return &r.Elo }),
		tabular.Count("rank_low", func(r *Rank) *int { return &r.Low }),
		tabular.Count("rank_high", func(r *Rank) *int { return &r.High }),
		tabular.Flag("tied_for_first", func(r *Rank) *bool { return &r.TiedForFirst }),
	}
}

func columnsOfMatches([]string) []tabular.Column[Match] {
	return []tabular.Column[Match]{
		tabular.Name("a", func(m *Match) *string { return &m.A }),
		tabular.Name("b", func(m *Match) *string { return &m.B }),
		tabular.Number("a_wins", func(m *Match) *float64 { return &m.WinsA }),
		tabular.Number("b_wins", func(m *Match) *float64 { return &m.WinsB }),
		tabular.Number("ties", func(m *Match) *float64 { return &m.Ties }),
		tabular.Whole("comparisons", func(m *Match) *int64 { return &m.Comparisons }),
	}
}
