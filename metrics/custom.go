package metrics

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/metrics/confidence"
	"github.com/beameval/beameval/metrics/internal/fields"
	"github.com/beameval/beameval/metrics/internal/panics"
	"github.com/beameval/beameval/metrics/internal/reliability"
)

// Metric is a metric that a program adds to this package's; see [Register].
type Metric struct {
	// Name is the name in Params.Metrics and in reports: lower-case letters, digits, _, @ and dots,
	// beginning with a letter. It must be unique among the metrics of all tasks.
	Name string
	// Tasks are the tasks that it belongs to.
	Tasks Task
	// Definition defines the metric in one line. Reports show it.
	Definition string
	// Better says which values are better.
	Better Better
	// Scale is the scale on which the errors of the metric are about symmetric, for confidence
	// intervals. The zero Scale is confidence.Identity.
	Scale confidence.Scale
	// Needs is what batches must have in addition to what the Formula implies: for a mean or a
	// statistic of your own, everything that its function reads.
	Needs Needs
	// Formula says what the metric is computed from, and how.
	Formula Formula
}

// Formula says what a Metric is computed from, and how. Its function must be pure: it depends only
// on its arguments and does not modify them.
type Formula struct {
	evaluator
	tasks Task
	needs Needs
}

// OfCounts is a function of the 2×2 table of a label. In multiclass and multilabel tasks, each
// label has a value, and NAME_micro, NAME_macro and NAME_weighted are averages.
func OfCounts(f func(Counts) Value) Formula {
	return Formula{counting(f), Binary | Multiclass | Multilabel, NeedDecisions}
}

// OfConfusion is a function of the confusion matrix of a binary or multiclass task: of the number
// of classes, and of the nonempty cells, row by row.
func OfConfusion(f func(classes int, cells []ConfusionCell) Value) Formula {
	ev := evaluator{from: kindConfusion, overall: func(e *evaluation, _ choice) Value {
		return f(e.params.classes(), statisticOf[*confusion](e, kindConfusion).list())
	}}
	return Formula{ev, Binary | Multiclass, NeedDecisions}
}

// OfCalibration is a function of the reliability diagram of a label: of its bins, by increasing
// probability. They have equal width or, with Params.Quantiles, equal weight. It has the same
// averages as OfCounts.
func OfCalibration(f func([]CalibrationPoint) Value) Formula {
	of := func(quantiles bool) func([]reliability.Bin) Value {
		return func(bins []reliability.Bin) Value { return f(pointsOf(bins, quantiles)) }
	}
	return Formula{calibratingBy(of(false), of(true)), Binary | Multiclass | Multilabel, NeedProbabilities}
}

// MeanOf is the weighted mean of a measure of single examples, or queries. Examples for which the
// measure is NaN are left out. Rankings also report it for each query.
func MeanOf(measure func(b *Batch, row int32) float64) Formula {
	return Formula{mean(measureOf(measure)), AnyTask, 0}
}

func measureOf(f func(b *Batch, row int32) float64) measure {
	return measure{value: func(r *row, _ float64) (float64, bool) {
		v := f(r.Batch, r.index)
		return v, !math.IsNaN(v)
	}}
}

// OfStatistic is a function of a statistic of your own. Metrics that give it the same name share
// the statistic. empty makes an empty statistic that can fold under p. For the zero Params it need
// not fold: others are merged into it, or it is decoded. Rows of weight 0 are not folded.
func OfStatistic[S Statistic](name string, empty func(p *Params) S, f func(S) Value) Formula {
	of := &ownStatistic{name, reflect.TypeFor[S](), func(p *Params) Statistic { return empty(p) }}
	ev := evaluator{from: kindOwn, own: of, overall: func(e *evaluation, _ choice) Value {
		return f(statisticOf[*own](e, kindOwn).get(of, e.params).(S))
	}}
	return Formula{ev, AnyTask, 0}
}

// Register adds metrics, which Params.Metrics may then name; metrics that are not named are not
// computed. Call it in an init function, so that the programs of all workers have the metrics
// before they need them. Like Beam's registration, it panics if a metric cannot be added, for
// example because its name is taken.
func Register(list ...Metric) {
	for i := range list {
		if err := list[i].register(); err != nil {
			panic(fmt.Sprintf("metrics.Register: metric %q: %v", list[i].Name, err))
		}
	}
}

// Registered reports whether a metric of a task, given by the name of its results, was registered
// by the program, or is a disparity of such a metric.
func Registered(task Task, name string) bool {
	if found, ok, _ := resolve(task, name, nil); ok && len(found) > 0 {
		return found[0].metric.ref == ""
	}
	of, d := disparityOf(name)
	return d != nil && Registered(task, of)
}

