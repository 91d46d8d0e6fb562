package quote

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/beameval/beameval/internal/secret"
)

// Message shortens long words and long quoted strings in a message, because they come from other
// people. Libraries and the operating system also repeat values in full. It masks secrets first: a
// shortened secret would no longer be recognised.
func Message(text string) string {
	var b strings.Builder
	text = secret.Mask(text)
	wrong := 0
	for len(text) > longest {
		n := word(text, &wrong)
		b.WriteString(shortWord(text[:n]))
		text = text[n:]
	}
	b.WriteString(text)
	return b.String()
}

// mostWrong limits the number of quotation marks examined that do not begin a quoted string,
// because each may require a scan of the whole message.
const mostWrong = 10

// word returns the length of the first word, including quoted strings in it, or of leading space.
// It counts in wrong what looks like a quoted string but is none.
func word(text string, wrong *int) int {
	for i := 0; i < len(text); {
		if text[i] == '"' && *wrong < mostWrong {
			if quoted, err := strconv.QuotedPrefix(text[i:]); err == nil {
				i += len(quoted)
				continue
			}
			*wrong++
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			return max(i, n)
		}
		i += n
	}
	return len(text)
}

func shortWord(s string) string {
	if len(s) <= longest {
		return s
	}
	value := strings.TrimRight(s, ":;,.)")
	after := s[len(value):]
	if text, err := strconv.Unquote(value); err == nil {
		return Value(text) + Short(after)
	}
	return Short(value) + Short(after)
}
