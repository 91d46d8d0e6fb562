package house_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostPronouns is the largest number of pronoun phrases in 1,000 words of comments and
// documentation. It may only fall: write the noun that a pronoun stands for.
const mostPronouns = 0.25

// pronouns are phrases that make a reader look back for the noun.
var pronouns = regexp.MustCompile(`(?i)\b(that of|those of|of which)\b`)

// notProse are folders of data and of what make writes.
var notProse = map[string]bool{"testdata": true, "data": true, "bin": true, "dist": true, "release": true, "out": true}

// TestProseNamesThings counts the words of all comments and pages, and the pronouns among them.
func TestProseNamesThings(t *testing.T) {
	words, phrases := 0, 0
	eachWritten(t, func(file string) {
		if filepath.Base(file) == "CHANGELOG.md" {
			return
		}
		text := proseOf(t, file)
		words += len(strings.Fields(text))
		phrases += len(pronouns.FindAllString(text, -1))
	})
	require.Greater(t, words, 200_000, "comments and pages were not found")
	share := 1000 * float64(phrases) / float64(words)
	require.LessOrEqual(t, share, mostPronouns, "name the thing instead of \"that of\", \"those of\" and \"of which\"")
}

// eachWritten calls each with the files that people have written: code, tests and pages.
func eachWritten(t *testing.T, each func(file string)) {
	require.NoError(t, filepath.WalkDir(".", func(file string, at fs.DirEntry, err error) error {
		switch name := at.Name(); {
		case err != nil:
			return err
		case !at.IsDir():
			each(file)
		case notProse[name] || len(name) > 1 && strings.HasPrefix(name, "."):
			return filepath.SkipDir
		}
		return nil
	}))
}

// proseOf returns the text of a page, or the comments of a Go file, in one line; of other files "".
func proseOf(t *testing.T, file string) string {
	ofGo := filepath.Ext(file) == ".go"
	if !ofGo && filepath.Ext(file) != ".md" {
		return ""
	}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	if !ofGo {
		return strings.Join(strings.Fields(string(data)), " ")
	}
	var text []string
	for line := range strings.Lines(string(data)) {
		if comment, is := strings.CutPrefix(strings.TrimSpace(line), "//"); is {
			text = append(text, strings.Fields(comment)...)
		}
	}
	return strings.Join(text, " ")
}
