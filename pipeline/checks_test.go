package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/checks"
)

// rowsWithIDs returns a CSV of a binary task with ids from first on.
func rowsWithIDs(first, n int) string {
	var b strings.Builder
	b.WriteString("id,y,p\n")
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&b, "%d,%d,%v\n", i, i%2, float64((i*37)%101)/101)
	}
	return b.String()
}

func checkNamed(r *report.Report, name string) *checks.Check {
	for i := range r.Checks {
		if r.Checks[i].Name == name {
			return &r.Checks[i]
		}
	}
	return nil
}

// TestDuplicateExamples: rows that are there twice are found, as are single ids, and no others are.
func TestDuplicateExamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, a, b string
		count      int64
		share      float64
	}{
		{"once", rowsWithIDs(0, 200), rowsWithIDs(200, 200), 0, 0},
		{"one id", rowsWithIDs(0, 200), rowsWithIDs(199, 200), 1, 1.0 / 400},
		{"all rows twice", rowsWithIDs(0, 200), rowsWithIDs(0, 200), 200, 0.5},
	} {
		_, rest, _ := strings.Cut(c.b, "\n")
		files := namedTexts(t, [2]string{"a.csv", c.a + rest})
		for _, how := range []string{"confidence: {groups: 10}\n", "worst_examples: 5\n", "checks: {fail: [duplicate_examples]}\n"} {
			r := readReport(t, evaluate(t, parse(t, "input: {columns: {label: y, score: p}}\n"+how, files...)))
			got := checkNamed(r, "duplicate_examples")
			failed := r.Failed()
			require.Equal(t, strings.Contains(how, "fail") && c.count > 0, failed == 1, "%s: %s", c.name, how)
			if c.count == 0 {
				require.Nil(t, got, "%s: %s", c.name, how)
				continue
			}
			require.NotNil(t, got, "%s: %s", c.name, how)
			require.Equal(t, c.count, got.Count)
			require.Equal(t, c.share, *got.Share)
		}
		r := readReport(t, evaluate(t, parse(t, "input: {columns: {label: y, score: p}}\n", files...)))
		require.Nil(t, checkNamed(r, "duplicate_examples"), "ids are not read")
	}
	without := namedTexts(t, [2]string{"a.csv", strings.ReplaceAll(rowsWithIDs(0, 20), "id,", "n,")})
	require.ErrorContains(t, refused(t, "input: {columns: {label: y, score: p}}\nchecks: {fail: [duplicate_examples]}\n", without...), "checks.fail[0]: duplicate_examples: the examples have no id: set input.columns.example")
	require.ErrorContains(t, refused(t, "input: {columns: {label: y, score: p}}\nchecks: {fail: [duplicate_example]}\n", without...), `checks.fail[0]: there is no check "duplicate_example"; did you mean "duplicate_examples"?`)
	require.ErrorContains(t, refused(t, "task: regression\ninput: {columns: {label: y, prediction: p}}\nchecks: {fail: [inverted_scores]}\n", without...), "inverted_scores is no check of task regression")
}

// TestVolumeGates: the number of examples can be named in gates, without a row in the report.
func TestVolumeGates(t *testing.T) {
	t.Parallel()
	before := evaluate(t, parse(t, "input: {columns: {label: y, score: p}}\n", namedTexts(t, [2]string{"a.csv", rowsWithIDs(0, 200)})...))
	config := func(gates string) string {
		return "input: {columns: {label: y, score: p}}\nslices: [y]\nbaseline: '" + before + "'\ngates:\n" + gates
	}
	run := func(n int, gates string) *report.Report {
		return readReport(t, evaluate(t, parse(t, config(gates), namedTexts(t, [2]string{"b.csv", rowsWithIDs(0, n)})...)))
	}
	const gates = "- {metric: examples, min: 160}\n- {metric: examples, max_drop: 20%}\n- {metric: support, slice: each, min: 80}\n- {metric: skipped_share, max: 0}\n- {metric: rows, min: 160}\n"
	full, lost := run(160, gates), run(158, gates)
	require.Zero(t, full.Failed())
	require.Nil(t, checkNamed(full, "volume"), "20 % are allowed")
	require.Len(t, full.Gates, 6)
	require.Equal(t, 5, lost.Failed(), "all but skipped_share")
	require.Contains(t, checkNamed(lost, "volume").Message, "158 examples, 21 % fewer than in the baseline")
	require.Equal(t, -42.0, lost.Gates[1].Difference)
	for _, row := range lost.Metrics {
		require.NotContains(t, []string{"examples", "rows", "support"}, row.Name)
	}
}
