package batches

import (
	"fmt"

	"github.com/beameval/beameval/io/columns"
)

// columnOf makes a column of values of one type; nil is null. Strings have
// their codes in dict.
func columnOf(dict *columns.Strings, values ...any) *columns.Column {
	c := &columns.Column{Dict: dict, Null: make([]bool, len(values))}
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			c.Null[i] = true
		case bool:
			c.Type = columns.Bool
		case int:
			c.Type = columns.Int
		case float64:
			c.Type = columns.Float
		case string:
			c.Type = columns.String
		default:
			panic(fmt.Sprintf("%T", v))
		}
	}
	for _, v := range values {
		switch c.Type {
		case columns.Bool:
			b, _ := v.(bool)
			x := int64(0)
			if b {
				x = 1
			}
			c.Ints = append(c.Ints, x)
		case columns.Int:
			x, _ := v.(int)
			c.Ints = append(c.Ints, int64(x))
		case columns.Float:
			x, _ := v.(float64)
			c.Floats = append(c.Floats, x)
		case columns.String:
			s, ok := v.(string)
			code := int32(0)
			if ok {
				code = dict.Code([]byte(s))
			}
			c.Codes = append(c.Codes, code)
		}
	}
	return c
}
