package quote

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/beameval/beameval/internal/secret"
)

// Message returns a message with its long words and long quoted texts shortened: they are what others
// wrote. Libraries and the operating system repeat values, too, and as long as they are. It masks secrets
// first: the beginning of one would not be known as such any more.
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

// mostWrong is how many quotation marks that begin no quoted text are looked at: each may cost the whole
// message.
const mostWrong = 10

// word returns the length of the word, with the quoted texts in it, or of the space that a text begins with. It
// counts what looks like a quoted text, but is none.
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
