package transforms

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/checks"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/parts"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// Parts are finished reports with statistics whose data do not overlap and which belong together: their reports
// can be merged.
type Parts struct {
	// Output says what the merged report has: the caller completes where it is written.
	Output Output
	// LeftOut names what some of the reports have and the merged report has not.
	LeftOut []string

	spec   settled
	known  bool // labels were known before all runs
	knots  []uint64
	folded *metrics.Params // under which examples were folded, if spec has others
	decide *float64        // the threshold that decides, if another decided then
	list   []parts.Part
}

// PartsOptions says how parts become a whole.
type PartsOptions struct {
	// Slice is a key in the names of the directories, such as site of reports/site=A: each of its values becomes a
	// slice. "" means none.
	Slice string
	// Change, if not nil, changes what is computed from the statistics and what the report has: the fields of the spec that
	// [OfStatistics] sets, and the output.
	Change func(*Spec, *Output) error
}

// OfStatistics sets the fields of a spec that do not matter before metrics are computed from statistics.
func OfStatistics(to *Spec, from *Spec) {
	p, q := &to.Params, &from.Params
	p.Metrics, p.Has, p.Tuning, p.Costs, p.Preference, p.SomeAveraged = q.Metrics, q.Has, q.Tuning, q.Costs, q.Preference, q.SomeAveraged
	p.SpreadOf, p.Replicated, p.ScoreHistograms, p.CurveLines = q.SpreadOf, q.Replicated, q.ScoreHistograms, q.CurveLines
	to.TuningName, to.Reference, to.ZeroDivision, to.PerLabel, to.AverageLabels = from.TuningName, from.Reference, from.ZeroDivision, from.PerLabel, from.AverageLabels
	to.MaxSkipped, to.GateSlices, to.Groups, to.Histograms, to.Decision = from.MaxSkipped, from.GateSlices, from.Groups, from.Histograms, from.Decision
	if to.Confidence != nil && from.Confidence != nil {
		c := *to.Confidence
		c.Level, c.Metrics, c.Overall = from.Confidence.Level, from.Confidence.Metrics, from.Confidence.Overall
		to.Confidence = &c
	}
}

