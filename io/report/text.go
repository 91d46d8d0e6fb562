package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
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

// visible returns s as it is if it would show as such in a table, else quoted:
// names may be empty or hold newlines, terminal escapes or spaces at the edge.
func visible(s string) string {
	s = validText(s)
	if s == "" || s != strings.TrimSpace(s) {
		return strconv.Quote(s)
	}
	for _, r := range s {
		if !strconv.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	return s
}

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
