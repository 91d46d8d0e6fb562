package transforms

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// TestHistograms: the histograms of all examples, and of them alone, are there however the examples
// are divided, in groups or not.
func TestHistograms(t *testing.T) {
	s := scenarioNamed(t, "regression")
	s.spec.Histograms = true
	rows := drawExamples(6000) // more than there are cells
	histograms := func(spec Spec, all folded) (list []report.Histogram) {
		vocab := input.NumberedLabels(1)
		out := &evaluable{spec: settled{asSettled(spec).With(&vocab)}, vocab: &vocab}
		for key, data := range all {
			p := mustDecode(t, data)
			if of := out.histograms(p.Stats); key == shuffle.Overall {
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
	grouped.spec.Confidence = &Confidence{Folds: 10}
	settled, err := settle(grouped.spec, true)
	require.NoError(t, err)
	grouped.spec = settled.Spec
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

// scoreHistogramsOf returns the score histograms of all slices, and checks that the folds' weights
// add up.
func scoreHistogramsOf(t *testing.T, spec Spec, all folded) map[string][]report.ScoreHistogram {
	vocab := asSettled(spec).Labels
	out := &evaluable{spec: settled{asSettled(spec).With(&vocab)}, vocab: &vocab}
	lists := make(map[string][]report.ScoreHistogram)
	for key, data := range all {
		p := mustDecode(t, data)
		joinFolds(&p)
		list := out.scoreHistograms(nil, &p, 0)
		for i := range list {
			for j := range list[i].Bins {
				b := &list[i].Bins[j]
				if math.IsNaN(b.From) {
					b.From, b.To = -1, -1 // NaN equals nothing
				}
				if spec.Confidence == nil {
					require.Empty(t, list[i].Folds)
					continue
				}
				folds := list[i].FoldsOf(j)
				require.Len(t, folds, spec.Confidence.Folds)
				require.InDelta(t, b.Weight, totalOf(folds), 1e-9*b.Weight)
			}
		}
		lists[sliceName(t, key)] = list
	}
	return lists
}

func totalOf(of []float64) (total float64) {
	for _, x := range of {
		total += x
	}
	return total
}

// TestScoreHistograms: score histograms do not depend on how examples are divided into bundles and
// groups, and the histograms of all values of a column add up to the overall slice's.
func TestScoreHistograms(t *testing.T) {
	for _, s := range scenarios(t) {
		t.Run(s.name, func(t *testing.T) {
			if !asSettled(s.spec).labelled() {
				t.Skip("the labels are found before the fold")
			}
			s.spec.Params.ScoreHistograms = true
			rows := drawExamples(400)
			whole, _ := evaluatedBundles(t, s, rows)
			want := scoreHistogramsOf(t, s.spec, whole)
			require.NotEmpty(t, want["overall"])
			parts, _ := evaluatedBundles(t, s, divided(rows, 5)...)
			require.Equal(t, want, scoreHistogramsOf(t, s.spec, parts))

			grouped := s
			grouped.spec.Confidence = &Confidence{Folds: 10}
			settled, err := settle(grouped.spec, true)
			require.NoError(t, err)
			grouped.spec = settled.Spec
			inTen, _ := evaluatedBundles(t, grouped, divided(rows, 3)...)
			of := scoreHistogramsOf(t, grouped.spec, inTen)
			for _, list := range of {
				for i := range list {
					list[i].Folds = want["overall"][0].Folds
				}
			}
			require.Equal(t, want, of)
		})
	}
}

// TestFirstSlicesHaveScoreHistograms: if slices, labels and groups are too many.
func TestFirstSlicesHaveScoreHistograms(t *testing.T) {
	s := scenarioNamed(t, "multilabel") // of four labels
	s.spec.Params.ScoreHistograms, s.spec.Confidence = true, &Confidence{Folds: 10}
	complete, err := settle(s.spec, true)
	require.NoError(t, err)
	s.spec = complete.Spec
	all, _ := evaluatedBundles(t, s, drawExamples(30))
	p := mustDecode(t, all[shuffle.Overall])
	joinFolds(&p)
	vocab := asSettled(s.spec).Labels
	out := &evaluable{spec: settled{asSettled(s.spec).With(&vocab)}, vocab: &vocab}
	groups := func(place int) int {
		list := out.scoreHistograms(nil, &p, place)
		if len(list) == 0 {
			return -1
		}
		return len(list[0].FoldsOf(0))
	}
	n := vocab.Len()
	for place, want := range map[int]int{0: 10, mostHistograms/10/n - 1: 10, mostHistograms / 10 / n: 0, mostHistograms/n - 1: 0, mostHistograms / n: -1} {
		require.Equal(t, want, groups(place), place)
	}
}
