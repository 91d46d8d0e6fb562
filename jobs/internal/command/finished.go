package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report/document"
	"github.com/beameval/beameval/jobs/internal/terminal"
	"github.com/beameval/beameval/pipeline"
	"github.com/beameval/beameval/pipeline/config"
)

// Finished are the flags that commands on finished reports share.
type Finished struct {
	Output    string
	Overwrite bool
	json      bool
	Config    string
}

// Result is what such a command makes.
type Result struct {
	Name        string // of the kind of result, for messages
	Write       func(create func(name string) (io.Writer, error)) error
	JSON        func(io.Writer) error // the document that Write writes last
	Summary     func(io.Writer, document.Screen) error
	Replaceable []files.Replaceable // by --overwrite
}

// Add adds the flags. result is what the command writes, such as a comparison, place what the directory
// is for, and counts says what of a configuration counts.
func (f *Finished) Add(flags *pflag.FlagSet, result, place, counts string) {
	flags.StringVarP(&f.Output, "output", "o", "", "`directory` for the "+place+", local, gs://…, s3://… or az://…; must be empty or not exist (without it, the summary is printed, and nothing is written)")
	flags.BoolVar(&f.json, "json", false, "print the "+result+" as JSON instead of its summary; needs no --output")
	flags.BoolVar(&f.Overwrite, "overwrite", false, "replace a finished "+result+" in the output, when the new one is complete")
	flags.StringVarP(&f.Config, "config", "c", "", "configuration `file` (YAML); "+counts)
}

// ParseConfig parses a configuration file, or returns nil if file is empty.
func ParseConfig(ctx context.Context, file string, parse func(data []byte, filename string) (*config.Config, error)) (*config.Config, error) {
	if file == "" {
		return nil, nil
	}
	data, err := files.ReadFile(ctx, file, config.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	return parse(data, file)
}

// CheckOutput checks the output, if there is one, before anything is read. replaceable is what --overwrite replaces.
func (f *Finished) CheckOutput(ctx context.Context, what string, replaceable []files.Replaceable) error {
	if f.Output == "" {
		return nil
	}
	return pipeline.CheckOutput(ctx, f.Output, what, f.may(replaceable)...)
}

func (f *Finished) may(replace []files.Replaceable) []files.Replaceable {
	if !f.Overwrite {
		return nil
	}
	return replace
}

// Publish writes a result to the output, if there is one, and prints it as JSON or its summary.
func (f *Finished) Publish(ctx context.Context, r *Result, stdout, stderr io.Writer) error {
	if f.Output != "" {
		if err := files.Publish(ctx, f.Output, r.Write, f.may(r.Replaceable)...); err != nil {
			return Fail(ctx, err)
		}
	}
	if f.json {
		var document bytes.Buffer
		if err := r.JSON(&document); err != nil {
			return Exit(Failed, err)
		}
		return Print(document.Bytes(), stdout)
	}
	var text strings.Builder
	if err := r.Summary(&text, terminal.Screen(stdout)); err != nil {
		return Exit(Failed, err)
	}
	if f.Output == "" {
		return Print([]byte(text.String()), stdout)
	}
	fmt.Fprintf(&text, "\n%s: %s\n", r.Name, quote.Line(f.Output))
	Summarize(r.Name, text.String(), stdout, stderr)
	return nil
}
