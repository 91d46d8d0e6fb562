// Package writing lets a process that is about to end wait for the reports that it is writing.
package writing

import "sync"

// reports is locked while a report is being written in this process.
var reports sync.RWMutex

// Begin begins to write a report, and returns what ends it.
func Begin() (end func()) {
	reports.RLock()
	return reports.RUnlock
}

// Stop waits until no report is being written in this process, and lets none begin. A process that
// is about to end calls it after it has cancelled the context of the pipeline: writers then need a
// moment to remove what they have written.
func Stop() { reports.Lock() }
