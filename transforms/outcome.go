package transforms

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// outcomeElement is one element of the outcome of an evaluation, from which a single step makes rows or a report: a
// slice with its statistics, the labels, scores that are kept or, for [gathered], the number of slices.
type outcomeElement struct {
	Slice   []byte           // the key of the slice
	Partial []byte           // an encoded shuffle.Partial
	Rows    []byte           // encoded evaluatedRows; nil if the metrics are not computed yet
	Labels  *shuffle.Spilled // an input.Vocabulary; nil for a slice
	Scores  *ranges.Piece    // scores that are kept; nil for a slice
	Slices  int              // the number of slices; 0 for all others
}

func outcomeFields(c *wire.Coder, e *outcomeElement) {
	c.Bytes(&e.Slice)
	c.Bytes(&e.Partial)
	c.Bytes(&e.Rows)
	wire.Optional(c, &e.Labels, shuffle.SpilledFields)
	wire.Optional(c, &e.Scores, ranges.PieceFields)
	wire.Int(c, &e.Slices)
}

// elements returns the outcome, KV<int, outcomeElement>: all slices, with their metrics if they are computed in
// parallel; the packed labels, unless the spec has them; and the number of slices, if it was counted. All elements
// have the same key, so that one call of writeFn or rowsFn gets them all.
//
// If the statistics are kept, no metrics are computed in parallel: that drops some of them.
func (e *Evaluation) elements(s beam.Scope, kept *Statistics) beam.PCollection {
	var outcome any = sliceOutcome
	if kept == nil && e.spec.Division.Lanes > 0 && !e.labels.IsValid() && !e.spec.samples() && !e.spec.Params.Drawn { // a cluster that knows all labels and needs no strata
		outcome = &evaluateFn{Spec: e.spec}
	}
	all := []beam.PCollection{beam.ParDo(s, outcome, e.slices)}
	if e.labels.IsValid() {
		all = append(all, beam.ParDo(s, labelsOutcome, e.labels))
	}
	if kept != nil && kept.Exact && e.scores.IsValid() {
		all = append(all, beam.ParDo(s, scoresOutcome, e.scores))
	}
	if e.counts.IsValid() {
		all = append(all, beam.ParDo(s, countOutcome, beam.GroupByKey(s, e.counts)))
	}
	return beam.Flatten(s, all...)
}

// sliceOutcome makes the outcomeElement of a slice.
func sliceOutcome(key []byte, p shuffle.Partial) (int, outcomeElement, error) {
	partial, err := p.Encode()
	return 0, outcomeElement{Slice: key, Partial: partial}, err
}

// labelsOutcome makes the outcomeElement of packed labels.
func labelsOutcome(labels shuffle.Spilled) (int, outcomeElement) {
	return 0, outcomeElement{Labels: &labels}
}

// scoresOutcome makes the outcomeElement of scores that are kept.
func scoresOutcome(_ int, scores ranges.Piece) (int, outcomeElement) {
	return 0, outcomeElement{Scores: &scores}
}

// countOutcome makes an outcomeElement of the total number of slices.
func countOutcome(_ int, counts func(*int) bool) (int, outcomeElement) {
	var sum, n int
	for counts(&n) {
		sum += n
	}
	return 0, outcomeElement{Slices: sum}
}

// gathered collects the elements of an outcome, which arrive one by one in a bundle.
type gathered []outcomeElement

// pass passes all elements on at once, if there are any, and forgets them.
func (g *gathered) pass(to func(elements func(*outcomeElement) bool) error) error {
	if len(*g) == 0 {
		return nil
	}
	elements, err := g.take()
	if err != nil {
		return workers.Mark(err)
	}
	return to(elements)
}

// take returns all elements and forgets them. In general a runner may divide a key into bundles,
// but the runners for which this is used do not: take returns an error if the bundle lacks a slice.
func (g *gathered) take() (next func(*outcomeElement) bool, err error) {
	all := *g
	*g = nil
	met, want := make(map[string]bool), 0
	for _, e := range all {
		switch {
		case e.Slices > 0:
			want = e.Slices
		case e.Labels == nil && e.Scores == nil:
			met[string(e.Slice)] = true
		}
	}
	if len(met) != want {
		return nil, fmt.Errorf("the runner handed over %d of %d slices: it divides a key into bundles; run the job with another runner", len(met), want)
	}
	others := workers.Elements[outcomeElement](slices.DeleteFunc(all, func(e outcomeElement) bool { return e.Slices > 0 }))
	return others.Take(), nil
}

// evaluable is a complete outcome, from which metrics are computed.
type evaluable struct {
	spec     settled // completed by what follows from the labels
	vocab    *input.Vocabulary
	slices   []sliceStatistics   // in the order of reports
	names    []string            // of the first labels
	without  []metrics.Jackknife // the metrics that have confidence intervals
	warnings []string
	// baseline computes the metrics of a baseline, from its statistics in before, by the key of the slice;
	// nil if the model is not compared with one.
	baseline *evaluable
	before   map[string]sliceStatistics
	scores   []ranges.Piece // that are kept
	sample   *stratified    // nil unless intervals are of a stratified sample
	drawn    metrics.Design // how rows with a label were drawn, if others have judgements
}

// sliceStatistics are the statistics of a slice.
type sliceStatistics struct {
	key           slice.Key
	partial, rows []byte // as in outcomeElement
	added         bool   // no element has it: it is requested, but has no rows
}

