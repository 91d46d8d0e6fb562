package synthetic

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// taken lists the names of the columns here, and the names from which beameval infers the role of a
// column.
var taken = strings.Fields(`
	label labels y_true target ground_truth relevance winner
	score scores probability probabilities y_score logits
	prediction predictions predicted y_pred
	example_id id query_id qid doc_id item_id weight sample_weight
	label_name label_index model_a model_b grade passed reward`)

// ParseSlices parses slices such as country:5,device:3.
func ParseSlices(text string) ([]Slice, error) {
	var parsed []Slice
	for part := range strings.SplitSeq(text, ",") {
		name, count, ok := strings.Cut(strings.TrimSpace(part), ":")
		if !ok {
			return nil, fmt.Errorf("%q lacks the number of values; write it as %s:5", part, max(name, "country"))
		}
		values, err := ParseCount(count)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		parsed = append(parsed, Slice{Name: name, Values: int(values)})
	}
	return parsed, nil
}

func (s *Spec) checkSlices() error {
	seen := map[string]bool{}
	for _, slice := range s.Slices {
		name := strings.ToLower(slice.Name)
		if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return bad("slices", "%q is not a name of letters, digits and underscores", slice.Name)
		}
		if slices.Contains(taken, name) || s.Task == Agreement && strings.HasPrefix(name, "rater_") {
			return bad("slices", "%s is the name of a column with another meaning; choose one such as %s_slice", slice.Name, name)
		}
		if seen[name] {
			return bad("slices", "%s is there twice", slice.Name)
		}
		seen[name] = true
		if err := within("slices: "+slice.Name, int64(slice.Values), 1, maxSliceValues); err != nil {
			return err
		}
	}
	return nil
}

// column returns the column of a slice.
func (slice Slice) column(seed uint64) column {
	texts, at := slice.texts(), slice.valueOf(seed)
	return perRow(slice.Name, dictionary(parquet.String()), func(b *batch, i int) parquet.Value {
		return texts[at(b.example(i))]
	})
}

// ParseCount parses a whole number in any of the forms in which people write large ones: 10000000,
// 10_000_000, 10M, 1e6, 1.5k.
func ParseCount(text string) (int64, error) {
	number := strings.ReplaceAll(text, "_", "")
	for suffix, exponent := range map[string]string{"k": "e3", "m": "e6", "g": "e9"} {
		if before, ok := strings.CutSuffix(strings.ToLower(number), suffix); ok {
			number = before + exponent
			break
		}
	}
	value, err := strconv.ParseFloat(number, 64)
	// ParseFloat also accepts signs, hexadecimal numbers, infinities and NaN.
	if err != nil || strings.Trim(number, "0123456789.eE") != "" {
		return 0, fmt.Errorf("%q is not a count; write it like 10000000, 10M, 1e6 or 50k", text)
	}
	if value > 1<<53 {
		return 0, fmt.Errorf("%s is too large; the nearest is %d", text, int64(1)<<53)
	}
	if value != math.Trunc(value) {
		return 0, fmt.Errorf("%s is not a whole number; the nearest is %.0f", text, math.Round(value))
	}
	return int64(value), nil
}
