package pipeline

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms"
)

// mergeOf merges reports on direct.
func mergeOf(t *testing.T, o transforms.PartsOptions, dirs ...string) (dir string, leftOut []string) {
	t.Helper()
	return mergeOn(t, "direct", o, dirs...)
}

func mergeOn(t *testing.T, runner string, o transforms.PartsOptions, dirs ...string) (dir string, leftOut []string) {
	t.Helper()
	p, err := transforms.OpenParts(t.Context(), dirs, o)
	require.NoError(t, err)
	out := p.Output
	out.Dir = filepath.Join(t.TempDir(), "merged")
	graph, s := beam.NewPipelineWithRoot()
	transforms.Merge(s, p).WriteReport(s, out)
	require.NoError(t, runOn(t.Context(), graph, runner))
	return out.Dir, p.LeftOut
}

// requireSameReport requires that two reports have the same files with the same bytes, but for run.json.
func requireSameReport(t *testing.T, want, got string) {
	t.Helper()
	names := func(dir string) (list []string) {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	require.Equal(t, names(want), names(got))
	for _, name := range names(want) {
		if name == report.RunJSON {
			continue
		}
		a, err := os.ReadFile(filepath.Join(want, name))
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(got, name))
		require.NoError(t, err)
		if name == report.MetricsJSON {
			require.Equal(t, string(a), string(b))
		}
		require.Equal(t, a, b, name)
	}
}

// split is data whose rows are divided into parts, all rows of a key together.
type split struct {
	header string
	rows   int
	row    func(i int) string
	key    func(i int) int
}

// parts returns the text of all rows, and of each of n parts.
func (s *split) parts(r *rand.Rand, n int) (all string, parts []string) {
	of := map[int]int{}
	texts := make([]strings.Builder, n)
	var whole strings.Builder
	for _, b := range append([]*strings.Builder{&whole}, pointers(texts)...) {
		fmt.Fprintln(b, s.header)
	}
	for i := range s.rows {
		k := s.key(i)
		if _, met := of[k]; !met {
			if of[k] = r.IntN(n); len(of) <= n {
				of[k] = len(of) - 1 // every part has rows
			}
		}
		fmt.Fprintln(&whole, s.row(i))
		fmt.Fprintln(&texts[of[k]], s.row(i))
	}
	for i := range texts {
		parts = append(parts, texts[i].String())
	}
	return whole.String(), parts
}

func pointers[T any](list []T) (all []*T) {
	for i := range list {
		all = append(all, &list[i])
	}
	return all
}

