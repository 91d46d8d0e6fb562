package house_test

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics"
)

const (
	readme     = "README.md"
	benchmarks = "docs/benchmarks.md"
	chart      = "docs/peers.svg"
	mostOfPage = 150 // lines of the README
	mostWords  = 900 // that have a letter or a digit
)

// TestReadmeIsShort: who looks at it for the first time reads to the end.
func TestReadmeIsShort(t *testing.T) {
	text := readFile(t, readme)
	require.LessOrEqual(t, strings.Count(text, "\n"), mostOfPage)
	words := 0
	for _, word := range strings.Fields(text) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			words++
		}
	}
	require.LessOrEqual(t, words, mostWords)
}

// TestReadmeFigures: the figures of the README and its chart are those that make bench-docs has measured, and its counts of
// metrics are those of the catalogue.
func TestReadmeFigures(t *testing.T) {
	measured := peersMeasured(t)
	page := readFile(t, readme)
	want := withSection(t, page, "figures: written by make bench-docs", "figures", figures(t, measured))
	want = withSection(t, want, "metrics: go test ./internal/testing/house -run TestReadme -update", "metrics", countsOfMetrics())
	drawn := drawPeers(measured)
	if *update {
		require.NoError(t, os.WriteFile(readme, []byte(want), 0o644))
		require.NoError(t, os.WriteFile(chart, []byte(drawn), 0o644))
		return
	}
	const how = "go test ./internal/testing/house -run TestReadme -update writes it"
	require.Equal(t, want, page, how)
	require.Equal(t, drawn, readFile(t, chart), how)
}

// measuredByHand matches what a command should have written: dates, and numbers of seconds, bytes, rows and metrics.
var measuredByHand = regexp.MustCompile(`\d{4}-\d\d-\d\d|\d[\d.,]* ?(s|ms|[MGk]B|MiB|GiB|%|M?( rows| predictions| metrics))\b`)

// TestReadmeHasNoOtherFigures: what nobody measures anew grows old.
func TestReadmeHasNoOtherFigures(t *testing.T) {
	text := readFile(t, readme)
	for _, generated := range []string{"figures", "metrics"} {
		before, rest, _ := strings.Cut(text, "<!-- "+generated+": ")
		_, after, found := strings.Cut(rest, "<!-- end of "+generated+" -->")
		require.True(t, found, generated)
		text = before + after
	}
	require.Empty(t, measuredByHand.FindAllString(text, -1), "let a command write figures, between marks")
	for _, figure := range []string{"10 M rows", "in 2 s", "of 140 metrics", "2026-11-28", "0.17 GB"} {
		require.Regexp(t, measuredByHand, figure)
	}
}

