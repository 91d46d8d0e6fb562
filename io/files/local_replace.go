package files

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Replace writes a local file and renames it over an older one when it is complete. A later Publish
// or Replace in the same directory cleans up after a process that was killed.
func Replace(ctx context.Context, name string, write func(io.Writer) error) (err error) {
	target, err := filepath.Abs(name)
	if err != nil {
		return explainLocal("create", name, err)
	}
	s := &site{target: target}
	if err := s.makeTemp(NewID()); err != nil {
		return errors.Join(explainLocal("create", name, err), s.abandon())
	}
	defer func() { err = errors.Join(err, s.clear()) }()
	st := &stage{ctx: ctx, target: filepath.Dir(target), dir: s.staged(), durable: true}
	err = st.fill(func(create func(string) (io.Writer, error)) error {
		w, err := create(filepath.Base(target))
		if err != nil {
			return err
		}
		return write(w)
	})
	if err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(s.staged(), filepath.Base(target)), target); err != nil {
		return explainLocal("create", name, err)
	}
	syncDir(filepath.Dir(target))
	return nil
}