// TestMergeIsEvaluation: what is merged from reports of parts is the report of all rows, as a configuration would
// have it evaluated: also its intervals, whatever the number of examples, queries and clusters in the parts and in
// all of them is.
func TestMergeIsEvaluation(t *testing.T) {
	t.Parallel()
	score := func(i int) float64 { return float64(i*37%101) / 101 }
	binary := func(rows, shops int) *split {
		return &split{"id,label,score,country,shop", rows, func(i int) string {
			return fmt.Sprintf("%d,%d,%.4f,%s,s%d", i, i*i%7%2, score(i), []string{"de", "fr", "ch", ""}[i*i%11%4], i%shops)
		}, func(i int) int { return i % shops }}
	}
	ranking := func(queries int) *split {
		return &split{"query_id,item_id,relevance,score,country", 5 * queries, func(i int) string {
			q := i / 5
			return fmt.Sprintf("q%d,i%d,%d,%.4f,%s", q, i*7%40, i*i%5%3, score(i), []string{"de", "fr"}[q*q%3%2])
		}, func(i int) int { return i / 5 }}
	}
	byRow := func(s *split) *split {
		s.key = func(i int) int { return i }
		return s
	}
	regression := &split{"id,label,prediction,country", 300, func(i int) string {
		return fmt.Sprintf("%d,%.3f,%.3f,c%d", i, score(i), score(i+2), i%3)
	}, func(i int) int { return i }}
	classes := &split{"id,label,a,b,c,country", 300, func(i int) string {
		x, y := score(i)/2, score(i+5)/2
		return fmt.Sprintf("%d,%c,%v,%v,%v,c%d", i, 'a'+i*i%7%3, x, y, 1-x-y, i%4)
	}, func(i int) int { return i }}
	attempts := &split{"id,passed,answer,label,country,cost,late", 400, func(i int) string {
		task := i / 4
		return fmt.Sprintf("%d,%t,%c,x,c%d,%v,%t", task, i*i%7%2 == 0, 'x'+i*i%5%2, task%3, score(i), i%3 == 0)
	}, func(i int) int { return i / 4 }}
	sets := &split{"id,label,prediction,set_a,set_b,set_c,country", 200, func(i int) string {
		return fmt.Sprintf("%d,%c,%c,%d,%d,%d,c%d", i, 'a'+i*i%7%3, 'a'+i%3, i%2, i*i%5%2, 1, i%4)
	}, func(i int) int { return i }}
	for i, c := range []struct {
		name, yaml string
		data       *split
		n          int
		onPrism    bool // as well
	}{
		{"examples", "task: binary\nslices: [country, [country, shop]]\n", byRow(binary(400, 9)), 3, false},
		{"examples with intervals", "task: binary\nslices: [country]\nconfidence: {}\n", byRow(binary(400, 9)), 4, false},
		{"a single part", "task: binary\nconfidence: {}\n", byRow(binary(100, 9)), 1, false},
		{"few clusters", "task: binary\ncurves: {mode: bounded}\nslices: [country]\nconfidence: {by: shop}\n", binary(600, 40), 9, true},
		{"clusters that are too few", "task: binary\ncurves: {mode: bounded}\nconfidence: {by: shop}\n", binary(600, 8), 3, false},
		{"clusters, with exact curves", "task: binary\nconfidence: {by: shop}\n", binary(900, 60), 2, false},
		{"many clusters", "task: binary\ncurves: {mode: bounded}\nconfidence: {by: shop}\n", binary(1500, 300), 4, false},
		{"clusters with intervals of all examples", "task: binary\ncurves: {mode: bounded}\nslices: [country]\nconfidence: {by: shop, slices: overall}\ngates: [{metric: accuracy, min: 0, slice: {country: fr}}]\n", binary(600, 30), 4, false},
		{"a given number of groups", "task: binary\nconfidence: {by: shop, groups: 20}\n", binary(600, 100), 3, false},
		{"worst examples", "task: binary\nslices: [country]\nworst_examples: {count: 7, per: [slice]}\n", byRow(binary(400, 9)), 3, true},
		{"worst examples of labels", "task: multiclass\nslices: [country]\nworst_examples: {count: 4, per: [label, slice]}\ninput: {columns: {score: {a: a, b: b, c: c}}}\n", classes, 3, false},
		{"worst queries", "task: ranking\nworst_examples: 5\n", ranking(60), 3, false},
		{"groups", "task: binary\ngroups: {by: country, reference: de}\nconfidence: {}\n", byRow(binary(600, 9)), 3, false},
		{"few queries", "task: ranking\nslices: [country]\nconfidence: {}\n", ranking(60), 9, false},
		{"queries that are too few", "task: ranking\nconfidence: {}\n", ranking(8), 2, false},
		{"many queries", "task: ranking\nconfidence: {}\n", ranking(1200), 3, false},
		{"a regression", "task: regression\nslices: [country]\nconfidence: {}\n", regression, 3, false},
		{"classes", "task: multiclass\nper_label: all\nslices: [country]\nconfidence: {}\ninput: {columns: {score: {a: a, b: b, c: c}}}\n", classes, 3, false},
		{"attempts", "task: grade\nslices: [country]\nconfidence: {}\ninput: {columns: {example: id, grade: passed, answer: answer, label: label}}\nk: [1, 2]\n", attempts, 3, false},
		{"further grades", "task: grade\nslices: [country]\nconfidence: {}\ninput: {columns: {example: id, grade: passed, grades: [cost, late]}}\nlower_is_better: [cost]\npass_threshold: {cost: 0.5}\nmetrics: [mean, mean_cost, median_cost, std_late, best@2_cost, pass@2_cost, variance_between_late]\n", attempts, 3, true},
		{"prediction sets", "task: multiclass\nslices: [country]\nconfidence: {}\nmetrics: [set_coverage]\ncurves: {mode: bounded}\ninput: {columns: {set: {a: set_a, b: set_b, c: set_c}}}\n", sets, 3, false},
		{"skipped rows", "task: binary\nbad_rows: skip\nmax_skipped: 5\nslices: [country]\n", &split{"id,label,score,country", 200, func(i int) string {
			return fmt.Sprintf("%d,%d,%s,c%d", i, i%2, map[bool]string{true: "7", false: "0.5"}[i%20 == 0], i%3)
		}, func(i int) int { return i }}, 3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			all, parts := c.data.parts(rand.New(rand.NewPCG(uint64(i), 61)), c.n)
			of := func(yaml, data string) string {
				return evaluateOn(t, parse(t, yaml+"output: {statistics: true}\n", namedTexts(t, [2]string{"data.csv", data})...), "direct", 0)
			}
			bounded := c.yaml
			if !strings.Contains(c.yaml, "curves:") && !strings.Contains(c.yaml, "ranking") && !strings.Contains(c.yaml, "grade") {
				bounded += "curves: {mode: bounded}\n"
			}
			want := of(bounded, all)
			var dirs []string
			for _, data := range parts {
				dirs = append(dirs, of(c.yaml, data))
			}
			got, _ := mergeOf(t, transforms.PartsOptions{}, dirs...)
			requireSameReport(t, want, got)
			if c.onPrism {
				got, _ = mergeOn(t, "prism", transforms.PartsOptions{}, dirs...)
				requireSameReport(t, want, got)
			}
			if len(dirs) > 2 {
				slices.Reverse(dirs)
				first, _ := mergeOf(t, transforms.PartsOptions{}, dirs[:2]...)
				got, _ = mergeOf(t, transforms.PartsOptions{}, append([]string{first}, dirs[2:]...)...)
				requireSameReport(t, want, got)
			}
		})
	}
}

