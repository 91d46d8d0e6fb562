package comparison

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/report"
)

// Read reads the report in a directory, with its replicates if it has some.
func Read(ctx context.Context, dir string) (*report.Report, error) {
	data, err := files.ReadFile(ctx, files.Join(dir, report.MetricsJSON))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no report in %s: %w", dir, err)
	case err != nil:
		return nil, err
	}
	r, err := report.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files.Join(dir, report.MetricsJSON), err)
	}
	if r.Confidence == nil {
		return r, nil
	}
	replicates, err := files.Open(ctx, files.Join(dir, report.ReplicatesParquet))
	switch {
	case errors.Is(err, fs.ErrNotExist): // the report has other formats only
		return r, nil
	case err != nil:
		return nil, err
	}
	defer replicates.Close()
	if err := r.ReadReplicates(replicates); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return r, nil
}
