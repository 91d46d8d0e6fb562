package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/beameval/beameval/io/quote"
)

// validText returns s with each byte that is not part of valid UTF-8 replaced
// by the four characters \xNN.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// nameText returns a name (a label, or a column or value of a slice) as report
// files have it: as validText does, but so that names that differ stay apart and
// [nameOf] finds them again. A backslash that could be taken for the beginning of
// such a byte becomes \x5c.
func nameText(s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, `\x`) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if _, escape := escapedByte(s); escape || r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// nameOf returns the name that nameText wrote.
func nameOf(text string) string {
	if !strings.Contains(text, `\x`) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		c, escaped := escapedByte(text)
		if b.WriteByte(c); escaped {
			text = text[4:]
		} else {
			text = text[1:]
		}
	}
	return b.String()
}

// escapedByte returns the first byte of s, or that which its first four characters
// stand for: \x5c, a backslash, or \x80 to \xff.
func escapedByte(s string) (c byte, escaped bool) {
	if len(s) < 4 || s[:2] != `\x` || strings.ToLower(s[2:4]) != s[2:4] {
		return s[0], false
	}
	if x, err := strconv.ParseUint(s[2:4], 16, 8); err == nil && (x == '\\' || x >= utf8.RuneSelf) {
		return byte(x), true
	}
	return s[0], false
}

// visible returns a name as it is if it would show as such in a table, else quoted:
// names may be empty or hold newlines, terminal escapes or spaces at the edge. One
// that begins with a quotation mark is quoted too, to be told from those. Long names
// are cut.
func visible(s string) string {
	s = nameText(quote.Short(s))
	if s == "" || s[0] == '"' || s != strings.TrimSpace(s) || !printable(s) {
		return strconv.Quote(s)
	}
	return s
}

// printable says whether all characters of s show, and leave others where they are.
func printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0
}

// appendName appends a name as a JSON string.
func appendName(b []byte, s string) []byte { return appendQuoted(b, nameText(s)) }

// appendQuoted appends s as a JSON string. Unlike json.Marshal it leaves <, >
// and & alone: reports are grepped more often than pasted into HTML.
func appendQuoted(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf-1 || c == '"' || c == '\\' {
			return appendEscaped(b, s)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

func appendEscaped(b []byte, s string) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(validText(s)); err != nil {
		panic(err) // a string always encodes
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// appendFloat appends the shortest decimal that reads back as f, in the format
// of encoding/json. It writes negative zero as 0.
func appendFloat(b []byte, f float64) []byte {
	abs := math.Abs(f)
	if abs == 0 {
		return append(b, '0')
	}
	if abs >= 1e-6 && abs < 1e21 || math.IsInf(f, 0) || math.IsNaN(f) {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	// e-09 is e-9 in JSON as other programs write it.
	if n := len(b); b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// finite reports whether f can be written as a JSON number.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
