package batches

import (
	"fmt"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
)

// widener combines columns with one value in each row into columns of lists. A wide column has one
// such column for each label.
type widener struct {
	names []string // the names of the columns to read
	width []int    // by resulting column: the number of columns that it combines; 0 if it is read as it is
	cols  []*columns.Column
	lists []columns.Column
	rated ratings
}

func newWidener(wide map[string][]string, names []string) *widener {
	w := &widener{width: make([]int, len(names)), cols: make([]*columns.Column, len(names)), lists: make([]columns.Column, len(names))}
	for i, name := range names {
		if columns := wide[name]; i < roles.Count && columns != nil {
			w.names, w.width[i] = append(w.names, columns...), len(columns)
		} else {
			w.names = append(w.names, name)
		}
	}
	return w
}

// widen returns the columns of a batch, given the columns that were read. The result belongs to the
// widener, and is valid until the next call.
func (w *widener) widen(rows int, read []*columns.Column) ([]*columns.Column, error) {
	names := w.names
	for i, n := range w.width {
		if n == 0 {
			w.cols[i], read, names = read[0], read[1:], names[1:]
			continue
		}
		join := interleave
		if i == int(roles.Raters) {
			join = w.rated.interleave
		}
		if err := join(&w.lists[i], rows, read[:n], names); err != nil {
			return nil, err
		}
		w.cols[i], read, names = &w.lists[i], read[n:], names[n:]
	}
	return w.cols, nil
}

// interleave sets to, whose memory it reuses, to a column of lists with one value of each column.
func interleave(to *columns.Column, rows int, from []*columns.Column, names []string) error {
	to.Type, to.Null = columns.Int, nil
	for i, c := range from {
		if c.Offsets != nil || c.Type == columns.String {
			return fmt.Errorf("column %q has no single number in each row, as the column of one label must", names[i])
		}
		if c.Type == columns.Float {
			to.Type = columns.Float
		}
	}
	width := len(from)
	to.Offsets = to.Offsets[:0]
	for r := range rows + 1 {
		to.Offsets = append(to.Offsets, int32(r*width))
	}
	to.Ints, to.Floats = to.Ints[:0], to.Floats[:0]
	if to.Type == columns.Int {
		to.Ints = collections.Resize(to.Ints, rows*width)
	} else {
		to.Floats = collections.Resize(to.Floats, rows*width)
	}
	for i, c := range from {
		switch {
		case to.Type == columns.Int:
			stride(to.Ints[i:], c.Ints, width)
		case c.Type == columns.Float:
			stride(to.Floats[i:], c.Floats, width)
		default:
			for r, x := range c.Ints {
				if f := float64(x); f != float64(1<<63) && int64(f) == x || c.IsNull(r) {
					to.Floats[i+r*width] = f
				} else {
					return fmt.Errorf("column %q has %d, which float64 does not hold, and columns beside it in one role have decimal numbers: subtract the same number from all, or divide them", names[i], x)
				}
			}
		}
		if c.Null != nil {
			if to.Null == nil {
				to.Null = make([]bool, rows*width)
			}
			stride(to.Null[i:], c.Null, width)
		}
	}
	return nil
}

// stride copies values to every width-th place.
func stride[T any](to, from []T, width int) {
	for r, x := range from {
		to[r*width] = x
	}
}
