package groupby

import (
	"fmt"

	"github.com/beameval/beameval/io/columns"
)

// Share makes the keys of two columns comparable (see Key). String columns share the dictionary of
// the first. If one column has ints and the other floats, both get floats, and ints beyond 2⁵³ are
// rounded. Other types that differ are an error.
func Share(a, b *columns.Column) error {
	switch {
	case a.Type == columns.String && b.Type == columns.String && a.Dict == b.Dict: // as CodeBy wanted it
	case a.Type == columns.String && b.Type == columns.String:
		shareStrings(a, b)
	case a.Type == b.Type:
	case isNumber(a.Type) && isNumber(b.Type):
		float(a)
		float(b)
	default:
		return fmt.Errorf("%s and %s cannot be equal", a.Type, b.Type)
	}
	return nil
}

func shareStrings(a, b *columns.Column) {
	codes := make([]int32, b.Dict.Len())
	for i, s := range b.Dict.Values() {
		codes[i] = a.Dict.CodeOf(s)
	}
	for i, code := range b.Codes {
		if int(code) < len(codes) { // false if the value is null
			b.Codes[i] = codes[code]
		}
	}
	b.Dict = a.Dict
}

// float converts the ints of a column to floats.
func float(c *columns.Column) {
	if c.Type == columns.Int {
		c.Type, c.Floats, c.Ints = columns.Float, columns.Convert([]float64(nil), c.Ints), nil
	}
}
