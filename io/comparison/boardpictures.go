package comparison

import (
	"slices"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/io/report/picture"
)

// pictures returns, for the page, a diagram of critical differences for each test over data sets, the first of them apart, and
// a forest plot of the differences from the reference for each headline metric. With several data sets, only the first metric
// has forest plots.
func (v *view) pictures(data []string) (first, others []document.Picture) {
	g := &document.Gallery{Task: v.Task}
	if v.of != document.Page {
		return nil, nil
	}
	for i := range v.DataSets {
		v.diagram(g, &v.DataSets[i])
	}
	metrics := v.Headline
	if len(data) > 1 {
		metrics = metrics[:min(len(metrics), 1)]
	}
	for _, name := range data[:min(len(data), pageDataSets)] {
		board := v.board(name)
		for _, metric := range metrics {
			v.forest(g, name, metric, board)
		}
	}
	if len(v.DataSets) > 0 && v.DataSets[0].Reason == "" {
		return g.List[:1:1], g.List[1:]
	}
	return nil, g.List
}

// forest draws the differences of all systems from the reference by a metric.
func (v *view) forest(g *document.Gallery, data, metric string, board []*boardRow) {
	var shown []*Difference
	for _, row := range board {
		if r := row.Items[metric]; r != nil {
			if d := v.difference(r); d != nil && floats.Finite(d.Difference) {
				shown = append(shown, d)
			}
		}
	}
	if len(shown) == 0 {
		return
	}
	name := quote.Visible(metric)
	dots := collections.Map(shown, func(d *Difference) picture.Dot { return dotOf(&d.Change, document.OneLine(d.SystemB)) })
	addDots(g, onData("Differences: "+name, data), "each system is above "+document.Brief(v.Reference), "", name+" − that of "+short(v.Reference), dots, document.TableOf(shown,
		document.Text("system", func(d *Difference) string { return short(d.SystemB) }),
		document.Numbers("value", func(d *Difference) string { return document.Number(d.B) }),
		document.Numbers("difference", func(d *Difference) string { return document.Signed(d.Difference, document.Number(d.Difference)) }),
		document.Numbers("low", func(d *Difference) string { return document.Number(d.Low) }),
		document.Numbers("high", func(d *Difference) string { return document.Number(d.High) }),
		document.Numbers("p", func(d *Difference) string { return document.PValue(d.PAdjusted) }),
		document.Numbers("paired t", func(d *Difference) string { return document.PValue(d.PPairedT) }).Optional(),
		document.Numbers("randomization", func(d *Difference) string { return document.PValue(d.PRandomization) }).Optional(),
		document.Text("verdict", func(d *Difference) string { return string(d.Verdict) }),
		document.Text("reason", func(d *Difference) string { return document.OneLine(d.Reason) }).Optional()))
}

// diagram draws mean ranks and the critical difference (Demšar 2006).
func (v *view) diagram(g *document.Gallery, t *DataSetsTest) {
	if t.Reason != "" {
		return
	}
	ranks := slices.Clone(t.MeanRanks)
	slices.SortStableFunc(ranks, func(a, b MeanRank) int { return floats.CompareLast(a.Mean, b.Mean) })
	about := g.About("Mean ranks: "+quote.Visible(t.Metric), "The mean rank of each system over the data sets, the best on the left. A bar connects systems whose mean ranks differ by less than the critical difference.")
	about.Note = t.sentence()
	numbers := document.TableOf(ranks,
		document.Text("system", func(m MeanRank) string { return short(m.System) }),
		document.Numbers("mean rank", func(m MeanRank) string { return document.Fixed(m.Mean, 2) }))
	chart := picture.Ranks{About: about, CriticalDifference: t.CriticalDifference}
	for i, m := range ranks {
		chart.Systems = append(chart.Systems, picture.RankedSystem{Name: document.OneLine(m.System), Rank: m.Mean, Tip: numbers.Tip(i)})
	}
	g.Add(&chart, numbers)
}
