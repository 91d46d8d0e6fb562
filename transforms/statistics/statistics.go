// Package statistics reads the statistics of finished reports (statistics.bin) for analyses that need more than the values
// of metrics.
package statistics

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/beameval/beameval/analysis/why"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/parts"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Read reads the statistics of the report in a directory for why metrics with these names differ; see [why.ReadStatistics].
func Read(ctx context.Context, dir string, names []string, each func(*why.Statistics, slice.Key, *why.Examples) error) (err error) {
	name := files.Join(dir, report.StatisticsBin)
	r, head, err := parts.Open(ctx, name, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	to, err := newReading(&head.Job, names)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", quote.Line(name), err)
	case to.reuse == nil:
		return each(to.of, nil, &why.Examples{All: new(metrics.Partial)})
	}
	return r.Each(func(encoded []byte, p *shuffle.Partial) error { return to.add(encoded, p, each) })
}

// reading makes of the statistics of a file what some metrics need.
type reading struct {
	job   *shuffle.Job
	of    *why.Statistics
	reuse *metrics.Reuse // nil if the file has none of the metrics
}

func newReading(job *shuffle.Job, names []string) (*reading, error) {
	folded := job.Params
	folded.Labels = job.Labels.Len()
	r := &reading{job: job, of: &why.Statistics{Params: folded, Options: job.Options(&job.Labels)}}
	p := &r.of.Params
	p.Metrics = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !follows(&folded, name) })
	p.Replicated, p.SpreadOf, p.Digest, p.ScoreHistograms, p.LabelPairs, p.CurveLines = nil, nil, false, false, false, 0
	if len(p.Metrics) == 0 {
		return r, nil
	}
	var err error
	r.reuse, err = p.Reuse(&folded)
	return r, err
}

// follows reports whether a metric follows from statistics that were folded under some parameters, without the scores.
func follows(folded *metrics.Params, name string) bool {
	some := *folded
	some.Metrics, some.Replicated = []string{name}, nil
	_, err := some.Reuse(folded)
	return err == nil && !some.Curving()
}

// add passes the statistics of a slice on.
func (r *reading) add(encoded []byte, p *shuffle.Partial, each func(*why.Statistics, slice.Key, *why.Examples) error) error {
	key, baseline, err := shuffle.Key(encoded)
	if err != nil || baseline || report.OfEstimates(key) {
		return err
	}
	r.job.Refold(string(encoded), p)
	all := new(metrics.Partial)
	all.Merge(p.Stats)
	for _, f := range p.Folds {
		all.MergeFold(f.Stats)
	}
	of := new(why.Examples)
	if of.All, err = r.reuse.Of(all, false); err != nil || !shuffle.HasIntervals(&r.job.Spec, key) {
		return errors.Join(err, each(r.of, key, of))
	}
	for _, f := range p.Folds {
		stats, err := r.reuse.Of(f.Stats, false)
		if err != nil {
			return err
		}
		of.Folds = append(of.Folds, why.Fold{Number: f.Number, Stats: stats})
	}
	return each(r.of, key, of)
}
