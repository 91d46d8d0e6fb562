package metrics

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
	"github.com/beameval/beameval/metrics/internal/fields"
)

// confusion is the confusion matrix: it counts the examples of each pair of a true and a predicted
// class. Only pairs that occur take memory. A binary task has the classes 0 and 1.
type confusion struct {
	fields.Keyed[tally, *tally]
	classes int
}

func (s *confusion) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		s.Value(uint64(b.Class[r])*uint64(s.classes) + uint64(b.Predicted[r])).Add(b.weight(r))
	}
}

func (s *confusion) visit(v *fields.Visitor, from statistic) {
	f := from.(*confusion)
	v.Size(&s.classes, f.classes)
	s.Keyed.Fields(v, &f.Keyed)
	if !v.Decodes() {
		return
	}
	for key := range s.All() {
		if s.classes == 0 || key/uint64(s.classes) >= uint64(s.classes) {
			v.Fail("confusion matrix: cell %d of %d classes", key, s.classes)
			return
		}
	}
}

func (s *confusion) fits(p *Params) bool {
	return s.classes == p.classes() || s.classes == 0
}

func (s *confusion) relabelled(to []int32, labels int) statistic {
	n := uint64(max(s.classes, 1))
	return &confusion{classes: labels, Keyed: s.Rekeyed(func(key uint64) uint64 { return uint64(to[key/n])*uint64(labels) + uint64(to[key%n]) })}
}

// cell is a cell of the confusion matrix.
type cell struct {
	truth, predicted int
	tally            *exact.Tally
}

// cells yields the cells that are not empty, row by row.
func (s *confusion) cells() iter.Seq[cell] {
	return func(yield func(cell) bool) {
		for key, t := range s.All() {
			if !yield(cell{int(key / uint64(s.classes)), int(key % uint64(s.classes)), &t.Tally}) {
				return
			}
		}
	}
}

// labelCounts holds how often each label was true, predicted, and both. Only labels that occur take
// memory. All other examples are true negatives, so the cost of an example does not depend on the
// number of labels.
type labelCounts struct {
	fields.Keyed[outcomes, *outcomes]
}

// outcomes counts true positives, false positives and false negatives.
type outcomes struct{ tp, fp, fn exact.Tally }

func (o *outcomes) Empty() bool { return o.tp.Empty() && o.fp.Empty() && o.fn.Empty() }

func (o *outcomes) Fields(v *fields.Visitor, from *outcomes) {
	fields.Visit(v, &o.tp, &from.tp)
	fields.Visit(v, &o.fp, &from.fp)
	fields.Visit(v, &o.fn, &from.fn)
}

func (s *labelCounts) Fold(b *Batch, rows []int32) {
	for _, r := range rows {
		w := b.weight(r)
		truth, predicted := b.True.Row(r), b.PredictedSet.Row(r)
		for len(truth) > 0 && len(predicted) > 0 {
			switch t, p := truth[0], predicted[0]; {
			case t == p:
				s.Value(uint64(t)).tp.Add(w)
				truth, predicted = truth[1:], predicted[1:]
			case t < p:
				s.Value(uint64(t)).fn.Add(w)
				truth = truth[1:]
			default:
				s.Value(uint64(p)).fp.Add(w)
				predicted = predicted[1:]
			}
		}
		for _, t := range truth {
			s.Value(uint64(t)).fn.Add(w)
		}
		for _, p := range predicted {
			s.Value(uint64(p)).fp.Add(w)
		}
	}
}

func (s *labelCounts) visit(v *fields.Visitor, from statistic) {
	s.Keyed.Fields(v, &from.(*labelCounts).Keyed)
}
func (s *labelCounts) fits(p *Params) bool { return s.Below(uint64(p.Labels)) }

// ToCountLabels returns parameters for folding what CountLabels reads, and nothing else.
func (p Params) ToCountLabels() Params {
	p = p.Only("recall") // which is computed from the same counts; without a name, all metrics would be
	p.Propensity, p.LabelPairs, p.Decisions = nil, false, true
	return p
}

func (s *labelCounts) relabelled(to []int32, _ int) statistic {
	return &labelCounts{s.Rekeyed(func(label uint64) uint64 { return uint64(to[label]) })}
}

