package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// TestOverlap: ids that occur in the training data are found in every layout, whatever files have the labels, and no
// others are.
func TestOverlap(t *testing.T) {
	t.Parallel()
	training := func(format string, ids ...int) string { // other columns, and an id that is missing
		text := "when,id\n1,\n"
		for _, id := range ids {
			text += "7," + fmt.Sprintf(format, id) + "\n"
		}
		return namedTexts(t, [2]string{"train.csv", text})[0]
	}
	rows := rowsWithIDs(0, 200)
	truth := "id,y\n"
	for i := range 200 {
		truth += fmt.Sprintf("%d,%d\n", i, i%2)
	}
	queries, pairs := "query_id,label,score\n", "id,class,label,score\n"
	for i := range 600 {
		queries += fmt.Sprintf("%d,%d,%v\n", i/3, i%2, float64((i*37)%101)/101)
		pairs += fmt.Sprintf("%d,%c,%d,%v\n", i/3, 'a'+i%3, i%2, float64((i*37)%101)/101)
	}
	const columns = "input: {columns: {label: y, score: p}}\n"
	for _, c := range []struct {
		name, yaml string
		files      []string
		key        string
	}{
		{"a row for each example", columns, []string{rows}, ""},
		{"intervals by the id", columns + "confidence: {groups: 10}\n", []string{rows}, ""},
		{"intervals by another column", columns + "confidence: {groups: 10, by: n}\n", []string{withColumn(rows)}, ""},
		{"worst slices", columns + "search: {columns: [n], min_support: 10, confirm: false}\n", []string{withColumn(rows)}, ""},
		{"labels in other files", "input: {columns: {score: p}}\ntruth: {files: other, columns: {label: y}}\n", []string{strings.ReplaceAll(rows, ",y,", ",other,"), truth}, ""},
		{"a row for each item", "task: ranking\n", []string{queries}, "columns: {query: id}, "},
		{"a row for each label", "task: multilabel\n", []string{pairs}, ""},
	} {
		for _, text := range []bool{false, true} { // ids in the training data that are texts make all of them texts
			format := "%d"
			if text {
				format = "%d\n7,x%[1]d"
			}
			files := c.files
			named := make([]string, len(files))
			for i, file := range files {
				named[i] = namedTexts(t, [2]string{"a.csv", file})[0]
			}
			run := func(ids ...int) *report.Report {
				yaml := c.yaml + "checks: {fail: [overlap], training: {" + c.key + "files: " + training(format, ids...) + "}}\n"
				return readReport(t, evaluate(t, parse(t, yaml, named...)))
			}
			clean := run(200, 201, -1)
			require.Nil(t, checkNamed(clean, "overlap"), c.name)
			require.Zero(t, clean.Failed(), c.name)
			seen := run(200, 3, 199, 3)
			got := checkNamed(seen, "overlap")
			require.NotNil(t, got, c.name)
			require.Equal(t, int64(2), got.Count, c.name)
			require.Equal(t, 0.01, *got.Share, c.name)
			require.Equal(t, 1, seen.Failed(), c.name)
			require.Contains(t, got.Message, "2 of 200 ids occur in the training data, 1 % of the examples")
			if !text {
				require.Equal(t, 1+len(files), filesOf(t, evaluate(t, parse(t, c.yaml+"checks: {training: {"+c.key+"files: "+training(format, 1)+"}}\n", named...))).Count)
			}
		}
	}
}

// withColumn adds a column n with the last digit of the id.
func withColumn(rows string) string {
	lines := strings.Split(strings.TrimSpace(rows), "\n")
	for i := range lines {
		if i == 0 {
			lines[i] += ",n"
			continue
		}
		id, _, _ := strings.Cut(lines[i], ",")
		lines[i] += "," + id[len(id)-1:]
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestOverlapRefused: what cannot be compared is an error before the run.
func TestOverlapRefused(t *testing.T) {
	t.Parallel()
	const columns = "input: {columns: {label: y, score: p}}\n"
	rows, train := namedTexts(t, [2]string{"a.csv", rowsWithIDs(0, 20)}), namedTexts(t, [2]string{"t.csv", "key\n1\n"})[0]
	without := namedTexts(t, [2]string{"a.csv", strings.ReplaceAll(rowsWithIDs(0, 20), "id,", "n,")})
	for _, c := range []struct {
		yaml  string
		files []string
		want  string
	}{
		{"checks: {training: {files: " + train + "}}\n", rows, "no example column in the training data: set checks.training.columns.example"},
		{"checks: {training: {files: " + train + "}}\n", without, "checks.training: needs the ids of the examples: set input.columns.example"},
		{"checks: {fail: [overlap]}\n", rows, "checks.fail[0]: overlap: set checks.training.files to the files of the training data"},
		{"checks: {training: {files: " + train + ", columns: {example: kee}}}\n", rows, "kee"},
		{"checks: {training: {files: " + train + ".parquet, columns: {example: key}}}\n", rows, "checks.training: "},
	} {
		require.ErrorContains(t, refused(t, columns+c.yaml, c.files...), c.want)
	}
	r := readReport(t, evaluate(t, parse(t, columns+"checks: {off: [overlap], training: {files: "+train+"}}\n", rows...)))
	require.Nil(t, checkNamed(r, "overlap"), "and the files are not read")
}

// TestIDsOfAllFiles: ids that are text in one of several other files make those of all CSV files text.
func TestIDsOfAllFiles(t *testing.T) {
	t.Parallel()
	predictions, truth, baseline := "id,score\n", "id,label\n", "id,score\n"
	for i := range 60 {
		predictions += fmt.Sprintf("%d,%v\n", i, float64((i*37)%61)/61)
		truth += fmt.Sprintf("%d,%d\n", i, i%2)
		baseline += fmt.Sprintf("%d,%v\n", i, float64((i*31)%61)/61)
	}
	files := namedTexts(t, [2]string{"p.csv", predictions}, [2]string{"t.csv", truth}, [2]string{"b.csv", baseline + "x,0.5\n"})
	yaml := "truth: {files: other}\ninput: {baseline_predictions: {files: " + files[2] + "}}\n"
	require.Equal(t, int64(60), readReport(t, evaluate(t, parse(t, yaml, files[:2]...))).Examples)
}
