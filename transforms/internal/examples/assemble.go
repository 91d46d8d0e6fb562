package examples

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/rows"
)

// assembler puts rows of predictions, and of truth, together to examples and folds
// them. It belongs to one goroutine.
type assembler struct {
	job                *element.Job
	vocab              *ingest.Vocabulary
	slicer             *batches.Slicer
	counts             *element.RowCounts
	fold               func(*batches.Batch) error
	predictions, truth side
	ids, items         rows.Table // of predictions and then of truth
	grouper            rows.Grouper
	judge              *ingest.Converter // of single examples that are bad; nil before the first

	// The examples of a batch.
	first  []int32 // a row of predictions of each
	tuples []int32
	id     columns.Column
	weight columns.Column
	both   batches.Pairs // codes of predictions and of truth, if both have slice columns
	known  []int32       // the tuple of each code, from 1 on; 0: not yet known
}

// side is the rows of predictions, or of truth.
type side struct {
	rowShape
	table *rows.Table
	items *columns.Column // if not nil, instead of the table's, with codes of both sides
	// The rows of a batch: those of example i are list[from[i]:from[i+1]].
	list, from []int32
	gathered   [batches.RoleCount]columns.Column
}

func (s *side) reset() { s.list, s.from = s.list[:0], append(s.from[:0], 0) }

// add adds the rows of an example.
func (s *side) add(list []int32) {
	s.list = append(s.list, list...)
	s.from = append(s.from, int32(len(s.list)))
}

// columns returns the columns of a batch's rows by role, lists if examples have
// several rows.
func (s *side) columns() (cols [batches.RoleCount]*columns.Column) {
	for role, place := range s.place {
		if place == 0 || role == batches.WeightRole {
			continue
		}
		from := &s.table.Columns[place]
		if role == batches.ItemRole && s.items != nil {
			from = s.items
		}
		to := &s.gathered[role]
		rows.Gather(to, from, s.list)
		if cols[role] = to; s.long {
			list := *to
			list.Offsets = s.from
			cols[role] = &list
		}
	}
	return cols
}

// where returns the place of a row in its file.
func (s *side) where(r int32) report.SkippedRow {
	source := &s.table.Columns[sourceColumn]
	file, group := splitSource(source.Dict.Values()[source.Codes[r]])
	return report.SkippedRow{File: file, RowGroup: group, Row: s.table.Columns[rowColumn].Ints[r]}
}

// earliest returns the place of the first of some rows.
func (s *side) earliest(list []int32) report.SkippedRow {
	first := s.where(list[0])
	for _, r := range list[1:] {
		if at := s.where(r); element.ComparePlaces(at, first) < 0 {
			first = at
		}
	}
	return first
}

// ordered returns the side with the rows of example i of the batch, by their
// places.
func (s *side) ordered(i int) side {
	one := side{rowShape: s.rowShape, table: s.table, items: s.items}
	list := slices.Clone(s.list[s.from[i]:s.from[i+1]])
	slices.SortFunc(list, func(a, b int32) int { return element.ComparePlaces(s.where(a), s.where(b)) })
	one.reset()
	one.add(list)
	return one
}

// sourceOf names a row group.
func sourceOf(file string, group int) string { return file + "\x00" + strconv.Itoa(group) }

func splitSource(source string) (file string, group int) {
	at := strings.LastIndexByte(source, 0)
	group, _ = strconv.Atoi(source[at+1:])
	return source[:max(at, 0)], group
}

func newAssembler(j *element.Job, vocab *ingest.Vocabulary, slicer *batches.Slicer, counts *element.RowCounts, fold func(*batches.Batch) error) *assembler {
	a := &assembler{job: j, vocab: vocab, slicer: slicer, counts: counts, fold: fold}
	a.predictions.rowShape, a.truth.rowShape = shapes(j)
	return a
}

// assemble folds the examples of all rows; truth is nil if it is beside the
// predictions. If more rows may follow, the last example is left, and its rows
// are returned.
func (a *assembler) assemble(predictions, truth *rows.Table, more bool) (rest []int32, err error) {
	a.predictions.table, a.truth.table, a.known = predictions, truth, a.known[:0]
	a.both = batches.Pairs{} // codes are those of the tables
	ids, err := a.allIDs()
	if err != nil {
		return nil, err
	}
	order, from := a.grouper.Group(ids)
	examples := len(from) - 1
	if more {
		examples--
		rest = order[from[examples]:]
	}
	a.reset()
	for i := range examples {
		if err := a.add(order[from[i]:from[i+1]]); err != nil {
			return nil, err
		}
		if len(a.predictions.list)+len(a.truth.list) < batches.Rows(a.job) {
			continue
		}
		if err := a.flush(); err != nil {
			return nil, err
		}
	}
	return rest, a.flush()
}

