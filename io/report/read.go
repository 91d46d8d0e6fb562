package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// Read reads back a metrics.json. Of the confusion only what that file has
// inline comes back: the cells of the overall slice, if classes are few. Curves,
// thresholds and queries have files of their own and do not come back. A value
// that was written as null comes back as NaN, an end of an interval as the
// infinity that it stands for. Rows of one slice share it.
func Read(data []byte) (*Report, error) {
	var file struct {
		Schema    string          `json:"schema"`
		Task      string          `json:"task"`
		Rows      RowCounts       `json:"rows"`
		Examples  int64           `json:"examples"`
		Labels    []string        `json:"labels"`
		NumLabels int             `json:"num_labels"`
		Config    json.RawMessage `json:"config"`
		Metrics   []rowJSON       `json:"metrics"`
		Confusion *confusionJSON  `json:"confusion"`
		Warnings  []string        `json:"warnings"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if file.Schema != Schema {
		return nil, fmt.Errorf("report: the schema is %q, not %q", file.Schema, Schema)
	}
	r := &Report{
		Task:      file.Task,
		Rows:      file.Rows,
		Examples:  file.Examples,
		Labels:    namesOf(file.Labels),
		NumLabels: file.NumLabels,
		Warnings:  orNil(file.Warnings),
	}
	if len(r.Rows.Skipped) == 0 {
		r.Rows.Skipped = nil
	}
	if len(file.Config) > 0 && string(file.Config) != "null" {
		var config bytes.Buffer
		if err := json.Compact(&config, file.Config); err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		r.Config = config.Bytes()
	}
	var err error
	if r.Metrics, err = readRows(file.Metrics); err != nil {
		return nil, err
	}
	if r.Confusion, err = file.Confusion.cells(); err != nil {
		return nil, fmt.Errorf("report: confusion: %w", err)
	}
	return r, nil
}

// orNil makes an empty list nil, as it was before it was written.
func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// namesOf returns the names that texts stand for, and nil for none.
func namesOf(texts []string) []string {
	var names []string
	for _, text := range texts {
		names = append(names, quote.Unescape(text))
	}
	return names
}

type rowJSON struct {
	Name      string          `json:"name"`
	Slice     json.RawMessage `json:"slice"`
	Label     *string         `json:"label"`
	Value     *float64        `json:"value"`
	Low       *float64        `json:"low"`
	High      *float64        `json:"high"`
	Undefined string          `json:"undefined"`
	Support   int64           `json:"support"`
}

func readRows(read []rowJSON) ([]Row, error) {
	if len(read) == 0 {
		return nil, nil
	}
	rows := make([]Row, len(read))
	var slice slice.Key
	var text []byte // of slice
	for i, in := range read {
		if len(in.Slice) == 0 {
			return nil, fmt.Errorf("report: metric row %d has no slice", i+1)
		}
		if !bytes.Equal(in.Slice, text) {
			slice = nil
			if err := slice.UnmarshalJSON(in.Slice); err != nil {
				return nil, err
			}
			text = in.Slice
		}
		rows[i] = Row{
			Name:      in.Name,
			Slice:     slice,
			Value:     math.NaN(),
			Undefined: in.Undefined,
			Support:   in.Support,
		}
		if in.Label != nil {
			label := quote.Unescape(*in.Label)
			rows[i].Label = &label
		}
		if in.Value != nil {
			rows[i].Value = *in.Value
		}
		if in.Low != nil || in.High != nil {
			rows[i].Interval = &Interval{math.Inf(-1), math.Inf(1)}
		}
		if in.Low != nil {
			rows[i].Interval.Low = *in.Low
		}
		if in.High != nil {
			rows[i].Interval.High = *in.High
		}
	}
	return rows, nil
}

type confusionJSON struct {
	Labels   []string        `json:"labels"`
	Matrix   [][]json.Number `json:"matrix"`
	Counts   [][]json.Number `json:"counts"`
	PerLabel []struct {
		Label string `json:"label"`
		twoByTwoJSON
		Counts *twoByTwoJSON `json:"counts"`
	} `json:"per_label"`
}

type twoByTwoJSON struct {
	TP json.Number `json:"tp"`
	FP json.Number `json:"fp"`
	FN json.Number `json:"fn"`
	TN json.Number `json:"tn"`
}

// numbers returns the rows of the matrix.
func (t *twoByTwoJSON) numbers() [][]json.Number {
	if t == nil {
		return nil
	}
	return [][]json.Number{{t.TN, t.FP}, {t.FN, t.TP}}
}

// cells returns the cells of f that are not zero.
func (f *confusionJSON) cells() ([]Cell, error) {
	switch {
	case f == nil:
		return nil, nil
	case f.PerLabel == nil:
		return appendCells(nil, Cell{}, namesOf(f.Labels), f.Matrix, f.Counts)
	}
	var cells []Cell
	var err error
	for _, label := range f.PerLabel {
		name := quote.Unescape(label.Label)
		cells, err = appendCells(cells, Cell{Label: &name}, []string{"0", "1"},
			label.numbers(), label.Counts.numbers())
		if err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// appendCells appends the cells of a matrix, which look like cell otherwise.
// Without counts, the numbers in the matrix are both counts and weights.
func appendCells(cells []Cell, cell Cell, classes []string, matrix, counts [][]json.Number) ([]Cell, error) {
	if counts == nil {
		counts = matrix
	}
	if err := checkSquare(matrix, len(classes)); err != nil {
		return nil, err
	}
	if err := checkSquare(counts, len(classes)); err != nil {
		return nil, err
	}
	for i := range classes {
		for j := range classes {
			count, err := strconv.ParseInt(counts[i][j].String(), 10, 64)
			if err != nil {
				return nil, fmt.Errorf("the count %q is not an integer", counts[i][j])
			}
			weight := math.NaN()
			if matrix[i][j] != "" {
				if weight, err = matrix[i][j].Float64(); err != nil {
					return nil, fmt.Errorf("the weight %s is out of range", matrix[i][j])
				}
			}
			if count == 0 && weight == 0 {
				continue
			}
			cell.True, cell.TrueIndex = classes[i], i
			cell.Predicted, cell.PredictedIndex = classes[j], j
			cell.Count, cell.Weight = count, weight
			cells = append(cells, cell)
		}
	}
	return cells, nil
}

func checkSquare(matrix [][]json.Number, size int) error {
	if len(matrix) != size {
		return fmt.Errorf("%d rows for %d labels", len(matrix), size)
	}
	for _, row := range matrix {
		if len(row) != size {
			return fmt.Errorf("%d columns for %d labels", len(row), size)
		}
	}
	return nil
}
