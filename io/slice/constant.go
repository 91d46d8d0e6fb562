package slice

import (
	"slices"
	"strconv"
	"strings"
)

// Constant is a value as people write it: in one of its spellings, and without a type. What it means
// depends on the type of the value that it is compared with; see [Constant.Is]. The zero Constant is
// null.
type Constant struct {
	text, number, boolean Value // what it is as a value of a type; null if it is none of this type
}

// Written returns the constant with a text.
func Written(text string) Constant { return Constant{String(text), numberOf(text), booleanOf(text)} }

// Is reports whether a constant and a value are the same, in the type of the value: numbers by value,
// so that 1, 1.0 and 1e0 are the same; booleans as true and false in upper or lower case; strings by
// their bytes; and null as null.
func (c Constant) Is(v Value) bool {
	switch v.kind {
	case KindString:
		return c.text == v
	case KindInt, KindFloat:
		return c.number == v
	case KindBool:
		return c.boolean == v
	}
	return c.text == v
}

// MayBe reports whether two constants are the same for values of some type.
func (c Constant) MayBe(d Constant) bool {
	return c.text == d.text || c.number == d.number && c.number != Null() || c.boolean == d.boolean && c.boolean != Null()
}

// AreWritten reports whether k, whose values are written as strings or null, denotes the slice
// other.
func (k Key) AreWritten(other Key) bool {
	return slices.EqualFunc(k, other, func(a, b Pair) bool { return a.Column == b.Column && b.Value.Written().Is(a.Value) })
}

// AppendWritten appends a text to b. It is equal for two slices if one is the written form of the
// other, see [Key.AreWritten], and may be equal for others.
func (k Key) AppendWritten(b []byte) []byte {
	for _, p := range k {
		b = append(append(b, p.Column...), 0)
		b = append(append(b, p.Value.written()...), 0)
	}
	return b
}

// written returns one spelling of all constants that v is, and of all values that these are.
func (v Value) written() string {
	if v.kind == KindString {
		c := Written(v.str)
		switch {
		case c.number.kind != KindNull:
			return c.number.AsText().str
		case c.boolean.kind != KindNull:
			return c.boolean.AsText().str
		}
	}
	return v.AsText().str
}

// Written returns the constant that a string, or null, stands for in a configuration.
func (v Value) Written() Constant {
	if v.kind == KindNull {
		return Constant{}
	}
	return Written(v.AsText().str)
}

// numberOf returns the number that a text stands for, or null. A number with a point or an exponent is
// a float64.
func numberOf(text string) Value {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Int(i)
	}
	f, err := strconv.ParseFloat(yamlNumber(text), 64)
	if err != nil {
		return Null()
	}
	return Float(f)
}

// yamlNumber spells the numbers that YAML writes with a dot, such as .inf, as Go does.
func yamlNumber(text string) string {
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case ".inf", ".nan":
		return strings.Replace(text, ".", "", 1)
	}
	return text
}

func booleanOf(text string) Value {
	switch strings.ToLower(text) {
	case "true":
		return Bool(true)
	case "false":
		return Bool(false)
	}
	return Null()
}