// TestMergeOfExactScores: with curves: exact, the merged report is the report of all rows as it is without statistics.
func TestMergeOfExactScores(t *testing.T) {
	t.Parallel()
	row := func(i int) string {
		return fmt.Sprintf("%d,%d,%.3f,%s,s%d\n", i, i*i%7%2, float64(i*i*37%101)/101, []string{"de", "fr", "ch"}[i%3], i%40)
	}
	for name, yaml := range map[string]string{
		"plain": "", "slices": "slices: [country]\n", "intervals": "slices: [country]\nconfidence: {}\n", "clusters": "confidence: {by: shop}\n",
		"equal weight": "calibration: {strategy: quantile}\nslices: [country]\n", "few bins": "curves: {mode: bounded, bins: 64}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := func(statistics string, rows func(i int) bool) string {
				text := "id,label,score,country,shop\n"
				for i := range 900 {
					if rows(i) {
						text += row(i)
					}
				}
				return evaluateOn(t, parse(t, "task: binary\noutput: {statistics: "+statistics+"}\n"+yaml, namedTexts(t, [2]string{"data.csv", text})...), "direct", 0)
			}
			const exact = "{curves: exact}"
			all := of(exact, func(int) bool { return true })
			odd := func(i int) bool { return i%40%2 == 1 }
			merged, leftOut := mergeOf(t, transforms.PartsOptions{}, of(exact, odd), of(exact, func(i int) bool { return !odd(i) && i%40 < 30 }), of(exact, func(i int) bool { return !odd(i) && i%40 >= 30 }))
			if name == "clusters" { // one of the parts has fewer than ten
				require.Contains(t, strings.Join(leftOut, " "), "confidence intervals")
				merged, leftOut = mergeOf(t, transforms.PartsOptions{}, of(exact, odd), of(exact, func(i int) bool { return !odd(i) }))
			}
			requireSameReport(t, all, merged)
			require.NotContains(t, strings.Join(leftOut, " "), "curves")
			if name == "intervals" {
				merged, _ = mergeOn(t, "prism", transforms.PartsOptions{}, of(exact, odd), of(exact, func(i int) bool { return !odd(i) }))
				requireSameReport(t, all, merged)
			}
		})
	}
}

// TestMergeByPosition: rows without an id are merged without intervals, as all rows would be evaluated without them.
func TestMergeByPosition(t *testing.T) {
	t.Parallel()
	lines := func(from, to int) string {
		text := "label,score\n"
		for i := from; i < to; i++ {
			text += fmt.Sprintf("%d,%v\n", i*i%7%2, float64(i*37%101)/101)
		}
		return text
	}
	of := func(yaml string, from, to int) string {
		return evaluateOn(t, parse(t, "task: binary\noutput: {statistics: true}\n"+yaml, namedTexts(t, [2]string{"data.csv", lines(from, to)})...), "direct", 0)
	}
	got, leftOut := mergeOf(t, transforms.PartsOptions{}, of("confidence: {}\n", 0, 150), of("confidence: {}\n", 150, 300))
	require.Contains(t, leftOut[0], "confidence intervals: rows are divided by their positions in files")
	require.Equal(t, []string{"exact curves, in whose place there are bounded ones: values within low and high", "metric ace, which needs exact curves"}, leftOut[1:])
	want := of("curves: {mode: bounded}\n", 0, 300)
	for _, dir := range []string{want, got} { // what is left out is in the statistics of one of them
		require.NoError(t, os.Remove(filepath.Join(dir, report.StatisticsBin)))
	}
	requireSameReport(t, want, got)
}

