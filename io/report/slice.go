package report

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Slice names a part of the data by the values of some columns, in the order
// in which the configuration lists them. The empty slice is all of the data.
type Slice []SliceValue

// SliceValue is one column of a [Slice] and the value it has there.
type SliceValue struct {
	Column string
	Value  Value
}

// Compare orders slices: overall first, then those of fewer columns, then by
// the names of the columns, then by their values.
func (s Slice) Compare(t Slice) int {
	if c := cmp.Compare(len(s), len(t)); c != 0 {
		return c
	}
	for i := range s {
		if c := strings.Compare(s[i].Column, t[i].Column); c != 0 {
			return c
		}
	}
	for i := range s {
		if c := s[i].Value.Compare(t[i].Value); c != 0 {
			return c
		}
	}
	return 0
}

// String returns s for people: "overall", or "country=de, device=phone".
func (s Slice) String() string {
	if len(s) == 0 {
		return "overall"
	}
	parts := make([]string, len(s))
	for i, sv := range s {
		parts[i] = visible(sv.Column) + "=" + sv.Value.String()
	}
	return strings.Join(parts, ", ")
}

// MarshalJSON returns an object with a member for each column, in the order of
// the columns.
func (s Slice) MarshalJSON() ([]byte, error) { return s.appendJSON(nil), nil }

func (s Slice) appendJSON(b []byte) []byte {
	b = append(b, '{')
	for i, sv := range s {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendName(b, sv.Column)
		b = append(b, ':')
		b = sv.Value.appendJSON(b)
	}
	return append(b, '}')
}

// UnmarshalJSON reads what MarshalJSON writes, in the order in which it is
// written. An empty object becomes the nil slice.
func (s *Slice) UnmarshalJSON(data []byte) error {
	d := newDecoder(data)
	if token, err := d.Token(); err != nil {
		return err
	} else if token != json.Delim('{') {
		return fmt.Errorf("report: a slice is an object, not %s", data)
	}
	var read Slice
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		token, err := d.Token()
		if err != nil {
			return err
		}
		value, err := valueOf(token)
		if err != nil {
			return err
		}
		column, _ := key.(string)
		read = append(read, SliceValue{Column: nameOf(column), Value: value})
	}
	*s = read
	return nil
}

// AppendBinary appends a compact encoding of s to b, with the properties of
// [Value.AppendBinary].
func (s Slice) AppendBinary(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	for _, sv := range s {
		b = appendBinaryString(b, sv.Column)
		b = sv.Value.AppendBinary(b)
	}
	return b
}

// DecodeSlice reads one slice from the front of b and returns it with the rest
// of b. It accepts nothing but what [Slice.AppendBinary] writes.
func DecodeSlice(b []byte) (s Slice, rest []byte, err error) {
	count, n := binary.Uvarint(b)
	// A column takes two bytes or more, which bounds what a bad count allocates.
	if n <= 0 || overlong(b[:n]) || count > uint64(len(b)-n)/2 {
		return nil, nil, errBinary
	}
	b = b[n:]
	for range count {
		var sv SliceValue
		if sv.Column, b, err = decodeBinaryString(b); err != nil {
			return nil, nil, err
		}
		if sv.Value, b, err = DecodeValue(b); err != nil {
			return nil, nil, err
		}
		s = append(s, sv)
	}
	return s, b, nil
}

func newDecoder(data []byte) *json.Decoder {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d
}

// sliceText gives slices as JSON text. It keeps the last one, because rows come
// sorted by slice.
type sliceText struct {
	slice Slice
	text  string
}

func (t *sliceText) of(s Slice) string {
	if t.text == "" || !slices.Equal(s, t.slice) {
		t.slice, t.text = s, string(s.appendJSON(nil))
	}
	return t.text
}
