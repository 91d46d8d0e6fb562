package leaderboard

import (
	"fmt"
	"io"

	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// The names of the files that a comparison of two reports does not have.
const (
	CSV      = "leaderboard.csv"
	Markdown = "leaderboard.md"
	LaTeX    = "leaderboard.tex"
)

// Schema is the schema named in the comparison.json of a leaderboard.
const Schema = "beameval.leaderboard/v1"

// Write writes l to files obtained from create, comparison.json last: if it exists, the comparison
// is complete.
func Write(l *Leaderboard, create func(name string) (io.Writer, error)) error {
	if err := export.WriteFiles(l.files(), create); err != nil {
		return fmt.Errorf("leaderboard: %w", err)
	}
	return nil
}

func (l *Leaderboard) files() []export.File {
	people := func(of document.Output) func(io.Writer) error {
		return func(w io.Writer) error { return l.document(of).Write(w) }
	}
	return []export.File{
		{Name: CSV, Want: true, Write: func(w io.Writer) error { return tabular.WriteCSV(w, rankTable(l.Ranks), l.Ranks) }},
		{Name: Markdown, Want: true, Write: l.writeMarkdown},
		{Name: LaTeX, Want: true, Write: l.writeLaTeX},
		{Name: comparison.CSV, Want: true, Write: func(w io.Writer) error { return l.Differences.rows().WriteCSV(w, table(l.Differences.places())) }},
		{Name: comparison.Parquet, Want: true, Write: func(w io.Writer) error {
			return l.Differences.rows().WriteParquet(w, "comparison", table(l.Differences.places()))
		}},
		{Name: comparison.Markdown, Want: true, Write: people(document.Markdown)},
		{Name: comparison.HTML, Want: true, Write: people(document.Page)},
		{Name: comparison.JSON, Want: true, Write: l.WriteJSON},
	}
}

// WritePage writes comparison.html as [Write] does.
func (l *Leaderboard) WritePage(w io.Writer) error { return l.document(document.Page).Write(w) }

// Replaceable describes what a new leaderboard may replace: a finished one.
func Replaceable() files.Replaceable {
	return export.Finished("a finished comparison of several systems", Schema, new(Leaderboard).files())
}

// rankTable returns the columns of leaderboard.csv.
func rankTable(ranks []Rank) []tabular.Column[Rank] {
	return tabular.Placed(tabular.Text("name", func(r *Rank) *string { return &r.Metric }).Member("metric"),
		func(r *Rank) *slice.Key { return &r.Slice }, func(r *Rank) **string { return &r.Label },
		tabular.SliceColumns(nil, ranks, func(r *Rank) slice.Key { return r.Slice }),
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

// table returns the columns of comparison.csv and comparison.parquet.
func table(places []report.Row) []tabular.Column[Difference] {
	return tabular.Placed(tabular.Text("name", func(d *Difference) *string { return &d.Name }),
		func(d *Difference) *slice.Key { return &d.Slice }, func(d *Difference) **string { return &d.Label },
		tabular.SliceColumns(nil, places, func(r *report.Row) slice.Key { return r.Slice }),
		tabular.Note("data", func(d *Difference) *string { return &d.Data }),
		tabular.Text("a", func(d *Difference) *string { return &d.SystemA }),
		tabular.Text("b", func(d *Difference) *string { return &d.SystemB }),
		tabular.Number("value_a", func(d *Difference) *float64 { return &d.A }),
		tabular.Number("value_b", func(d *Difference) *float64 { return &d.B }),
		tabular.Number("difference", func(d *Difference) *float64 { return &d.Difference }),
		tabular.Number("std_error", func(d *Difference) *float64 { return &d.StdError }),
		tabular.Number("ci_low", func(d *Difference) *float64 { return &d.Low }),
		tabular.Number("ci_high", func(d *Difference) *float64 { return &d.High }),
		tabular.Number("dof", func(d *Difference) *float64 { return &d.DOF }),
		tabular.Count("groups", func(d *Difference) *int { return &d.Groups }),
		tabular.Number("p_value", func(d *Difference) *float64 { return &d.PValue }),
		tabular.Number("p_adjusted", func(d *Difference) *float64 { return &d.PAdjusted }),
		tabular.Number("p_paired_t", func(d *Difference) *float64 { return &d.PPairedT }).Omitted(),
		tabular.Number("p_randomization", func(d *Difference) *float64 { return &d.PRandomization }).Omitted(),
		tabular.Word("pairing", func(d *Difference) *differences.Pairing { return &d.Pairing }, differences.Pairings()),
		tabular.Word("verdict", func(d *Difference) *differences.Verdict { return &d.Verdict }, differences.Verdicts()),
		tabular.Note("reason", func(d *Difference) *string { return &d.Reason }),
	)
}
