package synthetic

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/nearest"
	"github.com/parquet-go/parquet-go"
)

// Values of Spec.Task.
const (
	Binary     = "binary"
	Multiclass = "multiclass"
	Multilabel = "multilabel"
	Regression = "regression"
)

// Values of Spec.LabelEncoding.
const (
	Indices   = "indices"   // the indices of the labels that hold
	Names     = "names"     // their names
	Indicator = "indicator" // 0 or 1 for each label
)

// Values of Spec.ScoreType.
const (
	Probability = "probability"
	Logit       = "logit"
)

const (
	maxRows        = 1e12
	maxLabels      = 100_000
	maxFiles       = 1000 // all are open, each with a buffer, until they are published
	maxSliceValues = 1_000_000

	// groupValues is how many scores a row group has where its size is not given.
	groupValues  = 2_000_000
	maxGroupRows = 500_000
)

var (
	tasks       = []string{Binary, Multiclass, Multilabel, Regression}
	encodings   = []string{Indices, Names, Indicator}
	scoreTypes  = []string{Probability, Logit}
	unsupported = []string{"ranking", "label"} // of the specification, for later
)

// Spec says what to write. The zero value of a field stands for its default.
type Spec struct {
	Task          string // default: Binary
	Layout        string // "example", one row for each example
	Rows          int64
	Labels        int    // labels or classes; default: 20 (multilabel), 10 (multiclass)
	LabelEncoding string // multilabel; default: Indices
	ScoreType     string // default: Probability
	Float         int    // bits of scores and of regression's numbers: 32 or, by default, 64
	Files         int    // default: 1
	RowGroupSize  int64  // rows; default: 2 million scores, and at most 500,000 rows
	Codec         string // snappy (default), zstd, gzip or none
	Seed          uint64
	Weights       bool // add a column of weights
	Predictions   bool // add a column of hard predictions
	Slices        []Slice
}

// Slice is a column to slice by.
type Slice struct {
	Name   string
	Values int // how many different ones there are
}

// OptionError is a mistake in a Spec.
type OptionError struct {
	Option  string // the field, as a flag is spelled: row_group_size
	Problem string
}

func (e *OptionError) Error() string { return e.Option + ": " + e.Problem }

func bad(option, format string, args ...any) error {
	return &OptionError{Option: option, Problem: fmt.Sprintf(format, args...)}
}

// Complete returns s with the defaults filled in, or says what is wrong with it: the
// error is an [OptionError].
func (s Spec) Complete() (Spec, error) {
	s.Task = cmp.Or(s.Task, Binary)
	s.Layout = cmp.Or(s.Layout, "example")
	s.Codec = cmp.Or(s.Codec, "snappy")
	s.Float = cmp.Or(s.Float, 64)
	s.Files = cmp.Or(s.Files, 1)
	s.Slices = slices.Clone(s.Slices)
	// Every step may rely on those before it.
	for _, step := range []func() error{s.checkChoices, s.completeTask, s.checkSizes, s.completeGroups, s.checkSlices} {
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
		choice("layout", s.Layout, []string{"example"}),
		choice("codec", s.Codec, codecNames()))
}

// completeTask sees to the options that only some tasks have.
func (s *Spec) completeTask() error {
	hasLabels := s.Task == Multiclass || s.Task == Multilabel
	switch {
	case s.Labels != 0 && !hasLabels:
		return bad("labels", "is for tasks multiclass and multilabel, the task is %s", s.Task)
	case s.LabelEncoding != "" && s.Task != Multilabel:
		return bad("label_encoding", "is for task multilabel, the task is %s", s.Task)
	case s.ScoreType != "" && s.Task == Regression:
		return bad("score_type", "task regression has no scores")
	case s.Predictions && s.Task == Regression:
		return bad("predictions", "task regression has a prediction column anyway; leave this out")
	}
	switch s.Task {
	case Multiclass:
		s.Labels = cmp.Or(s.Labels, 10)
	case Multilabel:
		s.Labels = cmp.Or(s.Labels, 20)
		s.LabelEncoding = cmp.Or(s.LabelEncoding, Indices)
		if err := choice("label_encoding", s.LabelEncoding, encodings); err != nil {
			return err
		}
	}
	if s.Task == Regression {
		return nil
	}
	s.ScoreType = cmp.Or(s.ScoreType, Probability)
	return choice("score_type", s.ScoreType, scoreTypes)
}

func (s *Spec) checkSizes() error {
	least := int64(1)
	if s.Task == Multiclass {
		least = 2
	}
	if s.Labels != 0 {
		if err := within("labels", int64(s.Labels), least, maxLabels); err != nil {
			return err
		}
	}
	return cmp.Or(
		within("rows", s.Rows, 0, maxRows),
		within("files", int64(s.Files), 1, maxFiles))
}

func (s *Spec) completeGroups() error {
	if s.RowGroupSize == 0 {
		s.RowGroupSize = min(maxGroupRows, max(1, groupValues/int64(s.width())))
	}
	inFile := (s.Rows + int64(s.Files) - 1) / int64(s.Files)
	// One row group at least, and no more than the library can write.
	least := max(1, (inFile+parquet.MaxRowGroups-1)/parquet.MaxRowGroups)
	if s.RowGroupSize < least {
		return bad("row_group_size", "%d is too small: a file has %d rows and at most %d row groups; the nearest is %d",
			s.RowGroupSize, inFile, parquet.MaxRowGroups, least)
	}
	return nil
}

// width returns the number of scores in a row.
func (s *Spec) width() int { return max(1, s.Labels) }

func choice(option, value string, choices []string) error {
	switch {
	case slices.Contains(choices, value):
		return nil
	case slices.Contains(unsupported, value):
		return bad(option, "%q is not supported by this version; there are %s", value, strings.Join(choices, ", "))
	}
	return bad(option, "unknown value %q; did you mean %s? There are %s", value, nearest.Name(value, choices), strings.Join(choices, ", "))
}

func within(option string, value, least, most int64) error {
	if legal := min(max(value, least), most); legal != value {
		return bad(option, "must be within %d and %d, is %d; the nearest is %d", least, most, value, legal)
	}
	return nil
}
