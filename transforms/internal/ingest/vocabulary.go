package ingest

import (
	"strconv"

	"github.com/beameval/beameval/metrics"
)

// Vocabulary is the set of labels.
type Vocabulary struct {
	// Names are the names of the labels, by index; nil if they have none but
	// their numbers.
	Names []string
	// Count is how many labels there are, where they have no names.
	Count int
	// Numbers says that integers in label columns are names, because the labels
	// were found in the data; otherwise they are indices.
	Numbers bool
	// Frequencies are those of the labels, for metrics with propensities. If they
	// are of no examples, they are counted in the evaluated data.
	Frequencies metrics.LabelFrequencies

	index *index // see Prepare
}

// NumberedLabels returns the vocabulary of n labels without names.
func NumberedLabels(n int) Vocabulary { return Vocabulary{Count: n} }

// BinaryLabels returns the vocabulary of a binary task: what is not the
// positive label, and that label, which is 1 if it is "".
func BinaryLabels(positive string) Vocabulary {
	if positive == "" || positive == "1" {
		return NumberedLabels(2)
	}
	return Vocabulary{Names: []string{"not " + positive, positive}}
}

// Len returns the number of labels.
func (v *Vocabulary) Len() int {
	if v.Names != nil {
		return len(v.Names)
	}
	return v.Count
}

// Name returns the name of a label: its number if it has none.
func (v *Vocabulary) Name(label int) string {
	if v.Names != nil {
		return v.Names[label]
	}
	return strconv.Itoa(label)
}

// Label returns the label of that name.
func (v *Vocabulary) Label(name string) (label int, found bool) {
	l, found := v.indexed().byName(name)
	return int(l), found
}

// index finds labels by their names. Once made it does not change, so that
// goroutines can share it.
type index struct {
	count   int
	names   map[string]int32 // nil: names are the numbers below count
	numbers map[int64]int32  // of integers that are names
}

// Prepare makes the index of the names, so that goroutines that share the
// vocabulary need not each make their own.
func (v *Vocabulary) Prepare() { v.indexed() }

func (v *Vocabulary) indexed() *index {
	if v.index != nil {
		return v.index
	}
	x := &index{count: v.Len()}
	if v.Names != nil {
		x.names = make(map[string]int32, len(v.Names))
		for i, name := range v.Names {
			x.names[name] = int32(i)
		}
	}
	if v.Numbers {
		x.numbers = make(map[int64]int32, len(v.Names))
		for i, name := range v.Names {
			if n, ok := integerNamed(name); ok {
				x.numbers[n] = int32(i)
			}
		}
	}
	v.index = x
	return x
}

// integerNamed returns the integer that is written as name.
func integerNamed(name string) (int64, bool) {
	n, err := strconv.ParseInt(name, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == name
}

func (x *index) byName(name string) (int32, bool) {
	if x.names != nil {
		label, ok := x.names[name]
		return label, ok
	}
	n, ok := integerNamed(name)
	return int32(n), ok && n >= 0 && n < int64(x.count)
}

// byNumber returns the label of an integer in a label column.
func (x *index) byNumber(n int64) (int32, Reason, bool) {
	if x.numbers != nil {
		label, ok := x.numbers[n]
		return label, Reason{kind: unknownName, want: x.count}, ok
	}
	return int32(n), Reason{kind: outOfRange, want: x.count}, n >= 0 && n < int64(x.count)
}
