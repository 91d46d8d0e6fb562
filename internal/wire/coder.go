package wire

import (
	"fmt"
	"maps"
	"slices"
)

// Coder either appends values or reads them: a list of the fields of an element, written once as
// calls of a Coder, describes both directions. After the first error, it neither appends nor reads.
// Lengths are checked against the number of remaining bytes before memory is allocated.
type Coder struct {
	buf  []byte   // the appended bytes
	from *Decoder // nil while appending
	err  error    // while appending
}

// Encode returns the encoding of v. fields lists the fields of v.
func Encode[T any](v *T, fields func(*Coder, *T)) ([]byte, error) { return Append(nil, v, fields) }

// Append appends the encoding of v to dst.
func Append[T any](dst []byte, v *T, fields func(*Coder, *T)) ([]byte, error) {
	c := &Coder{buf: dst}
	fields(c, v)
	return c.buf, c.err
}

// Decode decodes what Encode encoded. Byte slices of v may alias data.
func Decode[T any](data []byte, v *T, fields func(*Coder, *T)) error {
	n, err := DecodePart(data, v, fields)
	if more := len(data) - n; err == nil && more > 0 {
		err = fmt.Errorf("%d bytes too many", more)
	}
	return err
}

// DecodePart decodes what Append appended, which other data may follow. It returns the number of bytes that it has read.
func DecodePart[T any](data []byte, v *T, fields func(*Coder, *T)) (n int, err error) {
	c := &Coder{from: NewDecoder(data)}
	fields(c, v)
	return len(data) - c.from.Len(), c.from.Err()
}

// Reading reports whether values are read instead of appended.
func (c *Coder) Reading() bool { return c.from != nil }

// Fail makes the coder fail, unless it has failed already.
func (c *Coder) Fail(format string, args ...any) {
	switch {
	case c.from != nil:
		c.from.Fail(format, args...)
	case c.err == nil:
		c.err = fmt.Errorf(format, args...)
	}
}

// More reports whether there is more to read.
func (c *Coder) More() bool { return c.from != nil && c.from.Len() > 0 }

// Failed reports whether there has been an error.
func (c *Coder) Failed() bool { return c.err != nil || c.from != nil && c.from.err != nil }

// Int codes an integer.
func Int[T ~int | ~int32 | ~int64](c *Coder, v *T) {
	if c.from == nil {
		c.buf = AppendInt(c.buf, int64(*v))
		return
	}
	n := c.from.Int()
	if *v = T(n); int64(*v) != n {
		c.Fail("the integer %d is too large", n)
	}
}

// code appends a value with one function or reads it with another.
func code[T any](c *Coder, v *T, write func([]byte, T) []byte, read func(*Decoder) T) {
	if c.from == nil {
		c.buf = write(c.buf, *v)
	} else {
		*v = read(c.from)
	}
}

// Uint codes an unsigned integer; the smaller it is, the fewer bytes it takes.
func (c *Coder) Uint(v *uint64) { code(c, v, AppendUint, (*Decoder).Uint) }

// Fixed codes an unsigned integer in eight bytes; use it for numbers that are usually large.
func (c *Coder) Fixed(v *uint64) { code(c, v, appendFixed, (*Decoder).fixed) }

// Float codes a float64 with all of its bits.
func (c *Coder) Float(v *float64) { code(c, v, AppendFloat, (*Decoder).Float) }

// Bool codes a bool.
func (c *Coder) Bool(v *bool) {
	n := 0
	if *v {
		n = 1
	}
	Int(c, &n)
	if n != 0 && n != 1 {
		c.Fail("%d is not a truth value", n)
	}
	if c.from != nil { // what is appended may be read by others at the same time
		*v = n == 1
	}
}

// Column codes integers, whose number must be known and above 0, in as many bits as the largest needs; see
// AppendColumn.
func (c *Coder) Column(values []uint64) {
	if c.from == nil {
		c.buf = AppendColumn(c.buf, values)
	} else {
		DecodeColumn(c.from, values)
	}
}

// String codes a string, whether valid UTF-8 or not.
func String[T ~string](c *Coder, v *T) {
	if c.from == nil {
		c.buf = append(AppendUint(c.buf, uint64(len(*v))), *v...)
	} else {
		*v = T(c.from.Bytes(c.from.Elements()))
	}
}

