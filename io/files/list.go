package files

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Info describes a file that matches a pattern.
type Info struct {
	Name    string
	Size    int64
	Version Version
	Keys    []Key  // from the folders in the name of the form key=value, in path order
	Named   bool   // a pattern matches the file itself, not only a directory that contains it
	Path    string // the name below the deepest folder that all listed files share; see [SetPaths]
}

// SetPaths sets the paths of files that are listed together. Parts are separated by slashes.
func SetPaths(list []Info) {
	shared := ""
	for i := range list {
		name := filepath.ToSlash(list[i].Name)
		list[i].Path = name
		folder := name[:strings.LastIndexByte(name, '/')+1]
		if i == 0 {
			shared = folder
		}
		for !strings.HasPrefix(folder, shared) {
			shared = shared[:strings.LastIndexByte(strings.TrimSuffix(shared, "/"), '/')+1]
		}
	}
	for i := range list {
		list[i].Path = list[i].Path[len(shared):]
	}
}

// Endings are the file name endings of the files that a directory stands for, in lower case. Capitals do not matter.
type Endings []string

func (e Endings) has(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(e, func(ending string) bool { return strings.HasSuffix(name, ending) })
}

// String lists the first endings for messages.
func (e Endings) String() string {
	const most = 9
	if len(e) > most {
		return strings.Join(e[:most], ", ") + ", …"
	}
	if last := len(e) - 1; last > 0 {
		return strings.Join(e[:last], ", ") + " or " + e[last]
	}
	return strings.Join(e, "")
}

// List returns the files that match the patterns, sorted by name. A directory stands for the files
// in it that have one of the endings. A file is listed once, even if two spellings or a symbolic
// link lead to it. A pattern that matches no file is an error.
func List(ctx context.Context, endings Endings, patterns ...string) ([]Info, error) {
	return ListReadable(ctx, endings, nil, patterns...)
}

// ListReadable is like [List], but calls unread, if it is not nil, with each local directory that may not be entered, and
// each link to nothing that could be or hold a matching file. Unless unread returns an error, the others are listed.
func ListReadable(ctx context.Context, endings Endings, unread func(name string, err error) error, patterns ...string) ([]Info, error) {
	found := map[string]Info{}
	for _, pattern := range patterns {
		infos, err := expand(ctx, endings, unread, pattern)
		if err != nil {
			return nil, err
		}
		for _, f := range infos {
			other, twice := found[f.id]
			named := f.Named || twice && other.Named
			if !twice || preferred(f.Info, other) {
				other = f.Info
			}
			other.Named = named
			found[f.id] = other
		}
	}
	byName := func(a, b Info) int { return strings.Compare(a.Name, b.Name) }
	return slices.SortedFunc(maps.Values(found), byName), nil
}

// preferred reports whether a is the better of two names of a file. A link such as "latest" must
// not hide the keys in the folders that it points to.
func preferred(a, b Info) bool {
	return cmp.Or(len(b.Keys)-len(a.Keys), strings.Compare(a.Name, b.Name)) < 0
}

// listed is a matching file with its identity.
type listed struct {
	Info
	id string
}

func listedAs(e entry, named bool) listed {
	return listed{Info{Name: e.name, Size: e.size, Version: e.version, Keys: KeysOf(e.name), Named: named}, e.id}
}

func expand(ctx context.Context, endings Endings, unread func(name string, err error) error, pattern string) ([]listed, error) {
	b, name, err := lookup(pattern)
	if err != nil {
		return nil, err
	}
	dirsOnly := strings.HasSuffix(pattern, "/")
	exact, what, err := b.stat(ctx, name)
	if err != nil {
		return nil, err
	}
	var want *selector
	switch {
	case what == isFile && dirsOnly:
		return nil, fmt.Errorf("%s: this is a file, not a directory; leave out the '/' at the end", pattern)
	case what == isFile:
		return []listed{listedAs(exact, true)}, nil
	case what == isDirectory:
		want = newDirectory(name, endings)
	case isGlob(name):
		if want, err = newGlob(name, dirsOnly, endings); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("%s: %w; %s", pattern, fs.ErrNotExist, nearest(ctx, b, name))
	}
	want.unread = unread
	entries, err := b.walk(ctx, want)
	if err != nil {
		return nil, err
	}
	if len(entries) > 0 {
		files := make([]listed, len(entries))
		for i, e := range entries {
			files[i] = listedAs(e, !want.inDirectory(e.name))
		}
		return files, nil
	}
	seen := "it is empty, or all that it holds begins with '.' or '_'"
	if want.missed > 0 {
		seen = fmt.Sprintf("other files: %d, such as %s", want.missed, want.example)
	}
	if what == isDirectory {
		return nil, fmt.Errorf("%s: the directory holds no %s files (%s); to read files that have another ending, name them or use a glob", pattern, endings, seen)
	}
	if want.missed == 0 {
		seen = nearest(ctx, b, want.prefix())
	}
	return nil, fmt.Errorf("%s: %w: the pattern matches nothing (%s)", pattern, fs.ErrNotExist, seen)
}

// nearest describes the longest part of a name that exists.
func nearest(ctx context.Context, b backend, name string) string {
	for {
		i := strings.LastIndexByte(name, '/')
		if wd, err := os.Getwd(); i < 0 && err == nil {
			return "looked for in " + wd
		}
		if i <= 0 || name[i-1] == '/' {
			return "check the spelling"
		}
		name = name[:i]
		switch _, what, err := b.stat(ctx, name); {
		case err != nil:
			return "check the spelling"
		case what == isDirectory:
			return fmt.Sprintf("the nearest directory that exists is %s", name)
		case what == isFile:
			return fmt.Sprintf("%s is a file", name)
		}
	}
}

// Key is a column whose value is written in the name of a folder, as Hive and Spark do.
type Key struct {
	Name, Value string
	Null        bool
}

// hiveNull is the value in folder names that stands for null.
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// KeysOf returns the keys in the folders of a file, in path order.
func KeysOf(file string) []Key {
	var keys []Key
	folders := strings.Split(file, "/")
	for _, folder := range folders[:len(folders)-1] {
		name, value, ok := strings.Cut(folder, "=")
		switch {
		case !ok || name == "":
		case value == hiveNull:
			keys = append(keys, Key{Name: unescape(name), Null: true})
		default:
			keys = append(keys, Key{Name: unescape(name), Value: unescape(value)})
		}
	}
	return keys
}

// unescape undoes percent-encoding. It returns s unchanged if s cannot be the result of escaping.
func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
