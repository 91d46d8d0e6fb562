package report

import (
	"encoding/csv"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/beameval/beameval/io/quote"
)

// writeCSV writes metrics.csv. A field is empty where metrics.json has null. The columns
// low and high are there only if a value has an interval, those of confidence only in a
// report with confidence. Spreadsheets take no text for a formula; see csvText.
func (r *Report) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	header := []string{"name", "slice", "label", "value", "undefined", "support"}
	intervals := slices.ContainsFunc(r.Metrics, func(row Row) bool { return row.interval() != nil })
	if intervals {
		header = slices.Insert(header, 4, "low", "high")
	}
	if r.Confidence != nil {
		header = append(header, "ci_low", "ci_high", "std_error", "dof", "groups", "ci_method", "no_interval")
	}
	if err := c.Write(header); err != nil {
		return err
	}
	var slice sliceText
	var record []string
	for i := range r.Metrics {
		row := &r.Metrics[i]
		label := ""
		if row.Label != nil {
			label = csvText(quote.Escape(*row.Label))
		}
		record = append(record[:0], csvText(quote.Valid(row.Name)), slice.json(row.Slice), label, numberText(row.Value))
		if intervals {
			low, high := "", ""
			if i := row.interval(); i != nil {
				low, high = numberText(i.Low), numberText(i.High)
			}
			record = append(record, low, high)
		}
		record = append(record, csvText(quote.Valid(row.undefined())), strconv.FormatInt(row.Support, 10))
		if r.Confidence != nil {
			record = append(record, row.Confidence.csv()...)
		}
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// csv returns the fields of c.
func (c *Confidence) csv() []string {
	if c == nil {
		return make([]string, 7)
	}
	return []string{numberText(c.Low), numberText(c.High), numberText(c.StdError), numberText(c.DOF), strconv.Itoa(c.Groups),
		csvText(quote.Valid(c.Method)), csvText(quote.Valid(c.NoInterval))}
}

// csvText puts an apostrophe before a text that spreadsheets would take for a formula, and
// before a text that begins with an apostrophe: so readers can take it away again. Numbers
// need none.
func csvText(s string) string {
	first, _ := utf8.DecodeRuneInString(s)
	if s == "" || !strings.ContainsRune("=+-@\t\r\n'＝＋－＠", first) || plainNumber.MatchString(s) {
		return s
	}
	return "'" + s
}

var plainNumber = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
