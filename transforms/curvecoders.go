package transforms

import "github.com/beameval/beameval/metrics/runs"

func encodeRun(run scoreRun) []byte {
	var w writer
	w.run(&run)
	return w.buf
}

func decodeRun(data []byte) (scoreRun, error) {
	r := reader{buf: data}
	run := r.run()
	return run, r.err
}

func (w *writer) run(run *scoreRun) {
	w.int(run.Label)
	w.int(run.Labels)
	w.int(run.Classes)
	w.int(run.Positive)
	writeList(w, run.Knots, func(k runs.Knot) {
		w.unsigned(k.Image)
		w.int(k.Entries)
	})
	w.spilled(&run.Cells)
	w.spilled(&run.Data)
}

func (r *reader) run() scoreRun {
	run := scoreRun{Label: r.int(), Labels: r.int(), Classes: r.int(), Positive: r.int()}
	run.Knots = readList(r, func() runs.Knot { return runs.Knot{Image: r.unsigned(), Entries: r.int()} })
	run.Cells, run.Data = r.spilled(), r.spilled()
	return run
}

func (w *writer) spilled(s *spilled) {
	w.string(s.File)
	w.int(int(s.Offset))
	w.int(int(s.Size))
	w.length(len(s.Bytes))
	w.buf = append(w.buf, s.Bytes...)
}

// spilled reads data; those in memory stay in the reader's buffer.
func (r *reader) spilled() spilled {
	s := spilled{File: r.string(), Offset: int64(r.int()), Size: int64(r.int())}
	if b := r.bytes(r.length()); len(b) > 0 {
		s.Bytes = b
	}
	return s
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
	writeList(&w, p.Totals, func(t sliceTotals) {
		w.string(t.Slice)
		w.totals(&t.Above)
		w.totals(&t.All)
	})
	w.run(&p.Run)
	return w.buf
}

func decodePiece(data []byte) (piece, error) {
	r := reader{buf: data}
	var p piece
	p.Totals = readList(&r, func() sliceTotals { return sliceTotals{Slice: r.string(), Above: r.totals(), All: r.totals()} })
	p.Run = r.run()
	return p, r.err
}

func (w *writer) totals(t *runs.Totals) { w.string(string(t.Append(nil))) }

func (r *reader) totals() (t runs.Totals) {
	if t.Decode(r.bytes(r.length())) != nil {
		r.fail()
	}
	return t
}

func init() {
	registerCoder(encodeRun, decodeRun)
	registerCoder(encodeCuts, decodeCuts)
	registerCoder(encodeRange, decodeRange)
	registerCoder(encodePiece, decodePiece)
}
