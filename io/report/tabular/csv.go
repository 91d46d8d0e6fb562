package tabular

import (
	"bytes"
	"encoding/csv"
	"io"
	"regexp"
	"strconv"
	"strings"
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
// not take text for a formula; see csvText.
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
	return inBlocks(l.Len, csvBlock, func(from, to int) (*bytes.Buffer, error) { return encodeCSV(columns, l, from, to) },
		func(encoded *bytes.Buffer) error {
			for encoded.Len() > 0 { // in pieces that writers to storage can buffer
				if _, err := w.Write(encoded.Next(csvPiece)); err != nil {
					return err
				}
			}
			return nil
		})
}

func encodeCSV[T any](columns []Column[T], l List[T], from, to int) (*bytes.Buffer, error) {
	encoded := new(bytes.Buffer)
	c := csv.NewWriter(encoded)
	record := make([]string, len(columns))
	var seen memo
	var room T
	for i := from; i < to; i++ {
		row := l.At(i, &room)
		for j := range columns {
			record[j] = csvField(columns[j].value(row, &seen))
		}
		if err := c.Write(record); err != nil {
			return nil, err
		}
	}
	c.Flush()
	return encoded, c.Error()
}

// csvField formats a value; null becomes "".
func csvField(v parquet.Value) string {
	switch v.Kind() {
	case parquet.ByteArray:
		return csvText(string(v.ByteArray()))
	case parquet.Double:
		return numbers.JSON(v.Double())
	case parquet.Int32, parquet.Int64:
		return strconv.FormatInt(v.Int64(), 10)
	}
	return ""
}

// csvText puts an apostrophe before text that spreadsheets would take for a formula, and before
// text that begins with an apostrophe, so that readers can remove it again. Numbers need none.
func csvText(s string) string {
	first, _ := utf8.DecodeRuneInString(s)
	if s == "" || !strings.ContainsRune("=+-@\t\r\n'＝＋－＠", first) || plainNumber.MatchString(s) {
		return s
	}
	return "'" + s
}

var plainNumber = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
