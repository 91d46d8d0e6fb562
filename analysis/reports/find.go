// Package reports finds finished reports, puts them in the order of their nights, and reads them.
package reports

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
)

// Find returns the directories of the finished reports that patterns stand for, without duplicates
// and in the order of the patterns; there may be none. A pattern is the directory of a report, a
// directory that holds reports at any depth, or a glob of either.
//
// It calls unread with each local directory that cannot be looked into, and goes on unless unread returns an error.
func Find(ctx context.Context, patterns []string, unread func(dir string, err error) error) ([]string, error) {
	all, _, err := find(ctx, patterns, unread)
	return all, err
}

// find also returns whether there is a single pattern, which is the directory of a report itself.
func find(ctx context.Context, patterns []string, unread func(dir string, err error) error) (_ []string, exact bool, err error) {
	var all directories
	for _, pattern := range patterns {
		found, isReport, err := finished(ctx, pattern, unread)
		if err != nil {
			return nil, false, err
		}
		exact = isReport && len(patterns) == 1
		all.add(found...)
	}
	return all.names, exact, nil
}

// FindEach is like [Find], but it is an error if a pattern stands for no report, or if a directory is
// given twice. A pattern that is the directory of a report keeps its spelling, and so does a pattern
// without a report that other, which may be nil, accepts: it is one of the results.
func FindEach(ctx context.Context, patterns []string, other func(pattern string) bool) ([]string, error) {
	var all directories
	given := make(map[string]bool) // by canonical name
	for _, pattern := range patterns {
		found, exact, err := finished(ctx, pattern, nil)
		switch {
		case err != nil:
			return nil, err
		case len(found) == 0 && (other == nil || !other(pattern)):
			return nil, fmt.Errorf("there is no report in %s: %w", pattern, fs.ErrNotExist)
		}
		exact = exact || len(found) == 0
		switch {
		case exact && given[Canonical(pattern)]:
			return nil, fmt.Errorf("%s is given twice", pattern)
		case exact:
			found = []string{pattern}
			given[Canonical(pattern)] = true
		}
		all.add(found...)
	}
	return all.names, nil
}

// finished returns the directories of the finished reports that a pattern stands for, and whether
// it is such a directory itself. If unread is not nil, it is called with directories that cannot be looked into.
func finished(ctx context.Context, pattern string, unread func(dir string, err error) error) (dirs []string, exact bool, err error) {
	dir := strings.TrimRight(pattern, "/")
	var leave func(name string, err error) error
	if unread != nil {
		leave = func(name string, err error) error {
			return unread(strings.TrimSuffix(name, "/"+report.MetricsJSON), err)
		}
	}
	for _, inside := range []string{report.MetricsJSON, "**/" + report.MetricsJSON} {
		list, err := files.ListReadable(ctx, nil, leave, files.Join(dir, inside))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case leave != nil && errors.As(err, new(syscall.Errno)) && !files.Temporary(err): // this is a directory of one night
			return nil, false, leave(dir, err)
		case err != nil:
			return nil, false, err
		}
		for _, f := range list {
			dirs = append(dirs, strings.TrimSuffix(f.Name, "/"+report.MetricsJSON))
		}
		return dirs, len(dirs) == 1 && Same(dirs[0], dir), nil
	}
	return nil, false, nil
}

// directories are distinct directories, in the order in which they were added.
type directories struct {
	names []string
	met   map[string]bool // by canonical name
}

// add adds the directories that were not added before, however their names are written.
func (d *directories) add(names ...string) {
	if d.met == nil {
		d.met = make(map[string]bool)
	}
	for _, name := range names {
		if c := Canonical(name); !d.met[c] {
			d.met[c] = true
			d.names = append(d.names, name)
		}
	}
}

// Same reports whether two names are of the same directory.
func Same(a, b string) bool { return Canonical(a) == Canonical(b) }

// Canonical returns a name that is the same for all spellings of the name of a directory.
func Canonical(dir string) string {
	if files.Local(dir) {
		if full, err := filepath.Abs(dir); err == nil {
			return full
		}
	}
	return strings.TrimRight(dir, "/")
}
