package evaluate

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/cluster"
	"github.com/beameval/beameval/io/report"
	"github.com/beameval/beameval/io/report/checks"
	"github.com/beameval/beameval/jobs/internal/command"
)

// scenario is one run of the command, in its own directory.
type scenario struct {
	name   string
	preds  string                         // preds.parquet, see writeTable; if empty, people
	files  map[string]string              // more tables, by file name
	setup  func(t *testing.T, dir string) // what else there is before the run
	config string                         // eval.yaml, which then is given with --config
	args   string                         // if empty, --input preds.parquet --output out
	temp   string                         // TMPDIR; if empty, a directory of its own
	code   int                            // the exit code
	stdout string                         // on success, see requireText; if empty, a summary of a report
	notes  string                         // what is said before anything else; without, the run is --quiet
	stderr string                         // the message of a failure, see requireText
	report string                         // a description of the report, see describe and requireText
	check  func(t *testing.T, dir string) // what else holds in the directory afterwards
}

// people is a valid table: one of four predictions is wrong.
const people = `
label:int64 score:double country:string
0           0.1          de
1           0.9          de
---
1           0.4          fr
0           0.2          fr`

const flagsOf = "--input preds.parquet --output out"

// badRow is a run on a table whose last row, the first of row group 1, is replaced with a bad one.
// The run fails with a message about a column of that row.
type badRow struct{ name, table, last, config, want string }

func (b badRow) scenario() scenario {
	return scenario{name: b.name, preds: last(b.table, b.last), config: b.config, code: 1, stderr: row + b.want + end}
}

// refusal is a run that is rejected: the configuration or the schema is found to be wrong before
// any row is read.
type refusal struct{ name, preds, config, want string }

func (r refusal) scenario() scenario {
	return scenario{name: r.name, preds: r.preds, config: r.config, code: 2, stderr: "evaluate: " + r.want}
}

// scenarios are all runs with the outcome that their tables define.
func scenarios() []scenario {
	all := slices.Concat(refused, failed, accepted, rankings, truths, byLabel, byName, misread, meaning, bothClasses, fewBits, classNames, wide, contradicted, classLabels, truthSlices, negatives, hostile, limits, storage, foreign, gated, baselined, intervals, byFlags, capabilities)
	for _, b := range slices.Concat(failedBadRows, byLabelBadRows, misreadBadRows, rankingsBadRows) {
		all = append(all, b.scenario())
	}
	for _, r := range slices.Concat(byLabelRefusals, byNameRefusals, classLabelRefusals, contradictedRefusals, gatedRefusals, hostileRefusals, intervalRefusals, limitRefusals, meaningRefusals, bothClassesRefusals, misreadRefusals, rankingsRefusals, refusedRefusals, wideRefusals) {
		all = append(all, r.scenario())
	}
	return all
}

// All scenarios run on direct. Those that end with a report, and the bundled sets, also run on a prism
// server, the only remote runner that needs nothing but Go.
func TestCommand(t *testing.T) {
	prism := []string{"--runner", "universal", "--endpoint", cluster.Prism(t), "--environment_type", "LOOPBACK"}
	for _, s := range slices.Concat(bundled, scenarios()) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if s.reports() {
				s.run(t, prism...)
			} else {
				s.run(t)
			}
		})
	}
}

// reports says whether the scenario ends with a report, on any runner.
func (s scenario) reports() bool {
	return (s.code == 0 || s.code == command.GateFailed) && !strings.Contains(s.args, "--validate") && !strings.Contains(s.args, "--runner")
}

// progressLines matches the lines that show the job of a run, and its progress if it takes long.
var progressLines = regexp.MustCompile(`(?m)^(job: .* at .*|waiting for .*|the job has been running for .*|([0-9]+ of [0-9]+ tasks, )?(search: )?[0-9.]+( [kMG])? of [0-9.]+( [kMG])? rows(, .*)?)\n`)

// run executes the scenario. If flags name another runner, it is executed there first, and then on
// direct, whose report must be the same. Workers of the runner use absolute file names.
func (s scenario) run(t *testing.T, runner ...string) {
	dir, args := s.prepare(t)
	temp, before := shortTempDir(t), tree(t, dir)

	code, stdout, stderr := call{dir, cmp.Or(s.temp, temp), slices.Concat(args, runner)}.run(t)
	require.Equal(t, s.code, code, stderr)
	require.Empty(t, tree(t, temp)[1:], "left in the temporary directory")
	s.requireSaid(t, dir, stdout, stderr)
	if code != 0 && code != command.GateFailed {
		require.Equal(t, before, tree(t, dir), "a failure leaves nothing behind")
		require.Equal(t, 1, strings.Count("\n"+stderr, "\nevaluate: "), stderr)
		return
	}
	if s.report != "" {
		requireText(t, s.report, describe(readReport(t, filepath.Join(dir, "out"))))
	}
	if s.check != nil {
		s.check(t, dir)
	}
	if len(runner) > 0 {
		require.NoError(t, os.Rename(filepath.Join(dir, "out"), filepath.Join(dir, "remote")))
		code, stdout, stderr := call{dir, temp, args}.run(t)
		require.Equal(t, s.code, code, stderr)
		s.requireSaid(t, dir, stdout, stderr)
		requireSameReport(t, filepath.Join(dir, "out"), filepath.Join(dir, "remote"))
	}
}

