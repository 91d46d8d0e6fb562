package files

import (
	"container/heap"
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

func (local) walk(ctx context.Context, prefix string, want filter) ([]entry, error) {
	root := prefix[:strings.LastIndexByte(prefix, '/')+1]
	if _, err := os.Stat(root + "."); missing(err) {
		return nil, nil
	} else if err != nil {
		return nil, explainLocal("list", root, err)
	}
	w := localWalk{want: want, seen: map[visit]bool{}, ahead: folders{{name: root}}}
	for len(w.ahead) > 0 {
		next := heap.Pop(&w.ahead).(folder)
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("list %s: %w", next.name, err)
		}
		if err := w.list(next); err != nil {
			return nil, err
		}
	}
	return w.found, nil
}

// localWalk follows symbolic links, because some data sets consist of them. Directories that link
// to each other have infinitely or far too many paths. A directory is therefore visited once for
// each set of positions in the pattern that its paths reach.
type localWalk struct {
	want  filter
	seen  map[visit]bool
	ahead folders
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
	for _, child := range children {
		if err := w.child(dir, child.Name(), child.Type()); err != nil {
			return err
		}
	}
	return nil
}

func (w *localWalk) child(dir folder, base string, mode fs.FileMode) error {
	name, linked := dir.name+base, dir.linked
	if mode&fs.ModeSymlink != 0 {
		info, err := os.Stat(name)
		if err != nil {
			if w.want.take(name) {
				return explainLocal("list", name, err)
			}
			return nil // a broken link that nobody asked for
		}
		mode, linked = info.Mode(), true
	}
	switch {
	case mode.IsDir():
		if reached := w.want.enter(name); reached != "" {
			heap.Push(&w.ahead, folder{name + "/", reached, len(hiveKeys(name + "/")), linked})
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
	linked  bool   // the path contains a symbolic link
}

// folders is a heap of directories. If a directory has several paths, the most informative one
// should be visited: paths with the most keys come first, then those without links.
type folders []folder

func (f folders) Len() int      { return len(f) }
func (f folders) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *folders) Push(x any)   { *f = append(*f, x.(folder)) }

func (f folders) Less(i, j int) bool {
	a, b := &f[i], &f[j]
	switch {
	case a.keys != b.keys:
		return a.keys > b.keys
	case a.linked != b.linked:
		return b.linked
	}
	return a.name < b.name
}

func (f *folders) Pop() any {
	last := len(*f) - 1
	x := (*f)[last]
	*f = (*f)[:last]
	return x
}
