package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReportDrawsThePageOfEvaluate: the page of every task, regenerated from the other files of its
// report, is identical.
func TestReportDrawsThePageOfEvaluate(t *testing.T) {
	for _, set := range []string{"breast_cancer", "digits", "digits_attributes", "digits_retrieval", "diabetes"} {
		t.Run(set, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			c := beameval(t, "evaluate", "--quiet", "--config", "testdata/"+set+"/config.yaml", "--output", dir)
			c.Dir = "../.."
			output, err := c.CombinedOutput()
			require.NoError(t, err, "%s", output)
			page := filepath.Join(dir, "report.html")
			want, err := os.ReadFile(page)
			require.NoError(t, err)
			require.NoError(t, os.Remove(page))
			output, err = beameval(t, "report", dir).CombinedOutput()
			require.NoError(t, err, "%s", output)
			got, err := os.ReadFile(page)
			require.NoError(t, err)
			require.True(t, string(want) == string(got), "the page is another")
		})
	}
}
