package join

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// assembler joins rows of predictions, and of truth, into examples, and folds these in batches. It
// must be used by a single goroutine.
type assembler struct {
	job    *shuffle.Job
	vocab  *input.Vocabulary
	slicer *batches.Slicer
	counts *shuffle.RowCounts
	fold   func(*batches.Batch) error
	judge  *ingest.Converter // converts single bad examples; nil until it is needed
	// skipped receives the hash of the id of each example that is skipped for this reason; it may be nil.
	skipped func(reason string, hashes ...uint64)

	sides
	grouper groupby.Grouper
	// sliceCodes numbers the pairs of codes of slice values in the tables: the predictions' code in
	// the upper half, the truth's in the lower. tupleOf has the tuple of each pair, and valuesOf
	// its values, if there is a search.
	sliceCodes groupby.Keys
	tupleOf    []int32
	valuesOf   [][]slice.Value

	tuples []int32         // by example of a batch
	values [][]slice.Value // likewise; empty if there is no search
	id     columns.Column
	hashes []uint64 // the hashes of id
}

func newAssembler(j *shuffle.Job, vocab *input.Vocabulary, slicer *batches.Slicer, counts *shuffle.RowCounts, fold func(*batches.Batch) error) *assembler {
	a := &assembler{job: j, vocab: vocab, slicer: slicer, counts: counts, fold: fold}
	for i, of := range layouts(j) {
		a.all()[i].layout = of
	}
	return a
}

// assemble folds the examples of all rows. A table is nil if its side is in the rows of the
// predictions. If more rows may follow, the last example is not folded, and its rows are returned;
// they are the grouper's, and valid until the next call. The tables stay the caller's, but their
// ids and items are made comparable (see groupby.Share).
func (a *assembler) assemble(tables [input.Sides]*groupby.Table, more bool) (rest []int32, err error) {
	for i, table := range tables {
		a.all()[i].table = table
	}
	a.sliceCodes.Reset() // they hold codes of the previous tables
	a.tupleOf, a.valuesOf = a.tupleOf[:0], a.valuesOf[:0]
	ids, err := a.ids()
	if err != nil {
		return nil, err
	}
	order, offsets := a.grouper.Group(ids...)
	examples := len(offsets) - 1
	if more {
		examples--
		rest = order[offsets[examples]:]
	}
	a.reset()
	for i := range examples {
		if err := a.add(order[offsets[i]:offsets[i+1]]); err != nil {
			return nil, err
		}
		if len(a.predictions.list)+len(a.truth.list)+len(a.baseline.list) < batches.Rows(a.job, 1) {
			continue
		}
		if err := a.flush(); err != nil {
			return nil, err
		}
	}
	return rest, a.flush()
}

func (a *assembler) reset() {
	for _, s := range a.all() {
		s.reset()
	}
	a.tuples, a.values = a.tuples[:0], a.values[:0]
}

// divide divides the rows of an example, which are numbered across all sides, by side. It returns
// parts of list, with the numbers within their sides.
func (s *sides) divide(list []int32) (of [input.Sides][]int32) {
	before := int32(0)
	for i, one := range s.all() {
		if one.table == nil {
			continue
		}
		n := int32(one.table.Rows)
		split, _ := slices.BinarySearch(list, before+n)
		of[i], list = list[:split], list[split:]
		for k := range of[i] {
			of[i][k] -= before
		}
		before += n
	}
	return of
}

// add adds the example with these rows, unless it is bad.
func (a *assembler) add(all []int32) error {
	of := a.divide(all)
	for i, s := range a.all() {
		if err := a.checkRows(s, of[i]); err != nil {
			return err
		}
	}
	list, judged := of[input.OfPredictions], of[input.OfTruth]
	if len(judged) > 0 {
		a.counts.TruthRead++
	}
	if len(list) == 0 {
		if len(judged) == 0 {
			return nil // only a baseline predicts something
		}
		a.counts.Unmatched++
		if !a.job.Truth.EvaluateUnmatched {
			return nil
		}
	}
	if why, on, bad := a.conflict(list, judged, of[input.OfBaseline]); bad {
		a.reject(of[on], why, on)
		return nil
	}
	described, err := a.described(list, judged)
	if err != nil {
		return err
	}
	for i, s := range a.all() {
		s.add(of[i])
	}
	a.tuples = append(a.tuples, a.tupleOf[described])
	if a.job.Search != nil {
		a.values = append(a.values, a.valuesOf[described])
	}
	return nil
}

