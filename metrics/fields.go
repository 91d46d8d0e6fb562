package metrics

import (
	"math"

	"github.com/beameval/beameval/internal/wire"
)

// visitor performs one operation on a statistic, field by field: it encodes, decodes, merges or
// empties it. So a statistic lists its fields only once, and no operation can miss one.
type visitor struct {
	*wire.Coder // encodes or decodes; nil if the statistic is merged or emptied
	merging     bool
}

// decodes reports whether the fields have to be checked after they were visited.
func (v *visitor) decodes() bool { return v.Coder != nil && v.Reading() }

// These visitors have no state, so they may be shared.
var (
	merging  = &visitor{merging: true}
	emptying = &visitor{}
)

// record is a struct that lists its fields. If v merges, it adds the fields of from; otherwise from
// is the struct itself.
type record[T any] interface {
	*T
	fields(v *visitor, from *T)
}

// field is a value that can perform the operations itself.
type field[T any] interface {
	*T
	Append([]byte) []byte
	Decode(*wire.Decoder)
	Merge(*T)
	Reset()
}

// visit visits a field. Most fields are tallies and sums: Direct saves a call through an interface for
// each of millions.
func visit[T any, P field[T]](v *visitor, to, from P) {
	switch {
	case v.merging:
		to.Merge((*T)(from))
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

// visitList visits a list of records. Merging extends it to the longer of both lists.
func visitList[T any, P record[T]](v *visitor, to *[]T, from []T) {
	switch {
	case v.Coder != nil:
		wire.List(v.Coder, to, func(_ *wire.Coder, e *T) { P(e).fields(v, e) })
		return
	case len(from) > len(*to):
		*to = append(*to, make([]T, len(from)-len(*to))...)
	}
	for i := range from {
		P(&(*to)[i]).fields(v, &from[i])
	}
}

// count visits a number of rows.
func (v *visitor) count(to *int64, from int64) { number(v, to, from, math.MaxInt64) }

// number visits a number from 0 to most. Merging adds up.
func number[T int64 | uint64](v *visitor, to *T, from T, most uint64) {
	switch {
	case v.merging:
		*to += from
	case v.Coder != nil:
		*to = T(v.upTo(uint64(*to), most))
	default:
		*to = 0
	}
}

// upTo encodes or decodes a number from 0 to most.
func (v *visitor) upTo(n, most uint64) uint64 {
	if v.Uint(&n); n > most {
		v.Fail("count %d exceeds %d", n, most)
		return 0
	}
	return n
}

// size visits a number that is the same in all statistics that are merged, or 0 in those that can
// only be merged into. Emptying keeps it.
func (v *visitor) size(to *int, from int) {
	if *to = max(*to, from); v.Coder != nil {
		*to = int(v.upTo(uint64(*to), 1<<31))
	}
}
