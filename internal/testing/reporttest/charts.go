package reporttest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// RequireAgreement checks that charts and their tables agree. A point that is named like a row shows the row, where a reader
// points at it, and points lie from left to right as the numbers of a column rise. All rows are shown, except by charts that have
// no room for all, and of bars of 0 and numbers that are undefined.
func RequireAgreement(t *testing.T, page *html.Node) {
	t.Helper()
	for figure := range page.Descendants() {
		if figure.Data != "figure" {
			continue
		}
		title, rows := wordsOf(Find(figure, "figcaption").FirstChild), rowsOf(figure)
		var tips []string
		var shown []shownRow
		sampled := false
		svg := Find(figure, "svg")
		for n := range svg.Descendants() {
			sampled = sampled || n.Data == "g" && attribute(n, "class") == "p"
			if n.Data != "title" || n.Parent == svg {
				continue
			}
			tip := wordsOf(n)
			tips = append(tips, tip)
			at := slices.IndexFunc(rows, func(r pointed) bool { return r.tip == tip })
			require.True(t, at >= 0 || !slices.ContainsFunc(rows, func(r pointed) bool { return strings.HasPrefix(tip, r.name+": ") }), "%s: no row is %q", title, tip)
			if x, err := strconv.ParseFloat(attribute(n.Parent, "cx"), 64); err == nil && at >= 0 {
				shown = append(shown, shownRow{x, rows[at].cells})
			}
		}
		require.True(t, inOrder(shown), "%s: the points have the order of no column: %v", title, shown)
		for _, r := range rows {
			if !sampled && slices.ContainsFunc(rows, func(r pointed) bool { return slices.Contains(tips, r.tip) }) && !strings.Contains(r.tip, "–") && !slices.Contains(r.cells, "0") {
				require.Contains(t, tips, r.tip, title)
			}
		}
	}
}

// pointed is a row of the table of a chart.
type pointed struct {
	name, tip string // its first cell, and all of it, with the names of the columns
	cells     []string
}

// rowsOf returns the rows of the table of a chart.
func rowsOf(figure *html.Node) (rows []pointed) {
	var columns []string
	number := false // in the first column
	for n := range Find(figure, "details").Descendants() {
		switch {
		case n.Data == "th" && attribute(n, "scope") == "col":
			number = number || len(columns) == 0 && attribute(n, "class") == "n"
			columns = append(columns, wordsOf(n))
		case n.Data == "tr" && attribute(n.FirstChild, "scope") == "row":
			var r pointed
			for cell := range n.ChildNodes() {
				r.cells = append(r.cells, wordsOf(cell))
			}
			if r.name = r.cells[0]; number {
				r.name = columns[0] + " " + r.name
			}
			var others []string
			for i, cell := range r.cells[1:] {
				if cell != "" {
					others = append(others, columns[1+i]+" "+cell)
				}
			}
			r.tip = r.name + ": " + strings.Join(others, ", ")
			rows = append(rows, r)
		}
	}
	return rows
}

// shownRow is a row that a point shows, and where the point is.
type shownRow struct {
	x     float64
	cells []string
}

// inOrder reports whether the numbers of a column rise, or its dates, as the points lie from left to right. A column of the same
// number for all has no order.
func inOrder(list []shownRow) bool {
	slices.SortStableFunc(list, func(a, b shownRow) int { return cmp.Compare(a.x, b.x) })
	last := len(list) - 1
	if last < 0 || list[last].x-list[0].x < 0.2 {
		return true
	}
	for column := range list[0].cells {
		rises := compareCells(list[0].cells[column], list[last].cells[column]) < 0
		for i := range last {
			a, b := list[i], list[i+1]
			rises = rises && (b.x-a.x < 0.2 || compareCells(a.cells[column], b.cells[column]) <= 0)
		}
		if rises {
			return true
		}
	}
	return false
}

// compareCells compares numbers at the start of cells, or behind an @, or texts.
func compareCells(a, b string) int {
	number := func(cell string) (float64, error) {
		cell = cell[strings.Index(cell, "@")+1:]
		first, _, _ := strings.Cut(strings.NewReplacer(",", "", "%", "").Replace(cell), " ")
		return strconv.ParseFloat(first, 64)
	}
	x, err := number(a)
	y, errToo := number(b)
	if err != nil || errToo != nil {
		return cmp.Compare(a, b)
	}
	return cmp.Compare(x, y)
}

// wordsOf returns the text of a node, without the spaces that [TextOf] puts between parts of words.
func wordsOf(n *html.Node) string {
	var b strings.Builder
	if n.Type == html.TextNode {
		b.WriteString(n.Data)
	}
	for child := range n.Descendants() {
		if child.Type == html.TextNode {
			b.WriteString(child.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
