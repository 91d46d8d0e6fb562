package synthetic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Broken says which scores of task binary tell nothing: a share of the rows that have a value of a slice column. They have
// the score of another example, as if a feature were lost, so that their distribution stays what it was.
type Broken struct {
	Column, Value string
	Share         float64
}

// ParseBroken parses a slice and a share, such as country=country_2:0.3.
func ParseBroken(text string) (Broken, error) {
	column, rest, named := strings.Cut(text, "=")
	value, share, shared := strings.Cut(rest, ":")
	if !named || !shared {
		return Broken{}, fmt.Errorf("%q is not a slice and a share; write it as country=country_2:0.3", text)
	}
	number, err := strconv.ParseFloat(share, 64)
	if err != nil {
		return Broken{}, fmt.Errorf("%q is not a share; write it as 0.3", share)
	}
	return Broken{strings.TrimSpace(column), value, number}, nil
}

func (s *Spec) checkBroken() error {
	if s.Broken == (Broken{}) {
		return nil
	}
	if s.Task != Binary {
		return bad("broken", "is for task binary, the task is %s", s.Task)
	}
	if share := s.Broken.Share; !(share >= 0 && share <= 1) {
		return bad("broken", "the share must be within 0 and 1, is %v", share)
	}
	column := slices.IndexFunc(s.Slices, func(slice Slice) bool { return slice.Name == s.Broken.Column })
	if column < 0 {
		return bad("broken", "there is no slice column %q; add it, such as --slices %s:3", s.Broken.Column, s.Broken.Column)
	}
	slice := s.Slices[column]
	if texts := slice.texts(); slice.indexOf(s.Broken.Value) < 0 {
		return bad("broken", "column %s has no value %q, only %s to %s", slice.Name, s.Broken.Value, texts[0].ByteArray(), texts[len(texts)-1].ByteArray())
	}
	return nil
}

// texts returns the values of the column, the most frequent first.
func (slice Slice) texts() []parquet.Value { return numbered(slice.Name, slice.Values) }

// indexOf returns the place of a text among the values of the column, or -1.
func (slice Slice) indexOf(text string) int {
	return slices.IndexFunc(slice.texts(), func(v parquet.Value) bool { return string(v.ByteArray()) == text })
}

// valueOf returns a function that returns the place of the value that an example has.
func (slice Slice) valueOf(seed uint64) func(example int64) int {
	draws := newStream(seed, "slice "+slice.Name)
	return func(example int64) int { return skewed(draws.uniform(example), slice.Values) }
}

// brokenScores returns which rows have the score of another example: none, if it is nil.
func (s *Spec) brokenScores() func(row int64) bool {
	if s.Broken.Share == 0 {
		return nil
	}
	slice := s.Slices[slices.IndexFunc(s.Slices, func(slice Slice) bool { return slice.Name == s.Broken.Column })]
	value, at := slice.indexOf(s.Broken.Value), slice.valueOf(s.Seed)
	lost, share := newStream(s.Seed, "broken"), s.Broken.Share
	return func(row int64) bool { return at(row) == value && lost.uniform(row) < share }
}
