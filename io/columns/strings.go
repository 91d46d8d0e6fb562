package columns

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Strings gives each distinct string a code, in order of appearance. The dictionary of a
// column chunk appears as a whole, including strings that no row has. Readers of several
// columns and files may share a table, so that their codes can be compared. It is not safe
// for concurrent use. The zero value is an empty table.
type Strings struct {
	values []string
	codes  []int32  // open addressing: one more than the code; 0: the place is free
	hashes []uint64 // of the first values; see Hashes
	text   strings.Builder
	now    *Strings // see asNow
}

// StringsOf returns a table of these strings, whose codes are their indices. It keeps the
// slice.
func StringsOf(values []string) *Strings { return &Strings{values: slices.Clip(values)} }

// Code returns the code of s, and adds s if it is new. It keeps no reference to s.
func (t *Strings) Code(s []byte) int32 { return t.code(s) }

// CodeOf is Code for a string.
func (t *Strings) CodeOf(s string) int32 { return t.code([]byte(s)) }

// asNow returns a table of the strings that there are, whose values several goroutines may
// read. It is the same as before, unless strings were added.
func (t *Strings) asNow() *Strings {
	if t.now == nil || t.now.Len() < t.Len() {
		t.now = StringsOf(t.values)
	}
	return t.now
}

// Find returns the code of s, if s has one.
func (t *Strings) Find(s string) (int32, bool) {
	place := t.place([]byte(s))
	return *place - 1, *place > 0
}

// Len returns the number of distinct strings.
func (t *Strings) Len() int { return len(t.values) }

// Values returns the strings by code. The caller must not change the slice. It stays valid,
// and does not grow, when strings are added.
func (t *Strings) Values() []string { return t.values }

// Hashes returns the XXH64 of each string, by code. The caller must not change the slice.
func (t *Strings) Hashes() []uint64 {
	for _, s := range t.values[len(t.hashes):] {
		t.hashes = append(t.hashes, xxhash.Sum64String(s))
	}
	return t.hashes
}

func (t *Strings) code(s []byte) int32 {
	place := t.place(s)
	if *place == 0 {
		t.values = append(t.values, t.copied(s))
		*place = int32(len(t.values))
	}
	return *place - 1
}

// place returns the place of the code of a string, free if it has none.
func (t *Strings) place(s []byte) *int32 {
	if 2*len(t.values) >= len(t.codes) {
		t.grow()
	}
	mask := uint64(len(t.codes) - 1)
	i := maphash.Bytes(seed, s) & mask
	for t.codes[i] != 0 && t.values[t.codes[i]-1] != string(s) {
		i = (i + 1) & mask
	}
	return &t.codes[i]
}

// seed keeps those who choose strings from choosing places.
var seed = maphash.MakeSeed()

// grow makes the table of codes larger: at most half full, with one more.
func (t *Strings) grow() {
	size := max(2*len(t.codes), 8)
	for size <= 2*len(t.values) {
		size *= 2
	}
	t.codes = make([]int32, size)
	for code, s := range t.values {
		i := maphash.String(seed, s) & uint64(size-1)
		for t.codes[i] != 0 {
			i = (i + 1) & uint64(size-1)
		}
		t.codes[i] = int32(code) + 1
	}
}

// copied returns a copy of s. Copies share blocks of memory.
func (t *Strings) copied(s []byte) string {
	if t.text.Cap()-t.text.Len() < len(s) {
		block := max(len(s), min(2*t.text.Cap(), 1<<16), 64)
		t.text = strings.Builder{}
		t.text.Grow(block)
	}
	start := t.text.Len()
	t.text.Write(s)
	return t.text.String()[start:]
}
