// Package slice defines the identity of a slice of the data: a [Key], which consists of the values
// of some columns. It orders keys, encodes them for shuffles, and formats them for people and as
// JSON.
//
// It does not know which slices a configuration requests, nor to which slices a row belongs.
package slice

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/io/quote"
)

// Key identifies a slice by the values of some columns, in the order of the configuration. The
// empty key identifies the slice of all examples.
type Key []Pair

// Pair is a column of a [Key] and its value.
type Pair struct {
	Column string
	Value  Value
}

// Compare orders keys: overall first, then by the number of columns, then by the names of the
// columns, then by their values.
func (k Key) Compare(l Key) int {
	if c := cmp.Compare(len(k), len(l)); c != 0 {
		return c
	}
	for i := range k {
		if c := strings.Compare(k[i].Column, l[i].Column); c != 0 {
			return c
		}
	}
	for i := range k {
		if c := k[i].Value.Compare(l[i].Value); c != 0 {
			return c
		}
	}
	return 0
}

// String formats k for people: "overall", "country=de, device=phone" or "age in [18, 40)".
func (k Key) String() string {
	if len(k) == 0 {
		return "overall"
	}
	pairs := make([]string, len(k))
	for i, p := range k {
		pairs[i] = quote.Visible(p.Column) + p.Value.relation() + p.Value.String()
	}
	return strings.Join(pairs, ", ")
}

// MarshalJSON implements json.Marshaler; see AppendJSON.
func (k Key) MarshalJSON() ([]byte, error) { return k.AppendJSON(nil), nil }

// AppendJSON appends an object with a member for each column, in order.
func (k Key) AppendJSON(b []byte) []byte {
	b = append(b, '{')
	for i, p := range k {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(quote.AppendName(b, p.Column), ':')
		b = p.Value.appendJSON(b)
	}
	return append(b, '}')
}

// UnmarshalJSON reads the output of MarshalJSON and keeps the order of its members. An empty object
// becomes the nil key.
func (k *Key) UnmarshalJSON(data []byte) error {
	d := newDecoder(data)
	if token, err := d.Token(); err != nil {
		return err
	} else if token != json.Delim('{') {
		return fmt.Errorf("a slice is an object, not %s", quote.Short(string(data)))
	}
	var read Key
	for d.More() {
		column, err := d.Token()
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
		name, _ := column.(string)
		read = append(read, Pair{quote.Unescape(name), value})
	}
	*k = read
	return nil
}

// AppendBinary appends the encoding of k for shuffles, which compare keys by their bytes. Encodings
// are equal if and only if the keys are, and no encoding is a prefix of another. Their order
// differs from the order of [Key.Compare].
func (k Key) AppendBinary(b []byte) []byte {
	b = wire.AppendUint(b, uint64(len(k)))
	for _, p := range k {
		b = appendString(b, p.Column)
		b = p.Value.appendBinary(b)
	}
	return b
}

// Encoded returns what AppendBinary appends, as the key of a map.
func (k Key) Encoded() string { return string(k.AppendBinary(nil)) }

// Decode decodes one key from the front of b, and returns it with the rest of b.
func Decode(b []byte) (k Key, rest []byte, err error) {
	d := wire.NewDecoder(b)
	for range d.Elements() {
		k = append(k, Pair{decodeString(d), decodeValue(d)})
	}
	if d.Err() != nil {
		return nil, nil, fmt.Errorf("key of a slice: %w", d.Err())
	}
	return k, b[len(b)-d.Len():], nil
}
