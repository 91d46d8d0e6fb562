package columns

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// Strings assigns a code to each distinct string in order of appearance. The dictionary of a column
// chunk is added as a whole, including strings that no row has. Readers of several columns and
// files may share a table, which makes their codes comparable. It is not safe for concurrent use.
// The zero value is an empty table.
//
// A loose table gives a string a new code unless it equals the string before. It is for ids: they are
// as many as rows, and looking each up would take longer than reading it. From looseBytes on, it looks
// strings up, so that it does not grow with rows that repeat long texts.
type Strings struct {
	values  []string // nil if the table is loose
	slots   []slot   // hash table with open addressing
	entries int      // slots that are not free
	text    strings.Builder
	size    int64    // see Size
	now     *Strings // see asNow

	// Of a loose table: all strings, one after the other, and where each ends. There are no pointers
	// for the garbage collector.
	loose bool
	bytes []byte
	ends  []int

	hashing sync.Mutex
	hashes  []uint64 // of the first values; see Hashes
}

// slot is an entry of the hash table: the low bits of the hash of a string, and its code + 1, or 0 if
// the slot is free. The hash spares most looks at strings that differ, and all when the table grows.
type slot struct {
	hash uint32
	code int32
}

// looseBytes is the size of the strings of a loose table from which it looks strings up: larger than the
// ids of most row groups.
const looseBytes = 64 << 20

// Loose returns a loose table of n strings, which are in text one after the other; ends has n ends. It
// keeps both slices.
func Loose(text []byte, ends []int) *Strings { return &Strings{loose: true, bytes: text, ends: ends} }

// Loose reports whether equal strings may have different codes. Find is not for loose tables.
func (t *Strings) Loose() bool { return t.loose }

// StringsOf returns a table of the given strings, whose codes are their indexes. It keeps the
// slice.
func StringsOf(values []string) *Strings { return &Strings{values: slices.Clip(values)} }

// Code returns the code of s and adds s if it is new. It keeps no reference to s.
func (t *Strings) Code(s []byte) int32 {
	if t.loose {
		return t.next(s)
	}
	return t.found(s)
}

// found looks s up, and adds it if it is new.
func (t *Strings) found(s []byte) int32 {
	hash := uint32(maphash.Bytes(seed, s))
	place := t.place(hash, s)
	if place.code == 0 {
		*place = slot{hash, t.add(s) + 1}
		t.entries++
	}
	return place.code - 1
}

// add adds a string and returns its code.
func (t *Strings) add(s []byte) int32 {
	if t.loose {
		t.bytes = append(t.bytes, s...)
		t.ends = append(t.ends, len(t.bytes))
	} else {
		t.values = append(t.values, t.copied(s))
	}
	t.size += int64(len(s)) + sizeOfString
	return int32(t.Len()) - 1
}

// next is Code for a loose table.
func (t *Strings) next(s []byte) int32 {
	if n := len(t.ends); n > 0 && bytes.Equal(t.Bytes(int32(n-1)), s) {
		return int32(n) - 1
	}
	return t.Append(s)
}

// Append adds s to a loose table, even if it equals the string before, and returns its code.
func (t *Strings) Append(s []byte) int32 {
	if len(t.bytes) >= looseBytes {
		return t.found(s)
	}
	return t.add(s)
}

// CodeOf is like Code, for a string.
func (t *Strings) CodeOf(s string) int32 { return t.Code([]byte(s)) }

// At returns the string with a code; that of a loose table is a copy.
func (t *Strings) At(code int32) string {
	if t.loose {
		return string(t.Bytes(code))
	}
	return t.values[code]
}

// Bytes returns the string with a code of a loose table. The caller must not modify it. It stays valid
// until Renew.
func (t *Strings) Bytes(code int32) []byte {
	start := 0
	if code > 0 {
		start = t.ends[code-1]
	}
	return t.bytes[start:t.ends[code]:t.ends[code]]
}

// Text returns the strings of a loose table, one after the other. The caller must not modify them.
func (t *Strings) Text() []byte { return t.bytes }

