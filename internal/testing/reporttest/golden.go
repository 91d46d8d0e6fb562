package reporttest

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

// wholePage is the page that a golden file has whole. The others lack the style, the scripts and their
// digests, which are the same: a change of these changes one file.
const wholePage = "binary/report.html"

var ofEveryPage = regexp.MustCompile(`(?s)(<meta http-equiv="Content-Security-Policy" content=")[^"]*|(<style>).*?(</style>)|(<script>).*?(</script>)`)

// Golden compares got with a file in testdata.
func Golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if filepath.Ext(path) == ".html" && filepath.ToSlash(path) != wholePage {
		got = ofEveryPage.ReplaceAll(got, []byte("$1$2$3$4$5"))
	}
	path = filepath.Join("testdata", path)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "%s; go test -update writes it anew", path)
}
