package pipeline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/transforms"
)

// TestLateLabels: what is merged from the report of a day and reports of the labels that came later is the report of the
// day with all labels.
func TestLateLabels(t *testing.T) {
	t.Parallel()
	const n = 240
	first := func(i int) bool { return i*i%7 != 2 } // whether the label is there at first
	second := func(i int) bool { return !first(i) && i%3 > 0 }
	for name, yaml := range map[string]string{
		"plain": "", "slices and intervals": "slices: [country]\nconfidence: {}\n", "clusters": "confidence: {by: shop}\n",
	} {
		for _, curves := range []string{"bounded", "exact"} {
			if name == "clusters" && curves == "exact" { // clusters of the last part have one row each, and are kept apart without exact curves alone
				continue
			}
			t.Run(name+", "+curves, func(t *testing.T) {
				t.Parallel()
				of := func(there, labelled func(i int) bool) string {
					text := "id,label,score,country,shop\n"
					for i := range n {
						label := fmt.Sprint(i * i % 5 % 2)
						if !labelled(i) {
							label = ""
						}
						if there(i) {
							text += fmt.Sprintf("%d,%s,%.3f,%s,s%d\n", i, label, float64(i*37%101)/101, []string{"de", "fr"}[i%2], i%20)
						}
					}
					return evaluateOn(t, parse(t, "task: binary\nbad_rows: skip\nmax_skipped: 500\ncurves: {mode: "+curves+"}\noutput: {statistics: {ids: true, curves: "+curves+"}}\n"+yaml, namedTexts(t, [2]string{"data.csv", text})...), "direct", 0)
				}
				all := func(int) bool { return true }
				third := func(i int) bool { return !first(i) && !second(i) }
				day, late, last := of(all, first), of(second, all), of(third, all)
				got, _ := mergeOf(t, transforms.PartsOptions{}, day, late)
				requireSameReport(t, of(all, func(i int) bool { return first(i) || second(i) }), got)
				got, _ = mergeOf(t, transforms.PartsOptions{}, last, got)
				requireSameReport(t, of(all, all), got)
				got, _ = mergeOf(t, transforms.PartsOptions{}, late, last, day)
				requireSameReport(t, of(all, all), got)
				again := of(all, second) // which skips what the day has evaluated
				got, _ = mergeOf(t, transforms.PartsOptions{}, again, day)
				requireSameReport(t, of(all, func(i int) bool { return first(i) || second(i) }), got)

				_, err := transforms.OpenParts(t.Context(), []string{day, of(all, all)}, transforms.PartsOptions{})
				count := 0
				for i := range n {
					if first(i) {
						count++
					}
				}
				require.ErrorContains(t, err, fmt.Sprintf("%d examples are in %s", count, day))
				require.ErrorContains(t, err, "they would count twice; leave one of the reports out")
			})
		}
	}
}

// TestLateTruth: the same for labels in other files.
func TestLateTruth(t *testing.T) {
	t.Parallel()
	of := func(labelled func(i int) bool) string {
		predictions, truth := "id,score\n", "id,label\n"
		for i := range 200 {
			predictions += fmt.Sprintf("%d,%.3f\n", i, float64(i*37%101)/101)
			if labelled(i) {
				truth += fmt.Sprintf("%d,%d\n", i, i*i%5%2)
			}
		}
		return evaluateOn(t, parse(t, "task: binary\ncurves: {mode: bounded}\nmax_skipped: 500\ntruth: {files: [t], missing: skip}\noutput: {statistics: {ids: true}}\n", namedTexts(t, [2]string{"p.csv", predictions}, [2]string{"t.csv", truth})...), "direct", 0)
	}
	odd := func(i int) bool { return i*i%7%2 == 1 }
	got, _ := mergeOf(t, transforms.PartsOptions{}, of(odd), of(func(i int) bool { return !odd(i) }))
	requireSameReport(t, of(func(int) bool { return true }), got)
}

// TestIDsAreRefused: where there are no ids to keep.
func TestIDsAreRefused(t *testing.T) {
	t.Parallel()
	requireRefused(t, parse(t, "task: binary\noutput: {statistics: {ids: true}}\n", namedTexts(t, [2]string{"data.csv", "label,score\n0,0.2\n1,0.7\n0,0.4\n"})...), "output.statistics: there are no ids to keep: set input.columns.example, or leave statistics.ids out")
	requireRefused(t, parse(t, "task: binary\nunlabelled: estimate\noutput: {statistics: {ids: true}}\n", namedTexts(t, [2]string{"data.csv", "id,label,score\n1,0,0.2\n2,1,0.7\n3,,0.4\n"})...), "output.statistics: ids are not kept together with estimates for rows without a label")
}
