package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/internal/secret"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report/tabular"
)

// Run holds everything that may differ between two runs over the same data.
type Run struct {
	ID            string       `json:"id,omitempty"` // of this run only
	Started       time.Time    `json:"started"`
	Finished      time.Time    `json:"finished"`
	Seconds       float64      `json:"seconds"`
	RowsPerSecond float64      `json:"rows_per_second"`
	Runner        string       `json:"runner"`
	Versions      Versions     `json:"versions"`
	Files         Files        `json:"files"`
	Output        string       `json:"output"`
	Baseline      []string     `json:"baseline,omitempty"` // the reports that gates compare with
	SkippedSample []SkippedRow `json:"skipped_sample"`
	// WorstExamples are in the order of worst_examples.parquet, ChangedExamples in the order of changed_examples.parquet.
	WorstExamples   []WorstPlace   `json:"worst_examples,omitempty"`
	ChangedExamples []ChangedPlace `json:"changed_examples,omitempty"`
	Merged          *Merged        `json:"merged,omitempty"`
}

// Merged lists the reports that a report is the merge of, by their directories, and what some of them have and it has not.
type Merged struct {
	Reports []string `json:"reports"`
	LeftOut []string `json:"left_out"`
}

// Versions are the versions of the software that computed the report.
type Versions struct {
	Go       string `json:"go"`
	Beam     string `json:"beam"`
	Beameval string `json:"beameval"`
}

// Files describes the files that were read: their number, and the first names.
type Files struct {
	Count int      `json:"count"`
	Names []string `json:"names"`
}

// maxFiles is the maximum number of names in Files.
const maxFiles = 1000

// ListFiles returns the Files with the given names.
func ListFiles(names []string) Files { return Files{len(names), names[:min(len(names), maxFiles)]} }

// Finish records when the run ended and how many rows it read.
func (run *Run) Finish(at time.Time, rows int64) {
	run.Finished = at
	run.Seconds = at.Sub(run.Started).Seconds()
	run.RowsPerSecond = 0
	if run.Seconds > 0 {
		run.RowsPerSecond = float64(rows) / run.Seconds
	}
}

// Write writes run.json. It masks secrets, because the names of files may be pasted URLs.
func (run *Run) Write(w io.Writer) error {
	file := *run
	file.Started, file.Finished = run.Started.UTC().Truncate(time.Second), run.Finished.UTC().Truncate(time.Second)
	file.Files.Names = orEmpty(collections.Map(run.Files.Names, secret.Mask))
	file.Output, file.Baseline = secret.Mask(run.Output), collections.Map(run.Baseline, secret.Mask)
	file.SkippedSample = orEmpty(collections.Map(run.SkippedSample, func(r SkippedRow) SkippedRow { r.File = secret.Mask(r.File); return r }))
	file.WorstExamples = collections.Map(run.WorstExamples, func(p WorstPlace) WorstPlace { p.File = secret.Mask(p.File); return p })
	file.ChangedExamples = collections.Map(run.ChangedExamples, func(p ChangedPlace) ChangedPlace { p.File = secret.Mask(p.File); return p })
	if m := run.Merged; m != nil {
		file.Merged = &Merged{orEmpty(collections.Map(m.Reports, secret.Mask)), orEmpty(m.LeftOut)}
	}
	e := tabular.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(file)
}

// RunID returns the id in a run.json, or "" if it has none.
func RunID(data []byte) string {
	var run struct{ ID string }
	if json.Unmarshal(data, &run) != nil {
		return ""
	}
	return run.ID
}

// PartsOf returns the directories of the reports that the report in a directory is the merge of: itself alone if it is none.
func PartsOf(ctx context.Context, dir string) ([]string, error) {
	data, err := files.ReadFile(ctx, files.Join(dir, RunJSON), MostJSON)
	if errors.Is(err, fs.ErrNotExist) { // it is not needed
		return []string{dir}, nil
	}
	var run struct{ Merged *Merged }
	if err == nil {
		err = json.Unmarshal(data, &run)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", files.Join(dir, RunJSON), err)
	case run.Merged == nil || len(run.Merged.Reports) == 0:
		return []string{dir}, nil
	}
	return run.Merged.Reports, nil
}

// Complete reports whether the report in a directory is complete and of the run with this id. There may be an older one.
func Complete(ctx context.Context, dir, id string) bool {
	run, err := files.ReadFile(ctx, files.Join(dir, RunJSON), MostJSON)
	if err == nil {
		err = files.Exists(ctx, files.Join(dir, MetricsJSON))
	}
	return err == nil && RunID(run) == id
}

// orEmpty replaces nil with an empty list, so that readers need not expect null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// SkippedRow is an input row that was skipped, with the reason.
type SkippedRow struct {
	File     string `json:"file"`
	RowGroup int    `json:"row_group"` // negative if the row is not from a file
	Row      int64  `json:"row"`
	Line     int64  `json:"line,omitempty"` // of a text file, which has neither row groups nor row numbers; otherwise 0
	Column   string `json:"column"`
	Value    string `json:"value"`
	Reason   string `json:"reason"`
}

// RowAt returns the row at a place in a file.
func RowAt(file string, at columns.Place) SkippedRow {
	if at.Line > 0 {
		return SkippedRow{File: file, Line: at.Line}
	}
	return SkippedRow{File: file, RowGroup: at.RowGroup, Row: at.Row}
}

// Place describes the location of the row for messages.
func (r *SkippedRow) Place() string {
	if r.RowGroup < 0 {
		return r.File
	}
	return fmt.Sprintf("%s: %s", r.File, columns.Place{RowGroup: r.RowGroup, Row: r.Row, Line: r.Line})
}

// ComparePlaces orders rows by file, line, row group and row. Predictions in memory may share a
// place; they are ordered by what is wrong with them.
func ComparePlaces(a, b SkippedRow) int {
	return cmp.Or(
		strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.RowGroup, b.RowGroup), cmp.Compare(a.Row, b.Row),
		strings.Compare(a.Reason, b.Reason), strings.Compare(a.Column, b.Column), strings.Compare(a.Value, b.Value),
	)
}

// MarshalJSON writes a row of a text file with its line instead of row group and row.
func (r SkippedRow) MarshalJSON() ([]byte, error) {
	type plain SkippedRow // without this method
	var row any = plain(r)
	if r.Line > 0 {
		row = struct {
			plain
			RowGroup *int   `json:"row_group,omitempty"`
			Row      *int64 `json:"row,omitempty"`
		}{plain: plain(r)}
	}
	var written bytes.Buffer
	err := tabular.NewEncoder(&written).Encode(row)
	return written.Bytes(), err
}
