// Package checks holds what a report finds odd in its own data, from rows that were skipped to scores
// that are upside down.
package checks

import (
	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// Level says how much a check matters. No level changes an exit code.
type Level string

// The levels.
const (
	Error   Level = "error"   // what the report says is probably wrong
	Warning Level = "warning" // what the report says may mean something else
	Note    Level = "note"    // what should be known
)

// Levels are all levels, the first matters most.
var Levels = []Level{Error, Warning, Note}

// Unnamed is the name of the checks of a report that has only their messages, which an earlier version wrote.
const Unnamed = "unnamed"

// Check is a check that holds: an entry of checks in metrics.json.
type Check struct {
	Name    string `json:"name"`
	Level   Level  `json:"level"`
	Message string `json:"message"`
	// Count is how often it was found: the number of rows, examples or ids or, if it is about slices and
	// labels, the number of slices and labels in which it holds; 0 if that means nothing.
	Count int64 `json:"count"`
	// Share is what share of all these are; nil if that means nothing.
	Share *float64 `json:"share"`
	// Slice and Label are the worst place, if it is about slices and labels.
	Slice slice.Key `json:"slice"`
	Label *string   `json:"label"`
}

// Of returns checks of a level that are only messages.
func Of(level Level, messages ...string) []Check {
	return collections.Map(messages, func(m string) Check { return Check{Name: Unnamed, Level: level, Message: m} })
}

// Messages returns the messages of checks.
func Messages(list []Check) []string {
	return collections.Map(list, func(c Check) string { return c.Message })
}

// JSON returns checks in the form of report files.
func JSON(list []Check) []Check {
	return collections.Map(list, func(c Check) Check {
		c.Name, c.Message = quote.Valid(c.Name), quote.Valid(c.Message)
		c.Label = quote.Optional(c.Label, quote.Escape)
		return c
	})
}

// Read is the inverse of JSON. warnings are the messages that the file has as well: of a file without
// checks they are warnings. It returns an error if a level is invalid.
func Read(list []Check, warnings []string) ([]Check, error) {
	if list == nil {
		list = Of(Warning, warnings...)
	}
	for i, c := range list {
		if err := quote.OneOf("level", c.Level, Levels); err != nil {
			return nil, err
		}
		if len(c.Slice) == 0 {
			list[i].Slice = nil
		}
		list[i].Label = quote.Optional(c.Label, quote.Unescape)
	}
	return list, nil
}
