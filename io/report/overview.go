package report

import "bytes"

// ReadOverview reads what Summary needs of a metrics.json: not the rows of single labels
// within slices, which are most of the rows if slices are many.
func ReadOverview(data []byte) (*Report, error) { return Read(withoutDetails(data)) }

// withoutDetails returns a metrics.json without the rows of single labels within slices. Each
// row is a line. Inside of strings quotes are escaped, so that no text looks like a member.
func withoutDetails(data []byte) []byte {
	row := []byte(`    {"name":`)
	kept := make([]byte, 0, min(len(data), 1<<20))
	var before []byte // the last row that was kept: a comma follows it if there is another
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
