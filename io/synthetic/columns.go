package synthetic

import (
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// column is a column of the files: its type, and how it is encoded. Values carry the
// levels of the Parquet format; the writer of a column knows which column it is.
type column struct {
	name   string
	node   parquet.Node
	values func(out []parquet.Value, b *batch) []parquet.Value // appends those of a batch
}

// columns returns the columns of the files, in order.
func (s *Spec) columns() []column {
	label, score := "label", "score"
	if s.Task == Multilabel {
		label = "labels"
	}
	if s.Labels > 0 {
		score = "scores"
	}
	form := s.outcomeForm()
	all := []column{
		{"example_id", parquet.Leaf(parquet.Int64Type), exampleIDs},
		{label, form.node, func(out []parquet.Value, b *batch) []parquet.Value { return form.values(out, b, &b.truth) }},
	}
	if s.Task != Regression {
		all = append(all, s.scoreColumn(score))
	}
	if s.Predictions || s.Task == Regression {
		all = append(all, column{"prediction", form.node, func(out []parquet.Value, b *batch) []parquet.Value {
			return form.values(out, b, &b.predicted)
		}})
	}
	if s.Weights {
		all = append(all, weightColumn(s.Seed))
	}
	for _, slice := range s.Slices {
		all = append(all, slice.column(s.Seed))
	}
	return all
}

func exampleIDs(out []parquet.Value, b *batch) []parquet.Value {
	for i := range b.rows {
		out = append(out, parquet.Int64Value(b.first+int64(i)))
	}
	return out
}

func (s *Spec) scoreColumn(name string) column {
	node, value := s.float()
	if s.Labels == 0 {
		return column{name, node, func(out []parquet.Value, b *batch) []parquet.Value {
			for _, x := range b.scores {
				out = append(out, value(x))
			}
			return out
		}}
	}
	return column{name, parquet.List(node), func(out []parquet.Value, b *batch) []parquet.Value {
		for row := range slices.Chunk(b.scores, b.width) {
			out = append(out, value(row[0]).Level(0, 1, 0))
			for _, x := range row[1:] {
				out = append(out, value(x).Level(1, 1, 0))
			}
		}
		return out
	}}
}

func weightColumn(seed uint64) column {
	draws := newStream(seed, "weight")
	return column{"weight", parquet.Leaf(parquet.DoubleType), func(out []parquet.Value, b *batch) []parquet.Value {
		for i := range b.rows {
			out = append(out, parquet.DoubleValue(0.5+float64(1.5*draws.uniform(b.first+int64(i)))))
		}
		return out
	}}
}

// float returns the type of scores.
func (s *Spec) float() (parquet.Node, func(float64) parquet.Value) {
	if s.Float == 32 {
		return parquet.Leaf(parquet.FloatType), func(x float64) parquet.Value { return parquet.FloatValue(float32(x)) }
	}
	return parquet.Leaf(parquet.DoubleType), parquet.DoubleValue
}

// element gives a value its levels as element number n of a list.
func element(v parquet.Value, n int) parquet.Value {
	if n == 0 {
		return v.Level(0, 1, 0)
	}
	return v.Level(1, 1, 0)
}

// emptyList stands for a list without elements.
var emptyList = parquet.NullValue().Level(0, 0, 0)

// dictionary marks columns with few values, as most writers encode them.
func dictionary(node parquet.Node) parquet.Node { return parquet.Encoded(node, &parquet.RLEDictionary) }

// numbered returns n texts whose alphabetical order is that of their numbers.
func numbered(prefix string, n int) []parquet.Value {
	width := len(fmt.Sprint(n - 1))
	values := make([]parquet.Value, n)
	for i := range values {
		values[i] = parquet.ByteArrayValue(fmt.Appendf(nil, "%s_%0*d", prefix, width, i))
	}
	return values
}
