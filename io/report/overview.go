package report

import "bytes"

// ReadOverview reads the part of a metrics.json that Summary needs. It omits the rows of single
// labels within slices, which are most of the rows if there are many slices.
func ReadOverview(data []byte) (*Report, error) { return Read(withoutDetails(data)) }

// withoutDetails removes the rows of single labels within slices from a metrics.json. It relies on
// two facts: each row is on one line, and quotes inside strings are escaped, so no text looks like
// a member.
func withoutDetails(data []byte) []byte {
	row := []byte(`    {"name":`)
	kept := make([]byte, 0, min(len(data), 1<<20))
	var before []byte // the last kept row, written when it is known whether a comma follows
	for line := range bytes.Lines(data) {
		switch {
		case !bytes.HasPrefix(line, row):
			if before != nil {
				kept = append(append(kept, before...), '\n')
			}
			before, kept = nil, append(kept, line...)
		case bytes.Contains(line, []byte(`,"slice":{},`)) || bytes.Contains(line, []byte(`,"label":null,`)):
			if before != nil {
				kept = append(append(kept, before...), ",\n"...)
			}
			before = bytes.TrimRight(line, ",\n")
		}
	}
	return kept
}