// requireSaid compares what a run printed with what it should.
func (s scenario) requireSaid(t *testing.T, dir, stdout, stderr string) {
	require.NotContains(t, stdout+stderr, "%!", "an argument that is missing or of another type")
	want := s.stderr
	if s.notes != "" {
		want = strings.TrimSpace(s.notes) + "\n" + want
	}
	requireText(t, want, progressLines.ReplaceAllString(strings.ReplaceAll(stderr, dir+"/", ""), ""))
	if s.code == 0 || s.code == command.GateFailed {
		requireText(t, cmp.Or(s.stdout, "…: …\n…\n\nreport: out"), stdout)
	} else {
		require.Empty(t, stdout)
	}
}

// prepare writes what the scenario reads into a directory of its own, and returns its arguments.
func (s scenario) prepare(t *testing.T) (dir string, args []string) {
	dir = t.TempDir()
	writeTable(t, filepath.Join(dir, "preds.parquet"), cmp.Or(s.preds, people))
	for name, text := range s.files {
		writeTable(t, filepath.Join(dir, name), text)
	}
	if s.setup != nil {
		s.setup(t, dir)
	}
	args = strings.Fields(cmp.Or(s.args, flagsOf))
	if s.config != "" {
		text("eval.yaml", s.config)(t, dir)
		args = append([]string{"--config", "eval.yaml"}, args...)
	}
	if s.notes == "" {
		args = append([]string{"--quiet"}, args...)
	}
	return dir, args
}

// shortTempDir returns a directory with a short name: Beam's Java job servers truncate the name of
// a worker binary to about 100 characters, and fail if that leaves a slash at its end.
func shortTempDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// requireText compares a text with an expected one, in which … stands for any text within a line
// and, on a line of its own, for any lines.
func requireText(t *testing.T, want, got string) {
	t.Helper()
	var pattern strings.Builder
	for line := range strings.Lines(strings.TrimSpace(want)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "…" {
			pattern.WriteString(`(.*\n)*`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + `\n`)
	}
	if !regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(got) {
		require.Fail(t, "another text", "got:\n%s\nwant:\n%s", got, want)
	}
}

// ofFewRows reports whether a check holds because the tables of scenarios have few rows or values, or repeats why rows
// were skipped. That no prediction has the positive label is no such check: it counts nothing.
func ofFewRows(c *checks.Check) bool {
	few := []string{"one_class_true", "one_class_predicted", "constant_scores", "few_distinct_scores", "probabilities_do_not_sum", "unknown_labels", "missing_scores"}
	return slices.Contains(few, c.Name) && c.Count > 0
}

// describe describes the contents of a report in lines.
func describe(r *report.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d rows, %d evaluated\n", r.Rows.Read, r.Rows.Evaluated)
	var skipped []string
	for reason, n := range r.Rows.Skipped {
		skipped = append(skipped, fmt.Sprintf("skipped: %s: %d\n", reason, n))
	}
	slices.Sort(skipped)
	b.WriteString(strings.Join(skipped, ""))
	if truth := r.Rows.Truth; truth != nil {
		fmt.Fprintf(&b, "truth of %d, %d without prediction\n", truth.Examples, truth.Unmatched)
	}
	for i := range r.Checks {
		if c := &r.Checks[i]; !ofFewRows(c) {
			fmt.Fprintf(&b, "warning: %s\n", c.Message)
		}
	}
	for _, m := range r.Metrics {
		b.WriteString(m.Name)
		if len(m.Slice) > 0 {
			fmt.Fprintf(&b, "{%s}", m.Slice)
		}
		if m.Label != nil {
			fmt.Fprintf(&b, "[%s]", *m.Label)
		}
		b.WriteString(" = " + strconv.FormatFloat(m.Value, 'g', 4, 64))
		if m.Undefined != "" {
			fmt.Fprintf(&b, " (%s)", m.Undefined)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// readReport reads the report in a directory.
func readReport(t *testing.T, dir string) *report.Report {
	t.Helper()
	r, err := report.Open(t.Context(), dir)
	require.NoError(t, err)
	return r
}

// tree lists everything below a directory, including hidden files.
func tree(t *testing.T, dir string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		names = append(names, strings.TrimPrefix(path, dir))
		return err
	}))
	return names
}

// text returns a setup that writes a file.
func text(name, content string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
	}
}

// folder returns a setup that creates an empty directory.
func folder(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o777)) }
}
