package leaderboard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// leaderboardFile is the comparison.json of a leaderboard; see [report.WriteObject] for the layout.
type leaderboardFile struct {
	Schema      string                       `json:"schema"`
	Task        string                       `json:"task"`
	Reference   string                       `json:"reference"`
	Level       float64                      `json:"level"`
	Adjust      comparison.Adjustment        `json:"adjust"`
	OverMetrics bool                         `json:"adjust_over_metrics"`
	AllPairs    bool                         `json:"all_pairs"`
	Headline    []string                     `json:"headline"`
	Systems     []System                     `json:"systems" layout:"lines"`
	Gates       []gateJSON                   `json:"gates,omitempty" layout:"lines"`
	DataSets    []dataSetsJSON               `json:"data_sets,omitempty" layout:"lines"`
	Ranks       report.Lines[rankJSON]       `json:"ranks" layout:"lines"`
	Differences report.Lines[differenceJSON] `json:"differences" layout:"lines"`
	Warnings    []string                     `json:"warnings" layout:"lines"`
}

// rankJSON is a rank in comparison.json. Unknown numbers are null.
type rankJSON struct {
	Metric       string    `json:"metric"`
	Slice        slice.Key `json:"slice"`
	Label        *string   `json:"label"`
	Data         string    `json:"data,omitempty"`
	System       string    `json:"system"`
	Value        *float64  `json:"value"`
	ValueLow     *float64  `json:"ci_low"`
	ValueHigh    *float64  `json:"ci_high"`
	Low          *int      `json:"rank_low"`
	High         *int      `json:"rank_high"`
	TiedForFirst bool      `json:"tied_for_first"`
	Best         bool      `json:"best"`
	Reason       string    `json:"reason,omitempty"`
}

// differenceJSON is a difference in comparison.json. Unknown numbers are null.
type differenceJSON struct {
	Name           string             `json:"name"`
	Slice          slice.Key          `json:"slice"`
	Label          *string            `json:"label"`
	Data           string             `json:"data,omitempty"`
	SystemA        string             `json:"a"`
	SystemB        string             `json:"b"`
	A              *float64           `json:"value_a"`
	B              *float64           `json:"value_b"`
	Difference     *float64           `json:"difference"`
	StdError       *float64           `json:"std_error"`
	Low            *float64           `json:"ci_low"`
	High           *float64           `json:"ci_high"`
	DOF            *float64           `json:"dof"`
	Groups         int                `json:"groups"`
	PValue         *float64           `json:"p_value"`
	PAdjusted      *float64           `json:"p_adjusted"`
	PPairedT       *float64           `json:"p_paired_t,omitempty"`
	PRandomization *float64           `json:"p_randomization,omitempty"`
	Pairing        comparison.Pairing `json:"pairing"`
	Verdict        comparison.Verdict `json:"verdict"`
	Reason         string             `json:"reason,omitempty"`
}

// dataSetsJSON is a test over data sets in comparison.json. Unknown numbers are null.
type dataSetsJSON struct {
	Metric             string         `json:"metric"`
	DataSets           int            `json:"data_sets"`
	MeanRanks          []meanRankJSON `json:"mean_ranks"`
	ChiSquare          *float64       `json:"chi_square"`
	DOF                *float64       `json:"dof"`
	PValue             *float64       `json:"p_value"`
	CriticalDifference *float64       `json:"critical_difference"`
	Reason             string         `json:"reason,omitempty"`
}

type meanRankJSON struct {
	System string   `json:"system"`
	Mean   *float64 `json:"mean_rank"`
}

// gateJSON is the result of a gate for a system.
type gateJSON struct {
	System string `json:"system"`
	Data   string `json:"data,omitempty"`
	report.GateJSON
}

