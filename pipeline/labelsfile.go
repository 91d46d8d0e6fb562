package pipeline

import (
	"context"
	"fmt"

	"github.com/beameval/beameval/transforms"
)

// manyNames is how many names of labels travel with the pipeline. Runners copy that
// many times, and Dataflow takes no pipeline of more than 10 MB: workers read more
// names from their file.
const manyNames = 20_000

// labelsFile takes the names of labels from labels_file.
func (p *planner) labelsFile(ctx context.Context) error {
	file := p.cfg.LabelsFile
	names, version, err := transforms.ReadNames(ctx, file, "")
	if err != nil {
		return fmt.Errorf("labels_file: %w", err)
	}
	first := make(map[string]int32, len(names))
	for i, n := range names {
		if j, twice := first[n]; twice {
			return fmt.Errorf("labels_file: %s: lines %d and %d have the same name %q", file, j+1, i+1, n)
		}
		first[n] = int32(i)
	}
	p.cfg.LabelsFile = ""
	labels := &p.plan.spec.Labels
	if len(names) > manyNames {
		p.cfg.NumLabels = len(names) // which is what the report repeats
		labels.File, labels.FileVersion, labels.Count = file, version, len(names)
		return nil
	}
	p.cfg.Labels, labels.Names = names, names
	return nil
}
