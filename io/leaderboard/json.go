package leaderboard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/tabular"
)

// leaderboardFile is the comparison.json of a leaderboard; see [report.WriteObject] for the layout.
type leaderboardFile struct {
	Schema      string                      `json:"schema"`
	Task        string                      `json:"task"`
	Reference   string                      `json:"reference"`
	Level       float64                     `json:"level"`
	Adjust      comparison.Adjustment       `json:"adjust"`
	OverMetrics bool                        `json:"adjust_over_metrics"`
	AllPairs    bool                        `json:"all_pairs"`
	Headline    []string                    `json:"headline"`
	Systems     []System                    `json:"systems" layout:"lines"`
	Gates       *tabular.Rows[Gate]         `json:"gates,omitempty" layout:"lines"`
	DataSets    *tabular.Rows[DataSetsTest] `json:"data_sets,omitempty" layout:"lines"`
	Ranks       *tabular.Rows[Rank]         `json:"ranks" layout:"lines"`
	Differences *tabular.Rows[Difference]   `json:"differences" layout:"lines"`
	Warnings    []string                    `json:"warnings" layout:"lines"`
}

func dataSetsJSON(tests []DataSetsTest) *tabular.Rows[DataSetsTest] {
	return tabular.RowsOf("test over data sets", dataSetsTable(), tests)
}

func dataSetsTable() []tabular.Column[DataSetsTest] {
	return []tabular.Column[DataSetsTest]{
		tabular.Text("metric", func(t *DataSetsTest) *string { return &t.Metric }),
		tabular.Count("data_sets", func(t *DataSetsTest) *int { return &t.DataSets }),
		tabular.Nested("mean_ranks", func(t *DataSetsTest) *[]MeanRank { return &t.MeanRanks }, "mean rank", []tabular.Column[MeanRank]{
			tabular.Text("system", func(m *MeanRank) *string { return &m.System }),
			tabular.Number("mean_rank", func(m *MeanRank) *float64 { return &m.Mean }),
		}),
		tabular.Number("chi_square", func(t *DataSetsTest) *float64 { return &t.ChiSquare }),
		tabular.Number("dof", func(t *DataSetsTest) *float64 { return &t.DOF }),
		tabular.Number("p_value", func(t *DataSetsTest) *float64 { return &t.PValue }),
		tabular.Number("critical_difference", func(t *DataSetsTest) *float64 { return &t.CriticalDifference }),
		tabular.Note("reason", func(t *DataSetsTest) *string { return &t.Reason }),
	}
}

// gatesJSON returns results of gates for systems.
func gatesJSON(gates []Gate) *tabular.Rows[Gate] { return tabular.RowsOf("gate", gateTable(), gates) }

func gateTable() []tabular.Column[Gate] {
	return append([]tabular.Column[Gate]{
		tabular.Text("system", func(g *Gate) *string { return &g.System }),
		tabular.Note("data", func(g *Gate) *string { return &g.Data }),
	}, tabular.Of(func(g *Gate) *report.GateResult { return &g.GateResult }, report.GateTable()...)...)
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
		Gates:       gatesJSON(l.Gates),
		DataSets:    dataSetsJSON(l.DataSets),
		Ranks:       ranksJSON(l.Ranks),
		Differences: differencesJSON(l.Differences.rows()),
	})
}

func ranksJSON(ranks []Rank) *tabular.Rows[Rank] {
	return tabular.RowsOf("rank", rankTable(nil), ranks)
}

func differencesJSON(list tabular.List[Difference]) *tabular.Rows[Difference] {
	return list.Rows("difference", table(nil))
}

// Is reports whether a comparison.json is that of a leaderboard.
func Is(data []byte) bool {
	var file struct{ Schema string }
	return json.Unmarshal(data, &file) == nil && file.Schema == Schema
}

// Read reads the comparison.json of a leaderboard. A null number becomes NaN.
func Read(data []byte) (*Leaderboard, error) {
	file := leaderboardFile{Gates: gatesJSON(nil), DataSets: dataSetsJSON(nil), Ranks: ranksJSON(nil), Differences: differencesJSON(tabular.List[Difference]{})}
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
		Gates:    file.Gates.Read(),
		DataSets: file.DataSets.Read(),
		Ranks:    file.Ranks.Read(),
	}
	l.Differences.Append(file.Differences.Read()...)
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
	for i, d := range file.Differences.Read() {
		if err := cmp.Or(quote.OneOf("a", d.SystemA, names), quote.OneOf("b", d.SystemB, names)); err != nil {
			return fmt.Errorf("difference %d: %w", i+1, err)
		}
	}
	for i, r := range file.Ranks.Read() {
		if err := quote.OneOf("system", r.System, names); err != nil {
			return fmt.Errorf("rank %d: %w", i+1, err)
		}
	}
	return nil
}