func (m *Metric) register() error {
	if err := m.check(); err != nil {
		return err
	}
	row := &metric{m.Name, m.Tasks, m.Needs | m.Formula.needs, m.Better, m.Scale, m.Formula.guarded(m.Name), m.Definition, "", nil}
	if of := row.own; of != nil && ownStatistics[of.name] == nil {
		ownStatistics[of.name] = of
	}
	for _, n := range taskNames {
		if m.Tasks&n.task != 0 {
			for _, average := range row.averagesIn(n.task) {
				vocabularies()[n.task].add(row, average)
			}
		}
	}
	return nil
}

// customName matches valid names of registered metrics and statistics.
var customName = regexp.MustCompile(`^[a-z][a-z0-9_@.]*$`)

// check returns an error if the metric cannot be added.
func (m *Metric) check() error {
	f := &m.Formula
	isAverage := func(average string) bool { return average != "" && strings.HasSuffix(m.Name, average) }
	switch {
	case !customName.MatchString(m.Name):
		return fmt.Errorf("a name has lower-case letters, digits, _, @ and dots, a letter first")
	case slices.ContainsFunc(allAverages, isAverage):
		return fmt.Errorf("a name ends in %s, %s or %s only if it is that of an average", micro, macro, weighted)
	case f.tasks == 0:
		return fmt.Errorf("it has no Formula")
	case m.Tasks == 0 || m.Tasks&^f.tasks != 0:
		return fmt.Errorf("its Tasks are %q: with this Formula they may be %s", m.Tasks, f.tasks)
	case m.Definition == "" || strings.ContainsAny(m.Definition, "\r\n"):
		return fmt.Errorf("it needs a Definition of one line")
	case m.Better > NearOne:
		return fmt.Errorf("there is no Better %d", m.Better)
	case m.Scale > confidence.Count:
		return fmt.Errorf("there is no Scale %d", m.Scale)
	case m.Needs&^(NeedDecisions|NeedProbabilities|NeedLogits|NeedScores) != 0:
		return fmt.Errorf("there are no Needs %d", m.Needs)
	}
	for _, average := range f.averagesIn(m.Tasks) {
		for _, n := range taskNames {
			if _, found, err := resolve(n.task, m.Name+average, DefaultArguments()); found || err != nil {
				return fmt.Errorf("there is a metric %q of task %s already", m.Name+average, n.name)
			}
		}
	}
	return f.own.check()
}

// guarded returns the evaluator with functions whose panics name the metric and whose NaN results
// are undefined.
func (f Formula) guarded(name string) evaluator {
	ev := f.evaluator
	if overall := ev.overall; overall != nil && !ev.isMean {
		ev.overall = func(e *evaluation, c choice) Value {
			defer panics.In("metric", name, "")
			return overall(e, c).orUndefined()
		}
	}
	if byLabel := ev.byLabel; byLabel != nil {
		ev.byLabel = func(e *evaluation, c choice) labelValues {
			of := byLabel(e, c)
			value := of.value
			of.value = func(label int) Value {
				defer panics.In("metric", name, "")
				return value(label).orUndefined()
			}
			return of
		}
	}
	ev.measures = slices.Clone(ev.measures)
	for i := range ev.measures {
		value := ev.measures[i].value
		ev.measures[i].value = func(r *row, arg float64) (float64, bool) {
			defer panics.In("metric", name, "")
			return value(r, arg)
		}
	}
	return ev
}

// orUndefined marks a value that is NaN as undefined.
func (v Value) orUndefined() Value {
	if math.IsNaN(v.Number) && v.Undefined == "" {
		v.Undefined = "not a number"
	}
	return v
}

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

// get returns a statistic. If there is none yet, it makes one that can fold under p.
func (s *own) get(of *ownStatistic, p *Params) Statistic {
	i, found := slices.BinarySearchFunc(s.list, of.name, func(n named, name string) int { return strings.Compare(n.of.name, name) })
	if !found {
		defer panics.In("statistic", of.name, ": making it")
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
	defer panics.In("statistic", n.of.name, ": "+method)
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
	defer panics.In("statistic", o.name, ": Decode")
	d := wire.NewDecoder(data)
	to.get(o, new(Params)).Decode(d)
	if n := d.Len(); n > 0 {
		d.Fail("statistic %q: Decode leaves %d of %d bytes", o.name, n, len(data))
	}
	return d.Err()
}

// reused returns those that the metrics need.
func (s *own) reused(u *Reuse) statistic {
	needed, some := newOwn(u.to).(*own), new(own)
	for _, n := range s.list {
		if slices.ContainsFunc(needed.list, func(other named) bool { return other.of == n.of }) {
			some.list = append(some.list, n)
		}
	}
	return some
}

// fits reports whether these are the statistics that the metrics of p need.
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
	if err := panics.Caught(recover()); err != nil {
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
	if caught := panics.Caught(recover()); caught != nil {
		*err = caught
	}
}
