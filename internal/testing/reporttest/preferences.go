package reporttest

import (
	"encoding/json"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// PreferenceReport has systems that were compared in pairs: some share places, one wins all its
// comparisons, and names are hard to write.
func PreferenceReport() *report.Report {
	names := []string{"<b>\xff", "JASA", "=a\n|", "always"}
	r := &report.Report{
		Task: "preference", Rows: report.RowCounts{Read: 52, Evaluated: 52}, Examples: 52, Labels: names, Config: json.RawMessage(`{}`),
		Confidence: &report.Folding{Level: 0.95, Folds: 20},
	}
	r.Metrics = []report.Row{{Name: "first_win_rate", Value: 0.5625, Support: 52}, {Name: "tie_rate", Value: 0.125, Support: 52}}
	interval := func(low, high float64) *report.Confidence {
		return &report.Confidence{Low: low, High: high, StdError: 0.25, DOF: 19, Folds: 20, Method: "jackknife"}
	}
	for i, elo := range []float64{1050, 1016, 934} {
		r.Metrics = append(r.Metrics,
			report.Row{Name: "elo", Label: &names[i], Value: elo, Confidence: interval(elo-32, elo+40), Support: 30},
			report.Row{Name: "win_rate", Label: &names[i], Value: float64(5-i) / 8, Confidence: interval(0.25, 0.75), Support: 30})
	}
	r.Metrics = append(r.Metrics,
		report.Row{Name: "elo", Label: &names[3], Value: NaN, Undefined: "wins all comparisons", Support: 4},
		report.Row{Name: "win_rate", Label: &names[3], Value: 1, Support: 4})
	de := Key("language", slice.String("d\xe9"))
	r.Ranks = []report.Rank{
		{System: names[0], Elo: 1050, Low: 1, High: 2, TiedForFirst: true}, {System: names[1], Elo: 1016, Low: 1, High: 2, TiedForFirst: true},
		{System: names[2], Elo: 934, Low: 3, High: 3},
		{Slice: de, System: names[1], Elo: 1008, Low: 1, High: 2, TiedForFirst: true}, {Slice: de, System: names[0], Elo: 992, Low: 1, High: 2, TiedForFirst: true},
	}
	r.Matches = []report.Match{
		{A: names[0], B: names[1], WinsA: 8.5, WinsB: 5.5, Ties: 2, Comparisons: 16}, {A: names[0], B: names[2], WinsA: 9, WinsB: 3, Ties: 2, Comparisons: 14},
		{A: names[1], B: names[2], WinsA: 12, WinsB: 6, Comparisons: 18}, {A: names[0], B: names[3], WinsB: 4, Comparisons: 4},
	}
	return r
}
