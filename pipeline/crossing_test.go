package pipeline

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestForecastsAlone: forecasts of quantiles, an interval or an ensemble need no prediction. Metrics that need one are
// left out, and all others have the values that they have beside a prediction.
func TestForecastsAlone(t *testing.T) {
	t.Parallel()
	const csv = "y,lo,hi,p\n1,0.5,2,1.5\n3,0,2,1\n2,2,4,3\n5,1,6,2\n"
	file := namedTexts(t, [2]string{"f.csv", csv})
	members := namedTexts(t, [2]string{"m.jsonl", `{"y":1,"m":[0.5,2],"p":1.5}` + "\n" + `{"y":3,"m":[0,2],"p":1}` + "\n"})
	for yaml, c := range map[string]struct {
		files  []string
		metric string
		want   float64
	}{
		"lower: lo, upper: hi}, interval_level: 80%": {file, "interval_coverage@0.8", 0.75},
		"quantiles: {0.1: lo, 0.9: hi}}":             {file, "interval_width@0.8", 2.625},
		"quantiles: {0.25: lo}}":                     {file, "quantile_loss@0.25", (0.125 + 0.75 + 0 + 1) / 4},
		"ensemble: m}":                               {members, "crps", ((0.5+1)/2 - 1.5/4 + (3+1)/2.0 - 2/4.0) / 2},
	} {
		t.Run(yaml, func(t *testing.T) {
			t.Parallel()
			alone := readReport(t, evaluate(t, parse(t, "input: {columns: {label: y, "+yaml+"}\nslices: p\nconfidence: {groups: 10}\n", c.files...)))
			got, all := overallValues(alone), overallValues(readReport(t, evaluate(t, parse(t, "input: {columns: {label: y, prediction: p, "+yaml+"}\nslices: p\n", c.files...))))
			require.InDelta(t, c.want, got[c.metric], 1e-15)
			require.NotContains(t, got, "mae")
			require.NotContains(t, got, "median_absolute_error")
			require.Contains(t, all, "mae")
			maps.DeleteFunc(all, func(name string, _ float64) bool { _, has := got[name]; return !has })
			require.Equal(t, all, got)
		})
	}
}

// TestForecastsOfTheSameColumns: quantiles may be the members of an ensemble as well, and lists that begin and
// end with the same columns are different ones.
func TestForecastsOfTheSameColumns(t *testing.T) {
	t.Parallel()
	file := namedTexts(t, [2]string{"f.csv", "y,a,b,c,x\n1,0,1,2,1.5\n4,2,3,9,2.5\n5,3,4,6,5\n"})
	values := func(columns string) map[string]float64 {
		return overallValues(readReport(t, evaluate(t, parse(t, "input: {columns: {label: y, prediction: b, "+columns+"}}\n", file...))))
	}
	const quantiles = "quantiles: {0.1: a, 0.5: b, 0.9: c}"
	of := values(quantiles)
	for _, members := range []string{"[a, b, c]", "[a, x, c]", "[a, x, b, c]", "[c, b, a]"} {
		want := maps.Clone(of)
		maps.Copy(want, values("ensemble: "+members))
		require.Equal(t, want, values(quantiles+", ensemble: "+members), members)
	}
}

// TestCrossing: rows whose quantiles cross are bad, or are sorted or kept and counted in a warning.
func TestCrossing(t *testing.T) {
	t.Parallel()
	const header, ordered = "y,a,b,c\n", "1,0,1,2\n4,2,3,9\n"
	crossed := namedTexts(t, [2]string{"f.csv", header + ordered + "5,6,3,4\n2,1,3,2\n"})
	byHand := namedTexts(t, [2]string{"f.csv", header + ordered + "5,3,4,6\n2,1,2,3\n"})
	const columns = "input: {columns: {label: y, quantiles: {0.1: a, 0.5: b, 0.9: c}}"
	require.ErrorContains(t, refused(t, columns+"}\n", crossed...), `column "b": 3 below 6: expected forecasts of higher quantiles, or upper bounds, that are not below those of lower ones, or set input.crossing to sort or keep`)

	sorted := readReport(t, evaluate(t, parse(t, columns+", crossing: sort}\n", crossed...)))
	require.Equal(t, overallValues(readReport(t, evaluate(t, parse(t, columns+"}\n", byHand...)))), overallValues(sorted), "the median, too, is the sorted one")
	require.Contains(t, sorted.Warnings(), "in 2 rows, forecasts of quantiles cross: they were sorted")

	kept := readReport(t, evaluate(t, parse(t, columns+", crossing: keep}\nconfidence: {groups: 10}\n", crossed...)))
	values := overallValues(kept)
	require.Equal(t, (2.0+7-2+1)/4, values["interval_width@0.8"])
	require.Equal(t, (0.0+1+2+1)/4, values["mae"], "of b as it is")
	require.True(t, slices.Contains(kept.Warnings(), "in 2 rows, forecasts of quantiles cross: they were kept, so that widths of intervals may be negative"), kept.Warnings())

	none := readReport(t, evaluate(t, parse(t, columns+", crossing: sort}\n", byHand...)))
	require.Empty(t, none.Warnings())
}
