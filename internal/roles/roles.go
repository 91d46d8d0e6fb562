// Package roles is the table of roles: what the columns of predictions, of their truth and of a
// baseline may be for. The keys of the configuration, their documentation, the columns that are found
// by name, what a column must look like, the columns that are read, and what metrics need all follow
// from it. To add a role, add a constant and its row in table.go; package input of transforms has its fields for
// Go programs, and package metrics the column of a batch and what Params.Has says of it.
//
// What a task needs and may have follows from the table, too. To add a task, add its constant, its name and the sets that it
// belongs to, and name it in the rows of its roles; package metrics has its constant for Go programs, its metrics and their
// statistics. A task that reads numbers and scores is read by what is there.
package roles

import (
	"iter"
	"math/bits"
	"slices"
	"strings"
	"unicode"
)

// Role is the purpose of a column.
type Role uint8

// NoTruth names, in reports, rows for which the truth has no row.
const NoTruth = "no truth"

// Shape says how many values a row has in a column.
type Shape uint8

// The shapes.
const (
	Value    Shape = iota // one
	List                  // any number
	PerLabel              // one for each label or item: a list, unless each of them is a row or the task has one
	OfTask                // a list in multilabel and ranking tasks, unless each label or item is a row; otherwise one
)

// Type says which values a column has.
type Type uint8

// The types.
const (
	Number Type = iota
	Text        // a name: text, or a whole number
	ID          // anything that can be compared
	Target      // what the task predicts: a class, a number, or 0 and 1
	Flag        // a number or a boolean
)

// Files is a set of kinds of files.
type Files uint8

// The kinds of files.
const (
	OfInput    Files = 1 << iota // the predictions
	OfTruth                      // true labels in other files
	OfBaseline                   // what a baseline predicts, in other files
	OfTraining                   // the data that a model was trained on
)

// In describes a role in files of one kind: its key in their section of the configuration, and a
// sentence for users.
type In struct {
	Key, Doc string
	Wide     bool // several columns may have it, one for each label
	// Also are further usual names in files of this kind; see Info.
	Also []string
}

// Info is a row of the table.
type Info struct {
	// Input, Truth, Baseline and Training describe the role in the files that may have it.
	Input, Truth, Baseline, Training In
	// Field names the column in the Columns of Go programs; it is "" if only the configuration has
	// the role. Memory is the field of a prediction in memory, if it is another.
	Field, Memory string
	// Names are the usual names of columns, ignoring case, by which columns are found that nobody
	// names. The first that exists wins.
	Names []string
	// Also are further usual names. They and other spellings of all names (see Same) say nothing about the
	// task or the layout: they are looked for only if the task needs the role and no column has one of Names.
	Also []string
	// Hints are words in the names of columns that people may mean for the role. Such columns are proposed
	// where one is missing, and never taken.
	Hints []string
	// Tasks are the tasks in which the role may be set; 0 means all.
	Tasks Task
	// Needed are the tasks that cannot be evaluated without the role.
	Needed Task
	// Naming are the tasks whose vocabulary is in the column, in place of labels: systems, or raters.
	Naming Task
	Shape  Shape
	Type   Type
	Range  Range // of numbers
	// Null names, in reports, rows that have no value, and Missing says what is missing.
	Null, Missing string
	// OfRow says that the column tells about the row itself, not about what is predicted for it: it belongs to the
	// predictions of a baseline, too.
	OfRow bool
	// What names the values, if a task or metrics need the role, and Batch the columns of a batch that metrics need.
	What, Batch string
}

// Of returns the row of a role.
func (r Role) Of() *Info { return &table[r] }

// String returns the key of the role in the section input.columns.
func (r Role) String() string { return table[r].Input.Key }

// InFiles describes the role in files of a kind. Its key is "" if they cannot have it.
func (r Role) InFiles(f Files) In {
	switch f {
	case OfTruth:
		return table[r].Truth
	case OfBaseline:
		return table[r].Baseline
	case OfTraining:
		return table[r].Training
	}
	return table[r].Input
}

// UsualNames returns all usual names of the role in files of a kind, the most usual first.
func (r Role) UsualNames(f Files) []string {
	return slices.Concat(table[r].Names, table[r].Also, r.InFiles(f).Also)
}

