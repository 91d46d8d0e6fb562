package comparison

import (
	"fmt"
	"io"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/export"
	"github.com/beameval/beameval/io/report/tabular"
)

// The names of the files of a comparison.
const (
	JSON           = "comparison.json"
	CSV            = "comparison.csv"
	Parquet        = "comparison.parquet"
	Markdown       = "comparison.md"
	HTML           = "comparison.html"
	CurvesParquet  = "comparison_curves.parquet"
	QueriesParquet = "comparison_queries.parquet"
)

// schema is the schema named in comparison.json.
const schema = "beameval.comparison/v1"

// Write sorts c and writes it to files obtained from create, comparison.json last: if it exists,
// the comparison is complete. comparison_curves.parquet and comparison_queries.parquet exist if c
// has curves and queries.
func Write(c *Comparison, create func(name string) (io.Writer, error)) error {
	c.Sort()
	if err := export.WriteFiles(c.files(), create); err != nil {
		return fmt.Errorf("comparison: %w", err)
	}
	return nil
}

// files returns the files of a comparison in the order in which they are written.
func (c *Comparison) files() []export.File {
	people := func(of document.Output) func(io.Writer) error {
		return func(w io.Writer) error { return c.document(of).Write(w) }
	}
	return []export.File{
		{Name: CSV, Want: true, Write: c.writeCSV},
		{Name: Parquet, Want: true, Write: c.writeParquet},
		{Name: CurvesParquet, Want: len(c.A.Curves) > 0, Write: c.writeCurves},
		{Name: QueriesParquet, Want: c.Queries != nil, Write: c.writeQueries},
		{Name: Markdown, Want: true, Write: people(document.Markdown)},
		{Name: HTML, Want: true, Write: people(document.Page)},
		{Name: JSON, Want: true, Write: c.WriteJSON},
	}
}

// Replaceable describes what a new comparison may replace: a finished comparison.
func Replaceable() files.Replaceable {
	return export.Finished("a finished comparison", schema, new(Comparison).files())
}

func (c *Comparison) writeCSV(w io.Writer) error {
	return tabular.WriteCSV(w, differences.Table(c.Changes), c.Changes)
}

func (c *Comparison) writeParquet(w io.Writer) error {
	return tabular.WriteParquet(w, "comparison", differences.Table(c.Changes), c.Changes)
}
