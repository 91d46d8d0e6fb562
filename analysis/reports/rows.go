package reports

import (
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
)

// CheckRows returns an error if two metric rows of a report have the same metric, slice and label:
// one row would count for nothing, or both as two nights. It takes 8 bytes a row.
func CheckRows(dir string, rows []report.Row) error {
	hashes := make([]uint64, len(rows))
	seed := maphash.MakeSeed()
	for i := range rows {
		hashes[i] = maphash.Bytes(seed, rows[i].Key())
	}
	sorted := slices.Clone(hashes)
	slices.Sort(sorted)
	again := map[uint64]bool{}
	for i, h := range sorted[min(1, len(sorted)):] {
		if h == sorted[i] {
			again[h] = true
		}
	}
	met := map[string]bool{}
	for i, h := range hashes {
		if !again[h] {
			continue
		}
		key := string(rows[i].Key())
		if met[key] {
			return fmt.Errorf("%s: %s (%s) occurs twice", files.Join(dir, report.MetricsJSON), quote.Visible(rows[i].Name), rows[i].Place())
		}
		met[key] = true
	}
	return nil
}
