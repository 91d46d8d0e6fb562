package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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

// namingTask are the largest numbers of files that name some tasks, by the constant and by the name of the task. Some of these
// files compute or show what only the task has; others list tasks. A number may only fall: let the tables of
// internal/roles/table.go say what a list says.
var namingTask = map[[2]string]int{
	{"Preference", "preference"}: 26,
	{"Agreement", "agreement"}:   26,
	{"Grading", "grade"}:         21,
}

// comments are left out of what is searched.
var comments = regexp.MustCompile(`(?m)(^|\s)(//|#).*$`)

// TestTasksAreNamedInFewFiles: whoever adds a task changes few files.
func TestTasksAreNamedInFewFiles(t *testing.T) {
	for task, most := range namingTask {
		named := regexp.MustCompile(`\b(metrics|roles)\.` + task[0] + `\b|["'` + "`" + `]` + task[1] + `["'` + "`" + `]|(tasks|echo):"[^"]*\b` + task[1] + `\b`)
		bare := regexp.MustCompile(`(^|[^.\w])` + task[0] + `\b`) // where the constant is declared
		var found []string
		look := func(file string) {
			code, err := os.ReadFile(file)
			require.NoError(t, err)
			code = comments.ReplaceAll(code, nil)
			file = filepath.ToSlash(file)
			declared := slices.Contains([]string{"metrics", "internal/roles"}, filepath.Dir(file))
			if !strings.HasPrefix(file, "internal/testing/") && (named.Match(code) || declared && bare.Match(code)) {
				found = append(found, file)
			}
		}
		eachProductFile(t, look)
		require.Contains(t, found, "internal/roles/table.go")
		assert.LessOrEqual(t, len(found), most, "%s is named in %q", task[0], found)
	}
}