// allIDs returns the ids of the examples of all rows.
func (a *assembler) allIDs() (*columns.Column, error) {
	if a.truth.table == nil {
		return &a.predictions.table.Columns[idColumn], nil
	}
	ids, _, _, err := together(&a.ids, a.predictions.column(idColumn), a.truth.column(idColumn))
	if err != nil {
		return nil, fmt.Errorf("ids of predictions and of truth: %w", err)
	}
	if p, t := a.predictions.place[batches.ItemRole], a.truth.place[batches.ItemRole]; p > 0 && t > 0 {
		_, a.predictions.items, a.truth.items, err = together(&a.items, a.predictions.column(p), a.truth.column(t))
		if err != nil {
			return nil, fmt.Errorf("items of predictions and of truth: %w", err)
		}
	}
	return ids, nil
}

// column returns a column of the table, nil if that is empty.
func (s *side) column(i int) *columns.Column {
	if s.table.Rows == 0 {
		return nil
	}
	return &s.table.Columns[i]
}

// together returns the values of two columns one after the other, in a table of which
// they are all, and the columns with codes of its dictionary; nil stays nil.
func together(t *rows.Table, a, b *columns.Column) (all, first, second *columns.Column, err error) {
	t.Reset()
	for _, c := range []*columns.Column{a, b} {
		if c == nil {
			continue
		}
		values := *c
		values.Offsets, values.RowNull = nil, nil
		if err := t.Append([]*columns.Column{&values}, nil); err != nil {
			return nil, nil, nil, err
		}
	}
	all = &t.Columns[0]
	return all, part(all, 0, a), part(all, t.Rows-length(b), b), nil
}

func length(c *columns.Column) int {
	if c == nil {
		return 0
	}
	return c.Len()
}

// part is c, with the values that all has from index from on.
func part(all *columns.Column, from int, c *columns.Column) *columns.Column {
	if c == nil {
		return nil
	}
	p, to := *all, from+c.Len()
	switch p.Type {
	case columns.Float:
		p.Floats = p.Floats[from:to]
	case columns.String:
		p.Codes = p.Codes[from:to]
	default:
		p.Ints = p.Ints[from:to]
	}
	if p.Null != nil {
		p.Null = p.Null[from:to]
	}
	p.Offsets, p.RowNull = c.Offsets, c.RowNull
	return &p
}

func (a *assembler) reset() {
	a.predictions.reset()
	a.truth.reset()
	a.first, a.tuples = a.first[:0], a.tuples[:0]
}

// add adds the example with these rows, unless that is bad. Rows of truth follow
// those of predictions.
func (a *assembler) add(list []int32) error {
	split := sort.Search(len(list), func(i int) bool { return int(list[i]) >= a.predictions.table.Rows })
	list, judged := list[:split], list[split:]
	for i := range judged {
		judged[i] -= int32(a.predictions.table.Rows)
	}
	counts := a.counts
	if len(judged) > 0 {
		counts.TruthRead++
	}
	if len(list) == 0 {
		counts.Unmatched++
		return nil
	}
	if bad, is := a.check(list, judged); is {
		counts.Read++
		at := a.predictions.earliest(list)
		if bad.OfLabel {
			at = a.truth.earliest(judged)
		}
		counts.Reject(a.job, &bad, at)
		return nil
	}
	tuple, err := a.tuple(list, judged)
	if err != nil {
		return err
	}
	a.predictions.add(list)
	a.truth.add(judged)
	a.first, a.tuples = append(a.first, list[0]), append(a.tuples, tuple)
	return nil
}

// check says whether the rows of an example make a bad one.
func (a *assembler) check(list, judged []int32) (bad ingest.Bad, is bool) {
	bad = ingest.Bad{Element: -1, Column: a.predictions.roles.Example, Value: a.idOf(list[0])}
	truth := a.job.Truth
	switch {
	case !a.predictions.long && len(list) > 1:
		bad.Reason = ingest.DuplicateExample
	case truth != nil && len(judged) == 0:
		bad.Reason = ingest.NoTruth
	case truth != nil && !a.truth.long && len(judged) > 1:
		bad.OfLabel, bad.Column, bad.Reason = true, truth.Example, ingest.DuplicateExample
	case !a.sameWeight(list):
		bad.Reason = ingest.SeveralWeights
	case !a.predictions.sameSlices(list):
		bad.Reason = ingest.SeveralSlices
	case truth != nil && !a.truth.sameSlices(judged):
		bad.OfLabel, bad.Column, bad.Reason = true, truth.Example, ingest.SeveralSlices
	default:
		return bad, false
	}
	return bad, true
}