// WriteJSON writes comparison.json as [Write] does.
func (l *Leaderboard) WriteJSON(w io.Writer) error {
	valid := quote.Valid
	systems := slices.Clone(l.Systems)
	for i := range systems {
		s := &systems[i]
		s.Name, s.Path, s.Data, s.Date = valid(s.Name), valid(s.Path), valid(s.Data), valid(s.Date)
	}
	return report.WriteObject(w, leaderboardFile{
		Schema: Schema, Task: valid(l.Task), Reference: valid(l.Reference), Level: l.Level, Adjust: l.Adjust, OverMetrics: l.OverMetrics,
		AllPairs: l.AllPairs, Headline: lists.Map(l.Headline, valid), Systems: systems, Warnings: lists.Map(l.Warnings, valid),
		Gates:    lists.Map(l.Gates, func(g Gate) gateJSON { return gateJSON{valid(g.System), valid(g.Data), g.JSON()} }),
		DataSets: lists.Map(l.DataSets, DataSetsTest.json),
		Ranks: func(yield func(rankJSON) bool) {
			for i := range l.Ranks {
				if !yield(l.Ranks[i].json()) {
					return
				}
			}
		},
		Differences: func(yield func(differenceJSON) bool) {
			for _, d := range l.Differences.All() {
				if !yield(d.json()) {
					return
				}
			}
		},
	})
}

func (r *Rank) json() rankJSON {
	valid := quote.Valid
	out := rankJSON{
		Metric: valid(r.Metric), Slice: r.Slice, Label: tabular.LabelText(r.Label), Data: valid(r.Data), System: valid(r.System),
		Value: numbers.OrNil(r.Value), ValueLow: numbers.OrNil(r.ValueLow), ValueHigh: numbers.OrNil(r.ValueHigh),
		TiedForFirst: r.TiedForFirst, Best: r.Best, Reason: valid(r.Reason),
	}
	if ranked(r) {
		out.Low, out.High = &r.Low, &r.High
	}
	return out
}

func (d *Difference) json() differenceJSON {
	valid := quote.Valid
	return differenceJSON{
		valid(d.Name), d.Slice, tabular.LabelText(d.Label), valid(d.Data), valid(d.SystemA), valid(d.SystemB), numbers.OrNil(d.A), numbers.OrNil(d.B),
		numbers.OrNil(d.Difference), numbers.OrNil(d.StdError), numbers.OrNil(d.Low), numbers.OrNil(d.High), numbers.OrNil(d.DOF), d.Groups,
		numbers.OrNil(d.PValue), numbers.OrNil(d.PAdjusted), numbers.OrNil(d.PPairedT), numbers.OrNil(d.PRandomization), d.Pairing, d.Verdict, valid(d.Reason),
	}
}

func (t DataSetsTest) json() dataSetsJSON {
	return dataSetsJSON{
		quote.Valid(t.Metric), t.DataSets,
		lists.Map(t.MeanRanks, func(m MeanRank) meanRankJSON { return meanRankJSON{quote.Valid(m.System), numbers.OrNil(m.Mean)} }),
		numbers.OrNil(t.ChiSquare), numbers.OrNil(t.DOF), numbers.OrNil(t.PValue), numbers.OrNil(t.CriticalDifference), quote.Valid(t.Reason),
	}
}

// Is reports whether a comparison.json is that of a leaderboard.
func Is(data []byte) bool {
	var file struct{ Schema string }
	return json.Unmarshal(data, &file) == nil && file.Schema == Schema
}

// Read reads the comparison.json of a leaderboard. A null number becomes NaN.
func Read(data []byte) (*Leaderboard, error) {
	var file leaderboardFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("leaderboard: %w", err)
	}
	if file.Schema != Schema {
		return nil, fmt.Errorf("leaderboard: the schema is %q, not %q: compare again, or use the version of beameval that wrote the comparison", file.Schema, Schema)
	}
	if err := file.check(); err != nil {
		return nil, fmt.Errorf("leaderboard: %w", err)
	}
	l := &Leaderboard{
		Task: file.Task, Level: file.Level, Adjust: file.Adjust, OverMetrics: file.OverMetrics, AllPairs: file.AllPairs, Reference: file.Reference,
		Systems: file.Systems, Headline: file.Headline, Warnings: report.OrNil(file.Warnings),
		Gates:    lists.Map(file.Gates, func(g gateJSON) Gate { return Gate{g.System, g.Data, g.Result()} }),
		DataSets: lists.Map(file.DataSets, dataSetsJSON.test),
		Ranks:    lists.Map(file.Ranks.List(), rankJSON.rank),
	}
	l.Differences.Append(lists.Map(file.Differences.List(), differenceJSON.difference)...)
	return l, nil
}

