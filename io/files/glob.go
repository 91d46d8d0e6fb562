package files

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// selector decides which files match a pattern. It tracks all positions in the pattern that a path
// can have reached, like an NFA, so "**" needs no backtracking.
type selector struct {
	segments []segment
	dirsOnly bool // the pattern ended in '/'
	endings  Endings
	// The number of rejected files and an example, for the message if nothing matches.
	missed  int
	example string
	// unread is called with what cannot be looked into; see [ListReadable]. It may be nil.
	unread func(name string, err error) error
}

type segment struct {
	text string
	kind segmentKind
}

type segmentKind int

const (
	literal  segmentKind = iota
	wild                 // matched by path.Match
	anyDepth             // "**"
)

const globMeta = `*?[\`

func isGlob(pattern string) bool { return strings.ContainsAny(pattern, globMeta) }

// newDirectory returns a selector of the files that a directory stands for.
func newDirectory(dir string, endings Endings) *selector {
	s := &selector{endings: endings}
	if dir == "." {
		return s
	}
	for text := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
		s.segments = append(s.segments, segment{text: text})
	}
	return s
}

// newGlob returns a selector of the files that a pattern stands for. If dirsOnly is set, the
// pattern matches only directories.
func newGlob(pattern string, dirsOnly bool, endings Endings) (*selector, error) {
	s := &selector{dirsOnly: dirsOnly, endings: endings}
	for text := range strings.SplitSeq(pattern, "/") {
		seg := segment{text: text}
		switch {
		case text == "**":
			seg.kind = anyDepth
		case isGlob(text):
			seg.kind = wild
			seg.text = strings.ReplaceAll(text, "[!", "[^") // as in a shell
			if _, err := path.Match(seg.text, ""); err != nil {
				return nil, fmt.Errorf("%s: %q is not a valid pattern: %w (put '\\' before a '[' that is meant literally)", pattern, text, err)
			}
		}
		s.segments = append(s.segments, seg)
	}
	return s, nil
}

// prefix returns the longest common prefix of all names that the pattern can match.
func (s *selector) prefix() string {
	var b strings.Builder
	for _, seg := range s.segments {
		if seg.kind != literal {
			b.WriteString(seg.text[:strings.IndexAny(seg.text, globMeta)])
			return b.String()
		}
		b.WriteString(seg.text + "/")
	}
	return b.String()
}

// enter returns the positions in the pattern that a directory reaches, or "" if nothing in it can
// match. Two directories with the same positions have the same files and directories taken and
// entered.
func (s *selector) enter(dir string) string {
	reached := s.start()
	for name := range strings.SplitSeq(dir, "/") {
		reached = s.step(reached, name)
	}
	return reached.String()
}

// take reports whether the pattern stands for a file, and counts those for which it does not.
func (s *selector) take(file string) bool {
	if s.selects(file) {
		return true
	}
	if s.missed++; s.missed == 1 {
		s.example = file
	}
	return false
}

func (s *selector) selects(file string) bool {
	reached, name := s.reached(file)
	return s.holds(reached, name) || s.names(reached, name)
}

// inDirectory reports whether a selected file is selected only as part of a directory.
func (s *selector) inDirectory(file string) bool {
	reached, name := s.reached(file)
	return s.holds(reached, name) && !s.names(reached, name)
}

// reached returns the positions that the folders of a file reach, and the last segment of its name.
func (s *selector) reached(file string) (positions, string) {
	reached := s.start()
	dir, name := path.Split(file)
	if dir != "" {
		for folder := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
			reached = s.step(reached, folder)
		}
	}
	return reached, name
}

// holds reports whether the file is selected as part of a directory that matched.
func (s *selector) holds(reached positions, name string) bool {
	return reached[len(s.segments)] && s.endings.has(name) && !hidden(name)
}

// names reports whether the pattern matches the file itself.
func (s *selector) names(reached positions, name string) bool {
	end := len(s.segments)
	reached = slices.Clone(reached)
	reached[end] = false
	return !s.dirsOnly && s.step(reached, name)[end]
}

// positions holds, for each position in a pattern, whether a path can have reached it. The position
// after the last segment means that a directory containing the path has matched.
type positions []bool

// String lists the reached positions.
func (p positions) String() string {
	var b strings.Builder
	for i, reached := range p {
		if reached {
			fmt.Fprintf(&b, "%d ", i)
		}
	}
	return b.String()
}

func (s *selector) start() positions {
	reached := make(positions, len(s.segments)+1)
	s.reach(reached, 0)
	return reached
}

// reach marks a position, and those after it that "**" reaches by matching no segment.
func (s *selector) reach(p positions, i int) {
	p[i] = true
	if i < len(s.segments) && s.segments[i].kind == anyDepth {
		s.reach(p, i+1)
	}
}

// step returns the positions after one more segment of a path.
func (s *selector) step(from positions, name string) positions {
	to := make(positions, len(from))
	for i, reached := range from {
		switch {
		case !reached:
		case i == len(s.segments):
			to[i] = to[i] || !hidden(name)
		case s.segments[i].kind == anyDepth:
			if !hidden(name) {
				s.reach(to, i)
			}
		case s.segments[i].matches(name):
			s.reach(to, i+1)
		}
	}
	return to
}

func (seg segment) matches(name string) bool {
	if seg.kind == literal {
		return seg.text == name
	}
	if hidden(name) && seg.text[0] != name[0] {
		return false
	}
	ok, _ := path.Match(seg.text, name) // newGlob has checked the syntax
	return ok
}

// hidden reports whether a name is of the kind that writers use for markers and unfinished work.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") && !strings.Contains(name, "=")
}
