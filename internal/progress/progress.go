// Package progress counts what this process has read. Runners report their counters late or never,
// and their workers may be this process.
package progress

import "sync/atomic"

// Rows and Groups count the rows and row groups that all runs of this process have read so far.
var Rows, Groups atomic.Int64

// Searched and Tried count the rows that searches have read, and the slices that they have tried.
var Searched, Tried atomic.Int64

// Planned counts the rows of text files that planning has looked at.
var Planned atomic.Int64
