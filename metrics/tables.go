package metrics

import (
	"cmp"
	"math"
	"slices"

	"github.com/beameval/beameval/metrics/exact"
)

// labelTables are the 2×2 tables of all labels. Labels of equal tables are
// grouped: of millions, few tables differ, and those that no example has and none
// was predicted to have take no memory at all.
type labelTables struct {
	met    *labelCounts
	all    *exact.Tally
	groups []alike // all labels, by increasing label
	tables []counts
	pooled counts // of all together
}

// alike are labels that have the same value in a metric, one of which is label.
type alike struct{ label, times int }

// In the place of a label: all labels together, and any that was not met.
const (
	pooled = -1
	unmet  = math.MaxInt
)

// of returns the table of a label, of pooled or of unmet.
func (t *labelTables) of(label int) counts {
	if label == pooled {
		return t.pooled
	}
	if i, found := slices.BinarySearchFunc(t.groups, label, func(a alike, label int) int { return cmp.Compare(a.label, label) }); found {
		return t.tables[i]
	}
	return t.table(label)
}

// table returns the table of a label.
func (t *labelTables) table(label int) counts {
	o := t.met.get(uint64(label))
	if o == nil {
		o = new(outcomes)
	}
	tn := o.rest(t.all)
	return o.table(&tn)
}

// first returns the first n of the labels that were met.
func (t *labelTables) first(n int) []int {
	labels := []int{}
	for label := range t.met.all() {
		if len(labels) == n {
			break
		}
		labels = append(labels, int(label))
	}
	return labels
}

// labelTables returns the tables of every label. In a binary task the label 0
// is the positive class.
func (e *evaluation) labelTables() *labelTables {
	if e.tables != nil {
		return e.tables
	}
	e.tables = &labelTables{all: e.weight()}
	if e.params.Task == Multilabel {
		e.tables.met = statisticOf[*labelCounts](e, kindLabelCounts)
	} else {
		e.tables.met = statisticOf[*confusion](e, kindConfusion).labelCounts(e.params)
	}
	e.tables.group(e.params.scored())
	return e.tables
}

// group finds the labels of equal tables.
func (t *labelTables) group(labels int) {
	var sum outcomes
	var negatives exact.Tally
	at := make(map[counts]int)
	for key, o := range t.met.all() {
		tn := o.rest(t.all)
		table := o.table(&tn)
		labels--
		sum.Merge(o)
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
		t.groups, t.tables = append(t.groups, alike{unmet, labels}), append(t.tables, t.table(unmet))
		negatives.MergeTimes(t.all, labels)
	}
	t.pooled = sum.table(&negatives)
}

// rest returns the true negatives: all examples but those counted.
func (o *outcomes) rest(all *exact.Tally) exact.Tally {
	var tn exact.Tally
	tn.Merge(all)
	tn.Subtract(&o.tp)
	tn.Subtract(&o.fp)
	tn.Subtract(&o.fn)
	return tn
}

func (o *outcomes) table(tn *exact.Tally) counts {
	return counts{o.tp.Weight(), o.fp.Weight(), o.fn.Weight(), tn.Weight(), o.tp.Rows() + o.fn.Rows()}
}

// labelCounts returns how often each class was true, predicted and both; in a
// binary task only the positive one, as label 0.
func (s *confusion) labelCounts(p *Params) *labelCounts {
	met := new(labelCounts)
	var negative outcomes
	at := func(class int) *outcomes {
		if p.Task == Binary {
			class--
		}
		if class < 0 {
			return &negative
		}
		return met.at(uint64(class))
	}
	for e := range s.entries() {
		if e.truth == e.predicted {
			at(e.truth).tp.Merge(e.tally)
		} else {
			at(e.truth).fn.Merge(e.tally)
			at(e.predicted).fp.Merge(e.tally)
		}
	}
	return met
}
