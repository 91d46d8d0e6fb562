// Package report turns metric rows into report files, and reads them back.
//
// A [Report] holds everything that follows from the data and the
// configuration; a [Run] holds what differs from one run to the next. [Write]
// keeps them in separate files, so that every file but run.json is the same,
// byte for byte, whenever the report is.
//
// The package knows nothing of how metrics are computed. It only needs to know
// which ones to show first to people: see headlines.
package report
