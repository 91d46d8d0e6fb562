package reports

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
)

// Night is a finished report with its place in the order of time.
type Night struct {
	Dir string
	At  time.Time // a date, or when the run began
	// Rest is what follows the date in the name of the directory, such as /hour=03. It orders the
	// reports of one day.
	Rest string
}

// compare orders nights by time. Equal days are ordered by what follows them in the names.
func (n Night) compare(other Night) int {
	if c := n.At.Compare(other.At); c != 0 {
		return c
	}
	return natural(n.Rest, other.Rest)
}

// order is what puts reports in their order.
type order int

// The orders, in the order in which they are tried.
const (
	byName          order = iota // the last date in the names of the directories
	byConfiguration              // report.date in the configurations
	byStart                      // when the runs began
)

// InOrder returns finished reports, the oldest first: in the order of the last date in their
// directories' names if all have one, otherwise by report.date in their configurations if all have
// one, otherwise by the times of their runs. It returns an error if none of these is known for all.
func InOrder(ctx context.Context, dirs []string) ([]Night, error) {
	nights, _, err := inOrder(ctx, dirs)
	return nights, err
}

// inOrder also returns what decided the order.
func inOrder(ctx context.Context, dirs []string) ([]Night, order, error) {
	for by, find := range []func(ctx context.Context, dir string) (Night, error){
		byName:          func(_ context.Context, dir string) (Night, error) { return dateIn(dir), nil },
		byConfiguration: dateOf,
		byStart:         startOf,
	} {
		nights := make([]Night, len(dirs))
		err := Each(ctx, dirs, func(ctx context.Context, i int, dir string) (err error) {
			nights[i], err = find(ctx, dir)
			nights[i].Dir = dir
			return err
		})
		if err != nil {
			return nil, 0, err
		}
		if slices.ContainsFunc(nights, func(n Night) bool { return n.At.IsZero() }) {
			continue
		}
		slices.SortFunc(nights, func(a, b Night) int {
			if c := a.compare(b); c != 0 {
				return c
			}
			return natural(a.Dir, b.Dir)
		})
		return nights, order(by), nil
	}
	return nil, 0, fmt.Errorf("it is unknown which of %d reports is the newest, as some have no %s: put the date into the names of their directories, such as dt=2026-11-19", len(dirs), report.RunJSON)
}

// WithoutOdd leaves out the directories that keep the dates in the names of all others from ordering them: what looks
// like a date in their names is none, such as dt=2026-02-30. It calls leave with each, and ends with an error of leave.
func WithoutOdd(dirs []string, leave func(dir string, err error) error) ([]string, error) {
	odd := oddDates(dirs)
	for _, dir := range slices.Sorted(maps.Keys(odd)) {
		if err := leave(dir, fmt.Errorf("%s: %s is no date: rename the directory", dir, odd[dir])); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return odd[dir] != "" }), nil
}

// oddDates returns what is no date in the names of directories, by directory; see [WithoutOdd].
func oddDates(dirs []string) map[string]string {
	odd := map[string]string{}
	dated := false
	for _, dir := range dirs {
		night, text := lastDate(dir)
		switch {
		case !night.At.IsZero():
			dated = true
		case text == "": // it has no date, so that something else orders all
			return nil
		default:
			odd[dir] = text
		}
	}
	if !dated {
		return nil
	}
	return odd
}

// dates matches dates in names: 2026-11-19, 20261119, 2026/11/19, year=2026/month=11/day=19.
var dates = regexp.MustCompile(`(?:^|\D)(\d{4})(?:[-_]?|/(?:[a-z]+=)?)(\d{2})(?:[-_]?|/(?:[a-z]+=)?)(\d{2})(?:\D|$)`)

// dateIn returns the night of the last date in the name of a directory.
func dateIn(dir string) Night {
	night, _ := lastDate(dir)
	return night
}

// lastDate returns the night of the last date in the name of a directory, or the last text that looks like a date and is
// none, such as 2026-02-30. Without a month from 1 to 12 and a day from 1 to 31, a text looks like
// a date only if something separates year, month and day; it does not matter if there is a date
// before it. Years are four digits, so y8760/dt=2025-01-01 has one date.
func lastDate(dir string) (last Night, odd string) {
	if files.Local(dir) {
		dir = filepath.ToSlash(dir)
	}
	dir = path.Clean(dir)
	for from := 0; ; {
		at := dates.FindStringSubmatchIndex(dir[from:])
		if at == nil {
			return last, odd
		}
		for i := range at {
			at[i] += from
		}
		part := func(i int) string { return dir[at[2*i]:at[2*i+1]] }
		text, t := dir[at[2]:at[7]], day(part(1)+"-"+part(2)+"-"+part(3))
		inRange := "01" <= part(2) && part(2) <= "12" && "01" <= part(3) && part(3) <= "31"
		switch {
		case !t.IsZero():
			last, odd = Night{At: t, Rest: dir[at[7]:]}, ""
			from = at[7] // with the separator, which may also be in front of the next date
			continue
		case inRange:
			last, odd = Night{}, text
		case last.At.IsZero() && at[3] < at[4] && at[5] < at[6]: // between the year, the month and the day
			odd = text
		}
		// What follows the year may be the beginning of a date.
		for from = at[3]; from < len(dir) && '0' <= dir[from] && dir[from] <= '9'; {
			from++
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
func dateOf(ctx context.Context, dir string) (Night, error) {
	var r struct {
		Config struct {
			Report struct{ Date string }
		}
	}
	err := readObject(ctx, dir, report.MetricsJSON, report.WithoutRows, &r)
	return Night{At: day(r.Config.Report.Date)}, err
}

// startOf returns when the run of a finished report began.
func startOf(ctx context.Context, dir string) (Night, error) {
	var run struct{ Started time.Time }
	err := readObject(ctx, dir, report.RunJSON, whole, &run)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return Night{At: run.Started}, err
}

func whole(data []byte) []byte { return data }

// readObject reads some fields of a part of a file of a report.
func readObject(ctx context.Context, dir, name string, part func(data []byte) []byte, into any) error {
	data, err := files.ReadFile(ctx, files.Join(dir, name), report.MostJSON)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(part(data), into); err != nil {
		return fmt.Errorf("%s: %w", files.Join(dir, name), err)
	}
	return nil
}

// numerals matches the numbers in a name.
var numerals = regexp.MustCompile(`\d{1,18}|\D+|\d+`)

// natural compares names in which numbers count as numbers: hour=9 comes before hour=10.
func natural(a, b string) int {
	x, y := numerals.FindAllString(a, -1), numerals.FindAllString(b, -1)
	return cmp.Or(slices.CompareFunc(x, y, func(s, t string) int {
		m, errM := strconv.ParseInt(s, 10, 64)
		n, errN := strconv.ParseInt(t, 10, 64)
		if errM != nil || errN != nil {
			return strings.Compare(s, t)
		}
		return cmp.Compare(m, n)
	}), strings.Compare(a, b))
}
