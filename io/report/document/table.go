package document

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/beameval/beameval/internal/collections"
)

// Table is a table whose first column names the row.
type Table struct {
	Name    string // name of the table on the page; defaults to the title of its section
	Columns []Column
	Rows    [][]string
	Marked  bool // some cells are undefined, completely or partially
	Fit     fit
	folds   bool
	cells   map[int][]Cell // of the columns of judged cells, by the index of the column
	links   []string       // of the rows; nil if none has one
}

// Cell is a cell with a verdict, which the page shows with an arrow, a colour and an explanation.
type Cell struct {
	Text    string
	Arrow   string // after the text, or ""
	Verdict string // better and worse have colours; the text of others is small
	Meaning string // shown when pointing at the cell
}

// Folded lets the page show only the first rows of a table, which may be nil, until it is asked for all.
func (t *Table) Folded() *Table {
	if t != nil {
		t.folds = true
	}
	return t
}

// Long reports whether the page shows only the first rows.
func (t *Table) Long() bool { return t.folds && len(t.Rows) > FirstRows }

// Judged returns the cell in a row and column if it has a verdict, or nil.
func (t *Table) Judged(row, column int) *Cell {
	if cells := t.cells[column]; cells != nil {
		return &cells[row]
	}
	return nil
}

// Link returns the page that the name of a row is a link to, relative to this one, or "".
func (t *Table) Link(row int) string {
	if t.links == nil {
		return ""
	}
	return t.links[row]
}

// FirstRows is the number of rows that the page first shows of a long table. page/style.css hides
// the others, and page/page.html names the number.
const FirstRows = 15

// Column is a column of a table.
type Column struct {
	Name    string
	Number  bool // right-aligned
	Verdict bool // coloured
	whole   bool // not shortened on a screen
	aside   bool // a phone does without
}

// Breaks returns the parts of the name between which a line may break.
func (c Column) Breaks() []string { return strings.SplitAfter(c.Name, "_") }

// Classes returns the classes of the columns on the page. Texts that are short, such as dates, stay on a line.
func (t *Table) Classes() []string {
	list := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		var classes []string
		switch {
		case c.Number:
			classes = append(classes, "n")
		case i > 0 && !slices.ContainsFunc(t.Rows, func(row []string) bool { return len(row[i]) > shortText }) &&
			slices.ContainsFunc(t.Rows, func(row []string) bool { return strings.ContainsAny(row[i], " -") }):
			classes = append(classes, "one")
		}
		if c.aside {
			classes = append(classes, "aside")
		}
		list[i] = strings.Join(classes, " ")
	}
	return list
}

// shortText is the number of characters of a text that stays on a line.
const shortText = 16

// Split divides a number from its interval, share or reason, which the page shows in small type.
func (t *Table) Split(cell string) [2]string {
	if number, rest, _ := strings.Cut(cell, " "); strings.HasPrefix(rest, "±") || strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, "(") {
		return [2]string{number, rest}
	}
	return [2]string{cell, ""}
}

// The sizes of tables on the page, in pixels.
const (
	roomOfTable  = 1150
	tableDigit   = 8   // a character of a number
	smallDigit   = 6.7 // and of its interval
	leastSmall   = 88  // an interval, so that values are below each other
	columnMargin = 11
)

// Narrow reports whether the page has to put intervals below their values, so that the table fits.
func (t *Table) Narrow() bool {
	total := 0.0
	for i, c := range t.Columns {
		widest := 0.0
		for _, part := range c.Breaks() {
			widest = max(widest, tableDigit*float64(utf8.RuneCountInString(part)))
		}
		for _, row := range t.Rows {
			parts := [2]string{row[i], ""}
			if c.Number {
				parts = t.Split(row[i])
			}
			small := 0.0
			if parts[1] != "" {
				small = max(leastSmall, smallDigit*float64(utf8.RuneCountInString(parts[1])))
			}
			widest = max(widest, float64(tableDigit*float64(utf8.RuneCountInString(parts[0])))+small)
		}
		total += columnMargin + widest
	}
	return total > roomOfTable
}

