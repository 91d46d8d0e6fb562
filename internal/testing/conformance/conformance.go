// Package conformance reads public corpora of files with every reader of beameval, and compares each value with what other
// libraries read. make conformance runs it over corpora that are checked out in a folder, and writes the result into
// docs/conformance.md.
//
//	corpora (corpora.go)        which files of a checked-out repository are read, and as which format
//	   │ file
//	   ├──► reader (read.go)    each column as score, label, slice and id
//	   ├──► oracle (oracle.go)  the columns that other libraries read, by oracle.py
//	   ▼
//	judge (judge.go)            equal, wrong, crashed, or refused, with the reason (reasons.go)
//	   ▼
//	page (page.go)              docs/conformance.md
package conformance

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Result is what the readers made of one corpus.
type Result struct {
	Corpus, Commit string
	Absent         int                // files of the commit that are not in the folder
	Counts         map[string]*Counts // by format
	Findings       []Finding
	Extra          []string // sentences of a benchmark that has rules of its own
}

// Counts counts files of a format, and values of their columns, each as often as it was read.
type Counts struct {
	Files, Columns                         int
	Values, Equal, Against, Wrong, Crashed int
}

// Finding is something other than an equal value.
type Finding struct {
	Kind         Kind
	Format, File string
	Column       string // empty if it is about the file
	What         string // the message, or the values that differ
	Reason       *reason
}

// Kind is a kind of findings.
type Kind string

// The kinds of findings.
const (
	Refused Kind = "refused" // another library reads it
	Agreed  Kind = "agreed"  // all refuse it
	Wrong   Kind = "wrong"
	Crashed Kind = "crashed"
	Alone   Kind = "alone"   // no other library reads it
	Against Kind = "against" // a library reads other values, but another one the same, or a reason says which are right
)

// Run reads all corpora in a folder. Folders that are no known corpora are read by the endings of their files.
func Run(folder string, ask Oracle) (results []*Result, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		result, err := runCorpus(corpusOf(entry.Name()), filepath.Join(folder, entry.Name()), ask)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		if len(result.Counts) > 0 || len(result.Extra) > 0 {
			results = append(results, result)
		}
	}
	return results, nil
}

func runCorpus(c corpus, folder string, ask Oracle) (*Result, error) {
	r := &Result{Corpus: c.repository, Counts: map[string]*Counts{}}
	err := r.checkedOut(c, folder)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(folder, func(path string, at fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case at.IsDir() && at.Name() == ".git":
			return filepath.SkipDir
		case !at.Type().IsRegular():
			return nil
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if format := c.formatOf(name); format != "" {
			return r.judge(path, name, format, ask)
		}
		return nil
	})
	if err != nil || c.extra == nil {
		return r, err
	}
	r.Extra, err = c.extra(folder, r)
	return r, err
}

// checkedOut finds the commit that is checked out in a folder, if it is a repository, and counts which of its files are absent.
func (r *Result) checkedOut(c corpus, folder string) error {
	if _, err := os.Stat(filepath.Join(folder, ".git")); err != nil {
		return nil
	}
	commit, err := exec.Command("git", "-C", folder, "rev-parse", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("git rev-parse: %w", err)
	}
	r.Commit = strings.TrimSpace(string(commit))
	names, err := exec.Command("git", "-C", folder, "ls-tree", "-r", "-z", "--name-only", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("git ls-tree: %w", err)
	}
	for name := range strings.SplitSeq(string(names), "\x00") {
		if c.formatOf(name) == "" {
			continue
		}
		if _, err := os.Lstat(filepath.Join(folder, filepath.FromSlash(name))); err != nil {
			r.Absent++
		}
	}
	return nil
}

// Failures returns what must not be: wrong values, crashes, and refusals that nobody has judged.
func Failures(results []*Result) (list []string) {
	for _, r := range results {
		for _, f := range r.Findings {
			if f.Kind == Wrong || f.Kind == Crashed || f.Kind == Refused && f.Reason == nil {
				list = append(list, strings.TrimSpace(fmt.Sprintf("%s: %s/%s %s: %s", f.Kind, r.Corpus, f.File, f.Column, f.What)))
			}
		}
	}
	slices.Sort(list)
	return list
}
