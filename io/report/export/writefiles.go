package export

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/files"
)

// File is a file of a report.
type File struct {
	Name  string
	Want  bool
	Write func(io.Writer) error
}

// Finished describes what a new directory of files may replace: one that has all files that are
// always wanted.
func Finished(what string, list []File) files.Replaceable {
	finished := files.Replaceable{What: what}
	for _, f := range list {
		if f.Want {
			finished.Always = append(finished.Always, f.Name)
		}
		finished.Names = append(finished.Names, f.Name)
	}
	return finished
}

// WriteFiles writes the wanted files concurrently, and the last one when the others are complete.
func WriteFiles(list []File, create func(name string) (io.Writer, error)) error {
	list = slices.DeleteFunc(list, func(f File) bool { return !f.Want })
	last := list[len(list)-1]
	group, ctx := errgroup.WithContext(context.Background())
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range list[:len(list)-1] {
		if ctx.Err() != nil {
			break // a file failed
		}
		w, err := create(f.Name)
		group.Go(func() error { return f.writeTo(w, err) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	w, err := create(last.Name)
	return last.writeTo(w, err)
}

// writeTo writes the file to w, unless creating w failed with err. It turns a panic into an error,
// because a panic in a goroutine would end the process.
func (f *File) writeTo(w io.Writer, err error) (failed error) {
	defer func() {
		if p := recover(); p != nil {
			failed = fmt.Errorf("%s: internal error, please report it: %v\n%s", f.Name, p, debug.Stack())
		}
	}()
	if err == nil {
		buffered := bufio.NewWriterSize(w, 64<<10)
		err = cmp.Or(f.Write(buffered), buffered.Flush())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}
