package columns

import "errors"

// Contain turns a panic into an error. Callers of decoding libraries defer it, because these
// libraries index into damaged input without checking everything first.
func Contain(err *error) {
	if p := recover(); p != nil {
		failed, _ := p.(error)
		*err = Undecoded(failed)
	}
}

// Stop is an error, or the value of a panic, with which a callback of a library, such as an
// allocator, aborts the decoding. Err is the reason.
type Stop struct{ Err error }

func (s Stop) Error() string { return s.Err.Error() }

func (s Stop) Unwrap() error { return s.Err }

// Undecoded returns the error to report if a library has failed to decode a file: the reason if it
// was stopped, otherwise a general one, because what libraries say about damaged bytes helps
// nobody.
func Undecoded(err error) error {
	if s := (Stop{}); errors.As(err, &s) {
		return s.Err
	}
	return errUndecoded
}

var errUndecoded = errors.New("the file is damaged, or uses a part of its format that is not supported: write it again")
