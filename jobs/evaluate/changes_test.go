package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/pipeline/config"
)

// What changes between planning and reading makes a run fail.
func TestChangesDuringRun(t *testing.T) {
	*quiet = true
	for _, test := range []struct {
		name, preds string
		change      func(t *testing.T, dir string)
		want        string // the error, see requireText
	}{
		{"file removed", people, remove("preds.parquet"), `open …/preds.parquet: no such file or directory`},
		{"file removed before labels are found", "label:string prediction:string\na b", remove("preds.parquet"), `open …/preds.parquet: no such file or directory`},
		{"file grown", people, text("preds.parquet", string(make([]byte, 2000))),
			`…/preds.parquet: the file has 2000 bytes, but had … when the run was planned: it must not change during a run`},
		{"file replaced by another of its size", people, zero, `…/preds.parquet: not a Parquet file: it begins with "\x00\x00\x00\x00"`},
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
			err = run(t.Context(), plan, time.Now())
			require.Error(t, err)
			requireText(t, test.want, err.Error()+"\n")
			require.Equal(t, before, tree(t, dir))
		})
	}
}

func remove(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, name))) }
}

// zero overwrites preds.parquet with zeros.
func zero(t *testing.T, dir string) {
	name := filepath.Join(dir, "preds.parquet")
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, make([]byte, info.Size()), 0o666))
}
