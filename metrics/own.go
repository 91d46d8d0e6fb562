package metrics

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/internal/blame"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// ownStatistic is a statistic that a program has added.
type ownStatistic struct {
	name  string
	of    reflect.Type
	empty func(*Params) Statistic
}

// ownStatistics are the statistics of all registered metrics, by name.
var ownStatistics = make(map[string]*ownStatistic)

// check returns an error if the statistic cannot be added. A nil statistic is fine.
func (o *ownStatistic) check() error {
	if o == nil {
		return nil
	}
	if !customName.MatchString(o.name) {
		return fmt.Errorf("its statistic is called %q: a name has lower-case letters, digits, _, @ and dots, a letter first", o.name)
	}
	if other := ownStatistics[o.name]; other != nil && other.of != o.of {
		return fmt.Errorf("its statistic %q is a %v, that of another metric a %v", o.name, o.of, other.of)
	}
	return nil
}

// own holds the statistics that a program has added, by increasing name.
type own struct{ list []named }

type named struct {
	of        *ownStatistic
	statistic Statistic
}

// newOwn returns the statistics that the metrics of p need.
func newOwn(p *Params) statistic {
	s := new(own)
	for c := range p.chosen() {
		if c.metric.own != nil {
			s.get(c.metric.own, p)
		}
	}
	return s
}

// get returns a statistic. It makes one that can fold under p if necessary.
func (s *own) get(of *ownStatistic, p *Params) Statistic {
	i, found := slices.BinarySearchFunc(s.list, of.name, func(n named, name string) int { return strings.Compare(n.of.name, name) })
	if !found {
		defer blame.On("statistic", of.name, ": making it")
		of = ownStatistics[of.name]
		s.list = slices.Insert(s.list, i, named{of, of.empty(p)})
	}
	return s.list[i].statistic
}

func (s *own) Fold(b *Batch, rows []int32) {
	for _, n := range s.list {
		n.blamed("Fold", func() { n.statistic.Fold(b, rows) })
	}
}

// blamed calls a method of the statistic, whose panics name it.
func (n *named) blamed(method string, call func()) {
	defer blame.On("statistic", n.of.name, ": "+method)
	call()
}

func (s *own) visit(v *fields.Visitor, from statistic) { fields.Visit(v, s, from.(*own)) }

func (s *own) Merge(from *own) {
	for _, n := range from.list {
		to := s.get(n.of, new(Params))
		n.blamed("Merge", func() { to.Merge(n.statistic) })
	}
}

// Append frames each statistic, so that none can read the bytes of another.
func (s *own) Append(dst []byte) []byte {
	dst = wire.AppendUint(dst, uint64(len(s.list)))
	for _, n := range s.list {
		dst = appendBytes(dst, []byte(n.of.name))
		n.blamed("Append", func() { dst = appendBytes(dst, n.statistic.Append(nil)) })
	}
	return dst
}

func appendBytes(dst, data []byte) []byte {
	return append(wire.AppendUint(dst, uint64(len(data))), data...)
}

func (s *own) Decode(d *wire.Decoder) {
	s.list = nil
	last := ""
	for range d.Elements() {
		name := string(d.Bytes(d.Elements()))
		data := d.Bytes(d.Elements())
		of := ownStatistics[name]
		switch {
		case d.Err() != nil:
			return
		case of == nil:
			d.Fail("this program has no statistic %q: the programs of all workers must register the same metrics", name)
			return
		case name <= last:
			d.Fail("statistic %q comes after %q", name, last)
			return
		}
		if err := of.decode(s, data); err != nil {
			d.Fail("%w", err)
			return
		}
		last = name
	}
}

// decode decodes data and adds the statistic. Decoding corrupt bytes may panic.
func (o *ownStatistic) decode(to *own, data []byte) (err error) {
	defer returned(&err)
	defer blame.On("statistic", o.name, ": Decode")
	d := wire.NewDecoder(data)
	to.get(o, new(Params)).Decode(d)
	if n := d.Len(); n > 0 {
		d.Fail("statistic %q: Decode leaves %d of %d bytes", o.name, n, len(data))
	}
	return d.Err()
}

// fits reports whether the statistics are those that the metrics of p need.
func (s *own) fits(p *Params) bool {
	needed := newOwn(p).(*own)
	return len(s.list) == 0 || slices.EqualFunc(s.list, needed.list, func(a, b named) bool { return a.of == b.of })
}

func (s *own) Reset() {
	for _, n := range s.list {
		n.blamed("Reset", n.statistic.Reset)
	}
}

// panicked is a statistic that records whether a function of the program has panicked, with the
// message. The other statistics of the Partial are then meaningless. So a fault does not kill a
// worker, and still reaches the place where metrics are computed.
type panicked struct{ message string }

func (s *panicked) Fold(*Batch, []int32) {}
func (s *panicked) fits(*Params) bool    { return true }

// visit keeps one of the merged messages, independently of their order.
func (s *panicked) visit(v *fields.Visitor, from statistic) {
	switch m := from.(*panicked).message; {
	case v.Codes():
		wire.String(v.Coder, &s.message)
	case !v.Merges():
		s.message = ""
	case s.message == "" || m != "" && m < s.message:
		s.message = m
	}
}

// note, when deferred, records a panic of a function of the program.
func (p *Partial) note() {
	if err := blame.Caught(recover()); err != nil {
		p.need(kindPanic, new(Params))
		p.stats[kindPanic].visit(fields.Merging(), &panicked{err.Error()})
	}
}

// Err returns an error if a function of a registered metric or statistic has panicked.
func (p *Partial) Err() error {
	if s, ok := p.stats[kindPanic].(*panicked); ok && s.message != "" {
		return errors.New(s.message)
	}
	return nil
}

// returned, when deferred, turns a panic of a function of the program into an error.
func returned(err *error) {
	if caught := blame.Caught(recover()); caught != nil {
		*err = caught
	}
}
