package ingest

import (
	"strconv"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/metrics"
)

// Vocabulary is the set of labels.
type Vocabulary struct {
	// Names are the names of the labels, by index; nil if they are in File or there
	// are none but numbers.
	Names []string
	// Count is how many labels there are, where Names does not say.
	Count int
	// File has the names of the labels, one a line, where they are too many to travel
	// with a pipeline. It is read when a name is first needed: see Err.
	File string
	// FileVersion is that of File when the run was planned; "" is whatever there is.
	FileVersion files.Version
	// Numbers says that integers in label columns are names, as where the labels were
	// found in the data; otherwise they are indices.
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
	if names := v.indexed().names(); names != nil {
		return names[label]
	}
	return strconv.Itoa(label)
}

// Label returns the label of that name.
func (v *Vocabulary) Label(name string) (label int, found bool) {
	l, found := v.indexed().byName(name)
	return int(l), found
}

// Integers returns how many labels have integers for names.
func (v *Vocabulary) Integers() (n int) {
	for _, name := range v.indexed().names() {
		if _, ok := integerNamed(name); ok {
			n++
		}
	}
	return n
}

// AnInteger returns the first name that is an integer.
func (v *Vocabulary) AnInteger() string {
	for _, name := range v.indexed().names() {
		if _, ok := integerNamed(name); ok {
			return name
		}
	}
	return ""
}

// Numbered says whether the names are the numbers from 0 on, in order, so that
// names are indices.
func (v *Vocabulary) Numbered() bool {
	for i, name := range v.indexed().names() {
		if name != strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// Err returns why the names could not be read from File, if that was tried and
// failed: the names of labels are then their numbers, and none is found by name.
func (v *Vocabulary) Err() error {
	if err := v.indexed().failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Prepare makes what copies of the vocabulary, and goroutines, then share: what
// one of them reads or looks up, the others need not.
func (v *Vocabulary) Prepare() { v.indexed() }

func (v *Vocabulary) indexed() *index {
	if v.index == nil {
		v.index = &index{count: v.Len(), list: v.Names, file: v.File, version: v.FileVersion, integers: v.Numbers}
	}
	return v.index
}
