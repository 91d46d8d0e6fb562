package quote

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

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
