package metrics

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/beameval/beameval/internal/wire"
)

// userPanic is a panic of a function of a metric or statistic that is not from this package.
type userPanic struct{ error }

// blame, when deferred, makes a panic name the function that it came from, such as metric "mine" or
// method Fold of statistic "mine".
func blame(kind, name, method string) {
	switch p := recover().(type) {
	case nil:
	case userPanic:
		panic(p)
	default:
		panic(userPanic{fmt.Errorf("%s %q%s panics at %s: %v", kind, name, method, panicPlace(), p)})
	}
}

// panicPlace returns the file and line of the function that panicked. Only deferred functions may
// call it.
func panicPlace() string {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers[:])])
	panicking := false
	for {
		frame, more := frames.Next()
		ofRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if panicking && !ofRuntime {
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		}
		panicking = panicking || frame.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}

// panicked is a statistic that records whether a function of the user has panicked, with the
// message. The other statistics of the Partial are then meaningless. So a fault does not kill a
// worker, and still reaches the place where metrics are computed.
type panicked struct{ message string }

// note, when deferred, records a panic of a function of the user.
func (p *Partial) note() {
	switch by := recover().(type) {
	case nil:
	case userPanic:
		p.need(kindPanic, new(Params))
		p.stats[kindPanic].fields(merging, &panicked{by.Error()})
	default:
		panic(by)
	}
}

// appendPanic, when deferred by Append, appends a panic of a function of the user instead of the
// statistics.
func appendPanic(dst []byte, out *[]byte) {
	switch by := recover().(type) {
	case nil:
	case userPanic:
		p := new(Partial)
		p.stats[kindPanic] = &panicked{by.Error()}
		*out = p.Append(dst)
	default:
		panic(by)
	}
}

// Err returns an error if a function of a registered metric or statistic has panicked.
func (p *Partial) Err() error {
	if s, ok := p.stats[kindPanic].(*panicked); ok && s.message != "" {
		return errors.New(s.message)
	}
	return nil
}

// returned, when deferred, turns a panic of a function of the user into an error.
func returned(err *error) {
	switch by := recover().(type) {
	case nil:
	case userPanic:
		*err = by.error
	default:
		panic(by)
	}
}

func (s *panicked) Fold(*Batch, []int32) {}

// fields keeps one of the merged messages, independently of their order.
func (s *panicked) fields(v *visitor, from statistic) {
	switch m := from.(*panicked).message; {
	case v.Coder != nil:
		wire.String(v.Coder, &s.message)
	case !v.merging:
		s.message = ""
	case s.message == "" || m != "" && m < s.message:
		s.message = m
	}
}

func (s *panicked) fits(*Params) bool { return true }
