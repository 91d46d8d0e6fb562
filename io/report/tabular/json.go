package tabular

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/internal/floats"
	"github.com/beameval/beameval/io/quote"
)

// Rows are the rows of a table as an array in JSON, whose objects have a member for each column. There may
// be millions.
type Rows[T any] struct {
	row   string // what a row is
	table []Column[T]
	rows  List[T]
	read  []T
}

// RowsOf returns rows to write. What a row is appears in errors of reading.
func RowsOf[T any](row string, table []Column[T], rows []T) *Rows[T] {
	return ListOf(rows).Rows(row, table)
}

// Rows returns the list as [RowsOf] does.
func (l List[T]) Rows(row string, table []Column[T]) *Rows[T] { return &Rows[T]{row, table, l, nil} }

// IsZero reports whether there are no rows to write.
func (r *Rows[T]) IsZero() bool { return r == nil || r.rows.Len == 0 }

// Read returns the rows that were read; nil if there are none.
func (r *Rows[T]) Read() []T {
	if r == nil {
		return nil
	}
	return r.read
}

// Lines yields the objects of the rows one by one. The next overwrites the last.
func (r *Rows[T]) Lines() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if r == nil {
			return
		}
		var line []byte
		var room T
		w := rowWriter[T]{texts: map[string][]byte{}}
		for _, c := range r.table {
			if c.member != "" {
				w.columns, w.before = append(w.columns, c), append(w.before, fmt.Appendf(nil, ",%q:", c.member))
			}
		}
		w.seen = make([]memo, len(w.columns))
		for i := range r.rows.Len {
			if line = w.append(line[:0], r.rows.At(i, &room)); !yield(line) {
				return
			}
		}
	}
}

// rowWriter writes rows as objects.
type rowWriter[T any] struct {
	columns []Column[T]
	before  [][]byte          // what precedes the values of each column
	seen    []memo            // of each column
	texts   map[string][]byte // as JSON: rows have the same again and again
}

func (w *rowWriter[T]) append(dst []byte, row *T) []byte {
	for j := range w.columns {
		c := &w.columns[j]
		v := c.value(row, &w.seen[j])
		if v.IsNull() && c.omits != nil && c.omits(row) {
			continue
		}
		dst = append(dst, w.before[j]...)
		switch {
		case v.IsNull():
			dst = append(dst, "null"...)
		case c.json == raw:
			dst = append(dst, v.ByteArray()...)
		case c.json == flag:
			dst = strconv.AppendBool(dst, v.Int64() == 1)
		case v.Kind() == parquet.ByteArray:
			dst = append(dst, w.text(v.ByteArray())...)
		case v.Kind() == parquet.Double:
			dst = floats.AppendJSON(dst, v.Double())
		default:
			dst = strconv.AppendInt(dst, v.Int64(), 10)
		}
	}
	dst[0] = '{'
	return append(dst, '}')
}

func (w *rowWriter[T]) text(s []byte) []byte {
	encoded, known := w.texts[string(s)]
	if !known {
		encoded = quote.AppendJSON(nil, string(s))
		w.texts[string(s)] = encoded
	}
	return encoded
}

// MarshalJSON implements json.Marshaler.
func (r *Rows[T]) MarshalJSON() ([]byte, error) {
	all := []byte{'['}
	for line := range r.Lines() {
		if len(all) > 1 {
			all = append(all, ',')
		}
		all = append(all, line...)
	}
	return append(all, ']'), nil
}

// UnmarshalJSON reads an array of rows. Its errors have the number of the row.
func (r *Rows[T]) UnmarshalJSON(data []byte) error {
	r.read = nil
	in := jsontext.NewDecoder(bytes.NewReader(data))
	if token, err := in.ReadToken(); err != nil {
		return err
	} else if token.Kind() != '[' {
		return fmt.Errorf("%ss are a list, not %s", r.row, token.Kind())
	}
	byName := map[string]int{}
	for j, c := range r.table {
		if c.member != "" {
			byName[c.member] = j
		}
	}
	var at place
	cells := make([]cell, len(r.table))
	for in.PeekKind() != ']' {
		for j := range cells {
			cells[j] = cell{null: true, number: math.NaN(), place: &at}
		}
		r.read = append(r.read, *new(T))
		if err := r.readOne(in, byName, cells, &r.read[len(r.read)-1]); err != nil {
			return fmt.Errorf("%s %d: %w", r.row, len(r.read), err)
		}
	}
	_, err := in.ReadToken()
	return err
}

func (r *Rows[T]) readOne(in *jsontext.Decoder, byName map[string]int, cells []cell, row *T) error {
	token, err := in.ReadToken()
	if err == nil && token.Kind() != '{' {
		err = fmt.Errorf("expected an object, found a %s", token.Kind())
	}
	for err == nil && in.PeekKind() == '"' {
		token, err = in.ReadToken()
		if err != nil {
			break
		}
		j, known := byName[token.String()]
		if !known {
			err = in.SkipValue()
			continue
		}
		if err = cells[j].decode(in, r.table[j].node, r.table[j].json); err != nil {
			err = fmt.Errorf("%s: %w", r.table[j].member, err)
		}
	}
	if err != nil {
		return err
	}
	for j := range r.table {
		if c := &r.table[j]; c.read != nil {
			if err := c.set(row, &cells[j]); err != nil {
				return err
			}
		}
	}
	_, err = in.ReadToken()
	return err
}

// decode reads a value of a column.
func (v *cell) decode(in *jsontext.Decoder, node parquet.Node, as form) error {
	value, err := in.ReadValue()
	if err != nil {
		return err
	}
	kind := value.Kind()
	if v.null = kind == 'n'; v.null {
		return nil
	}
	wrong := func(what string) error { return fmt.Errorf("expected %s, found %.60s", what, value) }
	switch number := node.Type().Kind(); {
	case as == raw:
		v.text = string(value)
	case as == flag:
		if kind != 't' && kind != 'f' {
			return wrong("true or false")
		}
		if kind == 't' {
			v.whole = 1
		}
	case number == parquet.ByteArray:
		if kind != '"' {
			return wrong("a text")
		}
		text, err := jsontext.AppendUnquote(nil, value)
		v.text = string(text)
		return err
	case number == parquet.Double:
		if v.number, err = strconv.ParseFloat(string(value), 64); kind != '0' || err != nil {
			return wrong("a number")
		}
	default:
		if v.whole, err = strconv.ParseInt(string(value), 10, 64); kind != '0' || err != nil {
			return wrong("a whole number")
		}
	}
	return nil
}