func readFile(t *testing.T, name string) string {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// withSection returns a page with another text between two marks.
func withSection(t *testing.T, page, begin, end, text string) string {
	begin, end = "<!-- "+begin+" -->\n", "<!-- end of "+end+" -->\n"
	before, rest, begins := strings.Cut(page, begin)
	_, after, ends := strings.Cut(rest, end)
	require.True(t, begins && ends, "the page has no section %s", begin)
	return before + begin + "\n" + text + "\n\n" + end + after
}

// A workload is one on which peers were measured.
type workload struct {
	about string // the data
	runs  []run  // ours first
}

// A run is a row of a table, with what it computed.
type run struct {
	name, computes string
	seconds, bytes string
	time, memory   float64
	difference     float64 // the greatest, from the metrics of ours
}

// peersMeasured reads the tables of docs/benchmarks.md: the workloads that have peers, without those that are the same in
// another order or with other ids, whose names have a dash.
func peersMeasured(t *testing.T) (all []workload) {
	page := readFile(t, benchmarks)
	peers := tableOf(t, page, "peers")
	for _, job := range tableOf(t, page, "jobs") {
		name := job["workload"]
		if name == "" || strings.Contains(name, "-") {
			continue
		}
		w := workload{about: job["data"], runs: []run{runOf(t, job, "beameval", "every metric")}}
		for _, peer := range peers {
			if peer["workload"] == name {
				w.runs = append(w.runs, runOf(t, peer, peer["peer"], computed(peer["metrics"])))
			}
		}
		if len(w.runs) > 1 {
			all = append(all, w)
		}
	}
	require.NotEmpty(t, all)
	return all
}

// tableOf returns the rows of the first table in a section of docs/benchmarks.md, by the names of their columns.
func tableOf(t *testing.T, page, section string) (rows []map[string]string) {
	var head []string
	for line := range strings.Lines(sectionOf(t, page, section)) {
		if !strings.HasPrefix(line, "| ") {
			if head != nil {
				break
			}
			continue
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(strings.TrimSpace(line), "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		if head == nil {
			head = cells
			continue
		}
		row := map[string]string{}
		for i, name := range head {
			row[name] = cells[i]
		}
		if strings.Trim(cells[len(cells)-1], "-") != "" {
			rows = append(rows, row)
		}
	}
	return rows
}

func sectionOf(t *testing.T, page, section string) string {
	_, text, begins := strings.Cut(page, "<!-- "+section+": written by make bench-docs -->\n")
	text, _, ends := strings.Cut(text, "<!-- end of "+section+" -->\n")
	require.True(t, begins && ends, "%s has no section %s", benchmarks, section)
	return text
}

func runOf(t *testing.T, row map[string]string, name, computes string) run {
	r := run{name: name, computes: computes, seconds: row["time"], bytes: row["peak memory"]}
	r.time, r.memory = number(t, r.seconds), number(t, r.bytes)
	if difference := row["greatest difference"]; difference != "" {
		r.difference = number(t, difference)
	}
	return r
}

// number returns the number at the beginning of a cell.
func number(t *testing.T, cell string) float64 {
	digits, _, _ := strings.Cut(strings.ReplaceAll(cell, ",", ""), " ")
	x, err := strconv.ParseFloat(digits, 64)
	require.NoError(t, err)
	return x
}

// computed abbreviates a list of metrics.
func computed(metrics string) string {
	if n := strings.Count(metrics, ",") + 1; n > 1 {
		return fmt.Sprint(n, " metrics")
	}
	return metrics
}

var conditions = regexp.MustCompile(`(?m)^(\d{4}-\d\d-\d\d); \w+, (\d+ cores) of .*; (go\S+), .*? (scikit-learn .*)\. Medians; runs: (\d+)\.$`)

// figures says when and on what was measured, where each program is fastest, and how memory grows.
func figures(t *testing.T, measured []workload) string {
	page := readFile(t, benchmarks)
	at := conditions.FindStringSubmatch(sectionOf(t, page, "peers"))
	require.NotNil(t, at)
	ahead, all, most, difference := 0, 0, 0.0, 0.0
	var faster []string
	for _, w := range measured {
		for _, peer := range w.runs[1:] {
			all++
			difference = max(difference, peer.difference)
			if ratio := peer.time / w.runs[0].time; ratio > 1 {
				ahead++
				most = max(most, ratio)
			} else {
				faster = append(faster, fmt.Sprintf("%s takes %s (%s) where beameval takes %s", peer.name, peer.seconds, peer.computes, w.runs[0].seconds))
			}
		}
	}
	behind := "."
	if len(faster) > 0 {
		behind = ", and slower in the others: " + strings.Join(faster, "; ") + "."
	}
	largest := slices.MaxFunc(tableOf(t, page, "growth"), func(a, b map[string]string) int { return cmp.Compare(number(t, a["rows"]), number(t, b["rows"])) })
	return fmt.Sprintf("Measured %s on %s with %s; medians of %s runs ([all benchmarks](docs/benchmarks.md)). Values differ by at most\n"+
		"%.0e. beameval is faster in %d of %d comparisons, by up to %.0f times%s\nWith bounded curves, memory does not grow with the rows: %s of them take %s and %s.",
		at[1], at[2], at[4], at[5], difference, ahead, all, most, behind, largest["rows"], largest["bounded: time"], largest["bounded: peak memory"])
}

// countsOfMetrics says how many metrics there are, and of which task.
func countsOfMetrics() string {
	var names, tasks []string
	for _, task := range metrics.Tasks() {
		of := metrics.Catalogue(task)
		tasks = append(tasks, fmt.Sprintf("[%s](docs/metrics/%[1]s.md) %d", task, len(of)))
		for _, m := range of {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return fmt.Sprintf("It has %d metrics: %s. Names and values agree with scikit-learn's and trec_eval's, or the "+
		"[documentation](docs/metrics.md) says why they do not.", len(slices.Compact(names)), strings.Join(tasks, ", "))
}
