package input

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/metrics"
)

// Vocabulary is the ordered set of labels: with Names, with names in a File or, without names,
// Count labels.
type Vocabulary struct {
	// Names are the names of the labels, by index; nil if the names are in File or the labels have
	// none.
	Names []string
	// Count is the number of labels, if Names is nil.
	Count int
	// File has the names of the labels, one in each line, if they are too many to travel with a
	// pipeline. It is read when a name is first needed; see Err.
	File string
	// FileVersion is the version of File when the run was planned; "" accepts any version.
	FileVersion files.Version
	// Numbers says that integers in label columns are names, as when labels are found in the data;
	// otherwise they are indices.
	Numbers bool
	// Frequencies are the frequencies of the labels, for metrics with propensities. If they have no
	// examples, the labels are counted in the evaluated data.
	Frequencies metrics.LabelFrequencies
	// Items are the frequencies of the items that rankings show; see [ItemFiles].
	Items ItemFrequencies

	index *index // see Prepare
}

// NumberedLabels returns the vocabulary of n labels without names.
func NumberedLabels(n int) Vocabulary { return Vocabulary{Count: n} }

// FoundLabels returns the vocabulary of the labels found in data, in order: first numbers, then
// strings, both sorted and distinct. A number and its text are the same label.
func FoundLabels(numbers []int64, texts []string) Vocabulary {
	v := Vocabulary{Numbers: len(numbers) > 0}
	for _, n := range numbers {
		v.Names = append(v.Names, strconv.FormatInt(n, 10))
	}
	for _, s := range texts {
		n, isNumber := integerNamed(s)
		if _, found := slices.BinarySearch(numbers, n); !isNumber || !found {
			v.Names = append(v.Names, s)
		}
	}
	return v
}

// Found returns the numbers and the texts among labels that were found in data. A text that is a number counts as one.
func (v *Vocabulary) Found() (numbers []int64, texts []string) {
	texts = v.Names
	for v.Numbers && len(texts) > 0 {
		n, isNumber := integerNamed(texts[0])
		if last := len(numbers) - 1; !isNumber || last >= 0 && n <= numbers[last] {
			break
		}
		numbers, texts = append(numbers, n), texts[1:]
	}
	return numbers, texts
}

// Named reports whether labels have names.
func (v *Vocabulary) Named() bool { return v.Names != nil || v.File != "" }

// BinaryLabels returns the vocabulary of a binary task: first a label for everything that is not
// positive, then the positive label; "" means 1.
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

// Name returns the name of a label, or its number if it has none.
func (v *Vocabulary) Name(label int) string { return v.indexed().name(label) }

// Label returns the label with a name.
func (v *Vocabulary) Label(name string) (label int, found bool) {
	l, found := v.indexed().byName(name)
	return int(l), found
}

// Integer returns the label that an integer in a label column stands for.
func (v *Vocabulary) Integer(n int64) (label int, found bool) {
	if !v.Numbers {
		return int(n), n >= 0 && n < int64(v.Len())
	}
	l, found := v.indexed().byInteger(n)
	return int(l), found
}

// IntegerNames returns the names that are integers, in any spelling, such as 1.0. If all names are
// booleans, they stand for 0 and 1, as in columns of booleans.
func (v *Vocabulary) IntegerNames() (names []string) {
	value := valuesOf(v.indexed().names())
	for _, name := range v.indexed().names() {
		if _, ok := value(name); ok {
			names = append(names, name)
		}
	}
	return names
}

// Numbered reports whether the names are the numbers from 0 in order, so that names are indices.
func (v *Vocabulary) Numbered() bool {
	value := valuesOf(v.indexed().names())
	for i, name := range v.indexed().names() {
		if n, ok := value(name); !ok || n != int64(i) {
			return false
		}
	}
	return true
}

// Booleans reports whether all names are booleans.
func (v *Vocabulary) Booleans() bool { return areBooleans(v.indexed().names()) }

