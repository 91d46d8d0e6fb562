package transforms

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/transforms/checks"
	"github.com/beameval/beameval/transforms/input"
)

// alike finds labels that were found in the data and that people would read in another way: labels
// that differ in spelling alone, and labels that list others. Nobody has said that they are labels of their own.
func (s *settled) alike(v *input.Vocabulary) (odd []checks.Found) {
	if s.labelled() || s.Params.Task&finding == 0 {
		return nil
	}
	names, first := make(map[string]bool), make(map[string]string)
	var twins, lists, missing []string
	others := 0
	for label := range v.Len() {
		name := v.Name(label)
		names[name] = true
		if quote.LooksMissing(name) {
			missing = append(missing, name)
		}
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
		odd = append(odd, checks.Say("similar_labels", "labels %s and %s differ in spelling alone%s, and count as different: write labels and predictions alike, %s",
			unmistakable(twins[0]), unmistakable(twins[1]), more(others-1), cure))
	}
	if missing != nil {
		odd = append(odd, checks.Say("missing_labels", "label %q reads as a missing value%s, and counts as a label: write null, or name the text in %s, %s",
			missing[0], more(len(missing)-1), s.Params.Names.Of(settings.NullValues), cure))
	}
	if lists != nil {
		odd = append(odd, checks.Say("joined_labels", "label %q lists other labels%s, and counts as one of its own: write lists as lists, such as in JSON lines or Parquet, for a multilabel task, %s",
			quote.Short(lists[0]), more(len(lists)-1), cure))
	}
	return odd
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

// unmistakable quotes a name. What may look like something else is escaped: spaces, marks and characters without width.
func unmistakable(name string) string {
	if name = quote.Short(name); norm.NFKC.IsNormalString(name) && visible(name) == name {
		return strconv.Quote(name)
	}
	return strconv.QuoteToASCII(name)
}

// visible returns a name without characters that have no width.
func visible(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
}

// plainly returns a name without what people overlook: capitals, spaces, the form of Unicode, and all but the value of a number.
func plainly(name string) string {
	plain := strings.ToLower(strings.Join(strings.Fields(norm.NFKC.String(visible(name))), " "))
	if strings.Trim(plain, "+-.e0123456789") != "" {
		return plain
	}
	if number, err := strconv.ParseFloat(plain, 64); err == nil {
		return strconv.FormatFloat(number, 'g', -1, 64)
	}
	return plain
}
