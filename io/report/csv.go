package report

import (
	"encoding/csv"
	"io"
	"strconv"
)

// writeCSV writes metrics.csv. A field is empty where metrics.json has null.
func (r *Report) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write([]string{"name", "slice", "label", "value", "undefined", "support"}); err != nil {
		return err
	}
	var slice sliceText
	for i := range r.Metrics {
		row := &r.Metrics[i]
		label, value := "", ""
		if row.Label != nil {
			label = validText(*row.Label)
		}
		if finite(row.Value) {
			value = string(appendFloat(nil, row.Value))
		}
		if err := c.Write([]string{
			validText(row.Name), slice.of(row.Slice), label, value,
			validText(row.undefined()), strconv.FormatInt(row.Support, 10),
		}); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
