package quote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Valid returns s with each byte that is not part of valid UTF-8 replaced by the four
// characters \xNN.
func Valid(s string) string {
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

// Escape returns a name (a label, or a column or a value of a slice) in the form of report files.
// Like Valid, it replaces bytes that are not valid UTF-8. It also writes a backslash that could be
// taken for the start of such a replacement as \x5c, so that different names stay different and
// [Unescape] can undo it.
func Escape(s string) string {
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

// Unescape undoes Escape.
func Unescape(text string) string {
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

// escapedByte returns the byte that the first four characters of s encode, if they are \x5c, a
// backslash, or \x80 to \xff. Otherwise it returns the first byte of s.
func escapedByte(s string) (c byte, escaped bool) {
	if len(s) < 4 || s[:2] != `\x` || strings.ToLower(s[2:4]) != s[2:4] {
		return s[0], false
	}
	if x, err := strconv.ParseUint(s[2:4], 16, 8); err == nil && (x == '\\' || x >= utf8.RuneSelf) {
		return byte(x), true
	}
	return s[0], false
}

// Visible returns a name for a table. It shortens long names, and quotes names that would be
// misread: empty ones, those with newlines, terminal escapes or leading or trailing spaces, and
// those that begin with a quotation mark.
func Visible(s string) string {
	s = Escape(Short(s))
	if s == "" || s[0] == '"' || s != strings.TrimSpace(s) || !Printable(s) {
		return strconv.Quote(s)
	}
	return s
}

// List lists the first of some values, and formats the number of the others with more.
func List(values []string, most int, more string) string {
	var parts []string
	for _, value := range values[:min(len(values), most)] {
		parts = append(parts, Value(value))
	}
	if n := len(values) - len(parts); n > 0 {
		parts = append(parts, fmt.Sprintf(more, n))
	}
	return strings.Join(parts, ", ")
}

// Printable reports whether all characters of s are visible and do not affect others.
func Printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0
}

// AppendName appends a name as a JSON string.
func AppendName(b []byte, s string) []byte { return AppendJSON(b, Escape(s)) }

// AppendJSON appends s as a JSON string. Unlike json.Marshal, it does not escape <, > and &:
// reports are searched more often than pasted into HTML.
func AppendJSON(b []byte, s string) []byte {
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
	if err := e.Encode(Valid(s)); err != nil {
		panic(err) // a string always encodes
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// Optional returns what a function, such as [Escape], makes of a text; nil stays nil.
func Optional(text *string, as func(string) string) *string {
	if text == nil {
		return nil
	}
	return new(as(*text))
}
