package columns

import (
	"fmt"

	"github.com/beameval/beameval/internal/settings"
)

// Options say how a file is read. The zero value suits most files.
type Options struct {
	// MaxPage limits the bytes of a page, as stored and as decoded, and of a line of text. One
	// that claims more is an error. 0 means 128 MiB, far beyond the pages of most writers.
	MaxPage int64
	// MaxRowValues limits the values of a list in a row. A longer list is an error: a row is read
	// whole, and takes memory for each of its values. 0 means 100,000.
	MaxRowValues int
	// RoundDecimals reads decimals that neither an int64 nor a float64 holds exactly as
	// the nearest float64. Without it, they cannot be read.
	RoundDecimals bool
	// Names says whether messages name these fields, as the default, or keys of the configuration of
	// the command beameval.
	Names settings.Names
}

const (
	defaultMaxPage      = 128 << 20
	defaultMaxRowValues = 100_000
)

// Complete returns the options with the limits that 0 means.
func (o Options) Complete() Options {
	if o.MaxPage == 0 {
		o.MaxPage = defaultMaxPage
	}
	if o.MaxRowValues == 0 {
		o.MaxRowValues = defaultMaxRowValues
	}
	return o
}

// TooManyValues is the error for a row with more than MaxRowValues values, of which so many were met.
func (o Options) TooManyValues(met int) error {
	return fmt.Errorf("the row has %d values or more, and at most %d are read: set %s to a larger number if that is no mistake",
		met, o.MaxRowValues, o.Names.Of(settings.MaxRowValues))
}
