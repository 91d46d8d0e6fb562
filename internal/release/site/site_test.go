package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// written writes the sources of the site, and returns what a page has.
func written(t *testing.T) func(page string) string {
	t.Chdir("../../..")
	folder := t.TempDir()
	require.NoError(t, command([]string{"write", folder}))
	return func(page string) string {
		text, err := os.ReadFile(filepath.Join(folder, page))
		require.NoError(t, err)
		return string(text)
	}
}

func TestPages(t *testing.T) {
	page := written(t)
	require.Contains(t, page("index.md"), "](cookbook.md)")
	require.Contains(t, page("index.md"), "](https://github.com/beameval/beameval/blob/main/CONTRIBUTING.md)")
	require.Contains(t, page("index.md"), `<img src="report.png"`)
	require.Contains(t, page("index.md"), "\nQuick start <start>\n")
	require.Contains(t, page("faq.md"), "](metrics/ranking.md#as-trec_eval-ir_measures-and-ranx)")
	require.Contains(t, page("README.md"), "](index.md)")
	require.Contains(t, page("fields.md"), "](worst_slices.md#score)")
	require.Contains(t, page("metrics/binary.md"), "| [`f1`](../metric/f1.md) |")
	require.Contains(t, page("metric/index.md"), "| [`ndcg@<k>`](ndcg_at_k.md) |")
	require.Contains(t, page("llms.txt"), "- [Quick start](_sources/start.md.txt): one screen for each task")
	require.Contains(t, page("llms.txt"), "- [roc_auc](_sources/metric/roc_auc.md.txt): area under the ROC curve")
}

// TestPagesOfMetrics: a page has what the catalogue, the cases of tests and the tables of conventions say of a metric.
func TestPagesOfMetrics(t *testing.T) {
	page := written(t)
	kappa := page("metric/cohen_kappa.md")
	require.Contains(t, kappa, "| better | higher |")
	require.Contains(t, kappa, "kappa of two readers")
	require.Contains(t, kappa, "matrix       [[20, 5], [10, 15]]")
	require.Contains(t, kappa, "| `cohen_kappa` | 0.4 |")
	require.Contains(t, kappa, "undefined if everything is in one class")
	require.Contains(t, kappa, "The values agree to 1e-12")
	ndcg := page("metric/ndcg_at_k.md")
	require.Contains(t, ndcg, "## As a metric of ranking")
	require.Contains(t, ndcg, "--metrics ndcg@3 ")
	// An example shows values, and of a configuration only what is no default.
	auc := page("metric/roc_auc.md")
	require.NotContains(t, auc, "null,")
	require.NotContains(t, auc, "zero_division\":0")
	require.Contains(t, auc, "| `roc_auc")
	require.Contains(t, page("metric/pass_at_k.md"), `config       {"k":[1`)
	own, err := os.ReadFile("docs/config.yaml")
	require.NoError(t, err)
	for key, value := range defaults {
		if !strings.HasPrefix(value, "{") {
			require.Contains(t, string(own), "\n"+key+": "+strings.ReplaceAll(value, ",", ", ")+"\n", "the default is another")
		}
	}
	brier := page("metric/brier.md")
	require.Contains(t, brier, "It differs from scikit-learn by convention")
	require.Contains(t, brier, "scale_by_half=False")
	require.NotContains(t, page("metric/f1.md"), "It differs from scikit-learn by convention")
}

// TestFormulas: sources have formulas as people type them, and what they are drawn as; lists of metrics have them as text.
func TestFormulas(t *testing.T) {
	page := written(t)
	const typed = "1 - Σ (y - p)² / Σ (y - ȳ)²"
	require.Contains(t, page("metric/r2.md"), "\n> {math}`"+typed+"`; where labels")
	require.Contains(t, page("metric/index.md"), "| "+typed+"; where labels")
	require.Contains(t, page("llms.txt"), typed)
	require.Contains(t, page("metric/pass_at_k.md"), "{math}`c` of {math}`n ≥ k` pass\n")
	var drawn map[string]string
	require.NoError(t, json.Unmarshal([]byte(page(formulasFile)), &drawn))
	require.Contains(t, drawn[typed], "<mfrac><mrow><mo>∑</mo>")
	unused := maps.Clone(drawn)
	for _, m := range documentedMetrics() {
		for _, formula := range regexp.MustCompile("{math}`([^`]*)`").FindAllStringSubmatch(page(m.page()), -1) {
			require.Contains(t, drawn, formula[1])
			delete(unused, formula[1])
		}
	}
	require.Empty(t, unused)
}

// TestEveryMetricHasAPage: no two have the same file, also where names differ in case only.
func TestEveryMetricHasAPage(t *testing.T) {
	t.Chdir("../../..")
	cases, err := readCases("testdata/golden")
	require.NoError(t, err)
	found, pages, without := byMetric(cases), map[string]string{}, 0
	for _, m := range documentedMetrics() {
		file := strings.ToLower(m.page())
		require.Empty(t, pages[file], "%s and %s have the same page", pages[file], m.name)
		pages[file] = m.name
		if len(found[m.name]) == 0 {
			without++
		}
		require.NotContains(t, spelled(m), "<", "no argument of %s is known", m.name)
	}
	require.Greater(t, len(pages), 200)
	require.Less(t, without, len(pages)/10, "cases are not found by the names of metrics")
}

func TestCheck(t *testing.T) {
	good := map[string]string{
		"index.html":         `<link href="style.css" rel="stylesheet"><a href="sub/page.html#there">x</a> <a href="https://example.com/">y</a><script>"<a href='gone.html'>"</script>`,
		"sub/page.html":      `<h2 id="there">x</h2><a href="../index.html">back</a><a href="#there">up</a><img src="picture.svg">`,
		"sub/picture.svg":    "<svg/>",
		"style.css":          "body { background: url(sub/picture.svg) }",
		"notes/download.txt": "text",
	}
	checked := func(changes map[string]string) error {
		folder := t.TempDir()
		for _, files := range []map[string]string{good, changes} {
			for name, text := range files {
				file := filepath.Join(folder, name)
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
				require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
			}
		}
		return command([]string{"check", folder})
	}
	require.NoError(t, checked(nil))
	for _, c := range []struct{ page, text, want string }{
		{"index.html", `<a href="gone.html">`, "index.html links to gone.html, which is not there"},
		{"index.html", `<a class="x" href="sub/page.html#gone">`, "index.html links to sub/page.html#gone, which has no such anchor"},
		{"sub/page.html", `<h2 id="there"><img alt="x" src="../picture.svg">`, "sub/page.html links to ../picture.svg, which is not there"},
		{"index.html", `<script async src="https://example.com/x.js"></script>`, "index.html loads https://example.com/x.js from another host"},
		{"index.html", `<link rel="stylesheet" href="//example.com/x.css">`, "index.html loads //example.com/x.css from another host"},
		{"style.css", `@import "https://example.com/fonts.css";`, "style.css loads https://example.com/fonts.css from another host"},
		{"style.css", `body { background: url(https://example.com/x.png) }`, "style.css loads https://example.com/x.png from another host"},
	} {
		require.EqualError(t, checked(map[string]string{c.page: c.text}), c.want)
	}
	require.ErrorContains(t, command([]string{"check", t.TempDir()}), "has no pages")
	require.ErrorContains(t, command([]string{"built", "x"}), `unknown command "built"`)
}
