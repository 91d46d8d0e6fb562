package ingest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/beameval/beameval/io/files"
)

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
		return int32(n), Reason{kind: outOfRange, want: x.count}, n >= 0 && n < int64(x.count)
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
	return label, Reason{kind: unknownName, want: x.count}, ok
}

// integerNamed returns the integer that is written as name.
func integerNamed(name string) (int64, bool) {
	n, err := strconv.ParseInt(name, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == name
}