// Cells is a column of a table of items. If of is nil, the table omits the column.
type Cells[T any] struct {
	Column
	of       func(T) string
	judged   func(T) Cell   // or nil
	link     func(T) string // or nil
	optional bool
}

// Text returns a column of text.
func Text[T any](name string, of func(T) string) Cells[T] {
	return Cells[T]{Column: Column{Name: name}, of: of}
}

// Verdicts returns a column of verdicts.
func Verdicts[T any](name string, of func(T) string) Cells[T] {
	return Cells[T]{Column: Column{Name: name, Verdict: true}, of: of}
}

// Numbers returns a column of numbers.
func Numbers[T any](name string, of func(T) string) Cells[T] {
	return Cells[T]{Column: Column{Name: name, Number: true}, of: of}
}

// Judged returns a column of numbers with verdicts.
func Judged[T any](name string, of func(T) Cell) Cells[T] {
	return Cells[T]{Column: Column{Name: name, Number: true}, of: func(item T) string { return of(item).Text }, judged: of}
}

// Link makes the cells of the first column links on the page, to other pages, which must be relative to it; "" is none.
func (c Cells[T]) Link(to func(T) string) Cells[T] { c.link = to; return c }

// Aside makes a phone do without the column.
func (c Cells[T]) Aside() Cells[T] { c.aside = true; return c }

// Optional makes a table omit the column if it is empty in all rows.
func (c Cells[T]) Optional() Cells[T] { c.optional = true; return c }

// If makes a table omit the column unless a condition holds.
func (c Cells[T]) If(holds bool) Cells[T] {
	if !holds {
		c.of = nil
	}
	return c
}

// TableOf returns a table with a row for each item, or nil if there are no items.
func TableOf[T any](items []T, columns ...Cells[T]) *Table {
	if len(items) == 0 {
		return nil
	}
	t := &Table{Rows: make([][]string, len(items))}
	for _, c := range columns {
		if c.of == nil || c.optional && !slices.ContainsFunc(items, func(item T) bool { return c.of(item) != "" }) {
			continue
		}
		if c.judged != nil {
			if t.cells == nil {
				t.cells = map[int][]Cell{}
			}
			t.cells[len(t.Columns)] = collections.Map(items, c.judged)
		}
		if c.link != nil {
			t.links = collections.Map(items, c.link)
		}
		t.Columns = append(t.Columns, c.Column)
		for i, item := range items {
			t.Rows[i] = append(t.Rows[i], c.of(item))
		}
	}
	return t
}

// NumbersOf returns a table whose rows consist of a name and numbers.
func NumbersOf(rows [][]string, name string, others ...string) *Table {
	t := &Table{Columns: []Column{{Name: name}}, Rows: rows}
	for _, other := range others {
		t.Columns = append(t.Columns, Column{Name: other, Number: true})
	}
	return t
}

// NumbersBy returns a table whose rows will consist of a number, and of those that depend on it.
func NumbersBy(name string, others ...string) *Table {
	t := NumbersOf(nil, name, others...)
	t.Columns[0].Number = true
	return t
}

// Add adds a row, and returns it as [Table.Tip] does.
func (t *Table) Add(cells ...string) (tip string) {
	t.Rows = append(t.Rows, cells)
	return t.tip(cells)
}

// Tip returns a row with the names of its columns: what a point of a chart shows where a reader points at it.
func (t *Table) Tip(row int) string { return t.tip(t.Rows[row]) }

func (t *Table) tip(row []string) string {
	tip, next := row[0], ": "
	if t.Columns[0].Number {
		tip = t.Columns[0].Name + " " + tip
	}
	for i, cell := range row[1:] {
		if cell != "" {
			tip, next = tip+next+t.Columns[1+i].Name+" "+cell, ", "
		}
	}
	return tip
}
