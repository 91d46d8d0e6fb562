package transforms

import (
	"maps"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/runs"
)

// labelRange is a range of the scores of a label: range 0 has the highest.
type labelRange struct{ Label, Range int }

// withoutData are the runs of a label with no more than their knots.
func withoutData(label int, run scoreRun) (int, scoreRun) {
	return label, scoreRun{Label: label, Knots: run.Knots}
}

// labelCuts are the scores at which a label is cut into ranges; see runs.Cut.
type labelCuts struct{ Bounds []uint64 }

// cutsFn cuts labels into ranges with as many scores as a worker holds.
type cutsFn struct{ WorkerScores int }

// ProcessElement returns the cuts of a label.
func (f *cutsFn) ProcessElement(label int, labelRuns func(*scoreRun) bool) (int, labelCuts) {
	var knots []runs.Knot
	var run scoreRun
	entries := 0
	for labelRuns(&run) {
		knots = append(knots, run.Knots...)
		for _, k := range run.Knots {
			entries += k.Entries
		}
	}
	return label, labelCuts{runs.Bounds(knots, (entries+f.WorkerScores-1)/f.WorkerScores)}
}

// piece is a part of what a range of a label needs: scores, or the totals of the
// label.
type piece struct {
	Run    scoreRun
	Totals []rangeTotals // of all ranges
}

// rangeTotals is the examples of a slice in a range.
type rangeTotals struct {
	Range  int
	Slice  string
	Totals runs.Totals
}

// cutFn cuts the runs of labels into ranges.
type cutFn struct {
	TempDir string

	spill *spill
}

// ProcessElement emits the pieces of each range of a label.
func (f *cutFn) ProcessElement(label int, cuts func(*labelCuts) bool, labelRuns func(*scoreRun) bool, emit func(labelRange, piece)) error {
	if f.spill == nil {
		f.spill = &spill{dir: f.TempDir}
	}
	var at labelCuts
	cuts(&at)
	totals := make(map[int]map[string]*runs.Totals)
	var run scoreRun
	for labelRuns(&run) {
		run.Knots = nil
		if len(at.Bounds) == 0 {
			emit(labelRange{label, 0}, piece{Run: run})
			continue
		}
		data, err := run.Data.read()
		if err != nil {
			return marked(err)
		}
		parts, err := runs.Cut(data, at.Bounds)
		if err != nil {
			return marked(err)
		}
		for number, part := range parts {
			if len(part) == 0 {
				continue
			}
			if err := count(totals, number, &run, part); err != nil {
				return marked(err)
			}
			cut := run
			if cut.Data, err = f.spill.write(part); err != nil {
				return marked(err)
			}
			emit(labelRange{label, number}, piece{Run: cut})
		}
	}
	var list []rangeTotals
	for _, number := range slices.Sorted(maps.Keys(totals)) {
		for _, slice := range slices.Sorted(maps.Keys(totals[number])) {
			list = append(list, rangeTotals{number, slice, *totals[number][slice]})
		}
	}
	for number := range totals {
		emit(labelRange{label, number}, piece{Totals: list})
	}
	return nil
}

// Teardown removes what a failed bundle left, if it was the last.
func (f *cutFn) Teardown() {
	if f.spill != nil {
		f.spill.abandon()
	}
}

// FinishBundle closes the file of the pieces.
func (f *cutFn) FinishBundle(_ func(labelRange, piece)) error {
	if f.spill == nil {
		return nil
	}
	return marked(f.spill.close())
}

// count adds the examples of a piece of a run to the totals of its range.
func count(totals map[int]map[string]*runs.Totals, number int, run *scoreRun, data []byte) error {
	if totals[number] == nil {
		totals[number] = make(map[string]*runs.Totals)
	}
	return run.total(data, func(slice string, positive bool, rows *exact.Tally) {
		t := totals[number][slice]
		if t == nil {
			t = new(runs.Totals)
			totals[number][slice] = t
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

func init() {
	registerCoder(encodeRun, decodeRun)
	registerCoder(encodeCuts, decodeCuts)
	registerCoder(encodeRange, decodeRange)
	registerCoder(encodePiece, decodePiece)
	register.DoFn4x1[int, func(*labelCuts) bool, func(*scoreRun) bool, func(labelRange, piece), error](&cutFn{})
	register.DoFn2x2[int, func(*scoreRun) bool, int, labelCuts](&cutsFn{})
	register.Function2x2(withoutData)
	register.Iter1[labelCuts]()
	register.Iter1[scoreRun]()
	register.Emitter2[labelRange, piece]()
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

func encodeCuts(c labelCuts) []byte {
	var w writer
	writeList(&w, c.Bounds, w.unsigned)
	return w.buf
}

func decodeCuts(data []byte) (labelCuts, error) {
	r := reader{buf: data}
	c := labelCuts{readList(&r, r.unsigned)}
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

func encodePiece(p piece) []byte {
	var w writer
	writeList(&w, p.Totals, func(t rangeTotals) {
		w.int(t.Range)
		w.string(t.Slice)
		w.string(string(t.Totals.Append(nil)))
	})
	return append(w.buf, encodeRun(p.Run)...)
}

func decodePiece(data []byte) (piece, error) {
	r := reader{buf: data}
	var p piece
	p.Totals = readList(&r, func() rangeTotals {
		t := rangeTotals{Range: r.int(), Slice: r.string()}
		if err := t.Totals.Decode([]byte(r.string())); err != nil {
			r.fail()
		}
		return t
	})
	if r.err != nil {
		return p, r.err
	}
	var err error
	p.Run, err = decodeRun(r.buf)
	return p, err
}

func encodeRun(run scoreRun) []byte {
	var w writer
	w.int(run.Label)
	w.int(run.Labels)
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
	run := scoreRun{Label: r.int(), Labels: r.int(), Classes: r.int()}
	run.Cells = readList(&r, func() []string { return readList(&r, r.string) })
	run.Positive, run.Knots = r.int(), r.knots()
	run.Data = spilled{File: r.string(), Offset: int64(r.int()), Size: int64(r.int()), Bytes: r.buf}
	return run, r.err
}
