package compare

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/beameval/beameval/analysis/reports"
	"github.com/beameval/beameval/internal/collections"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/pipeline/finished"
)

// find returns the finished reports to compare and the gates to judge, nil for none. Arguments without
// a report are predictions, which it evaluates; remove removes their reports.
func (c *job) find(ctx context.Context, args []string, stderr io.Writer) (sources []finished.Source, gates *config.Config, remove func(), err error) {
	remove = func() {}
	sources, predictions, err := findSources(ctx, args)
	flag := c.predictions.Given(c.given)
	switch {
	case err != nil:
		return nil, nil, remove, err
	case flag != "" && !predictions:
		return nil, nil, remove, fmt.Errorf("--%s is for predictions: all that is compared are finished reports", flag)
	}
	if err := c.checkCount(sources); err != nil {
		return nil, nil, remove, err
	}
	if predictions {
		gates, remove, err = c.evaluate(ctx, sources, stderr)
	} else {
		gates, err = command.ParseConfig(ctx, c.Config, config.ParseGates)
	}
	return sources, gates, remove, err
}

// findSources returns the reports that arguments stand for, and the arguments that stand for none as
// sources without a directory. predictions says whether there are such arguments.
func findSources(ctx context.Context, args []string) (sources []finished.Source, predictions bool, err error) {
	without := make(map[string]bool) // a report
	other := func(arg string) bool {
		without[arg] = true
		return true
	}
	twice := len(args) == 2 && args[0] == args[1]
	if twice {
		args = args[:1]
	}
	found, err := reports.FindEach(ctx, args, other)
	switch {
	case err != nil:
		return nil, false, err
	case twice && len(without) > 0:
		return nil, false, fmt.Errorf("%s is given twice", args[0])
	case twice && len(found) == 1:
		found = append(found, found[0]) // nothing differs, but two reports may be compared
	}
	sources = collections.Map(found, func(name string) finished.Source {
		if without[name] {
			return finished.Source{Name: name}
		}
		return finished.Source{Dir: name, Name: name}
	})
	return sources, len(without) > 0, nil
}

// checkCount returns an error if there are too few sources, or flags for more.
func (c *job) checkCount(sources []finished.Source) error {
	switch len(sources) {
	case 0, 1:
		names := collections.Map(sources, func(s finished.Source) string { return s.Name })
		return fmt.Errorf("expected at least two reports or predictions, found %s", quote.Line(strings.Join(names, ", ")))
	case 2:
		return c.checkTwo()
	}
	return nil
}

// evaluate evaluates the sources that have no report, and sets their directories, which remove removes.
// It returns the gates of the configuration, nil for none.
func (c *job) evaluate(ctx context.Context, sources []finished.Source, stderr io.Writer) (gates *config.Config, remove func(), err error) {
	remove = func() {}
	cfg, err := c.predictions.Configuration(ctx, c.Config)
	if err != nil {
		return nil, remove, err
	}
	if len(cfg.Gates) > 0 {
		gates = cfg
	}
	temp, removeTemp, err := command.TempDir("compare-")
	if err != nil {
		return nil, remove, err
	}
	remove = func() { removeTemp() }
	for i := range sources {
		s := &sources[i]
		if s.Dir != "" {
			continue
		}
		s.Dir = filepath.Join(temp, strconv.Itoa(i))
		if err := c.predictions.Evaluate(ctx, *cfg, s.Name, s.Dir, stderr); err != nil {
			return nil, remove, notCompared(s.Name, err)
		}
	}
	return gates, remove, nil
}

// notCompared says why an argument that is no report cannot be evaluated.
func notCompared(arg string, err error) error {
	if info, wrong := os.Stat(arg); wrong == nil && info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w", arg, err)
	}
	return fmt.Errorf("there is no report in %s; as predictions: %w", arg, err)
}
