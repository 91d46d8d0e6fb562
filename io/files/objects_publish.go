package files

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"os"
	"path"
	"slices"
	"time"
)

const (
	chunkSize   = 16 << 20 // of an upload
	cleanupTime = 30 * time.Second

	// publisherKey is the key of the metadata of an object that says who publishes it,
	// attemptKey of the metadata that says which of the publisher's attempts made it.
	publisherKey = "beameval-publisher"
	attemptKey   = "beameval-attempt"
)

func (s objects) publish(ctx context.Context, dir, id string, write writeFunc) (err error) {
	if err := s.vacant(ctx, dir, id); err != nil {
		return err
	}
	temp, release, err := TempDir("beameval-upload-")
	if err != nil {
		return fmt.Errorf("%s: cannot create a temporary directory to prepare the upload; set TMPDIR to one that can be written: %w", dir, err)
	}
	defer release()
	defer func() {
		if rmErr := os.RemoveAll(temp); rmErr != nil {
			err = errors.Join(err, fmt.Errorf("%s could not be removed; remove it by hand: %w", temp, rmErr))
		}
	}()
	staged := &stage{ctx: ctx, target: dir, dir: temp}
	if err := staged.fill(write); err != nil {
		return err
	}
	st, o, err := s.store(dir)
	if err != nil {
		return err
	}
	in := func(name string) object { return object{o.bucket, o.directory().name + name} }
	u := &uploads{objects: s, store: st, dir: dir, publisher: id, attempt: NewID(), marker: in(staged.files[len(staged.files)-1].name)}
	for _, f := range staged.files {
		if err := u.upload(ctx, in(f.name), f.file.Name()); err != nil {
			return errors.Join(err, u.undo(ctx))
		}
	}
	return nil
}

func (s objects) checkOutput(ctx context.Context, dir string) error {
	if err := s.vacant(ctx, dir, NewID()); err != nil {
		return err
	}
	st, o, err := s.store(dir)
	if err != nil {
		return err
	}
	if err := st.mayPut(ctx, object{o.bucket, o.directory().name + ".beameval-check"}); err != nil {
		return s.explain(st, "write to", dir, err)
	}
	return nil
}

// vacant returns an error if the bucket cannot be reached, or if dir holds anything but what
// other attempts of the same publisher have left.
func (s objects) vacant(ctx context.Context, dir, publisher string) error {
	st, o, err := s.store(dir)
	if err != nil {
		return err
	}
	prefix := o.directory()
	for a, err := range st.list(ctx, prefix, 2) {
		if err == nil && a.name == prefix.name { // how consoles show an empty directory
			continue
		}
		found := object{o.bucket, a.name}
		if err == nil && a.metadata == nil {
			a, err = st.attrs(ctx, found)
		}
		switch {
		case is(st, err, noObject): // it was just removed
		case err != nil:
			return s.explain(st, "list", dir, err)
		case a.metadata[publisherKey] != publisher:
			return outputExists(dir, s.nameOf(found))
		}
	}
	return nil
}

// uploads are the objects of one Publish.
type uploads struct {
	objects
	store     store
	dir       string // for messages
	publisher string // of all attempts
	attempt   string // unique
	marker    object // the last
	tried     []object
}

// maker says whether an object was made by the publisher (ours), and by this attempt (mine).
func (u *uploads) maker(a attrs) (ours, mine bool) {
	ours = a.metadata[publisherKey] == u.publisher
	return ours, ours && a.metadata[attemptKey] == u.attempt
}

func (u *uploads) upload(ctx context.Context, o object, file string) error {
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
	err = u.store.put(ctx, o, f, info.Size(), map[string]string{publisherKey: u.publisher, attemptKey: u.attempt})
	if is(u.store, err, conditionFailed) {
		// If the object is ours, the answer to an earlier request was lost, or another attempt
		// made the object, which is as good.
		if a, attrsErr := u.store.attrs(ctx, o); attrsErr == nil {
			if ours, _ := u.maker(a); ours {
				return nil
			}
		}
		return outputExists(u.dir, name)
	}
	if err != nil {
		return u.explain(u.store, "write", name, err)
	}
	return nil
}

// contentType returns the content type, so that browsers need not guess.
func contentType(o object) string {
	if t := mime.TypeByExtension(path.Ext(o.name)); t != "" {
		return t
	}
	return "application/octet-stream"
}

// undo deletes only what this attempt has uploaded, also where the answer was lost. If
// another attempt has finished meanwhile, it deletes nothing.
func (u *uploads) undo(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	if a, err := u.store.attrs(ctx, u.marker); err == nil {
		if ours, mine := u.maker(a); ours && !mine {
			return nil
		}
	}
	var failed error
	// Go backwards, so that the marker goes first. Delete it once more at the end: its
	// upload may have been on its way when it was cancelled.
	tried := slices.Clone(u.tried)
	slices.Reverse(tried)
	for _, o := range append(tried, tried[0]) {
		a, err := u.store.attrs(ctx, o)
		if is(u.store, err, noObject) {
			continue
		}
		if err == nil {
			if _, mine := u.maker(a); mine {
				err = u.store.remove(ctx, o, a.id)
			}
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s may be left over; remove it by hand: %w", u.nameOf(o), err))
		}
	}
	return failed
}
