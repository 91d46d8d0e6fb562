package comparison

import (
	"fmt"
	"io"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/document"
)

// writeMarkdown writes leaderboard.md: a table of systems by headline metrics for each data set. The
// best values are bold.
func (l *Leaderboard) writeMarkdown(w io.Writer) error {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	for _, data := range l.dataSets() {
		if data != "" {
			b.WriteString("## " + document.Escape(quote.Visible(data)) + "\n\n")
		}
		line(l.cells("system", func(metric string) string { return markdownCell(quote.Visible(metric)) }))
		b.WriteString("|---|" + strings.Repeat("---:|", len(l.Headline)) + "\n")
		for _, row := range l.board(data) {
			line(l.cells(markdownCell(document.OneLine(row.Name)), func(metric string) string { return l.markdown(row.Items[metric]) }))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "In parentheses: the interval of the rank. Bold: the best value. ▲ and ▼: significantly better or worse than %s.\n", document.Escape(document.OneLine(l.Reference)))
	_, err := io.WriteString(w, b.String())
	return err
}

// cells returns the cells of a line: the first, and one for each headline metric.
func (l *Leaderboard) cells(first string, of func(metric string) string) []string {
	return append([]string{first}, collections.Map(l.Headline, of)...)
}

// markdownCell escapes a text for a cell of a table in Markdown.
func markdownCell(s string) string { return strings.ReplaceAll(document.Escape(s), "|", `\|`) }

func (l *Leaderboard) markdown(r *Rank) string {
	if r == nil || !floats.Finite(r.Value) {
		return "–"
	}
	text := document.Fixed(r.Value, 4)
	if r.Best {
		text = "**" + text + "**"
	}
	if ranked(r) {
		text += " (" + rankText(r) + ")"
	}
	if d := l.difference(r); d != nil && document.Arrows[d.Verdict] != "" {
		text += " " + document.Arrows[d.Verdict]
	}
	return text
}

// writeLaTeX writes leaderboard.tex: a tabular environment with the rules of LaTeX's booktabs for
// each data set.
func (l *Leaderboard) writeLaTeX(w io.Writer) error {
	var b strings.Builder
	line := func(cells []string) { b.WriteString(strings.Join(cells, " & ") + " \\\\\n") }
	b.WriteString("% \\usepackage{booktabs}\n")
	for _, data := range l.dataSets() {
		if data != "" {
			b.WriteString("% " + document.OneLine(data) + "\n")
		}
		b.WriteString("\\begin{tabular}{l" + strings.Repeat("r", len(l.Headline)) + "}\n\\toprule\n")
		line(l.cells("system", func(metric string) string { return tex(quote.Visible(metric)) }))
		b.WriteString("\\midrule\n")
		for _, row := range l.board(data) {
			line(l.cells(tex(document.OneLine(row.Name)), func(metric string) string { return l.tex(row.Items[metric]) }))
		}
		b.WriteString("\\bottomrule\n\\end{tabular}\n")
	}
	fmt.Fprintf(&b, "%% + and -: significantly better or worse than %s (%s, p <= %.4g). Bold: the best value.\n", document.OneLine(l.Reference), l.Adjust, 1-l.Level)
	_, err := io.WriteString(w, b.String())
	return err
}

func (l *Leaderboard) tex(r *Rank) string {
	if r == nil || !floats.Finite(r.Value) {
		return "--"
	}
	text := strings.ReplaceAll(document.Fixed(r.Value, 4), "−", "-")
	if strings.HasPrefix(text, "-") {
		text = "$-$" + text[1:]
	}
	if r.Best {
		text = `\textbf{` + text + `}`
	}
	if d := l.difference(r); d != nil {
		switch d.Verdict {
		case Better:
			text += "$^{+}$"
		case Worse:
			text += "$^{-}$"
		}
	}
	return text
}

// texEscapes are the characters with a meaning in LaTeX. All replacements exist in its default
// font encoding, which has no straight double quote.
var texEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `%`, `\%`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
	`<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`, `"`, `''`,
)

// tex escapes a text for LaTeX. A cell that begins with [ would be an argument of the \\ before it.
func tex(s string) string {
	s = texEscapes.Replace(s)
	if strings.HasPrefix(s, "[") || strings.HasPrefix(s, "*") {
		return "{}" + s
	}
	return s
}
