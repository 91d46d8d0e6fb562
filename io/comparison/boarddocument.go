package comparison

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// The limits of documents of leaderboards.
const (
	systemWidth    = 24
	screenSystems  = 8
	screenMetrics  = 3
	screenDataSets = 1
	screenWarnings = 2
	gridMetrics    = 3 // that have a grid of slices and of labels
	pageDataSets   = 20

	mostSignificant = 100 // differences
)

// view is what people read of a leaderboard.
type view struct {
	*Leaderboard
	of document.Output
}

// document returns the document of l for an output. A screen has about 30 lines.
func (l *Leaderboard) document(of document.Output) *document.Document {
	v := &view{l, of}
	data, tally := l.dataSets(), v.tally()
	title := fmt.Sprintf("Comparison: %s, %d systems", quote.Visible(l.Task), len(l.names()))
	d := &document.Document{Output: of, Title: title, Notes: []string{v.how(), tally}}
	if of == document.Page {
		d.About = v.about(data)
	}
	lead := strings.Replace(title, "Comparison: ", "", 1) + " compared with " + short(l.Reference)
	if len(data) > 1 {
		lead += fmt.Sprintf(", on %d data sets", len(data))
	}
	d.Add(document.Section{In: document.OnScreen, Plain: lead, Notes: []string{tally}})
	d.AddGates(l.GateResults())
	v.addWarnings(d)
	shown := data
	if of == document.OnScreen {
		shown = data[:min(len(data), screenDataSets)]
	}
	diagram, charts := v.pictures(data)
	v.addDataSets(d, data, diagram)
	for _, name := range shown[:min(len(shown), pageDataSets)] {
		v.addBoard(d, name)
	}
	if of != document.OnScreen {
		v.addGrids(d, data)
	}
	if of == document.Page {
		d.Add(document.Section{In: document.Page, Title: "Charts", Pictures: charts})
	}
	v.addSignificant(d)
	v.addReports(d, data)
	d.Foot = []string{JSON + " has all results with all digits, and where the reports are; " + LeaderboardCSV + " has the ranks and " + CSV + " the differences as tables."}
	return d
}

// short shortens the name of a system for people.
func short(name string) string { return document.Cut(document.OneLine(name), systemWidth) }

// about lists the systems or, on several data sets, where each has a report, the systems and the data sets apart.
func (v *view) about(data []string) (facts []document.Fact) {
	if len(data) > 1 {
		names := func(list []string) string {
			text := strings.Join(collections.Map(list[:min(len(list), pageDataSets)], document.Brief), ", ")
			if more := len(list) - pageDataSets; more > 0 {
				text += fmt.Sprintf(" and %d more", more)
			}
			return text
		}
		return []document.Fact{{Name: "Systems", Text: names(v.names())}, {Name: "Reference", Text: document.Brief(v.Reference)}, {Name: "Data sets", Text: names(data)}}
	}
	for i := range v.Systems {
		s := &v.Systems[i]
		text := document.Grouped(s.Examples) + " " + examplesOf(v.Task)
		if strings.HasSuffix(s.Path, s.Name) { // otherwise its model is the name, and the place may be gone by now
			text = document.Brief(s.Path) + ", " + text
		}
		if s.Name == v.Reference {
			text += ", the reference"
		}
		if s.Pairing == Unpaired {
			text += ", unpaired"
		}
		facts = append(facts, document.Fact{Name: short(in(s.Name, s.Data)), Text: text})
	}
	return facts
}

// addReports adds where the reports on several data sets are.
func (v *view) addReports(d *document.Document, data []string) {
	if len(data) < 2 {
		return
	}
	kept, first := document.First(v.Systems, document.MostGridRows, "; "+JSON+" has all")
	d.Add(document.Section{In: document.Page, Title: "Reports", Folded: document.Plural(int64(len(v.Systems)), "report"), Notes: []string{first},
		Table: document.TableOf(kept,
			document.Text("system", func(s System) string { return document.Brief(s.Name) }),
			document.Text("data set", func(s System) string { return document.Brief(s.Data) }),
			document.Numbers(examplesOf(v.Task), func(s System) string { return document.Grouped(s.Examples) }),
			document.Text("compared", func(s System) string { return string(s.Pairing) }).Optional(),
			document.Text("report", func(s System) string { return document.Brief(s.Path) }))})
}

