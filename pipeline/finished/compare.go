// Package finished compares, ranks and monitors finished reports. Nothing here reads predictions.
package finished

import (
	"context"

	"golang.org/x/sync/errgroup"

	changes "github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/comparison"
	"github.com/beameval/beameval/transforms/reports"
)

// Compare compares the finished report in directory b with the one in directory a, and judges the
// gates of a configuration, which may be nil.
func Compare(ctx context.Context, a, b string, adjust changes.Adjustment, cfg *config.Config) (*changes.Comparison, error) {
	var read [2]*report.Report
	var reading errgroup.Group
	for i, dir := range []string{a, b} {
		reading.Go(func() (err error) {
			read[i], err = reports.Read(ctx, dir)
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	gates, err := gatesFor(read[1], cfg)
	if err != nil {
		return nil, err
	}
	c, err := comparison.Compare(read[0], read[1], adjust)
	if err != nil {
		return nil, err
	}
	c.A.Name, c.B.Name = a, b
	if err := comparison.Show(ctx, c, read[0], read[1], [2]string{a, b}); err != nil {
		return nil, err
	}
	changes.Judge(read[1], gates, c)
	c.Gates = read[1].Gates
	return c, nil
}
