package pipeline

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/metrics"
)

// textualList matches a list as text, as Python and JSON write it, but not a text in brackets, such as
// [CLS].
var textualList = regexp.MustCompile(`^(\[\s*([\]"'0-9.+-].*)?\]?|[{(]\s*["'].*[)}])\s*$`)

// refuseTextualLists rejects lists of labels or scores that are written as text, as pandas writes them to
// CSV.
func (t *tables) refuseTextualLists(ctx context.Context) error {
	for _, r := range []roles.Role{roles.Score, roles.Label, roles.Prediction} {
		in := t.of(r)
		if !in.has(r) || t.dispensable(r) {
			continue
		}
		field, err := in.field(r)
		if err != nil {
			return err
		}
		if field.List || field.Type != columns.String {
			continue
		}
		values, err := in.firstValues(ctx, field.Path)
		if err != nil || len(values) == 0 || !t.areLists(r, values) {
			continue // reporting damage is left to the run
		}
		return t.cfg.Errorf(in.key(r), "%s: column %q has lists as text, such as %.24q: write a column for each label, such as %s_spam, or lists in Parquet or JSON lines",
			in.files[0].info.Name, field.Path, values[0], field.Path)
	}
	return nil
}

// writtenAsText says how numbers are written that the columns of a role have as texts, or returns "".
func (t *table) writtenAsText(ctx context.Context, r roles.Role) string {
	paths := columnsOfList(t.columns[r])
	if len(paths) == 0 {
		paths = []string{t.column(r)}
	}
	for _, path := range paths {
		if f, err := t.lookup(path); err != nil || f.Type != columns.String || f.List {
			continue
		}
		values, err := t.firstValues(ctx, path)
		if err != nil {
			return "" // reporting damage is left to the run
		}
		numbers := 0
		for _, value := range values {
			if _, err := strconv.ParseFloat(value, 64); err == nil {
				numbers++
			} else if advice := asNumber(value); advice != "" {
				return fmt.Sprintf("; column %q has %.40q: %s", path, value, advice)
			}
		}
		if numbers == len(values) && numbers > 0 {
			return fmt.Sprintf("; column %q has %.40q: write numbers as such, not as texts", path, values[0])
		}
	}
	return ""
}

// The texts of numbers that are none to a parser: percentages, and numbers with commas.
var (
	percentage   = regexp.MustCompile(`^([+-]?[0-9.]+)\s*%$`)
	thousand     = regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2},[0-9]{3}$`)
	thousands    = regexp.MustCompile(`^[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$`)
	decimalComma = regexp.MustCompile(`^[+-]?([0-9]*|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+$`)
)

// asNumber says how to write a text that is no number as the one that it stands for, or returns "" if it stands for none.
func asNumber(value string) string {
	text := strings.TrimSpace(value)
	if quote.LooksMissing(text) {
		return "write null, or list the text in input.null_values, if it means a missing value"
	}
	without := func(mark string) string { return strings.ReplaceAll(text, mark, "") }
	if part := percentage.FindStringSubmatch(text); part != nil {
		if x, err := strconv.ParseFloat(part[1], 64); err == nil {
			return "write the share as a number, " + strconv.FormatFloat(x/100, 'g', -1, 64)
		}
	}
	switch _, err := strconv.ParseFloat(text, 64); {
	case err == nil:
		return "write numbers without spaces around them"
	case thousand.MatchString(text):
		return fmt.Sprintf("write %s or, if the comma is that of a decimal, %s", without(","), strings.ReplaceAll(text, ",", "."))
	case thousands.MatchString(text):
		return "write " + without(",")
	case decimalComma.MatchString(text):
		return "write " + strings.ReplaceAll(without("."), ",", ".")
	}
	return ""
}

// areLists reports whether texts are lists: of scores, if one begins as a list; of labels, if all look
// like lists, and none is a class that the configuration names.
func (t *tables) areLists(r roles.Role, values []string) bool {
	if r == roles.Score {
		return strings.HasPrefix(values[0], "[")
	}
	named := func(value string) bool {
		return slices.Contains(t.cfg.Labels, value) || t.cfg.PositiveLabel == value
	}
	other := func(value string) bool { return value != "" && !textualList.MatchString(value) }
	return t.cfg.Task != metrics.Preference && !slices.ContainsFunc(values, named) && !slices.ContainsFunc(values, other)
}
