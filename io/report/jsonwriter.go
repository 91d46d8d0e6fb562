package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
)

// jsonWriter writes an object with each member on its own line. The layout tag of a field selects
// how its value is written: "lines" writes an array with an item on each line, "members" writes an
// object like the outer one, and "indented" indents everything inside the value. Values without a
// tag stay on one line. After the first error, it writes nothing.
type jsonWriter struct {
	w       io.Writer
	buf     bytes.Buffer
	encoder *json.Encoder // writes to buf
	err     error
}

// WriteObject writes a struct with a [jsonWriter].
func WriteObject(w io.Writer, object any) error {
	j := &jsonWriter{w: w}
	j.encoder = newEncoder(&j.buf)
	j.members(reflect.ValueOf(object), "\n")
	j.buf.WriteByte('\n')
	return j.flush()
}

// newEncoder returns an encoder that does not escape HTML, because reports are searched more often
// than pasted into HTML.
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

// members writes a struct. newline starts a line and includes the indentation.
func (j *jsonWriter) members(object reflect.Value, newline string) {
	separator := "{"
	for i := range object.NumField() {
		field, value := object.Type().Field(i), object.Field(i)
		name, omitted, _ := strings.Cut(field.Tag.Get("json"), ",")
		if omitted != "" && isZero(value) {
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

func isZero(v reflect.Value) bool {
	rows, ok := v.Interface().(interface{ IsZero() bool })
	return v.IsZero() || ok && rows.IsZero()
}

// lines writes an array and keeps only one item in memory.
func (j *jsonWriter) lines(list reflect.Value, newline string) {
	separator := "["
	line := func(write func()) {
		j.buf.WriteString(separator + newline + "  ")
		separator = ","
		write()
		j.flush()
	}
	switch items := list.Interface().(type) {
	case interface{ Lines() iter.Seq[[]byte] }:
		for text := range items.Lines() {
			line(func() { j.buf.Write(text) })
		}
	default:
		for i := range list.Len() {
			line(func() { j.value(list.Index(i).Interface()) })
		}
	}
	if separator == "[" {
		newline = "["
	}
	j.buf.WriteString(newline + "]")
}
