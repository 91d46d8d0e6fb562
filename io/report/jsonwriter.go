package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/report/tabular"
)

// jsonWriter writes an object with each member on its own line. The layout tag of a field selects
// how its value is written: "lines" writes an array with an item on each line, "members" writes an
// object like the outer one, and "indented" indents everything inside the value. Values without a
// tag stay on one line. After the first error, it writes nothing.
type jsonWriter struct {
	w       io.Writer
	buf     bytes.Buffer
	encoder *json.Encoder     // writes to buf
	texts   map[string]string // encoded strings
	err     error
}

// WriteObject writes a struct with a [jsonWriter].
func WriteObject(w io.Writer, object any) error {
	j := &jsonWriter{w: w, texts: map[string]string{}}
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

// text appends an encoded string, like value.
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

// members writes a struct. newline starts a line and includes the indentation.
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
	case rowsJSON:
		var slice tabular.SliceText
		for i := range items {
			line(func() { j.buf.Write(items.append(j.buf.AvailableBuffer(), i, &slice, j.text)) })
		}
	case interface{ each(do func(item any)) }:
		items.each(func(item any) { line(func() { j.value(item) }) })
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

// Lines are the items of an array, of which there may be millions. Those that [WriteObject] writes
// are made one by one.
type Lines[T any] iter.Seq[T]

func (l Lines[T]) each(do func(item any)) {
	for item := range l {
		do(item)
	}
}

// UnmarshalJSON reads an array.
func (l *Lines[T]) UnmarshalJSON(data []byte) error {
	var list []T
	err := json.Unmarshal(data, &list)
	*l = Lines[T](slices.Values(list))
	return err
}

// List returns the items.
func (l Lines[T]) List() []T {
	if l == nil {
		return nil
	}
	return slices.Collect(iter.Seq[T](l))
}