// CountLabels returns, for each label, the number of examples that it is true of, whatever their
// weights. The partial must have been folded with Decisions; see [Params.ToCountLabels].
func CountLabels(partial *Partial) LabelFrequencies {
	f := LabelFrequencies{Examples: partial.Examples(), Count: make(map[int32]int64)}
	if s, ok := partial.stats[kindLabelCounts].(*labelCounts); ok {
		for label, o := range s.All() {
			if n := o.tp.Rows() + o.fn.Rows(); n > 0 {
				f.Count[int32(label)] = n
			}
		}
	}
	return f
}

// labelTables holds the 2×2 tables of all labels. Labels with equal tables are grouped: among
// millions of tables, few are different, and labels that do not occur take no memory.
type labelTables struct {
	met    *labelCounts
	all    *exact.Tally
	groups []alike // the labels that averages are over, in increasing order
	tables []Counts
	pooled Counts // their tables together
}

// alike stands for several labels with the same value of a metric: times is their number, label one
// of them.
type alike struct{ label, times int }

// Special labels: all labels pooled, and any label that does not occur.
const (
	pooled = PooledLabel
	unmet  = math.MaxInt
)

// table returns the table of a label, of pooled or of unmet.
func (t *labelTables) table(label int) Counts {
	if label == pooled {
		return t.pooled
	}
	if i, found := slices.BinarySearchFunc(t.groups, label, func(a alike, label int) int { return cmp.Compare(a.label, label) }); found {
		return t.tables[i]
	}
	return t.count(label)
}

// count returns the table of a label that is not in groups.
func (t *labelTables) count(label int) Counts {
	o := t.met.Lookup(uint64(label))
	if o == nil {
		o = new(outcomes)
	}
	tn := o.rest(t.all)
	return o.table(&tn)
}

// first returns the first n labels that occur.
func (t *labelTables) first(n int) []int {
	labels := []int{}
	for label := range t.met.All() {
		if len(labels) == n {
			break
		}
		labels = append(labels, int(label))
	}
	return labels
}

// labelTables returns the tables of all labels. In a binary task, label 0 is the positive class.
func (e *evaluation) labelTables() *labelTables {
	if e.tables != nil {
		return e.tables
	}
	e.tables = &labelTables{met: e.outcomes(), all: e.weight()}
	e.tables.group(e.averagedLabels())
	return e.tables
}

// outcomes returns how often each label that occurs was true, predicted, and both.
func (e *evaluation) outcomes() *labelCounts {
	if e.params.Task == Multilabel {
		return statisticOf[*labelCounts](e, kindLabelCounts)
	}
	return statisticOf[*confusion](e, kindConfusion).labelCounts(e.params)
}

// group groups the labels that averages are over by their tables.
func (t *labelTables) group(in labelSet) {
	labels := in.size()
	var sum outcomes
	var negatives exact.Tally
	at := make(map[Counts]int)
	for key, o := range t.met.All() {
		if !in.has(int(key)) {
			continue
		}
		tn := o.rest(t.all)
		table := o.table(&tn)
		labels--
		fields.Merge(&sum, o)
		negatives.Merge(&tn)
		i, found := at[table]
		if !found {
			i = len(t.groups)
			at[table] = i
			t.groups, t.tables = append(t.groups, alike{label: int(key)}), append(t.tables, table)
		}
		t.groups[i].times++
	}
	if labels > 0 {
		t.groups, t.tables = append(t.groups, alike{unmet, labels}), append(t.tables, t.count(unmet))
		negatives.MergeTimes(t.all, int64(labels))
	}
	t.pooled = sum.table(&negatives)
}

// rest returns the true negatives: all examples except those counted.
func (o *outcomes) rest(all *exact.Tally) exact.Tally {
	var tn exact.Tally
	tn.Merge(all)
	tn.Subtract(&o.tp)
	tn.Subtract(&o.fp)
	tn.Subtract(&o.fn)
	return tn
}

func (o *outcomes) table(tn *exact.Tally) Counts {
	return Counts{o.tp.Weight(), o.fp.Weight(), o.fn.Weight(), tn.Weight(), o.tp.Rows() + o.fn.Rows()}
}

