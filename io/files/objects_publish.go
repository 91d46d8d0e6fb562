package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/files/internal/stores"
)

const (
	// publisherKey and attemptKey are metadata keys of published objects. They identify the
	// publisher and the attempt of that publisher that created the object.
	publisherKey = "beamevalpublisher"
	attemptKey   = "beamevalattempt"
)

func (s objects) publish(ctx context.Context, dir, id string, write writeFunc, may []Replaceable) (err error) {
	old, err := s.vacant(ctx, dir, id, may)
	if err != nil {
		return err
	}
	temp, remove, err := TempDir("beameval-upload-")
	if err != nil {
		return fmt.Errorf("%s: cannot create a temporary directory to prepare the upload; set TMPDIR to one that can be written: %w", dir, err)
	}
	defer func() {
		if rmErr := remove(); rmErr != nil {
			err = errors.Join(err, fmt.Errorf("%s could not be removed; remove it by hand: %w", temp, rmErr))
		}
	}()
	staged := &stage{ctx: ctx, target: dir, dir: temp}
	if err := staged.fill(write); err != nil {
		return err
	}
	st, o, err := s.store(ctx, dir)
	if err != nil {
		return err
	}
	in := func(name string) stores.Object {
		return stores.Object{Bucket: o.Bucket, Name: o.Directory().Name + name}
	}
	u := &uploads{objects: s, store: st, dir: dir, publisher: id, attempt: NewID(), marker: in(staged.files[len(staged.files)-1].name)}
	if err := u.clear(ctx, old, temp); err != nil {
		return errors.Join(err, u.restore(ctx))
	}
	for _, f := range staged.files {
		if err := u.upload(ctx, in(f.name), f.file.Name()); err != nil {
			return errors.Join(err, u.undo(ctx), u.restore(ctx))
		}
	}
	return nil
}

func (s objects) checkOutput(ctx context.Context, dir string, may []Replaceable) error {
	if _, err := s.vacant(ctx, dir, NewID(), may); err != nil {
		return err
	}
	st, o, err := s.store(ctx, dir)
	if err != nil {
		return err
	}
	if err := st.MayPut(ctx, stores.Object{Bucket: o.Bucket, Name: o.Directory().Name + ".beameval-check"}); err != nil {
		return s.explain(st, "write to", dir, err)
	}
	return nil
}

// vacant returns an error if the bucket is unreachable, or if dir holds anything except leftovers
// of attempts of the same publisher and what may be replaced. It returns the latter, the object
// written last first.
func (s objects) vacant(ctx context.Context, dir, publisher string, may []Replaceable) (old []stores.Attrs, err error) {
	st, o, err := s.store(ctx, dir)
	if err != nil {
		return nil, err
	}
	prefix := o.Directory()
	pageSize := 2
	if len(may) > 0 {
		pageSize = 0
	}
	for a, err := range st.List(ctx, prefix, pageSize) {
		if err == nil && a.Name == prefix.Name { // consoles show an empty directory by this object
			continue
		}
		found := stores.Object{Bucket: o.Bucket, Name: a.Name}
		if err == nil && a.Metadata == nil {
			a, err = st.Attrs(ctx, found)
			a.Name = found.Name
		}
		switch {
		case stores.Is(st, err, stores.NoObject): // it has just been removed
		case err != nil:
			return nil, s.explain(st, "list", dir, err)
		case a.Metadata[publisherKey] == publisher:
		case len(may) == 0:
			return nil, outputExists(dir, s.nameOf(found))
		default:
			old = append(old, a)
		}
	}
	if len(old) == 0 {
		return nil, nil
	}
	return replaceable(ctx, dir, prefix.Name, old, may)
}

// replaceable returns the objects if they may be replaced, the one written last first.
func replaceable(ctx context.Context, dir, prefix string, old []stores.Attrs, may []Replaceable) ([]stores.Attrs, error) {
	var names []string
	published := true // by this package; then an interrupted Publish may have left them incomplete
	for _, a := range old {
		names = append(names, strings.TrimPrefix(a.Name, prefix))
		published = published && a.Metadata[publisherKey] != ""
	}
	var err error
	for _, r := range may {
		if err = r.check(dir, names); err != nil && published {
			err = r.checkNames(dir, names)
		}
		if err == nil {
			if i := slices.Index(names, r.last()); i >= 0 {
				old[0], old[i] = old[i], old[0]
				if err := r.verify(ctx, dir); err != nil {
					return nil, err
				}
			}
			return old, nil
		}
	}
	return nil, err
}

// uploads are the objects of one attempt to publish. publish uploads them in this order; each step
// can be undone until the marker, the last object, exists:
//
//	vacant     look at the directory
//	clear      keep copies of the old objects, remove them, the old marker first
//	upload     create the new objects, the marker last
//	           failed? undo: remove own objects; restore: put the old objects back
type uploads struct {
	objects
	store     stores.Store
	dir       string        // for messages
	publisher string        // common to all attempts
	attempt   string        // unique
	marker    stores.Object // the object created last
	tried     []stores.Object
	cleared   []cleared
}

