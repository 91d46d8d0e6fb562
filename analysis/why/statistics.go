package why

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"slices"

	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
)

// Statistics says under what the examples of a report were folded: Params have the metrics that can be computed.
type Statistics struct {
	Params  metrics.Params
	Options metrics.Options
}

// Examples are the statistics of a slice.
type Examples struct {
	All *metrics.Partial
	// Folds have the numbers that replicates have, ascending. There are none if the slice has no intervals.
	Folds []Fold
}

// Fold has the statistics of the examples of a fold.
type Fold struct {
	Number int32
	Stats  *metrics.Partial
}

// ReadStatistics reads from the statistics of a report what the named metrics need, if they can be computed from statistics. It
// calls each for all slices, first for all examples. The error is fs.ErrNotExist if the report has none, or the error of each.
type ReadStatistics func(ctx context.Context, dir string, names []string, each func(*Statistics, slice.Key, *Examples) error) error

// mostBytes is the largest size of the statistics of a pool as they are encoded. In memory, they take several times as much.
const mostBytes = 64 << 20

var errTooLarge = errors.New("too large")

// statistics are what metrics of a pool are computed from, in all of its reports together.
type statistics struct {
	*Statistics
	slices map[string]*Examples // by their keys
	sizes  map[string]int
	size   int
	reason string // why there are none
}

// readStatistics reads the statistics of both pools for some metrics.
func (e *explainer) readStatistics(ctx context.Context, names []string) (err error) {
	for i, of := range []pool{e.a, e.b} {
		s := &statistics{slices: map[string]*Examples{}, sizes: map[string]int{}}
		for _, r := range of {
			if err := s.read(ctx, e, r, names); err != nil {
				return err
			}
			if s.reason != "" {
				break
			}
		}
		e.statistics[i] = s
	}
	return nil
}

// read adds the statistics of a report.
func (s *statistics) read(ctx context.Context, e *explainer, r *reader, names []string) error {
	if !slices.Equal(r.Labels, e.newest().Labels) {
		s.reason = r.where(otherLabels)
		return nil
	}
	err := e.read(ctx, r.dir, names, func(of *Statistics, key slice.Key, examples *Examples) error {
		if len(key) == 0 {
			if s.reason = s.unlike(r, of, examples.All); s.Statistics == nil {
				s.Statistics = of
			}
		}
		return s.add(key.Encoded(), examples)
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.reason = r.where(noStatistics)
	case errors.Is(err, errTooLarge):
		s.reason = r.where(statisticsTooLarge)
	case err != nil:
		return err
	case s.Statistics == nil: // it has no slice of all examples
		s.reason = r.where(doesNotFollow)
	}
	return nil
}

// unlike says why the statistics of all examples of a report do not belong to it, or to those before, or "".
func (s *statistics) unlike(r *reader, of *Statistics, all *metrics.Partial) string {
	if s.Statistics != nil && !same(s.Statistics, of) {
		return r.where(otherOptions)
	}
	results, err := of.Params.Evaluate(all, of.Options)
	follow := 0
	for _, x := range results {
		if x.Label < 0 && slices.Contains(of.Params.Metrics, x.Name) && r.hasValue(&x) {
			follow++
		}
	}
	if err != nil || follow < len(of.Params.Metrics) {
		return r.where(doesNotFollow)
	}
	return ""
}

// same reports whether two reports were made in the same way.
func same(a, b *Statistics) bool {
	of, errA := json.Marshal(a.Params)
	other, errB := json.Marshal(b.Params)
	return errA == nil && errB == nil && bytes.Equal(of, other)
}

// add adds the examples of a slice.
func (s *statistics) add(key string, more *Examples) error {
	to := s.slices[key]
	if to == nil {
		to = &Examples{All: new(metrics.Partial)}
		s.slices[key] = to
	}
	to.All.Merge(more.All)
	for _, f := range more.Folds {
		at, found := slices.BinarySearchFunc(to.Folds, f.Number, func(f Fold, number int32) int { return int(f.Number - number) })
		if !found {
			to.Folds = slices.Insert(to.Folds, at, Fold{f.Number, new(metrics.Partial)})
		}
		to.Folds[at].Stats.Merge(f.Stats)
	}
	size := len(to.All.Append(nil))
	for _, f := range to.Folds {
		size += len(f.Stats.Append(nil))
	}
	if s.size += size - s.sizes[key]; s.size > mostBytes {
		return errTooLarge
	}
	s.sizes[key] = size
	return nil
}

// hasValue reports whether the report has the value of a metric of all examples, as it follows from statistics: the value itself,
// or one within the bounds of a bounded curve.
func (r *reader) hasValue(of *metrics.Result) bool {
	row := r.row(nil, of.Name)
	return row != nil && (near(of.Number, row.Value) || math.IsNaN(of.Number) && math.IsNaN(row.Value) || of.Bounded && of.Low <= row.Value && row.Value <= of.High)
}