// TestMergeBySlice: folders of parts become slices, as a column makes them.
func TestMergeBySlice(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, site := range []string{"A", "B"} {
		text := "id,label,score,country\n"
		for i := range 200 {
			text += fmt.Sprintf("%s%d,%d,%v,c%d\n", site, i, i*i%7%2, float64((i+len(site))*37%101)/101, i%3)
		}
		folder := filepath.Join(root, "data", "site="+site)
		require.NoError(t, os.MkdirAll(folder, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "data.csv"), []byte(text), 0o644))
	}
	for _, intervals := range []string{"", "confidence: {}\n", "confidence: {slices: overall}\n"} {
		yaml := "task: binary\ncurves: {mode: bounded}\nworst_examples: {count: 5, per: [slice]}\noutput: {statistics: true}\n" + intervals
		want := evaluateOn(t, parse(t, yaml+"slices: [country, site]\n", filepath.Join(root, "data")), "direct", 0)
		var dirs []string
		for _, site := range []string{"A", "B"} {
			dir := filepath.Join(t.TempDir(), "site="+site)
			require.NoError(t, os.Rename(evaluateOn(t, parse(t, yaml+"slices: [country]\n", filepath.Join(root, "data", "site="+site, "data.csv")), "direct", 0), dir))
			dirs = append(dirs, dir)
		}
		got, _ := mergeOf(t, transforms.PartsOptions{Slice: "site"}, dirs...)
		requireSameReport(t, want, got)
		_, err := transforms.OpenParts(t.Context(), dirs, transforms.PartsOptions{Slice: "place"})
		require.ErrorContains(t, err, "site=A has no folder place=VALUE, whose value would be its slice")
		_, err = transforms.OpenParts(t.Context(), dirs, transforms.PartsOptions{Slice: "country"})
		require.ErrorContains(t, err, "has no folder country=VALUE")
	}
}

// TestMergeTwice: what is merged already is not merged again.
func TestMergeTwice(t *testing.T) {
	t.Parallel()
	of := func() string {
		return evaluateOn(t, parse(t, "task: binary\noutput: {statistics: true}\n", namedTexts(t, [2]string{"data.csv", "label,score\n0,0.2\n1,0.7\n0,0.4\n"})...), "direct", 0)
	}
	a, b, c := of(), of(), of()
	ab, _ := mergeOf(t, transforms.PartsOptions{}, a, b)
	_, err := transforms.OpenParts(t.Context(), []string{ab, c, b}, transforms.PartsOptions{})
	require.ErrorContains(t, err, fmt.Sprintf("%s is in %s and in %s: its examples would count twice", b, ab, b))
	abc, _ := mergeOf(t, transforms.PartsOptions{}, ab, c)
	_, err = transforms.OpenParts(t.Context(), []string{a, abc}, transforms.PartsOptions{})
	require.ErrorContains(t, err, "its examples would count twice")
}

// TestStatisticsAreRefused: what cannot be merged is an error of the configuration that asks for statistics.
func TestStatisticsAreRefused(t *testing.T) {
	t.Parallel()
	files := namedTexts(t, [2]string{"data.csv", "label,score,age\n0,0.2,1\n1,0.7,2\n0,0.4,3\n"})
	for yaml, want := range map[string]string{
		"slices: [{age: {quantiles: 2}}]\n":                          "output.statistics: slices of quantiles are divided where the numbers of each part say",
		"calibration: {strategy: quantile}\ncurves: {mode: exact}\n": "output.statistics: calibration bins of equal weight need all scores in order",
	} {
		requireRefused(t, parse(t, "task: binary\noutput: {statistics: true}\n"+yaml, files...), want)
	}
}

