package join

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/groupby"
	"github.com/beameval/beameval/transforms/internal/ingest"
)

// sides are the rows of predictions, of truth and of a baseline's predictions. Truth and baseline
// have a table only if they come from other files.
type sides struct{ predictions, truth, baseline side }

// all returns the sides by number.
func (s *sides) all() [input.Sides]*side {
	return [input.Sides]*side{&s.predictions, &s.truth, &s.baseline}
}

// side is a table of rows, and the examples of a batch: example i has the rows
// list[offsets[i]:offsets[i+1]] of the table.
type side struct {
	layout
	table         *groupby.Table
	list, offsets []int32
	gathered      [roles.Count]columns.Column
	first         []int32 // see firstRows and gatherOrNull
}

func (s *side) reset() { s.list, s.offsets = s.list[:0], append(s.offsets[:0], 0) }

// add adds the rows of an example.
func (s *side) add(list []int32) {
	s.list = append(s.list, list...)
	s.offsets = append(s.offsets, int32(len(s.list)))
}

// example returns the rows of example i: a part of s.list, valid until reset.
func (s *side) example(i int) []int32 { return s.list[s.offsets[i]:s.offsets[i+1]] }

// firstRows returns the first row of each example, in s.first: it is valid until the next call of
// firstRows or gatherOrNull.
func (s *side) firstRows() []int32 {
	s.first = s.first[:0]
	for _, begin := range s.offsets[:len(s.offsets)-1] {
		s.first = append(s.first, s.list[begin])
	}
	return s.first
}

// columns returns the columns of the examples by role. If examples have several rows, these are
// lists, except for the weight, which all rows of an example share. The columns are s.gathered, and
// valid until the next call; they share the dictionaries of the table.
func (s *side) columns() (cols [roles.Count]*columns.Column) {
	for role, place := range s.place {
		if place == 0 {
			continue
		}
		from, to := new(columns.Column), &s.gathered[role]
		if s.table.Rows > 0 { // without rows it has no columns
			from = &s.table.Columns[place]
		}
		switch {
		case role == int(roles.Weight) && !s.optional:
			groupby.Gather(to, from, s.firstRows())
		case s.long:
			groupby.Gather(to, from, s.list)
			s.joinLists(to)
		case s.optional:
			s.gatherOrNull(to, from)
		default:
			groupby.Gather(to, from, s.list)
			s.addEmpty(to)
		}
		cols[role] = to
	}
	return cols
}

// joinLists makes the values of the rows of each example a list. If rows have lists, they become one.
func (s *side) joinLists(c *columns.Column) {
	if c.Offsets == nil {
		c.Offsets = slices.Clone(s.offsets)
		return
	}
	for i, at := range s.offsets {
		c.Offsets[i] = c.Offsets[at] // at least i, as each example has rows
	}
	c.Offsets = c.Offsets[:len(s.offsets)]
}

// gatherOrNull gathers the single value of each example, and null for an example without rows.
func (s *side) gatherOrNull(to, from *columns.Column) {
	examples := len(s.offsets) - 1
	if s.table.Rows == 0 {
		from = &columns.Column{Type: columns.Int, Ints: []int64{0}}
	}
	s.first = s.first[:0]
	for _, at := range s.offsets[:examples] {
		s.first = append(s.first, 0)
		if int(at) < len(s.list) {
			s.first[len(s.first)-1] = s.list[at]
		}
	}
	groupby.Gather(to, from, s.first)
	null := collections.Resize(to.Null, examples)
	for i := range examples {
		without := s.offsets[i] == s.offsets[i+1]
		null[i] = without || from.Null != nil && null[i]
	}
	to.Null = null
}

// addEmpty inserts empty lists for examples without rows into a column that has lists only for the
// others.
func (s *side) addEmpty(c *columns.Column) {
	examples := len(s.offsets) - 1
	if examples == len(s.list) {
		return
	}
	offsets := make([]int32, 1, len(s.offsets))
	var null []bool
	for i, at := range s.offsets[:examples] {
		end, has := offsets[i], s.offsets[i+1] > at
		if has {
			end = c.Offsets[at+1]
		}
		offsets = append(offsets, end)
		if c.RowNull != nil {
			null = append(null, has && c.RowNull[at])
		}
	}
	c.Offsets, c.RowNull = offsets, null
}

