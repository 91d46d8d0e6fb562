package files

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
)

// Replaceable describes what [Publish] may replace besides an empty directory: one that holds all
// files of an earlier Publish and nothing else.
//
// On local disk, the two directories swap names atomically where the system supports that (Linux
// and macOS); elsewhere there is no output for a moment. In cloud storage, Publish removes the old
// objects, the one written last first, when all new contents have been produced and before the
// first new object appears. An observer of the last file thus sees the old output, none, or the new
// one. If Publish then fails, it puts the old objects back.
type Replaceable struct {
	What   string   // for messages, such as "a finished report"
	Always []string // files that it always contains; the last one was written last
	Names  []string // patterns of [path.Match] for all its files; any other file prevents its replacement
	// Verify returns an error that says what the file written last is instead, if its content is of something else. It may
	// be nil.
	Verify func(content io.Reader) error
}

// If returns r as the argument of [Publish] if replacing is allowed.
func (r Replaceable) If(may bool) []Replaceable {
	if !may {
		return nil
	}
	return []Replaceable{r}
}

func (r Replaceable) last() string { return r.Always[len(r.Always)-1] }

// check returns an error that says why a directory with these names cannot be replaced.
func (r Replaceable) check(dir string, names []string) error {
	for _, name := range r.Always {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%s: %w and is not %s, which alone is replaced: it has no %s, but %s; choose another directory, or remove this one",
				dir, ErrOutputExists, r.What, name, slices.Min(names))
		}
	}
	return r.checkNames(dir, names)
}

// verify returns an error if the file written last is not of r.
func (r Replaceable) verify(ctx context.Context, dir string) error {
	if r.Verify == nil {
		return nil
	}
	f, err := Open(ctx, Join(dir, r.last()))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := r.Verify(io.NewSectionReader(f, 0, f.Size())); err != nil {
		return fmt.Errorf("%s: %w and is not %s, which alone is replaced: %s %w; choose another directory, or remove this one", dir, ErrOutputExists, r.What, r.last(), err)
	}
	return nil
}

func (r Replaceable) checkNames(dir string, names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(r.Names, func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok }) {
			return fmt.Errorf("%s: %w and holds %s, which is not of %s and would be lost; move it away, or choose another directory", dir, ErrOutputExists, name, r.What)
		}
	}
	return nil
}
