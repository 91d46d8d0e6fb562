package synthetic

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Summary describes what was written.
type Summary struct {
	Files int   // number of Parquet files
	Rows  int64 // of predictions
	Bytes int64
}

// Write writes files of predictions, and of labels if they have files of their own, concurrently, and
// then ConfigFile. It obtains each file from
// create and writes to it from one goroutine. The caller closes the files, and removes them after
// an error.
func Write(ctx context.Context, spec Spec, create func(name string) (io.Writer, error)) (Summary, error) {
	s, err := spec.Complete()
	if err != nil {
		return Summary{}, err
	}
	var bytes atomic.Int64
	writers, ctx := errgroup.WithContext(ctx)
	writers.SetLimit(runtime.GOMAXPROCS(0))
	kinds := s.kinds()
	for i := range int64(s.Files) {
		for _, k := range kinds {
			writers.Go(func() error {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				n, err := s.writePart(ctx, k, i, create)
				bytes.Add(n)
				return err
			})
		}
	}
	if err := writers.Wait(); err != nil {
		return Summary{}, err
	}
	w, err := create(ConfigFile)
	if err == nil {
		_, err = io.WriteString(w, s.config())
	}
	if err != nil {
		return Summary{}, fmt.Errorf("%s: %w", ConfigFile, err)
	}
	return Summary{Files: s.Files * len(kinds), Rows: s.Rows, Bytes: bytes.Load()}, nil
}

// kind is a kind of files: their name before the number, and their contents.
type kind struct {
	name    string
	columns []column
	number  func(place int64) int64 // of the row at a place
}

// kinds returns the kinds of files to write.
func (s *Spec) kinds() []kind {
	k := kind{"part", s.columns(), func(place int64) int64 { return place }}
	if s.Shuffle {
		k.number = newShuffle(s.Seed, s.Rows).number
	}
	if !s.Truth {
		return []kind{k}
	}
	return []kind{k, {truthName, s.truth(), newShuffle(s.Seed+1, s.Rows).number}}
}

// truthName begins the names of files of labels. Like ConfigFile, they are no predictions.
const truthName = "_truth"

// TruthFiles is the pattern of the names of files of labels.
const TruthFiles = truthName + "-*.parquet"

// writePart writes file number i of a kind and returns its size.
func (s *Spec) writePart(ctx context.Context, k kind, i int64, create func(name string) (io.Writer, error)) (int64, error) {
	name := fmt.Sprintf("%s-%05d.parquet", k.name, i)
	w, err := create(name)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	counted := counter{Writer: w}
	if err := s.writeFile(ctx, &counted, k, s.start(i), s.start(i+1)); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return counted.n, nil
}

// start returns the place of the first row of file number i. The numbers of examples of two files
// differ by at most one. Unless rows are shuffled, no example is in two files.
func (s *Spec) start(i int64) int64 {
	files, span := int64(s.Files), s.span()
	examples := (s.Rows + span - 1) / span
	return min(s.Rows, span*(i*(examples/files)+min(i, examples%files)))
}

type counter struct {
	io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// ConfigFile is the name of the configuration next to the data. It exists because columns do not
// always show which scores and which label encoding they contain. Programs that read a directory of
// Parquet files ignore names that begin with an underscore.
const ConfigFile = "_evaluate.yaml"

// config returns the contents of ConfigFile. It does not say where the data are, so that the
// directory can be moved.
func (s *Spec) config() string {
	var text strings.Builder
	fmt.Fprintf(&text, "# %d rows, seed %d\ntask: %s\n", s.Rows, s.Seed, s.Task)
	perLabel := s.Task == Multilabel && s.Layout == LayoutLabel
	if s.Task == Agreement {
		text.WriteString(s.ratings().config())
	}
	if s.Task != Regression && instead[s.Task] == "" {
		text.WriteString("input:\n")
	}
	if s.Task == Ranking || perLabel {
		fmt.Fprintf(&text, "  layout: %s\n", s.Layout)
	}
	if perLabel {
		fmt.Fprintf(&text, "  columns: {class: %s}\n", s.classColumn())
	}
	if s.ScoreType != "" {
		fmt.Fprintf(&text, "  score_type: %s\n", s.ScoreType)
	}
	if s.LabelEncoding != "" && !perLabel {
		fmt.Fprintf(&text, "  label_encoding: %s\n", s.LabelEncoding)
	}
	if perLabel && s.LabelEncoding == Indices {
		fmt.Fprintf(&text, "num_labels: %d\n", s.Labels) // no row shows it
	}
	if s.Unlabelled > 0 {
		text.WriteString("unlabelled: estimate\n")
	}
	for i, slice := range s.Slices {
		if i == 0 {
			text.WriteString("slices:\n")
		}
		fmt.Fprintf(&text, "  - [%q]\n", slice.Name) // quoted, because no and null are names too
	}
	return text.String()
}
