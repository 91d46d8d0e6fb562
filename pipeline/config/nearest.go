package config

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// nearest returns the candidate that name is most likely a slip of, or "".
func nearest(name string, candidates []string) string {
	// Half of the letters may be wrong, but no more than a slip can explain.
	limit := min(3, (len(name)+1)/2)
	best := ""
	for _, c := range candidates {
		d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(c))
		if d <= limit && d < max(len(name), len(c)) {
			best, limit = c, d-1
		}
	}
	return best
}

// hint ends a message about an unknown name: what was meant or what is there.
func hint(name, plural string, candidates []string) string {
	if n := nearest(name, candidates); n != "" {
		return fmt.Sprintf("(did you mean %q?)", n)
	}
	return fmt.Sprintf("(valid %s: %s)", plural, strings.Join(candidates, ", "))
}
