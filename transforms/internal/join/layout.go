package join

import (
	"fmt"
	"strconv"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// layout says which columns the tables of rows have: first those named here, then those with a
// role.
type layout struct {
	names input.Columns
	long  bool             // whether an example has several rows
	place [roles.Count]int // by role: the index of the column; 0 if there is none
	// optional says that values of examples without rows are null, instead of empty lists.
	optional bool
}

const (
	idColumn     = iota // of the example
	sourceColumn        // the file and row group; see sourceName
	rowColumn           // the line of the row, or its number in the row group
	slicesColumn        // the values of slice columns; see batches.Slicer.Describe
	firstRole
)

// layouts returns the layouts of the tables of all sides.
func layouts(j *shuffle.Job) (of [input.Sides]layout) {
	of[input.OfPredictions] = newLayout(&j.Columns, j.Long)
	if j.Truth != nil {
		of[input.OfTruth] = newLayout(&j.Truth.Columns, j.Truth.Long())
		of[input.OfTruth].optional = j.KeepsUnlabelled()
	}
	if j.Baseline != nil {
		of[input.OfBaseline] = newLayout(&j.Baseline.Columns, false)
	}
	return of
}

func newLayout(names *input.Columns, long bool) layout {
	l, next := layout{names: *names, long: long}, firstRole
	for role := range names.Has().All() {
		if role != roles.Example {
			l.place[role] = next
			next++
		}
	}
	return l
}

// check returns an error if a column has lists although rows must have single values. cols are
// ordered by role.
func (l *layout) check(cols []*columns.Column) error {
	for role, col := range cols {
		if col != nil && col.Offsets != nil && (l.long && roles.Role(role).Of().Shape != roles.List || role == int(roles.Example)) {
			return fmt.Errorf("column %q is %s: expected one value a row", *l.names.Of(roles.Role(role)), col.Shape())
		}
	}
	return nil
}

// sourceName returns the name of a row group of a file. For a text file it is the name of a block,
// in which rows are identified by their lines.
func sourceName(file string, group int, lines bool) string {
	name := file + "\x00" + strconv.Itoa(group)
	if lines {
		name += ofLines
	}
	return name
}

const ofLines = "L"