// Strings codes a list of strings, possibly millions. Strings that are read share memory.
func (c *Coder) Strings(list *[]string) {
	if c.from == nil {
		List(c, list, String)
		return
	}
	n := c.from.Elements()
	d := NewDecoder(c.from.buf[c.from.at:])
	for range n {
		c.from.Bytes(c.from.Elements())
	}
	if *list = nil; n == 0 || c.Failed() {
		return
	}
	all := string(d.buf[:d.Len()-c.from.Len()])
	*list = make([]string, n)
	for i := range *list {
		size := d.Elements()
		start := len(all) - d.Len() + c.from.Len()
		d.Bytes(size)
		(*list)[i] = all[start : start+size]
	}
}

// Bytes codes bytes, preceded by their length. Bytes that are read alias the input.
func (c *Coder) Bytes(v *[]byte) {
	if c.from == nil {
		c.buf = append(AppendUint(c.buf, uint64(len(*v))), *v...)
	} else if b := c.from.Bytes(c.from.Elements()); len(b) > 0 {
		*v = b
	}
}

// Rest codes all remaining bytes.
func (c *Coder) Rest(v *[]byte) {
	if c.from == nil {
		c.buf = append(c.buf, *v...)
	} else {
		*v = c.from.Bytes(c.from.Len())
	}
}

// Value codes a value that has its own methods for it.
func (c *Coder) Value(v interface {
	Append([]byte) []byte
	Decode(*Decoder)
}) {
	if c.from == nil {
		c.buf = v.Append(c.buf)
	} else {
		v.Decode(c.from)
	}
}

// Direct returns what Value passes to the methods of a value: the appended bytes, and the decoder,
// which is nil while appending. With it, generic callers avoid calls of frequent values through an
// interface.
func (c *Coder) Direct() (*[]byte, *Decoder) { return &c.buf, c.from }

// Embed codes a value with an encoding of its own, preceded by its length. The value may be large,
// so it is encoded in place and then moved to make room for its length.
func (c *Coder) Embed(encode func([]byte) ([]byte, error), decode func([]byte) error) {
	var err error
	if c.from == nil {
		start := len(c.buf)
		if c.buf, err = encode(c.buf); err == nil {
			length := AppendUint(nil, uint64(len(c.buf)-start))
			c.buf = slices.Insert(c.buf, start, length...)
		}
	} else if data := c.from.Bytes(c.from.Elements()); !c.Failed() {
		err = decode(data)
	}
	if err != nil {
		c.Fail("%w", err)
	}
}

// listed is the number of list elements for which memory is allocated before they are read.
const listed = 1024

// List codes a list, whose elements are coded by one of the functions of this package or by one
// that lists their fields. Every element must take at least one byte. An empty list is read as nil.
func List[T any](c *Coder, list *[]T, element func(*Coder, *T)) {
	n := c.Length(len(*list))
	if c.from != nil {
		if *list = nil; n > 0 {
			*list = make([]T, 0, min(n, listed))
		}
	}
	for i := 0; i < n && !c.Failed(); i++ {
		if c.from != nil {
			*list = append(*list, *new(T))
		}
		element(c, &(*list)[i])
	}
}

// Map codes a map in the order of its keys. An empty map is read as nil.
func Map[K ~string | ~int32, V any](c *Coder, m *map[K]V, key func(*Coder, *K), value func(*Coder, *V)) {
	keys := slices.Sorted(maps.Keys(*m))
	n := c.Length(len(keys))
	if c.from != nil && n > 0 {
		*m = make(map[K]V)
	}
	for i := 0; i < n && !c.Failed(); i++ {
		var k K
		var v V
		if c.from == nil {
			k, v = keys[i], (*m)[keys[i]]
		}
		key(c, &k)
		value(c, &v)
		if c.from != nil {
			(*m)[k] = v
		}
	}
}

// Optional codes a value or nil.
func Optional[T any](c *Coder, v **T, value func(*Coder, *T)) {
	there := *v != nil
	if c.Bool(&there); !there || c.Failed() {
		return
	}
	if c.from != nil {
		*v = new(T)
	}
	value(c, *v)
}

// Length codes the number of elements that follow. An element takes at least one byte.
func (c *Coder) Length(n int) int {
	if c.from != nil {
		return c.from.Elements()
	}
	c.buf = AppendUint(c.buf, uint64(n))
	return n
}