// SameInteger returns two names that are the same integer, if there are any.
func (v *Vocabulary) SameInteger() (a, b string, found bool) {
	first := make(map[int64]string)
	value := valuesOf(v.indexed().names())
	for _, name := range v.indexed().names() {
		n, ok := value(name)
		if other, met := first[n]; ok && met {
			return other, name, true
		}
		if ok {
			first[n] = name
		}
	}
	return "", "", false
}

// Err returns the error of an attempt to read names from File. After an error, labels are named by
// their numbers, and no label is found by name.
func (v *Vocabulary) Err() error {
	if err := v.indexed().failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Prepare lets copies of the vocabulary, and goroutines, share what any of them reads or looks up.
func (v *Vocabulary) Prepare() { v.indexed() }

func (v *Vocabulary) indexed() *index {
	if v.index == nil {
		v.index = &index{count: v.Len(), list: v.Names, file: v.File, version: v.FileVersion}
	}
	return v.index
}

// index finds labels by name, and names by label. With millions of labels, each of its tables takes
// a hundred megabytes, so each is made only when it is first needed.
type index struct {
	count int

	reading sync.Once
	file    string // the file with the names; "" if list has them
	version files.Version
	list    []string
	failed  atomic.Pointer[error] // the error of reading the file

	looking sync.Once
	labels  map[string]int32 // by name; nil if the names are the numbers below count

	counting sync.Once
	numbers  map[int64]int32 // the labels whose names are integers, by integer
}

// name returns the name of a label, or its number if it has none.
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

// mostNames is the largest size of a file of names, in bytes. It is read whole.
const mostNames = 1 << 30

// ReadNames returns the names of labels in a version of a file, one in each line, and the version.
// "" accepts any version.
func ReadNames(ctx context.Context, file string, v files.Version) ([]string, files.Version, error) {
	f, err := files.OpenVersion(ctx, file, v)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	data, err := files.Content(f, mostNames)
	if err != nil {
		return nil, "", err
	}
	text := strings.TrimLeft(string(data), "\ufeff") // byte order marks, which editors on Windows write
	text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
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

// byInteger returns the label whose name is the given integer.
func (x *index) byInteger(n int64) (int32, bool) {
	x.counting.Do(func() {
		names := x.names()
		x.numbers = make(map[int64]int32, len(names))
		value := valuesOf(names)
		for i, name := range names {
			if n, ok := value(name); ok {
				x.numbers[n] = int32(i)
			}
		}
	})
	label, ok := x.numbers[n]
	return label, ok
}

// integerNamed returns the integer that a name stands for, if it is one in plain decimal notation.
func integerNamed(name string) (int64, bool) {
	n, err := strconv.ParseInt(name, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == name
}

// wholeNamed returns the integer that a name stands for, if it is one in plain decimal notation, or with
// a point or an exponent, such as 1.0 and 1e0. A name in another notation, such as 01, is text.
func wholeNamed(name string) (int64, bool) {
	if n, ok := integerNamed(name); ok {
		return n, true
	}
	first := strings.TrimPrefix(name, "-")
	if i := strings.IndexAny(first, ".eE"); i >= 0 {
		first = first[:i]
	}
	if !strings.ContainsAny(name, ".eE") || strings.Trim(name, "-.0123456789eE+") != "" || name[0] == '+' || len(first) > 1 && first[0] == '0' {
		return 0, false
	}
	x, err := strconv.ParseFloat(name, 64)
	return int64(x), err == nil && x == math.Trunc(x) && math.Abs(x) <= 1<<53
}

// booleanNamed returns 0 or 1 for a name that is a boolean.
func booleanNamed(name string) (int64, bool) {
	switch strings.ToLower(name) {
	case "false":
		return 0, true
	case "true":
		return 1, true
	}
	return 0, false
}

func areBooleans(names []string) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { _, ok := booleanNamed(name); return !ok })
}

// valuesOf returns the function that finds the integer of a name: of booleans if all names are.
func valuesOf(names []string) func(string) (int64, bool) {
	if areBooleans(names) {
		return booleanNamed
	}
	return wholeNamed
}
