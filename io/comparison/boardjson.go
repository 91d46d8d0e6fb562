package comparison

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// leaderboardFile is the comparison.json of a leaderboard; see [tabular.WriteObject] for the layout.
type leaderboardFile struct {
	Schema      string                       `json:"schema"`
	Task        string                       `json:"task"`
	Reference   string                       `json:"reference"`
	Level       float64                      `json:"level"`
	Adjust      Adjustment                   `json:"adjust"`
	OverMetrics bool                         `json:"adjust_over_metrics"`
	AllPairs    bool                         `json:"all_pairs"`
	Headline    []string                     `json:"headline"`
	Systems     []System                     `json:"systems" layout:"lines"`
	Gates       *tabular.Rows[Gate]          `json:"gates,omitempty" layout:"lines"`
	DataSets    *tabular.Rows[DataSetsTest]  `json:"data_sets,omitempty" layout:"lines"`
	Visible     *tabular.Rows[SystemVisible] `json:"visible,omitempty" layout:"lines"`
	Ranks       *tabular.Rows[Rank]          `json:"ranks" layout:"lines"`
	Differences *tabular.Rows[Difference]    `json:"differences" layout:"lines"`
	Warnings    []string                     `json:"warnings" layout:"lines"`
}

// file returns a file with the rows of l.
func (l *Leaderboard) file() leaderboardFile {
	return leaderboardFile{
		Gates: tabular.RowsOf("gate", columnsOfGates(), l.Gates), DataSets: tabular.RowsOf("test over data sets", columnsOfDataSets(), l.DataSets),
		Visible: tabular.RowsOf("visible", columnsOfSystemVisible(), l.Visible),
		Ranks:   tabular.RowsOf("rank", columnsOfRanks(nil), l.Ranks), Differences: l.Differences.Rows("difference", columnsOfDifferences(tabular.List[Difference]{})),
	}
}

// WriteJSON writes comparison.json as [Write] does.
func (l *Leaderboard) WriteJSON(w io.Writer) error {
	valid, file := quote.Valid, l.file()
	file.Systems = slices.Clone(l.Systems)
	for i := range file.Systems {
		s := &file.Systems[i]
		s.Name, s.Path, s.Data, s.Date = valid(s.Name), valid(s.Path), valid(s.Data), valid(s.Date)
	}
	file.Schema, file.Task, file.Reference, file.Level, file.Adjust = leaderboardSchema, valid(l.Task), valid(l.Reference), l.Level, l.Adjust
	file.OverMetrics, file.AllPairs, file.Headline, file.Warnings = l.OverMetrics, l.AllPairs, collections.Map(l.Headline, valid), collections.Map(l.Warnings, valid)
	return tabular.WriteObject(w, file)
}

// ReadLeaderboard reads the comparison.json of a leaderboard. A null number becomes NaN.
func ReadLeaderboard(data []byte) (*Leaderboard, error) {
	file := new(Leaderboard).file()
	err := tabular.ParseObject(data, &file, &file.Schema, leaderboardSchema, cure)
	if err == nil {
		err = file.check()
	}
	if err != nil {
		return nil, fmt.Errorf("leaderboard: %w", err)
	}
	return &Leaderboard{
		Task: file.Task, Level: file.Level, Adjust: file.Adjust, OverMetrics: file.OverMetrics, AllPairs: file.AllPairs, Reference: file.Reference,
		Systems: file.Systems, Headline: file.Headline, Warnings: report.OrNil(file.Warnings),
		Gates: file.Gates.Read(), DataSets: file.DataSets.Read(), Visible: file.Visible.Read(), Ranks: file.Ranks.Read(),
		Differences: tabular.ListOf(file.Differences.Read()),
	}, nil
}

// check returns an error if a value is invalid.
func (file *leaderboardFile) check() error {
	if err := checkTests(file.Level, file.Adjust, LeaderboardAdjustments()); err != nil {
		return err
	}
	names := collections.Map(file.Systems, func(s System) string { return s.Name })
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

func columnsOfGates() []tabular.Column[Gate] {
	return append([]tabular.Column[Gate]{
		tabular.Text("system", func(g *Gate) *string { return &g.System }),
		tabular.Note("data", func(g *Gate) *string { return &g.Data }),
	}, tabular.Of(func(g *Gate) *report.GateResult { return &g.GateResult }, report.ColumnsOfGates()...)...)
}

func columnsOfDataSets() []tabular.Column[DataSetsTest] {
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

// columnsOfRanks returns the columns of leaderboard.csv.
func columnsOfRanks(ranks []Rank) []tabular.Column[Rank] {
	return tabular.Placed(tabular.Text("name", func(r *Rank) *string { return &r.Metric }).Member("metric"),
		func(r *Rank) *slice.Key { return &r.Slice }, func(r *Rank) **string { return &r.Label },
		tabular.ListOf(ranks).SliceColumns(nil, func(r *Rank) slice.Key { return r.Slice }),
		tabular.Note("data", func(r *Rank) *string { return &r.Data }),
		tabular.Text("system", func(r *Rank) *string { return &r.System }),
		tabular.Number("value", func(r *Rank) *float64 { return &r.Value }),
		tabular.Number("ci_low", func(r *Rank) *float64 { return &r.ValueLow }),
		tabular.Number("ci_high", func(r *Rank) *float64 { return &r.ValueHigh }),
		tabular.Count("rank_low", func(r *Rank) *int { return &r.Low }).If(ranked),
		tabular.Count("rank_high", func(r *Rank) *int { return &r.High }).If(ranked),
		tabular.Flag("tied_for_first", func(r *Rank) *bool { return &r.TiedForFirst }),
		tabular.Flag("best", func(r *Rank) *bool { return &r.Best }),
		tabular.Note("reason", func(r *Rank) *string { return &r.Reason }),
	)
}

func ranked(r *Rank) bool { return r.Low > 0 }

// columnsOfDifferences returns the columns of comparison.csv and comparison.parquet.
func columnsOfDifferences(list tabular.List[Difference]) []tabular.Column[Difference] {
	of := func(d *Difference) *Change { return &d.Change }
	return tabular.Placed(tabular.Text("name", func(d *Difference) *string { return &d.Name }),
		func(d *Difference) *slice.Key { return &d.Slice }, func(d *Difference) **string { return &d.Label },
		list.SliceColumns(nil, func(d *Difference) slice.Key { return d.Slice }),
		slices.Concat([]tabular.Column[Difference]{
			tabular.Note("data", func(d *Difference) *string { return &d.Data }),
			tabular.Text("a", func(d *Difference) *string { return &d.SystemA }),
			tabular.Text("b", func(d *Difference) *string { return &d.SystemB }),
			tabular.Number("value_a", func(d *Difference) *float64 { return &d.A }),
			tabular.Number("value_b", func(d *Difference) *float64 { return &d.B }),
		}, tabular.Of(of, differences.Tested()...), []tabular.Column[Difference]{
			tabular.Number("p_paired_t", func(d *Difference) *float64 { return &d.PPairedT }).Omitted(),
			tabular.Number("p_randomization", func(d *Difference) *float64 { return &d.PRandomization }).Omitted(),
		}, tabular.Of(of, differences.Judged()...))...)
}
