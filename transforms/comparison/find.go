package comparison

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
)

// Own is the report that an evaluation will write.
type Own struct {
	Dir       string
	Temporary bool   // a date in the name of Dir means nothing
	Date      string // report.date of its configuration, or ""
}

// Baseline returns the directories of at most n finished reports that are older than own, the
// newest first; there may be none. A pattern is the directory of a report, a directory that holds
// reports at any depth, or a glob of either. A single pattern that is the directory of a report is
// the baseline, however old.
//
// Reports are in the order of the last date in their directories' names if all have one, otherwise
// in that of report.date in their configurations if all have one, otherwise of their runs.
func Baseline(ctx context.Context, patterns []string, n int, own Own) ([]string, error) {
	var all []string
	for _, pattern := range patterns {
		found, exact, err := finished(ctx, pattern)
		if err != nil {
			return nil, err
		}
		for _, dir := range found {
			if !sameDir(dir, own.Dir) && !slices.Contains(all, dir) {
				all = append(all, dir)
			}
		}
		if exact && len(patterns) == 1 {
			return all, nil
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	ordered, err := older(ctx, all, own)
	if err != nil {
		return nil, err
	}
	return ordered[:min(n, len(ordered))], nil
}

// finished returns the directories of the finished reports that a pattern stands for, and whether
// it is such a directory itself.
func finished(ctx context.Context, pattern string) (dirs []string, exact bool, err error) {
	dir := strings.TrimRight(pattern, "/")
	for _, inside := range []string{report.MetricsJSON, "**/" + report.MetricsJSON} {
		list, err := files.List(ctx, nil, files.Join(dir, inside))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, false, err
		}
		for _, f := range list {
			dirs = append(dirs, strings.TrimSuffix(f.Name, "/"+report.MetricsJSON))
		}
		return dirs, len(dirs) == 1 && sameDir(dirs[0], dir), nil
	}
	return nil, false, nil
}

// sameDir reports whether two names are of the same directory.
func sameDir(a, b string) bool {
	if files.Local(a) && files.Local(b) {
		x, errX := filepath.Abs(a)
		y, errY := filepath.Abs(b)
		return errX == nil && errY == nil && x == y
	}
	return strings.TrimRight(a, "/") == strings.TrimRight(b, "/")
}

// moment is a place in the order of reports. Where days are equal, what follows the date in the
// name decides, such as an hour.
type moment struct {
	dir  string
	at   time.Time // zero if unknown
	rest string
}

func (m moment) compare(other moment) int {
	return cmp.Or(m.at.Compare(other.at), strings.Compare(m.rest, other.rest))
}

// older returns those directories whose reports are older than own, the newest first.
func older(ctx context.Context, dirs []string, own Own) ([]string, error) {
	named := dateIn(own.Dir)
	if own.Temporary {
		named = moment{}
	}
	for _, clock := range []struct {
		of  func(ctx context.Context, dir string) (moment, error)
		own moment
	}{
		{func(_ context.Context, dir string) (moment, error) { return dateIn(dir), nil }, named},
		{dateOf, moment{at: day(own.Date)}},
		{startOf, moment{}},
	} {
		found := make([]moment, len(dirs))
		var reading errgroup.Group
		reading.SetLimit(readers)
		for i, dir := range dirs {
			reading.Go(func() (err error) {
				found[i], err = clock.of(ctx, dir)
				found[i].dir = dir
				return err
			})
		}
		if err := reading.Wait(); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(found, func(m moment) bool { return m.at.IsZero() }) {
			continue
		}
		if !clock.own.at.IsZero() { // otherwise it is the newest
			found = slices.DeleteFunc(found, func(m moment) bool { return m.compare(clock.own) >= 0 })
		}
		slices.SortFunc(found, func(a, b moment) int { return cmp.Or(b.compare(a), strings.Compare(a.dir, b.dir)) })
		ordered := make([]string, len(found))
		for i, m := range found {
			ordered[i] = m.dir
		}
		return ordered, nil
	}
	return nil, fmt.Errorf("it is unknown which of %d reports is the newest, as some have no %s: put the date into the names of their directories, such as dt=2026-11-19", len(dirs), report.RunJSON)
}

// dates matches dates in names: 2026-11-19, 20261119, 2026/11/19, year=2026/month=11/day=19.
var dates = regexp.MustCompile(`(?:^|\D)(\d{4})(?:[-_]?|/(?:[a-z]+=)?)(\d{2})(?:[-_]?|/(?:[a-z]+=)?)(\d{2})(?:\D|$)`)

// dateIn returns the last date in the name of a directory.
func dateIn(dir string) moment {
	if files.Local(dir) {
		dir = filepath.ToSlash(dir)
	}
	dir = path.Clean(dir)
	var last moment
	for rest := dir; ; {
		at := dates.FindStringSubmatchIndex(rest)
		if at == nil {
			return last
		}
		part := func(i int) string { return rest[at[2*i]:at[2*i+1]] }
		t := day(part(1) + "-" + part(2) + "-" + part(3))
		rest = rest[at[7]:] // with the separator, which may also be in front of the next date
		if !t.IsZero() {
			last = moment{at: t, rest: rest}
		}
	}
}

// day returns a date, or the zero time if the text is none.
func day(text string) time.Time {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// dateOf returns the date that the configuration of a finished report states.
func dateOf(ctx context.Context, dir string) (moment, error) {
	var r struct {
		Config struct {
			Report struct{ Date string }
		}
	}
	err := readObject(ctx, dir, report.MetricsJSON, &r)
	return moment{at: day(r.Config.Report.Date)}, err
}

// startOf returns when the run of a finished report began.
func startOf(ctx context.Context, dir string) (moment, error) {
	var run struct{ Started time.Time }
	err := readObject(ctx, dir, report.RunJSON, &run)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return moment{at: run.Started}, err
}

// readObject reads some fields of a file of a report.
func readObject(ctx context.Context, dir, name string, into any) error {
	data, err := files.ReadFile(ctx, files.Join(dir, name))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", files.Join(dir, name), err)
	}
	return nil
}
