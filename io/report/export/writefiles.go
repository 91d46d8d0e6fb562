package export

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/io/report"
)

// File is a file of a report.
type File = report.File

// Finished describes what a new directory of files may replace: one that has all files that are
// always wanted, and whose last, which is JSON, has the schema.
func Finished(what, schema string, list []File) files.Replaceable {
	finished := files.Replaceable{What: what, Verify: func(content io.Reader) error { return hasSchema(content, schema) }}
	for _, f := range list {
		if f.Want {
			finished.Always = append(finished.Always, f.Name)
		}
		finished.Names = append(finished.Names, f.Name)
	}
	return finished
}

// schemaWithin is where the schema of a document is, which begins with it.
const schemaWithin = 1 << 20

// hasSchema returns an error that says what a document is instead, unless it has the schema.
func hasSchema(content io.Reader, schema string) error {
	in := jsontext.NewDecoder(io.LimitReader(content, schemaWithin))
	begin, err := in.ReadToken()
	if err != nil || begin.Kind() != '{' {
		return errors.New("is no JSON object")
	}
	for in.PeekKind() == '"' {
		name, err := in.ReadToken()
		if err != nil {
			break
		}
		if name.String() != "schema" {
			if in.SkipValue() != nil {
				break
			}
			continue
		}
		var found string
		value, err := in.ReadValue()
		switch family, _, _ := strings.Cut(schema, "/"); {
		case err != nil || json.Unmarshal(value, &found) != nil:
			return errors.New("has a schema that is no text")
		case found == schema:
			return nil
		case strings.HasPrefix(found, family+"/"):
			return fmt.Errorf("has the schema %s of another version of beameval, not %s", quote.Value(found), schema)
		default:
			return fmt.Errorf("has the schema %s, not %s", quote.Value(found), schema)
		}
	}
	return errors.New("has no schema")
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
		group.Go(func() error { return writeTo(w, &f, err) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	w, err := create(last.Name)
	return writeTo(w, &last, err)
}

// writeTo writes a file to w, unless creating w failed with err. It turns a panic into an error,
// because a panic in a goroutine would end the process.
func writeTo(w io.Writer, f *File, err error) (failed error) {
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
