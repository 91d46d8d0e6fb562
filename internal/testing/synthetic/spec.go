package synthetic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/metrics"
)

// Values of Spec.Task.
const (
	Binary     = "binary"
	Multiclass = "multiclass"
	Multilabel = "multilabel"
	Ranking    = "ranking"
	Regression = "regression"
	Preference = "preference"
	Grade      = "grade"
	Agreement  = "agreement"
)

// Values of Spec.Layout.
const (
	LayoutExample = "example" // one row for each example; for ranking, for each query
	LayoutLabel   = "label"   // one row for each label of an example, or item of a query
)

// Values of Spec.LabelEncoding.
const (
	Indices   = "indices"   // the indexes of the positive labels
	Names     = "names"     // their names
	Indicator = "indicator" // 0 or 1 for each label
)

// Values of Spec.IDs.
const (
	Integer = "integer" // numbers from 0; of queries, as texts
	UUID    = "uuid"    // 32 hexadecimal digits
	Name    = "name"    // such as example_17, query_17 and doc_17
)

// Values of Spec.ScoreType.
const (
	Probability = "probability"
	Logit       = "logit"
)

const (
	maxRows        = 1e12
	maxLabels      = 100_000 // also of items and attempts
	maxFiles       = 1000    // all stay open, each with a buffer, until they are published
	maxSliceValues = 1_000_000

	// groupValues is the default number of scores in a row group.
	groupValues  = 2_000_000
	maxGroupRows = 500_000
)

var (
	tasks      = []string{Binary, Multiclass, Multilabel, Ranking, Regression, Preference, Grade, Agreement}
	layouts    = []string{LayoutExample, LayoutLabel}
	encodings  = []string{Indices, Names, Indicator}
	scoreTypes = []string{Probability, Logit}
	idTypes    = []string{Integer, UUID, Name}

	// instead is what rows of some tasks have instead of labels and predictions.
	instead = map[string]string{Preference: "outcomes", Grade: "grades", Agreement: "ratings"}
)

// Spec defines what to write. The zero value of a field stands for the default.
type Spec struct {
	Task          string // default: Binary
	Layout        string // default: LayoutLabel for Ranking, LayoutExample for the others
	Rows          int64  // in the files, whatever the layout; the last example may lack rows
	Labels        int    // labels, classes, systems or raters; default: 20 (multilabel, preference), 10 (multiclass), 5 (agreement)
	Items         int    // ranking: items of a query; default: 100
	Attempts      int    // grade: attempts at an example, each a row; default: 4
	IDs           string // default: Integer
	LabelEncoding string // multilabel; default: Indices, or Names with LayoutLabel
	ScoreType     string // default: Probability
	Float         int    // bits of scores and of the numbers of a regression: 32 or, by default, 64
	Files         int    // default: 1
	RowGroupSize  int64  // rows; default: 2 million scores, and at most 500,000 rows
	Codec         string // snappy (default), zstd, gzip or none
	Seed          uint64
	Weights       bool    // add a column of weights
	Predictions   bool    // add a column of hard predictions
	Unlabelled    float64 // binary, multiclass: the share of examples without a label
	Shuffle       bool    // put rows in random order across all files
	Truth         bool    // write labels to files of their own, in another order; not for preferences, grades, ratings and lists of items
	Slices        []Slice
	Broken        Broken // binary: the scores that tell nothing
}

// Slice is a column to slice by.
type Slice struct {
	Name   string
	Values int // number of distinct values
}

// bad returns an error about an option: the field, spelled like a flag.
func bad(option, format string, args ...any) error {
	return fmt.Errorf("%s: %w", option, fmt.Errorf(format, args...))
}

// Complete returns s with all defaults filled in. If s is invalid, the error begins with
// the name of the option, spelled like a flag: row_group_size.
func (s Spec) Complete() (Spec, error) {
	s.Task = cmp.Or(s.Task, Binary)
	if s.Layout == "" && s.Task == Ranking {
		s.Layout = LayoutLabel
	}
	s.Layout = cmp.Or(s.Layout, LayoutExample)
	s.Codec = cmp.Or(s.Codec, "snappy")
	s.IDs = cmp.Or(s.IDs, Integer)
	s.Float = cmp.Or(s.Float, 64)
	s.Files = cmp.Or(s.Files, 1)
	s.Slices = slices.Clone(s.Slices)
	// Each step may rely on the previous ones.
	for _, step := range []func() error{s.checkChoices, s.completeTask, s.checkSizes, s.completeGroups, s.checkSlices, s.checkBroken} {
		if err := step(); err != nil {
			return Spec{}, err
		}
	}
	return s, nil
}

func (s *Spec) checkChoices() error {
	if s.Float != 32 && s.Float != 64 {
		nearest := 64
		if s.Float < 48 {
			nearest = 32
		}
		return bad("float", "%d is neither 32 nor 64; did you mean %d?", s.Float, nearest)
	}
	return cmp.Or(
		choice("task", s.Task, tasks),
		choice("layout", s.Layout, layouts),
		choice("ids", s.IDs, idTypes),
		choice("codec", s.Codec, codecNames()))
}

