package comparison

import (
	"context"

	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
)

// Show adds to c, which compares reports a and b from two directories, what comparison.html shows
// in addition: curves and queries that both reports have, and options that differ.
func Show(ctx context.Context, c *comparison.Comparison, a, b *report.Report, dirs [2]string) error {
	for i, r := range []*report.Report{a, b} {
		if err := report.ReadFile(ctx, dirs[i], report.CurvesParquet, r.ReadCurves); err != nil {
			return err
		}
		if err := report.ReadFile(ctx, dirs[i], report.PerQueryParquet, r.ReadQueries); err != nil {
			return err
		}
	}
	if side := only(len(a.Curves) > 0, len(b.Curves) > 0); side != "" {
		c.Warnings = append(c.Warnings, side+" has no "+report.CurvesParquet+", so no curves are drawn: evaluate it with parquet in output.formats and with curves")
	}
	if side := only(a.Queries != nil, b.Queries != nil); side != "" {
		c.Warnings = append(c.Warnings, side+" has no "+report.PerQueryParquet+", so no queries are compared: evaluate it with output.per_query")
	}
	c.Show(a, b)
	c.Options = differing(a.Config, b.Config)
	return nil
}

// only returns which of two reports has what the other lacks, or "" if neither does.
func only(a, b bool) string {
	switch {
	case a && !b:
		return "b"
	case b && !a:
		return "a"
	}
	return ""
}
