package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/beameval/beameval/io/system"
)

func (local) publish(ctx context.Context, dir, id string, write writeFunc, may []Replaceable) (err error) {
	site, err := newSite(dir, id, may)
	if err != nil {
		return err
	}
	// Deferred, so that a panic in the callback leaves nothing behind either.
	published := false
	defer func() {
		if !published {
			err = errors.Join(err, site.abandon())
		}
	}()
	st := &stage{ctx: ctx, target: dir, dir: site.staged(), durable: true}
	if err := st.fill(write); err != nil {
		return err
	}
	if err := site.replace(); err != nil {
		return err
	}
	published = true
	return site.clear()
}

func (local) checkOutput(_ context.Context, dir string, may []Replaceable) error {
	site, err := newSite(dir, NewID(), may)
	if err != nil {
		return err
	}
	switch {
	case site.full:
		err = site.probe()
	case site.exists:
		// Move the directory away and back: this fails for a mount point, for example, which cannot
		// be replaced.
		aside := filepath.Join(site.temp, "aside")
		if err = os.Rename(site.target, aside); err != nil {
			err = site.irreplaceable(err)
		} else {
			err = os.Rename(aside, site.target)
		}
	}
	return errors.Join(err, site.abandon())
}

// site is the place of an output directory. The output is prepared in a temporary directory next to
// it, on the same file system, and then renamed:
//
//	parent/report                       target
//	parent/.report.tmp-ID-89abcdef/     temp, with a locked owner file
//	    new/                            staged: takes the name of target
//	    full/                           only while probing
type site struct {
	target  string   // absolute and, if it exists, without symbolic links
	temp    string   // a later run removes it if this one is killed
	release func()   // gives up ownership of temp
	parents []string // created directories, outermost first
	exists  bool
	mode    fs.FileMode // of the existing directory
	may     []Replaceable
	full    bool // the directory exists and holds only what may be replaced
}

// newSite prepares a site for dir, or returns an error that says why that is impossible. It removes
// the leftovers of earlier attempts with the same id. An attempt that is still running then fails.
func newSite(dir, id string, may []Replaceable) (*site, error) {
	target, err := filepath.Abs(dir)
	if err != nil {
		return nil, explainLocal("create", dir, err)
	}
	s := &site{target: target, may: may}
	if err := s.inspect(dir); err != nil {
		return nil, err
	}
	err = s.makeParents()
	if err == nil {
		err = s.makeTemp(id)
	}
	if err != nil {
		return nil, errors.Join(s.unwritable(dir, err), s.abandon())
	}
	return s, nil
}

// leftover matches the names of temporary directories next to outputs.
var leftover = regexp.MustCompile(`^\..+\.tmp-.+-[0-9a-f]{8}$`)

// makeTemp creates the temporary directory. It first removes directories that killed runs have left
// next to any output here.
func (s *site) makeTemp(id string) error {
	beside, prefix := filepath.Dir(s.target), fmt.Sprintf(".%s.tmp-%s-", filepath.Base(s.target), id)
	sweep(beside, leftover)
	if err := removeAll(beside, func(name string) bool { return strings.HasPrefix(name, prefix) }); err != nil {
		return err
	}
	temp := fmt.Sprintf("%s/%s%08x", beside, prefix, rand.Uint32())
	if err := os.Mkdir(temp, 0o700); err != nil { // until it has its name, the output is for nobody else
		return err
	}
	s.temp, s.release = temp, own(temp)
	return os.Mkdir(s.staged(), 0o777)
}

// staged returns the directory that will take the name of the output.
func (s *site) staged() string { return filepath.Join(s.temp, "new") }

// inspect checks what currently has the name of the output.
func (s *site) inspect(dir string) error {
	info, err := os.Stat(s.target)
	if errors.Is(err, fs.ErrNotExist) {
		switch link, err := os.Lstat(s.target); {
		case err != nil:
			return nil
		case link.Mode()&fs.ModeSymlink == 0: // another process has just published
			return s.inspect(dir)
		}
		return fmt.Errorf("%s: this is a symbolic link to nothing; remove it, or create what it points to", dir)
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return s.unwritable(dir, err)
	}
	if err != nil {
		return explainLocal("create", dir, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: this is a file, and the output must be a directory; choose another name", dir)
	}
	if s.full, err = s.replaceable(dir); err != nil {
		return err
	}
	if here, err := os.Stat("."); err == nil && os.SameFile(here, info) {
		return fmt.Errorf("%s: this is the current directory, which cannot be replaced as a whole; name a new one in it, such as %s", dir, filepath.Join(dir, "report"))
	}
	s.exists, s.mode = true, info.Mode()
	s.target, err = filepath.EvalSymlinks(s.target)
	return err
}

// replaceable reports whether the directory holds something that may be replaced. If it holds
// anything else, that is an error.
func (s *site) replaceable(dir string) (bool, error) {
	sweep(s.target, leftover) // leftovers of a killed Replace
	entries, err := os.ReadDir(s.target)
	if err != nil {
		return false, explainLocal("create", dir, err)
	}
	if len(entries) == 0 {
		return false, nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, s.inside(e.Name())...)
		} else {
			names = append(names, e.Name())
		}
	}
	err = outputExists(dir, entries[0].Name())
	for _, r := range s.may {
		if err = r.check(dir, names); err == nil {
			err = r.verify(context.Background(), s.target)
			return err == nil, err
		}
	}
	return false, err
}

