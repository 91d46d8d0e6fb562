package evaluate

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/pipeline/config"
)

// A change between planning and reading makes a run fail.
func TestChangesDuringRun(t *testing.T) {
	for _, test := range []struct {
		name, preds string
		change      func(t *testing.T, dir string)
		want        string // the error, see requireText
	}{
		{"file removed", people, remove("preds.parquet"), `open …/preds.parquet: no such file or directory`},
		{"file removed before labels are found", "label:string prediction:string\na b", remove("preds.parquet"), `open …/preds.parquet: no such file or directory`},
		{"file grown", people, text("preds.parquet", string(make([]byte, 2000))),
			`…/preds.parquet: the file has changed since the run was planned: then … bytes, modified at …Z, inode …; now 2000 bytes, modified at …Z, inode …; run again when nobody writes to it`},
		{"file truncated", people, truncated, fileChanged},
		{"file touched", people, touched, fileChanged},
		{"file overwritten by another of its size", people, func(t *testing.T, dir string) {
			writeTable(t, filepath.Join(dir, "preds.parquet"), strings.ReplaceAll(people, "fr", "it"))
		}, fileChanged},
		{"file replaced by another of its size and time", people, replaced, fileChanged},
		{"file replaced before labels are found", "label:string prediction:string\na b", replaced, fileChanged},
		{"output taken", people, text("out/notes.txt", "mine"),
			`writing the report: …/out: output exists and is not empty (it holds notes.txt); choose another directory, or remove this one`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("TMPDIR", t.TempDir())
			writeTable(t, filepath.Join(dir, "preds.parquet"), test.preds)
			cfg := config.Default()
			cfg.Input.Files = []string{filepath.Join(dir, "preds.parquet")}
			cfg.Output.Dir = filepath.Join(dir, "out")
			plan, err := pipeline.Make(t.Context(), &cfg)
			require.NoError(t, err)
			test.change(t, dir)
			before := tree(t, dir)
			at, err := (&flags{quiet: true}).findPlace(t.Context(), io.Discard)
			require.NoError(t, err)
			err = run(t.Context(), at, plan, time.Now(), io.Discard, io.Discard)
			require.Error(t, err)
			requireText(t, test.want, err.Error()+"\n")
			require.Equal(t, before, tree(t, dir))
		})
	}
}

const fileChanged = `…/preds.parquet: the file has changed since the run was planned: then …; now …; run again when nobody writes to it`

func remove(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, name))) }
}

func truncated(t *testing.T, dir string) {
	require.NoError(t, os.Truncate(filepath.Join(dir, "preds.parquet"), 500))
}

func touched(t *testing.T, dir string) {
	require.NoError(t, os.Chtimes(filepath.Join(dir, "preds.parquet"), time.Time{}, time.Now().Add(time.Second)))
}

// replaced replaces a file with a copy that has other contents.
func replaced(t *testing.T, dir string) {
	name := filepath.Join(dir, "preds.parquet")
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name+".new", content, 0o666))
	require.NoError(t, os.Chtimes(name+".new", info.ModTime(), info.ModTime()))
	require.NoError(t, os.Rename(name+".new", name))
}
