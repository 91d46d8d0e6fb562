// Package pendingwrites lets a process that is about to exit wait for the reports that it is writing.
package pendingwrites

import "sync"

// reports is locked while a report is being written in this process.
var reports sync.RWMutex

// Begin marks the start of writing a report. The function that it returns marks the end.
func Begin() (end func()) {
	reports.RLock()
	return reports.RUnlock
}

// Stop waits until no report is being written in this process, and prevents new ones. A process
// that is about to exit calls it after cancelling the context of the pipeline, because writers then
// need a moment to remove what they have written.
func Stop() { reports.Lock() }
