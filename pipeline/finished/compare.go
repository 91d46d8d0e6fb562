// Package finished compares, ranks and monitors finished reports. Nothing here reads predictions.
package finished

import (
	"context"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/analysis/why"
	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report/volume"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/statistics"
)

// Source is a finished report to compare.
type Source struct {
	Dir  string // where it is
	Name string // what people call it: its directory as they wrote it, or the predictions that were evaluated into it
}

// Compare compares finished report b with a, and judges the gates of a configuration, which may be nil.
func Compare(ctx context.Context, a, b Source, adjust changes.Adjustment, cfg *config.Config) (*changes.Comparison, error) {
	read, err := reports.ReadAll(ctx, []string{a.Dir, b.Dir})
	if err != nil {
		return nil, err
	}
	gates, err := gatesFor(read[1], cfg)
	if err != nil {
		return nil, err
	}
	for i, r := range read {
		read[i] = volume.With(r, volume.Asked(gates))
	}
	c, err := comparison.Compare(read[0], read[1], adjust)
	if err != nil {
		return nil, err
	}
	c.A.Name, c.B.Name = a.Name, b.Name
	if err := comparison.Show(ctx, c, read[0], read[1], [2]string{a.Dir, b.Dir}); err != nil {
		return nil, err
	}
	if err := why.Explain(ctx, c, read[0], read[1], [2]string{a.Dir, b.Dir}, statistics.Read); err != nil {
		return nil, err
	}
	changes.Judge(read[1], gates, c)
	c.Gates = read[1].Gates
	return c, nil
}
