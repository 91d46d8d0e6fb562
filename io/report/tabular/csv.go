package tabular

import (
	"bytes"
	"encoding/csv"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/floats"
)

// csvBlock is the number of rows that are encoded at once.
const csvBlock = 4 << 10

// csvPiece is the number of bytes that are written at once.
const csvPiece = 32 << 10

// WriteCSV writes the rows as CSV. A field is empty where JSON has null or no member. Spreadsheets do
// not take text for a formula; see appendText.
func (l List[T]) WriteCSV(w io.Writer, columns []Column[T]) error {
	columns = inFiles(columns)
	c := csv.NewWriter(w)
	if err := c.Write(collections.Map(columns, func(c Column[T]) string { return c.name })); err != nil {
		return err
	}
	if c.Flush(); c.Error() != nil {
		return c.Error()
	}
	buffers := sync.Pool{New: func() any { return new([]byte) }}
	return inBlocks(l.Len, csvBlock, func(from, to int) (*[]byte, error) {
		encoded := buffers.Get().(*[]byte)
		*encoded = l.appendLines((*encoded)[:0], columns, from, to)
		return encoded, nil
	}, func(encoded *[]byte) error {
		defer buffers.Put(encoded)
		for piece := range slices.Chunk(*encoded, csvPiece) { // which writers to storage can buffer
			if _, err := w.Write(piece); err != nil {
				return err
			}
		}
		return nil
	})
}

// appendLines appends the lines of rows, as encoding/csv writes them.
func (l List[T]) appendLines(lines []byte, columns []Column[T], from, to int) []byte {
	fields, seen := make([]field, len(columns)), make([]memo, len(columns))
	for j := range columns {
		fields[j].every = columns[j].every
	}
	var room T
	for i := from; i < to; i++ {
		row := l.At(i, &room)
		for j := range columns {
			if j > 0 {
				lines = append(lines, ',')
			}
			lines = fields[j].append(lines, columns[j].value(row, &seen[j]))
		}
		lines = append(lines, '\n')
	}
	return lines
}

// field appends the values of a column. It remembers the last text, because texts repeat.
type field struct {
	text, encoded []byte
	every         bool // see Column
}

func (f *field) append(b []byte, v parquet.Value) []byte {
	if v.Kind() != parquet.ByteArray {
		if f.every {
			return appendEvery(b, v)
		}
		return appendCSV(b, v)
	}
	if text := v.ByteArray(); !bytes.Equal(text, f.text) {
		f.text = append(f.text[:0], text...)
		f.encoded = quoted(appendCSV(f.encoded[:0], v))
	}
	return append(b, f.encoded...)
}

// appendEvery appends a value of a column that has numbers that are not finite.
func appendEvery(b []byte, v parquet.Value) []byte {
	var x float64
	switch v.Kind() {
	case parquet.Double:
		x = v.Double()
	case parquet.Float:
		x = float64(v.Float())
	}
	switch {
	case math.IsNaN(x):
		return append(b, "nan"...)
	case math.IsInf(x, 1):
		return append(b, "inf"...)
	case math.IsInf(x, -1):
		return append(b, "-inf"...)
	}
	return appendCSV(b, v)
}

// quoted puts a text in quotes if encoding/csv does.
func quoted(text []byte) []byte {
	first, _ := utf8.DecodeRune(text)
	if !bytes.ContainsAny(text, "\",\r\n") && !unicode.IsSpace(first) && string(text) != `\.` {
		return text
	}
	text = bytes.ReplaceAll(text, []byte(`"`), []byte(`""`))
	return append(append([]byte{'"'}, text...), '"')
}

// appendCSV appends a value as it is in a field, before quotes; null is empty.
func appendCSV(b []byte, v parquet.Value) []byte {
	switch v.Kind() {
	case parquet.ByteArray:
		return appendText(b, v.ByteArray())
	case parquet.Double:
		if f := v.Double(); floats.Finite(f) {
			return floats.AppendJSON(b, f)
		}
	case parquet.Float:
		return strconv.AppendFloat(b, float64(v.Float()), 'g', -1, 32)
	case parquet.Boolean:
		return strconv.AppendBool(b, v.Boolean())
	case parquet.Int32, parquet.Int64:
		return strconv.AppendInt(b, v.Int64(), 10)
	}
	return b
}

// appendText puts an apostrophe before text that spreadsheets would take for a formula, and before
// text that begins with an apostrophe, so that readers can remove it again. Numbers need none.
func appendText(b, text []byte) []byte {
	first, _ := utf8.DecodeRune(text)
	if len(text) > 0 && strings.ContainsRune("=+-@\t\r\n'＝＋－＠", first) && !plainNumber.Match(text) {
		b = append(b, '\'')
	}
	return append(b, text...)
}

var plainNumber = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
