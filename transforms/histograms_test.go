package transforms

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/element"
)

// TestHistograms: the histograms of all examples, and of them alone, are there however the examples
// are divided, in groups or not.
func TestHistograms(t *testing.T) {
	s := scenarioNamed(t, "regression")
	s.spec.Histograms = true
	rows := drawExamples(6000) // more than there are cells
	histograms := func(spec Spec, all folded) (list []report.Histogram) {
		vocab := input.NumberedLabels(1)
		out := &evaluable{spec: spec.with(&vocab), vocab: &vocab}
		for key, data := range all {
			p := mustDecode(t, data)
			if of := out.histograms(p.Stats); key == element.Overall {
				list = of
			} else {
				require.Empty(t, of, sliceName(t, key))
			}
		}
		return list
	}
	whole, _ := evaluatedBundles(t, s, rows)
	want := histograms(s.spec, whole)
	require.Len(t, want, 2)
	for _, h := range want {
		count, weight := int64(0), 0.0
		for _, b := range h.Bins {
			count += b.Count
			weight += b.Weight
		}
		all, total := int64(0), 0.0
		for _, e := range rows {
			if e.Weight > 0 {
				all++
				total += e.Weight
			}
		}
		require.Equal(t, all, count, h.Name)
		require.InEpsilon(t, total, weight, 1e-12, h.Name)
		require.Greater(t, len(h.Bins), 200)
	}
	parts, _ := evaluatedBundles(t, s, divided(rows, 5)...)
	require.Equal(t, encodedHistograms(want), encodedHistograms(histograms(s.spec, parts)))

	grouped := s
	grouped.spec.Confidence = &Confidence{Groups: 10}
	var err error
	grouped.spec, err = grouped.spec.settled(true)
	require.NoError(t, err)
	inTen, _ := evaluatedBundles(t, grouped, divided(rows, 3)...)
	require.Equal(t, encodedHistograms(want), encodedHistograms(histograms(grouped.spec, inTen)))

	s.spec.Histograms = false
	none, _ := evaluatedBundles(t, s, rows[:100])
	require.Empty(t, histograms(s.spec, none))
}

// encodedHistograms makes NaN equal itself.
func encodedHistograms(list []report.Histogram) (texts []string) {
	for _, h := range list {
		for _, b := range h.Bins {
			texts = append(texts, h.Name+" "+rowText(report.Row{Name: h.Name, Value: b.From, Support: b.Count,
				Replicates: []float64{b.To, b.YFrom, b.YTo, b.Weight}}))
		}
	}
	return texts
}
