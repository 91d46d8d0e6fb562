package columns

import (
	"fmt"

	"github.com/beameval/beameval/internal/settings"
)

// Options configure how files are read. The zero value suits most files.
type Options struct {
	// MaxPage limits the size in bytes of a page, as stored and as decoded, and of a line of text.
	// A larger one is an error. 0 means 128 MiB, far more than most writers put into a page.
	MaxPage int64
	// MaxRowValues limits the number of values in a list. A longer list is an error, because a row
	// is read whole and takes memory for each of its values. 0 means 100,000.
	MaxRowValues int
	// MaxName limits the size of a text in bytes. A longer text is an error of its row: every text is
	// a name of something, such as a label or the value of a slice, and many rows of a report repeat
	// it. 0 means 64 KiB.
	MaxName int
	// RoundDecimals rounds decimals that neither an int64 nor a float64 holds exactly to the
	// nearest float64. If it is false, such columns cannot be read.
	RoundDecimals bool
	// NoQuotes reads quotes in CSV and TSV files like any other character.
	NoQuotes bool
	// NullValues are the texts that mean null in CSV and TSV files, as files spell them. An empty value is null
	// anyway.
	NullValues []string
	// Names selects whether messages refer to these fields, the default, or to keys of the
	// configuration of the command beameval.
	Names settings.Names
}

const (
	defaultMaxPage      = 128 << 20
	defaultMaxRowValues = 100_000
	defaultMaxName      = 64 << 10
)

// Complete replaces zero limits with their defaults.
func (o Options) Complete() Options {
	if o.MaxPage == 0 {
		o.MaxPage = defaultMaxPage
	}
	if o.MaxRowValues == 0 {
		o.MaxRowValues = defaultMaxRowValues
	}
	if o.MaxName == 0 {
		o.MaxName = defaultMaxName
	}
	return o
}

// TooManyValues returns the error for a row with more than MaxRowValues values. met is the number
// of values found so far.
func (o Options) TooManyValues(met int) error {
	return fmt.Errorf("the row has %d values or more, and at most %d are read: set %s to a larger number if that is no mistake",
		met, o.MaxRowValues, o.Names.Of(settings.MaxRowValues))
}

// CheckName returns an error if a name of this size in bytes is longer than MaxName.
func (o Options) CheckName(size int) error {
	if size <= o.MaxName {
		return nil
	}
	return fmt.Errorf("a text of %d bytes, and names of at most %d are read: write shorter names, or set %s to a larger number", size, o.MaxName, o.Names.Of(settings.MaxName))
}

// CodeBytes codes texts; see [Coder].
func (o Options) CodeBytes(s *Strings) func([]byte) (int32, error) {
	return func(b []byte) (int32, error) {
		if err := o.CheckName(len(b)); err != nil {
			return 0, err
		}
		return s.Code(b), nil
	}
}
