package leaderboard

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/document"
)

// The limits of documents.
const (
	nameWidth      = 24 // of a system
	screenSystems  = 8
	screenMetrics  = 3
	screenDataSets = 1
	screenWarnings = 2
	mostRows       = 100 // of a grid
	gridMetrics    = 3   // that have a grid of slices and of labels
	pageDataSets   = 20
)

// Summary prints the most important parts of l for a screen, in about 30 lines.
func Summary(l *Leaderboard, w io.Writer, on document.Screen) error {
	return l.document(document.OnScreen).Print(w, on)
}

// view is what a document shows of a leaderboard.
type view struct {
	*Leaderboard
	*index
	of document.Output
}

// document returns the document of l for an output.
func (l *Leaderboard) document(of document.Output) *document.Document {
	v := &view{l, l.index(), of}
	systems, data := l.names(), l.dataSets()
	title := fmt.Sprintf("Comparison: %s, %d systems", quote.Visible(l.Task), len(systems))
	d := &document.Document{Output: of, Title: title, Notes: []string{v.how(), v.tally()}}
	if of == document.Page {
		d.About = v.about()
	}
	lead := strings.Replace(title, "Comparison: ", "", 1) + " compared with " + short(l.Reference)
	if len(data) > 1 {
		lead += fmt.Sprintf(", on %d data sets", len(data))
	}
	d.Add(document.Section{In: document.OnScreen, Plain: lead, Notes: []string{v.tally()}})
	d.AddGates(l.gates())
	v.addWarnings(d)
	shown := data
	if of == document.OnScreen {
		shown = data[:min(len(data), screenDataSets)]
	}
	v.addDataSets(d, data)
	for _, name := range shown[:min(len(shown), pageDataSets)] {
		v.addBoard(d, name)
	}
	if of != document.OnScreen {
		v.addGrids(d, data)
	}
	if of == document.Page {
		d.Add(document.Section{In: document.Page, Title: "Charts", Pictures: v.pictures(data)})
	}
	v.addSignificant(d)
	d.Foot = []string{comparison.JSON + " has all results with all digits, and where the reports are; " + CSV + " has the ranks and " + comparison.CSV + " the differences as tables."}
	return d
}

// short shortens the name of a system for people.
func short(name string) string { return document.Cut(document.OneLine(name), nameWidth) }

// about lists the systems.
func (v *view) about() (facts []document.Fact) {
	for i := range v.Systems {
		s := &v.Systems[i]
		text := fmt.Sprintf("%s, %s %s", document.Brief(s.Path), document.Grouped(s.Examples), v.examples())
		if s.Name == v.Reference {
			text += ", the reference"
		}
		if s.Pairing == comparison.Unpaired {
			text += ", unpaired"
		}
		facts = append(facts, document.Fact{Name: short(in(s.Name, s.Data)), Text: text})
	}
	return facts
}

func (v *view) examples() string {
	if v.Task == "ranking" {
		return "queries"
	}
	return "examples"
}

// how says how differences are tested and ranks are made.
func (v *view) how() string {
	unpaired := 0
	for i := range v.Systems {
		if v.Systems[i].Pairing == comparison.Unpaired {
			unpaired++
		}
	}
	text := "Differences from " + document.Brief(v.Reference) + " are paired: all systems have the same " + v.examples() + ", in the same groups."
	if unpaired > 0 {
		text = fmt.Sprintf("Differences from %s are unpaired for %s, which have other %s or groups.", document.Brief(v.Reference), document.Plural(int64(unpaired), "report"), v.examples())
	}
	level := strconv.FormatFloat(1-v.Level, 'g', 4, 64)
	return text + fmt.Sprintf(" A rank such as 1–3 is the interval of places that the data allow: 1 + the number of systems that are significantly better (p ≤ %s, %s over all pairs) to the number that are not significantly worse.", level, adjustments[v.Adjust])
}

// adjustments are the names of the methods of adjusting p-values.
var adjustments = map[comparison.Adjustment]string{
	comparison.BenjaminiHochberg: "Benjamini–Hochberg", comparison.Holm: "Holm", comparison.Unadjusted: "not adjusted", MaxT: "max-T",
}