// cleared is an object that was removed to make room.
type cleared struct {
	stores.Object
	file     string // copy of its contents
	size     int64
	metadata map[string]string
}

// clear removes objects in the given order and keeps copies of their contents in a local directory.
func (u *uploads) clear(ctx context.Context, old []stores.Attrs, dir string) error {
	var kept []cleared
	for i, a := range old {
		c := cleared{stores.Object{Bucket: u.marker.Bucket, Name: a.Name}, fmt.Sprintf("%s/old-%d", dir, i), a.Size, a.Metadata}
		if err := u.keep(ctx, c, a.ID); err != nil {
			return u.explain(u.store, "read", u.nameOf(c.Object), err)
		}
		kept = append(kept, c)
	}
	for i, c := range kept {
		a, err := u.store.Attrs(ctx, c.Object)
		if ours, _ := u.makerOf(a); err == nil && ours {
			continue // another attempt has replaced it already
		}
		if err == nil {
			u.cleared = append(u.cleared, c) // even if the response gets lost
			err = u.store.Remove(ctx, c.Object, old[i].ID)
		}
		if err != nil && !stores.Is(u.store, err, stores.NoObject) {
			return u.explain(u.store, "replace", u.nameOf(c.Object), err)
		}
	}
	return nil
}

// keep copies a version of an object to a file.
func (u *uploads) keep(ctx context.Context, c cleared, id string) error {
	f, err := os.Create(c.file)
	if err != nil {
		return err
	}
	defer f.Close()
	if c.size == 0 {
		return nil
	}
	r, err := u.store.Get(ctx, c.Object, id, 0, c.size)
	if err != nil {
		return err
	}
	defer r.Close()
	n, err := io.Copy(f, r)
	if err == nil && n != c.size {
		err = io.ErrUnexpectedEOF
	}
	return errors.Join(err, f.Close())
}

// restore puts back what clear removed, unless another attempt has finished.
func (u *uploads) restore(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stores.CleanupTime)
	defer cancel()
	if ours, _ := u.maker(ctx, u.marker); ours {
		return nil
	}
	var failed error
	for _, c := range slices.Backward(u.cleared) {
		f, err := os.Open(c.file)
		if err == nil {
			err = u.store.Put(ctx, c.Object, f, c.size, c.metadata)
			f.Close()
		}
		if err != nil && !stores.Is(u.store, err, stores.ConditionFailed) {
			failed = errors.Join(failed, fmt.Errorf("%s was removed to be replaced, and could not be put back: %w", u.nameOf(c.Object), err))
		}
	}
	return failed
}

// maker reports whether the publisher created an object (ours), and whether this attempt did
// (mine). An object whose attributes cannot be read is nobody's.
func (u *uploads) maker(ctx context.Context, o stores.Object) (ours, mine bool) {
	a, _ := u.store.Attrs(ctx, o)
	return u.makerOf(a)
}

func (u *uploads) makerOf(a stores.Attrs) (ours, mine bool) {
	ours = a.Metadata[publisherKey] == u.publisher
	return ours, ours && a.Metadata[attemptKey] == u.attempt
}

func (u *uploads) upload(ctx context.Context, o stores.Object, file string) error {
	name := u.nameOf(o)
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	u.tried = append(u.tried, o)
	err = u.store.Put(ctx, o, f, info.Size(), map[string]string{publisherKey: u.publisher, attemptKey: u.attempt})
	if stores.Is(u.store, err, stores.ConditionFailed) {
		// If the object is ours, either the response to an earlier request was lost, or another
		// attempt created the object, which is just as good.
		if ours, _ := u.maker(ctx, o); ours {
			return nil
		}
		return outputExists(u.dir, name)
	}
	if err != nil {
		return u.explain(u.store, "write", name, err)
	}
	return nil
}

// undo deletes only what this attempt uploaded, including uploads whose response was lost. It
// deletes nothing if another attempt has finished.
func (u *uploads) undo(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stores.CleanupTime)
	defer cancel()
	if ours, mine := u.maker(ctx, u.marker); ours && !mine {
		return nil
	}
	var failed error
	// Delete in reverse order, the marker first, and the marker once more at the end: its upload
	// may still have been in flight when it was cancelled.
	tried := slices.Clone(u.tried)
	slices.Reverse(tried)
	for _, o := range append(tried, tried[0]) {
		a, err := u.store.Attrs(ctx, o)
		if stores.Is(u.store, err, stores.NoObject) {
			continue
		}
		if err == nil {
			if _, mine := u.makerOf(a); mine {
				err = u.store.Remove(ctx, o, a.ID)
			}
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s may be left over; remove it by hand: %w", u.nameOf(o), err))
		}
	}
	return failed
}