// inside returns the names of what a folder of the directory holds. No pattern matches the name of a folder itself, which
// ends in a slash: so folders in it, an empty one and one that cannot be read prevent the replacement.
func (s *site) inside(folder string) (names []string) {
	entries, _ := os.ReadDir(filepath.Join(s.target, folder))
	for _, e := range entries {
		name := folder + "/" + e.Name()
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return []string{folder + "/"}
	}
	return names
}

// probe returns an error if the non-empty directory cannot be replaced as a whole. It changes nothing:
// renaming over a non-empty directory always fails, but for a mount point, for example, it fails for
// another reason.
func (s *site) probe() error {
	other := filepath.Join(s.temp, "full")
	if err := os.MkdirAll(filepath.Join(other, "x"), 0o777); err != nil {
		return err
	}
	if err := os.Rename(s.target, other); !errors.Is(err, syscall.ENOTEMPTY) && !errors.Is(err, syscall.EEXIST) {
		return s.irreplaceable(err)
	}
	return nil
}

func (s *site) makeParents() error {
	var absent []string
	for dir := filepath.Dir(s.target); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		absent = append(absent, dir)
	}
	for i := len(absent) - 1; i >= 0; i-- {
		switch err := os.Mkdir(absent[i], 0o777); {
		case err == nil:
			s.parents = append(s.parents, absent[i])
		case !errors.Is(err, fs.ErrExist): // otherwise another process created it first and owns it
			return err
		}
	}
	return nil
}

// unwritable returns an error that says why dir cannot be created.
func (s *site) unwritable(dir string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	for parent := filepath.Dir(s.target); ; parent = filepath.Dir(parent) {
		info, statErr := os.Stat(parent)
		switch {
		case statErr == nil && !info.IsDir():
			return fmt.Errorf("%s: %s is a file, so it cannot hold an output directory; choose another: %w", dir, parent, err)
		case statErr == nil && Temporary(err):
			return fmt.Errorf("%s: cannot create a directory in %s: %w; try again when there is room, or choose another output directory", dir, parent, err)
		case statErr == nil, parent == filepath.Dir(parent):
			return fmt.Errorf("%s: cannot create a directory in %s: %w; choose another output directory, or change the permissions", dir, parent, err)
		}
	}
}

// replace gives the staged directory its final name.
func (s *site) replace() error {
	s.syncDirs()
	if s.full {
		return s.swap(system.Exchange)
	}
	if s.exists {
		// os.Rename does not replace a directory, not even an empty one. Between Remove and Rename,
		// there is no output, but never half an output. Remove fails if the directory is no longer
		// empty.
		if err := os.Chmod(s.staged(), s.mode); err != nil {
			return explainLocal("create", s.target, err)
		}
		if err := os.Remove(s.target); err != nil {
			return s.irreplaceable(err)
		}
	}
	if err := os.Rename(s.staged(), s.target); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return outputExists(s.target, "what another process has just written")
		}
		if s.exists {
			err = errors.Join(err, os.Mkdir(s.target, s.mode.Perm()))
		}
		return fmt.Errorf("%s: cannot give the finished output its name: %w", s.target, err)
	}
	syncDir(filepath.Dir(s.target))
	return nil
}

// swap exchanges the staged directory with the non-empty target, and removes the old contents.
func (s *site) swap(exchange func(a, b string) error) error {
	if _, err := s.replaceable(s.target); err != nil { // files may have been added
		return err
	}
	if err := os.Chmod(s.staged(), s.mode); err != nil {
		return explainLocal("create", s.target, err)
	}
	old := s.staged()
	err := exchange(s.staged(), s.target)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) { // by the system or the file system
		old = s.temp + "-old" // nobody sweeps it while the output may be missing
		if err = os.Rename(s.target, old); err == nil {
			if err = os.Rename(s.staged(), s.target); err != nil {
				err = errors.Join(err, os.Rename(old, s.target))
			}
		}
	}
	if err != nil {
		return s.irreplaceable(err)
	}
	syncDir(filepath.Dir(s.target))
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("the output was replaced, but %s, which has the former one, could not be removed; remove it by hand: %w", old, err)
	}
	return nil
}

// irreplaceable returns an error that says why a directory cannot be replaced.
func (s *site) irreplaceable(err error) error {
	if entries, _ := os.ReadDir(s.target); len(entries) > 0 && !s.full {
		return outputExists(s.target, entries[0].Name())
	}
	return fmt.Errorf("%s: this directory cannot be replaced as a whole, perhaps because it is a mount point; name a new one in it, such as %s: %w",
		s.target, filepath.Join(s.target, "report"), err)
}

// abandon removes everything that newSite created.
func (s *site) abandon() error {
	if s.temp != "" {
		if err := s.clear(); err != nil {
			return err
		}
	}
	for i := len(s.parents) - 1; i >= 0; i-- {
		if os.Remove(s.parents[i]) != nil {
			return nil // other processes have put something there
		}
	}
	return nil
}

// clear removes the temporary directory.
func (s *site) clear() error {
	defer s.release()
	if err := os.RemoveAll(s.temp); err != nil {
		return fmt.Errorf("%s could not be removed; remove it by hand: %w", s.temp, err)
	}
	return nil
}

// syncDirs makes the directory entries durable; finish did so with the contents.
func (s *site) syncDirs() {
	_ = filepath.WalkDir(s.staged(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			syncDir(path)
		}
		return nil
	})
}

// syncDir ignores errors, because not every file system can sync a directory.
func syncDir(path string) {
	if dir, err := os.Open(path); err == nil {
		_ = dir.Sync()
		dir.Close()
	}
}
