package monitor

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/beameval/beameval/analysis/comparison"
	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/io/monitor"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics/drift"
)

// addDrift adds the drift of the last night's score histograms from the reference's. The reference
// is the report that o names or, without one, the first nights of the last segment, as many as the
// burn-in has. Histograms of these nights and of the last night that cannot be read are left out.
func addDrift(ctx context.Context, m *monitor.Monitor, newest *report.Report, read []*nightly, o Options) error {
	last := read[len(read)-1]
	reference, err := referenceOf(ctx, m, newest, read, o)
	if err != nil || len(reference) == 0 {
		return err
	}
	all, now, found, err := readParts(ctx, m, reference, last, o, "drift is measured", (*nightly).histograms)
	if err != nil {
		return err
	}
	if err := addLabelShift(ctx, m, newest, reference, last, o); err != nil || !found {
		return err
	}
	before := map[string][]*report.ScoreHistogram{}
	for i := range all {
		h := &all[i]
		key := report.KeyOf(h.Name, h.Slice, h.Label)
		before[key] = append(before[key], h)
	}
	if len(now) == 0 || len(before) == 0 {
		m.Warnings = append(m.Warnings, fmt.Sprintf("there is no %s of the newest report or of the reference, so drift is not measured: evaluate with parquet in output.formats", report.ScoreHistogramsParquet))
		return nil
	}
	for i := range now {
		h := &now[i]
		if earlier := before[report.KeyOf(h.Name, h.Slice, h.Label)]; len(earlier) > 0 && (o.Slices || len(h.Slice) == 0) {
			m.Drift = append(m.Drift, driftOf(earlier, h, m.Level))
		}
	}
	return nil
}

// readParts reads the items of a part of the reference's nights, all together, and of the last night, which is the
// newest. A night whose part cannot be read is listed as left out of what is measured, unless o has a
// reference or is strict; found says whether the last night is not.
func readParts[T any](ctx context.Context, m *monitor.Monitor, reference []*nightly, last *nightly, o Options, measured string,
	read func(*nightly, context.Context) ([]T, error)) (before, now []T, found bool, err error) {
	nights := append(slices.Clone(reference), last)
	must := func(i int) bool { return o.Strict || o.Reference != "" && i < len(reference) }
	parts, problems, err := readNights(ctx, nights, must, read)
	if err != nil {
		return nil, nil, false, err
	}
	for i, err := range problems {
		switch {
		case err == nil:
		case i == len(reference):
			skip(m, nights[i].Dir, strings.Replace(measured, " is ", " is not ", 1)+": "+err.Error())
		default:
			skip(m, nights[i].Dir, measured+" without it: "+err.Error())
		}
	}
	return slices.Concat(parts[:len(reference)]...), parts[len(reference)], problems[len(reference)] == nil, nil
}

// readNights reads something of each night. It returns the problems of nights that cannot be read, or one of them as
// its error if the night must be read.
func readNights[T any](ctx context.Context, nights []*nightly, must func(i int) bool, read func(*nightly, context.Context) (T, error)) (parts []T, problems []error, err error) {
	parts, problems = make([]T, len(nights)), make([]error, len(nights))
	err = reports.Each(ctx, nights, func(ctx context.Context, i int, n *nightly) error {
		part, err := read(n, ctx)
		if err != nil && (must(i) || ctx.Err() != nil) {
			return err
		}
		parts[i], problems[i] = part, err
		return nil
	})
	return parts, problems, err
}

// referenceOf returns the reports that drift is measured from.
func referenceOf(ctx context.Context, m *monitor.Monitor, newest *report.Report, read []*nightly, o Options) ([]*nightly, error) {
	if o.Reference == "" {
		first := slices.IndexFunc(m.Nights, func(n monitor.Night) bool { return n.Segment == lastSegment(m) })
		return read[first:min(first+m.BurnIn, len(read)-1)], nil
	}
	n, err := readNight(ctx, reports.Night{Dir: o.Reference}, newest, nil, true)
	if err != nil {
		return nil, fmt.Errorf("the reference: %w", err)
	}
	for _, change := range comparison.Meanings(n.config, read[len(read)-1].config) {
		m.Warnings = append(m.Warnings, fmt.Sprintf("%s of the reference is not that of the newest report: drift may come from it", change.Key))
	}
	return []*nightly{n}, nil
}

// histograms reads the score histograms of a report. There are none if it has no such file.
func (n *nightly) histograms(ctx context.Context) ([]report.ScoreHistogram, error) {
	r := &report.Report{Confidence: n.confidence}
	err := report.ReadFile(ctx, n.Dir, report.ScoreHistogramsParquet, r.ReadScoreHistograms)
	return r.ScoreHistograms, err
}

// driftOf returns the drift of a histogram from the sum of others.
func driftOf(before []*report.ScoreHistogram, now *report.ScoreHistogram, level float64) monitor.Drift {
	bins := commonBins(append(slices.Clone(before), now))
	p, q := bins.count(before), bins.count([]*report.ScoreHistogram{now})
	unknown := func(p, q []float64) float64 { return math.NaN() }
	wasserstein, ks := unknown, unknown
	if bins.ordered() {
		ks = drift.KSBound
		if at, finite := bins.points(); finite {
			wasserstein = func(p, q []float64) float64 { return drift.Wasserstein(p, q, at) }
		}
	}
	d := monitor.Drift{
		Score: now.Name, Slice: now.Slice, Label: now.Label,
		PSI:           report.UnknownEstimate(),
		JensenShannon: distanceOf(p, q, level, drift.JensenShannon),
		Wasserstein:   distanceOf(p, q, level, wasserstein),
		KSBound:       distanceOf(p, q, level, ks),
	}
	if slices.Equal(p.counts, p.weights) && slices.Equal(q.counts, q.weights) {
		d.PSI = distanceOf(p, q, level, drift.PSI)
	} else { // PSI is of counts, and the groups have weights
		d.PSI.Value = drift.PSI(p.counts, q.counts)
	}
	return d
}

// distanceOf returns a distance with its interval, if the examples were divided into groups.
func distanceOf(p, q counted, level float64, distance func(p, q []float64) float64) report.Estimate {
	d := report.UnknownEstimate()
	d.Value = distance(p.weights, q.weights)
	if p.folds != nil && q.folds != nil {
		d.Low, d.High = drift.Interval(p.folds, q.folds, level, distance)
	}
	return d
}
