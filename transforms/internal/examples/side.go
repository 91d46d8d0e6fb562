package examples

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/internal/batches"
	"github.com/beameval/beameval/transforms/internal/element"
	"github.com/beameval/beameval/transforms/internal/ingest"
	"github.com/beameval/beameval/transforms/internal/rows"
)

// sides are the rows of predictions, and those of truth if it comes from other files; else
// truth has no table.
type sides struct{ predictions, truth side }

// side is a table of rows, and those of them that make the examples of a batch: of
// example i, list[offsets[i]:offsets[i+1]].
type side struct {
	layout
	table         *rows.Table
	items         *columns.Column // instead of the table's, if not nil; see shareKeys
	list, offsets []int32
	gathered      [batches.RoleCount]columns.Column
	first         []int32 // see firstRows
}

func (s *side) reset() { s.list, s.offsets = s.list[:0], append(s.offsets[:0], 0) }

// add adds the rows of an example.
func (s *side) add(list []int32) {
	s.list = append(s.list, list...)
	s.offsets = append(s.offsets, int32(len(s.list)))
}

// example returns the rows of example i.
func (s *side) example(i int) []int32 { return s.list[s.offsets[i]:s.offsets[i+1]] }

// firstRows returns a row of each example.
func (s *side) firstRows() []int32 {
	s.first = s.first[:0]
	for _, begin := range s.offsets[:len(s.offsets)-1] {
		s.first = append(s.first, s.list[begin])
	}
	return s.first
}

// columns returns the columns of the examples by role: lists, if examples have several
// rows, except for the weight, which all rows of an example share.
func (s *side) columns() (cols [batches.RoleCount]*columns.Column) {
	for role, place := range s.place {
		if place == 0 {
			continue
		}
		from, to := &s.table.Columns[place], &s.gathered[role]
		if role == batches.ItemRole && s.items != nil {
			from = s.items
		}
		if role == batches.WeightRole {
			rows.Gather(to, from, s.firstRows())
		} else if rows.Gather(to, from, s.list); s.long {
			to.Offsets = s.offsets
		}
		cols[role] = to
	}
	return cols
}

// input returns the examples, with a row for each.
func (s *sides) input() (in ingest.Input) {
	in.Rows = len(s.predictions.offsets) - 1
	cols := s.predictions.columns()
	batches.Assign(&in, cols[:])
	if class := cols[batches.ClassRole]; class != nil { // there was a row for each label
		in.LabelClass, in.ScoreLabel, in.PredictionClass = class, class, class
	}
	if s.truth.table != nil {
		cols := s.truth.columns()
		in.Label, in.LabelClass, in.LabelItem = cols[batches.LabelRole], cols[batches.ClassRole], cols[batches.ItemRole]
	}
	return in
}

// shareKeys returns the ids of the examples of all rows, those of truth after those of
// predictions. It gives the items of both sides one dictionary.
func (s *sides) shareKeys(ids, items *rows.Table) (*columns.Column, error) {
	p, t := &s.predictions, &s.truth
	if t.table == nil {
		return &p.table.Columns[idColumn], nil
	}
	all, _, _, err := concat(ids, p.column(idColumn), t.column(idColumn))
	if err != nil {
		return nil, fmt.Errorf("ids of predictions and of truth: %w", err)
	}
	if own, others := p.place[batches.ItemRole], t.place[batches.ItemRole]; own > 0 && others > 0 {
		if _, p.items, t.items, err = concat(items, p.column(own), t.column(others)); err != nil {
			return nil, fmt.Errorf("items of predictions and of truth: %w", err)
		}
	}
	return all, nil
}

// column returns a column of the table, nil if that is empty.
func (s *side) column(i int) *columns.Column {
	if s.table.Rows == 0 {
		return nil
	}
	return &s.table.Columns[i]
}

// concat returns the values of two columns, one after the other, and the columns with the
// dictionary of all values. It puts the values into a table. A nil column has no values
// and stays nil.
func concat(t *rows.Table, a, b *columns.Column) (all, first, second *columns.Column, err error) {
	t.Reset()
	var ends [2]int
	for i, c := range []*columns.Column{a, b} {
		if c != nil {
			values := *c
			values.Offsets, values.RowNull = nil, nil
			if err := t.Append([]*columns.Column{&values}, nil); err != nil {
				return nil, nil, nil, err
			}
		}
		ends[i] = t.Rows
	}
	all = &t.Columns[0]
	return all, section(all, 0, ends[0], a), section(all, ends[0], ends[1], b), nil
}

// section returns column c with a range of the values of another column.
func section(all *columns.Column, from, to int, c *columns.Column) *columns.Column {
	if c == nil {
		return nil
	}
	s := *all
	switch s.Type {
	case columns.Float:
		s.Floats = s.Floats[from:to]
	case columns.String:
		s.Codes = s.Codes[from:to]
	default:
		s.Ints = s.Ints[from:to]
	}
	if s.Null != nil {
		s.Null = s.Null[from:to]
	}
	s.Offsets, s.RowNull = c.Offsets, c.RowNull
	return &s
}

// placeOf returns the place of a row in its file.
func (s *side) placeOf(r int32) report.SkippedRow {
	source := &s.table.Columns[sourceColumn]
	file, group := splitSource(source.Dict.Values()[source.Codes[r]])
	return report.SkippedRow{File: file, RowGroup: group, Row: s.table.Columns[rowColumn].Ints[r]}
}

func (s *side) comparePlaces(a, b int32) int {
	return element.ComparePlaces(s.placeOf(a), s.placeOf(b))
}

// earliest returns the place of the first of some rows.
func (s *side) earliest(list []int32) report.SkippedRow {
	return s.placeOf(slices.MinFunc(list, s.comparePlaces))
}

// ordered returns the rows of example i alone, ordered by their places.
func (s *side) ordered(i int) side {
	one := side{layout: s.layout, table: s.table, items: s.items}
	one.reset()
	one.add(s.example(i))
	slices.SortFunc(one.list, s.comparePlaces)
	return one
}

// ordered returns the rows of example i alone, ordered by their places.
func (s *sides) ordered(i int) sides {
	one := sides{predictions: s.predictions.ordered(i)}
	if s.truth.table != nil {
		one.truth = s.truth.ordered(i)
	}
	return one
}

// blamed returns the side with the column that is bad.
func (s *sides) blamed(bad *ingest.Bad) *side {
	if bad.OfTruth && s.truth.table != nil {
		return &s.truth
	}
	return &s.predictions
}
