package evaluate

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/synthetic"
	"github.com/beameval/beameval/jobs/internal/command"
)

// Signals end a run without a report, whatever it is doing.
func TestInterrupted(t *testing.T) {
	for _, test := range []struct {
		name   string
		signal syscall.Signal
		slices string // those of the data
		when   func(t *testing.T, dir, temp string)
	}{
		{"while reading", syscall.SIGINT, "country:3", func(*testing.T, string, string) {}},
		{"while scores are in files", syscall.SIGINT, "n:4000", func(t *testing.T, _, temp string) {
			appears(t, filepath.Join(temp, "evaluate-*", "shuffle-*"), 1)
		}},
		{"while writing", syscall.SIGTERM, "n:2000", func(t *testing.T, dir, _ string) {
			appears(t, filepath.Join(dir, ".out.tmp-*", "new", "*"), 2)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir, temp := t.TempDir(), t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, "preds"), 0o777))
			writeSynthetic(t, filepath.Join(dir, "preds"), test.slices)
			before := tree(t, dir)

			cmd := process(t.Context(), dir, temp, "--config", "preds/_evaluate.yaml", "--input", "preds", "--output", "out")
			var stdout bytes.Buffer
			cmd.Stdout = &stdout
			stderr, err := cmd.StderrPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			said := bufio.NewReader(stderr)
			for line := ""; line != "predictions: score >= 0.5\n"; { // the last note before the run
				line, err = said.ReadString('\n')
				require.NoError(t, err)
			}
			test.when(t, dir, temp)
			require.NoError(t, cmd.Process.Signal(test.signal))
			rest, err := io.ReadAll(said)
			require.NoError(t, err)
			if cmd.Wait() == nil {
				readReport(t, filepath.Join(dir, "out"))
				t.Skip("the report was complete before the signal arrived")
			}

			require.Equal(t, command.Failed, cmd.ProcessState.ExitCode())
			require.Equal(t, "evaluate: interrupted; nothing was written\n", string(rest))
			require.Empty(t, stdout.String())
			require.Equal(t, before, tree(t, dir), "nothing is left behind")
			require.Empty(t, tree(t, temp)[1:], "left in the temporary directory")
		})
	}
}

// appears waits for a number of files.
func appears(t *testing.T, pattern string, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		files, err := filepath.Glob(pattern)
		return err == nil && len(files) >= n
	}, 90*time.Second, time.Millisecond)
}

// writeSynthetic writes predictions that take a while to evaluate.
func writeSynthetic(t *testing.T, dir, columns string) {
	slices, err := synthetic.ParseSlices(columns)
	require.NoError(t, err)
	var files []*os.File
	_, err = synthetic.Write(t.Context(), synthetic.Spec{Rows: 200_000, Files: 2, Slices: slices, Seed: 1}, func(name string) (io.Writer, error) {
		f, err := os.Create(filepath.Join(dir, name))
		files = append(files, f)
		return f, err
	})
	require.NoError(t, err)
	for _, f := range files {
		require.NoError(t, f.Close())
	}
}

// TestInterruptedWhileAuthenticating: the service that provides credentials does not respond.
func TestInterruptedWhileAuthenticating(t *testing.T) {
	for name, environment := range map[string][]string{
		"gs://bucket/x.parquet":    {"STORAGE_EMULATOR_HOST=", "GOOGLE_APPLICATION_CREDENTIALS=", "GCE_METADATA_HOST=ADDRESS"},
		"s3://bucket/x.parquet":    {"AWS_REGION=us-east-1", "AWS_CONTAINER_CREDENTIALS_FULL_URI=http://ADDRESS/"},
		"az://container/x.parquet": {"AZURE_STORAGE_ACCOUNT=account", "AZURE_TOKEN_CREDENTIALS=ManagedIdentityCredential", "IDENTITY_ENDPOINT=http://ADDRESS/", "IDENTITY_HEADER=x"},
	} {
		t.Run(name[:2], func(t *testing.T) {
			t.Parallel()
			asked := make(chan bool, 100)
			silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				asked <- true
				<-r.Context().Done()
			}))
			defer silent.Close()
			cmd := process(t.Context(), t.TempDir(), t.TempDir(), "--input", name, "--output", "out")
			cmd.Env = append(cmd.Env, "HOME="+t.TempDir(), "PATH=")
			for _, variable := range environment {
				cmd.Env = append(cmd.Env, strings.Replace(variable, "ADDRESS", strings.TrimPrefix(silent.URL, "http://"), 1))
			}
			go func() {
				<-asked
				_ = cmd.Process.Signal(syscall.SIGINT)
			}()
			code, stdout, stderr := finish(t, cmd)
			require.Equal(t, command.Failed, code)
			require.Equal(t, "evaluate: interrupted; nothing was written\n", stderr)
			require.Empty(t, stdout)
		})
	}
}
