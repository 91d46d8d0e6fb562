package transforms

import (
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// labelRange is a range of the scores of a label: range 0 has the highest.
type labelRange struct{ Label, Range int }

// labelCuts says at which scores those of a large label are cut into ranges.
type labelCuts struct {
	Label  int
	Bounds []uint64 // descending; see runs.Cut
}

// knotsOf sends the knots of a run to its label.
func knotsOf(run scoreRun) (int, knotList) { return run.Label, knotList{run.Knots} }

type knotList struct{ Knots []runs.Knot }

// cutsFn chooses the cuts of labels that are large: into ranges with as many scores
// as a worker holds.
type cutsFn struct{ WorkerScores int }

// ProcessElement emits the cuts of a label, if there are any.
func (f *cutsFn) ProcessElement(label int, lists func(*knotList) bool, emit func(labelCuts)) {
	var knots []runs.Knot
	var list knotList
	entries := 0
	for lists(&list) {
		knots = append(knots, list.Knots...)
		for _, k := range list.Knots {
			entries += k.Entries
		}
	}
	if bounds := runs.Bounds(knots, (entries+f.WorkerScores-1)/f.WorkerScores); len(bounds) > 0 {
		emit(labelCuts{label, bounds})
	}
}

// rangeTotals is the examples of a slice in a range of a label.
type rangeTotals struct {
	At     labelRange
	Slice  string
	Totals runs.Totals
}

// cutFn cuts the runs of large labels into ranges, and totals these.
type cutFn struct {
	TempDir string

	cuts   map[int][]uint64
	spill  *spill
	totals map[labelRange]map[string]*runs.Totals
}

// ProcessElement emits the pieces of a run.
func (f *cutFn) ProcessElement(run scoreRun, cuts func(*labelCuts) bool, emit func(labelRange, scoreRun), _ func(rangeTotals)) error {
	if f.cuts == nil {
		f.cuts, f.spill = make(map[int][]uint64), &spill{dir: f.TempDir}
		f.totals = make(map[labelRange]map[string]*runs.Totals)
		var c labelCuts
		for cuts(&c) {
			f.cuts[c.Label] = slices.Clone(c.Bounds)
		}
	}
	run.Knots = nil
	bounds := f.cuts[run.Label]
	if len(bounds) == 0 {
		emit(labelRange{run.Label, 0}, run)
		return nil
	}
	data, err := run.Data.read()
	if err != nil {
		return marked(err)
	}
	pieces, err := runs.Cut(data, bounds)
	if err != nil {
		return marked(err)
	}
	for i, piece := range pieces {
		if len(piece) == 0 {
			continue
		}
		at := labelRange{run.Label, i}
		if err := f.count(at, &run, piece); err != nil {
			return marked(err)
		}
		part := run
		if part.Data, err = f.spill.write(piece); err != nil {
			return marked(err)
		}
		emit(at, part)
	}
	return nil
}

// count adds the examples of a piece of a run to the totals of its range.
func (f *cutFn) count(at labelRange, run *scoreRun, piece []byte) error {
	if f.totals[at] == nil {
		f.totals[at] = make(map[string]*runs.Totals)
	}
	return run.total(piece, func(slice string, positive bool, rows *exact.Tally) {
		t := f.totals[at][slice]
		if t == nil {
			t = new(runs.Totals)
			f.totals[at][slice] = t
		}
		addTotals(t, positive, rows)
	})
}

func addTotals(t *runs.Totals, positive bool, rows *exact.Tally) {
	if positive {
		t.Positive.Merge(rows)
	} else {
		t.Negative.Merge(rows)
	}
}

// positive says which class is positive.
func (r *scoreRun) positive() int {
	if r.Classes > 2 && r.Label >= 0 {
		return r.Label
	}
	return r.Positive
}

// total counts the examples in the data of a run by slice.
func (r *scoreRun) total(data []byte, add func(slice string, positive bool, rows *exact.Tally)) error {
	byTag := make([]exact.Tally, len(r.Cells)*r.Classes)
	if err := runs.AddTotals(byTag, data); err != nil {
		return err
	}
	for tag := range byTag {
		if byTag[tag].Empty() {
			continue
		}
		for _, slice := range r.Cells[tag/r.Classes] {
			add(slice, tag%r.Classes == r.positive(), &byTag[tag])
		}
	}
	return nil
}

// FinishBundle emits the totals.
func (f *cutFn) FinishBundle(_ func(*labelCuts) bool, _ func(labelRange, scoreRun), emit func(rangeTotals)) error {
	for at, slices := range f.totals {
		for slice, t := range slices {
			emit(rangeTotals{at, slice, *t})
		}
	}
	f.cuts, f.totals = nil, nil
	if f.spill == nil {
		return nil
	}
	return marked(f.spill.close())
}

func init() {
	registerCoder(encodeRun, decodeRun)
	registerCoder(encodeKnots, decodeKnots)
	registerCoder(encodeCuts, decodeCuts)
	registerCoder(encodeRange, decodeRange)
	registerCoder(encodeTotals, decodeTotals)
	register.Function1x2(knotsOf)
	register.DoFn3x0[int, func(*knotList) bool, func(labelCuts)](&cutsFn{})
	register.DoFn4x1[scoreRun, func(*labelCuts) bool, func(labelRange, scoreRun), func(rangeTotals), error](&cutFn{})
	register.Iter1[knotList]()
	register.Iter1[labelCuts]()
	register.Emitter1[labelCuts]()
	register.Emitter1[rangeTotals]()
	register.Emitter2[labelRange, scoreRun]()
}

func encodeKnots(list knotList) []byte {
	var w writer
	w.knots(list.Knots)
	return w.buf
}

func (w *writer) knots(list []runs.Knot) {
	writeList(w, list, func(k runs.Knot) {
		w.unsigned(k.Image)
		w.int(k.Entries)
	})
}

func (r *reader) knots() []runs.Knot {
	return readList(r, func() runs.Knot { return runs.Knot{Image: r.unsigned(), Entries: r.int()} })
}

func decodeKnots(data []byte) (knotList, error) {
	r := reader{buf: data}
	return knotList{r.knots()}, r.err
}

func encodeCuts(c labelCuts) []byte {
	var w writer
	w.int(c.Label)
	writeList(&w, c.Bounds, w.unsigned)
	return w.buf
}

func decodeCuts(data []byte) (labelCuts, error) {
	r := reader{buf: data}
	c := labelCuts{r.int(), readList(&r, r.unsigned)}
	return c, r.err
}

func encodeRange(at labelRange) []byte {
	var w writer
	w.int(at.Label)
	w.int(at.Range)
	return w.buf
}

func decodeRange(data []byte) (labelRange, error) {
	r := reader{buf: data}
	at := labelRange{r.int(), r.int()}
	return at, r.err
}

func encodeTotals(t rangeTotals) []byte {
	var w writer
	w.int(t.At.Label)
	w.int(t.At.Range)
	w.string(t.Slice)
	w.buf = t.Totals.Append(w.buf)
	return w.buf
}

func decodeTotals(data []byte) (rangeTotals, error) {
	r := reader{buf: data}
	t := rangeTotals{At: labelRange{r.int(), r.int()}, Slice: r.string()}
	if r.err != nil {
		return t, r.err
	}
	return t, t.Totals.Decode(r.buf)
}

func encodeRun(run scoreRun) []byte {
	var w writer
	w.int(run.Label)
	w.int(run.Classes)
	writeList(&w, run.Cells, func(keys []string) { writeList(&w, keys, w.string) })
	w.int(run.Positive)
	w.knots(run.Knots)
	w.string(run.Data.File)
	w.int(int(run.Data.Offset))
	w.int(int(run.Data.Size))
	w.buf = append(w.buf, run.Data.Bytes...)
	return w.buf
}

func decodeRun(data []byte) (scoreRun, error) {
	r := reader{buf: data}
	run := scoreRun{Label: r.int(), Classes: r.int()}
	run.Cells = readList(&r, func() []string { return readList(&r, r.string) })
	run.Positive, run.Knots = r.int(), r.knots()
	run.Data = spilled{File: r.string(), Offset: int64(r.int()), Size: int64(r.int()), Bytes: r.buf}
	return run, r.err
}
