package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

var (
	linkPattern    = regexp.MustCompile(`\]\(([^)\s]*)\)`)
	headingPattern = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// pages returns the text of every page for people, by its path.
func pages(t *testing.T) map[string]string {
	found := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "testdata/*.md"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			found[name] = string(text)
		}
	}
	delete(found, "CHANGELOG.md") // its entries link to pages as they were
	return found
}

func TestDocsLinkToWhatIsThere(t *testing.T) {
	all := pages(t)
	for page, text := range all {
		for _, link := range linkPattern.FindAllStringSubmatch(text, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			file, anchor, anchored := strings.Cut(link[1], "#")
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			_, err := os.Stat(target)
			require.NoError(t, err, "%s links to %s", page, link[1])
			if anchored {
				require.Contains(t, anchors(all[target]), anchor, "%s links to %s", page, link[1])
			}
		}
	}
}

// anchors returns the anchors that GitHub gives to the headings of a page.
func anchors(text string) (list []string) {
	for _, heading := range headingPattern.FindAllStringSubmatch(text, -1) {
		list = append(list, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, heading[1]))
	}
	return list
}

func TestDocsIndexNamesEveryPage(t *testing.T) {
	index, err := os.ReadFile("docs/README.md")
	require.NoError(t, err)
	for page := range pages(t) {
		if name, ok := strings.CutPrefix(page, "docs/"); ok && name != "README.md" {
			require.Contains(t, string(index), "]("+name+")", "docs/README.md has no line for a page")
		}
	}
}

// pathInCode is a path that a page writes as code.
var pathInCode = regexp.MustCompile("`([\\w.-]+(?:/[\\w.-]+)+)`")

// TestArchitectureNamesWhatIsThere: whoever looks for a subject finds its files where the page says they are.
func TestArchitectureNamesWhatIsThere(t *testing.T) {
	text := pages(t)["docs/architecture.md"]
	found := pathInCode.FindAllStringSubmatch(text, -1)
	require.Greater(t, len(found), 100)
	for _, path := range found {
		_, err := os.Stat(path[1])
		require.NoError(t, err)
	}
}
