package ingest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

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
func (v *Vocabulary) Name(label int) string { return v.indexed().name(label) }

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

// index finds labels by their names, and the names. Where there are millions, each
// of these takes a hundred megabytes: it is made only when first asked for.
type index struct {
	count    int
	integers bool // names are integers

	reading sync.Once
	file    string // of the names; "": they are in list
	version files.Version
	list    []string
	failed  atomic.Pointer[error] // to read the file

	looking sync.Once
	labels  map[string]int32 // nil: names are the numbers below count

	counting sync.Once
	numbers  map[int64]int32 // of integers that are names
}

// name returns the name of a label: its number if it has none.
func (x *index) name(label int) string {
	if names := x.names(); names != nil {
		return names[label]
	}
	return strconv.Itoa(label)
}

// names returns the names of the labels, or nil if they have none.
func (x *index) names() []string {
	x.reading.Do(func() {
		if x.file == "" {
			return
		}
		names, _, err := ReadNames(context.Background(), x.file, x.version)
		if err == nil && len(names) != x.count {
			err = fmt.Errorf("%s: the file has %d names, but had %d when the run was planned: it must not change during a run", x.file, len(names), x.count)
		}
		if err != nil {
			x.failed.Store(&err)
			return
		}
		x.list = names
	})
	return x.list
}

// ReadNames returns the names of labels that this version of a file has, one a line, and
// the version, which "" leaves open.
func ReadNames(ctx context.Context, file string, v files.Version) ([]string, files.Version, error) {
	f, err := files.OpenVersion(ctx, file, v)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	data, err := files.Content(f)
	if err != nil {
		return nil, "", err
	}
	text := strings.TrimSuffix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	if text == "" {
		return nil, "", fmt.Errorf("%s is empty", file)
	}
	return strings.Split(text, "\n"), f.Version(), nil
}

func (x *index) byName(name string) (int32, bool) {
	x.looking.Do(func() {
		if names := x.names(); names != nil {
			x.labels = make(map[string]int32, len(names))
			for i, name := range names {
				x.labels[name] = int32(i)
			}
		}
	})
	if x.labels != nil {
		label, ok := x.labels[name]
		return label, ok
	}
	n, ok := integerNamed(name)
	return int32(n), ok && n >= 0 && n < int64(x.count)
}

// byNumber returns the label of an integer in a label column.
func (x *index) byNumber(n int64) (int32, Reason, bool) {
	if !x.integers {
		return int32(n), outOfRange, n >= 0 && n < int64(x.count)
	}
	x.counting.Do(func() {
		names := x.names()
		x.numbers = make(map[int64]int32, len(names))
		for i, name := range names {
			if n, ok := integerNamed(name); ok {
				x.numbers[n] = int32(i)
			}
		}
	})
	label, ok := x.numbers[n]
	return label, unknownName, ok
}

// integerNamed returns the integer that is written as name.
func integerNamed(name string) (int64, bool) {
	n, err := strconv.ParseInt(name, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == name
}
