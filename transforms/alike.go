package transforms

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/transforms/input"
)

// alike returns warnings of labels that were found in the data and that people would read in another way: labels
// that differ in spelling alone, and labels that list others. Nobody has said that they are labels of their own.
func (s *settled) alike(v *input.Vocabulary) (warnings []string) {
	if s.labelled() || s.Params.Task&finding == 0 {
		return nil
	}
	names, first := make(map[string]bool), make(map[string]string)
	var twins, lists []string
	others := 0
	for label := range v.Len() {
		name := v.Name(label)
		names[name] = true
		plain := plainly(name)
		if before, met := first[plain]; !met {
			first[plain] = name
		} else if others++; twins == nil {
			twins = []string{before, name}
		}
	}
	for label := range v.Len() {
		if name := v.Name(label); listsOthers(name, names) {
			lists = append(lists, name)
		}
	}
	cure := fmt.Sprintf("or name them in %s if that is right", s.Params.Names.Of(settings.NamedLabels))
	if twins != nil {
		warnings = append(warnings, fmt.Sprintf("labels %q and %q differ in spelling alone%s, and count as different: write labels and predictions alike, %s",
			quote.Short(twins[0]), quote.Short(twins[1]), more(others-1), cure))
	}
	if lists != nil {
		warnings = append(warnings, fmt.Sprintf("label %q lists other labels%s, and counts as one of its own: write lists as lists, such as in JSON lines or Parquet, for a multilabel task, %s",
			quote.Short(lists[0]), more(len(lists)-1), cure))
	}
	return warnings
}

func more(others int) string {
	if others == 0 {
		return ""
	}
	return fmt.Sprintf(", as do %d more", others)
}

// listsOthers reports whether a name is two or more of the names, divided by one of the usual characters.
func listsOthers(name string, names map[string]bool) bool {
	for _, divider := range []string{"|", ",", ";"} {
		parts := strings.Split(name, divider)
		if len(parts) > 1 && !slices.ContainsFunc(parts, func(part string) bool { return !names[strings.TrimSpace(part)] }) {
			return true
		}
	}
	return false
}

// plainly returns a name without what people overlook: capitals, spaces, and all but the value of a number.
func plainly(name string) string {
	plain := strings.ToLower(strings.Join(strings.Fields(name), " "))
	if strings.Trim(plain, "+-.e0123456789") != "" {
		return plain
	}
	if number, err := strconv.ParseFloat(plain, 64); err == nil {
		return strconv.FormatFloat(number, 'g', -1, 64)
	}
	return plain
}