// input returns the examples, one in each row. Its columns are valid as long as those that
// side.columns returns.
func (s *sides) input() (in ingest.Input) {
	in.Rows = len(s.predictions.offsets) - 1
	in.Of = s.predictions.columns()
	if class := in.Of[roles.Class]; class != nil { // there was one row for each label
		in.LabelClass, in.Of[roles.ScoreLabel], in.PredictionClass = class, class, class
	}
	if s.truth.table != nil {
		cols := s.truth.columns()
		in.Of[roles.Label], in.LabelClass, in.LabelItem = cols[roles.Label], cols[roles.Class], cols[roles.Item]
		for _, r := range []roles.Role{roles.Weight, roles.SamplingStratum} { // how examples were drawn
			if cols[r] != nil {
				in.Of[r] = cols[r]
			}
		}
	}
	if s.baseline.table != nil {
		cols := s.baseline.columns()
		in.Of[roles.BaselinePrediction], in.Of[roles.BaselineScore] = cols[roles.BaselinePrediction], cols[roles.BaselineScore]
	}
	return in
}

// ids returns the id columns of the sides that have rows. It makes the ids and the items of all sides
// comparable.
func (s *sides) ids() (all []*columns.Column, err error) {
	for _, one := range s.all() {
		if one.table != nil {
			all = append(all, one.ids()...)
		}
	}
	for range len(all) - 1 { // again if the last had to make the first a column of floats
		for _, other := range all[1:] {
			if err := groupby.Share(all[0], other); err != nil {
				return nil, fmt.Errorf("ids of rows that belong together: %w", err)
			}
		}
	}
	p, t := &s.predictions, &s.truth
	if t.table == nil || t.table.Rows == 0 || p.table.Rows == 0 {
		return all, nil
	}
	if own, others := p.place[roles.Item], t.place[roles.Item]; own > 0 && others > 0 {
		if err := groupby.Share(&p.table.Columns[own], &t.table.Columns[others]); err != nil {
			return nil, fmt.Errorf("items of predictions and of truth: %w", err)
		}
	}
	return all, nil
}

// ids returns the column of the ids, if the table has rows.
func (s *side) ids() []*columns.Column {
	if s.table.Rows == 0 {
		return nil
	}
	return []*columns.Column{&s.table.Columns[idColumn]}
}

// placeOf returns the place of a row in its file.
func (s *side) placeOf(r int32) report.SkippedRow {
	sources, number := &s.table.Columns[sourceColumn], s.table.Columns[rowColumn].Ints[r]
	source := sources.Dict.Values()[sources.Codes[r]]
	end := strings.LastIndexByte(source, 0)
	file := source[:max(end, 0)]
	group, lines := strings.CutSuffix(source[end+1:], ofLines)
	at := columns.Place{Row: number}
	if lines {
		at = columns.Place{Line: number}
	}
	at.RowGroup, _ = strconv.Atoi(group)
	return report.RowAt(file, at)
}

func (s *side) comparePlaces(a, b int32) int {
	return report.ComparePlaces(s.placeOf(a), s.placeOf(b))
}

// earliest returns the place of the listed row that comes first.
func (s *side) earliest(list []int32) report.SkippedRow {
	return s.placeOf(slices.MinFunc(list, s.comparePlaces))
}

// ordered returns the rows of example i alone, ordered by their places.
func (s *side) ordered(i int) side {
	one := side{layout: s.layout, table: s.table}
	one.reset()
	one.add(s.example(i))
	slices.SortFunc(one.list, s.comparePlaces)
	return one
}

// ordered returns the rows of example i alone, ordered by their places.
func (s *sides) ordered(i int) (one sides) {
	for at, from := range s.all() {
		if from.table != nil {
			*one.all()[at] = from.ordered(i)
		}
	}
	return one
}

// blamed returns the side with the column that is bad.
func (s *sides) blamed(bad *ingest.Bad) *side {
	if of := s.all()[bad.Side]; of.table != nil {
		return of
	}
	return &s.predictions
}
