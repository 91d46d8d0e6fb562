package shuffle

import (
	"cmp"
	"maps"
	"slices"

	"github.com/beameval/beameval/internal/wire"
)

// Met are the examples that an evaluation has met, by the hashes of their ids: those that are evaluated, under "", and
// those that are skipped, by the reason.
type Met struct{ By map[string][]uint64 }

// Add adds an example. reason is "" if it is evaluated.
func (m *Met) Add(reason string, hashes ...uint64) {
	if m.By == nil {
		m.By = make(map[string][]uint64)
	}
	m.By[reason] = append(m.By[reason], hashes...)
}

// Merge adds the examples of from and leaves from unchanged.
func (m *Met) Merge(from *Met) {
	for reason, hashes := range from.By {
		m.Add(reason, hashes...)
	}
}

// MetID is an example of Met.
type MetID struct {
	Hash   uint64
	Reason string
}

// Sorted returns all examples by their hashes.
func (m *Met) Sorted() (list []MetID) {
	for _, reason := range slices.Sorted(maps.Keys(m.By)) {
		for _, hash := range m.By[reason] {
			list = append(list, MetID{hash, reason})
		}
	}
	slices.SortFunc(list, func(a, b MetID) int { return cmp.Or(cmp.Compare(a.Hash, b.Hash), cmp.Compare(a.Reason, b.Reason)) })
	return list
}

func metFields(c *wire.Coder, m *Met) {
	wire.Map(c, &m.By, wire.String, func(c *wire.Coder, hashes *[]uint64) { wire.List(c, hashes, (*wire.Coder).Fixed) })
}
