package leaderboard

import (
	"fmt"
	"io"
	"strings"

	"github.com/beameval/beameval/internal/numbers"
	"github.com/beameval/beameval/io/comparison"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/document"
)

// writeMarkdown writes leaderboard.md: a table of systems by headline metrics for each data set. The
// best values are bold.
func (l *Leaderboard) writeMarkdown(w io.Writer) error {
	v, escape := &view{l, l.index(), document.Markdown}, cellOf(document.Escape)
	var b strings.Builder
	for _, data := range l.dataSets() {
		if data != "" {
			b.WriteString("## " + document.Escape(quote.Visible(data)) + "\n\n")
		}
		b.WriteString("| system |")
		for _, metric := range l.Headline {
			b.WriteString(" " + escape(quote.Visible(metric)) + " |")
		}
		b.WriteString("\n|---|" + strings.Repeat("---:|", len(l.Headline)) + "\n")
		for _, system := range v.order(data) {
			b.WriteString("| " + escape(document.OneLine(system)) + " |")
			for _, metric := range l.Headline {
				b.WriteString(" " + v.markdown(placeOf(data, metric, nil, nil, system)) + " |")
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "In parentheses: the interval of the rank. Bold: the best value. ▲ and ▼: significantly better or worse than %s.\n", document.Escape(document.OneLine(l.Reference)))
	_, err := io.WriteString(w, b.String())
	return err
}

// cellOf escapes a text for a cell of a table in Markdown.
func cellOf(escape func(string) string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(escape(s), "|", `\|`) }
}

func (v *view) markdown(at place) string {
	r := v.rank(at)
	if r == nil || !numbers.Finite(r.Value) {
		return "–"
	}
	text := document.Fixed(r.Value, 4)
	if r.Best {
		text = "**" + text + "**"
	}
	if ranked(r) {
		text += " (" + rankText(r) + ")"
	}
	if d := v.difference(at); d != nil && arrows[d.Verdict] != "" {
		text += " " + arrows[d.Verdict]
	}
	return text
}

// writeLaTeX writes leaderboard.tex: a tabular environment with the rules of package booktabs for
// each data set.
func (l *Leaderboard) writeLaTeX(w io.Writer) error {
	v := &view{l, l.index(), document.Markdown}
	var b strings.Builder
	b.WriteString("% \\usepackage{booktabs}\n")
	for _, data := range l.dataSets() {
		if data != "" {
			b.WriteString("% " + texComment(data) + "\n")
		}
		b.WriteString("\\begin{tabular}{l" + strings.Repeat("r", len(l.Headline)) + "}\n\\toprule\nsystem")
		for _, metric := range l.Headline {
			b.WriteString(" & " + tex(quote.Visible(metric)))
		}
		b.WriteString(" \\\\\n\\midrule\n")
		for _, system := range v.order(data) {
			b.WriteString(tex(document.OneLine(system)))
			for _, metric := range l.Headline {
				b.WriteString(" & " + v.tex(placeOf(data, metric, nil, nil, system)))
			}
			b.WriteString(" \\\\\n")
		}
		b.WriteString("\\bottomrule\n\\end{tabular}\n")
	}
	fmt.Fprintf(&b, "%% + and -: significantly better or worse than %s (%s, p <= %.4g). Bold: the best value.\n", texComment(l.Reference), l.Adjust, 1-l.Level)
	_, err := io.WriteString(w, b.String())
	return err
}

// texComment returns a text for a comment, which ends at the end of the line.
func texComment(s string) string { return document.OneLine(s) }

func (v *view) tex(at place) string {
	r := v.rank(at)
	if r == nil || !numbers.Finite(r.Value) {
		return "--"
	}
	text := strings.ReplaceAll(document.Fixed(r.Value, 4), "−", "-")
	if strings.HasPrefix(text, "-") {
		text = "$-$" + text[1:]
	}
	if r.Best {
		text = `\textbf{` + text + `}`
	}
	if d := v.difference(at); d != nil {
		switch d.Verdict {
		case comparison.Better:
			text += "$^{+}$"
		case comparison.Worse:
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
