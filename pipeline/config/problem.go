package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/quote"
)

// problem describes what is wrong with a value. Problems become errors only at the end, in the
// order of the file.
type problem struct {
	at   position // unknown if the configuration is not from a file
	path string   // of the key; "" if the text names it
	text string
}

// source records where a file or a flag set each key.
type source struct {
	file string
	at   map[string]position // by path: input.files, k[2], decision.threshold.sunset
}

// has reports whether the key at path was set.
func (s *source) has(path string) bool {
	if s == nil {
		return false
	}
	_, ok := s.at[path]
	return ok
}

// find returns the position of the key at path, or of the nearest enclosing key.
func (s *source) find(path string) position {
	if s == nil {
		return position{}
	}
	for ; path != ""; path = around(path) {
		if at, ok := s.at[path]; ok {
			return at
		}
	}
	return position{}
}

// around returns the path of the mapping or list that contains the key at path, or "".
func around(path string) string {
	end := len(path)
	if strings.HasSuffix(path, `"`) { // a quoted key, which may contain anything
		for end = strings.LastIndexByte(path[:end-1], '"'); end > 0 && path[end-1] == '\\'; {
			end = strings.LastIndexByte(path[:end], '"')
		}
	}
	return path[:max(0, strings.LastIndexAny(path[:max(0, end)], ".["))]
}

func (s *source) error(p problem) error { return s.wrap(p, errors.New(p.text)) }

// wrap prefixes an error with the place of a problem.
func (s *source) wrap(p problem, err error) error {
	if p.path != "" {
		err = fmt.Errorf("%s: %w", quote.Short(p.path), err)
	}
	switch {
	case p.at.flag != "":
		err = fmt.Errorf("%s: %w", p.at.flag, err)
	case s != nil && p.at != (position{}):
		err = fmt.Errorf("%s:%d:%d: %w", s.file, p.at.line, p.at.column, err)
	}
	return err
}

// maxShown is the maximum number of problems that are shown. If there are more, a single mistake is
// the likely cause.
const maxShown = 20

// join returns the problems as one error with a line for each of up to maxShown problems, in the
// order of the file; the problems of flags come last.
func (s *source) join(problems []problem) error {
	problems = slices.Clone(problems)
	slices.SortStableFunc(problems, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.at.flag, b.at.flag), cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.column, b.at.column))
	})
	var errs []error
	for _, p := range problems[:min(len(problems), maxShown)] {
		errs = append(errs, s.error(p))
	}
	if more := len(problems) - maxShown; more > 0 {
		last := problems[maxShown]
		errs = append(errs, s.error(problem{at: last.at, text: fmt.Sprintf("more problems from here on: %d", more)}))
	}
	return errors.Join(errs...)
}

// Errorf returns an error about the key at path ("metrics[3]", "input.columns.label"). It names the
// file, line and column, or the flag, by which the key or the nearest enclosing key was set, if
// either was.
func (c *Config) Errorf(path, format string, args ...any) error {
	return c.src.wrap(problem{at: c.src.find(path), path: path}, fmt.Errorf(format, quote.Args(args)...))
}
