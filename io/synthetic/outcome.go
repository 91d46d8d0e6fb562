package synthetic

import "github.com/parquet-go/parquet-go"

// form is how an outcome is written, be it the label or the prediction.
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

// positives lists the labels that hold, as the values that stand for them.
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