func (a *assembler) sameWeight(list []int32) bool {
	place := a.predictions.place[batches.WeightRole]
	if place == 0 {
		return true
	}
	weight := &a.predictions.table.Columns[place]
	for _, r := range list[1:] {
		if batches.Value(weight, int(r)) != batches.Value(weight, int(list[0])) {
			return false
		}
	}
	return true
}

func (s *side) sameSlices(list []int32) bool {
	for _, r := range list[1:] {
		if s.code(r) != s.code(list[0]) {
			return false
		}
	}
	return true
}

// idOf is the id of a row's example, for messages.
func (a *assembler) idOf(r int32) string {
	v := batches.Value(&a.predictions.table.Columns[idColumn], int(r))
	if v.Kind() == slice.KindString {
		return quote.Value(v.Text())
	}
	return v.String()
}

// code tells the slice values of a row from others.
func (s *side) code(r int32) int32 { return s.table.Columns[slicesColumn].Codes[r] }

// described are the slice values with a code, as a slicer has described them.
func (s *side) described(code int32) string { return s.table.Columns[slicesColumn].Dict.Values()[code] }

// tuple returns the slicer's tuple of the slice values of an example with these rows.
func (a *assembler) tuple(list, judged []int32) (int32, error) {
	code := a.predictions.code(list[0])
	slicer := a.slicer
	if len(slicer.Truth) > 0 {
		code = a.both.Number(code, a.truth.code(judged[0]))
	}
	for int(code) >= len(a.known) {
		a.known = append(a.known, 0)
	}
	if a.known[code] == 0 {
		own, others := code, element.Overall
		if len(slicer.Truth) > 0 {
			p, t := a.both.Pair(code)
			own, others = p, a.truth.described(t)
		}
		tuple, err := slicer.Described(a.predictions.described(own), others)
		if err != nil {
			return 0, err
		}
		a.known[code] = tuple + 1
	}
	return a.known[code] - 1, nil
}

// flush folds the examples that were added.
func (a *assembler) flush() error {
	defer a.reset()
	if len(a.first) == 0 {
		return nil
	}
	b := batches.Batch{Tuples: a.tuples, Place: a.where}
	b.Input = a.input(&a.predictions, &a.truth, &a.weight, a.first)
	if a.job.PerQuery {
		rows.Gather(&a.id, &a.predictions.table.Columns[idColumn], a.first)
		b.IDs = &a.id
	}
	return a.fold(&b)
}

// input returns the examples whose rows are added to sides. first is a row of each,
// and weight where their weights are put.
func (a *assembler) input(predictions, truth *side, weight *columns.Column, first []int32) (in ingest.Input) {
	in.Rows = len(first)
	cols := predictions.columns()
	batches.Assign(&in, cols[:])
	byClass(&in, cols[batches.ClassRole])
	if truth.table != nil {
		cols := truth.columns()
		in.Label, in.LabelClass, in.LabelItem = cols[batches.LabelRole], cols[batches.ClassRole], cols[batches.ItemRole]
	}
	if place := predictions.place[batches.WeightRole]; place > 0 {
		rows.Gather(weight, &predictions.table.Columns[place], first)
		in.Weight = weight
	}
	return in
}

// byClass says of which labels the lists of an input have values, if there is a row
// for each.
func byClass(b *ingest.Input, class *columns.Column) {
	if class == nil {
		return
	}
	for _, of := range []struct{ values, class **columns.Column }{
		{&b.Label, &b.LabelClass}, {&b.Score, &b.ScoreLabel}, {&b.Prediction, &b.PredictionClass},
	} {
		if *of.values != nil {
			*of.class = class
		}
	}
}

// where returns the place of a bad example: of the row with the element that is
// bad, if it has several. After a shuffle its rows are in any order, in which another
// of them may have been met first: it is looked at again with its rows by their
// places.
func (a *assembler) where(bad *ingest.Bad) report.SkippedRow {
	if bad == nil {
		return a.predictions.where(a.first[0])
	}
	s := &a.predictions
	if bad.OfLabel && a.truth.table != nil {
		s = &a.truth
	}
	if at := s.earliest(s.list[s.from[bad.Row]:s.from[bad.Row+1]]); !a.counts.Lists(at) {
		return at
	}
	if a.judge == nil {
		a.judge = ingest.NewConverter(a.job.Ingest(), a.vocab, new(ingest.Findings))
	}
	predictions, truth := a.predictions.ordered(bad.Row), side{}
	if a.truth.table != nil {
		truth = a.truth.ordered(bad.Row)
	}
	in := a.input(&predictions, &truth, new(columns.Column), predictions.list[:1])
	if _, _, again := a.judge.Convert(&in); len(again) == 1 {
		*bad = again[0]
	}
	if s = &predictions; bad.OfLabel && truth.table != nil {
		s = &truth
	}
	if s.long && bad.Element >= 0 {
		return s.where(s.list[bad.Element])
	}
	return s.where(s.list[0])
}
