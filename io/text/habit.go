package text

// habit remembers which key was at which position of the last objects, and what it stands for: objects of a file mostly
// have the same keys in the same order, which saves looking them up.
type habit[T any] []usualKey[T]

type usualKey[T any] struct {
	name   string
	stands T
}

// The limits of a habit: an object that is used as a map may have many keys, and long ones.
const (
	mostUsual     = 64
	mostUsualName = 64
)

// at returns what the nth key of an object stands for, if it was there last time.
func (h habit[T]) at(n int, name []byte) (stands T, is bool) {
	if n < len(h) && h[n].name == string(name) {
		return h[n].stands, true
	}
	return stands, false
}

// set remembers the nth key, behind those before.
func (h *habit[T]) set(n int, name []byte, stands T) {
	switch {
	case len(name) > mostUsualName:
	case n < len(*h):
		(*h)[n] = usualKey[T]{string(name), stands}
	case n == len(*h) && n < mostUsual:
		*h = append(*h, usualKey[T]{string(name), stands})
	}
}
