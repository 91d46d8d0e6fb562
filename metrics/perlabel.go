package metrics

import "fmt"

// PerLabel says which labels have results of their own; the zero value is none.
type PerLabel struct {
	// All of them.
	All bool
	// Labels, if not nil, are the only ones, in increasing order.
	Labels []int
	// Limit is otherwise the largest number of labels: all, if they are not
	// more, else the first of those that the examples name.
	Limit int
}

// check says whether l can be of n labels.
func (l PerLabel) check(n int) error {
	if l.Limit < 0 {
		return fmt.Errorf("PerLabel.Limit of %d: it must not be negative", l.Limit)
	}
	for i, label := range l.Labels {
		if label < 0 || label >= n {
			return fmt.Errorf("PerLabel.Labels has %d, which is not one of %d labels", label, n)
		}
		if i > 0 && label <= l.Labels[i-1] {
			return fmt.Errorf("PerLabel.Labels has %d after %d: labels must increase", label, l.Labels[i-1])
		}
	}
	return nil
}

// ConfusedLabels is of how many labels there are confusion matrices at least, if so
// many occur: they belong to every report, and only their number has to be bounded.
const ConfusedLabels = 1000

// confused says which of n labels have confusion matrices.
func (l PerLabel) confused(n int) PerLabel {
	l.All = l.All || n <= ConfusedLabels
	l.Limit = max(l.Limit, ConfusedLabels)
	return l
}

// labels returns the labels that have results of their own.
func (e *evaluation) labels() []int {
	if e.withRows == nil {
		e.withRows = e.chooseLabels()
	}
	return e.withRows
}

func (e *evaluation) chooseLabels() []int {
	which, n := e.options.PerLabel, e.params.Labels
	switch {
	case which.All || n <= which.Limit && which.Labels == nil:
		return firstLabels(n)
	case which.Labels != nil:
		return which.Labels
	case which.Limit == 0:
		return []int{}
	}
	if e.part.stats[kindLabelCounts] == nil && e.part.stats[kindConfusion] == nil {
		return firstLabels(which.Limit) // not known which were met
	}
	return e.labelTables().first(which.Limit)
}

// firstLabels returns the labels below n.
func firstLabels(n int) []int {
	labels := make([]int, n)
	for i := range labels {
		labels[i] = i
	}
	return labels
}

// eachLabel returns n labels, none like another.
func eachLabel(n int) []alike {
	all := make([]alike, n)
	for label := range all {
		all[label] = alike{label, 1}
	}
	return all
}
