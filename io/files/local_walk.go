package files

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

func (local) walk(ctx context.Context, want *selector) ([]entry, error) {
	prefix := want.prefix()
	root := prefix[:strings.LastIndexByte(prefix, '/')+1]
	if _, err := os.Stat(root + "."); missing(err) {
		return nil, nil
	} else if err != nil {
		return nil, explainLocal("list", root, err)
	}
	w := localWalk{want: want, seen: map[visit]bool{}, ahead: []folder{{name: root}}}
	for len(w.ahead) > 0 {
		next := w.ahead[len(w.ahead)-1]
		w.ahead = w.ahead[:len(w.ahead)-1]
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("list %s: %w", next.name, err)
		}
		if err := w.list(next); err != nil {
			if err = w.unreadable(strings.TrimSuffix(next.name, "/"), err); err != nil {
				return nil, err
			}
		}
	}
	return w.found, nil
}

// localWalk follows symbolic links, because some data sets consist of them. Directories that link
// to each other have infinitely or far too many paths. A directory is therefore visited once for
// each set of positions in the pattern that its paths reach.
type localWalk struct {
	want  *selector
	seen  map[visit]bool
	ahead []folder // sorted; the last one is next
	below []folder // in the directory that is being listed
	found []entry
}

// visit identifies a directory by its path without links, and by the positions in the pattern.
type visit struct{ real, reached string }

// list lists a directory and queues its subdirectories.
func (w *localWalk) list(dir folder) error {
	at := visit{realPath(dir.name + "."), dir.reached}
	if w.seen[at] {
		return nil
	}
	w.seen[at] = true
	children, err := os.ReadDir(dir.name + ".")
	if err != nil {
		return explainLocal("list", dir.name, err)
	}
	w.below = w.below[:0]
	for _, child := range children {
		if err := w.child(dir, child.Name(), child.Type()); err != nil {
			return err
		}
	}
	// From the last to the first, so that each usually has its place at the end.
	for _, child := range slices.Backward(w.below) {
		i, _ := slices.BinarySearchFunc(w.ahead, child, compareFolders)
		w.ahead = slices.Insert(w.ahead, i, child)
	}
	return nil
}

// unreadable returns the error for what cannot be looked into, or nil if it is left out.
func (w *localWalk) unreadable(name string, err error) error {
	if w.want.unread == nil || Temporary(err) {
		return err
	}
	return w.want.unread(name, err)
}

func (w *localWalk) child(dir folder, base string, mode fs.FileMode) error {
	name, links := dir.name+base, dir.links
	if mode&fs.ModeSymlink != 0 {
		info, err := os.Stat(name)
		if err != nil {
			err = explainLocal("list", name, err)
			if missing(err) { // the file that links is there
				err = fmt.Errorf("list %s: %v: this is a symbolic link to nothing", name, syscall.ENOENT)
			}
			if w.want.take(name) || w.want.unread != nil && w.want.enter(name) != "" {
				return w.unreadable(name, err)
			}
			return nil // a broken link that nobody asked for
		}
		mode, links = info.Mode(), 1
	}
	switch {
	case mode.IsDir():
		if reached := w.want.enter(name); reached != "" {
			w.below = append(w.below, folder{name + "/", reached, len(KeysOf(name + "/")), links})
		}
	case mode.IsRegular() && w.want.take(name):
		info, err := os.Stat(name)
		if err != nil {
			return explainLocal("list", name, err)
		}
		w.found = append(w.found, localEntry(name, info))
	}
	return nil
}

// folder is a directory that is yet to be listed. Its name is empty or ends in '/'.
type folder struct {
	name    string
	reached string // positions in the pattern
	keys    int    // number of keys in its name
	links   int    // 1 if the path contains a symbolic link, otherwise 0
}

// compareFolders orders directories such that the one to list first comes last. If a directory has
// several paths, the most informative one should be visited: the path with the most keys, then one
// without links.
func compareFolders(a, b folder) int {
	return cmp.Or(cmp.Compare(a.keys, b.keys), cmp.Compare(b.links, a.links), strings.Compare(b.name, a.name))
}
