package transforms

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/slice"
)

// outcomePart is an element of the outcome of a fold: a slice with its statistics
// or, if there is no slice, the labels.
type outcomePart struct {
	Slice  []byte
	State  []byte  // an encoded partial
	Labels spilled // see packLabelsFn
}

// outcome groups the partials of all slices, a KV<[]byte, partial>, and the packed
// labels, unless the spec has them, under one key.
func outcome(s beam.Scope, slices, labels beam.PCollection) beam.PCollection {
	all := beam.ParDo(s, stateOf, slices)
	if labels.IsValid() {
		all = beam.Flatten(s, all, beam.ParDo(s, labelsOf, labels))
	}
	return beam.GroupByKey(s, all)
}

func stateOf(key []byte, p partial) (int, outcomePart, error) {
	state, err := encodePartial(p)
	return 0, outcomePart{Slice: key, State: state}, err
}

func labelsOf(labels spilled) (int, outcomePart) { return 0, outcomePart{Labels: labels} }

// evaluable is a whole outcome: the slices in their order, so that reports are
// computed in the same order always, and the labels.
type evaluable struct {
	slices   []outcomePart
	vocab    *Vocabulary
	warnings []string
}

// readOutcome reads an outcome, unless a bad row ended the run, which is the error.
// The labels are those of the spec, unless the outcome has some.
func readOutcome(spec *Spec, parts func(*outcomePart) bool) (*evaluable, error) {
	vocab := spec.labels()
	out := &evaluable{vocab: &vocab}
	var part outcomePart
	var err error
	for parts(&part) {
		if len(part.Slice) > 0 {
			out.slices = append(out.slices, part)
			continue
		}
		if vocab, err = unpackLabels(&part.Labels); err != nil {
			return nil, err
		}
	}
	if err := out.check(); err != nil {
		return nil, err
	}
	err = out.addAsked(spec)
	slices.SortFunc(out.slices, func(a, b outcomePart) int { return cmp.Compare(string(a.Slice), string(b.Slice)) })
	return out, err
}

// check returns the bad row that ends the run, if one does.
func (out *evaluable) check() error {
	for _, part := range out.slices {
		if string(part.Slice) != overall {
			continue
		}
		counts, err := decodeCounts(&reader{buf: part.State})
		if err != nil {
			return err
		}
		if counts.Failed != nil {
			return counts.Failed
		}
	}
	return nil
}

// addAsked adds the slices that are asked for by their values and that no row is in,
// without examples. Too many slices are an error.
func (out *evaluable) addAsked(spec *Spec) error {
	all := spec.with(out.vocab)
	most := all.maxSlices()
	met := make([]slice.Key, len(out.slices))
	for i, part := range out.slices {
		var err error
		if met[i], _, err = slice.Decode(part.Slice); err != nil {
			return err
		}
	}
	if err := checkAsked(spec.Slices, most); err != nil {
		return err
	}
	missing, warnings := newAsked(met).missing(spec.Slices)
	for _, key := range missing {
		_, part, err := stateOf(key.AppendBinary(nil), emptyPartial())
		if err != nil {
			return err
		}
		out.slices = append(out.slices, part)
	}
	out.warnings = warnings
	if len(out.slices)-1 <= most {
		return nil
	}
	return tooManySlices(most, func(yield func(string) bool) {
		for _, part := range out.slices {
			if !yield(string(part.Slice)) {
				return
			}
		}
	})
}

// each calls do for every slice, on every core, with what the spec leaves open
// settled.
func (out *evaluable) each(ctx context.Context, spec *Spec, do func(i int, key slice.Key, p *partial) error) error {
	if err := spec.Params.Complete(); err != nil { // and find the metrics but once
		return err
	}
	out.vocab.Prepare()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, part := range out.slices {
		group.Go(func() (err error) {
			defer contain(ctx, "computing metrics", &err)
			if err := ctx.Err(); err != nil {
				return err
			}
			key, _, err := slice.Decode(part.Slice)
			if err != nil {
				return err
			}
			p, err := decodePartial(part.State)
			if err != nil {
				return fmt.Errorf("slice %s: %w", key, err)
			}
			return do(i, key, &p)
		})
	}
	return group.Wait()
}

func encodeOutcome(p outcomePart) []byte {
	var w writer
	w.string(string(p.Slice))
	w.string(string(p.State))
	w.spilled(&p.Labels)
	return w.buf
}

func decodeOutcome(data []byte) (outcomePart, error) {
	r := reader{buf: data}
	p := outcomePart{r.bytes(r.length()), r.bytes(r.length()), r.spilled()}
	return p, r.err
}

func init() {
	registerCoder(encodeOutcome, decodeOutcome)
	register.Function2x3(stateOf)
	register.Function1x2(labelsOf)
	register.Iter1[outcomePart]()
}
