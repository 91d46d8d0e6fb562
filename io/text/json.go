package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/beameval/beameval/io/quote"
)

// maxDepth limits how deeply objects and arrays nest.
const maxDepth = 64

// object reads the JSON object on a line: from its tokens if it is plain, otherwise with jsontext.
type object struct {
	row    []byte
	plain  bool
	tokens tokens
	buffer bytes.Buffer
	in     jsontext.Decoder
	text   []byte // contents of a string with escapes
}

// begin enters the object, which must be the only value on the line.
func (o *object) begin(row []byte) error {
	if o.plain = o.tokens.scanShape(row); o.plain {
		o.tokens.enter()
		return nil
	}
	if !utf8.Valid(row) {
		return fmt.Errorf("byte %d: invalid UTF-8: write the file as UTF-8", 1+validPrefix(row))
	}
	if o.plain = o.tokens.scan(row); o.plain {
		o.tokens.remember()
		o.tokens.enter()
		return nil
	}
	return o.decode(row)
}

// decode is begin for rows that are not plain.
func (o *object) decode(row []byte) error {
	halves := hasHalves(row)
	if halves {
		if err := distinctKeys(row); err != nil {
			return err
		}
	}
	o.plain, o.row, o.buffer = false, row, *bytes.NewBuffer(row)
	o.in.Reset(&o.buffer, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(halves))
	switch o.in.PeekKind() {
	case '{':
		_, err := o.in.ReadToken()
		return o.wrong(err)
	case '[':
		return errors.New(`the line begins an array: write each object on a line of its own, without an array around them`)
	case '"', 't', 'f', 'n', '0':
		return fmt.Errorf(`the line is not an object, but %s: write {"label": …, "score": …}`, quote.Valid(string(row[:min(len(row), 40)])))
	}
	_, err := o.in.ReadToken()
	return o.wrong(err)
}

// end returns an error if anything follows the object.
func (o *object) end() error {
	if o.plain {
		return nil
	}
	switch _, err := o.in.ReadToken(); err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("byte %d: a value follows the object: write each object on a line of its own", o.in.InputOffset())
	default:
		return o.wrong(err)
	}
}

// member returns the name of the next member; the caller reads its value next. After the last
// member, more is false and the object is closed. The name is valid until its value is read.
func (o *object) member() (name []byte, more bool, err error) {
	if o.plain {
		if o.tokens.leave() {
			return nil, false, nil
		}
		o.tokens.at++
		return o.tokens.textOf(o.tokens.at - 1), true, nil
	}
	if o.in.PeekKind() == '}' {
		_, err := o.in.ReadToken()
		return nil, false, o.wrong(err)
	}
	v, err := o.in.ReadValue()
	if err != nil {
		return nil, false, o.wrong(err)
	}
	if name, err = o.unquoted(v); err != nil {
		name = v[1 : len(v)-1] // as it is written
	}
	return name, true, nil
}

// element reports whether the array has another element, which the caller reads next. Otherwise the
// array is closed.
func (o *object) element() (more bool, err error) {
	if o.plain {
		return !o.tokens.leave(), nil
	}
	if o.in.PeekKind() == ']' {
		_, err := o.in.ReadToken()
		return false, o.wrong(err)
	}
	return true, nil
}

// kind returns the kind of the next value.
func (o *object) kind() jsontext.Kind {
	if o.plain {
		return o.tokens.list[o.tokens.at].kind
	}
	return o.in.PeekKind()
}

// enter reads the opening bracket of an object or array.
func (o *object) enter() error {
	if o.plain {
		o.tokens.enter()
		return nil
	}
	if o.in.StackDepth() >= maxDepth {
		return fmt.Errorf("byte %d: objects and arrays nest deeper than %d", o.in.InputOffset()+1, maxDepth)
	}
	_, err := o.in.ReadToken()
	return o.wrong(err)
}

// skip skips a value.
func (o *object) skip() error {
	if o.plain {
		o.tokens.at = o.tokens.behind(o.tokens.at)
		return nil
	}
	return o.wrong(o.in.SkipValue())
}

// single reads a string, a number or a boolean, also as a numeral if it is known to be one. The value is valid until the
// next read. If a string has no text, the error is errSurrogate, and the value what is written.
func (o *object) single() (v []byte, kind jsontext.Kind, number numeral, err error) {
	if t := &o.tokens; o.plain {
		is := &t.list[t.at]
		t.at++
		return t.row[is.begin:is.end], is.kind, is.number, nil
	}
	v, kind, err = o.decoded()
	return v, kind, number, err
}

// decoded is single for a row that is not plain.
func (o *object) decoded() (v []byte, kind jsontext.Kind, err error) {
	raw, err := o.in.ReadValue()
	if err != nil {
		return nil, 0, o.wrong(err)
	}
	if kind = raw.Kind(); kind == '"' {
		v, err = o.unquoted(raw)
		return v, kind, err
	}
	return raw, kind, nil
}

// unquoted returns the contents of a string.
func (o *object) unquoted(v jsontext.Value) ([]byte, error) {
	if bytes.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1], nil
	}
	var err error
	if o.text, err = jsontext.AppendUnquote(o.text[:0], v); err != nil {
		return v[1 : len(v)-1], errSurrogate
	}
	return o.text, nil
}

var errSurrogate = errors.New(`a string has half a surrogate pair, such as \ud800, which is no character: write the character, or both halves`)

// validPrefix returns the length of the prefix of b that is UTF-8.
func validPrefix(b []byte) (n int) {
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

// wrong explains a syntax error and where it is.
func (o *object) wrong(err error) error {
	switch err {
	case nil:
		return nil
	case io.EOF:
		return errors.New("the line has no object, but only white space")
	}
	bad := (*jsontext.SyntacticError)(nil)
	if !errors.As(err, &bad) {
		return err
	}
	place := fmt.Sprintf("byte %d", bad.ByteOffset+1)
	if bad.JSONPointer != "" {
		place += ", at " + quote.Short(string(bad.JSONPointer))
	}
	rest := o.row[min(bad.ByteOffset, int64(len(o.row))):]
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: the line ends before the object does: write each object on one line", place)
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Errorf("%s: the object has this key twice: rename one", place)
	case bytes.HasPrefix(rest, []byte("NaN")), bytes.HasPrefix(rest, []byte("Inf")):
		return fmt.Errorf("%s: JSON has neither NaN nor infinity: write a number or null", place)
	}
	return fmt.Errorf("%s: %w", place, bad.Err)
}
