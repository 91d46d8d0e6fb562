package conformance

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	corporaFolder = flag.String("corpora", "", "the folder with checked-out corpora; without it nothing is read")
	python        = flag.String("python", "python3", "the Python that has the libraries of oracle.py")
	page          = flag.String("page", "", "the page to write the tables into")
)

// TestCorpora is what make conformance runs.
func TestCorpora(t *testing.T) {
	if *corporaFolder == "" {
		t.Skip("make conformance CORPORA=FOLDER reads corpora")
	}
	p := &Python{Program: *python}
	defer p.Close()
	results, err := Run(*corporaFolder, p.Ask)
	require.NoError(t, err)
	require.NotEmpty(t, results, "no corpora are in %s", *corporaFolder)
	failures := Failures(results)
	for _, line := range failures {
		t.Error(line)
	}
	for _, r := range results {
		for _, f := range r.Findings {
			if testing.Verbose() {
				t.Logf("%s: %s/%s %s: %s", f.Kind, r.Corpus, f.File, f.Column, f.What)
			}
		}
	}
	if *page != "" {
		require.NoError(t, Publish(*page, results))
	}
}
