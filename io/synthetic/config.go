package synthetic

import (
	"fmt"
	"strings"
)

// ConfigFile is the name of the configuration beside the data. Which scores and which
// label encoding they have cannot always be told from the columns. Programs that read a
// directory of Parquet files pass over names that begin with an underscore.
const ConfigFile = "_evaluate.yaml"

// config returns the content of ConfigFile. Where the data are is left to the command
// line, so that the directory can be moved.
func (s *Spec) config() string {
	var text strings.Builder
	fmt.Fprintf(&text, "# %d rows, seed %d\ntask: %s\n", s.Rows, s.Seed, s.Task)
	perLabel := s.Task == Multilabel && s.Layout == LayoutLabel
	if s.Task != Regression {
		text.WriteString("input:\n")
	}
	if s.Task == Ranking || perLabel {
		fmt.Fprintf(&text, "  layout: %s\n", s.Layout)
	}
	if perLabel {
		fmt.Fprintf(&text, "  columns: {class: %s}\n", s.classColumn())
	}
	if s.ScoreType != "" {
		fmt.Fprintf(&text, "  score_type: %s\n", s.ScoreType)
	}
	if s.LabelEncoding != "" && !perLabel {
		fmt.Fprintf(&text, "  label_encoding: %s\n", s.LabelEncoding)
	}
	if perLabel && s.LabelEncoding == Indices {
		fmt.Fprintf(&text, "num_labels: %d\n", s.Labels) // which no row tells
	}
	for i, slice := range s.Slices {
		if i == 0 {
			text.WriteString("slices:\n")
		}
		fmt.Fprintf(&text, "  - [%q]\n", slice.Name) // quoted, because no and null are names too
	}
	return text.String()
}
