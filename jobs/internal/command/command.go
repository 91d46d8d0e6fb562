// Package command is the framework of the commands. They share the handling of signals, exit codes
// and wrong flags, and the printing of errors, help and the version.
//
// The exit codes are
//
//	0   success
//	1   the run failed, or storage failed during planning
//	2   the usage, the configuration or a schema is wrong; nothing was written
//	3   the report was written, and a gate failed
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
)

// The exit codes besides 0.
const (
	Failed     = 1
	BadUsage   = 2
	GateFailed = 3
)

// Exit returns an error for which the process ends with the given exit code. For other errors, the
// code is BadUsage, unless a retry may succeed. Exit of nil is nil.
func Exit(code int, err error) error {
	if err == nil {
		return nil
	}
	return exit{code, err}
}

// Fail returns the error of a command whose work has failed: Exit with Failed. Errors caused by a
// signal are left to Run.
func Fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return Exit(Failed, err)
}

// ErrInterrupted is the error of a command that a signal interrupted.
var ErrInterrupted = errors.New("interrupted; nothing was written")

type exit struct {
	code int
	err  error
}

func (e exit) Error() string { return e.err.Error() }
func (e exit) Unwrap() error { return e.err }

// Code returns the exit code for an error.
func Code(err error) int {
	var e exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.code
	case files.Temporary(err):
		return Failed
	}
	return BadUsage
}

// TempDir is [files.TempDir] with an error that says what to do.
func TempDir(prefix string) (dir string, remove func() error, err error) {
	if dir, remove, err = files.TempDir(prefix); err != nil {
		err = Exit(Failed, fmt.Errorf("no temporary directory: %w; set TMPDIR to one", err))
	}
	return dir, remove, err
}

// Main runs a command with the arguments of this process and ends the process. The first signal
// cancels the context of the command; the second ends the process immediately. The end of a parent that
// asks for it ([parentVariable]) counts as a signal.
func Main(c *cobra.Command, signals <-chan os.Signal) {
	signal.Ignore(syscall.SIGPIPE) // if nobody reads the summary, there still is the report
	ctx, cancel := context.WithCancel(context.Background())
	alone := orphaned()
	go func() {
		select {
		case <-signals:
			cancel()
		case <-alone:
			cancel()
			time.Sleep(orphanTime)
			os.Exit(Failed)
		}
		time.Sleep(secondSignal)
		signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	}()
	os.Exit(Run(ctx, c, os.Args[1:], os.Stdout, os.Stderr))
}

// secondSignal is the minimum delay between the first signal and one that counts as the second,
// because a terminal and the parent process may both send the first one.
const secondSignal = 200 * time.Millisecond

// Summarize prints the summary of what a command has written. A failure to print it does not fail
// the command, and is not even reported if the reader has gone away.
func Summarize(what, summary string, stdout, stderr io.Writer) {
	if _, err := io.WriteString(stdout, summary); err != nil && !errors.Is(err, syscall.EPIPE) {
		fmt.Fprintf(stderr, "the %s is written; its summary could not be printed: %v\n", what, err)
	}
}

// Print prints what a command was asked for, such as a document that another program reads. If that fails, so does the
// command: the reader has a part of it.
func Print(document []byte, stdout io.Writer) error {
	if _, err := stdout.Write(document); err != nil {
		return Exit(Failed, fmt.Errorf("standard output, which lacks a part of the document: %w", err))
	}
	return nil
}

// Run runs a command, prints why it failed, and returns the exit code. Once ctx is cancelled, all
// errors without an exit code are attributed to that.
func Run(ctx context.Context, c *cobra.Command, args []string, stdout, stderr io.Writer) (code int) {
	furnish(c)
	c.SetArgs(append([]string{}, args...)) // for nil, cobra takes those of the process
	c.SetOut(stdout)
	c.SetErr(stderr)
	ran, err := execute(ctx, c, args)
	if err != nil && ctx.Err() != nil && !errors.As(err, new(exit)) {
		err = Exit(Failed, ErrInterrupted)
	}
	if err != nil {
		fmt.Fprintln(stderr, ran.Name()+":", message(err))
	}
	return Code(err)
}

// execute runs a command, and returns which of its subcommands ran.
func execute(ctx context.Context, c *cobra.Command, args []string) (ran *cobra.Command, err error) {
	if verb, rest, err := c.Find(args); err == nil {
		if err := checkDashes(verb, rest); err != nil {
			return verb, err
		}
	}
	return c.ExecuteContextC(ctx)
}

// message returns the text of an error on one line or, for several joined errors, on a line each.
// Control characters in file names and values are escaped, and long parts are shortened.
func message(err error) string {
	var e exit
	if errors.As(err, &e) {
		err = e.err
	}
	several, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(several.Unwrap()...).Error() != err.Error() {
		return quote.Line(quote.Message(err.Error()))
	}
	var lines []string
	for _, err := range several.Unwrap() {
		lines = append(lines, quote.Line(quote.Message(err.Error())))
	}
	return strings.Join(lines, "\n")
}

// furnish gives a command and its subcommands what all commands have in common.
func furnish(c *cobra.Command) {
	c.SilenceErrors, c.SilenceUsage = true, true // Run prints errors
	c.SetHelpFunc(help)
	c.SetFlagErrorFunc(explainFlag)
	c.SetVersionTemplate(versionText())
	AddFlags(c, helpTitle, func(flags *pflag.FlagSet) {
		flags.BoolP("help", "h", false, "print this help")
		flags.Bool("version", false, "print versions and the revision")
	})
	c.Version = "known" // makes cobra honour the flag; the template has the text
	for _, verb := range c.Commands() {
		furnish(verb)
	}
}