// checkRows returns an error if an example has more rows of a side than may be held.
func (a *assembler) checkRows(s *side, list []int32) error {
	if !s.long || len(list) <= a.job.MaxExampleRows {
		return nil
	}
	at := s.earliest(list)
	return fmt.Errorf("%s: column %q: the example or query %s has more than %d rows, and is held whole: set %s to a larger number if that is no mistake",
		at.Place(), s.names.Example, s.id(list[0]), a.job.MaxExampleRows, a.job.Params.Names.Of(settings.MaxExampleRows))
}

// checkTable returns an error if a table of a side has too many rows of an example.
func (a *assembler) checkTable(on input.Side, table *groupby.Table) error {
	s := a.all()[on]
	if !s.long {
		return nil
	}
	s.table = table
	order, offsets := a.grouper.Group(&table.Columns[idColumn])
	for i := range len(offsets) - 1 {
		if err := a.checkRows(s, order[offsets[i]:offsets[i+1]]); err != nil {
			return err
		}
	}
	return nil
}

// conflict reports whether the rows of an example cannot be joined, for which reason, and on which side
// the problem is.
func (a *assembler) conflict(list, judged, before []int32) (why ingest.Reason, on input.Side, bad bool) {
	p, t := &a.predictions, &a.truth
	switch elsewhere := a.job.Truth != nil; {
	case !p.long && len(list) > 1:
		return ingest.DuplicateExample, input.OfPredictions, true
	case elsewhere && len(judged) == 0 && !a.job.KeepsUnlabelled():
		return ingest.NoTruth, input.OfPredictions, true
	case elsewhere && !t.long && len(judged) > 1:
		return ingest.DuplicateExample, input.OfTruth, true
	case a.job.Baseline != nil && len(before) == 0:
		return ingest.NoBaseline, input.OfPredictions, true
	case len(before) > 1:
		return ingest.DuplicateExample, input.OfBaseline, true
	case !p.sameWeight(list):
		return ingest.SeveralWeights, input.OfPredictions, true
	case !p.sameSlices(list):
		return ingest.SeveralSlices, input.OfPredictions, true
	case elsewhere && !t.sameWeight(judged):
		return ingest.SeveralWeights, input.OfTruth, true
	case elsewhere && !t.sameSlices(judged):
		return ingest.SeveralSlices, input.OfTruth, true
	}
	return 0, 0, false
}

func (s *side) sameWeight(list []int32) bool {
	place := s.place[roles.Weight]
	if place == 0 || len(list) == 0 { // and perhaps the table has no columns
		return true
	}
	weight := &s.table.Columns[place]
	return !slices.ContainsFunc(list[1:], func(r int32) bool {
		return batches.Value(weight, int(r)) != batches.Value(weight, int(list[0]))
	})
}

func (s *side) sameSlices(list []int32) bool {
	return !slices.ContainsFunc(list, func(r int32) bool { return s.sliceCode(r) != s.sliceCode(list[0]) })
}

// reject counts the example with these rows of a side as bad.
func (a *assembler) reject(list []int32, why ingest.Reason, on input.Side) {
	s := a.all()[on]
	bad := ingest.Bad{Element: -1, Side: on, Column: s.names.Example, Value: s.id(list[0]), Reason: why}
	a.counts.Read++
	a.counts.Reject(a.job, &bad, s.earliest(list))
	if a.skipped != nil {
		groupby.Gather(&a.id, &s.table.Columns[idColumn], list[:1])
		a.hashes = groupby.Hash(a.hashes, &a.id)
		a.skipped(why.String(), a.hashes[0])
	}
}

// id returns the id of a row for messages.
func (s *side) id(r int32) string {
	id := batches.Value(&s.table.Columns[idColumn], int(r))
	if id.Kind() == slice.KindString {
		return quote.Value(id.Text())
	}
	return id.String()
}