// tally says how many differences have each verdict.
func (v *view) tally() string {
	counts := map[comparison.Verdict]int64{}
	for _, d := range v.Differences.All() {
		counts[d.Verdict]++
	}
	return fmt.Sprintf("%s: %s worse, %s better, %s with no significant change, %s unknown.", document.Plural(int64(v.Differences.Len()), "difference"),
		document.Grouped(counts[comparison.Worse]), document.Grouped(counts[comparison.Better]), document.Grouped(counts[comparison.NoSignificantChange]), document.Grouped(counts[comparison.Unsure]))
}

// addWarnings adds the warnings; a screen has few of them.
func (v *view) addWarnings(d *document.Document) {
	list := v.Warnings
	if n := len(list) - screenWarnings; v.of == document.OnScreen && n > 0 {
		list = append(slices.Clone(list[:screenWarnings]), fmt.Sprintf("%s in %s", document.Plural(int64(n), "more warning"), comparison.Markdown))
	}
	d.AddWarnings(list)
}

// boardRow is a system with the cells of a table.
type boardRow struct {
	system string
	cells  []document.Cell
}

// addBoard adds the table of the systems and headline metrics on a data set.
func (v *view) addBoard(d *document.Document, data string) {
	metrics := v.Headline
	rows := v.board(data)
	s := document.Section{In: document.OnScreen | document.Markdown | document.Page, Title: onData("Leaderboard", data)}
	if v.of == document.OnScreen {
		metrics = metrics[:min(len(metrics), screenMetrics)]
		if n := len(rows); n > screenSystems {
			rows = rows[:screenSystems]
			s.Notes = append(s.Notes, fmt.Sprintf("… and %d more systems, in %s", n-screenSystems, Markdown))
		}
		s.Lead = s.Title
		if data == "" {
			s.Lead = ""
		}
	}
	columns := []document.Cells[boardRow]{document.Text("system", func(r boardRow) string { return short(r.system) })}
	for i, metric := range metrics {
		columns = append(columns, document.Judged(quote.Visible(metric), func(r boardRow) document.Cell { return r.cells[i] }))
	}
	s.Table = document.TableOf(rows, columns...)
	if v.of != document.OnScreen {
		s.Notes = append(s.Notes, "Value, and the interval of its rank. ▲ and ▼: significantly better or worse than "+document.Brief(v.Reference)+".")
	}
	if s.Table != nil && v.of != document.Page {
		for i, row := range rows { // no colours
			for j := range metrics {
				s.Table.Rows[i][j+1] = strings.TrimSuffix(row.cells[j].Text+" "+row.cells[j].Arrow, " ")
			}
		}
	}
	d.Add(s)
}

func onData(title, data string) string {
	if data == "" {
		return title
	}
	return title + ": " + quote.Visible(data)
}

// board returns the rows of a leaderboard, the system first that is best by the first headline.
func (v *view) board(data string) (rows []boardRow) {
	for _, system := range v.order(data) {
		row := boardRow{system: system}
		for _, metric := range v.Headline {
			row.cells = append(row.cells, v.cell(placeOf(data, metric, nil, nil, system), true))
		}
		rows = append(rows, row)
	}
	return rows
}

// order returns the systems of a data set, the best by the first headline first.
func (v *view) order(data string) (systems []string) {
	for i := range v.Ranks {
		r := &v.Ranks[i]
		if r.Data == data && len(v.Headline) > 0 && r.Metric == v.Headline[0] && len(r.Slice) == 0 && r.Label == nil {
			systems = append(systems, r.System)
		}
	}
	return systems
}

