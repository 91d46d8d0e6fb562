package pipeline

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/io/report"
)

// TestBadRowsOfTextsHaveLines: a bad row of a text file is identified by its line, whether the run
// ends with it or lists it, and wherever rows of an example are assembled.
func TestBadRowsOfTextsHaveLines(t *testing.T) {
	t.Parallel()
	const note = "\"two\nlines\""
	for name, c := range map[string]struct {
		yaml, a, b string // b: the truth, or more predictions
		truth      bool
		file       string
		line       int64
		why        string // of the first, in %s
		listed     report.SkippedRow
	}{
		"score": {
			yaml: "task: binary", a: "label,score,note\n1,0.5," + note + "\n\n0,0.2,\n1,1.7,\n0,0.1,\n",
			file: "a.csv", line: 6, why: `column "score": 1.7: expected a probability within [0, 1]`,
			listed: report.SkippedRow{Column: "score", Value: "1.7", Reason: "probability outside [0, 1]"},
		},
		"null label": {
			yaml: "task: binary", a: "label,score\n1,0.5\n", b: "label,score\n1,0.5\n,0.2\n0,0.3\n",
			file: "b.csv", line: 3, why: `column "label": null`,
			listed: report.SkippedRow{Column: "label", Value: "null", Reason: "null label"},
		},
		"class": {
			yaml: "task: multiclass\nlabels: [x, y]", a: `{"label":"x","score":[0.5,0.5]}` + "\n" + `{"label":"z","score":[1,0]}` + "\n",
			file: "a.jsonl", line: 2, why: `column "label": "z"`,
			listed: report.SkippedRow{Column: "label", Value: `"z"`, Reason: "unknown label name"},
		},
		"id": {
			yaml: "task: ranking", a: "query_id,doc_id,relevance,score\nq1,a,1,0.5\n,b,0,0.4\nq2,c,1,0.3\n",
			file: "a.csv", line: 3, why: `column "query_id": null`,
			listed: report.SkippedRow{Column: "query_id", Value: "null", Reason: "null example id"},
		},
		"truth": {
			yaml: "task: ranking", truth: true, a: "query_id,doc_id,score\nq1,a,0.5\nq2,c,0.3\n", b: "query_id,doc_id,relevance\nq2,c,1\n\nq1,a,-1\n",
			file: "b.csv", line: 4, why: `column "relevance": -1`,
			listed: report.SkippedRow{Column: "relevance", Value: "-1", Reason: "negative relevance"},
		},
		"apart": {
			yaml: "task: multilabel\nlabels: [x, y]\ninput: {columns: {example: id, class: class, label: label, score: score}}",
			a:    "id,class,label,score\n1,x,1,0.5\n2,x,0,0.1\n", b: "id,class,label,score\n2,y,0,0.1\n\n1,y,1,1.5\n",
			file: "b.csv", line: 4, why: `column "score": 1.5`,
			listed: report.SkippedRow{Column: "score", Value: "1.5", Reason: "probability outside [0, 1]"},
		},
		"one by one": {
			yaml: "task: multilabel\nlabels: [x, y]\nmetrics: [f1_macro]\ninput: {columns: {example: id, class: class, label: label, score: score}}",
			a:    "id,class,label,score\n1,x,1,0.5\n2,x,0,0.1\n", b: "id,class,label,score\n2,y,0,0.1\n\n1,y,1,1.5\n",
			file: "b.csv", line: 4, why: `column "score": 1.5`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put := func(name, content string) string {
				name = filepath.Join(dir, name)
				require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
				return name
			}
			first := "a.csv"
			if strings.HasPrefix(c.a, "{") {
				first = "a.jsonl"
			}
			cfg := parse(t, c.yaml, put(first, c.a))
			if second := "b.csv"; c.truth {
				cfg.Truth.Files = []string{put(second, c.b)}
			} else if c.b != "" {
				cfg.Input.Files = append(cfg.Input.Files, put(second, c.b))
			}
			cfg.Output.Dir = filepath.Join(t.TempDir(), "report")
			plan, err := Make(t.Context(), cfg)
			require.NoError(t, err)
			at := report.SkippedRow{File: filepath.Join(dir, c.file), Line: c.line}
			require.ErrorContains(t, execute(t.Context(), plan, "direct"), at.Place()+": "+c.why)
			if c.listed.Reason == "" {
				return
			}
			cfg.BadRows = "skip"
			var run struct {
				Sample []map[string]any `json:"skipped_sample"`
			}
			written, err := os.ReadFile(filepath.Join(evaluateOn(t, cfg, "prism", 2), report.RunJSON))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(written, &run))
			require.Equal(t, []map[string]any{{
				"file": at.File, "line": float64(at.Line), "column": c.listed.Column, "value": c.listed.Value, "reason": c.listed.Reason,
			}}, run.Sample)
		})
	}
}
