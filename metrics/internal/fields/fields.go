// Package fields performs operations on statistics field by field. A statistic lists its fields
// once, in a method Fields; a [Visitor] goes through the list and encodes, decodes, merges, removes or
// empties each field, so that no operation can miss one. [Keyed] is the field that most statistics
// consist of: a map from labels, classes or bins to what was counted for each.
package fields

import (
	"fmt"
	"math"

	"github.com/beameval/beameval/internal/wire"
)

// Visitor performs one operation on a statistic, field by field.
type Visitor struct {
	*wire.Coder // encodes or decodes; nil if the statistic is merged, reduced or emptied
	merging     bool
	removing    bool
	times       int64 // how many times what is merged or removed counts; 0 means once
	conflict    error
}

// Coding returns a visitor that encodes or decodes.
func Coding(c *wire.Coder) *Visitor { return &Visitor{Coder: c} }

// Merging returns a visitor that merges.
func Merging() *Visitor { return &Visitor{merging: true} }

// Removing returns a visitor that removes what was merged before. Where that is impossible there is a Conflict,
// and the statistic is of no more use.
func Removing() *Visitor { return &Visitor{removing: true} }

// MergingTimes returns a visitor that merges n times or, if n is negative, removes what was merged -n times. Fields that
// cannot do that are a Conflict, but largest numbers stay as they are if one may be among those that are removed.
func MergingTimes(n int64) *Visitor {
	return &Visitor{merging: n >= 0, removing: n < 0, times: max(n, -n)}
}

// Emptying returns a visitor that empties.
func Emptying() *Visitor { return new(Visitor) }

// Merges reports whether the visitor merges.
func (v *Visitor) Merges() bool { return v.merging }

// Times returns how many times what is merged counts; less than 0 if it is removed.
func (v *Visitor) Times() int64 {
	if v.removing {
		return -max(v.times, 1)
	}
	return max(v.times, 1)
}

// Codes reports whether the visitor encodes or decodes.
func (v *Visitor) Codes() bool { return v.Coder != nil }

// Decodes reports whether the visitor decodes: then the fields have to be checked after they were
// visited.
func (v *Visitor) Decodes() bool { return v.Coder != nil && v.Reading() }

// Fail makes the operation fail, because what is decoded is invalid or what is merged does not
// belong together.
func (v *Visitor) Fail(format string, args ...any) {
	if v.Coder != nil {
		v.Coder.Fail(format, args...)
	} else if v.conflict == nil {
		v.conflict = fmt.Errorf(format, args...)
	}
}

// Conflict returns an error if what was merged does not belong together, or cannot be removed.
func (v *Visitor) Conflict() error { return v.conflict }

// Record is a struct that lists its fields. If v merges or removes, it does so with the fields of from; otherwise
// from is the struct itself.
type Record[T any] interface {
	*T
	Fields(v *Visitor, from *T)
}

// Pointer is a record in a Keyed that is nil if its key does not occur, because the record is large.
type Pointer[T any, P Record[T]] struct{ To *T }

// Empty reports whether there is no record.
func (p *Pointer[T, P]) Empty() bool { return p.To == nil }

// Fields lists the fields of the record.
func (p *Pointer[T, P]) Fields(v *Visitor, from *Pointer[T, P]) {
	if p.To == nil {
		p.To = new(T)
	}
	P(p.To).Fields(v, from.To)
}

// KeyedPointers maps integers to records that are large.
type KeyedPointers[T any, P Record[T]] = Keyed[Pointer[T, P], *Pointer[T, P]]

// Merge adds from to a record whose merging cannot fail.
func Merge[T any, P Record[T]](to P, from *T) { to.Fields(&merging, from) }

// merging has no state as long as merging does not fail, so goroutines may share it.
var merging = Visitor{merging: true}

// field is a value that can perform the operations itself.
type field[T any] interface {
	*T
	Append([]byte) []byte
	Decode(*wire.Decoder)
	Merge(*T)
	Reset()
}

// multiple is a field to which another can be added several times, or from which what was added can be removed several times.
type multiple[T any] interface{ MergeTimes(from *T, n int64) }

// remover is a field from which can be removed what was merged before. Remove reports whether it was.
type remover[T any] interface{ Remove(*T) bool }

// Visit visits a field. Most fields are tallies and sums: Direct saves a call through an interface for
// each of millions.
func Visit[T any, P field[T]](v *Visitor, to, from P) {
	switch {
	case v.merging && v.times < 2:
		to.Merge((*T)(from))
	case v.removing:
		if r, ok := any(to).(remover[T]); !ok || !r.Remove((*T)(from)) {
			v.Fail("a %T cannot be removed", from)
		} else if v.times > 1 {
			multiply(v, to, from, 1-v.times)
		}
	case v.merging:
		multiply(v, to, from, v.times)
	case v.Coder != nil:
		if dst, from := v.Direct(); from != nil {
			to.Decode(from)
		} else {
			*dst = to.Append(*dst)
		}
	default:
		to.Reset()
	}
}

func multiply[T any, P field[T]](v *Visitor, to, from P, n int64) {
	if m, ok := any(to).(multiple[T]); ok {
		m.MergeTimes((*T)(from), n)
	} else {
		v.Fail("a %T cannot be merged several times", from)
	}
}

// List visits a list of records. Merging extends it to the longer of both lists.
func List[T any, P Record[T]](v *Visitor, to *[]T, from []T) {
	switch {
	case v.Coder != nil:
		wire.List(v.Coder, to, func(_ *wire.Coder, e *T) { P(e).Fields(v, e) })
		return
	case len(from) > len(*to):
		*to = append(*to, make([]T, len(from)-len(*to))...)
	}
	for i := range from {
		P(&(*to)[i]).Fields(v, &from[i])
	}
}

// Count visits a number of rows.
func (v *Visitor) Count(to *int64, from int64) { Number(v, to, from, math.MaxInt64) }

// Number visits a number from 0 to most. Merging adds up.
func Number[T int64 | uint64](v *Visitor, to *T, from T, most uint64) {
	switch {
	case v.merging, v.removing:
		*to += T(v.Times()) * from
	case v.Coder != nil:
		*to = T(v.UpTo(uint64(*to), most))
	default:
		*to = 0
	}
}

// Largest visits the largest of numbers that are not negative. NaN is normalized, because
// processors differ in the bits of Inf - Inf.
func (v *Visitor) Largest(to *float64, from float64) {
	switch {
	case v.merging:
		*to = max(*to, from)
	case v.removing:
		if v.times == 0 && from != 0 && !(from < *to) {
			v.Fail("nothing is known below the largest number, %v", from)
		}
	case v.Coder != nil:
		if math.IsNaN(*to) {
			*to = math.NaN()
		}
		if v.Float(to); math.Signbit(*to) && !math.IsNaN(*to) {
			v.Fail("%v is negative", *to)
		}
	default:
		*to = 0
	}
}

// Size visits a number that is the same in all statistics that are merged, or 0 in those that can
// only be merged into. Emptying keeps it.
func (v *Visitor) Size(to *int, from int) {
	if *to = max(*to, from); v.Coder != nil {
		*to = int(v.UpTo(uint64(*to), 1<<31))
	}
}

// UpTo encodes or decodes a number from 0 to most.
func (v *Visitor) UpTo(n, most uint64) uint64 {
	if v.Uint(&n); n > most {
		v.Fail("count %d exceeds %d", n, most)
		return 0
	}
	return n
}
