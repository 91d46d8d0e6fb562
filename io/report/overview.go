package report

import (
	"bytes"
	"encoding/json"
	"slices"
)

// ReadOverview reads the part of a metrics.json that Summary needs. It omits the rows of single
// labels within slices, which are most of the rows if there are many slices.
func ReadOverview(data []byte) (*Report, error) {
	return Read(withRows(data, func(row []byte) bool {
		return ofAllExamples(row) || bytes.Contains(row, []byte(`,"label":null,`))
	}))
}

// ReadMetrics reads a metrics.json with the rows of these metrics only, and only with those of all
// examples if all is set. It takes a fraction of the time of [Read].
func ReadMetrics(data []byte, names []string, all bool) (*Report, error) {
	starts := make([][]byte, len(names))
	for i, name := range names {
		text, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		starts[i] = slices.Concat([]byte(rowStart), text, []byte(","))
	}
	r, err := Read(withRows(data, func(row []byte) bool {
		return (!all || ofAllExamples(row)) && slices.ContainsFunc(starts, func(start []byte) bool { return bytes.HasPrefix(row, start) })
	}))
	if err != nil {
		return nil, err
	}
	// If another program formatted the file anew, it was read whole.
	r.Metrics = slices.DeleteFunc(r.Metrics, func(row Row) bool {
		return all && len(row.Slice) > 0 || !slices.Contains(names, row.Name)
	})
	return r, nil
}

// rowStart is how the line of a metric row begins.
const rowStart = `    {"name":`

// ofAllExamples reports whether the line of a row is of the slice of all examples.
func ofAllExamples(row []byte) bool { return bytes.Contains(row, []byte(`,"slice":{},`)) }

// withRows removes the metric rows that are not to be kept from a metrics.json. It relies on two
// facts: each row is on one line, and quotes inside strings are escaped, so no text looks like a
// member.
func withRows(data []byte, keep func(row []byte) bool) []byte {
	kept := make([]byte, 0, min(len(data), 1<<20))
	var before []byte // the last kept row, written when it is known whether a comma follows
	for line := range bytes.Lines(data) {
		switch {
		case !bytes.HasPrefix(line, []byte(rowStart)):
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
