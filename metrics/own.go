package metrics

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/wire"
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
		defer blame("statistic", of.name, ": making it")
		of = ownStatistics[of.name]
		s.list = slices.Insert(s.list, i, named{of, of.empty(p)})
	}
	return s.list[i].statistic
}

func (s *own) Fold(b *Batch, rows []int32) {
	for _, n := range s.list {
		n.fold(b, rows)
	}
}

func (n *named) fold(b *Batch, rows []int32) {
	defer blame("statistic", n.of.name, ": Fold")
	n.statistic.Fold(b, rows)
}

func (s *own) fields(v *visitor, from statistic) { visit(v, s, from.(*own)) }

func (s *own) Merge(from *own) {
	for _, n := range from.list {
		n.mergeInto(s.get(n.of, new(Params)))
	}
}

func (n *named) mergeInto(to Statistic) {
	defer blame("statistic", n.of.name, ": Merge")
	to.Merge(n.statistic)
}

// Append frames each statistic, so that none can read the bytes of another.
func (s *own) Append(dst []byte) []byte {
	dst = wire.AppendUint(dst, uint64(len(s.list)))
	for _, n := range s.list {
		dst = appendBytes(dst, []byte(n.of.name))
		dst = appendBytes(dst, n.bytes())
	}
	return dst
}

func appendBytes(dst, data []byte) []byte {
	return append(wire.AppendUint(dst, uint64(len(data))), data...)
}

func (n *named) bytes() []byte {
	defer blame("statistic", n.of.name, ": Append")
	return n.statistic.Append(nil)
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
	defer blame("statistic", o.name, ": Decode")
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
		n.reset()
	}
}

func (n *named) reset() {
	defer blame("statistic", n.of.name, ": Reset")
	n.statistic.Reset()
}
