package columns

import "strings"

// Strings gives each distinct string a code, in order of first appearance (the
// whole dictionary of a column chunk appears at once, with strings that no row
// may have). One table may be shared by readers of several columns and files,
// so that their codes can be compared; it is not safe for concurrent use. The
// zero value is ready for use.
type Strings struct {
	codes  map[string]int32
	values []string
}

// Code returns the code of s, which it adds if it is new. It keeps no
// reference to s.
func (t *Strings) Code(s []byte) int32 {
	if code, ok := t.codes[string(s)]; ok {
		return code
	}
	return t.add(string(s))
}

// CodeOf is Code for a string.
func (t *Strings) CodeOf(s string) int32 {
	if code, ok := t.codes[s]; ok {
		return code
	}
	return t.add(strings.Clone(s))
}

func (t *Strings) add(s string) int32 {
	if t.codes == nil {
		t.codes = make(map[string]int32)
	}
	code := int32(len(t.values))
	t.codes[s] = code
	t.values = append(t.values, s)
	return code
}

// Find returns the code of s, if s has one.
func (t *Strings) Find(s string) (int32, bool) {
	code, ok := t.codes[s]
	return code, ok
}

// Len returns the number of distinct strings.
func (t *Strings) Len() int { return len(t.values) }

// Values returns the strings by code. The slice must not be changed; it stays
// valid, and does not grow, when strings are added.
func (t *Strings) Values() []string { return t.values }
