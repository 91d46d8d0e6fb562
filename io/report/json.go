package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/beameval/beameval/io/quote"
)

// Schema is what metrics.json says of its own format.
const Schema = "beameval.report/v1"

// maxInline is how many classes or labels the confusion in metrics.json has at
// most.
const maxInline = 50

// writeJSON writes metrics.json. It is indented, but each metric row, and each
// row of the confusion matrix, is one line, for grep and diff.
func (r *Report) writeJSON(w io.Writer) error {
	j := &jsonWriter{w: w}
	j.buf = append(j.buf, "{\n  \"schema\": \""+Schema+`"`...)
	j.key("task").text(r.Task)
	rows := r.Rows
	if rows.Skipped == nil {
		rows.Skipped = map[string]int64{}
	}
	j.key("rows").value(rows)
	j.key("examples").value(r.Examples)
	j.key("labels")
	list(j, r.Labels, func(label *string) { j.name(*label) })
	if r.NumLabels > len(r.Labels) {
		j.key("num_labels").value(r.NumLabels)
	}
	j.key("config").indented(r.Config)
	j.key("metrics")
	list(j, r.Metrics, func(row *Row) { j.buf = row.appendJSON(j.buf) })
	j.key("confusion").confusion(r.confusion(maxInline))
	j.key("warnings")
	list(j, r.warnings(), func(warning *string) { j.text(*warning) })
	j.buf = append(j.buf, "\n}\n"...)
	j.flush()
	return j.err
}

func (r *Row) appendJSON(b []byte) []byte {
	b = append(b, `{"name":`...)
	b = quote.AppendJSON(b, r.Name)
	b = append(b, `,"slice":`...)
	b = r.Slice.AppendJSON(b)
	b = append(b, `,"label":`...)
	if r.Label == nil {
		b = append(b, "null"...)
	} else {
		b = quote.AppendName(b, *r.Label)
	}
	b = append(b, `,"value":`...)
	b = appendNumber(b, r.Value)
	if i := r.interval(); i != nil {
		b = append(b, `,"low":`...)
		b = appendNumber(b, i.Low)
		b = append(b, `,"high":`...)
		b = appendNumber(b, i.High)
	}
	if reason := r.undefined(); reason != "" {
		b = append(b, `,"undefined":`...)
		b = quote.AppendJSON(b, reason)
	}
	b = append(b, `,"support":`...)
	b = strconv.AppendInt(b, r.Support, 10)
	return append(b, '}')
}

// appendNumber appends f, or null if JSON has no such number.
func appendNumber(b []byte, f float64) []byte {
	if !finite(f) {
		return append(b, "null"...)
	}
	return appendFloat(b, f)
}

// jsonWriter writes the members of one object. Its error sticks.
type jsonWriter struct {
	w   io.Writer
	buf []byte
	err error
}

func (j *jsonWriter) flush() {
	if j.err == nil {
		_, j.err = j.w.Write(j.buf)
	}
	j.buf = j.buf[:0]
}

func (j *jsonWriter) key(name string) *jsonWriter {
	j.buf = append(j.buf, ",\n  \""+name+"\": "...)
	return j
}

func (j *jsonWriter) text(s string) { j.buf = quote.AppendJSON(j.buf, s) }
func (j *jsonWriter) name(s string) { j.buf = quote.AppendName(j.buf, s) }

// names writes an array on one line.
func (j *jsonWriter) names(list []string) {
	separator := byte('[')
	for _, name := range list {
		j.buf = append(j.buf, separator)
		j.name(name)
		separator = ','
	}
	j.buf = append(j.buf, ']')
}

// value writes what encoding/json makes of v.
func (j *jsonWriter) value(v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil && j.err == nil {
		j.err = err
	}
	j.buf = append(j.buf, bytes.TrimSpace(b.Bytes())...)
}

