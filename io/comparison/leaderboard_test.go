package comparison_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/reporttest"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/report"
	kinds "github.com/beameval/beameval/io/report/differences"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/tabular"
	"github.com/beameval/beameval/io/slice"
)

// board returns a leaderboard of systems by two metrics, overall, in a slice and for a label. The
// second system is significantly better than the first, the reference, the third is worse, and the
// last has no value in the slice.
func board(data []string, systems ...string) *comparison.Leaderboard {
	l := &comparison.Leaderboard{
		Task: "multiclass", Level: 0.95, Adjust: comparison.MaxT, OverMetrics: true, Reference: systems[0], Headline: []string{"accuracy", "log_loss"},
		Warnings: []string{"a is x, b is y: a warning\nof two lines", "another", "a third"},
	}
	var all []comparison.Difference
	for _, set := range data {
		for i, name := range systems {
			pairing := comparison.Paired
			if i == 0 {
				pairing = ""
			}
			l.Systems = append(l.Systems, comparison.System{Name: name, Path: "runs/" + set + "/" + name, Data: set, Examples: 1000, Groups: 50, Pairing: pairing})
		}
		l.Ranks = append(l.Ranks, ranks(set, systems)...)
		if len(systems) > 3 {
			l.Visible = append(l.Visible, comparison.SystemVisible{System: systems[3], Data: set, Visible: comparison.Visible{Metric: "accuracy", Direction: kinds.Drop, Drop: 0.0125, Needed: 1250.5}},
				comparison.SystemVisible{System: systems[3], Data: set, Visible: comparison.Visible{Metric: "log_loss", Direction: kinds.Rise, Drop: 0.5, Needed: math.NaN()}})
		}
		all = append(all, differences(set, systems)...)
	}
	l.Differences = tabular.ListOf(all)
	return l
}

// place calls each with the metrics, slices and labels of a board.
func place(each func(metric string, key slice.Key, label *string)) {
	for _, key := range []slice.Key{nil, reporttest.Key("country", slice.String("d|e"))} {
		each("accuracy", key, nil)
		each("log_loss", key, nil)
	}
	each("recall", nil, reporttest.Ptr("ham"))
}

func ranks(data string, systems []string) (list []comparison.Rank) {
	nan := math.NaN()
	place(func(metric string, key slice.Key, label *string) {
		for i, name := range systems {
			r := comparison.Rank{
				Metric: metric, Slice: key, Label: label, Data: data, System: name, Value: 0.9 - float64(i)/100, ValueLow: 0.8, ValueHigh: 0.95,
				Low: 1 + i/2, High: 1 + i, TiedForFirst: i < 2, Best: i == 0,
			}
			if i == len(systems)-1 && len(key) > 0 {
				r.Value, r.ValueLow, r.ValueHigh, r.Low, r.High, r.TiedForFirst, r.Reason = nan, nan, nan, 0, 0, false, "not in the report"
			}
			list = append(list, r)
		}
	})
	return list
}

func differences(data string, systems []string) (list []comparison.Difference) {
	nan := math.NaN()
	place(func(metric string, key slice.Key, label *string) {
		for i, name := range systems[1:] {
			d := comparison.Difference{
				Change: comparison.Change{
					Name: metric, Slice: key, Label: label, A: 0.9, B: 0.89, Difference: -0.01, StdError: 0.005, DOF: 45.5, Low: -0.02, High: 0.002, Groups: 50,
					PValue: 0.01, PAdjusted: 0.04, Pairing: comparison.Paired, Verdict: []comparison.Verdict{comparison.Worse, comparison.Better, comparison.NoSignificantChange}[(i+1)%3],
				},
				SystemA: systems[0], SystemB: name, Data: data, PPairedT: nan, PRandomization: nan,
			}
			if i == 0 {
				d.PPairedT, d.PRandomization = 0.0125, 0.25
			}
			if i == len(systems)-2 && len(key) > 0 {
				d.B, d.Difference, d.StdError, d.DOF, d.Low, d.High, d.PValue, d.PAdjusted = nan, nan, nan, nan, nan, nan, nan, nan
				d.Verdict, d.Reason, d.Pairing, d.Groups = comparison.Unsure, "only in a", comparison.Untested, 0
			}
			list = append(list, d)
		}
	})
	return list
}

// boards are the contents of the golden files by name of directory.
var boards = map[string]func() *comparison.Leaderboard{
	"systems": func() *comparison.Leaderboard {
		l := board([]string{""}, "bm25", "dense & sparse", `tf_idf {100%}`, "a|b [*]")
		l.Gates = []comparison.Gate{{System: "dense & sparse", GateResult: report.GateResult{
			Metric: "accuracy", Limits: report.Limits{Min: reporttest.Ptr(0.95)}, Value: 0.89, Low: math.NaN(), High: math.NaN(), Difference: math.NaN(), PAdjusted: math.NaN(), Verdict: report.Fail,
		}}}
		return l
	},
	"datasets": func() *comparison.Leaderboard {
		systems := []string{"bm25", "dense", "sparse", "hybrid", "fused"}
		l := board([]string{"trec", "robust", "beir"}, systems...)
		test := comparison.DataSetsTest{Metric: "accuracy", DataSets: 3, ChiSquare: 6.25, DOF: 4, PValue: 0.18, CriticalDifference: 1.5}
		for i, name := range systems {
			test.MeanRanks = append(test.MeanRanks, comparison.MeanRank{System: name, Mean: []float64{1.5, 4.75, 2, 3, 3.75}[i]})
		}
		untested := comparison.DataSetsTest{Metric: "log_loss", DataSets: 3, ChiSquare: math.NaN(), DOF: math.NaN(), PValue: math.NaN(), CriticalDifference: math.NaN(), Reason: "dense has no value on beir"}
		for _, name := range systems {
			untested.MeanRanks = append(untested.MeanRanks, comparison.MeanRank{System: name, Mean: math.NaN()})
		}
		l.DataSets = []comparison.DataSetsTest{test, untested}
		return l
	},
}