// OpenParts reads what the statistics of reports are of, in the directories of the reports, and checks that they
// belong together: that they are of the same task and metrics, computed in the same way. Labels and values of
// slices may be more in some of them. The error names the first difference.
func OpenParts(ctx context.Context, dirs []string, o PartsOptions) (*Parts, error) {
	if len(dirs) == 0 {
		return nil, errors.New("no reports to merge")
	}
	p := &Parts{list: make([]parts.Part, len(dirs))}
	heads, merged := make([]*parts.Head, len(dirs)), make([][]string, len(dirs))
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i, dir := range dirs {
		group.Go(func() (err error) {
			if heads[i], p.list[i], err = openPart(inGroup, dir); err == nil {
				merged[i], err = report.PartsOf(inGroup, dir)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all, err := disjoint(dirs, merged)
	if err != nil {
		return nil, err
	}
	if err := p.tellApart(ctx, heads); err != nil {
		return nil, err
	}
	joined, err := parts.Join(heads, dirs)
	if err != nil {
		return nil, err
	}
	for i, places := range joined.Relabel {
		p.list[i].Relabel, p.list[i].Labels = places, joined.Job.Labels.Len()
	}
	for i, places := range joined.Refold {
		p.list[i].Refold = places
	}
	if o.Slice != "" {
		if err := p.sliceBy(o.Slice, dirs, joined); err != nil {
			return nil, err
		}
	}
	p.LeftOut = slices.Clone(joined.LeftOut)
	if n := len(joined.Suppressed); n > 0 {
		p.LeftOut = append(p.LeftOut, fmt.Sprintf("%d slices with fewer than %d examples in a report", n, joined.MinSupport))
	}
	if joined.Exact {
		p.LeftOut = append(p.LeftOut, "exact curves, in whose place there are bounded ones: values within low and high")
	}
	for _, name := range joined.Inexact {
		p.LeftOut = append(p.LeftOut, "metric "+name+", which needs exact curves")
	}
	out := &joined.Output
	p.Output = Output{
		Config: out.Config, Formats: out.Formats, JSONRows: out.JSONRows, Checks: out.Checks, Found: out.Found, FoundByName: out.FoundByName, Gates: out.Gates,
		Statistics: &Statistics{Exact: joined.Scores, LabelsFound: joined.Labels != parts.LabelsNamed, MinSupport: joined.MinSupport, Suppressed: joined.Suppressed, Folding: joined.Folding, LeftOut: joined.LeftOut},
		Merged:     &report.Merged{Reports: all, LeftOut: p.LeftOut},
	}
	p.knots = joined.Knots
	if joined.IDs {
		for _, part := range p.list {
			p.Output.Statistics.IDsOf = append(p.Output.Statistics.IDsOf, parts.Part{File: part.File, Version: part.Version})
		}
	}
	p.Output.Checks.Unmade = checks.Unmerged()
	joined.Job.PerQuery = joined.QueryIDs != slice.KindNull
	p.spec, p.known = settled{joined.Job}, joined.Labels != parts.LabelsFound
	if o.Change != nil {
		if err := p.change(o.Change); err != nil {
			return nil, err
		}
	}
	return p, p.check(dirs)
}

// change changes what is computed from the statistics, which must be enough for it.
func (p *Parts) change(by func(*Spec, *Output) error) error {
	folded, asked := p.spec.Params, p.spec.Spec
	folded.Labels = p.spec.Labels.Len()
	if !p.Output.Statistics.LabelsFound {
		asked.Params.Labels = folded.Labels
	}
	if err := by(&asked, &p.Output); err != nil {
		return err
	}
	labels := p.spec.Labels
	s := p.spec
	if OfStatistics(&s.Spec, &asked); !p.known {
		s.Labels = input.Vocabulary{}
	}
	if err := s.complete(false); err != nil {
		return err
	}
	if err := broken(s.resultRules()); err != nil {
		return err
	}
	s.Labels = labels
	if c := s.Confidence; c != nil {
		s.Params.Replicated = c.Metrics
		if err := p.checkIntervals(&s.Spec); err != nil {
			return err
		}
	}
	to := s.Params
	to.Labels = folded.Labels
	reuse, err := to.Reuse(&folded)
	if err != nil {
		return err
	}
	if err := p.redecide(&s.Spec, reuse); err != nil {
		return err
	}
	s.Params.Labels, p.folded, p.spec = 0, &folded, s
	kept, gates := p.Output.Statistics, p.Output.Gates
	p.LeftOut, kept.LeftOut = parts.WithGates(p.LeftOut, gates), parts.WithGates(kept.LeftOut, gates)
	for _, name := range reuse.Unspread() {
		p.LeftOut = append(p.LeftOut, "histogram of "+name+", which was not made")
	}
	p.Output.Merged.LeftOut = p.LeftOut
	kept.Exact = kept.Exact && s.Params.Curving()
	return nil
}

// redecide makes the threshold of a spec decide, if another did.
func (p *Parts) redecide(s *Spec, reuse *metrics.Reuse) error {
	before := p.spec.Decision
	switch {
	case before == nil || s.Decision == nil || before.Threshold == s.Decision.Threshold:
		return nil
	case s.Columns.Prediction != "" || s.Worst != nil || s.Changed != nil:
		return errors.New("scores do not decide, or single examples are listed with their decisions: evaluate the predictions with this threshold")
	}
	p.decide = &s.Decision.Threshold
	return reuse.Decide(*p.decide)
}

// checkIntervals returns an error if a slice gets intervals whose statistics are not divided into groups.
func (p *Parts) checkIntervals(s *Spec) error {
	if !p.spec.Confidence.Overall {
		return nil
	}
	for _, key := range s.GateSlices {
		if !shuffle.HasIntervals(&p.spec.Spec, key) {
			return fmt.Errorf("the gate's slice %s would have intervals, and its statistics are not divided into groups: evaluate the predictions", quote.Line(key.String()))
		}
	}
	if !s.Confidence.Overall {
		return errors.New("each slice would have intervals, and their statistics are not divided into groups: evaluate the predictions")
	}
	return nil
}

// tellApart finds the examples that are in several parts, if these have ids.
func (p *Parts) tellApart(ctx context.Context, heads []*parts.Head) error {
	if slices.ContainsFunc(heads, func(h *parts.Head) bool { return !h.IDs }) {
		return nil
	}
	late, err := parts.JoinIDs(ctx, p.list, nil)
	if err != nil {
		return err
	}
	for i, of := range late {
		p.list[i].Late = of
		if f := &heads[i].Folding; f.Most > 0 {
			for _, n := range of {
				f.Rows -= n
			}
		}
	}
	return nil
}

// check returns an error if the spec of the parts is none that an evaluation has.
func (p *Parts) check(dirs []string) error {
	c := p.spec.Confidence
	if c == nil {
		return nil
	}
	if err := broken(p.spec.confidenceRules(!c.Position)); err != nil {
		return fmt.Errorf("the statistics of %s: %w", quote.Line(dirs[0]), err)
	}
	return nil
}

// disjoint returns the reports that parts are made of, some of them merged from others. It returns an error if one of
// them is in two parts.
func disjoint(dirs []string, merged [][]string) (all []string, err error) {
	in := make(map[string]string)
	for i, list := range merged {
		for _, name := range list {
			switch other, met := in[reports.Canonical(name)]; {
			case met && other == dirs[i]:
				return nil, fmt.Errorf("%s is twice in %s", quote.Line(name), quote.Line(dirs[i]))
			case met:
				return nil, fmt.Errorf("%s is in %s and in %s: its examples would count twice", quote.Line(name), quote.Line(other), quote.Line(dirs[i]))
			}
			in[reports.Canonical(name)] = dirs[i]
		}
		all = append(all, list...)
	}
	return all, nil
}

// sliceBy makes each part a part of a slice, by the value of a key in the name of its directory.
func (p *Parts) sliceBy(name string, dirs []string, joined *parts.Joined) error {
	for i, dir := range dirs {
		for _, k := range files.KeysOf(files.Join(dir, report.StatisticsBin)) {
			if k.Name == name {
				p.list[i].Slice = slice.Key{{Column: name, Value: slice.String(k.Value)}}
				if k.Null {
					p.list[i].Slice[0].Value = slice.Null()
				}
			}
		}
		if p.list[i].Slice == nil {
			return fmt.Errorf("%s has no folder %s=VALUE, whose value would be its slice", quote.Line(dir), quote.Line(name))
		}
	}
	return joined.AddSlice(name)
}

// openPart reads the head of the statistics of a report.
func openPart(ctx context.Context, dir string) (*parts.Head, parts.Part, error) {
	name := files.Join(dir, report.StatisticsBin)
	f, err := files.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, parts.Part{}, fmt.Errorf("%s has no %s, which reports are merged from: evaluate it again with output.statistics: true: %w", quote.Line(dir), report.StatisticsBin, err)
	}
	if err != nil {
		return nil, parts.Part{}, err
	}
	version := f.Version()
	r, err := parts.NewReader(f, f.Size(), name)
	if err != nil {
		return nil, parts.Part{}, errors.Join(err, f.Close())
	}
	head, err := r.Head()
	part := parts.Part{File: name, Version: version}
	if err == nil && head.QueryIDs != slice.KindNull {
		part.Queries, part.QueryIDs, err = perQuery(ctx, dir, head)
	}
	return head, part, errors.Join(err, f.Close())
}

// perQuery returns the file of the metrics of single queries, and the kind of their ids. If it is not there any more, the head
// has none.
func perQuery(ctx context.Context, dir string, head *parts.Head) (name string, ids slice.Kind, err error) {
	name = files.Join(dir, report.PerQueryParquet)
	f, err := files.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		head.LoseQueries()
		return "", slice.KindNull, nil
	}
	if err != nil {
		return "", slice.KindNull, err
	}
	return name, head.QueryIDs, f.Close()
}

// reading returns what reads the parts for a job.
func (p *Parts) reading(job shuffle.Job) *parts.ReadFn {
	job.Labels = input.Vocabulary{}
	return &parts.ReadFn{Job: job, Suppressed: p.Output.Statistics.Suppressed, Labels: p.spec.Labels.Len(), Bounds: ranges.BoundsOf(p.knots, defaultRangeBytes), Folded: p.folded, Threshold: p.decide}
}

// Merge adds the evaluation of the data of several reports to the pipeline, from their statistics alone. The
// report that [Evaluation.WriteReport] writes of it, with the Output of the parts, has the bytes of the report
// of all data, except for run.json and for what Parts.LeftOut names.
func Merge(s beam.Scope, p *Parts) Evaluation {
	s = s.Scope("beameval.Merge")
	spec := p.spec
	e := Evaluation{known: p.known}
	if !p.known || len(spec.Labels.Frequencies.Count) > 0 { // as in an evaluation
		e.labels = packLabels(s, &spec, beam.Create(s, spec.Labels))
	}
	spec.RangeBytes = defaultRangeBytes
	read, scores := beam.ParDo2(s, p.reading(spec.Job), beam.Reshuffle(s, beam.CreateList(s, p.list)))
	all := []beam.PCollection{read}
	if spec.Params.Curving() {
		e.scores, all = scores, completed(s, spec.Job, read, scores)
	}
	e.spec = spec
	e.slices, e.counts = mergeSlices(s, spec.Job, orNone(s, spec.Job, noRows, all...))
	return e
}