func (j *jsonWriter) indented(raw json.RawMessage) {
	if len(raw) == 0 {
		raw = json.RawMessage("null")
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "  ", "  "); err != nil && j.err == nil {
		j.err = fmt.Errorf("configuration: %w", err)
	}
	j.buf = append(j.buf, bytes.TrimSpace(b.Bytes())...)
}

// list writes an array with one item a line, and keeps only one in memory.
func list[T any](j *jsonWriter, items []T, item func(*T)) {
	j.buf = append(j.buf, '[')
	for i := range items {
		if i > 0 {
			j.buf = append(j.buf, ',')
		}
		j.buf = append(j.buf, "\n    "...)
		item(&items[i])
		j.flush()
	}
	if len(items) > 0 {
		j.buf = append(j.buf, "\n  "...)
	}
	j.buf = append(j.buf, ']')
}

// confusion writes {"labels", "matrix"}, or {"per_label": [{"label", "tp", "fp",
// "fn", "tn"}]}. Numbers are sums of weights if rows have weights; the counts
// are then in a "counts" of the same shape.
func (j *jsonWriter) confusion(f *confusion) {
	switch {
	case f == nil:
		j.buf = append(j.buf, "null"...)
		return
	case f.matrix == nil:
		j.perLabel(f)
		return
	}
	j.buf = append(j.buf, "{\n    \"labels\": "...)
	j.names(f.names)
	j.square("matrix", f, f.weighted)
	if f.weighted {
		j.square("counts", f, false)
	}
	j.buf = append(j.buf, "\n  }"...)
}

func (j *jsonWriter) square(name string, f *confusion, weights bool) {
	m := f.matrix
	j.buf = append(j.buf, ",\n    \""+name+"\": ["...)
	for i := range m.counts {
		switch {
		case i == 0:
			j.buf = append(j.buf, "\n      ["...)
		case i%m.size == 0:
			j.buf = append(j.buf, "],\n      ["...)
		default:
			j.buf = append(j.buf, ',')
		}
		j.cell(m, i, weights)
	}
	j.buf = append(j.buf, "]\n    ]"...)
}

func (j *jsonWriter) cell(m *matrix, i int, weight bool) {
	if weight {
		j.buf = appendNumber(j.buf, m.weights[i])
	} else {
		j.buf = strconv.AppendInt(j.buf, m.counts[i], 10)
	}
}

func (j *jsonWriter) perLabel(f *confusion) {
	j.buf = append(j.buf, "{\n    \"per_label\": ["...)
	for i := range f.perLabel {
		if i > 0 {
			j.buf = append(j.buf, ',')
		}
		j.buf = append(j.buf, "\n      {\"label\":"...)
		j.name(f.names[i])
		j.buf = append(j.buf, ',')
		j.twoByTwo(&f.perLabel[i], f.weighted)
		if f.weighted {
			j.buf = append(j.buf, `,"counts":{`...)
			j.twoByTwo(&f.perLabel[i], false)
			j.buf = append(j.buf, '}')
		}
		j.buf = append(j.buf, '}')
	}
	j.buf = append(j.buf, "\n    ]\n  }"...)
}

func (j *jsonWriter) twoByTwo(m *matrix, weights bool) {
	j.buf = append(j.buf, `"tp":`...)
	j.cell(m, tp, weights)
	j.buf = append(j.buf, `,"fp":`...)
	j.cell(m, fp, weights)
	j.buf = append(j.buf, `,"fn":`...)
	j.cell(m, fn, weights)
	j.buf = append(j.buf, `,"tn":`...)
	j.cell(m, tn, weights)
}

// appendFloat appends the shortest decimal that reads back as f, in the format
// of encoding/json. It writes negative zero as 0.
func appendFloat(b []byte, f float64) []byte {
	abs := math.Abs(f)
	if abs == 0 {
		return append(b, '0')
	}
	if abs >= 1e-6 && abs < 1e21 || math.IsInf(f, 0) || math.IsNaN(f) {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	// e-09 is e-9 in JSON as other programs write it.
	if n := len(b); b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b
}

// finite reports whether f can be written as a JSON number.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
