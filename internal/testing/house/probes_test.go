package house_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRoleIsWrittenDownOnce looks for the scale of errors, a role with a number in each row: its row and its rule, its field
// for Go programs and of batches, the need of metrics and their measures. A new list of roles makes it fail; what the list
// says belongs into the table of roles.
func TestRoleIsWrittenDownOnce(t *testing.T) {
	scale := regexp.MustCompile(`\broles\.Scale\b|\bHasScale\b|(?m)^\t(Scale\b|\{Scale,|Quantiles, Ensemble, Scale string)|\.Scale\[`)
	other := map[string]bool{"metrics/confidence/confidence.go": true, "metrics/custom.go": true} // of the errors of a value
	var found []string
	eachFile(t, func(file string) {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		if scale.Match(code) && !other[file] {
			found = append(found, file)
		}
	})
	require.Contains(t, found, "internal/roles/table.go")
	require.LessOrEqual(t, len(found), 6, "%q", found)
}
