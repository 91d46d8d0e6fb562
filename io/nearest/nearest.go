// Package nearest finds what was meant by a name that does not exist.
package nearest

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Name returns the candidate that is spelled most like name, case aside; of
// equals the first. There must be candidates.
func Name(name string, candidates []string) string {
	return slices.MinFunc(candidates, func(a, b string) int { return distance(name, a) - distance(name, b) })
}

func distance(a, b string) int {
	return levenshtein.ComputeDistance(strings.ToLower(a), strings.ToLower(b))
}
