package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// probes are tables of reports. Each is declared, has a field in a report and a place in the list of tables, is computed,
// is shown on the page and is a property in Python: a file for each of these. Another list of tables would name it in one more.
var probes = map[string]*regexp.Regexp{
	"moves":       regexp.MustCompile(`\.Moves\b|\bMoves +\[\]|"moves["/]|moveTable|moves\.(parquet|csv)`),
	"rater_pairs": regexp.MustCompile(`\.RaterPairs\b|\bRaterPairs +\[\]|"rater_pairs"|raterPairTable|rater_pairs\.`),
}

// mostNaming is the largest number of files that name a table.
const mostNaming = 5

// TestTablesAreListedOnce: whoever adds a table to reports changes few files.
func TestTablesAreListedOnce(t *testing.T) {
	naming := map[string][]string{}
	look := func(file string) {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for table, names := range probes {
			if names.Match(data) && !strings.HasPrefix(filepath.ToSlash(file), "metrics/") { // which computes and knows no report
				naming[table] = append(naming[table], file)
			}
		}
	}
	eachProductFile(t, look)
	for table := range probes {
		require.Greater(t, len(naming[table]), 2, "%s is not found any more: correct the pattern", table)
		require.LessOrEqual(t, len(naming[table]), mostNaming, "%s is named in %v: let the list in io/report/report.go say what one of them lists", table, naming[table])
	}
}
