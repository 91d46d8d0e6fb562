package files

import (
	"context"
	"errors"
	"fmt"
)

// Version tells one content of a file from others, without reading it. It is opaque: two
// are compared, or one is given to OpenVersion. In Cloud Storage it is the generation; on
// local disk it is made of size, time of modification and inode, and so it changes as
// well when a file is only touched. The device is no part of it: several machines number
// those as they like where they share a file system. "" is whatever content there is.
type Version string

// ErrChanged is the error for a file that is not, or no longer, of the version that was
// to be read.
var ErrChanged = errors.New("the file has changed since the run was planned")

// changed says what is different about a file, and what to do.
func changed(name, difference string) error {
	return fmt.Errorf("%s: %w: %s; run again when nobody writes to it", name, ErrChanged, difference)
}

// OpenVersion opens this version of the file with exactly this name.
func OpenVersion(ctx context.Context, name string, v Version) (File, error) {
	b, name, err := lookup(name)
	if err != nil {
		return nil, err
	}
	return b.open(ctx, name, v)
}
