package columns

import "slices"

// Flags is a list of booleans that costs nothing while all of them are false, the usual case.
type Flags struct {
	any bool
	v   []bool
}

// Reset sets all flags to false.
func (f *Flags) Reset() { f.any, f.v = false, f.v[:0] }

// From returns the flags i to j for writing. New flags are false.
func (f *Flags) From(i, j int) []bool {
	f.any = true
	n := len(f.v)
	f.v = slices.Grow(f.v, max(0, j-n))[:j]
	clear(f.v[n:])
	return f.v[i:j]
}

// Set sets a flag to true.
func (f *Flags) Set(i int) { f.From(i, max(i+1, len(f.v)))[0] = true }

// Has reports whether a flag is true.
func (f *Flags) Has(i int) bool { return i < len(f.v) && f.v[i] }

// UpTo returns the first n flags, or nil if no flag was written since Reset.
func (f *Flags) UpTo(n int) []bool {
	if !f.any {
		return nil
	}
	f.From(n, n)
	return f.v
}
