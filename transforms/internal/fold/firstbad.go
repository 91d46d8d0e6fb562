package fold

import (
	"cmp"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// firstBad is the first of the bad rows that end the run, among those that the folders of a pool
// have found. Row groups after it need not be read.
type firstBad struct {
	row atomic.Pointer[shuffle.BadRow]
}

func (f *firstBad) add(row *shuffle.BadRow) {
	for {
		old := f.row.Load()
		if old != nil && !row.Before(old) || f.row.CompareAndSwap(old, row) {
			return
		}
	}
}

// passed reports whether a row group, or the rest of it, comes after the first bad row.
func (f *firstBad) passed(file string, group int) bool {
	row := f.row.Load()
	return row != nil && cmp.Or(strings.Compare(row.At.File, file), cmp.Compare(row.At.RowGroup, group+1)) < 0
}

var errPassed = errors.New("the rest of the row group does not matter")
