package columns

import "errors"

// Contain is deferred by those who call a library that decodes files: a panic becomes an error, because
// libraries index into damaged bytes without checking everything first.
func Contain(err *error) {
	if p := recover(); p != nil {
		failed, _ := p.(error)
		*err = Undecoded(failed)
	}
}

// Stop is the error, or the value of a panic, by which what a library calls, such as an allocator, keeps it
// from going on. It says why.
type Stop struct{ Err error }

func (s Stop) Error() string { return s.Err.Error() }

func (s Stop) Unwrap() error { return s.Err }

// Undecoded returns the error for users of a file that a library has failed to decode: why it was stopped or, as
// what libraries say of damaged bytes helps nobody, what may be wrong.
func Undecoded(err error) error {
	if s := (Stop{}); errors.As(err, &s) {
		return s.Err
	}
	return errUndecoded
}

var errUndecoded = errors.New("the file is damaged, or uses a part of its format that is not supported: write it again")