// Hinted reports whether the name of a column has one of the hints of the role.
func (r Role) Hinted(name string) bool {
	words := "_" + snake(name) + "_"
	return slices.ContainsFunc(table[r].Hints, func(hint string) bool { return strings.Contains(words, "_"+hint+"_") })
}

// Same reports whether two names are spellings of one, such as query_id, QUERY-ID and QueryId.
func Same(a, b string) bool { return snake(a) == snake(b) }

// snake returns the words of a name in lower case with _ between them.
func snake(name string) string {
	letters := []rune(strings.ReplaceAll(name, "-", "_"))
	words := make([]rune, 0, len(letters))
	for i, l := range letters {
		if i > 0 && unicode.IsUpper(l) && letters[i-1] != '_' &&
			(!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			words = append(words, '_')
		}
		words = append(words, unicode.ToLower(l))
	}
	return string(words)
}

// All yields all roles.
func All() iter.Seq[Role] {
	return func(yield func(Role) bool) {
		for r := range Role(Count) {
			if !yield(r) {
				return
			}
		}
	}
}

// Roles yields the roles that files of a kind may have.
func (f Files) Roles() iter.Seq[Role] {
	return func(yield func(Role) bool) {
		for r := range All() {
			if r.InFiles(f).Key != "" && !yield(r) {
				return
			}
		}
	}
}

// those returns the roles with a property.
func those(have func(*Info) bool) (some Set) {
	for r := range All() {
		if have(r.Of()) {
			some |= SetOf(r)
		}
	}
	return some
}

// Needs returns the roles without which a task cannot be evaluated.
func (t Task) Needs() Set { return those(func(i *Info) bool { return i.Needed&t != 0 }) }

// Naming returns the roles of the columns with the vocabulary of a task, if it is not one of labels.
func (t Task) Naming() Set { return those(func(i *Info) bool { return i.Naming&t != 0 }) }

// Labelled reports whether the rows of a task need labels.
func (t Task) Labelled() bool { return Label.Of().Needed&t != 0 }

// These are looked for once, because batches and predictions ask for them.
var (
	numbers = those(func(i *Info) bool { return i.Batch != "" && (i.Type == Number || i.Type == Flag) && i.Shape == Value })
	ofRows  = those(func(i *Info) bool { return i.OfRow })
)

// Numbers yields the roles whose columns hold a number or a boolean in each row, and in batches a number.
func Numbers() iter.Seq[Role] { return numbers.All() }

// OfRows returns the roles that are OfRow.
func OfRows() Set { return ofRows }

// IsID reports whether columns of the role hold ids. Most data have some, needed or not.
func (r Role) IsID() bool { return r == Example || r == Query || r == Item }

// Set is a set of roles. The zero Set is empty.
type Set uint64

// SetOf returns the set of some roles.
func SetOf(some ...Role) (s Set) {
	for _, r := range some {
		s |= 1 << r
	}
	return s
}

// Has reports whether all of some roles are in the set.
func (s Set) Has(some ...Role) bool { return SetOf(some...)&^s == 0 }

// HasAny reports whether one of some roles is in the set.
func (s Set) HasAny(some ...Role) bool { return SetOf(some...)&s != 0 }

// First returns the first role of a set that is not empty.
func (s Set) First() Role { return Role(bits.TrailingZeros64(uint64(s))) }

// All yields the roles of the set.
func (s Set) All() iter.Seq[Role] {
	return func(yield func(Role) bool) {
		for ; s != 0; s &= s - 1 {
			if !yield(s.First()) {
				return
			}
		}
	}
}

// Batch returns what batches of examples have if there are columns of the roles: predictions of a
// baseline follow from its scores, which are compared only with scores of every label. What errors cost
// is known if one column is named.
func (s Set) Batch() (has Set) {
	for r := range s.All() {
		if r.Of().Batch != "" && r != Quantiles { // of which the levels must be known
			has |= SetOf(r)
		}
	}
	if s.Has(BaselineScore) {
		has |= SetOf(BaselinePrediction)
	}
	if s.HasAny(CostFP, CostFN) {
		has |= SetOf(CostFP, CostFN)
	}
	if !s.Has(Score) || s.Has(ScoreLabel) {
		has &^= SetOf(BaselineScore)
	}
	return has
}
