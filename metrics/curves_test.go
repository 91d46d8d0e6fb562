package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/metrics/curves"
	"github.com/beameval/beameval/metrics/scoreruns"
)

// curveParams are Params of all metrics of curves that the examples allow.
func curveParams(t testing.TB, p Params) *Params {
	t.Helper()
	p.Bins = max(p.Bins, 5)
	for _, name := range p.everyName(DefaultArguments()) {
		list, err := find(p.Task, name, nil)
		require.NoError(t, err)
		if k := p.kindOf(list[0]); k == kindLabelCurves || k == kindLabelHistograms {
			p.Metrics = append(p.Metrics, name)
		}
	}
	require.NotEmpty(t, p.Metrics)
	return &p
}

// classTags are the tags of runs, one for each class, of one slice.
func (p *Params) classTags() []scoreruns.Tag {
	tags := make([]scoreruns.Tag, p.CurveClasses())
	for class := range tags {
		tags[class] = scoreruns.Tag{Class: int32(class), Slices: []int32{0}}
	}
	return tags
}

// scoreOf returns the score of a label for a row, and the class of the row.
func scoreOf(p *Params, b *Batch, r int32, label int) (float64, uint32) {
	at := int(r)*b.Labels + label
	is := map[bool]uint32{true: 1}
	switch {
	case p.Task == Regression:
		return math.Abs(b.Target[r] - b.Estimate[r]), 1
	case label == TopClass:
		return b.Confidence[r], is[b.Correct[r]]
	case label == CostLabel:
		return b.Score[r], uint32(b.Class[r])
	case p.Task == Multilabel:
		return b.Score[at], is[b.Truth[at]]
	}
	if p.Task == Multiclass && !p.ComparesClasses() {
		return b.CurveScores(p.Task)[at], is[int(b.Class[r]) == label]
	}
	return b.CurveScores(p.Task)[at], uint32(b.Class[r])
}

// curveRange is a range of the scores of a label: its runs, and what they total.
type curveRange struct {
	runs   []scoreruns.Run
	totals scoreruns.Totals
}

// rangesOf divides the scores of a label, or of all labels pooled, into so many ranges,
// highest scores first, or a few less. A range has a run for each list of rows.
func rangesOf(t testing.TB, p *Params, b *Batch, label int, lists [][]int32, n int) []curveRange {
	t.Helper()
	labels := []int{label}
	if label == PooledLabel {
		labels = firstLabels(p.scored())
	}
	if label == CostLabel {
		costs := *b
		costs.Weight, b = b.CostWeights(nil), &costs
	}
	var knots []scoreruns.Knot
	for _, of := range labels {
		for r := range b.Rows {
			score, _ := scoreOf(p, b, int32(r), of)
			knots = append(knots, scoreruns.Knot{Image: scoreruns.Image(score), Entries: 1})
		}
	}
	divider := scoreruns.NewDivider(scoreruns.Bounds(knots, n))
	ranges := make([]curveRange, divider.Ranges())
	same := make([]uint32, p.CurveClasses())
	for class := range same {
		same[class] = uint32(class)
	}
	for _, rows := range lists {
		builders := make([]scoreruns.Builder, len(ranges))
		for _, of := range labels {
			for _, r := range rows {
				score, class := scoreOf(p, b, r, of)
				image := scoreruns.Image(score)
				at := divider.Range(image)
				builders[at].Add(image, uint32(p.LabelNumber(of)), class, b.weight(r))
				positive := 1
				if of != TopClass && p.ComparesClasses() {
					positive = of
				}
				if class == uint32(positive) {
					ranges[at].totals.Positive.Add(b.weight(r))
				} else {
					ranges[at].totals.Negative.Add(b.weight(r))
				}
			}
		}
		for at := range builders {
			ranges[at].runs = append(ranges[at].runs, scoreruns.Run{Data: builders[at].AppendRun(nil), Tags: same})
		}
	}
	return ranges
}

