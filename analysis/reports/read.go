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
	var reading errgroup.Group
	reading.SetLimit(Readers)
	for i, dir := range dirs {
		reading.Go(func() (err error) {
			read[i], err = Read(ctx, dir)
			return err
		})
	}
	return read, reading.Wait()
}

// Readers is the number of reports that are read at once.
const Readers = 8
