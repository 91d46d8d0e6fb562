package evaluate

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/formats"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/pipeline/config"
)

// standard is the name of standard input as an input, and of standard output, which is no output.
const standard = "-"

// mostStdin is the largest --max-stdin-mib: files are at most 8 EiB.
const mostStdin = 1<<43 - 1

// aside is a directory for files that only this process sees: a copy of standard input, which is
// read more than once, and a report that is only planned, or whose metrics are only printed.
type aside struct {
	dir    string       // "" if there is none
	remove func() error // does nothing if there is none
	copy   string       // of standard input, "" if it is not an input
}

// setAside prepares what the configuration has of this process alone, and puts the names of files in
// its place. The caller must remove the result, even after an error.
func (f *flags) setAside(ctx context.Context, cfg *config.Config, at *place, stdin io.Reader, stderr io.Writer) (*aside, error) {
	a := &aside{remove: func() error { return nil }}
	reads, prints := slices.Contains(cfg.Input.Files, standard), (f.json || f.validate) && cfg.Output.Dir == ""
	elsewhere := at.env.Remote()
	switch {
	case cfg.Output.Dir == standard:
		return a, errors.New("--output -: a report is a directory of several files; --json prints the metrics to standard output, with --output or without")
	case !reads && (!prints || elsewhere):
		return a, nil // without an output, planning fails
	case reads && len(cfg.Input.Files) > 1:
		return a, errors.New("input.files: standard input (-) must be the only input; write it to a file to evaluate it with others")
	case reads && elsewhere:
		return a, fmt.Errorf("input.files: the workers of runner %s run elsewhere and cannot read standard input (-): write it to a file that they can read", runnerName())
	}
	var err error
	if a.dir, a.remove, err = command.TempDir("evaluate-"); err != nil {
		return a, err
	}
	if prints {
		out := &cfg.Output
		if out.Dir, out.Temporary = filepath.Join(a.dir, "report"), true; f.json {
			out.Formats = []string{"json"}
		}
	}
	if !reads {
		return a, nil
	}
	a.copy = filepath.Join(a.dir, "stdin")
	cfg.Input.Files = []string{a.copy}
	stop := f.showWork(stderr, a.copied)
	found, err := keep(ctx, stdin, a.copy, int64(f.maxStdin)<<20)
	stop()
	if cfg.Input.Format == "" && (err != nil || !recognized(ctx, a.copy)) { // planning says as what a file is recognized
		cfg.Input.Format = found
	}
	return a, err
}

// recognized reports whether the lines of a file say what it is.
func recognized(ctx context.Context, name string) bool {
	file, err := files.Open(ctx, name)
	if err != nil {
		return false // planning says why
	}
	defer file.Close()
	return formats.Recognize(file) != ""
}

// copied says how much of standard input has been copied.
func (a *aside) copied() string {
	var size int64
	if info, err := os.Stat(a.copy); err == nil {
		size = info.Size()
	}
	return fmt.Sprintf("reading standard input: %d MiB", size>>20)
}

// named returns a text that says standard input instead of the name of the copy.
func (a *aside) named(text string) string {
	if a.copy == "" {
		return text
	}
	return strings.ReplaceAll(text, a.copy, "standard input")
}

// explain returns an error whose text says standard input instead of the name of the copy.
func (a *aside) explain(err error) error {
	if err == nil || a.copy == "" {
		return err
	}
	return explained{err, a}
}

type explained struct {
	error
	*aside
}

func (e explained) Error() string { return e.named(e.error.Error()) }
func (e explained) Unwrap() error { return e.error }

// keep copies standard input, of at most a number of bytes, to a file, and returns its format.
func keep(ctx context.Context, stdin io.Reader, name string, most int64) (format string, err error) {
	file, err := os.Create(name)
	if err != nil {
		return "", command.Exit(command.Failed, err)
	}
	defer file.Close()
	type outcome struct {
		format string
		size   int64
		err    error
	}
	ended := make(chan outcome, 1)
	go func() {
		from := bufio.NewReaderSize(stdin, 1<<16)
		head, _ := from.Peek(1 << 12) // Copy returns the error
		size, err := io.Copy(file, io.LimitReader(from, most+1))
		ended <- outcome{formatOf(head), size, err}
	}()
	select {
	case <-ctx.Done(): // the goroutine still waits for input
		return "", ctx.Err()
	case end := <-ended:
		switch {
		case end.err != nil:
			return "", command.Exit(command.Failed, fmt.Errorf("copying standard input to %s: %w", filepath.Dir(name), end.err))
		case end.size == 0:
			return "", errors.New("standard input is empty: expected rows of predictions")
		case end.size > most:
			return "", fmt.Errorf("standard input has more than %d MiB: write it to a file, or raise --max-stdin-mib", most>>20)
		}
		return end.format, nil
	}
}

// formatOf returns the format, by its name in a configuration, of an input with these first bytes.
// A compressed text counts as CSV.
func formatOf(head []byte) string {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	line, _, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case bytes.HasPrefix(head, []byte("PAR1")):
		return "parquet"
	case bytes.HasPrefix(head, []byte("ARROW1")), bytes.HasPrefix(head, []byte("FEA1")), bytes.HasPrefix(head, []byte("\xff\xff\xff\xff")): // a file of this version or the first, a stream
		return "arrow"
	case bytes.HasPrefix(head, []byte("{")), bytes.HasPrefix(head, []byte("[")): // the reader says what to do about an array
		return "jsonl"
	case bytes.Contains(line, []byte("\t")) && !bytes.Contains(line, []byte(",")):
		return "tsv"
	}
	return "csv"
}
