package report

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// Names of the files of a comparison.
const (
	ComparisonJSON     = "comparison.json"
	ComparisonCSV      = "comparison.csv"
	ComparisonParquet  = "comparison.parquet"
	ComparisonMarkdown = "comparison.md"
	ComparisonHTML     = "comparison.html"
	ComparisonCurves   = "comparison_curves.parquet"
	ComparisonQueries  = "comparison_queries.parquet"
)

// comparisonSchema is the schema that comparison.json names.
const comparisonSchema = "beameval.comparison/v1"

// WriteComparison sorts c and writes it to files that it gets from create, as [Write] does,
// comparison.json last: if it is there, the comparison is complete. comparison_curves.parquet and
// comparison_queries.parquet are there if c has curves and queries.
func WriteComparison(c *Comparison, create func(name string) (io.Writer, error)) error {
	c.Sort()
	if err := writeFiles(c.files(), create); err != nil {
		return fmt.Errorf("comparison: %w", err)
	}
	return nil
}

// files are those of a comparison, in the order in which they are written.
func (c *Comparison) files() []file {
	return []file{
		{ComparisonCSV, true, c.writeCSV},
		{ComparisonParquet, true, c.writeParquet},
		{ComparisonCurves, len(c.A.Curves) > 0, c.writeCurves},
		{ComparisonQueries, c.Queries != nil, c.writeQueries},
		{ComparisonMarkdown, true, c.writeMarkdown},
		{ComparisonHTML, true, c.writePage},
		{ComparisonJSON, true, c.writeJSON},
	}
}

// ReplaceableComparison is what a new comparison may replace: a finished one.
func ReplaceableComparison() files.Replaceable {
	finished := files.Replaceable{What: "a finished comparison"}
	for _, f := range new(Comparison).files() {
		if f.want {
			finished.Always = append(finished.Always, f.name)
		}
		finished.Names = append(finished.Names, f.name)
	}
	return finished
}

// table returns the columns of comparison.csv and comparison.parquet, those of slices last, as [Report.table] does.
func (c *Comparison) table() []tableColumn[Change] {
	text, number := textNode, parquet.Optional(numberNode)
	var key sliceText
	sliceOf := func(d *Change) slice.Key { return d.Slice }
	columns := []tableColumn[Change]{
		{"name", text, func(d *Change) field { return textField(quote.Valid(d.Name)) }},
		{"slice", text, func(d *Change) field { return textField(key.json(d.Slice)) }},
		{"label", parquet.Optional(text), func(d *Change) field { return labelField(d.Label) }},
		{"a", number, func(d *Change) field { return numberField(d.A) }},
		{"b", number, func(d *Change) field { return numberField(d.B) }},
		{"difference", number, func(d *Change) field { return numberField(d.Difference) }},
		{"std_error", number, func(d *Change) field { return numberField(d.StdError) }},
		{"ci_low", number, func(d *Change) field { return numberField(d.Low) }},
		{"ci_high", number, func(d *Change) field { return numberField(d.High) }},
		{"dof", number, func(d *Change) field { return numberField(d.DOF) }},
		{"groups", parquet.Int(32), func(d *Change) field { return wholeField(int64(d.Groups)) }},
		{"p_value", number, func(d *Change) field { return numberField(d.PValue) }},
		{"p_adjusted", number, func(d *Change) field { return numberField(d.PAdjusted) }},
		{"pairing", text, func(d *Change) field { return textField(string(d.Pairing)) }},
		{"verdict", text, func(d *Change) field { return textField(string(d.Verdict)) }},
		{"reason", parquet.Optional(text), func(d *Change) field { return textOrNull(quote.Valid(d.Reason)) }},
	}
	return append(columns, columnsOfSlices(sliceColumns(nil, c.Changes, sliceOf), sliceOf)...)
}

func (c *Comparison) writeCSV(w io.Writer) error { return writeTableCSV(w, c.table(), c.Changes) }

func (c *Comparison) writeParquet(w io.Writer) error {
	return writeTableParquet(w, "comparison", c.table(), c.Changes)
}
