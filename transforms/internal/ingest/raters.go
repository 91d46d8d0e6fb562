package ingest

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
)

// rated is a rating by a rater.
type rated struct {
	by     int32
	rating float64
}

// ratings sets the ratings of each example and who gave them, in the order of the raters. Ratings may be missing.
func (c *Converter) ratings(b *metrics.Batch) {
	b.Labels = c.by[roles.Raters].width
	b.Rating, b.Rater, b.RatingOffset = b.Rating[:0], b.Rater[:0], append(b.RatingOffset[:0], 0)
	for r := range b.Rows {
		if c.rated = c.rated[:0]; c.by[roles.Raters].Column != nil {
			c.ratingsOfColumns(r)
		} else {
			c.ratingsOfRows(r)
		}
		for _, of := range c.rated {
			b.Rating, b.Rater = append(b.Rating, of.rating), append(b.Rater, of.by)
		}
		b.RatingOffset = append(b.RatingOffset, int32(len(b.Rating)))
	}
}

// ratingsOfColumns finds the ratings of row r, which has a value for each rater.
func (c *Converter) ratingsOfColumns(r int) {
	s := &c.by[roles.Raters]
	from, ok := c.list(s, r, s.width, "ratings", wrongLength)
	if !ok {
		return
	}
	for v := from; v < from+s.width; v++ {
		if x, given := c.rating(s, r, v); given {
			c.rated = append(c.rated, rated{int32(v - from), x})
		}
	}
}

// ratingsOfRows finds the ratings of row r, which has a list of them and of their raters.
func (c *Converter) ratingsOfRows(r int) {
	s, by := &c.by[roles.Grade], &c.by[roles.Rater]
	from, to := s.span(r)
	first, _ := by.span(r)
	for v := from; v < to; v++ {
		at := first + v - from
		if by.IsNull(at) {
			c.rejectValue(by, r, at, by.null)
			continue
		}
		rater, why, known := by.label(at)
		if !known {
			c.rejectValue(by, r, at, why)
			continue
		}
		if x, given := c.rating(s, r, v); given {
			c.rated = append(c.rated, rated{rater, x})
		}
	}
	slices.SortFunc(c.rated, func(a, b rated) int { return cmp.Or(cmp.Compare(a.by, b.by), cmp.Compare(a.rating, b.rating)) })
	for i := 1; i < len(c.rated); i++ {
		if rater := c.rated[i].by; rater == c.rated[i-1].by {
			c.reject(by, r, c.nameOf(by, rater), ratedTwice)
			return
		}
	}
}

// rating returns value v as a rating of row r. given is false if there is none: if it is null, NaN or an empty text, or if it
// makes the row bad. A text becomes a number that identifies it.
func (c *Converter) rating(s *source, r, v int) (x float64, given bool) {
	switch {
	case s.IsNull(v):
		return 0, false
	case s.Type == columns.String:
		return float64(s.Dict.Hash(s.Codes[v]) >> 11), s.word(v) != "" // 53 bits are exact: two of 1,000 texts collide once in 10^10 times
	}
	x = s.Number(v)
	switch why, unfit := s.unfit(v, x); {
	case math.IsNaN(x):
		return 0, false
	case unfit:
		c.rejectValue(s, r, v, why)
		return 0, false
	}
	return x, true
}

// misfitOfRatings says what was expected of a column of ratings if it has others: texts and numbers are never equal.
func (c *Converter) misfitOfRatings(col *columns.Column) string {
	switch {
	case col == nil || !slices.Contains(col.Null, false) && len(col.Null) == col.Len(): // all are missing
	case c.spec.Params.Raters.Names && col.Type != columns.String && col.Type != columns.Bool:
		return "of texts or booleans"
	case !c.spec.Params.Raters.Names && col.Type == columns.String:
		return "of numbers"
	}
	return ""
}
