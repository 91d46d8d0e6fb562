package text

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/beameval/beameval/io/columns"
)

// classes is a set of classes that describes what the values of a column look like. The set of a
// column is the union over its values. An empty value is null and has no class.
type classes uint8

const (
	isBool   classes = 1 << iota // true, False
	isInt                        // -12, if it fits in 64 bits
	isDigits                     // 007, +1, or too many digits for an integer: would not be written back the same
	isFloat                      // 0.5, 1e-3, -0, nan, inf
	isOther
	isList   // JSON: an array
	isObject // JSON: an object
)

// typ returns the narrowest type that holds all values without loss.
func (c classes) typ() columns.Type {
	const numbers = isInt | isDigits | isFloat
	switch {
	case c&isOther != 0 || c&isBool != 0 && c&numbers != 0:
		return columns.String
	case c&isBool != 0:
		return columns.Bool
	case c&isFloat != 0:
		return columns.Float
	case c&isDigits != 0:
		return columns.String
	}
	return columns.Int
}

// classOf returns the class of a value.
func classOf(v []byte) classes {
	if len(v) == 0 {
		return 0
	}
	unsigned := v
	if v[0] == '-' || v[0] == '+' {
		unsigned = v[1:]
	}
	n := digits(unsigned)
	if n == len(unsigned) && n > 0 {
		switch {
		case v[0] == '-' && unsigned[0] == '0' && n == 1:
			return isFloat
		case v[0] == '+' || unsigned[0] == '0' && n > 1:
			return isDigits
		case n < 19:
			return isInt
		}
		if _, err := strconv.ParseInt(string(v), 10, 64); err != nil {
			return isDigits
		}
		return isInt
	}
	if n < len(unsigned) && (n > 0 || unsigned[0] == '.') && isFraction(unsigned[n:], n) {
		return isFloat
	}
	if n > 0 {
		return isOther
	}
	return classOfWord(v, unsigned)
}

// isFraction reports whether the rest of a number, after n digits, is a fraction or an exponent.
func isFraction(rest []byte, n int) bool {
	if rest[0] == '.' {
		fraction := digits(rest[1:])
		if rest = rest[1+fraction:]; n+fraction == 0 {
			return false
		}
	}
	if len(rest) > 0 && (rest[0] == 'e' || rest[0] == 'E') {
		rest = rest[1:]
		if len(rest) > 0 && (rest[0] == '-' || rest[0] == '+') {
			rest = rest[1:]
		}
		n := digits(rest)
		return n > 0 && n == len(rest)
	}
	return len(rest) == 0
}

// digits returns the number of leading digits of v.
func digits(v []byte) int {
	n := 0
	for n < len(v) && '0' <= v[n] && v[n] <= '9' {
		n++
	}
	return n
}

// classOfWord returns the class of a value that does not begin like a number.
func classOfWord(v, unsigned []byte) classes {
	if len(v) > len("-infinity") {
		return isOther
	}
	for _, word := range []string{"nan", "inf", "infinity"} {
		if bytes.EqualFold(unsigned, []byte(word)) {
			return isFloat
		}
	}
	if _, ok := boolOf(v); ok {
		return isBool
	}
	return isOther
}

// boolOf parses a boolean as 0 or 1.
func boolOf(v []byte) (int64, bool) {
	switch string(v) {
	case "true", "True", "TRUE":
		return 1, true
	case "false", "False", "FALSE":
		return 0, true
	}
	return 0, false
}

// place is a line of a file.
type place struct {
	file string
	line int64 // 0: none
}

// evidence is a value and its place.
type evidence struct {
	place
	value string
}

// column is a column of a text file.
type column struct {
	name    string
	in      int  // JSON: number of the parent plus one; 0 if there is none
	element bool // JSON: the elements of the parent, which is a list
	fixed   bool // the type does not depend on the values
	classes classes
	signed  classes  // of the values that begin with a digit, a sign or a point
	other   evidence // the first value that is neither a number nor a boolean
	kinds   [3]place // JSON: where the first value of each kind is
}

// meet adds a value. A column that is known to have other values than numbers and booleans is text, and more words say
// nothing more of it.
func (c *column) meet(v []byte, at place) {
	if c.fixed || len(v) == 0 || c.classes&isOther != 0 && v[0] > '9' {
		return
	}
	class := classOf(v)
	if v[0] <= '9' {
		c.signed |= class
	}
	c.meetClass(class, v, at)
}

// meetNumber is meet for a value that begins with a digit or a sign, and whose class is isInt or isFloat.
func (c *column) meetNumber(class classes) {
	if !c.fixed {
		c.signed |= class
		c.classes |= class
	}
}

// meetClass adds a value of a known class.
func (c *column) meetClass(class classes, v []byte, at place) {
	if class == isOther && c.other.line == 0 {
		c.other = evidence{at, string(v[:min(len(v), 40)])}
	}
	c.classes |= class
}

// follow adds the values of the rows behind, as meet would.
func (c *column) follow(behind *column) {
	found := *behind
	if c.classes&isOther != 0 {
		found.classes = found.signed
	}
	c.signed |= found.signed
	c.merge(&found)
}

// merge adds the values of the same column in another file.
func (c *column) merge(with *column) {
	c.classes |= with.classes
	if c.other.line == 0 {
		c.other = with.other
	}
	for i, at := range with.kinds {
		if c.kinds[i].line == 0 {
			c.kinds[i] = at
		}
	}
}

// logical returns the inferred type.
func (c *column) logical() columns.Logical {
	l := columns.Logical{Type: c.classes.typ()}
	l.Name = l.Type.String()
	switch {
	case l.Type == columns.Int || l.Type == columns.Float:
		l.Bits = 64
		if c.classes == 0 {
			l.Name = columns.Empty.Name
		}
	case l.Type == columns.String && c.classes != isOther && !c.fixed:
		l.Name = c.why()
	}
	return l
}

// why explains in the name of the type why a column that has numbers or booleans is text.
func (c *column) why() string {
	e := c.other
	switch {
	case c.classes&isOther != 0:
	case c.classes&isBool != 0:
		return "string (truth values and numbers)"
	default:
		return "string (numbers that begin with 0 or +, or are too long)"
	}
	return fmt.Sprintf("string (%q in %s, line %d)", e.value, e.file, e.line)
}
