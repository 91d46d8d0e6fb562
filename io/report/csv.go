package report

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
)

// writeCSV writes metrics.csv. A field is empty where metrics.json has null. The
// columns low and high are there only if some value has an interval.
func (r *Report) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	header := []string{"name", "slice", "label", "value", "undefined", "support"}
	intervals := slices.ContainsFunc(r.Metrics, func(row Row) bool { return row.interval() != nil })
	if intervals {
		header = slices.Insert(header, 4, "low", "high")
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
			label = validText(*row.Label)
		}
		record = append(record[:0], validText(row.Name), slice.of(row.Slice), label, csvNumber(row.Value))
		if intervals {
			low, high := "", ""
			if i := row.interval(); i != nil {
				low, high = csvNumber(i.Low), csvNumber(i.High)
			}
			record = append(record, low, high)
		}
		record = append(record, validText(row.undefined()), strconv.FormatInt(row.Support, 10))
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func csvNumber(f float64) string {
	if !finite(f) {
		return ""
	}
	return string(appendFloat(nil, f))
}
