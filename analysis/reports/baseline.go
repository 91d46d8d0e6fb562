package reports

import (
	"context"
	"slices"
)

// Own is the report that an evaluation will write.
type Own struct {
	Dir       string
	Temporary bool   // a date in the name of Dir means nothing
	Date      string // report.date of its configuration, or ""
}

// Baseline returns the directories of at most n finished reports that are older than own, the
// newest first; there may be none. Patterns are as for [Find]. A single pattern that is the
// directory of a report is the baseline, however old. It leaves out what [WithoutOdd] does,
// and calls leave with each.
func Baseline(ctx context.Context, patterns []string, n int, own Own, leave func(error)) ([]string, error) {
	all, exact, err := find(ctx, patterns, nil)
	all = slices.DeleteFunc(all, func(dir string) bool { return Same(dir, own.Dir) })
	if err != nil || exact {
		return all, err
	}
	all, _ = WithoutOdd(all, func(_ string, err error) error { // there is no error
		leave(err)
		return nil
	})
	nights, by, err := inOrder(ctx, all)
	if err != nil {
		return nil, err
	}
	if now := own.at(by); !now.At.IsZero() { // otherwise it is the newest
		nights = slices.DeleteFunc(nights, func(night Night) bool { return night.compare(now) >= 0 })
	}
	var dirs []string
	for _, night := range slices.Backward(nights[max(0, len(nights)-n):]) {
		dirs = append(dirs, night.Dir)
	}
	return dirs, nil
}

// at returns the place of the report in an order, or the zero night if it is the newest.
func (o Own) at(by order) Night {
	switch {
	case by == byName && !o.Temporary:
		return dateIn(o.Dir)
	case by == byConfiguration:
		return Night{At: day(o.Date)}
	}
	return Night{}
}
