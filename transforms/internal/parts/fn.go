package parts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/ranges"
	"github.com/beameval/beameval/transforms/internal/shuffle"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// Part is a file, and how its statistics become a part of the whole.
type Part struct {
	File    string
	Version files.Version
	// Relabel has the place of each label among Labels labels; nil if they are the same.
	Relabel []int32
	Labels  int
	// Refold has the fold of each fold; nil if they are the same.
	Refold []int32
	// Slice, if not empty, is a slice of its own, which has all examples of the part.
	Slice slice.Key
	// Late has the examples that another part has, too.
	Late Late
	// Queries is the file of the metrics of single queries, whose ids are of the kind QueryIDs; "" if there is none.
	Queries  string
	QueryIDs slice.Kind
}

func partFields(c *wire.Coder, p *Part) {
	wire.String(c, &p.File)
	wire.String(c, &p.Version)
	wire.List(c, &p.Relabel, wire.Int)
	wire.Int(c, &p.Labels)
	wire.List(c, &p.Refold, wire.Int)
	c.Embed(func(dst []byte) ([]byte, error) { return p.Slice.AppendBinary(dst), nil }, func(data []byte) (err error) {
		p.Slice, _, err = slice.Decode(data)
		return err
	})
	wire.Map(c, (*map[string]int64)(&p.Late), wire.String, wire.Int)
	wire.String(c, &p.Queries)
	kind := uint64(p.QueryIDs)
	if c.Uint(&kind); kind > uint64(slice.KindString) {
		c.Fail("ids of unknown kind %d", kind)
	}
	p.QueryIDs = slice.Kind(kind)
}

// ReadFn reads the partials of all slices of a part and, if they are kept, its scores, by range.
type ReadFn struct {
	Job shuffle.Job // without labels
	// Suppressed has the hashes of the keys of slices that are left out, ascending.
	Suppressed []uint64
	// Labels is the number of labels, and Bounds divide the scores that are kept into ranges.
	Labels int
	Bounds []uint64
	// Folded has the parameters under which examples were folded, if Job has others; see metrics.Params.Reuse.
	Folded *metrics.Params
	// Threshold, if not nil, decides, and has not decided when examples were folded.
	Threshold *float64

	reuse *metrics.Reuse
}

// ProcessElement emits the partials and the scores.
func (f *ReadFn) ProcessElement(ctx context.Context, p Part, emit func([]byte, shuffle.Partial), emitScores func(int, ranges.Piece)) error {
	return workers.Mark(f.contained(ctx, &p, emit, emitScores))
}

func (f *ReadFn) contained(ctx context.Context, p *Part, emit func([]byte, shuffle.Partial), emitScores func(int, ranges.Piece)) (err error) {
	defer workers.Contain("reading statistics", &err)
	in := &scoresOf{fn: f, part: p}
	if err := f.read(ctx, p, in, emit); err != nil {
		return err
	}
	if err := f.readQueries(ctx, p, emit); err != nil {
		return err
	}
	return in.emit(emit, emitScores)
}

// KeyHash returns the hash of the key of a slice, which the statistics of a baseline in it have, too.
func KeyHash(encoded []byte) uint64 {
	key, _, err := shuffle.Key(encoded)
	if err != nil {
		return 0
	}
	return groupby.HashString(string(key.AppendBinary(nil)))
}

func (f *ReadFn) read(ctx context.Context, p *Part, scores *scoresOf, emit func([]byte, shuffle.Partial)) (err error) {
	r, _, err := Open(ctx, p.File, p.Version)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	r.Table, r.Run = scores.start, scores.add
	if err := f.begin(r); err != nil {
		return err
	}
	return r.Each(func(key []byte, partial *shuffle.Partial) error {
		if _, left := slices.BinarySearch(f.Suppressed, KeyHash(key)); left {
			return nil
		}
		if there, err := f.reused(key, partial); err != nil || !there {
			return err
		}
		if err := f.fit(p, string(key), partial); err != nil {
			return err
		}
		emit(key, *partial)
		return f.emitSlice(p, key, partial, emit)
	})
}

// begin finds how statistics that were folded under other parameters are used again.
func (f *ReadFn) begin(r *Reader) (err error) {
	if f.Folded == nil {
		return nil
	}
	if !f.Job.Params.Curving() {
		r.Table, r.Run = nil, nil
	}
	to, from := f.Job.Params, *f.Folded
	to.Labels, from.Labels = f.Labels, f.Labels
	if f.reuse, err = to.Reuse(&from); err == nil && f.Threshold != nil {
		err = f.reuse.Decide(*f.Threshold)
	}
	return err
}

