package synthetic

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// keys returns the columns that say what a row is about: in predictions, and in labels that have files
// of their own.
func (s *Spec) keys() []column {
	switch {
	case s.Task == Ranking:
		return []column{s.queryIDs(), s.docIDs()}
	case s.Layout == LayoutLabel:
		return []column{s.exampleIDs(), s.labelColumn()}
	}
	return []column{s.exampleIDs()}
}

func (s *Spec) exampleIDs() column {
	node, id := s.ids("example")
	return perRow("example_id", s.repeated(node), func(b *batch, i int) parquet.Value { return id(b.example(i)) })
}

func (s *Spec) queryIDs() column {
	node, id := s.ids("query")
	if s.IDs == Integer {
		node, id = parquet.String(), func(n int64) parquet.Value { return parquet.ByteArrayValue(strconv.AppendInt(nil, n, 10)) }
	}
	return perRow("query_id", s.repeated(node), func(b *batch, i int) parquet.Value { return id(b.example(i)) })
}

func (s *Spec) docIDs() column {
	node, id := s.ids("doc")
	return s.perScore("doc_id", node, func(b *batch, i int) parquet.Value {
		return id(b.rows[i/b.width]*int64(b.width) + int64(i%b.width))
	})
}

// repeated returns the type of ids that successive rows may share.
func (s *Spec) repeated(node parquet.Node) parquet.Node {
	if s.Layout == LayoutLabel || s.Task == Grade {
		return dictionary(node)
	}
	return node
}

// ids returns the type of the ids of what, such as example, and the id of number n.
func (s *Spec) ids(what string) (parquet.Node, func(n int64) parquet.Value) {
	switch s.IDs {
	case UUID:
		draws := newStream(s.Seed, "id of "+what)
		return parquet.String(), func(n int64) parquet.Value {
			var id [16]byte
			binary.BigEndian.PutUint64(id[:], draws.bits(2*n))
			binary.BigEndian.PutUint64(id[8:], draws.bits(2*n+1))
			return parquet.ByteArrayValue(hex.AppendEncode(nil, id[:]))
		}
	case Name:
		return parquet.String(), func(n int64) parquet.Value {
			return parquet.ByteArrayValue(strconv.AppendInt([]byte(what+"_"), n, 10))
		}
	}
	return parquet.Leaf(parquet.Int64Type), parquet.Int64Value
}
