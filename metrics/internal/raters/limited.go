package raters

import (
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// limited maps values to what is known of each, and forgets all of it if there are too many values. It is a commutative
// monoid, as long as all have the same limit.
type limited[T any, P fields.Monoid[T]] struct {
	over     bool
	values   fields.Keyed[T, P]
	distinct int
}

// value returns what is known of a value, which something is about to be added to, or nil if there are more than limit. A
// limit of 0 is none.
func (l *limited[T, P]) value(x float64, limit int) P {
	if l.over {
		return nil
	}
	p := l.values.Value(scoreruns.Image(x))
	if p.Empty() {
		if l.distinct++; limit > 0 && l.distinct > limit {
			l.giveUp()
			return nil
		}
	}
	return p
}

func (l *limited[T, P]) giveUp() { *l = limited[T, P]{over: true} }

// Fields lists the fields. After that, restrict must be called.
func (l *limited[T, P]) Fields(v *fields.Visitor, from *limited[T, P]) {
	switch {
	case v.Codes():
		v.Bool(&l.over)
		l.values.Fields(v, &from.values)
	case from == l: // it is emptied
		l.over = false
		l.values.Fields(v, &from.values)
	case !l.over && !from.over:
		l.values.Fields(v, &from.values)
	case v.Merges():
		l.giveUp()
	default:
		v.Fail("nothing is known of values that are too many")
	}
	l.distinct = l.values.Size()
}

// restrict gives up if there are too many values after a visit.
func (l *limited[T, P]) restrict(v *fields.Visitor, limit int) {
	switch {
	case !(l.over && l.distinct > 0) && (limit == 0 || l.distinct <= limit):
	case v.Decodes():
		v.Fail("%d values, over %d", l.distinct, limit)
	default:
		l.giveUp()
	}
}