// reused leaves in the statistics of a slice what the job needs of them. there reports whether there is anything.
func (f *ReadFn) reused(encoded []byte, p *shuffle.Partial) (there bool, err error) {
	if f.reuse == nil {
		return true, nil
	}
	key, baseline, err := shuffle.Key(encoded)
	if err != nil {
		return false, err
	}
	if p.Stats, err = f.reuse.Of(p.Stats, baseline); p.Stats == nil {
		return false, err
	}
	for i := range p.Folds {
		if err == nil {
			p.Folds[i].Stats, err = f.reuse.Of(p.Folds[i].Stats, baseline)
		}
	}
	if err != nil {
		err = fmt.Errorf("slice %s: %w", quote.Line(key.String()), err)
	}
	return true, err
}

// emitSlice emits the examples of the slice with this key as a slice of the part alone, if all examples are in it. So it does
// for a baseline, and for examples whose metrics are estimated.
func (f *ReadFn) emitSlice(p *Part, encoded []byte, partial *shuffle.Partial, emit func([]byte, shuffle.Partial)) error {
	key, baseline, err := shuffle.Key(encoded)
	if err != nil {
		return err
	}
	if len(p.Slice) == 0 || len(key) > 1 || len(key) == 1 && !report.OfEstimates(key) {
		return nil
	}
	own := shuffle.NewPartial()
	own.Stats = partial.Stats.Unspread()
	own.Folds = slices.Clone(partial.Folds)
	own.Worst, own.Changed = listedIn(f.Job.Worst, partial.Worst), listedIn(f.Job.Changed, partial.Changed)
	to := string(slices.Concat(p.Slice, key).AppendBinary(nil))
	if !f.Job.HasIntervals(to) {
		own.Refold(func(int32) int32 { return shuffle.WholeFold })
	}
	if baseline {
		to = shuffle.OfBaseline(to)
	}
	emit([]byte(to), own)
	return nil
}

// listedIn returns a copy of the examples that are listed, if they are listed for each slice.
func listedIn(o *input.Worst, from *shuffle.Worst) *shuffle.Worst {
	if o == nil || !o.PerSlice || from == nil {
		return nil
	}
	own := new(shuffle.Worst)
	own.Merge(from)
	return own
}

// fit makes a partial of a part one of the whole.
func (f *ReadFn) fit(p *Part, key string, partial *shuffle.Partial) (err error) {
	if key == shuffle.Overall {
		if err := p.Late.leave(&partial.Counts); err != nil {
			return err
		}
	}
	if err := f.relist(p, partial); err != nil {
		return err
	}
	if err := f.refold(p, key, partial); err != nil || p.Relabel == nil {
		return err
	}
	if len(partial.Counts.Found.Highest) > 0 {
		return errors.New("it has scores of other labels than other reports: name the labels")
	}
	relabel := func(of *metrics.Partial) *metrics.Partial {
		if err != nil {
			return of
		}
		var to *metrics.Partial
		to, err = of.Relabel(p.Relabel, p.Labels)
		return to
	}
	partial.Stats = relabel(partial.Stats)
	for i := range partial.Folds {
		partial.Folds[i].Stats = relabel(partial.Folds[i].Stats)
	}
	return err
}

// relist gives the listed examples of a part the labels of all parts.
func (f *ReadFn) relist(p *Part, partial *shuffle.Partial) error {
	labels, to := f.Labels, func(label int32) int32 { return label }
	if p.Relabel != nil {
		if partial.Worst != nil && f.Job.Params.Task == metrics.Multilabel {
			return errors.New("it lists its worst examples by their losses of other labels than other reports have: name the labels")
		}
		labels, to = len(p.Relabel), func(label int32) int32 { return p.Relabel[label] }
	}
	return cmp.Or(partial.Worst.Relabel(labels, to), partial.Changed.RelabelChanges(labels, to))
}

// refold divides the examples of a part as all examples are divided.
func (f *ReadFn) refold(p *Part, key string, partial *shuffle.Partial) error {
	c := f.Job.Confidence
	if c == nil { // there are no intervals
		for _, g := range partial.Folds {
			partial.Stats.MergeFold(g.Stats)
		}
		partial.Stats, partial.Folds = partial.Stats.Undigested(), nil
		return nil
	}
	most := c.FineFolds()
	if p.Refold != nil {
		most = len(p.Refold)
	}
	if n := len(partial.Folds); n > 0 && int(partial.Folds[n-1].Number) >= most {
		return fmt.Errorf("it has fold %d of examples, and there are %d folds", partial.Folds[n-1].Number, most)
	}
	switch {
	case !f.Job.HasIntervals(key):
		partial.Refold(func(int32) int32 { return shuffle.WholeFold })
	case p.Refold != nil:
		partial.Refold(func(fold int32) int32 { return p.Refold[fold] })
	}
	return nil
}

func init() {
	shuffle.Register(partFields)
	beam.RegisterDoFn(reflect.TypeFor[ReadFn]())
	register.DoFn4x1[context.Context, Part, func([]byte, shuffle.Partial), func(int, ranges.Piece), error](&ReadFn{})
}
