package comparison

import (
	"fmt"
	"io"
	"slices"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/report/tabular"
)

// The names of the files of both.
const (
	JSON     = "comparison.json"
	CSV      = "comparison.csv"
	Parquet  = "comparison.parquet"
	Markdown = "comparison.md"
	HTML     = "comparison.html"
)

// The names of the files that only a comparison of two reports has.
const (
	CurvesParquet  = "comparison_curves.parquet"
	QueriesParquet = "comparison_queries.parquet"
)

// The names of the files that only a leaderboard has.
const (
	LeaderboardCSV      = "leaderboard.csv"
	LeaderboardMarkdown = "leaderboard.md"
	LeaderboardLaTeX    = "leaderboard.tex"
)

// The schemas named in comparison.json.
const (
	schema            = "beameval.comparison/v1"
	leaderboardSchema = "beameval.leaderboard/v1"
)

// Write sorts the changes of a comparison, and writes a result to files obtained from create,
// comparison.json last: if it exists, the result is complete. comparison_curves.parquet and
// comparison_queries.parquet exist if a comparison has curves and queries.
func Write(r Result, create func(name string) (io.Writer, error)) error {
	if err := export.WriteFiles(r.files(), create); err != nil {
		return fmt.Errorf("%s: %w", r.kind(), err)
	}
	return nil
}

// WritePage writes comparison.html as [Write] does.
func WritePage(r Result, w io.Writer) error {
	list := r.files()
	return list[slices.IndexFunc(list, func(f export.File) bool { return f.Name == HTML })].Write(w)
}

// Summary prints the most important parts of a result, whose changes must be sorted, for a screen.
func Summary(r Result, w io.Writer, on document.Screen) error {
	return r.document(document.OnScreen).Print(w, on)
}

// Replaceable describes what a new result may replace: a finished leaderboard or comparison.
// Messages are about the last.
func Replaceable() []files.Replaceable {
	return []files.Replaceable{
		export.Finished("a finished comparison of several systems", leaderboardSchema, new(Leaderboard).files()),
		export.Finished("a finished comparison", schema, new(Comparison).files()),
	}
}

func (c *Comparison) files() []export.File {
	c.Sort()
	return append([]export.File{
		{Name: CurvesParquet, Want: len(c.A.Curves) > 0, Write: c.writeCurves},
		{Name: QueriesParquet, Want: c.Queries != nil, Write: c.writeQueries},
	}, filesOfBoth(c, tabular.ListOf(c.Changes), differences.Table.ColumnsOf(nil, c.Changes))...)
}

func (l *Leaderboard) files() []export.File {
	return append([]export.File{
		{Name: LeaderboardCSV, Want: true, Write: func(w io.Writer) error { return tabular.ListOf(l.Ranks).WriteCSV(w, columnsOfRanks(l.Ranks)) }},
		{Name: LeaderboardMarkdown, Want: true, Write: l.writeMarkdown},
		{Name: LeaderboardLaTeX, Want: true, Write: l.writeLaTeX},
	}, filesOfBoth(l, l.Differences, columnsOfDifferences(l.Differences))...)
}

// filesOfBoth returns the files that every result has. rows are its differences.
func filesOfBoth[T any](r Result, rows tabular.List[T], table []tabular.Column[T]) []export.File {
	people := func(of document.Output) func(io.Writer) error {
		return func(w io.Writer) error { return r.document(of).Write(w) }
	}
	return []export.File{
		{Name: CSV, Want: true, Write: func(w io.Writer) error { return rows.WriteCSV(w, table) }},
		{Name: Parquet, Want: true, Write: func(w io.Writer) error { return rows.WriteParquet(w, "comparison", table) }},
		{Name: Markdown, Want: true, Write: people(document.Markdown)},
		{Name: HTML, Want: true, Write: people(document.Page)},
		{Name: JSON, Want: true, Write: r.WriteJSON},
	}
}
