package command

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/beameval/beameval/io/quote"
)

// listed begins the usage of flags that take a list as one text.
const listed = "comma-separated "

// once makes a flag that takes a list as one text an error if it is given two lists. The last would win otherwise, and of
// --input a --input b, the files of a would be left out in silence.
func once(f *pflag.Flag) {
	if f.Value.Type() == "string" && strings.HasPrefix(f.Usage, listed) {
		f.Value = &onceValue{Value: f.Value}
	}
}

type onceValue struct {
	pflag.Value
	given bool
}

// Set sets the flag, unless it has another value already.
func (v *onceValue) Set(text string) error {
	if before := v.String(); v.given && text != before {
		return fmt.Errorf("the flag is given already, with %s: separate both by a comma", quote.Value(before))
	}
	v.given = true
	return v.Value.Set(text)
}
