package document

import (
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/report/checks"
)

// AddWarnings adds warnings.
func (d *Document) AddWarnings(warnings []string) {
	d.addChecks("Warnings", nil, checks.Of(checks.Warning, warnings...))
}

// AddChecks adds checks. The page shows those in first before them.
func (d *Document) AddChecks(first []string, list []checks.Check) { d.addChecks("Checks", first, list) }

func (d *Document) addChecks(title string, first []string, list []checks.Check) {
	level := func(c checks.Check) checks.Level { return c.Level }
	message := func(c checks.Check) string { return c.Message }
	d.Add(Section{In: OnScreen, List: collections.Map(list, message), Levels: collections.Map(list, level)})
	marked := func(shown func(string) string) func(checks.Check) string {
		return func(c checks.Check) string {
			if c.Level == checks.Warning {
				return shown(c.Message)
			}
			return string(c.Level) + ": " + shown(c.Message)
		}
	}
	asIs := func(text string) string { return text }
	d.Add(Section{In: Markdown, Title: title, List: collections.Map(list, marked(asIs))})
	d.Add(Section{In: Page, ID: strings.ToLower(title), Title: title, List: append(first, collections.Map(list, marked(Brief))...)})
}

// ChecksInWords counts checks by their levels.
func ChecksInWords(list []checks.Check) string {
	return inWords(collections.Map(list, func(c checks.Check) checks.Level { return c.Level }), "")
}

// inWords counts levels, such as 1 more error, 2 more notes.
func inWords(levels []checks.Level, more string) string {
	var counts []string
	for _, level := range checks.Levels {
		n := len(levels) - len(slices.DeleteFunc(slices.Clone(levels), func(l checks.Level) bool { return l == level }))
		if n > 0 {
			counts = append(counts, Plural(int64(n), more+string(level)))
		}
	}
	return strings.Join(counts, ", ")
}
