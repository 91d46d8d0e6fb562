package catalogue

import (
	"bytes"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/metrics"
)

func run(args ...string) (string, error) {
	c := Command()
	var out bytes.Buffer
	c.SetOut(&out)
	c.SetErr(&out)
	c.SilenceUsage, c.SilenceErrors = true, true
	c.SetArgs(args)
	err := c.Execute()
	return out.String(), err
}

// broken is an output that takes nothing.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

// A list that is not printed whole is a failure, unless its reader has gone away.
func TestFullDisk(t *testing.T) {
	for _, args := range [][]string{{}, {"ranking"}, {"f1"}} {
		for err, code := range map[error]int{syscall.ENOSPC: command.Failed, syscall.EPIPE: 0} {
			c := Command()
			c.SetOut(broken{err})
			c.SilenceUsage, c.SilenceErrors = true, true
			c.SetArgs(args)
			require.Equal(t, code, command.Code(c.Execute()))
		}
	}
}

// Each metric of each task is listed and explained, in lines that fit.
func TestMetrics(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	text, err := run()
	require.NoError(t, err)
	for _, task := range tasks {
		require.Contains(t, text, task.String())
		list, err := run(strings.ToUpper(task.String()))
		require.NoError(t, err)
		for _, m := range metrics.Catalogue(task) {
			require.Contains(t, list, m.Name+"\n    ")
			one, err := run(m.Name)
			require.NoError(t, err)
			for line := range strings.Lines(list + one) {
				require.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), 80, line)
			}
			for _, fact := range append(strings.Fields(m.Definition+" "+m.Needs+" "+m.Source+" "+m.Interval), m.Aliases...) {
				require.Contains(t, one, fact)
			}
		}
	}
}

func TestExplain(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	text, err := run("Average_Precision_score")
	require.NoError(t, err)
	require.Contains(t, text, "average_precision\n  task        binary\n")
	require.Contains(t, text, "average_precision\n  task        multiclass, multilabel\n")
	require.Contains(t, text, "\n  averages    per label, _micro, _macro, _weighted\n  better      higher\n")
	require.Equal(t, 2, strings.Count(text, "average_precision\n"))
	text, err = run("quantile@0.95_latency_ms")
	require.NoError(t, err)
	require.Contains(t, text, "quantile@<rank>\n  grade       the further grade latency_ms (input.columns.grades);")
	text, err = run("mean_acuracy")
	require.NoError(t, err)
	require.Contains(t, text, "the further grade acuracy")
	for _, c := range []struct{ name, want string }{
		{"acuracy", `there is no metric or task "acuracy"; did you mean accuracy? beameval metrics TASK lists those of a task: binary, multiclass, multilabel, regression, ranking, preference`},
		{"rankin", `there is no metric or task "rankin"; did you mean ranking? beameval`},
	} {
		_, err := run(c.name)
		require.ErrorContains(t, err, c.want)
	}
	_, err = run("f1", "f2")
	require.EqualError(t, err, "expected the name of a task or of a metric, found 2 arguments: metrics [TASK | NAME]")
}
