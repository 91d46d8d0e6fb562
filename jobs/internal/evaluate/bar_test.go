package evaluate

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	prettytext "github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/jobs/internal/jobservice"
	"github.com/beameval/beameval/pipeline"
)

// onScreen returns a terminal with a number of columns, and a function that returns what was
// printed so far.
func onScreen(t *testing.T, columns uint16, print func(screen *os.File, printed func() string)) string {
	t.Helper()
	control, screen, err := pty.Open()
	require.NoError(t, err)
	defer control.Close()
	require.NoError(t, pty.Setsize(screen, &pty.Winsize{Rows: 24, Cols: columns}))
	var all shared
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(&all, control) // ends with an error when the screen is closed
	}()
	print(screen, all.String)
	require.NoError(t, screen.Close())
	<-ended
	return all.String()
}

// shared is a buffer that one goroutine writes and another reads.
type shared struct {
	sync.Mutex
	text []byte
}

func (s *shared) Write(p []byte) (int, error) {
	s.Lock()
	defer s.Unlock()
	s.text = append(s.text, p...)
	return len(p), nil
}

func (s *shared) String() string {
	s.Lock()
	defer s.Unlock()
	return string(s.text)
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]|\r`)

// The bar shows how many rows were read, how fast, how long the rest takes, and the outcome, and
// fits into the terminal.
func TestBar(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("COLUMNS", "")
	rows := func(n int64) far { return far{counted: true, rows: n} }
	for _, columns := range []uint16{30, 60, 80, 200} {
		for end, succeeded := range map[string]bool{"done": true, "stopped": false} {
			printed := onScreen(t, columns, func(screen *os.File, printed func() string) {
				b := newBar(&pipeline.Plan{Rows: 90}, screen)
				b.show(far{Status: jobservice.Status{Waiting: "Flink to start the job with many words"}}, time.Second)
				await := func(what string) {
					require.Eventually(t, func() bool { return strings.Contains(printed(), what) }, 3*time.Minute, time.Millisecond, what)
				}
				await("waiting for")
				b.show(rows(45), 2*time.Second)
				await("45 of 90 rows")
				b.finish(succeeded)
			})
			shown := escapes.ReplaceAllString(printed, "")
			require.Contains(t, shown, "waiting for Flink to s…")
			for line := range strings.Lines(shown) {
				require.LessOrEqual(t, prettytext.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")), int(columns))
			}
			if columns >= 60 {
				require.Contains(t, shown, "50%")
				require.Regexp(t, map[bool]string{true: `\n90`, false: `\n45 of 90`}[succeeded]+` rows +`+end+` \[`, shown)
				require.Regexp(t, `45 of 90 rows +50% .*s\]\n`, shown)
			}
			require.Equal(t, columns >= 80, strings.Contains(shown, "█"), "a bar")
		}
	}
}

// The verdicts of a summary are coloured on a terminal with colours, unless they are disabled.
func TestColours(t *testing.T) {
	for _, test := range []struct {
		term, noColour string
		want           bool
	}{{"xterm", "", true}, {"xterm", "1", false}, {"dumb", "", false}} {
		dir := t.TempDir()
		writeTable(t, filepath.Join(dir, "preds.parquet"), people)
		printed := onScreen(t, 80, func(screen *os.File, _ func() string) {
			cmd := process(t.Context(), dir, t.TempDir(), append(strings.Fields(flagsOf), "--quiet", "--set", "gates=[{metric: f1, min: 1}, {metric: f1, max: 1}]")...)
			cmd.Env = append(cmd.Env, "TERM="+test.term, "NO_COLOR="+test.noColour, "COLUMNS=")
			cmd.Stdout = screen
			require.Error(t, cmd.Run(), "a gate fails")
		})
		require.Equal(t, test.want, strings.Contains(printed, "\x1b[31mfail\x1b[0m") && strings.Contains(printed, "\x1b[32mpass\x1b[0m"), printed)
		require.Equal(t, test.want, strings.Contains(printed, "\x1b"), printed)
	}
}

// A run shows the bar on a terminal, unless the cursor cannot be moved or the run is quiet. Drawing
// leaves nothing on the screen.
func TestProgressOnTerminal(t *testing.T) {
	for _, test := range []struct{ term, flag, want string }{
		{"xterm", "--validate=false", "4 rows                  done ["},
		{"dumb", "--validate=false", ""},
		{"xterm", "--quiet", ""},
	} {
		dir := t.TempDir()
		writeTable(t, filepath.Join(dir, "preds.parquet"), people)
		printed := onScreen(t, 100, func(screen *os.File, _ func() string) {
			cmd := process(t.Context(), dir, t.TempDir(), append(strings.Fields(flagsOf), test.flag)...)
			cmd.Env = append(cmd.Env, "TERM="+test.term, "COLUMNS=")
			cmd.Stderr = screen
			require.NoError(t, cmd.Run())
		})
		require.Contains(t, printed, test.want)
		if test.want == "" { // a run may end before the bar is drawn a second time, over the first
			require.NotContains(t, printed, "\x1b[")
		}
		readReport(t, filepath.Join(dir, "out"))
	}
}
