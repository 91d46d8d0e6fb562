package report

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/beameval/beameval/internal/collections"
)

// withOverview removes the rows of slices from a metrics.json. It keeps the rows of all labels together of the
// metrics that ofSlices names; see [OpenOverview]. It returns the names, too.
func withOverview(data []byte, ofSlices func(*Report) []string) (part []byte, names []string) {
	if all, _, err := read(withRows(data, ofAllExamples)); err == nil { // the caller finds it again
		names = ofSlices(all)
	}
	starts := rowStarts(names)
	return withRows(data, func(row []byte) bool {
		return ofAllExamples(row) || isOf(row, starts) && bytes.Contains(row, []byte(`,"label":null,`))
	}), names
}

// WithoutRows removes the metric rows from a metrics.json, which are nearly all of it.
func WithoutRows(data []byte) []byte { return withRows(data, func([]byte) bool { return false }) }

// rowStarts returns how the lines of the rows of metrics begin.
func rowStarts(names []string) [][]byte {
	return collections.Map(names, func(name string) []byte {
		text, _ := json.Marshal(name) // strings are never refused
		return slices.Concat([]byte(rowStart), text, []byte(","))
	})
}

// isOf reports whether the line of a row begins in one of these ways.
func isOf(row []byte, starts [][]byte) bool {
	return slices.ContainsFunc(starts, func(start []byte) bool { return bytes.HasPrefix(row, start) })
}

// rowStart is how the line of a metric row begins, and afterName what follows its name.
const (
	rowStart  = `    {"name":`
	afterName = `,"slice":`
)

// isRow reports whether a line has a metric row, not something else that has a name first.
func isRow(line []byte) bool {
	rest, begins := bytes.CutPrefix(line, []byte(rowStart))
	if !begins || len(rest) == 0 {
		return false
	}
	for i := 1; i < len(rest); i++ { // behind the opening quote
		switch rest[i] {
		case '\\':
			i++
		case '"':
			return bytes.HasPrefix(rest[i+1:], []byte(afterName))
		}
	}
	return false
}

// ofAllExamples reports whether the line of a row is of the slice of all examples.
func ofAllExamples(row []byte) bool { return bytes.Contains(row, []byte(`,"slice":{},`)) }

// withRows removes the metric rows that are not to be kept from a metrics.json. If another program formatted the file
// anew, it removes nothing. It relies on two facts: each row is on one line, and quotes inside strings are escaped, so no text looks like a
// member.
func withRows(data []byte, keep func(row []byte) bool) []byte {
	kept := make([]byte, 0, min(len(data), 1<<20))
	var before []byte // the last kept row, written when it is known whether a comma follows
	for line := range bytes.Lines(data) {
		switch {
		case !isRow(line):
			if before != nil {
				kept = append(append(kept, before...), '\n')
			}
			before, kept = nil, append(kept, line...)
		case keep(line):
			if before != nil {
				kept = append(append(kept, before...), ",\n"...)
			}
			before = bytes.TrimRight(line, ",\n")
		}
	}
	return kept
}
