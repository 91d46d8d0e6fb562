package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
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
	Schema     string          `json:"schema"`
	Task       string          `json:"task"`
	Rows       RowCounts       `json:"rows"`
	Examples   int64           `json:"examples"`
	Labels     []string        `json:"labels" layout:"lines"`
	NumLabels  int             `json:"num_labels,omitempty"`
	Config     json.RawMessage `json:"config" layout:"indented"`
	Confidence *confidenceJSON `json:"confidence,omitempty" layout:"members"`
	Gates      []gateJSON      `json:"gates,omitempty" layout:"lines"`
	OwnMetrics []ownMetricJSON `json:"own_metrics,omitempty" layout:"lines"`
	Metrics    Rows            `json:"metrics" layout:"lines"`
	Confusion  *confusionJSON  `json:"confusion" layout:"members"`
	Warnings   []string        `json:"warnings" layout:"lines"`
}

// writeJSON writes metrics.json. It is indented, but each metric row and each row of the
// confusion matrix is one line, for grep and diff.
func (r *Report) writeJSON(w io.Writer) error {
	file := fileJSON[rowsJSON]{
		Schema:     schema,
		Task:       quote.Valid(r.Task),
		Rows:       r.Rows,
		Examples:   r.Examples,
		Labels:     mapped(r.Labels, quote.Escape),
		Config:     r.Config,
		Confidence: r.Confidence.json(),
		Gates:      mapped(r.Gates, func(g GateResult) gateJSON { return g.json() }),
		OwnMetrics: ownMetrics(r.Meanings),
		Metrics:    r.Metrics,
		Confusion:  r.confusion(maxInline).json(),
		Warnings:   mapped(r.warnings(), quote.Valid),
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
// the cells of the overall slice, if there are few classes. Curves, thresholds, queries and
// replicates have files of their own, which it does not read; see [Report.ReadReplicates]. A value that is null becomes NaN, an end
// of an interval that is null becomes infinite. Rows of one slice share its key.
func Read(data []byte) (*Report, error) {
	var file fileJSON[[]rowJSON]
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if file.Schema != schema {
		return nil, fmt.Errorf("report: the schema is %q, not %q: evaluate again, or use the version of beameval that wrote the report", file.Schema, schema)
	}
	if err := checkGates(file.Gates); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	r := &Report{
		Task:      file.Task,
		Rows:      file.Rows,
		Examples:  file.Examples,
		Labels:    mapped(file.Labels, quote.Unescape),
		NumLabels: file.NumLabels,
		Gates:     mapped(file.Gates, gateJSON.result),
		Warnings:  orNil(file.Warnings),
	}
	for _, m := range file.OwnMetrics {
		if r.Meanings == nil {
			r.Meanings = make(map[string]Meaning)
		}
		r.Meanings[m.Name] = Meaning{Definition: m.Definition, Better: m.Better, Own: true}
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
	if r.Confidence, err = file.Confidence.grouping(); err != nil {
		return nil, fmt.Errorf("report: confidence: %w", err)
	}
	if r.Metrics, err = readRows(file.Metrics); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if r.Confusion, err = file.Confusion.cells(); err != nil {
		return nil, fmt.Errorf("report: confusion: %w", err)
	}
	return r, nil
}

// ownMetricJSON is what a metric of the program's own is.
type ownMetricJSON struct {
	Name       string `json:"name"`
	Definition string `json:"definition"`
	Better     string `json:"better"`
}

// ownMetrics returns the metrics that are the program's own, sorted by name.
func ownMetrics(meanings map[string]Meaning) (list []ownMetricJSON) {
	for _, name := range slices.Sorted(maps.Keys(meanings)) {
		if m := meanings[name]; m.Own {
			list = append(list, ownMetricJSON{quote.Valid(name), quote.Valid(m.Definition), m.Better})
		}
	}
	return list
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
	rowConfidence
}

// rowsJSON are metric rows, which may be millions.
type rowsJSON []Row

// append appends row i as encoding/json writes a rowJSON, at a tenth of the cost. slice has
// the text of slices, and text that of other strings.
func (rows rowsJSON) append(dst []byte, i int, slice *sliceText, text func([]byte, string) []byte) []byte {
	r := &rows[i]
	dst = text(append(dst, `{"name":`...), quote.Valid(r.Name))
	dst = append(append(dst, `,"slice":`...), slice.json(r.Slice)...)
	dst = append(dst, `,"label":`...)
	if r.Label == nil {
		dst = append(dst, "null"...)
	} else {
		dst = text(dst, quote.Escape(*r.Label))
	}
	dst = appendNumber(append(dst, `,"value":`...), r.Value)
	if i := r.interval(); i != nil {
		dst = appendNumber(append(dst, `,"low":`...), i.Low)
		dst = appendNumber(append(dst, `,"high":`...), i.High)
	}
	if reason := r.undefined(); reason != "" {
		dst = text(append(dst, `,"undefined":`...), quote.Valid(reason))
	}
	dst = strconv.AppendInt(append(dst, `,"support":`...), r.Support, 10)
	return append(r.Confidence.appendMembers(dst, text), '}')
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
		row := Row{Name: in.Name, Slice: key, Value: *cmp.Or(in.Value, &nan), Undefined: in.Undefined, Support: in.Support, Confidence: in.confidence()}
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
	encoder *json.Encoder     // into buf
	texts   map[string]string // encoded
	err     error
}

func newJSONWriter(w io.Writer) *jsonWriter {
	j := &jsonWriter{w: w, texts: map[string]string{}}
	j.encoder = newEncoder(&j.buf)
	return j
}

// newEncoder returns an encoder that escapes no HTML: reports are grepped more often than
// pasted into it.
func newEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
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

// text appends a string, as value writes it.
func (j *jsonWriter) text(dst []byte, s string) []byte {
	encoded, ok := j.texts[s]
	if !ok {
		var one bytes.Buffer
		j.err = cmp.Or(j.err, newEncoder(&one).Encode(s))
		encoded = strings.TrimSuffix(one.String(), "\n")
		j.texts[s] = encoded
	}
	return append(dst, encoded...)
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
	rows, _ := list.Interface().(rowsJSON)
	var slice sliceText
	for i := range list.Len() {
		j.buf.WriteString(separator + newline + "  ")
		separator = ","
		if rows != nil {
			j.buf.Write(rows.append(j.buf.AvailableBuffer(), i, &slice, j.text))
		} else {
			j.value(list.Index(i).Interface())
		}
		j.flush()
	}
	if list.Len() == 0 {
		newline = "["
	}
	j.buf.WriteString(newline + "]")
}

// numberText returns f as JSON has it, or "" if JSON has no such number.
func numberText(f float64) string {
	if !finite(f) {
		return ""
	}
	return string(appendNumber(nil, f))
}

// appendNumber appends f as encoding/json writes it, which is as ECMAScript does; null if
// JSON has no such number.
func appendNumber(dst []byte, f float64) []byte {
	if !finite(f) {
		return append(dst, "null"...)
	}
	f += 0 // not negative zero
	if abs := math.Abs(f); abs == 0 || abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); string(dst[n-4:n-1]) == "e-0" {
		dst = append(dst[:n-2], dst[n-1]) // e-09 is e-9
	}
	return dst
}

// finite reports whether f can be written as a JSON number.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
