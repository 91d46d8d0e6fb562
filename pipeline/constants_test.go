package pipeline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/slice"
)

// typedRow has a value of each type to slice by, and a positive label of each.
type typedRow struct {
	Score float64 `parquet:"score"`
	Int   int64   `parquet:"int"`
	Float float64 `parquet:"float"`
	Bool  bool    `parquet:"bool"`
	Text  string  `parquet:"text"`
}

func typedRows() (rows []typedRow) {
	for i := range 120 {
		one := i % 2
		rows = append(rows, typedRow{[]float64{0.2, 0.9, 0.6}[i%3], int64(one), float64(one), one == 1, fmt.Sprint(one)})
	}
	return rows
}

// TestConstantsInEverySpelling: positive labels, values of slices, gates and references match a
// column's value if they are equal in the column's type, however they are written.
func TestConstantsInEverySpelling(t *testing.T) {
	data := write(t, typedRows(), 2, 3)
	for _, c := range []struct {
		column       string
		value        slice.Value
		same, others []string
	}{
		{"int", slice.Int(1), []string{"1", "1.0", `"1"`, `"1.0"`, "1e0", "+1"}, []string{"1.5", "true", "one"}},
		{"float", slice.Float(1), []string{"1", "1.0", `"1"`, `"1.00"`, "1e0"}, []string{"1.5", "true", `" 1"`}},
		{"bool", slice.Bool(true), []string{"true", "True", `"true"`, "TRUE"}, []string{"1", "yes", "1.0"}},
		{"text", slice.String("1"), []string{"1", `"1"`}, []string{"1.0", "true", `"01"`}},
	} {
		yaml := func(written string) string {
			return fmt.Sprintf("task: binary\ninput: {columns: {label: %s, score: score}}\npositive_label: %s\nmetrics: [recall, precision]\nchecks: {off: [few_distinct_scores]}\nslices: [{%[1]s: [%[2]s]}]\n"+
				"gates: [{metric: precision, slice: {%[1]s: %[2]s}, min: 0}]\ngroups: {by: %[1]s, reference: %[2]s, metrics: [precision]}\n", c.column, written)
		}
		want := ""
		for _, written := range c.same {
			dir := evaluate(t, parse(t, yaml(written), data))
			r := readReport(t, dir)
			values := valuesOf(r)
			require.Equal(t, 2.0/3, values[rowKey{"{}", "recall", ""}].Value, "%s: %s", c.column, written)
			require.Empty(t, r.Warnings(), "%s: %s", c.column, written)
			require.Equal(t, report.Pass, r.Gates[0].Verdict, "%s: %s", c.column, written)
			got := ""
			for _, row := range r.Metrics {
				if len(row.Slice) > 0 && row.Slice[0].Value == c.value {
					got += fmt.Sprintln(row.Name, row.Slice, row.Value, row.Support)
				}
			}
			require.NotEmpty(t, got, "%s: %s", c.column, written)
			if want == "" {
				want = got
			}
			require.Equal(t, want, got, "%s: %s", c.column, written)
		}
		for _, written := range c.others {
			cfg := parse(t, yaml(written), data)
			cfg.Output.Dir = t.TempDir() + "/report"
			plan, err := Make(t.Context(), cfg)
			if err == nil {
				err = execute(t.Context(), plan, "direct")
			}
			require.ErrorContains(t, err, "no row is positive", "%s: %s", c.column, written)
		}
	}
}
