package tabular

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonWriter writes an object with each member on its own line. The layout tag of a field selects
// how its value is written: "lines" writes an array with an item on each line, "members" writes an
// object like the outer one, and "indented" indents everything inside the value. Values without a
// tag stay on one line. [Tables] are members in the place of their field. After the first error, it writes nothing.
type jsonWriter struct {
	w       io.Writer
	buf     bytes.Buffer
	encoder *json.Encoder // writes to buf
	err     error
}

// WriteObject writes a struct with a [jsonWriter].
func WriteObject(w io.Writer, object any) error {
	j := &jsonWriter{w: w}
	j.encoder = NewEncoder(&j.buf)
	j.members(reflect.ValueOf(object), "\n")
	j.buf.WriteByte('\n')
	return j.flush()
}

// NewEncoder returns an encoder that does not escape HTML, because reports are searched more often
// than pasted into HTML.
func NewEncoder(w io.Writer) *json.Encoder {
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
	begin := func(name string) {
		j.buf.WriteString(separator + newline + `  "` + name + `": `)
		separator = ","
	}
	for i := range object.NumField() {
		field, value := object.Type().Field(i), object.Field(i)
		if tables, ok := value.Interface().(Tables); ok {
			for name, rows := range tables {
				begin(name)
				j.lines(reflect.ValueOf(rows), newline+"  ")
			}
			continue
		}
		name, omitted, _ := strings.Cut(field.Tag.Get("json"), ",")
		if omitted != "" && isZero(value) {
			continue
		}
		begin(name)
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

// Tables are rows of tables as members of an object.
type Tables iter.Seq2[string, Lines]

// Lines are the rows of a table, an object for each.
type Lines interface{ Lines() iter.Seq[[]byte] }

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
	case Lines:
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

// EachMember calls each with the members of an object that are not null, in their order.
func EachMember(object []byte, each func(name string, value []byte) error) error {
	in := jsontext.NewDecoder(bytes.NewBuffer(object), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, err := in.ReadToken() // {
	for err == nil && in.PeekKind() == '"' {
		var name jsontext.Token
		if name, err = in.ReadToken(); err != nil {
			break
		}
		member := name.String() // before the next is read
		var value jsontext.Value
		if value, err = in.ReadValue(); err == nil && value.Kind() != 'n' {
			err = each(member, value)
		}
	}
	return err
}

// ParseObject parses a file that should have a schema; found is where the file has it, and cure says
// what to do if it has another.
func ParseObject(data []byte, file any, found *string, schema, cure string) error {
	if err := json.Unmarshal(data, file); err != nil {
		return err
	}
	if *found != schema {
		return fmt.Errorf("the schema is %q, not %q: %s", *found, schema, cure)
	}
	return nil
}
