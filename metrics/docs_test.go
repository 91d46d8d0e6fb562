package metrics

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/confidence"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/metrics.md")

const (
	docsFile    = "../docs/metrics.md"
	tablesBegin = "<!-- The tables are made from the catalogue of package metrics: go test ./metrics -run TestDocs -update -->\n"
	tablesEnd   = "<!-- End of the tables. -->\n"
)

// published finds the authors and year in the source of a metric.
var published = regexp.MustCompile(`^.*? \d{4}`)

// TestDocsAreTrue compares the tables of docs/metrics.md with the catalogue; the
// text around them is written by hand.
func TestDocsAreTrue(t *testing.T) {
	data, err := os.ReadFile(docsFile)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(data), tablesBegin)
	require.True(t, found, "no %s", tablesBegin)
	_, after, found := strings.Cut(rest, tablesEnd)
	require.True(t, found, "no %s", tablesEnd)
	for _, m := range catalogue {
		if source := published.FindString(m.ref); source != "" {
			require.True(t, strings.Contains(after, "| "+source+" |"), "source %s is not listed", source)
		}
	}
	want := before + tablesBegin + "\n" + docTables() + tablesEnd + after
	if *update {
		require.NoError(t, os.WriteFile(docsFile, []byte(want), 0o644))
		return
	}
	if want != string(data) {
		require.Fail(t, "docs/metrics.md does not have the catalogue's tables", "run go test ./metrics -run TestDocs -update")
	}
}

// docTables returns a Markdown table of the metrics of each task.
func docTables() string {
	var out strings.Builder
	for _, n := range taskNames {
		averaged := n.task == Multiclass || n.task == Multilabel
		fmt.Fprintf(&out, "## %s\n\n| Metric |", strings.ToUpper(n.name[:1])+n.name[1:])
		if averaged {
			out.WriteString(" Averages |")
		}
		out.WriteString(" Definition | Better | Interval | Needs | Aliases | Source |\n|---|---|---|---|---|---|---|")
		if averaged {
			out.WriteString("---|")
		}
		out.WriteByte('\n')
		for i := range catalogue {
			if m := &catalogue[i]; m.tasks&n.task != 0 {
				cells := []string{"`" + m.name + "`"}
				if averaged {
					cells = append(cells, docAverages(m.averagesIn(n.task)))
				}
				cells = append(cells, m.doc, m.better.String(), docScale(m.scale), docNeeds(m), docAliases(m.aliases), m.ref)
				fmt.Fprintf(&out, "| %s |\n", strings.ReplaceAll(strings.Join(cells, "\x00"), "|", `\|`))
			}
		}
		out.WriteByte('\n')
	}
	out.WriteString("## Groups side by side\n\n| Metric | Definition | Better |\n|---|---|---|\n")
	line := func(name, of string, d *disparity) {
		better := d.better.String()
		if d.better == Neither {
			better = "as of the metric"
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s |\n", name+d.suffix, d.of(of), better)
	}
	for i := range disparities {
		line("<metric>", "value", &disparities[i])
	}
	for _, c := range Criteria() {
		for i := range disparities[:2] {
			line(c.Name, c.Name, &disparities[i])
		}
	}
	out.WriteByte('\n')
	return strings.ReplaceAll(out.String(), "\x00", " | ")
}

func docAverages(averages []string) string {
	if len(averages) == 1 {
		return ""
	}
	var list []string
	for _, a := range averages {
		if a == "" {
			list = append(list, "per label")
		} else {
			list = append(list, "`"+a+"`")
		}
	}
	return strings.Join(list, " ")
}

func docNeeds(m *metric) string {
	switch n := m.needs; {
	case m.requested:
		return docNeeds(&metric{needs: n}) + ", on request"
	case m.ordinal:
		return docNeeds(&metric{needs: n}) + ", ordered classes"
	case n&needBaselineScore != 0:
		return "scores of a baseline"
	case n&needJudgedClass != 0:
		return "judgements besides predictions"
	case n&needJudged != 0:
		return "judgements"
	case n&needBaseline != 0:
		return "a baseline"
	case n&needItems != 0:
		return "items"
	case n&needCategories != 0:
		return "categories of items"
	case n&needExactCurve != 0:
		return "exact curves"
	case n&needCurve != 0:
		return "curves"
	case n&needQuantiles != 0:
		return "forecasts of quantiles"
	case n&needEnsemble != 0:
		return "an ensemble"
	case n&needScale != 0:
		return "predictions, a scale"
	case n&needJudgements != 0:
		return "scores, `truth.files`"
	case n&needPropensity != 0:
		return "scores, propensities"
	case n&needCosts != 0:
		return "decisions, costs"
	case n&NeedDecisions != 0:
		return "decisions"
	case n&NeedLogits != 0:
		return "logits"
	case n&NeedProbabilities != 0:
		return "probabilities"
	case n&NeedScores != 0:
		return "scores"
	}
	return "predictions"
}

func docScale(s confidence.Scale) string {
	if s >= confidence.Biased {
		return "none: " + s.String()
	}
	return s.String()
}

func docAliases(aliases []string) string {
	if len(aliases) == 0 {
		return ""
	}
	return "`" + strings.Join(aliases, "` `") + "`"
}
