// Package quote makes texts of strangers fit for messages: short, and on one line.
package quote

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Texts of more than longest bytes are cut to their first kept, or so.
const (
	longest = 300
	kept    = 200
)

// Short returns a text as it is or, of a long one, the beginning and how long it is.
func Short(s string) string {
	if len(s) <= longest {
		return s
	}
	cut := kept
	for cut > kept-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:cut], len(s))
}

// Value returns a text as a Go string, made short.
func Value(s string) string { return strconv.Quote(Short(s)) }

// Args makes the strings among the arguments of a message short.
func Args(args []any) []any {
	short := slices.Clone(args)
	for i, arg := range short {
		if s, ok := arg.(string); ok {
			short[i] = Short(s)
		}
	}
	return short
}

// Line returns a text with every character that does not show, or that moves others,
// as the escape of a Go string: \n, \x1b, \u202e.
func Line(s string) string {
	unseen := func(r rune) bool { return !strconv.IsPrint(r) }
	if utf8.ValidString(s) && strings.IndexFunc(s, unseen) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if invalid := r == utf8.RuneError && n == 1; invalid || unseen(r) {
			quoted := strconv.Quote(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// Nearest returns the candidate that is spelled most like name, case aside; of
// equals the first. There must be candidates.
func Nearest(name string, candidates []string) string {
	return slices.MinFunc(candidates, func(a, b string) int { return distance(name, a) - distance(name, b) })
}

// Slip returns the candidate that name is most likely a slip of, or "".
func Slip(name string, candidates []string) string {
	// Half of the letters may be wrong, but no more than a slip can explain.
	limit := min(3, (len(name)+1)/2)
	best := ""
	for _, c := range candidates {
		if len(c) > len(name)+4*limit || len(name) > len(c)+4*limit { // in bytes, of which a letter has four at most
			continue
		}
		if d := distance(name, c); d <= limit && d < max(len(name), len(c)) {
			best, limit = c, d-1
		}
	}
	return best
}

// compared is how many bytes of a name are: the cost is the square.
const compared = 100

func distance(a, b string) int {
	return levenshtein.ComputeDistance(beginning(a), beginning(b))
}

func beginning(s string) string {
	return strings.ToLower(strings.ToValidUTF8(s[:min(len(s), compared)], ""))
}
