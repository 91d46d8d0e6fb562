package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/lists"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/jobs/internal/command"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/pipeline/finished"
	"github.com/beameval/beameval/transforms/reports"
)

// find returns the finished reports to compare and the gates to judge, nil for none. Arguments without
// a report are predictions, which it evaluates; remove removes their reports.
func (c *job) find(ctx context.Context, args []string, stderr io.Writer) (sources []finished.Source, gates *config.Config, remove func(), err error) {
	remove = func() {}
	dirs, err := c.findReports(ctx, args)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c.evaluate(ctx, args, stderr)
	case err != nil:
		return nil, nil, remove, err
	}
	if flag := c.predictions.Given(c.given); flag != "" {
		return nil, nil, remove, fmt.Errorf("--%s is for predictions: all that is compared are finished reports", flag)
	}
	sources = lists.Map(dirs, func(dir string) finished.Source { return finished.Source{Dir: dir, Name: dir} })
	if err = c.checkCount(sources); err == nil {
		gates, err = command.ParseConfig(ctx, &c.Finished, config.ParseGates)
	}
	return sources, gates, remove, err
}

// findReports returns the directories of the reports that arguments stand for. The error is
// fs.ErrNotExist if an argument stands for none.
func (c *job) findReports(ctx context.Context, args []string) ([]string, error) {
	if len(args) == 2 && args[0] == args[1] {
		dirs, err := reports.FindEach(ctx, args[:1])
		if err == nil && len(dirs) == 1 {
			return []string{dirs[0], dirs[0]}, nil // nothing differs, but two reports may be compared
		}
	}
	return reports.FindEach(ctx, args)
}

// checkCount returns an error if there are too few sources, or flags for more.
func (c *job) checkCount(sources []finished.Source) error {
	switch len(sources) {
	case 0, 1:
		names := lists.Map(sources, func(s finished.Source) string { return s.Name })
		return fmt.Errorf("expected at least two reports or predictions, found %s", quote.Line(strings.Join(names, ", ")))
	case 2:
		return c.checkTwo()
	}
	return nil
}

// evaluate evaluates the arguments that have no report, and returns the reports of all.
func (c *job) evaluate(ctx context.Context, args []string, stderr io.Writer) (sources []finished.Source, gates *config.Config, remove func(), err error) {
	remove = func() {}
	var predictions []int
	for _, arg := range args {
		dirs, err := reports.FindEach(ctx, []string{arg})
		switch {
		case errors.Is(err, fs.ErrNotExist):
			predictions = append(predictions, len(sources))
			dirs = []string{arg}
		case err != nil:
			return nil, nil, remove, err
		}
		for _, dir := range dirs {
			if slices.ContainsFunc(sources, func(s finished.Source) bool { return s.Name == dir }) {
				return nil, nil, remove, fmt.Errorf("%s is given twice", dir)
			}
			sources = append(sources, finished.Source{Dir: dir, Name: dir})
		}
	}
	if err := c.checkCount(sources); err != nil {
		return nil, nil, remove, err
	}
	cfg, err := c.predictions.Configuration(ctx, c.Config)
	if err != nil {
		return nil, nil, remove, err
	}
	if len(cfg.Gates) > 0 {
		gates = cfg
	}
	temp, release, err := files.TempDir("compare-")
	if err != nil {
		return nil, nil, remove, command.Exit(command.Failed, fmt.Errorf("no temporary directory: %w; set TMPDIR to one", err))
	}
	remove = func() {
		os.RemoveAll(temp)
		release()
	}
	for _, i := range predictions {
		s := &sources[i]
		s.Dir = filepath.Join(temp, strconv.Itoa(i))
		if err := c.predictions.Evaluate(ctx, *cfg, s.Name, s.Dir, stderr); err != nil {
			return nil, nil, remove, notCompared(s.Name, err)
		}
	}
	return sources, gates, remove, nil
}

// notCompared says why an argument that is no report cannot be evaluated.
func notCompared(arg string, err error) error {
	if info, wrong := os.Stat(arg); wrong == nil && info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w", arg, err)
	}
	return fmt.Errorf("there is no report in %s; as predictions: %w", arg, err)
}