// labelCounts returns how often each class was true, predicted, and both. In a binary task it has
// only the positive class, as label 0.
func (s *confusion) labelCounts(p *Params) *labelCounts {
	met := new(labelCounts)
	var negative outcomes
	outcomesOf := func(class int) *outcomes {
		if p.Task == Binary {
			class--
		}
		if class < 0 {
			return &negative
		}
		return met.Value(uint64(class))
	}
	for e := range s.cells() {
		if e.truth == e.predicted {
			outcomesOf(e.truth).tp.Merge(e.tally)
		} else {
			outcomesOf(e.truth).fn.Merge(e.tally)
			outcomesOf(e.predicted).fp.Merge(e.tally)
		}
	}
	return met
}

// ConfusionCell is a nonempty cell of a confusion matrix: either of the classes of a binary or multiclass
// task, or of one label, with the classes 0 (absent) and 1.
type ConfusionCell struct {
	Label           int // multilabel: the label; otherwise -1
	True, Predicted int
	Count           int64   // the number of examples
	Weight          float64 // their total weight
}

// list returns the nonempty cells of the matrix, row by row.
func (s *confusion) list() []ConfusionCell {
	var cells []ConfusionCell
	for e := range s.cells() {
		cells = append(cells, ConfusionCell{-1, e.truth, e.predicted, e.tally.Rows(), e.tally.Weight()})
	}
	return cells
}

// Confusion returns the confusion matrix of the examples of a partial, row by row. In multilabel
// tasks it returns the matrices of all labels that o.PerLabel selects, and at least of the first
// [ConfusedLabels] labels. It returns nothing if the examples have no decisions, or if the partial
// was folded under other Params.
func (p *Params) Confusion(partial *Partial, o Options) []ConfusionCell {
	if p = p.orNothing(); !partial.fits(p) {
		return nil
	}
	var cells []ConfusionCell
	if s, ok := partial.stats[kindConfusion].(*confusion); ok {
		return s.list()
	}
	s, ok := partial.stats[kindLabelCounts].(*labelCounts)
	if !ok {
		return nil
	}
	o.PerLabel = o.PerLabel.confused(p.Labels)
	e := &evaluation{params: p, partial: partial, options: o}
	for _, label := range e.labels() {
		var found outcomes
		if c := s.Lookup(uint64(label)); c != nil {
			fields.Merge(&found, c)
		}
		tn := found.rest(e.weight())
		for _, c := range []struct {
			truth, predicted int
			tally            *exact.Tally
		}{{0, 0, &tn}, {0, 1, &found.fp}, {1, 0, &found.fn}, {1, 1, &found.tp}} {
			if !c.tally.Empty() {
				cells = append(cells, ConfusionCell{label, c.truth, c.predicted, c.tally.Rows(), c.tally.Weight()})
			}
		}
	}
	return cells
}

// Confused returns statistics from which metrics of the confusion matrix alone can be evaluated, the inverse of
// [Params.Confusion]: cells have a Weight, and any number of examples.
func (p *Params) Confused(cells []ConfusionCell) (*Partial, error) {
	p, err := p.completed()
	if err != nil {
		return nil, err
	}
	partial := new(Partial)
	k, _ := p.confusionKind()
	partial.need(kindExamples, p)
	partial.need(k, p)
	all := &partial.stats[kindExamples].(*examples).all
	for _, c := range cells {
		if c.Label == cells[0].Label { // the matrix of each label has all examples
			all.Add(c.Weight)
		}
		switch s := partial.stats[k].(type) {
		case *confusion:
			s.Value(uint64(c.True*s.classes + c.Predicted)).Add(c.Weight)
		case *labelCounts:
			o := s.Value(uint64(c.Label))
			if at := [2][2]*exact.Tally{{nil, &o.fp}, {&o.fn, &o.tp}}[c.True][c.Predicted]; at != nil {
				at.Add(c.Weight)
			}
		}
	}
	return partial, nil
}

// ConfusedLabels is the number of labels that have confusion matrices even if they get no results
// of their own. Every report has these matrices; only their number has to be bounded.
const ConfusedLabels = 1000

// confused returns which of n labels have confusion matrices.
func (l PerLabel) confused(n int) PerLabel {
	l.All = l.All || n <= ConfusedLabels
	l.Limit = max(l.Limit, ConfusedLabels)
	return l
}
