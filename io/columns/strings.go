package columns

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Strings assigns a code to each distinct string in order of appearance. The dictionary of a column
// chunk is added as a whole, including strings that no row has. Readers of several columns and
// files may share a table, which makes their codes comparable. It is not safe for concurrent use.
// The zero value is an empty table.
type Strings struct {
	values []string
	codes  []int32  // hash table with open addressing: code + 1, or 0 if the slot is free
	hashes []uint64 // of the first values; see Hashes
	text   strings.Builder
	size   int64    // see Size
	now    *Strings // see asNow
}

// StringsOf returns a table of the given strings, whose codes are their indexes. It keeps the
// slice.
func StringsOf(values []string) *Strings { return &Strings{values: slices.Clip(values)} }

// Code returns the code of s and adds s if it is new. It keeps no reference to s.
func (t *Strings) Code(s []byte) int32 {
	place := t.place(s)
	if *place == 0 {
		t.values = append(t.values, t.copied(s))
		t.size += int64(len(s)) + sizeOfString
		*place = int32(len(t.values))
	}
	return *place - 1
}

// CodeOf is like Code, for a string.
func (t *Strings) CodeOf(s string) int32 { return t.Code([]byte(s)) }

// asNow returns a snapshot of the table, whose values several goroutines may read. It returns the
// same snapshot until strings are added.
func (t *Strings) asNow() *Strings {
	if t.now == nil || t.now.Len() < t.Len() {
		t.now = StringsOf(t.values)
	}
	return t.now
}

// Find returns the code of s, if s is in the table.
func (t *Strings) Find(s string) (int32, bool) {
	place := t.place([]byte(s))
	return *place - 1, *place > 0
}

// Len returns the number of distinct strings.
func (t *Strings) Len() int { return len(t.values) }

// sizeOfString is what a string takes in values and, on the average, in codes.
const sizeOfString = 16 + 3*4

// Size returns about how many bytes the strings that were added to the table take.
func (t *Strings) Size() int64 { return t.size }

// Values returns the strings by code. The caller must not modify the slice. The slice stays valid
// and unchanged when strings are added.
func (t *Strings) Values() []string { return t.values }

// Hashes returns the XXH64 hash of each string by code. The caller must not modify the slice.
func (t *Strings) Hashes() []uint64 {
	for _, s := range t.values[len(t.hashes):] {
		t.hashes = append(t.hashes, xxhash.Sum64String(s))
	}
	return t.hashes
}

// place returns the slot of a string. The slot is free if the string is not in the table.
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

// seed is random, so that the author of a file cannot provoke collisions.
var seed = maphash.MakeSeed()

// grow enlarges the hash table so that it remains at most half full after one more insertion.
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

// copied returns a copy of s. Copies are allocated in shared blocks.
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