// decode returns the partial of a slice, whose folds are joined.
func (out *evaluable) decode(s *sliceStatistics) (shuffle.Partial, error) {
	p, err := shuffle.DecodePartial(s.partial)
	if err != nil {
		return p, fmt.Errorf("slice %s: %w", s.key, err)
	}
	out.own(string(s.key.AppendBinary(nil)), &p)
	if s.rows == nil { // else evaluateFn has joined them
		joinFolds(&p)
	}
	return p, nil
}

// own leaves in the partial of the slice with this key what the report itself is computed from; statistics that are kept
// have more.
func (out *evaluable) own(encoded string, p *shuffle.Partial) {
	out.spec.Refold(encoded, p)
	p.Stats = out.spec.Params.Own(p.Stats)
	for i := range p.Folds {
		p.Folds[i].Stats = out.spec.Params.Own(p.Folds[i].Stats)
	}
}

// readOutcome reads an outcome. The labels come from the outcome or, if it has none, from the spec.
// If a bad row ended the run, readOutcome returns it as the error.
func readOutcome(spec *settled, elements func(*outcomeElement) bool) (*evaluable, error) {
	vocab := spec.Labels
	out := &evaluable{vocab: &vocab}
	var e outcomeElement
	var err error
	for elements(&e) {
		switch {
		case e.Labels != nil:
			out.vocab, err = shuffle.ReadVocabulary(e.Labels)
		case e.Scores != nil:
			out.scores = append(out.scores, *e.Scores)
		default:
			err = out.add(&e)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := out.check(); err != nil {
		return nil, err
	}
	out.spec.Job = spec.With(out.vocab)
	if err := out.addRequested(); err != nil {
		return nil, err
	}
	slices.SortFunc(out.slices, func(a, b sliceStatistics) int { return a.key.Compare(b.key) })
	out.vocab.Prepare()
	for label := range min(out.vocab.Len(), maxListed) {
		out.names = append(out.names, out.vocab.Name(label))
	}
	if err := spec.checkAverages(out.vocab); err != nil {
		return nil, err
	}
	if name := spec.Reference; name != "" {
		if _, found := out.vocab.Label(name); !found {
			return nil, fmt.Errorf("%s is %q, which is not one of the systems, such as %q", spec.Params.Names.Of(settings.Reference), name, out.names[0])
		}
	}
	if err := out.spec.Params.Complete(); err != nil { // complete now, so that the metrics are looked up only once
		return nil, err
	}
	if c := out.spec.Confidence; c != nil {
		if out.without, err = jackknives(&out.spec.Params, c.Metrics); err != nil {
			return nil, err
		}
	}
	if err := out.findDrawn(); err != nil {
		return nil, err
	}
	out.baseline, err = out.ofBaseline()
	return out, err
}

// add adds the element of a slice, or of a baseline in a slice.
func (out *evaluable) add(e *outcomeElement) error {
	key, before, err := shuffle.Key(e.Slice)
	s := sliceStatistics{key: key, partial: e.Partial, rows: e.Rows}
	switch {
	case !before:
		out.slices = append(out.slices, s)
	case out.before == nil:
		out.before = make(map[string]sliceStatistics)
		fallthrough
	default:
		out.before[key.Encoded()] = s
	}
	return err
}

// overall returns the slice of all examples, or nil if the outcome has none.
func (out *evaluable) overall() *sliceStatistics {
	if i := slices.IndexFunc(out.slices, func(s sliceStatistics) bool { return len(s.key) == 0 }); i >= 0 {
		return &out.slices[i]
	}
	return nil
}

// check returns an error for the bad row that ended the run, if there is one.
func (out *evaluable) check() error {
	all := out.overall()
	if all == nil {
		return nil
	}
	counts, err := shuffle.DecodeCounts(all.partial)
	if err != nil || counts.Failed == nil {
		return err
	}
	return counts.Failed
}

// addRequested adds, without examples, the slices that are requested by their values but have no
// rows. It returns an error if there are too many slices.
func (out *evaluable) addRequested() error {
	job := &out.spec.Job
	limit := job.SliceLimit()
	met := collections.Map(out.slices, func(s sliceStatistics) slice.Key { return s.key })
	if err := checkRequested(job); err != nil {
		return err
	}
	missing, warnings := newRequested(met).missing(job.Slices)
	for _, key := range missing {
		empty := shuffle.NewPartial()
		partial, err := empty.Encode()
		if err != nil {
			return err
		}
		out.slices = append(out.slices, sliceStatistics{key: key, partial: partial, added: true})
	}
	out.warnings = warnings
	if len(out.slices)-1 <= limit {
		return nil
	}
	return job.TooManySlices(slices.Values(collections.Map(out.slices, func(s sliceStatistics) string { return s.key.Encoded() })))
}

// each calls do for every slice, using all cores.
func (out *evaluable) each(ctx context.Context, do func(i int, key slice.Key, p *shuffle.Partial) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range out.slices {
		group.Go(func() (err error) {
			defer workers.Contain("computing metrics", &err)
			if err := ctx.Err(); err != nil {
				return err
			}
			p, err := out.decode(&s)
			if err != nil {
				return err
			}
			return do(i, s.key, &p)
		})
	}
	return group.Wait()
}

func init() {
	shuffle.Register(outcomeFields)
	register.Function2x3(sliceOutcome)
	register.Function1x2(labelsOutcome)
	register.Function2x2(scoresOutcome)
	register.Function2x2(countOutcome)
	register.Iter1[outcomeElement]()
}
