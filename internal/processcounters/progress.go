// Package processcounters counts what this process has read. Runners report their counters late or never,
// and their workers may be this process.
package processcounters

import "sync/atomic"

// Rows and RowGroups count the rows and row groups that all runs of this process have read so far.
var Rows, RowGroups atomic.Int64

// Searched and Tried count the rows that searches have read, and the slices that they have tried.
var Searched, Tried atomic.Int64

// Slices is the largest number of slices that a worker of this process has met.
var Slices atomic.Int64

// Met notes how many slices a worker has met.
func Met(slices int64) {
	for most := Slices.Load(); most < slices && !Slices.CompareAndSwap(most, slices); most = Slices.Load() {
	}
}

// Planned counts the rows of text files that planning has looked at.
var Planned atomic.Int64