// Renew returns an empty loose table in the memory of this one, which must not be used any more. (It is
// another table, because who caches codes goes by the table.)
func (t *Strings) Renew() *Strings {
	if cap(t.bytes) > 2*looseBytes {
		return Loose(nil, nil)
	}
	return Loose(t.bytes[:0], t.ends[:0])
}

// asNow returns a snapshot of the table, whose values several goroutines may read. It returns the
// same snapshot until strings are added.
func (t *Strings) asNow() *Strings {
	if t.now == nil || t.now.Len() < t.Len() {
		t.now = &Strings{values: slices.Clip(t.values), loose: t.loose, bytes: t.bytes, ends: t.ends}
	}
	return t.now
}

// Find returns the code of s, if s is in the table.
func (t *Strings) Find(s string) (int32, bool) {
	place := t.place(uint32(maphash.String(seed, s)), []byte(s))
	return place.code - 1, place.code > 0
}

// Len returns the number of strings, which are distinct unless the table is loose.
func (t *Strings) Len() int { return len(t.values) + len(t.ends) }

// sizeOfString is what a string takes in values or ends and, on the average, in slots.
const sizeOfString = 16 + 3*4

// Size returns about how many bytes the strings that were added to the table take.
func (t *Strings) Size() int64 { return t.size }

// Values returns the strings by code. The caller must not modify the slice. The slice stays valid
// and unchanged when strings are added. Those of a loose table are copies.
func (t *Strings) Values() []string {
	if !t.loose {
		return t.values
	}
	all, text, start := make([]string, len(t.ends)), string(t.bytes), 0
	for code, end := range t.ends {
		all[code], start = text[start:end], end
	}
	return all
}

// Hashes returns the XXH64 hash of each string by code. The caller must not modify the slice. Several
// goroutines may hash the strings of a snapshot, which copies of columns share.
func (t *Strings) Hashes() []uint64 {
	t.hashing.Lock()
	defer t.hashing.Unlock()
	t.hashes = slices.Grow(t.hashes, t.Len()-len(t.hashes))
	for code := len(t.hashes); code < t.Len(); code++ {
		t.hashes = append(t.hashes, t.Hash(int32(code)))
	}
	return t.hashes
}

// Hash returns the XXH64 hash of the string with a code.
func (t *Strings) Hash(code int32) uint64 {
	if t.loose {
		return xxhash.Sum64(t.Bytes(code))
	}
	return xxhash.Sum64String(t.values[code])
}

// place returns the slot of a string with this hash. The slot is free if the string is not in the
// table.
func (t *Strings) place(hash uint32, s []byte) *slot {
	if 2*t.entries >= len(t.slots) {
		t.grow()
	}
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if at := &t.slots[i]; at.code == 0 || at.hash == hash && t.is(at.code-1, s) {
			return at
		}
	}
}

// is reports whether s is the string with a code.
func (t *Strings) is(code int32, s []byte) bool {
	if t.loose {
		return bytes.Equal(t.Bytes(code), s)
	}
	return t.values[code] == string(s)
}

// seed is random, so that the author of a file cannot provoke collisions.
var seed = maphash.MakeSeed()

// grow enlarges the hash table so that it remains at most half full after one more insertion.
func (t *Strings) grow() {
	old, size := t.slots, max(2*len(t.slots), 8)
	if old == nil {
		t.entries = len(t.values) // those of StringsOf
	}
	for size <= 2*t.entries {
		size *= 2
	}
	t.slots = make([]slot, size)
	for _, s := range old {
		if s.code != 0 {
			t.insert(s)
		}
	}
	if old == nil {
		for code, s := range t.values {
			t.insert(slot{uint32(maphash.String(seed, s)), int32(code) + 1})
		}
	}
}

// insert puts an entry into the first free slot for its hash.
func (t *Strings) insert(s slot) {
	mask := uint32(len(t.slots) - 1)
	i := s.hash & mask
	for t.slots[i].code != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = s
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
