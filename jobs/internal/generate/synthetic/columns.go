package synthetic

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// column is a column of the files: its type, and its encoding. Values have the levels of the
// Parquet format, but no column index.
type column struct {
	name   string
	node   parquet.Node
	values func(out []parquet.Value, b *batch) []parquet.Value // appends the values of a batch
}

// columns returns the columns of the files, in order.
func (s *Spec) columns() []column {
	var all []column
	form := s.outcomeForm()
	if s.Task == Ranking {
		all = []column{s.queryIDs(), s.docIDs(), s.relevance()}
	} else {
		label := "label"
		if s.Task == Multilabel && s.Layout == LayoutExample {
			label = "labels"
		}
		all = append(all, s.exampleIDs())
		if s.Layout == LayoutLabel {
			all = append(all, s.labelColumn())
		}
		all = append(all, column{label, form.node, func(out []parquet.Value, b *batch) []parquet.Value {
			return form.values(out, b, &b.truth)
		}})
	}
	if s.Task != Regression {
		all = append(all, s.scores())
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

func (s *Spec) exampleIDs() column {
	return column{"example_id", s.repeated(parquet.Leaf(parquet.Int64Type)), func(out []parquet.Value, b *batch) []parquet.Value {
		for i := range b.rows {
			out = append(out, parquet.Int64Value(b.example(i)))
		}
		return out
	}}
}

func (s *Spec) queryIDs() column {
	return column{"query_id", s.repeated(parquet.String()), func(out []parquet.Value, b *batch) []parquet.Value {
		for i := range b.rows {
			out = append(out, parquet.ByteArrayValue(strconv.AppendInt(nil, b.example(i), 10)))
		}
		return out
	}}
}

// repeated returns the type of ids that successive rows may share.
func (s *Spec) repeated(node parquet.Node) parquet.Node {
	if s.Layout == LayoutLabel {
		return dictionary(node)
	}
	return node
}

// labelColumn holds the label to which a row belongs if each label has its own row.
func (s *Spec) labelColumn() column {
	node, labels := dictionary(parquet.Leaf(parquet.Int32Type)), indices(s.Labels)
	if s.LabelEncoding == Names {
		node, labels = dictionary(parquet.String()), labelNames(s.Labels)
	}
	return column{s.classColumn(), node, func(out []parquet.Value, b *batch) []parquet.Value {
		for _, row := range b.rows {
			out = append(out, labels[row%int64(len(labels))])
		}
		return out
	}}
}

// classColumn returns the name of labelColumn.
func (s *Spec) classColumn() string {
	if s.LabelEncoding == Names {
		return "label_name"
	}
	return "label_index"
}

func (s *Spec) docIDs() column {
	return s.inLists(column{"doc_id", parquet.Leaf(parquet.Int64Type), func(out []parquet.Value, b *batch) []parquet.Value {
		for _, row := range b.rows {
			for k := range int64(b.width) {
				out = append(out, parquet.Int64Value(row*int64(b.width)+k))
			}
		}
		return out
	}})
}

func (s *Spec) relevance() column {
	return s.inLists(column{"relevance", dictionary(parquet.Leaf(parquet.Int32Type)), func(out []parquet.Value, b *batch) []parquet.Value {
		for _, grade := range b.truth.grade {
			out = append(out, parquet.Int32Value(grade))
		}
		return out
	}})
}

func (s *Spec) scores() column {
	name := "score"
	if s.lists() {
		name = "scores"
	}
	node, value := s.float()
	return s.inLists(column{name, node, func(out []parquet.Value, b *batch) []parquet.Value {
		for _, x := range b.scores {
			out = append(out, value(x))
		}
		return out
	}})
}

// inLists turns a column that has a value for each score into lists if a row has several scores.
func (s *Spec) inLists(c column) column {
	if !s.lists() {
		return c
	}
	return column{c.name, parquet.List(c.node), func(out []parquet.Value, b *batch) []parquet.Value {
		first := len(out)
		out = c.values(out, b)
		for row := range slices.Chunk(out[first:], b.width) {
			for k := range row {
				row[k] = element(row[k], k)
			}
		}
		return out
	}}
}

func weightColumn(seed uint64) column {
	draws := newStream(seed, "weight")
	return column{"weight", parquet.Leaf(parquet.DoubleType), func(out []parquet.Value, b *batch) []parquet.Value {
		for i := range b.rows {
			out = append(out, parquet.DoubleValue(0.5+float64(1.5*draws.uniform(b.example(i)))))
		}
		return out
	}}
}

// float returns the type of scores and a function that converts a score to a value of it.
func (s *Spec) float() (parquet.Node, func(float64) parquet.Value) {
	if s.Float == 32 {
		return parquet.Leaf(parquet.FloatType), func(x float64) parquet.Value { return parquet.FloatValue(float32(x)) }
	}
	return parquet.Leaf(parquet.DoubleType), parquet.DoubleValue
}

// element sets the levels of a value to those of element n of a list.
func element(v parquet.Value, n int) parquet.Value {
	if n == 0 {
		return v.Level(0, 1, 0)
	}
	return v.Level(1, 1, 0)
}

// emptyList represents a list without elements.
var emptyList = parquet.NullValue().Level(0, 0, 0)

// dictionary returns a type with dictionary encoding, which most writers use if there are few
// distinct values.
func dictionary(node parquet.Node) parquet.Node { return parquet.Encoded(node, &parquet.RLEDictionary) }

// numbered returns n strings whose alphabetical order is that of their numbers.
func numbered(prefix string, n int) []parquet.Value {
	width := len(fmt.Sprint(n - 1))
	values := make([]parquet.Value, n)
	for i := range values {
		values[i] = parquet.ByteArrayValue(fmt.Appendf(nil, "%s_%0*d", prefix, width, i))
	}
	return values
}

// form defines how an outcome, a label or a prediction, is written.
type form struct {
	node   parquet.Node
	values func(out []parquet.Value, b *batch, o *outcome) []parquet.Value
}

func (s *Spec) outcomeForm() form {
	integer := dictionary(parquet.Leaf(parquet.Int32Type))
	switch {
	case s.Task == Multiclass:
		return form{integer, class}
	case s.Task == Regression:
		node, value := s.float()
		return form{node, number(value)}
	case s.Layout == LayoutLabel:
		return form{integer, zeroOrOne}
	case s.LabelEncoding == Indices:
		return form{parquet.List(integer), positives(indices(s.Labels))}
	case s.LabelEncoding == Names:
		return form{parquet.List(dictionary(parquet.String())), positives(labelNames(s.Labels))}
	case s.LabelEncoding == Indicator:
		return form{parquet.List(integer), indicator}
	}
	return form{integer, zeroOrOne}
}

func class(out []parquet.Value, _ *batch, o *outcome) []parquet.Value {
	for _, k := range o.class {
		out = append(out, parquet.Int32Value(k))
	}
	return out
}

func number(value func(float64) parquet.Value) func([]parquet.Value, *batch, *outcome) []parquet.Value {
	return func(out []parquet.Value, _ *batch, o *outcome) []parquet.Value {
		for _, x := range o.number {
			out = append(out, value(x))
		}
		return out
	}
}

func zeroOrOne(out []parquet.Value, _ *batch, o *outcome) []parquet.Value {
	for _, positive := range o.positive {
		out = append(out, bit(positive))
	}
	return out
}

func indicator(out []parquet.Value, b *batch, o *outcome) []parquet.Value {
	for i, positive := range o.positive {
		out = append(out, element(bit(positive), i%b.width))
	}
	return out
}

// positives lists the positive labels by the values that represent them.
func positives(labels []parquet.Value) func([]parquet.Value, *batch, *outcome) []parquet.Value {
	return func(out []parquet.Value, b *batch, o *outcome) []parquet.Value {
		for i := range b.rows {
			n := 0
			for l, positive := range o.positive[i*b.width:][:b.width] {
				if positive {
					out = append(out, element(labels[l], n))
					n++
				}
			}
			if n == 0 {
				out = append(out, emptyList)
			}
		}
		return out
	}
}

func bit(positive bool) parquet.Value {
	if positive {
		return parquet.Int32Value(1)
	}
	return parquet.Int32Value(0)
}

func indices(labels int) []parquet.Value {
	values := make([]parquet.Value, labels)
	for i := range values {
		values[i] = parquet.Int32Value(int32(i))
	}
	return values
}

func labelNames(labels int) []parquet.Value { return numbered("label", labels) }