// TestSmallSlicesStayHome: a slice that has few examples in one part is not in what is merged, whatever other parts have.
func TestSmallSlicesStayHome(t *testing.T) {
	t.Parallel()
	of := func(seed int, yaml string) string {
		text := "id,label,score,country\n"
		for i := range 100 {
			country := "de"
			switch {
			case i < 10 && seed == 0, i < 40 && seed == 1:
				country = "fr"
			case i < 60:
				country = "ch"
			}
			text += fmt.Sprintf("%d-%d,%d,%v,%s\n", seed, i, i%2, float64(i*37%101)/101, country)
		}
		return evaluateOn(t, parse(t, "task: binary\nslices: [country]\n"+yaml, namedTexts(t, [2]string{"data.csv", text})...), "direct", 0)
	}
	slicesOf := func(dir string) (list []string) {
		for _, row := range readReport(t, dir).Metrics {
			if row.Name == "accuracy" {
				list = append(list, fmt.Sprintf("%s %d", row.Slice, row.Support))
			}
		}
		return list
	}
	for _, more := range []string{"", "confidence: {}\n"} {
		yaml := more + "output: {statistics: {min_support: 20}}\n"
		a, b := of(0, yaml), of(1, yaml)
		require.Equal(t, []string{"overall 100", "country=ch 50", "country=de 40", "country=fr 10"}, slicesOf(a))
		merged, leftOut := mergeOf(t, transforms.PartsOptions{}, a, b)
		require.Equal(t, []string{"overall 200", "country=ch 70", "country=de 80"}, slicesOf(merged))
		require.Contains(t, leftOut, "1 slices with fewer than 20 examples in a report")
		again, _ := mergeOf(t, transforms.PartsOptions{}, merged)
		requireSameReport(t, merged, again)
		all, _ := mergeOf(t, transforms.PartsOptions{}, of(0, more+"output: {statistics: true}\n"), of(1, more+"output: {statistics: true}\n"))
		require.Contains(t, slicesOf(all), "country=fr 50")
	}
}

// TestMergedGatesOnChecks: a gate on a check that a merged report lacks is unknown, although it passed in each part, and
// the check is named among what is left out.
func TestMergedGatesOnChecks(t *testing.T) {
	t.Parallel()
	of := func(checks string) string {
		text := "id,label,score\n"
		for i := range 30 {
			text += fmt.Sprintf("%d,%d,0.%d\n", i, i%2, i)
		}
		return evaluateOn(t, parse(t, "task: binary\ngates: [{metric: accuracy, max_drop: 0.1}]\nchecks: "+checks+"\noutput: {statistics: true}\n", namedTexts(t, [2]string{"data.csv", text})...), "direct", 0)
	}
	verdicts := func(dir string) (list []string) {
		for _, g := range readReport(t, dir).Gates {
			list = append(list, g.Metric+" "+string(g.Verdict)+" "+g.Reason)
		}
		return list
	}
	a, b := of("{fail: [duplicate_examples, one_class_true]}"), of("{fail: [duplicate_examples, one_class_true]}")
	require.Equal(t, []string{"duplicate_examples pass ", "one_class_true pass ", "accuracy unknown no baseline"}, verdicts(a))
	merged, leftOut := mergeOf(t, transforms.PartsOptions{}, a, b)
	require.Equal(t, []string{"duplicate_examples unknown not checked in merged reports", "one_class_true pass ", "accuracy unknown no baseline"}, verdicts(merged))
	require.Equal(t, []string{"check duplicate_examples, which needs ids", "the baseline of gates, so that gates on change are unknown"}, leftOut[:2])
	_, leftOut = mergeOf(t, transforms.PartsOptions{}, of("{off: [duplicate_examples]}"))
	require.NotContains(t, strings.Join(leftOut, "\n"), "duplicate_examples")
}

// TestStatisticsOfTrainingData: training data are not in statistics.bin, except where the configuration names them.
func TestStatisticsOfTrainingData(t *testing.T) {
	t.Parallel()
	files := namedTexts(t, [2]string{"data.csv", "id,label,score\n1,0,0.2\n2,1,0.7\n3,0,0.4\n"}, [2]string{"trained.csv", "id\n1\n9\n"})
	of := evaluateOn(t, parse(t, fmt.Sprintf("task: binary\nchecks: {training: {files: [%q]}}\noutput: {statistics: true}\n", files[1]), files[0]), "direct", 0)
	merged, leftOut := mergeOf(t, transforms.PartsOptions{}, of)
	require.Contains(t, leftOut, "check overlap, which needs ids and the training data")
	for _, dir := range []string{of, merged} {
		data, err := os.ReadFile(filepath.Join(dir, report.StatisticsBin))
		require.NoError(t, err)
		zip, err := zstd.NewReader(nil)
		require.NoError(t, err)
		start := strings.IndexByte(string(data), '\n') + 2
		head, err := zip.DecodeAll(data[start+8:][:binary.LittleEndian.Uint32(data[start:])], nil)
		require.NoError(t, err)
		require.Contains(t, string(head), `{"Job":{`)
		require.NotContains(t, string(head), filepath.Dir(files[1]))
	}
}
