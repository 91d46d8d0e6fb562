package ingest

import (
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/metrics"
)

// grades sets the grades of attempts, in ascending order: the order in which rows arrive has no meaning.
func (c *Converter) grades(b *metrics.Batch) {
	s := &c.by[roles.Grade]
	b.Grade, b.GradeOffset = b.Grade[:0], append(b.GradeOffset[:0], 0)
	b.FurtherGrade = collections.Resize(b.FurtherGrade, len(c.spec.Params.FurtherGrades))
	for i := range b.FurtherGrade {
		b.FurtherGrade[i] = b.FurtherGrade[i][:0]
	}
	for r := range b.Rows {
		switch from, to := s.span(r); {
		case s.IsNullList(r):
			c.reject(s, r, "null", s.null)
		case from == to:
			c.reject(s, r, "an empty list", s.null)
		case to-from < c.leastAttempts:
			c.reject(s, r, fmt.Sprintf("%d of %d", to-from, c.leastAttempts), fewAttempts)
		default:
			end := len(b.Grade)
			b.Grade = slices.Grow(b.Grade, to-from)[:end+to-from]
			c.finiteList(b.Grade[end:], s, r)
			slices.Sort(b.Grade[end:])
			c.furtherGrades(b, r, to-from)
		}
		b.GradeOffset = append(b.GradeOffset, int32(len(b.Grade)))
	}
	if c.by[roles.Answer].Column != nil {
		c.majorities(b)
	}
}

// furtherGrades adds the further grades of n attempts at row r, each in ascending order.
func (c *Converter) furtherGrades(b *metrics.Batch, r, n int) {
	width := len(b.FurtherGrade)
	if width == 0 {
		return
	}
	s := c.by[roles.FurtherGrades]
	from, to := s.span(r)
	if to-from != n*width {
		c.reject(&s, r, fmt.Sprintf("%d further grades of %d attempts", to-from, n), unequalGrades)
		from = -1
	}
	grade, names := &c.by[roles.Grade], c.spec.Columns.Wide[s.name]
	first, _ := grade.span(r)
	for i, list := range b.FurtherGrade {
		end := len(list)
		list = slices.Grow(list, n)[:end+n]
		b.FurtherGrade[i] = list
		if from < 0 {
			continue
		}
		if s.name = c.spec.Params.FurtherGrades[i].Name; names != nil {
			s.name = names[i]
		}
		for k := range n {
			v := from + k*width + i
			x := s.Number(v)
			if why, unfit := s.unfit(v, x); unfit {
				c.rejectElement(&s, r, grade.element(r, first+k), s.text(v), why)
			}
			list[end+k] = x
		}
		slices.Sort(list[end:])
	}
}

// majorities sets how right the most frequent answers are.
func (c *Converter) majorities(b *metrics.Batch) {
	answers := &c.by[roles.Answer]
	b.Majority = collections.Resize(b.Majority, b.Rows)
	times := map[slice.Value]int{}
	for r := range b.Rows {
		b.Majority[r] = 0
		label, known := c.onlyLabel(r)
		if !known {
			continue
		}
		clear(times)
		most := 0
		for from, to := answers.span(r); from < to; from++ {
			if answer := answers.any(from); answer != slice.Null() && answer != slice.String("") {
				times[answer]++
				most = max(most, times[answer])
			}
		}
		first, right := 0, false
		for answer, n := range times {
			if n == most {
				first++
				right = right || label.Is(answer)
			}
		}
		if right {
			b.Majority[r] = 1 / float64(first)
		}
	}
}

// onlyLabel returns the label that all attempts at row r have, or rejects the row.
func (c *Converter) onlyLabel(r int) (label slice.Constant, known bool) {
	s := &c.by[roles.Label]
	from, to := s.span(r)
	for v := from; v < to; v++ {
		switch {
		case s.IsNull(v):
			c.rejectValue(s, r, v, s.null)
			return label, false
		case v == from:
			label = slice.Written(s.plain(v))
		case s.any(v) != s.any(from):
			c.rejectValue(s, r, v, severalLabels)
			return label, false
		}
	}
	return label, from < to
}

// any returns value v, of any type.
func (s *source) any(v int) slice.Value {
	switch {
	case s.IsNull(v):
		return slice.Null()
	case s.Type == columns.String:
		return slice.String(s.word(v))
	}
	return s.value(v)
}
