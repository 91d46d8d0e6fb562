package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/beameval/beameval/io/report/tabular"
)

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

// WriteObject writes a struct as [jsonWriter] does.
func WriteObject(w io.Writer, object any) error {
	j := &jsonWriter{w: w, texts: map[string]string{}}
	j.encoder = newEncoder(&j.buf)
	j.members(reflect.ValueOf(object), "\n")
	j.buf.WriteByte('\n')
	return j.flush()
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
	var slice tabular.SliceText
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
