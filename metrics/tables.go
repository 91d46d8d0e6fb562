package metrics

import "github.com/beameval/beameval/metrics/exact"

// labelTables returns the 2×2 tables of every label and, at the end, of all
// pooled. In a binary task the label is the positive class.
func (e *evaluation) labelTables() []counts {
	if e.tables == nil {
		if e.params.Task == Multilabel {
			e.tables = statisticOf[*labelCounts](e, kindLabelCounts).tables(e.params.Labels, e.weight())
		} else {
			e.tables = statisticOf[*confusion](e, kindConfusion).tables(e.params)
		}
	}
	return e.tables
}

// tables turns outcomes into tables, all being the examples.
func tables(labels []outcomes, all *exact.Tally) []counts {
	list := make([]counts, 0, len(labels)+1)
	var sum outcomes
	var negatives exact.Tally
	for i := range labels {
		o := &labels[i]
		tn := o.rest(all)
		list = append(list, o.table(&tn))
		sum.Merge(o)
		negatives.Merge(&tn)
	}
	return append(list, sum.table(&negatives))
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

func (s *labelCounts) tables(labels int, all *exact.Tally) []counts {
	list := make([]outcomes, labels)
	for key, o := range s.all() {
		list[key].Merge(o)
	}
	return tables(list, all)
}

func (s *confusion) tables(p *Params) []counts {
	list := make([]outcomes, p.classes())
	var all exact.Tally
	for e := range s.entries() {
		all.Merge(e.tally)
		if e.truth == e.predicted {
			list[e.truth].tp.Merge(e.tally)
		} else {
			list[e.truth].fn.Merge(e.tally)
			list[e.predicted].fp.Merge(e.tally)
		}
	}
	if p.Task == Binary {
		list = list[1:]
	}
	return tables(list, &all)
}
