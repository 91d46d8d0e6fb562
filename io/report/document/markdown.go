package document

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/beameval/beameval/io/quote"
)

const footnote = "`–`: undefined. `*`: undefined in whole or in part. The reasons are below."

// markdown writes the document for reading on GitHub or as plain text.
func (d *Document) markdown(w io.Writer) error {
	var m bytes.Buffer
	paragraph := func(s string) {
		if s != "" {
			m.WriteString(s + "\n\n")
		}
	}
	paragraph("# " + Escape(d.Title))
	for _, note := range d.Notes {
		paragraph(Escape(note))
	}
	for _, s := range d.Sections {
		level := "## "
		if s.Sub {
			level = "### "
		}
		paragraph(level + s.Title)
		for _, note := range s.Notes {
			paragraph(Escape(note))
		}
		for i, item := range s.List {
			m.WriteString("- " + Escape(OneLine(item)) + d.link(s, i) + "\n")
		}
		if s.List != nil {
			m.WriteByte('\n')
		}
		if s.Table != nil {
			paragraph(s.Table.markdown())
			if s.Table.Marked {
				paragraph(footnote)
			}
		}
		paragraph(Escape(s.After))
		if s.Code != "" {
			// The code may contain backticks, so the fence must be a longer run of them.
			fence := "```"
			for strings.Contains(s.Code, fence) {
				fence += "`"
			}
			paragraph(fence + "json\n" + s.Code + "\n" + fence)
		}
	}
	_, err := w.Write(bytes.TrimSuffix(m.Bytes(), []byte("\n")))
	return err
}

func (t *Table) markdown() string {
	w := table.NewWriter()
	header := make(table.Row, len(t.Columns))
	for i, c := range t.Columns {
		header[i] = Escape(c.Name)
	}
	w.AppendHeader(header)
	for _, row := range t.Rows {
		cells := make(table.Row, len(row))
		for i, cell := range row {
			cells[i] = Escape(cell)
		}
		w.AppendRow(cells)
	}
	w.SetColumnConfigs(alignRight(t.Columns))
	return w.RenderMarkdown()
}

func alignRight(columns []Column) (configs []table.ColumnConfig) {
	for i, c := range columns {
		if c.Number {
			configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight, VAlignHeader: text.VAlignBottom})
		}
	}
	return configs
}

// OneLine joins the lines of a sentence.
func OneLine(s string) string {
	fields := strings.Fields(quote.Valid(s))
	if len(fields) == 0 {
		return ""
	}
	if s = strings.Join(fields, " "); !quote.Printable(s) {
		return strconv.Quote(s)
	}
	return s
}

// Brief returns s on one line, shortened if it is long.
func Brief(s string) string { return quote.Short(OneLine(s)) }

// EscapeUnseen escapes the characters of a JSON text that are invisible or affect others, such as
// those that change the direction of writing.
func EscapeUnseen(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || strconv.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// Escape escapes characters with a meaning in Markdown, except pipes, which the table writer
// escapes, and underscores inside words, which have no meaning in GitHub's Markdown.
func Escape(s string) string {
	var b strings.Builder
	var before rune
	for i, r := range s {
		switch r {
		case '\\', '`', '*', '<', '>', '[', ']', '~', '&', '$':
			b.WriteByte('\\')
		case '_':
			after, _ := utf8.DecodeRuneInString(s[i+1:])
			if !inWord(before) || !inWord(after) {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

func inWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
