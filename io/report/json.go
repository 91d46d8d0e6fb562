package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/slice"
)

// schema is the schema that metrics.json names.
const schema = "beameval.report/v1"

// maxInline is how many classes or labels the confusion in metrics.json has at most.
const maxInline = 50

// fileJSON is metrics.json, as it is written, from rowsJSON, and read, to rowJSON. The
// layout tags are for [jsonWriter].
type fileJSON[Rows rowsJSON | []rowJSON] struct {
	Schema    string          `json:"schema"`
	Task      string          `json:"task"`
	Rows      RowCounts       `json:"rows"`
	Examples  int64           `json:"examples"`
	Labels    []string        `json:"labels" layout:"lines"`
	NumLabels int             `json:"num_labels,omitempty"`
	Config    json.RawMessage `json:"config" layout:"indented"`
	Metrics   Rows            `json:"metrics" layout:"lines"`
	Confusion *confusionJSON  `json:"confusion" layout:"members"`
	Warnings  []string        `json:"warnings" layout:"lines"`
}

// writeJSON writes metrics.json. It is indented, but each metric row and each row of the
// confusion matrix is one line, for grep and diff.
func (r *Report) writeJSON(w io.Writer) error {
	file := fileJSON[rowsJSON]{
		Schema:    schema,
		Task:      quote.Valid(r.Task),
		Rows:      r.Rows,
		Examples:  r.Examples,
		Labels:    mapped(r.Labels, quote.Escape),
		Config:    r.Config,
		Metrics:   r.Metrics,
		Confusion: r.confusion(maxInline).json(),
		Warnings:  mapped(r.warnings(), quote.Valid),
	}
	if file.Rows.Skipped == nil {
		file.Rows.Skipped = map[string]int64{}
	}
	if r.NumLabels > len(r.Labels) {
		file.NumLabels = r.NumLabels
	}
	j := newJSONWriter(w)
	j.members(reflect.ValueOf(file), "\n")
	j.buf.WriteByte('\n')
	return j.flush()
}

// Read reads a metrics.json. Of the confusion matrices, it returns what that file holds:
// the cells of the overall slice, if there are few classes. Curves, thresholds and queries
// have files of their own, which it does not read. A value that is null becomes NaN, an end
// of an interval that is null becomes infinite. Rows of one slice share its key.
func Read(data []byte) (*Report, error) {
	var file fileJSON[[]rowJSON]
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if file.Schema != schema {
		return nil, fmt.Errorf("report: the schema is %q, not %q", file.Schema, schema)
	}
	r := &Report{
		Task:      file.Task,
		Rows:      file.Rows,
		Examples:  file.Examples,
		Labels:    mapped(file.Labels, quote.Unescape),
		NumLabels: file.NumLabels,
		Warnings:  orNil(file.Warnings),
	}
	if len(r.Rows.Skipped) == 0 {
		r.Rows.Skipped = nil
	}
	if len(file.Config) > 0 && string(file.Config) != "null" {
		var config bytes.Buffer
		if err := json.Compact(&config, file.Config); err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		r.Config = config.Bytes()
	}
	var err error
	if r.Metrics, err = readRows(file.Metrics); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if r.Confusion, err = file.Confusion.cells(); err != nil {
		return nil, fmt.Errorf("report: confusion: %w", err)
	}
	return r, nil
}

// rowJSON is a metric row. An end of an interval that bounds nothing is null, which is a
// pointer to nil; both ends are left out where there is no interval.
type rowJSON struct {
	Name      string          `json:"name"`
	Slice     json.RawMessage `json:"slice"`
	Label     *string         `json:"label"`
	Value     *float64        `json:"value"`
	Low       **float64       `json:"low,omitempty"`
	High      **float64       `json:"high,omitempty"`
	Undefined string          `json:"undefined,omitempty"`
	Support   int64           `json:"support"`
}

// rowsJSON are metric rows. There may be millions, so each is converted to a rowJSON only
// when it is written.
type rowsJSON []Row

func (rows rowsJSON) each(do func(item any)) {
	var row rowJSON // one for all rows: nothing keeps it
	for i := range rows {
		r := &rows[i]
		if i == 0 || !slices.Equal(r.Slice, rows[i-1].Slice) {
			row.Slice = r.Slice.AppendJSON(nil)
		}
		row.Name, row.Label, row.Value = quote.Valid(r.Name), labelText(r.Label), finiteOrNil(r.Value)
		row.Undefined, row.Support = quote.Valid(r.undefined()), r.Support
		row.Low, row.High = nil, nil
		if i := r.interval(); i != nil {
			row.Low, row.High = new(finiteOrNil(i.Low)), new(finiteOrNil(i.High))
		}
		do(&row)
	}
}