// cell returns the cell of a value: with its rank if asked, and marked if it differs significantly
// from the reference.
func (v *view) cell(at place, withRank bool) document.Cell {
	r := v.rank(at)
	if r == nil {
		return document.Cell{Text: "–", Meaning: "not ranked"}
	}
	if !numbers.Finite(r.Value) {
		return document.Cell{Text: "–", Meaning: document.Brief(r.Reason)}
	}
	cell := document.Cell{Text: document.Fixed(r.Value, 4), Verdict: string(comparison.NoSignificantChange), Meaning: rankText(r)}
	if withRank && ranked(r) {
		cell.Text += " (" + rankText(r) + ")"
	}
	cell.Meaning = document.Brief(r.System) + ": rank " + cell.Meaning
	if d := v.difference(at); d != nil {
		if d.Verdict == comparison.Better || d.Verdict == comparison.Worse {
			cell.Verdict, cell.Arrow = string(d.Verdict), arrows[d.Verdict]
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

// arrows mark verdicts.
var arrows = map[comparison.Verdict]string{comparison.Better: "▲", comparison.Worse: "▼"}

// rankText formats the interval of a rank.
func rankText(r *Rank) string {
	switch {
	case !ranked(r):
		return "–"
	case r.Low == r.High:
		return strconv.Itoa(r.Low)
	}
	return fmt.Sprintf("%d–%d", r.Low, r.High)
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
	systems, shown := v.order(data), 0
	for _, metric := range metrics {
		var names []string
		rows := map[string]*Rank{}
		for i := range v.Ranks {
			if r := &v.Ranks[i]; r.Data == data && r.Metric == metric {
				if name, belongs := rowOf(r); belongs && rows[name] == nil {
					rows[name], names = r, append(names, name)
				}
			}
		}
		if len(names) == 0 || shown == gridMetrics {
			continue
		}
		shown++
		kept := names[:min(len(names), mostRows)]
		columns := []document.Cells[string]{document.Text(kind, func(name string) string { return name })}
		for _, system := range systems {
			columns = append(columns, document.Judged(short(system), func(name string) document.Cell {
				r := rows[name]
				return v.cell(placeOf(data, metric, r.Slice, r.Label, system), false)
			}))
		}
		table := document.TableOf(kept, columns...)
		table.Long = len(kept) > document.FirstRows
		d.Add(document.Section{In: document.Page, Title: onData(strings.ToUpper(kind[:1])+kind[1:]+"s: "+quote.Visible(metric), data), Table: table,
			Notes: []string{document.FirstOf(len(kept), len(names), "; "+CSV+" has all"), "▲ and ▼: significantly better or worse than " + document.Brief(v.Reference) + "."}})
	}
}

// addSignificant adds a table of the significant differences, the smallest p first.
func (v *view) addSignificant(d *document.Document) {
	kept, all := v.significant(mostRows)
	s := document.Section{In: document.Markdown | document.Page, Title: "Significant differences", Folded: "The differences with the smallest p",
		Notes: []string{document.FirstOf(len(kept), all, "; "+comparison.CSV+" has all")}}
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
		if d.Verdict != comparison.Worse && d.Verdict != comparison.Better {
			continue
		}
		all++
		if kept = append(kept, new(d)); len(kept) > 8*n { // of these alone, a copy that stays
			sort()
		}
	}
	sort()
	return kept, all
}

// addDataSets adds the mean ranks over data sets.
func (v *view) addDataSets(d *document.Document, data []string) {
	if len(v.DataSets) == 0 {
		return
	}
	systems := slices.Clone(v.names())
	first := v.DataSets[0]
	rankOf := func(t DataSetsTest, system string) float64 {
		return t.MeanRanks[slices.IndexFunc(t.MeanRanks, func(m MeanRank) bool { return m.System == system })].Mean
	}
	slices.SortStableFunc(systems, func(a, b string) int { return numbers.CompareLast(rankOf(first, a), rankOf(first, b)) })
	tests, most := v.DataSets, len(systems)
	if v.of == document.OnScreen {
		tests, most = tests[:min(len(tests), screenMetrics)], min(most, screenSystems)
	}
	columns := []document.Cells[string]{document.Text("system", short)}
	for _, t := range tests {
		columns = append(columns, document.Numbers(quote.Visible(t.Metric), func(system string) string { return document.Fixed(rankOf(t, system), 2) }))
	}
	notes := lists.Map(tests, func(t DataSetsTest) string { return t.sentence() })
	if v.of == document.OnScreen {
		notes = notes[:1]
	}
	d.Add(document.Section{In: document.OnScreen | document.Markdown | document.Page, Title: "Mean ranks over data sets", Lead: fmt.Sprintf("mean ranks over %d data sets", len(data)),
		Table: document.TableOf(systems[:most], columns...), Notes: notes})
}

// sentence says what the test found.
func (t *DataSetsTest) sentence() string {
	if t.Reason != "" {
		return quote.Visible(t.Metric) + ": not tested: " + document.OneLine(t.Reason) + "."
	}
	return fmt.Sprintf("%s: Friedman χ² = %s with %s degrees of freedom, p %s; critical difference of Nemenyi: %s.", quote.Visible(t.Metric), document.Number(t.ChiSquare),
		strconv.FormatFloat(t.DOF, 'g', 4, 64), document.PValue(t.PValue), document.Fixed(t.CriticalDifference, 2))
}
