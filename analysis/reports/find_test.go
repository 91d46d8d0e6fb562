package reports

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFindEach: every pattern stands for a report, and those named by their directories differ.
func TestFindEach(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"a", "b", "sets/x/a"} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "metrics.json"), nil, 0o644))
	}
	for _, c := range []struct{ patterns, want []string }{
		{[]string{"b/", "a"}, []string{"b/", "a"}},
		{[]string{"b", "*"}, []string{"b", "a"}},
		{[]string{"sets", "a", "sets/*/*"}, []string{"sets/x/a", "a"}},
	} {
		got, err := FindEach(t.Context(), c.patterns, nil)
		require.NoError(t, err)
		require.ElementsMatch(t, c.want, got)
		require.Equal(t, c.want[0], got[0])
	}
	_, err := FindEach(t.Context(), []string{"a", "b", "./a/"}, nil)
	require.EqualError(t, err, "./a/ is given twice")
	_, err = FindEach(t.Context(), []string{"a", "none"}, nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "there is no report in none: ")

	isCSV := func(pattern string) bool { return filepath.Ext(pattern) == ".csv" }
	got, err := FindEach(t.Context(), []string{"x.csv", "a", "y.csv"}, isCSV)
	require.NoError(t, err)
	require.Equal(t, []string{"x.csv", "a", "y.csv"}, got)
	_, err = FindEach(t.Context(), []string{"x.csv", "a", "./x.csv"}, isCSV)
	require.EqualError(t, err, "./x.csv is given twice")
	_, err = FindEach(t.Context(), []string{"x.csv", "none"}, isCSV)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestManyReports: the reports of many years are told apart in time that grows with their number, and
// not with its square.
func TestManyReports(t *testing.T) {
	const n = 200_000 // a comparison of each with all others would take hours
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("reports/%d", i)
	}
	var all directories
	all.add(names...)
	all.add("./reports/7/", "reports//8", "s3://bucket/reports/9", "s3://bucket/reports/9/")
	require.Equal(t, append(names, "s3://bucket/reports/9"), all.names)
}