// how says how differences are tested and ranks are made.
func (v *view) how() string {
	unpaired := 0
	for i := range v.Systems {
		if v.Systems[i].Pairing == Unpaired {
			unpaired++
		}
	}
	text := "Differences from " + document.Brief(v.Reference) + " are paired: all systems have the same " + examplesOf(v.Task) + ", in the same groups."
	if unpaired > 0 {
		text = fmt.Sprintf("Differences from %s are unpaired for %s, which have other %s or groups.", document.Brief(v.Reference), document.Plural(int64(unpaired), "report"), examplesOf(v.Task))
	}
	level := strconv.FormatFloat(1-v.Level, 'g', 4, 64)
	return text + fmt.Sprintf(" Rank 1–3: no system is significantly better (p ≤ %s, %s over all pairs), and two others are not distinguishable.", level, adjustments[v.Adjust])
}

// tally says how many differences have each verdict.
func (v *view) tally() string {
	counts := map[Verdict]int64{}
	for _, d := range v.Differences.All() {
		counts[d.Verdict]++
	}
	return tallyOf(v.Differences.Len, func(verdict Verdict) int64 { return counts[verdict] }) + "."
}

// addWarnings adds the warnings; a screen has few of them.
func (v *view) addWarnings(d *document.Document) {
	list := v.Warnings
	if n := len(list) - screenWarnings; v.of == document.OnScreen && n > 0 {
		list = append(slices.Clone(list[:screenWarnings]), fmt.Sprintf("%s in %s", document.Plural(int64(n), "more warning"), Markdown))
	}
	d.AddWarnings(list)
}

// addBoard adds the table of the systems and headline metrics on a data set.
func (v *view) addBoard(d *document.Document, data string) {
	metrics, rows := v.Headline, v.board(data)
	s := document.Section{In: document.OnScreen | document.Markdown | document.Page, Title: onData("Leaderboard", data)}
	if v.of == document.OnScreen {
		metrics = metrics[:min(len(metrics), screenMetrics)]
		if n := len(rows); n > screenSystems {
			rows = rows[:screenSystems]
			s.Notes = append(s.Notes, fmt.Sprintf("… and %d more systems, in %s", n-screenSystems, LeaderboardMarkdown))
		}
		s.Lead = s.Title
		if data == "" {
			s.Lead = ""
		}
	}
	columns := []document.Cells[*boardRow]{document.Text("system", func(r *boardRow) string { return short(r.Name) })}
	for _, metric := range metrics {
		cell := func(r *boardRow) document.Cell { return v.cell(r.Items[metric], true) }
		column := document.Judged(quote.Visible(metric), cell)
		if v.of != document.Page { // no colours
			column = document.Numbers(quote.Visible(metric), func(r *boardRow) string { return strings.TrimSuffix(cell(r).Text+" "+cell(r).Arrow, " ") })
		}
		columns = append(columns, column)
	}
	s.Table = document.TableOf(rows, columns...)
	if v.of != document.OnScreen {
		s.Notes = append(s.Notes, "Value, and the interval of its rank. "+v.key())
	}
	if v.of != document.OnScreen || data == "" { // which is short
		s.Notes = append(s.Notes, couldHaveShown(v.Task, v.visibleOn(data))...)
	}
	d.Add(s)
}

// visibleOn returns what comparisons on a data set could have shown.
func (v *view) visibleOn(data string) (list []Visible) {
	for _, of := range v.Visible {
		if of.Data == data {
			list = append(list, of.Visible)
		}
	}
	return list
}

// key explains the arrows.
func (v *view) key() string {
	return "▲ and ▼: significantly better or worse than " + document.Brief(v.Reference) + "."
}

func onData(title, data string) string {
	if data == "" {
		return title
	}
	return title + ": " + quote.Visible(data)
}

// boardRow is a system with its ranks by metric.
type boardRow = document.GridRow[*Rank]

// board returns the ranks for all examples of a data set, the system first that is best by the first
// headline.
func (l *Leaderboard) board(data string) []*boardRow {
	var ranks []*Rank
	for _, metric := range l.Headline {
		ranks = append(ranks, collections.Select(l.Ranks, func(r *Rank) bool {
			return r.Data == data && r.Metric == metric && len(r.Slice) == 0 && r.Label == nil
		})...)
	}
	rows, _ := document.GridRows(ranks, func(r *Rank) (system, metric string, belongs bool) { return r.System, r.Metric, true },
		func(metrics []string) []string { return metrics })
	return rows
}

