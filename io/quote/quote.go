// Package quote makes text written by others (names of columns and labels, values, paths) fit for
// messages and report files: short, on one line, in valid UTF-8. It also guesses which name a
// misspelled one was meant to be.
package quote

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/beameval/beameval/internal/secret"
)

// A text of more than longest bytes is cut to about kept bytes.
const (
	longest = 300
	kept    = 200
)

// Short returns s, or the beginning and the length of a long s.
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

// Value returns s shortened and quoted as a Go string.
func Value(s string) string { return strconv.Quote(Short(s)) }

// OneOf returns an error unless value is one of all, the valid values of a key.
func OneOf[T ~string](key string, value T, all []T) error {
	if slices.Contains(all, value) {
		return nil
	}
	return fmt.Errorf("%s: %s: expected one of %q", key, Value(string(value)), all)
}

// Args shortens the strings among the arguments of a message.
func Args(args []any) []any {
	short := slices.Clone(args)
	for i, arg := range short {
		if s, ok := arg.(string); ok {
			short[i] = Short(s)
		}
	}
	return short
}

// Line returns s on one line. Characters that are invisible or affect others are escaped as in a Go
// string: \n, \x1b, \u202e. [secret.Mask] masks secrets.
func Line(s string) string {
	s = secret.Mask(s)
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

// Nearest returns the candidate whose spelling is closest to name, ignoring case; the first one if
// several are equally close. candidates must not be empty.
func Nearest(name string, candidates []string) string {
	return slices.MinFunc(candidates, func(a, b string) int { return distance(name, a) - distance(name, b) })
}

// Slip returns the candidate that name probably misspells, or "".
func Slip(name string, candidates []string) string {
	// Half of the letters may be wrong, but no more than three.
	limit := min(3, (len(name)+1)/2)
	best := ""
	for _, c := range candidates {
		if len(c) > len(name)+4*limit || len(name) > len(c)+4*limit { // lengths are in bytes; a letter has at most four
			continue
		}
		if d := distance(name, c); d <= limit && d < max(len(name), len(c)) {
			best, limit = c, d-1
		}
	}
	return best
}

// Meant ends a sentence about an unknown name. If the name is probably a misspelling of a
// candidate, it asks whether that was meant.
func Meant(name string, candidates []string) string {
	if near := Slip(name, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return "."
}

// compared limits the number of bytes compared, because the cost is quadratic.
const compared = 100

func distance(a, b string) int {
	return levenshtein.ComputeDistance(beginning(a), beginning(b))
}

func beginning(s string) string {
	return strings.ToLower(strings.ToValidUTF8(s[:min(len(s), compared)], ""))
}