// collectedRanges traces the curves of a batch: a run for each list of rows, and so
// many ranges. It returns a Partial of each range of each label.
func collectedRanges(t testing.TB, p *Params, b *Batch, lists [][]int32, ranges int) (parts []*Partial) {
	t.Helper()
	var s curves.Tracer // keeps its memory
	var collector Collector
	plan, err := p.CurvePlan()
	require.NoError(t, err)
	for _, label := range p.CurveLabels() {
		list := rangesOf(t, p, b, label, lists, ranges)
		var before, all scoreruns.Totals
		var sum Partial // of the ranges so far: every other range knows their best points
		for i := range list {
			all.Merge(&list[i].totals)
		}
		for i := range list {
			s.Tags, s.Totals = p.classTags(), make([]scoreruns.Totals, 1)
			s.Totals[0].Merge(&before)
			var known []curves.Bests
			if i%2 == 1 {
				known = []curves.Bests{plan.Bests(label, &sum)}
			}
			require.NoError(t, collector.Collect(plan, label, &s, []scoreruns.Totals{all}, known, sorted(t, p, list[i].runs)))
			for curve := range collector.Traced() {
				parts = append(parts, new(Partial))
				collector.AddTo(parts[len(parts)-1], curve)
				collector.AddTo(&sum, curve)
			}
			before.Merge(&list[i].totals)
			require.Equal(t, before.Append(nil), s.Totals[0].Append(nil), "a trace goes on in its totals")
		}
	}
	return parts
}

func sorted(t testing.TB, p *Params, list []scoreruns.Run) *scoreruns.Sorted {
	t.Helper()
	var s scoreruns.Sorter
	s.Start(0, max(p.Labels, 1)+1, p.CurveClasses(), scoreruns.Everything)
	for _, run := range list {
		require.NoError(t, s.Add(run))
	}
	return s.Sort()
}

// traced folds a batch and traces its curves, divided at random.
func collected(t testing.TB, r *rand.Rand, p *Params, b *Batch) *Partial {
	t.Helper()
	lists := parts(r, b.Rows, 1+r.IntN(4))
	list := append(collectedRanges(t, p, b, lists, 1+r.IntN(6)), folded(t, p, b))
	return mergedParts(t, r, list)
}

// mergedParts merges partials in random order, some of them through their bytes.
func mergedParts(t testing.TB, r *rand.Rand, list []*Partial) *Partial {
	t.Helper()
	list = slices.Clone(list)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	total := new(Partial)
	for _, partial := range list {
		if r.IntN(2) == 0 {
			back, err := DecodePartial(partial.Append(nil))
			require.NoError(t, err)
			partial = back
		}
		total.Merge(partial)
	}
	return total
}

// curveWeighings have sums that float64 holds, so that naive sums are exact and
// equally good thresholds equal.
var curveWeighings = []func(*rand.Rand) float64{
	nil,
	func(r *rand.Rand) float64 { return pick(r, 0, 0.25, 1, 1, 2.5) },
	func(r *rand.Rand) float64 { return float64(1+r.IntN(64)) / 16 },
}

// curveBatch returns n rows with or without ties, weights, and labels that are
// always or never true.
func curveBatch(r *rand.Rand, p *Params, n int) *Batch {
	b := &Batch{Rows: n, Labels: max(p.scored(), 1)}
	if weigh := pick(r, curveWeighings...); weigh != nil {
		b.Weight = fill(n, func() float64 { return weigh(r) })
	}
	levels := pick(r, 1, 3, 10, 1<<40)
	level := func() float64 { return float64(r.IntN(levels+1)) / float64(levels) }
	if p.Task == Regression {
		b.Target, b.Estimate = fill(n, level), fill(n, level)
		return b
	}
	common := make([]float64, b.Labels) // how common labels are
	for label := range common {
		common[label] = pick(r, 0, 0.1, 0.5, 0.5, 0.9, 1)
	}
	lists := make([][]int32, n)
	b.Class = make([]int32, n)
	for row := range lists {
		for label := range b.Labels {
			if r.Float64() < common[label] {
				lists[row] = append(lists[row], int32(label))
				b.Class[row] = int32(label)
			}
		}
		if p.Task == Binary && len(lists[row]) > 0 {
			b.Class[row] = 1
		}
	}
	if p.Task == Multilabel {
		b.Class, b.True = nil, setsOf(lists)
	}
	switch p.ScoreType {
	case Logit:
		b.Logit = fill(n*b.Labels, func() float64 { return 8 * (level() - 0.5) })
	case RawScore:
		b.Score = fill(n*b.Labels, func() float64 { return 1e6 * (level() - 0.25) })
	default:
		b.Probability = fill(n*b.Labels, level)
	}
	return finish(b, p.Task)
}
