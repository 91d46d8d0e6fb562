package synthetic

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
)

// column is a column of the files: its type, and its encoding. Values have the levels of the
// Parquet format, but no column index.
type column struct {
	name   string
	node   parquet.Node
	values func(out []parquet.Value, b *batch) []parquet.Value // appends the values of a batch
}

// perRow returns a column with a value for each row i of a batch.
func perRow(name string, node parquet.Node, value func(b *batch, i int) parquet.Value) column {
	return column{name, node, func(out []parquet.Value, b *batch) []parquet.Value {
		for i := range b.rows {
			out = append(out, value(b, i))
		}
		return out
	}}
}

// perScore returns a column with a value for each score i of a batch. If a row has several scores,
// its values are a list.
func (s *Spec) perScore(name string, node parquet.Node, value func(b *batch, i int) parquet.Value) column {
	if !s.lists() {
		return perRow(name, node, value) // a row has one score
	}
	return column{name, parquet.List(node), func(out []parquet.Value, b *batch) []parquet.Value {
		for i := range b.scores {
			out = append(out, element(value(b, i), i%b.width))
		}
		return out
	}}
}

// without returns a column of single values in which a share of the examples has none.
func (c column) without(draws stream, share float64) column {
	return column{c.name, parquet.Optional(c.node), func(out []parquet.Value, b *batch) []parquet.Value {
		at := len(out)
		out = c.values(out, b)
		for i := range b.rows {
			v := &out[at+i]
			if *v = v.Level(0, 1, 0); draws.uniform(b.example(i)) < share {
				*v = parquet.NullValue().Level(0, 0, 0)
			}
		}
		return out
	}}
}

// columns returns the columns of the predictions, in order.
func (s *Spec) columns() []column {
	switch s.Task {
	case Preference:
		return s.described(append(s.keys(), s.battles().columns()...))
	case Grade:
		return s.described(append(s.keys(), passed))
	case Agreement:
		return s.described(append(s.keys(), s.ratings().columns()...))
	}
	all := s.keys()
	if !s.Truth {
		all = append(all, s.label())
	}
	if s.Task != Regression {
		all = append(all, s.scores())
	}
	if s.Predictions || s.Task == Regression {
		all = append(all, s.outcome("prediction", func(b *batch) *outcome { return &b.predicted }))
	}
	return s.described(all)
}

// described appends the weights and the slice columns.
func (s *Spec) described(all []column) []column {
	if s.Weights {
		all = append(all, weightColumn(s.Seed))
	}
	for _, slice := range s.Slices {
		all = append(all, slice.column(s.Seed))
	}
	return all
}

// truth returns the columns of the labels that have files of their own.
func (s *Spec) truth() []column { return append(s.keys(), s.label()) }

// label returns the column of the true labels.
func (s *Spec) label() column {
	if s.Task == Ranking {
		return s.relevance()
	}
	name := "label"
	if s.Task == Multilabel && s.Layout == LayoutExample {
		name = "labels"
	}
	truth := s.outcome(name, func(b *batch) *outcome { return &b.truth })
	if s.Unlabelled > 0 {
		truth = truth.without(newStream(s.Seed, "unlabelled"), s.Unlabelled)
	}
	return truth
}

// labelColumn holds the label to which a row belongs if each label has its own row.
func (s *Spec) labelColumn() column {
	node, labels := parquet.Leaf(parquet.Int32Type), indices(s.Labels)
	if s.LabelEncoding == Names {
		node, labels = parquet.String(), labelNames(s.Labels)
	}
	return perRow(s.classColumn(), dictionary(node), func(b *batch, i int) parquet.Value {
		return labels[b.rows[i]%int64(len(labels))]
	})
}

// classColumn returns the name of labelColumn.
func (s *Spec) classColumn() string {
	if s.LabelEncoding == Names {
		return "label_name"
	}
	return "label_index"
}

func (s *Spec) relevance() column {
	return s.perScore("relevance", dictionary(parquet.Leaf(parquet.Int32Type)), func(b *batch, i int) parquet.Value {
		return parquet.Int32Value(b.truth.grade[i])
	})
}

func (s *Spec) scores() column {
	name := "score"
	if s.lists() {
		name = "scores"
	}
	node, value := s.float()
	return s.perScore(name, node, func(b *batch, i int) parquet.Value { return value(b.scores[i]) })
}

// outcome holds the truth or the predictions, which of returns.
func (s *Spec) outcome(name string, of func(*batch) *outcome) column {
	integer := dictionary(parquet.Leaf(parquet.Int32Type))
	switch lists := s.Layout == LayoutExample; {
	case s.Task == Multiclass:
		return perRow(name, integer, func(b *batch, i int) parquet.Value { return parquet.Int32Value(of(b).class[i]) })
	case s.Task == Regression:
		node, value := s.float()
		return perRow(name, node, func(b *batch, i int) parquet.Value { return value(of(b).number[i]) })
	case lists && s.LabelEncoding == Indices:
		return positives(name, integer, indices(s.Labels), of)
	case lists && s.LabelEncoding == Names:
		return positives(name, dictionary(parquet.String()), labelNames(s.Labels), of)
	}
	return s.perScore(name, integer, func(b *batch, i int) parquet.Value {
		if of(b).positive[i] {
			return parquet.Int32Value(1)
		}
		return parquet.Int32Value(0)
	})
}

// positives lists the positive labels by the values that represent them.
func positives(name string, node parquet.Node, labels []parquet.Value, of func(*batch) *outcome) column {
	return column{name, parquet.List(node), func(out []parquet.Value, b *batch) []parquet.Value {
		for i := range b.rows {
			n := 0
			for l, positive := range of(b).positive[i*b.width:][:b.width] {
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
	}}
}

func weightColumn(seed uint64) column {
	draws := newStream(seed, "weight")
	return perRow("weight", parquet.Leaf(parquet.DoubleType), func(b *batch, i int) parquet.Value {
		return parquet.DoubleValue(0.5 + float64(1.5*draws.uniform(b.example(i))))
	})
}

// float returns the type of scores and a function that converts a score to a value of it.
func (s *Spec) float() (parquet.Node, func(float64) parquet.Value) {
	if s.Float == 32 {
		return parquet.Leaf(parquet.FloatType), func(x float64) parquet.Value { return parquet.FloatValue(float32(x)) }
	}
	return parquet.Leaf(parquet.DoubleType), parquet.DoubleValue
}

// element gives a value the levels of element n of a list.
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

// numbered returns n strings, which have the same order by alphabet as by number.
func numbered(prefix string, n int) []parquet.Value {
	width := len(fmt.Sprint(n - 1))
	values := make([]parquet.Value, n)
	for i := range values {
		values[i] = parquet.ByteArrayValue(fmt.Appendf(nil, "%s_%0*d", prefix, width, i))
	}
	return values
}

func indices(labels int) []parquet.Value {
	values := make([]parquet.Value, labels)
	for i := range values {
		values[i] = parquet.Int32Value(int32(i))
	}
	return values
}

func labelNames(labels int) []parquet.Value { return numbered("label", labels) }
