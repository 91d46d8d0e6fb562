package conformance

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// The section of the page that is generated lies between these lines.
const (
	begin = "<!-- readers: written by make conformance -->\n"
	end   = "<!-- end of readers -->\n"
)

// Publish writes the results into their section of a page.
func Publish(page string, results []*Result) error {
	data, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(data), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s has no section for the readers", page)
	}
	return os.WriteFile(page, []byte(before+begin+"\n"+section(results)+"\n"+end+after), 0o644)
}

func section(results []*Result) string {
	var b strings.Builder
	table(&b, []string{"corpus", "format", "files", "columns", "values compared", "equal", "another reads otherwise", "wrong", "crashed"}, countRows(results))
	b.WriteString("\nFiles and columns that are not read, although another library reads them:\n\n")
	table(&b, []string{"reason", "files", "columns", "right", "for example"}, refusalRows(results))
	b.WriteString("\nFiles that no other library reads, or not in this way:\n\n")
	table(&b, []string{"what happened", "files", "for example"}, otherRows(results))
	for _, r := range results {
		for _, line := range r.Extra {
			b.WriteString("\n" + line + "\n")
		}
	}
	b.WriteString("\nCommits: ")
	for i, r := range results {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %.12s", r.Corpus, cmp.Or(r.Commit, "without one"))
		if r.Absent > 0 {
			fmt.Fprintf(&b, " (absent files: %d)", r.Absent)
		}
	}
	b.WriteString(".\n")
	return b.String()
}

func table(b *strings.Builder, head []string, rows [][]string) {
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
}

func countRows(results []*Result) (rows [][]string) {
	all := new(Counts)
	row := func(corpus, format string, c *Counts) []string {
		return append([]string{corpus, format}, texts(c.Files, c.Columns, c.Values, c.Equal, c.Against, c.Wrong, c.Crashed)...)
	}
	for _, r := range results {
		for _, format := range slices.Sorted(maps.Keys(r.Counts)) {
			c := r.Counts[format]
			rows = append(rows, row(r.Corpus, format, c))
			all.Files += c.Files
			all.Columns += c.Columns
			all.Values += c.Values
			all.Equal += c.Equal
			all.Against += c.Against
			all.Wrong += c.Wrong
			all.Crashed += c.Crashed
		}
	}
	return append(rows, row("all", "", all))
}

func texts(numbers ...int) (list []string) {
	for _, n := range numbers {
		list = append(list, grouped(n))
	}
	return list
}

// grouped writes a number with commas.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// tally counts what has the same reason.
type tally struct {
	files, columns int
	right          string
	example        string
}

func refusalRows(results []*Result) [][]string {
	return tallied(results, func(f Finding) (what, right string) {
		switch {
		case f.Kind != Refused:
			return "", ""
		case f.Reason == nil:
			return "nobody has judged this", "no"
		case f.Reason.limit:
			return f.Reason.why, "a limit"
		}
		return f.Reason.why, "yes"
	}, func(what string, t *tally) []string {
		return append([]string{what}, append(texts(t.files, t.columns), t.right, t.example)...)
	})
}

func otherRows(results []*Result) [][]string {
	return tallied(results, func(f Finding) (what, _ string) {
		switch f.Kind {
		case Agreed:
			return "all refuse the file or the column", ""
		case Alone:
			return "read here alone", ""
		case Against:
			if f.Reason != nil {
				return f.Reason.why, ""
			}
			return "libraries differ, and one of them reads the same", ""
		}
		return "", ""
	}, func(what string, t *tally) []string {
		return []string{what, grouped(t.files + t.columns), t.example}
	})
}

// tallied counts the findings for which what is not empty, the most frequent first.
func tallied(results []*Result, what func(Finding) (what, right string), row func(what string, t *tally) []string) (rows [][]string) {
	tallies := map[string]*tally{}
	for _, r := range results {
		for _, f := range r.Findings {
			name, right := what(f)
			if name == "" {
				continue
			}
			t := tallies[name]
			if t == nil {
				t = &tally{right: right, example: fmt.Sprintf("`%s/%s`", r.Corpus, f.File)}
				tallies[name] = t
			}
			if f.Column == "" {
				t.files++
			} else {
				t.columns++
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(tallies), func(a, b string) int {
		return cmp.Or(cmp.Compare(tallies[b].files+tallies[b].columns, tallies[a].files+tallies[a].columns), cmp.Compare(a, b))
	})
	for _, name := range names {
		rows = append(rows, row(name, tallies[name]))
	}
	return rows
}