// readRows returns the rows of a file. Rows of one slice share its key.
func readRows(read []rowJSON) ([]Row, error) {
	rows := slices.Grow([]Row(nil), len(read))
	var key slice.Key
	var text []byte // of key
	for i, in := range read {
		if len(in.Slice) == 0 {
			return nil, fmt.Errorf("metric row %d has no slice", i+1)
		}
		if !bytes.Equal(in.Slice, text) {
			text = in.Slice
			if err := key.UnmarshalJSON(text); err != nil {
				return nil, fmt.Errorf("metric row %d: %w", i+1, err)
			}
		}
		row := Row{Name: in.Name, Slice: key, Value: *cmp.Or(in.Value, &nan), Undefined: in.Undefined, Support: in.Support}
		if in.Label != nil {
			row.Label = new(quote.Unescape(*in.Label))
		}
		if in.Low != nil || in.High != nil {
			row.Interval = &Interval{math.Inf(-1), math.Inf(1)}
		}
		if in.Low != nil {
			row.Interval.Low = **in.Low
		}
		if in.High != nil {
			row.Interval.High = **in.High
		}
		rows = append(rows, row)
	}
	return rows, nil
}

var nan = math.NaN()

// mapped returns the results of f for all items of a list. It is nil for an empty list.
func mapped[T, U any](list []T, f func(T) U) []U {
	var results []U
	for _, item := range list {
		results = append(results, f(item))
	}
	return results
}

// orNil returns nil for an empty list, as it was before it was written.
func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// jsonWriter writes an object with each member on a line. The layout tag of a field says
// how its value is written: "lines" writes an array with an item a line, "members" writes
// an object like the outer one, "indented" writes everything inside the value on lines of
// its own. Values without a tag stay on the line. After the first error, it writes nothing.
type jsonWriter struct {
	w       io.Writer
	buf     bytes.Buffer
	encoder *json.Encoder // into buf
	err     error
}

func newJSONWriter(w io.Writer) *jsonWriter {
	j := &jsonWriter{w: w}
	j.encoder = json.NewEncoder(&j.buf)
	j.encoder.SetEscapeHTML(false) // reports are grepped more often than pasted into HTML
	return j
}

func (j *jsonWriter) flush() error {
	if j.err == nil {
		_, j.err = j.buf.WriteTo(j.w)
	}
	j.buf.Reset()
	return j.err
}

func (j *jsonWriter) value(v any) {
	j.err = cmp.Or(j.err, j.encoder.Encode(v))
	j.buf.Truncate(max(0, j.buf.Len()-1)) // the end of a line
}

// members writes a struct. Lines begin with newline, which includes the indentation.
func (j *jsonWriter) members(object reflect.Value, newline string) {
	separator := "{"
	for i := range object.NumField() {
		field, value := object.Type().Field(i), object.Field(i)
		name, omitted, _ := strings.Cut(field.Tag.Get("json"), ",")
		if omitted != "" && value.IsZero() {
			continue
		}
		j.buf.WriteString(separator + newline + `  "` + name + `": `)
		separator = ","
		switch layout := field.Tag.Get("layout"); {
		case layout == "lines":
			j.lines(value, newline+"  ")
		case layout == "members" && !value.IsNil():
			j.members(value.Elem(), newline+"  ")
		case layout == "indented" && value.Len() > 0:
			if err := json.Indent(&j.buf, bytes.TrimSpace(value.Bytes()), newline[1:]+"  ", "  "); err != nil {
				j.err = cmp.Or(j.err, fmt.Errorf("%s: %w", name, err))
			}
		default:
			j.value(value.Interface())
		}
	}
	j.buf.WriteString(newline + "}")
}

// lines writes an array, and keeps one item in memory at a time.
func (j *jsonWriter) lines(list reflect.Value, newline string) {
	separator := "["
	item := func(v any) {
		j.buf.WriteString(separator + newline + "  ")
		separator = ","
		j.value(v)
		j.flush()
	}
	if rows, ok := list.Interface().(rowsJSON); ok {
		rows.each(item)
	} else {
		for i := range list.Len() {
			item(list.Index(i).Interface())
		}
	}
	if list.Len() == 0 {
		newline = "["
	}
	j.buf.WriteString(newline + "]")
}

// numberText returns f as JSON has it, or "" if JSON has no such number.
func numberText(f float64) string {
	text, err := json.Marshal(f + 0) // not negative zero
	if err != nil {
		return ""
	}
	return string(text)
}

// finite reports whether f can be written as a JSON number.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