// cell returns the cell of a value: with its rank if asked, and marked if it differs significantly
// from the reference.
func (v *view) cell(r *Rank, withRank bool) document.Cell {
	if r == nil {
		return document.Cell{Text: "–", Meaning: "not ranked"}
	}
	if !floats.Finite(r.Value) {
		return document.Cell{Text: "–", Meaning: document.Brief(r.Reason)}
	}
	cell := document.Cell{Text: document.Fixed(r.Value, 4), Verdict: string(NoSignificantChange), Meaning: rankText(r)}
	if withRank && ranked(r) {
		cell.Text += " (" + rankText(r) + ")"
	}
	cell.Meaning = document.Brief(r.System) + ": rank " + cell.Meaning
	if d := v.difference(r); d != nil {
		if d.Verdict == Better || d.Verdict == Worse {
			cell.Verdict, cell.Arrow = string(d.Verdict), document.Arrows[d.Verdict]
		}
		cell.Meaning += ", " + document.Signed(d.Difference, document.Fixed(d.Difference, 4)) + " from the reference"
		if p := document.PValue(d.PAdjusted); p != "" {
			cell.Meaning += ", p " + p
		}
	}
	if r.Reason != "" {
		cell.Meaning += "; " + document.Brief(r.Reason)
	}
	return cell
}

// rankText formats the interval of a rank.
func rankText(r *Rank) string {
	if !ranked(r) {
		return "–"
	}
	return report.Places(r.Low, r.High)
}

// addGrids adds grids of slices by systems and of labels by systems for the first metrics.
func (v *view) addGrids(d *document.Document, data []string) {
	for _, name := range data[:min(len(data), pageDataSets)] {
		v.addGrid(d, name, "slice", v.Headline, func(r *Rank) (string, bool) { return r.Slice.String(), len(r.Slice) > 0 })
		var ofLabels []string
		for i := range v.Ranks {
			if r := &v.Ranks[i]; r.Label != nil && !slices.Contains(ofLabels, r.Metric) {
				ofLabels = append(ofLabels, r.Metric)
			}
		}
		v.addGrid(d, name, "label", report.LabelHeadlines(nil, ofLabels), func(r *Rank) (string, bool) { return document.Label(r.Label), r.Label != nil })
	}
}

// addGrid adds a grid for each of the first metrics that have rows: those whose name rowOf returns.
func (v *view) addGrid(d *document.Document, data, kind string, metrics []string, rowOf func(*Rank) (string, bool)) {
	systems, shown := collections.Map(v.board(data), func(r *boardRow) string { return r.Name }), 0
	for _, metric := range metrics {
		if shown == gridMetrics {
			break
		}
		ranks := collections.Select(v.Ranks, func(r *Rank) bool { return r.Data == data && r.Metric == metric })
		rows, _ := document.GridRows(ranks, func(r *Rank) (row, system string, belongs bool) {
			row, belongs = rowOf(r)
			return row, r.System, belongs
		}, func([]string) []string { return systems })
		if len(rows) == 0 {
			continue
		}
		shown++
		kept, first := document.First(rows, document.MostGridRows, "; "+LeaderboardCSV+" has all")
		table := document.Grid(kind, kept, systems, short, func(r *Rank) document.Cell { return v.cell(r, false) })
		d.Add(document.Section{In: document.Page, Title: onData(strings.ToUpper(kind[:1])+kind[1:]+"s: "+quote.Visible(metric), data), Table: table,
			Notes: []string{first, v.key()}})
	}
}

// addSignificant adds a table of the significant differences, the smallest p first.
func (v *view) addSignificant(d *document.Document) {
	kept, all := v.significant(mostSignificant)
	s := document.Section{In: document.Markdown | document.Page, Title: "Significant differences", Folded: "The differences with the smallest p",
		Notes: []string{document.FirstOf(len(kept), all, "; "+CSV+" has all")}}
	s.Table = document.TableOf(kept,
		document.Text("system", func(d *Difference) string { return short(in(d.SystemB, d.Data)) }),
		document.Text("compared with", func(d *Difference) string { return short(d.SystemA) }),
		document.Text("metric", func(d *Difference) string { return quote.Visible(d.Name) }),
		document.Text("slice", func(d *Difference) string { return d.Slice.String() }),
		document.Text("label", func(d *Difference) string { return document.Label(d.Label) }).Optional(),
		document.Numbers("difference", func(d *Difference) string { return document.Signed(d.Difference, document.Number(d.Difference)) }),
		document.Numbers("p", func(d *Difference) string { return document.PValue(d.PAdjusted) }),
		document.Verdicts("verdict", func(d *Difference) string { return string(d.Verdict) }))
	d.Add(s)
}

