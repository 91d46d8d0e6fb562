package reports

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sync/errgroup"

	"github.com/beameval/beameval/io/report"
)

// Read reads the report in a directory, with its replicates if there are any. It is an error if two
// metric rows have the same metric, slice and label.
func Read(ctx context.Context, dir string) (*report.Report, error) {
	r, err := report.Open(ctx, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no report in %s: %w", dir, err)
	case err != nil:
		return nil, err
	}
	if err := CheckRows(dir, r.Metrics); err != nil || r.Confidence == nil {
		return r, err
	}
	if err := report.ReadFile(ctx, dir, report.ReplicatesParquet, r.ReadReplicates); err != nil {
		return nil, err
	}
	return r, nil
}

// ReadAll reads the reports in directories.
func ReadAll(ctx context.Context, dirs []string) ([]*report.Report, error) {
	read := make([]*report.Report, len(dirs))
	return read, Each(ctx, dirs, func(ctx context.Context, i int, dir string) (err error) {
		read[i], err = Read(ctx, dir)
		return err
	})
}

// readers is the number of reports that are read at once.
const readers = 8

// Each calls read for all items, which are of several reports, some at once, and returns the first error. After
// an error, the context that read receives is done.
func Each[T any](ctx context.Context, items []T, read func(ctx context.Context, i int, item T) error) error {
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(readers)
	for i, item := range items {
		reading.Go(func() error { return read(ctx, i, item) })
	}
	return reading.Wait()
}