func TestReadEditedLeaderboard(t *testing.T) {
	content := string(writeComparison(t, boards["systems"]()).Bytes(comparison.JSON))
	for edit, want := range map[[2]string]string{
		{`leaderboard/v1`, `leaderboard/v2`}:                   `leaderboard: the schema is "beameval.leaderboard/v2", not "beameval.leaderboard/v1": compare again, or use the version of beameval that wrote the comparison`,
		{`"level": 0.95`, `"level": 1`}:                        "leaderboard: level: 1: expected a number between 0 and 1",
		{`"adjust": "maxt"`, `"adjust": "x"`}:                  `leaderboard: adjust: "x": expected one of ["bh" "holm" "none" "maxt"]`,
		{`"verdict":"better"`, `"verdict":"good"`}:             `leaderboard: difference 1: verdict: "good": expected one of ["worse" "better" "no significant change" "unknown"]`,
		{`"a":"bm25"`, `"a":"bm"`}:                             `leaderboard: difference 1: a: "bm": expected one of ["bm25" "dense & sparse" "tf_idf {100%}" "a|b [*]"]`,
		{`"system":"a|b [*]","value"`, `"system":"c","value"`}: `leaderboard: rank 4: system: "c": expected one of ["bm25" "dense & sparse" "tf_idf {100%}" "a|b [*]"]`,
		{`"verdict":"fail"`, `"verdict":"f"`}:                  `leaderboard: gate 1: verdict: "f": expected one of ["pass" "fail" "unknown"]`,
		{`"slice":{}`, `"slice":[]`}:                           "",
	} {
		edited := strings.Replace(content, edit[0], edit[1], 1)
		require.NotEqual(t, content, edited, edit[0])
		_, err := comparison.ReadLeaderboard([]byte(edited))
		require.Error(t, err, edit[1])
		if want != "" {
			require.EqualError(t, err, want)
		}
	}
	reporttest.RequireShortMessages(t, []byte(content), func(data []byte) error { _, err := comparison.ReadLeaderboard(data); return err })
}

// TestSummaryIsShort: however many systems, data sets and warnings there are, 30 lines suffice.
func TestSummaryIsShort(t *testing.T) {
	var systems, data []string
	for i := range 50 {
		systems, data = append(systems, fmt.Sprintf("system-with-a-long-name-%02d", i)), append(data, fmt.Sprintf("set%d", i))
	}
	for _, sets := range [][]string{{""}, data} {
		l := board(sets, systems...)
		for range 20 {
			l.Warnings = append([]string{strings.Repeat("word ", 40)}, l.Warnings...)
		}
		var summary bytes.Buffer
		require.NoError(t, comparison.Summary(l, &summary, document.Screen{}))
		require.LessOrEqual(t, strings.Count(summary.String(), "\n"), 28, summary.String()) // two more name the output
		reporttest.RequireWidth(t, 80, summary.String())
	}
}

// TestLaTeX checks what LaTeX would: rows with as many cells as the table has columns, balanced
// braces, and no character with a meaning that is not meant.
func TestLaTeX(t *testing.T) {
	text := string(writeComparison(t, board([]string{"s_1 & 100%\n\\end"}, reporttest.HostileNames()...)).Bytes(comparison.LeaderboardLaTeX))
	rows := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "%") || strings.HasPrefix(line, `\begin`) || strings.HasPrefix(line, `\end`) || regexp.MustCompile(`^\\(top|mid|bottom)rule$`).MatchString(line) {
			continue
		}
		rows++
		require.True(t, strings.HasSuffix(line, ` \\`), line)
		plain := regexp.MustCompile(`\\[&%$#_{}]`).ReplaceAllString(strings.TrimSuffix(line, ` \\`), "")
		require.Equal(t, 2, strings.Count(plain, " & "), line)
		require.Equal(t, strings.Count(plain, "{"), strings.Count(plain, "}"), line)
		plain = regexp.MustCompile(`\$(\^\{[+-]\}|-)\$`).ReplaceAllString(plain, "")
		require.NotRegexp(t, `[%$#_~^"<>|]`, plain, line)
		for _, command := range regexp.MustCompile(`\\[a-z]*`).FindAllString(plain, -1) {
			require.Contains(t, []string{`\textbf`, `\textbackslash`, `\textasciitilde`, `\textasciicircum`, `\textless`, `\textgreater`, `\textbar`}, command, line)
		}
	}
	require.Equal(t, 1+len(reporttest.HostileNames()), rows)
	require.Equal(t, 1, strings.Count(text, `\begin{tabular}{lrr}`))
	require.Equal(t, 1, strings.Count(text, `\end{tabular}`))
}

func TestHostileNamesOfSystems(t *testing.T) {
	f := writeComparison(t, board([]string{""}, reporttest.HostileNames()...))
	reporttest.CheckPage(t, f.Bytes(comparison.HTML))
	for _, name := range []string{comparison.LeaderboardCSV, comparison.CSV} {
		_, err := csv.NewReader(bytes.NewReader(f.Bytes(name))).ReadAll()
		require.NoError(t, err, name)
	}
	columns := -1
	for line := range strings.Lines(string(f.Bytes(comparison.LeaderboardMarkdown))) {
		if strings.HasPrefix(line, "|") {
			n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			require.True(t, columns < 0 || n == columns, line)
			columns = n
		}
	}
}
