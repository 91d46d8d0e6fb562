package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
)

// Thresholds are decision thresholds that were tuned on the data. A label is predicted if its score
// is at least its threshold.
//
// thresholds.json is an object that can be used as the value of the configuration key
// decision.threshold: the member "default", followed by a member for each label. It omits what the
// key cannot express: a label that is named "default", is empty or is not valid UTF-8, and a
// threshold that is not finite. Such labels get the default when the file is used.
type Thresholds struct {
	// Default is the threshold of labels that are not in PerLabel.
	Default  float64
	PerLabel []LabelThreshold
	// Criterion is what the thresholds were tuned for, such as "max_f1". If it is not empty, a
	// warning of the report mentions it.
	Criterion string
}

// LabelThreshold is the threshold of one label.
type LabelThreshold struct {
	Label     string
	Threshold float64
}

// sort sorts the labels in their order. Duplicate labels are sorted by threshold.
func (t *Thresholds) sort(rank *ranks) {
	slices.SortFunc(t.PerLabel, func(a, b LabelThreshold) int {
		return cmp.Or(
			cmp.Compare(rank.label(&a.Label), rank.label(&b.Label)),
			cmp.Compare(a.Threshold, b.Threshold),
		)
	})
}

// Write writes thresholds.json, one threshold on each line. For a duplicate label, it writes only
// the first threshold, because member names are unique.
func (t *Thresholds) Write(w io.Writer) error {
	separator := "{"
	add := func(name string, threshold float64) error {
		if !floats.Finite(threshold) {
			return nil
		}
		_, err := fmt.Fprintf(w, "%s\n  %s: %s", separator, quote.AppendJSON(nil, name), floats.JSON(threshold))
		separator = ","
		return err
	}
	if err := add(defaultThreshold, t.Default); err != nil {
		return err
	}
	for i, l := range t.PerLabel {
		repeated := i > 0 && l.Label == t.PerLabel[i-1].Label
		if repeated || l.Label == defaultThreshold || l.Label == "" || !utf8.ValidString(l.Label) {
			continue
		}
		if err := add(l.Label, l.Threshold); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, strings.TrimPrefix(separator, ",")+"\n}\n")
	return err
}

// Warning says what the thresholds were tuned for and on which data: with them, metrics on this
// data look better than on other data. It is "" if they were not tuned.
func (t *Thresholds) Warning() string {
	if t == nil || t.Criterion == "" {
		return ""
	}
	return "the thresholds in " + ThresholdsJSON + " were tuned on this data, for " + t.Criterion +
		": evaluate them on other data"
}
