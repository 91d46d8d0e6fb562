package text

import (
	"bytes"
	"fmt"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/beameval/beameval/io/quote"
)

// jsontext takes every half of a surrogate pair for U+FFFD, so two keys with different halves are one
// key to it. A line that has halves is therefore looked through by this file.

// escapeSize is the number of bytes of an escape such as \ud800.
const escapeSize = 6

// half returns the number of bytes of the escape at the beginning of b if it is half of a surrogate pair without the
// other half, otherwise 0. It also returns how many bytes belong together.
func half(b []byte) (lone, size int) {
	unit, is := unitOf(b)
	switch {
	case !is:
		return 0, min(2, len(b))
	case !utf16.IsSurrogate(unit):
		return 0, escapeSize
	}
	if next, follows := unitOf(b[escapeSize:]); follows && utf16.DecodeRune(unit, next) != '\uFFFD' {
		return 0, 2 * escapeSize
	}
	return escapeSize, escapeSize
}

// unitOf returns the UTF-16 code unit of an escape such as \ud800 at the beginning of b.
func unitOf(b []byte) (unit rune, is bool) {
	if len(b) < escapeSize || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, digit := range bytes.ToLower(b[2:escapeSize]) {
		at := bytes.IndexByte([]byte("0123456789abcdef"), digit)
		if at < 0 {
			return 0, false
		}
		unit = unit<<4 | rune(at)
	}
	return unit, true
}

// hasHalves reports whether a line has halves of surrogate pairs.
func hasHalves(row []byte) bool {
	for {
		at := bytes.IndexByte(row, '\\')
		if at < 0 {
			return false
		}
		lone, size := half(row[at:])
		if lone > 0 {
			return true
		}
		row = row[at+size:]
	}
}

// textOf returns a text that is the same for all spellings of a string. Halves of surrogate pairs become
// bytes that no text has.
func textOf(v jsontext.Value) string {
	var text, plain []byte
	inside := v[1 : len(v)-1]
	for len(inside) > 0 {
		lone, size := 0, 1
		if inside[0] == '\\' {
			lone, size = half(inside)
		}
		if lone > 0 {
			text = append(append(unquotedOf(text, plain), 0xff), bytes.ToLower(inside[:lone])...)
			plain = plain[:0]
		} else {
			plain = append(plain, inside[:size]...)
		}
		inside = inside[size:]
	}
	return string(unquotedOf(text, plain))
}

// unquotedOf appends what the inside of a string stands for.
func unquotedOf(text, inside []byte) []byte {
	text, _ = jsontext.AppendUnquote(text, append(append([]byte{'"'}, inside...), '"'))
	return text
}

// distinctKeys returns an error if an object of a line has a key twice. It ignores other errors.
func distinctKeys(row []byte) error {
	in := jsontext.NewDecoder(bytes.NewReader(row), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	var met []map[string]bool // by depth; nil for an array
	for {
		kind, n := in.StackIndex(in.StackDepth())
		isName := kind == '{' && n%2 == 0
		switch in.PeekKind() {
		case '{':
			met = append(met, map[string]bool{})
		case '[':
			met = append(met, nil)
		case '}', ']':
			met = met[:max(0, len(met)-1)]
		case '"':
			v, err := in.ReadValue()
			if err != nil {
				return nil
			}
			if name := textOf(v); isName && met[len(met)-1][name] {
				return fmt.Errorf("byte %d, at %s: the object has this key twice: rename one", in.InputOffset()-int64(len(v))+1, quote.Short(string(in.StackPointer())))
			} else if isName {
				met[len(met)-1][name] = true
			}
			continue
		}
		if _, err := in.ReadToken(); err != nil {
			return nil
		}
	}
}