// significant returns the n significant differences with the smallest p, and the number of all.
func (v *view) significant(n int) (kept []*Difference, all int) {
	sort := func() {
		slices.SortStableFunc(kept, func(a, b *Difference) int { return cmp.Compare(a.PAdjusted, b.PAdjusted) })
		kept = kept[:min(len(kept), n)]
	}
	for _, d := range v.Differences.All() {
		if d.Verdict != Worse && d.Verdict != Better {
			continue
		}
		all++
		if kept = append(kept, new(*d)); len(kept) > 8*n { // of these alone, a copy that stays
			sort()
		}
	}
	sort()
	return kept, all
}

// addDataSets adds the mean ranks over data sets, and on the page the values of the first metric on each.
func (v *view) addDataSets(d *document.Document, data []string, diagram []document.Picture) {
	if len(v.DataSets) == 0 {
		return
	}
	systems := v.names()
	first := v.DataSets[0]
	rankOf := func(t DataSetsTest, system string) float64 {
		return t.MeanRanks[slices.IndexFunc(t.MeanRanks, func(m MeanRank) bool { return m.System == system })].Mean
	}
	slices.SortStableFunc(systems, func(a, b string) int { return floats.CompareLast(rankOf(first, a), rankOf(first, b)) })
	tests, most := v.DataSets, len(systems)
	if v.of == document.OnScreen {
		tests, most = tests[:min(len(tests), screenMetrics)], min(most, screenSystems)
	}
	columns := []document.Cells[string]{document.Text("system", short)}
	for _, t := range tests {
		columns = append(columns, document.Numbers(quote.Visible(t.Metric), func(system string) string { return document.Fixed(rankOf(t, system), 2) }))
	}
	notes := collections.Map(tests, func(t DataSetsTest) string { return t.sentence() })
	switch v.of {
	case document.OnScreen:
		notes = notes[:1]
	case document.Page: // the diagrams have the others
		notes = slices.DeleteFunc(collections.Map(tests, func(t DataSetsTest) string {
			if t.Reason == "" {
				return ""
			}
			return t.sentence()
		}), func(note string) bool { return note == "" })
	}
	d.Add(document.Section{In: document.OnScreen | document.Markdown | document.Page, Title: "Mean ranks over data sets", Lead: fmt.Sprintf("mean ranks over %d data sets", len(data)), Pictures: diagram,
		Table: document.TableOf(systems[:most], columns...), Notes: notes})
	metric := first.Metric
	sets, note := document.First(data, pageDataSets, " data sets")
	values := []document.Cells[string]{document.Text("system", short)}
	for _, set := range sets {
		ranks := make(map[string]*Rank)
		for _, row := range v.board(set) {
			ranks[row.Name] = row.Items[metric]
		}
		values = append(values, document.Judged(quote.Visible(set), func(system string) document.Cell { return v.cell(ranks[system], true) }))
	}
	d.Add(document.Section{In: document.Page, ID: "systems-on-data-sets", Title: "On each data set: " + quote.Visible(metric), Sub: true, Table: document.TableOf(systems, values...),
		Notes: []string{"Value, and the interval of its rank.", note}})
}

// sentence says what the test found.
func (t *DataSetsTest) sentence() string {
	if t.Reason != "" {
		return quote.Visible(t.Metric) + ": not tested: " + document.OneLine(t.Reason) + "."
	}
	return fmt.Sprintf("%s: Friedman χ² = %s with %s degrees of freedom, p %s; critical difference of Nemenyi: %s.", quote.Visible(t.Metric), document.Number(t.ChiSquare),
		strconv.FormatFloat(t.DOF, 'g', 4, 64), document.PValue(t.PValue), document.Fixed(t.CriticalDifference, 2))
}