// described returns the index in tupleOf of the slice values of an example with these rows. If there
// are no rows of predictions, these have no slice values.
func (a *assembler) described(list, judged []int32) (int32, error) {
	var own, ofTruth int32
	predicted, values := len(list) > 0, [2]string{shuffle.Overall, shuffle.Overall}
	if predicted {
		own = a.predictions.sliceCode(list[0])
	}
	ofNone := len(a.slicer.Truth) > 0 && len(judged) == 0 // then the truth has nothing but the folds of strata
	switch {
	case ofNone:
		ofTruth = -1
	case len(a.slicer.Truth) > 0:
		ofTruth = a.truth.sliceCode(judged[0])
	}
	n := a.sliceCodes.Number(uint64(own)<<32 | uint64(uint32(ofTruth)))
	if int(n) < len(a.tupleOf) {
		return n, nil
	}
	if predicted {
		values[0] = a.predictions.sliceValues(own)
	}
	switch {
	case ofNone:
		values[1] = string(slice.Key{{Value: slice.Int(int64(a.job.Confidence.OfNoStratum()))}}.AppendBinary(nil))
	case len(a.slicer.Truth) > 0:
		values[1] = a.truth.sliceValues(ofTruth)
	}
	tuple, of, err := a.slicer.Described(values[0], values[1])
	if a.tupleOf = append(a.tupleOf, tuple); a.job.Search != nil {
		a.valuesOf = append(a.valuesOf, of)
	}
	return n, err
}

// sliceCode returns the code of the values of a row's slice columns; sliceValues returns the values
// of a code.
func (s *side) sliceCode(r int32) int32 { return s.table.Columns[slicesColumn].Codes[r] }

func (s *side) sliceValues(code int32) string {
	return s.table.Columns[slicesColumn].Dict.Values()[code]
}

// flush folds the examples that have been added.
func (a *assembler) flush() error {
	defer a.reset()
	if len(a.tuples) == 0 {
		return nil
	}
	b := batches.Batch{Input: a.input(), Tuples: a.tuples, Values: a.values, Place: a.place, At: a.first}
	if a.job.PerQuery || a.job.Confidence != nil || a.job.ListsExamples() || a.job.Training != nil || a.job.KeepIDs {
		s := &a.predictions
		if a.job.Truth != nil && !a.job.KeepsUnlabelled() { // all examples of a batch have truth
			s = &a.truth
		}
		groupby.Gather(&a.id, &s.table.Columns[idColumn], s.firstRows())
		a.hashes = groupby.Hash(a.hashes, &a.id)
		b.IDs, b.Hashes = &a.id, a.hashes
	}
	return a.fold(&b)
}

// first returns the place of the first row of an example: of its predictions, if it has any.
func (a *assembler) first(row int) report.SkippedRow {
	if list := a.predictions.example(row); len(list) > 0 {
		return a.predictions.earliest(list)
	}
	return a.truth.earliest(a.truth.example(row))
}

// place returns the place of a bad example or, if it has several rows, of the bad row. After a
// shuffle the rows are in any order, so the example is converted again with its rows in order: a
// problem in another row may have been found first.
func (a *assembler) place(bad *ingest.Bad) report.SkippedRow {
	if bad == nil {
		s := &a.predictions
		if len(s.list) == 0 {
			s = &a.truth
		}
		return s.placeOf(s.list[0])
	}
	s := a.blamed(bad)
	if at := s.earliest(s.example(bad.Row)); !a.counts.Lists(at) {
		return at
	}
	if a.judge == nil {
		a.judge = ingest.NewConverter(&a.job.Spec, a.vocab, new(ingest.Findings))
	}
	one := a.ordered(bad.Row)
	in := one.input()
	if _, _, again := a.judge.Convert(&in); len(again) == 1 {
		*bad = again[0]
	}
	if s = one.blamed(bad); s.long && bad.Element >= 0 {
		return s.placeOf(s.list[bad.Element])
	}
	return s.placeOf(s.list[0])
}
