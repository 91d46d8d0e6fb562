package shuffle

import (
	"slices"

	"github.com/beameval/beameval/internal/wire"
)

// Pass is one of several passes over the same inputs. The first, which is the zero value, folds the statistics of
// all slices. Each further pass folds the slices with hashes in [From, To).
type Pass struct{ Number, From, To int }

func passFields(c *wire.Coder, p *Pass) {
	wire.Int(c, &p.Number)
	wire.Int(c, &p.From)
	if wire.Int(c, &p.To); p.Number < 0 || p.From < 0 || p.From > p.To {
		c.Fail("there is no pass %d from %d to %d", p.Number, p.From, p.To)
	}
}

// First reports whether this is the first pass, which alone emits what belongs to no slice in particular.
func (p Pass) First() bool { return p.Number == 0 }

// Has reports whether the pass folds the slice with this key. Only the first pass folds the overall
// slice.
func (p Pass) Has(slice string) bool {
	if p.First() || slice == Overall {
		return p.First()
	}
	hash := Hash(slice)
	return p.From <= hash && hash < p.To
}

// Memberships returns memberships without the slices that the pass does not fold.
func (p Pass) Memberships(of MembershipOf) MembershipOf {
	if p.First() {
		return of
	}
	return func(tuple int32) Membership {
		membership := of(tuple)
		membership.Slices = slices.DeleteFunc(membership.Slices, func(slice string) bool { return !p.Has(slice) })
		return membership
	}
}