// check returns an error if a value is invalid: a file may have been edited.
func (file *leaderboardFile) check() error {
	if !(file.Level > 0 && file.Level < 1) {
		return fmt.Errorf("level: %v: expected a number between 0 and 1", file.Level)
	}
	if err := quote.OneOf("adjust", file.Adjust, Adjustments()); err != nil {
		return err
	}
	names := lists.Map(file.Systems, func(s System) string { return s.Name })
	for i, d := range file.Differences.List() {
		if err := cmp.Or(quote.OneOf("pairing", d.Pairing, differences.Pairings()), quote.OneOf("verdict", d.Verdict, differences.Verdicts()),
			quote.OneOf("a", d.SystemA, names), quote.OneOf("b", d.SystemB, names)); err != nil {
			return fmt.Errorf("difference %d: %w", i+1, err)
		}
	}
	for i, r := range file.Ranks.List() {
		if err := quote.OneOf("system", r.System, names); err != nil {
			return fmt.Errorf("rank %d: %w", i+1, err)
		}
	}
	return report.CheckGates(lists.Map(file.Gates, func(g gateJSON) report.GateJSON { return g.GateJSON }))
}

func (t dataSetsJSON) test() DataSetsTest {
	return DataSetsTest{
		Metric: t.Metric, DataSets: t.DataSets, ChiSquare: numbers.OrNaN(t.ChiSquare), DOF: numbers.OrNaN(t.DOF), PValue: numbers.OrNaN(t.PValue),
		CriticalDifference: numbers.OrNaN(t.CriticalDifference), Reason: t.Reason,
		MeanRanks: lists.Map(t.MeanRanks, func(m meanRankJSON) MeanRank { return MeanRank{m.System, numbers.OrNaN(m.Mean)} }),
	}
}

func (r rankJSON) rank() Rank {
	out := Rank{
		Metric: r.Metric, Slice: r.Slice, Label: unescaped(r.Label), Data: r.Data, System: r.System, Value: numbers.OrNaN(r.Value),
		ValueLow: numbers.OrNaN(r.ValueLow), ValueHigh: numbers.OrNaN(r.ValueHigh), TiedForFirst: r.TiedForFirst, Best: r.Best, Reason: r.Reason,
	}
	if r.Low != nil && r.High != nil {
		out.Low, out.High = *r.Low, *r.High
	}
	return out
}

func unescaped(label *string) *string {
	if label == nil {
		return nil
	}
	return new(quote.Unescape(*label))
}

func (d differenceJSON) difference() Difference {
	return Difference{
		Change: comparison.Change{
			Name: d.Name, Slice: d.Slice, Label: unescaped(d.Label), A: numbers.OrNaN(d.A), B: numbers.OrNaN(d.B), Difference: numbers.OrNaN(d.Difference),
			StdError: numbers.OrNaN(d.StdError), DOF: numbers.OrNaN(d.DOF), Low: numbers.OrNaN(d.Low), High: numbers.OrNaN(d.High), Groups: d.Groups,
			PValue: numbers.OrNaN(d.PValue), PAdjusted: numbers.OrNaN(d.PAdjusted), Pairing: d.Pairing, Verdict: d.Verdict, Reason: d.Reason,
		},
		SystemA: d.SystemA, SystemB: d.SystemB, Data: d.Data, PPairedT: numbers.OrNaN(d.PPairedT), PRandomization: numbers.OrNaN(d.PRandomization),
	}
}
