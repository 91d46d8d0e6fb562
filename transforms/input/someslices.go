package input

import (
	"slices"

	"github.com/beameval/beameval/io/slice"
)

// SomeSlices are the slices that get intervals besides that of all examples. Of hundreds of slices, intervals cost
// several times as much as everything else.
type SomeSlices struct {
	// Named are slices with their values as text.
	Named []slice.Key
	// By are columns: each slice of some of them alone gets intervals.
	By []string
}

// Has reports whether a slice gets intervals. If s is nil, every slice does.
func (s *SomeSlices) Has(key slice.Key) bool {
	if s == nil || len(key) == 0 || slices.ContainsFunc(s.Named, key.AreWritten) {
		return true
	}
	return !slices.ContainsFunc(key, func(p slice.Pair) bool { return !slices.Contains(s.By, p.Column) })
}
