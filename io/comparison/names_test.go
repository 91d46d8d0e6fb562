package comparison_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report/document"
)

// TestNamesOfModels: reports are called by their models or by their directories, but comparison.json
// calls them a and b.
func TestNamesOfModels(t *testing.T) {
	type of = comparison.Compared
	for want, c := range map[string][2]of{
		"gbm-8 compared with gbm-7":                       {{Name: "out/a", Model: "gbm-7"}, {Name: "out/b", Model: "gbm-8"}},
		"new compared with old":                           {{Name: "reports/old/", Model: "gbm"}, {Name: "gs://bucket/new", Model: "gbm"}},
		"right compared with left":                        {{Name: "left", Model: "gbm"}, {Name: "right"}},
		"b/last compared with a/last":                     {{Name: "x/a/last"}, {Name: "x/b/last"}},
		"x/last compared with last":                       {{Name: "last"}, {Name: "x/last"}},
		"b compared with a":                               {{Name: "same"}, {Name: "same/"}},
		"abababab…ababab2 compared with abababab…ababab1": {{Model: strings.Repeat("ab", 30) + "1"}, {Model: strings.Repeat("ab", 30) + "2"}},
		`"a\x00b" compared with x y`:                      {{Model: "x y"}, {Model: "a\x00b"}},
	} {
		t.Run(want, func(t *testing.T) {
			both := gridComparison()
			both.A, both.B = c[0], c[1]
			var summary bytes.Buffer
			require.NoError(t, comparison.Summary(both, &summary, document.Screen{}))
			require.Contains(t, strings.SplitN(summary.String(), "\n", 2)[0], want)
		})
	}
	c := gridComparison()
	c.A.Model, c.B.Model = "gbm-7", "gbm-8"
	c.A.Name, c.B.Name = "tmp/report-1", "tmp/report-2"
	c.Changes[5].Reason = "undefined in b"
	f := writeComparison(t, c)
	text := reporttest.TextOf(reporttest.CheckPage(t, f.Bytes(comparison.HTML)))
	require.Contains(t, text, "Each number is a difference, gbm-8 − gbm-7.")
	require.Contains(t, text, "undefined in gbm-8")
	require.NotContains(t, text, "tmp/", "it may be gone by now")
	require.Contains(t, f.Content[comparison.Markdown].String(), "| gbm-7 | gbm-8 | difference |")
	require.Contains(t, f.Content[comparison.JSON].String(), `"reason":"undefined in b"`)
}
