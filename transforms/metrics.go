package transforms

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/workers"
)

// evaluateFn computes the metrics of slices where their statistics are merged, so that all workers of
// a cluster take part and the single writer of the report only joins and encodes rows. In one process
// the writer computes them itself, with all cores.
//
// It needs all labels. If they are only found in the data, the writer, which receives them, evaluates.
type evaluateFn struct {
	Spec settled

	out *evaluable // without slices: what is the same for all of them, found once
}

// ProcessElement emits a slice with its metrics, and drops statistics that nothing else needs. If
// the metrics cannot be computed, it emits the slice as it is, and the writer fails: only the
// writer knows whether a bad row is to blame.
func (f *evaluateFn) ProcessElement(key []byte, p element.Partial) (_ int, e outcomeElement, err error) {
	if f.out == nil {
		if f.out, err = readOutcome(&f.Spec, func(*outcomeElement) bool { return false }); err != nil {
			return 0, e, workers.Mark(err)
		}
	}
	if e, err = f.out.evaluated(key, p); err != nil {
		_, e, err = sliceOutcome(key, p)
	}
	return 0, e, workers.Mark(err)
}

// evaluated returns the element of a slice with its metrics. Other steps may share p.
func (out *evaluable) evaluated(encoded []byte, p element.Partial) (e outcomeElement, err error) {
	defer workers.Contain("computing metrics", &err)
	key, before, err := element.Key(encoded)
	if err != nil {
		return e, err
	}
	if len(p.Folds) > 0 {
		of := p.Stats
		p.Stats = new(metrics.Partial)
		p.Stats.Merge(of)
		joinFolds(&p)
	}
	by := out
	if before {
		by = out.baseline
	}
	var found evaluatedRows
	if found.rows, found.labels, err = by.rows(key, &p); err != nil {
		return e, err
	}
	switch {
	case before: // the report shows nothing else
		p = element.NewPartial()
	case len(key) > 0:
		p.Folds = out.forHistograms(p.Folds)
	}
	if _, e, err = sliceOutcome(encoded, p); err != nil {
		return e, err
	}
	e.Rows, err = wire.Encode(&found, evaluatedFields)
	return e, err
}

// forHistograms returns what the score histograms of a slice need of its folds: once metrics are
// computed, nothing needs the rest, except that the report has digests of the overall slice's
// folds.
func (out *evaluable) forHistograms(folds []element.Fold) (kept []element.Fold) {
	for _, g := range folds {
		if g.Stats == nil {
			continue
		}
		if stats := out.spec.Params.ForScoreHistograms(g.Stats); stats != nil {
			kept = append(kept, element.Fold{Number: g.Number, Stats: stats})
		}
	}
	return kept
}

// evaluatedRows are the metric rows of a slice, and the labels that have any.
type evaluatedRows struct {
	rows   []report.Row
	labels []int
}

// evaluatedFields lists the fields for a coder. Texts, which repeat in nearly all rows, come first and
// once. The slice, which is the same in all, is left out.
func evaluatedFields(c *wire.Coder, e *evaluatedRows) {
	t := textTable{at: make(map[string]uint64)}
	var data []byte
	var err error
	fields := func(c *wire.Coder, e *evaluatedRows) {
		wire.List(c, &e.rows, func(c *wire.Coder, r *report.Row) { rowValues(c, r, t.code) })
		wire.List(c, &e.labels, wire.Int)
	}
	if !c.Reading() {
		data, err = wire.Encode(e, fields)
	}
	c.Strings(&t.list)
	c.Bytes(&data)
	if c.Reading() && !c.Failed() {
		err = wire.Decode(data, e, fields)
	}
	if err != nil {
		c.Fail("%w", err)
	}
}

// textTable is a list of different texts.
type textTable struct {
	list []string
	at   map[string]uint64 // the index of each, while writing
}

// code codes the index of a text, which it adds to the list if it is new.
func (t *textTable) code(c *wire.Coder, text *string) {
	var at uint64
	if !c.Reading() {
		var known bool
		if at, known = t.at[*text]; !known {
			at = uint64(len(t.list))
			t.list, t.at[*text] = append(t.list, *text), at
		}
	}
	c.Uint(&at)
	switch {
	case !c.Reading() || c.Failed():
	case at < uint64(len(t.list)):
		*text = t.list[at]
	default:
		c.Fail("text %d of %d", at, len(t.list))
	}
}

func init() {
	beam.RegisterDoFn(reflect.TypeFor[evaluateFn]())
	register.DoFn2x3[[]byte, element.Partial, int, outcomeElement, error](new(evaluateFn))
}
