// Package recalibration has maps from scores to calibrated probabilities, and their file,
// recalibration.json.
package recalibration

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"

	"github.com/go-json-experiment/json/jsontext"
)

// Schema is the schema of the file.
const Schema = "beameval.recalibration/v1"

// ScoreTypes are what scores may be.
var ScoreTypes = []string{"probability", "logit", "score"}

// Map is a step function that never decreases. Probabilities[i] holds from Scores[i] to the next
// score; below Scores[0], Probabilities[0] holds.
type Map struct {
	Schema string `json:"schema"`
	// ScoreType is what the scores are: one of ScoreTypes.
	ScoreType string `json:"score_type"`
	// Scores increase, and Probabilities, one for each, do not decrease.
	Scores        []float64 `json:"scores"`
	Probabilities []float64 `json:"probabilities"`
}

// New returns a map without steps.
func New(scoreType string) *Map {
	return &Map{Schema: Schema, ScoreType: scoreType, Scores: []float64{}, Probabilities: []float64{}}
}

// Add adds a step. Scores must come in increasing order. An infinite score becomes the finite one next to
// it, because JSON has no infinite numbers.
func (m *Map) Add(score, probability float64) {
	score = min(max(score, -math.MaxFloat64), math.MaxFloat64)
	if last := len(m.Scores) - 1; last >= 0 && m.Scores[last] >= score {
		m.Probabilities[last] = probability
		return
	}
	m.Scores, m.Probabilities = append(m.Scores, score), append(m.Probabilities, probability)
}

// Read reads the file. It returns an error if the file is not a map, has a null for a number, or a
// key twice.
func Read(data []byte) (*Map, error) {
	var file struct {
		Schema        string     `json:"schema"`
		ScoreType     string     `json:"score_type"`
		Scores        []*float64 `json:"scores"`
		Probabilities []*float64 `json:"probabilities"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("expected a recalibration.json: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("expected a recalibration.json: there is something after the JSON object")
	}
	if _, err := jsontext.NewDecoder(bytes.NewReader(bytes.ToLower(data))).ReadValue(); errors.Is(err, jsontext.ErrDuplicateName) {
		return nil, fmt.Errorf("expected a recalibration.json: a key occurs twice: %w", err) // of keys in either case, which json takes
	}
	m := &Map{Schema: file.Schema, ScoreType: file.ScoreType}
	for _, list := range []struct {
		key  string
		from []*float64
		to   *[]float64
	}{{"scores", file.Scores, &m.Scores}, {"probabilities", file.Probabilities, &m.Probabilities}} {
		for i, x := range list.from {
			if x == nil {
				return nil, fmt.Errorf("%s[%d] is null: expected a number", list.key, i)
			}
			*list.to = append(*list.to, *x)
		}
	}
	return m, m.Check()
}

// Check returns an error if the map is not as its fields say. A nil map is valid: it does not exist.
func (m *Map) Check() error {
	switch {
	case m == nil:
		return nil
	case m.Schema != Schema:
		return fmt.Errorf("schema is %.60q: expected %q", m.Schema, Schema)
	case !slices.Contains(ScoreTypes, m.ScoreType):
		return fmt.Errorf("score_type is %.60q: expected one of %q", m.ScoreType, ScoreTypes)
	case len(m.Scores) == 0:
		return errors.New("scores is empty: expected at least one")
	case len(m.Scores) != len(m.Probabilities):
		return fmt.Errorf("%d scores and %d probabilities: expected one for each", len(m.Scores), len(m.Probabilities))
	}
	for i, p := range m.Probabilities {
		switch {
		case i > 0 && !(m.Scores[i] > m.Scores[i-1]):
			return fmt.Errorf("scores[%d] is %v after %v: expected increasing scores", i, m.Scores[i], m.Scores[i-1])
		case !(p >= 0 && p <= 1):
			return fmt.Errorf("probabilities[%d] is %v: expected a number within [0, 1]", i, p)
		case i > 0 && p < m.Probabilities[i-1]:
			return fmt.Errorf("probabilities[%d] is %v after %v: expected probabilities that do not decrease", i, p, m.Probabilities[i-1])
		}
	}
	return nil
}

// Write writes the file.
func (m *Map) Write(w io.Writer) error { return json.NewEncoder(w).Encode(m) }

// Apply replaces scores by their probabilities. NaN stays.
func (m *Map) Apply(scores []float64) {
	for i, x := range scores {
		if x == x {
			above := sort.Search(len(m.Scores), func(k int) bool { return m.Scores[k] > x })
			scores[i] = m.Probabilities[max(above-1, 0)]
		}
	}
}
