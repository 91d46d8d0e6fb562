package report

import (
	"encoding/csv"
	"fmt"
	"io"

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

// WriteComparison sorts c and writes it to files that it gets from create, comparison.json
// last: if it is there, the comparison is complete. comparison_curves.parquet and
// comparison_queries.parquet are there if c has curves and queries. The caller closes the files.
func WriteComparison(c *Comparison, create func(name string) (io.Writer, error)) error {
	c.Sort()
	for _, f := range c.files() {
		if !f.want {
			continue
		}
		if err := writeFile(f.name, create, f.write); err != nil {
			return fmt.Errorf("comparison: %w", err)
		}
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

// writeCSV writes comparison.csv, as metrics.csv is written: with a column for each column of slices.
func (c *Comparison) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	record := []string{"name", "slice", "label", "a", "b", "difference", "std_error", "ci_low", "ci_high", "dof", "groups",
		"p_value", "p_adjusted", "pairing", "verdict", "reason"}
	names := sliceColumns(nil, c.Changes, func(d *Change) slice.Key { return d.Slice })
	for _, name := range names {
		record = append(record, slicePrefix+quote.Escape(name))
	}
	if err := out.Write(record); err != nil {
		return err
	}
	var key sliceText
	var values sliceValues
	for i := range c.Changes {
		d := &c.Changes[i]
		label := ""
		if d.Label != nil {
			label = csvText(quote.Escape(*d.Label))
		}
		record = append(record[:0], csvText(quote.Valid(d.Name)), key.json(d.Slice), label)
		for _, number := range []float64{d.A, d.B, d.Difference, d.StdError, d.Low, d.High, d.DOF, float64(d.Groups), d.PValue, d.PAdjusted} {
			record = append(record, numberText(number))
		}
		record = append(record, string(d.Pairing), string(d.Verdict), csvText(quote.Valid(d.Reason)))
		for _, name := range names {
			record = append(record, csvText(values.of(d.Slice, name)))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// changeParquet is a row of comparison.parquet.
type changeParquet struct {
	Name       string   `parquet:"name"`
	Slice      string   `parquet:"slice"` // JSON
	Label      *string  `parquet:"label,optional"`
	A          *float64 `parquet:"a,optional"`
	B          *float64 `parquet:"b,optional"`
	Difference *float64 `parquet:"difference,optional"`
	StdError   *float64 `parquet:"std_error,optional"`
	Low        *float64 `parquet:"ci_low,optional"`
	High       *float64 `parquet:"ci_high,optional"`
	DOF        *float64 `parquet:"dof,optional"`
	Groups     int32    `parquet:"groups"`
	PValue     *float64 `parquet:"p_value,optional"`
	PAdjusted  *float64 `parquet:"p_adjusted,optional"`
	Pairing    string   `parquet:"pairing"`
	Verdict    string   `parquet:"verdict"`
	Reason     *string  `parquet:"reason,optional"`
}

func (c *Comparison) writeParquet(w io.Writer) error {
	var slice sliceText
	return writeParquet(w, c.Changes, func(d *Change, add func(changeParquet)) {
		add(changeParquet{
			quote.Valid(d.Name), slice.json(d.Slice), labelText(d.Label), finiteOrNil(d.A), finiteOrNil(d.B), finiteOrNil(d.Difference),
			finiteOrNil(d.StdError), finiteOrNil(d.Low), finiteOrNil(d.High), finiteOrNil(d.DOF), int32(d.Groups),
			finiteOrNil(d.PValue), finiteOrNil(d.PAdjusted), string(d.Pairing), string(d.Verdict), textOrNil(d.Reason),
		})
	})
}
