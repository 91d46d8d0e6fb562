package reports_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/export"
)

// finish writes a finished report.
func finish(t *testing.T, dir string, r *report.Report, run *report.Run) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o777))
	require.NoError(t, export.Write(r, run, nil, func(name string) (io.Writer, error) { return os.Create(filepath.Join(dir, name)) }))
}

func TestBaseline(t *testing.T) {
	t.Chdir(t.TempDir())
	dated := func(day string) *report.Report {
		r := &report.Report{Task: "binary"}
		r.Config = fmt.Appendf(nil, `{"report":{"date":%q}}`, day)
		return r
	}
	began := func(hour int) *report.Run {
		return &report.Run{Started: time.Date(2026, 11, 19, hour, 0, 0, 0, time.UTC)}
	}
	// The runs are never in the order of the dates.
	for i, dir := range []string{
		"named/dt=2026-11-19", "named/dt=2026-11-17", "named/dt=2026-11-18", "named/2026-11-16/eval", "other/20261118",
		"split/year=2026/month=10/day=30", "split/year=2026/month=09/day=31", "split/year=2026/month=09/day=30",
		"hours/dt=2026-11-19/hour=03", "hours/dt=2026-11-19/hour=02", "hours/dt=2026-11-18/hour=23", "champion",
		"hours9/dt=2026-11-18/hour=10", "hours9/dt=2026-11-18/hour=9", "hours9/dt=2026-11-18/hour=11",
		"y8760/dt=2025-01-02", "y8760/dt=2025-01-01", "odd/dt=2026-02-28", "odd/dt=2026-02-30", "odd/dt=2026-03-01",
	} {
		finish(t, dir, &report.Report{Task: "binary"}, began(23-i))
	}
	for i, dir := range []string{"folders/2026-11-17/2026-11-20", "folders/2026-11-18/2026-11-19"} {
		finish(t, dir, &report.Report{Task: "binary"}, began(i))
	}
	finish(t, "dated/a", dated("2026-11-18"), began(9))
	finish(t, "dated/b", dated("2026-11-19"), began(8))
	finish(t, "dated/c", dated("2026-11-17"), began(7))
	finish(t, "begun/a", &report.Report{Task: "binary"}, began(1))
	finish(t, "begun/b", dated("2026-11-19"), began(3))
	finish(t, "begun/c", &report.Report{Task: "binary"}, began(2))
	finish(t, "unknown/a", &report.Report{Task: "binary"}, nil)
	finish(t, "unknown/b", &report.Report{Task: "binary"}, began(1))
	require.NoError(t, os.MkdirAll("named/dt=2026-11-20", 0o777)) // not finished
	here, err := os.Getwd()
	require.NoError(t, err)

	for _, c := range []struct {
		name     string
		patterns []string
		n        int
		own      reports.Own
		want     []string
		left     []string
	}{
		{"a glob", []string{"named/dt=*"}, 1, reports.Own{Dir: "out"}, []string{"named/dt=2026-11-19"}, nil},
		{"several", []string{"named/dt=*"}, 2, reports.Own{Dir: "out"}, []string{"named/dt=2026-11-19", "named/dt=2026-11-18"}, nil},
		{"fewer than asked for", []string{"named/dt=*"}, 7, reports.Own{Dir: "out"}, []string{"named/dt=2026-11-19", "named/dt=2026-11-18", "named/dt=2026-11-17"}, nil},
		{"those before", []string{"named/dt=*"}, 1, reports.Own{Dir: "named/dt=2026-11-18"}, []string{"named/dt=2026-11-17"}, nil},
		{"none before", []string{"named/dt=*"}, 1, reports.Own{Dir: "named/dt=2026-11-16"}, nil, nil},
		{"another place of the same day", []string{"named/*"}, 1, reports.Own{Dir: "other/2026-11-19"}, []string{"named/dt=2026-11-18"}, nil},
		{"its own, by another name", []string{"named/dt=2026-11-1[79]"}, 1, reports.Own{Dir: here + "/named/./dt=2026-11-19/"}, []string{"named/dt=2026-11-17"}, nil},
		{"a list", []string{"named/dt=2026-11-17/", "other/20261118"}, 1, reports.Own{Dir: "out"}, []string{"other/20261118"}, nil},
		{"a directory of reports", []string{"named"}, 9, reports.Own{Dir: "out"},
			[]string{"named/dt=2026-11-19", "named/dt=2026-11-18", "named/dt=2026-11-17", "named/2026-11-16/eval"}, nil},
		{"a date in several folders", []string{"split"}, 1, reports.Own{Dir: "out"}, []string{"split/year=2026/month=10/day=30"},
			[]string{"split/year=2026/month=09/day=31: 2026/month=09/day=31 is no date: rename the directory"}},
		{"four digits before a date", []string{"y8760"}, 2, reports.Own{Dir: "out/y8760/dt=2025-01-02"}, []string{"y8760/dt=2025-01-01"}, nil},
		{"a date that is none", []string{"odd/*"}, 3, reports.Own{Dir: "out"}, []string{"odd/dt=2026-03-01", "odd/dt=2026-02-28"},
			[]string{"odd/dt=2026-02-30: 2026-02-30 is no date: rename the directory"}},
		{"the last of several dates", []string{"folders"}, 2, reports.Own{Dir: "out"}, []string{"folders/2026-11-17/2026-11-20", "folders/2026-11-18/2026-11-19"}, nil},
		{"the directory of one report, however old, however written", []string{"./named//dt=2026-11-19/"}, 1, reports.Own{Dir: "out/dt=2026-11-01"}, []string{"named/dt=2026-11-19"}, nil},
		{"hours", []string{"hours"}, 1, reports.Own{Dir: "hours/dt=2026-11-19/hour=03"}, []string{"hours/dt=2026-11-19/hour=02"}, nil},
		{"hours without a zero", []string{"hours9"}, 9, reports.Own{Dir: "hours9/dt=2026-11-18/hour=11"},
			[]string{"hours9/dt=2026-11-18/hour=10", "hours9/dt=2026-11-18/hour=9"}, nil},
		{"one report by two names", []string{"champion", "./champion/"}, 9, reports.Own{Dir: "out"}, []string{"champion"}, nil},
		{"one report, however old", []string{"named/dt=2026-11-19"}, 1, reports.Own{Dir: "out/dt=2026-11-01"}, []string{"named/dt=2026-11-19"}, nil},
		{"its own alone", []string{"champion"}, 1, reports.Own{Dir: "champion"}, nil, nil},
		{"dates of configurations", []string{"dated/*"}, 2, reports.Own{Dir: "out"}, []string{"dated/b", "dated/a"}, nil},
		{"those before a configured date", []string{"dated/*"}, 2, reports.Own{Dir: "out", Date: "2026-11-19"}, []string{"dated/a", "dated/c"}, nil},
		{"runs", []string{"begun/*"}, 3, reports.Own{Dir: "out", Date: "2026-11-01"}, []string{"begun/b", "begun/c", "begun/a"}, nil},
		{"one without a date", []string{"named/dt=2026-11-17", "champion"}, 1, reports.Own{Dir: "out"}, []string{"named/dt=2026-11-17"}, nil},
		{"nothing", []string{"nowhere", "nowhere/*", "named/dt=2026-11-20"}, 1, reports.Own{Dir: "out"}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var left []string
			got, err := reports.Baseline(t.Context(), c.patterns, c.n, c.own, func(err error) { left = append(left, err.Error()) })
			require.NoError(t, err)
			require.Equal(t, c.left, left)
			require.ElementsMatch(t, c.want, got)
			if len(c.want) > 0 {
				require.Equal(t, c.want, got)
			}
		})
	}
	_, err = reports.Baseline(t.Context(), []string{"unknown/*"}, 1, reports.Own{Dir: "out"}, nil)
	require.EqualError(t, err, "it is unknown which of 2 reports is the newest, as some have no run.json: put the date into the names of their directories, such as dt=2026-11-19")
}
