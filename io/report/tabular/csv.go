package tabular

import (
	"bytes"
	"encoding/csv"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/internal/numbers"
	"github.com/parquet-go/parquet-go"
)

// csvBlock is the number of rows that are encoded at once.
const csvBlock = 4 << 10

// csvPiece is the number of bytes that are written at once.
const csvPiece = 32 << 10

// WriteCSV writes rows as CSV. A field is empty where JSON has null or no member. Spreadsheets do
// not take text for a formula; see appendText.
func WriteCSV[T any](w io.Writer, columns []Column[T], rows []T) error {
	return listOf(rows).WriteCSV(w, columns)
}

// WriteCSV writes the rows as [WriteCSV] does.
func (l List[T]) WriteCSV(w io.Writer, columns []Column[T]) error {
	c := csv.NewWriter(w)
	if err := c.Write(lists.Map(columns, func(c Column[T]) string { return c.name })); err != nil {
		return err
	}
	if c.Flush(); c.Error() != nil {
		return c.Error()
	}
	buffers := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	return inBlocks(l.Len, csvBlock, func(from, to int) (*bytes.Buffer, error) {
		encoded := buffers.Get().(*bytes.Buffer)
		return encoded, encodeCSV(encoded, columns, l, from, to)
	}, func(encoded *bytes.Buffer) error {
		defer buffers.Put(encoded)
		for encoded.Len() > 0 { // in pieces that writers to storage can buffer
			if _, err := w.Write(encoded.Next(csvPiece)); err != nil {
				return err
			}
		}
		return nil
	})
}

func encodeCSV[T any](encoded *bytes.Buffer, columns []Column[T], l List[T], from, to int) error {
	c := csv.NewWriter(encoded)
	record, ends := make([]string, len(columns)), make([]int, len(columns))
	var line []byte
	var seen memo
	var room T
	for i := from; i < to; i++ {
		row := l.At(i, &room)
		line = line[:0]
		for j := range columns {
			line = appendCSV(line, columns[j].value(row, &seen))
			ends[j] = len(line)
		}
		start, fields := 0, string(line) // all at once: a string for each would be most of the garbage
		for j, end := range ends {
			record[j], start = fields[start:end], end
		}
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// appendCSV appends a value as it is in a field; null is empty.
func appendCSV(b []byte, v parquet.Value) []byte {
	switch v.Kind() {
	case parquet.ByteArray:
		return appendText(b, v.ByteArray())
	case parquet.Double:
		if f := v.Double(); numbers.Finite(f) {
			return numbers.AppendJSON(b, f)
		}
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
