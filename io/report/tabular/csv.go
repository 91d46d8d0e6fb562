package tabular

import (
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

// WriteCSV writes rows as CSV. A field is empty where JSON has null or no member. Spreadsheets do
// not take text for a formula; see csvText.
func WriteCSV[T any](w io.Writer, columns []Column[T], rows []T) error {
	c := csv.NewWriter(w)
	if err := c.Write(lists.Map(columns, func(c Column[T]) string { return c.name })); err != nil {
		return err
	}
	record := make([]string, len(columns))
	for i := range rows {
		for j := range columns {
			record[j] = csvField(columns[j].value(&rows[i]))
		}
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
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