// completeTask checks and completes the options that only some tasks have.
func (s *Spec) completeTask() error {
	only := instead[s.Task]
	hasLabels := s.Task == Multiclass || s.Task == Multilabel || s.comparesLabels()
	switch {
	case s.Labels != 0 && !hasLabels:
		return bad("labels", "is for tasks multiclass, multilabel, preference and agreement, the task is %s", s.Task)
	case s.Items != 0 && s.Task != Ranking:
		return bad("items", "is for task ranking, the task is %s", s.Task)
	case s.Attempts != 0 && s.Task != Grade:
		return bad("attempts", "is for task grade, the task is %s", s.Task)
	case s.Layout == LayoutLabel && s.Task != Multilabel && s.Task != Ranking:
		return bad("layout", "label is for tasks multilabel and ranking, the task is %s", s.Task)
	case !(s.Unlabelled >= 0 && s.Unlabelled <= 1):
		return bad("unlabelled", "must be within 0 and 1, is %v", s.Unlabelled)
	case s.Unlabelled != 0 && s.Task != Binary && s.Task != Multiclass:
		return bad("unlabelled", "is for tasks binary and multiclass, the task is %s", s.Task)
	case s.LabelEncoding != "" && s.Task != Multilabel:
		return bad("label_encoding", "is for task multilabel, the task is %s", s.Task)
	case s.LabelEncoding == Indicator && s.Layout == LayoutLabel:
		return bad("label_encoding", "indicator is for layout example, the layout is label")
	case s.ScoreType != "" && s.Task == Ranking:
		return bad("score_type", "task ranking has scores that are any numbers; leave this out")
	case s.Predictions && s.Task == Ranking:
		return bad("predictions", "task ranking has scores only")
	case s.ScoreType != "" && (s.Task == Regression || only != ""):
		return bad("score_type", "task %s has no scores", s.Task)
	case s.Truth && only != "":
		return bad("truth", "task %s has %s only", s.Task, only)
	case s.Truth && s.Task == Ranking && s.Layout == LayoutExample:
		return bad("truth", "task ranking has labels in files of their own with layout label only")
	case s.Predictions && only != "":
		return bad("predictions", "task %s has %s only", s.Task, only)
	case s.Predictions && s.Task == Regression:
		return bad("predictions", "task regression has a prediction column anyway; leave this out")
	}
	switch s.Task {
	case Multiclass:
		s.Labels = cmp.Or(s.Labels, 10)
	case Multilabel:
		s.Labels = cmp.Or(s.Labels, 20)
		if s.LabelEncoding == "" && s.Layout == LayoutLabel {
			s.LabelEncoding = Names
		}
		s.LabelEncoding = cmp.Or(s.LabelEncoding, Indices)
		if err := choice("label_encoding", s.LabelEncoding, encodings); err != nil {
			return err
		}
	case Preference:
		s.Labels = cmp.Or(s.Labels, 20)
	case Ranking:
		s.Items = cmp.Or(s.Items, 100)
	case Grade:
		s.Attempts = cmp.Or(s.Attempts, 4)
	case Agreement:
		s.Labels = cmp.Or(s.Labels, 5)
	}
	if s.Task == Regression || s.Task == Ranking || only != "" {
		return nil
	}
	s.ScoreType = cmp.Or(s.ScoreType, Probability)
	return choice("score_type", s.ScoreType, scoreTypes)
}

func (s *Spec) checkSizes() error {
	least, most := int64(1), int64(maxLabels)
	switch s.Task {
	case Multiclass:
		least = 2
	case Preference:
		least, most = 2, metrics.MostSystems
	case Agreement:
		least, most = 2, mostRaters
	}
	var err error
	switch {
	case s.Labels != 0:
		err = within("labels", int64(s.Labels), least, most)
	case s.Items != 0:
		err = within("items", int64(s.Items), 1, maxLabels)
	case s.Attempts != 0:
		err = within("attempts", int64(s.Attempts), 1, maxLabels)
	}
	return cmp.Or(err,
		within("rows", s.Rows, 0, maxRows),
		within("files", int64(s.Files), 1, maxFiles))
}

func (s *Spec) completeGroups() error {
	if s.RowGroupSize == 0 {
		s.RowGroupSize = min(maxGroupRows, max(1, groupValues/int64(s.width())))
	}
	inFile := s.start(1) // no other file has more rows
	// At least one row group, and no more than the library can write.
	least := max(1, (inFile+parquet.MaxRowGroups-1)/parquet.MaxRowGroups)
	if s.RowGroupSize < least {
		return bad("row_group_size", "%d is too small: a file has %d rows and at most %d row groups; the nearest is %d",
			s.RowGroupSize, inFile, parquet.MaxRowGroups, least)
	}
	return nil
}

// comparesLabels reports whether Labels are systems or raters, which have no scores.
func (s *Spec) comparesLabels() bool { return s.Task == Preference || s.Task == Agreement }

// width returns the number of scores in a row.
func (s *Spec) width() int {
	if s.Layout == LayoutLabel || s.comparesLabels() {
		return 1
	}
	return max(1, s.Labels, s.Items)
}

// span returns the number of rows of an example.
func (s *Spec) span() int64 {
	if s.Layout == LayoutLabel {
		return int64(max(s.Labels, s.Items))
	}
	return int64(max(1, s.Attempts))
}

// lists reports whether a row has a list of scores.
func (s *Spec) lists() bool {
	return s.Layout == LayoutExample && !s.comparesLabels() && max(s.Labels, s.Items) > 0
}

func choice(option, value string, choices []string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return bad(option, "unknown value %q%s There are %s", value, quote.Meant(value, choices), strings.Join(choices, ", "))
}

func within(option string, value, least, most int64) error {
	if legal := min(max(value, least), most); legal != value {
		return bad(option, "must be within %d and %d, is %d; the nearest is %d", least, most, value, legal)
	}
	return nil
}
