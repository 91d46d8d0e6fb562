package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// propensity settles the propensities of the labels, if they are configured.
func (p *planner) propensity(ctx context.Context) error {
	cfg := &p.cfg.Propensity
	if cfg.Frequencies == "" {
		return nil
	}
	p.plan.spec.Params.Propensity = &metrics.Propensity{A: cfg.A, B: cfg.B}
	if cfg.Frequencies == config.FrequenciesTruth {
		return nil
	}
	labels := &p.plan.spec.Labels
	if labels.Len() == 0 {
		return p.cfg.Errorf("propensity.frequencies", "needs a set of labels: set labels, labels_file or num_labels")
	}
	read := p.frequenciesOfLines
	if strings.HasSuffix(cfg.Frequencies, ".parquet") {
		read = p.frequenciesOfColumns
	}
	count, err := read(ctx)
	if err != nil {
		return p.cfg.Errorf("propensity.frequencies", "%w", err)
	}
	for label, n := range count {
		if n > int64(cfg.Examples) {
			return p.cfg.Errorf("propensity.frequencies", "%s: label %q is true of %d examples, but propensity.examples is %d",
				cfg.Frequencies, labels.Name(int(label)), n, cfg.Examples)
		}
	}
	labels.Frequencies = metrics.LabelFrequencies{Examples: int64(cfg.Examples), Count: count}
	return nil
}

// frequenciesOfLines reads a file with one count a line.
func (p *planner) frequenciesOfLines(ctx context.Context) (map[int32]int64, error) {
	name, labels := p.cfg.Propensity.Frequencies, p.plan.spec.Labels.Len()
	data, err := files.ReadFile(ctx, name)
	if err != nil {
		return nil, err
	}
	count := make(map[int32]int64)
	line := 0
	for text := range strings.Lines(string(data)) {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		switch {
		case err != nil || n < 0:
			return nil, fmt.Errorf("%s: line %d: %q is not a count", name, line+1, strings.TrimSpace(text))
		case line >= labels:
			return nil, fmt.Errorf("%s: more than %d lines, one for each label", name, labels)
		case n > 0:
			count[int32(line)] = n
		}
		line++
	}
	if line != labels {
		return nil, fmt.Errorf("%s: %d lines, expected %d, one for each label", name, line, labels)
	}
	return count, nil
}

// frequenciesOfColumns reads a Parquet file with a column of labels and one of
// counts; labels that it does not name are true of no example.
func (p *planner) frequenciesOfColumns(ctx context.Context) (map[int32]int64, error) {
	cfg := &p.cfg.Propensity
	file, err := transforms.OpenFile(ctx, cfg.Frequencies, "", options(p.cfg))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for _, e := range []expectation{
		{"label", cfg.Columns.Label, false, []columns.Type{columns.Int, columns.String}},
		{"count", cfg.Columns.Count, false, []columns.Type{columns.Int}},
	} {
		field, err := file.Schema().Lookup(e.column)
		if err == nil {
			err = e.check(field, "propensity.frequencies")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w; set propensity.columns", cfg.Frequencies, err)
		}
	}
	count := make(map[int32]int64)
	for group := range file.RowGroups() {
		if err := p.frequenciesOfGroup(file.File, group, count); err != nil {
			return nil, fmt.Errorf("%s: row group %d, %w", cfg.Frequencies, group, err)
		}
	}
	return count, file.Check()
}

func (p *planner) frequenciesOfGroup(file *columns.File, group int, count map[int32]int64) error {
	for batch, err := range file.Read(group, []string{p.cfg.Propensity.Columns.Label, p.cfg.Propensity.Columns.Count}, nil, 1<<16) {
		if err != nil {
			return err
		}
		labels, counts := &batch.Columns[0], &batch.Columns[1]
		for r := range batch.Rows {
			label, err := p.labelAt(labels, r)
			switch _, twice := count[label]; {
			case err != nil:
				return fmt.Errorf("row %d: %w", batch.First+int64(r), err)
			case counts.Null != nil && counts.Null[r]:
				return fmt.Errorf("row %d: column %q: null: expected a count of 0 or more", batch.First+int64(r), p.cfg.Propensity.Columns.Count)
			case counts.Ints[r] < 0:
				return fmt.Errorf("row %d: column %q: %d: expected a count of 0 or more", batch.First+int64(r), p.cfg.Propensity.Columns.Count, counts.Ints[r])
			case twice:
				return fmt.Errorf("row %d: label %q is there twice", batch.First+int64(r), p.plan.spec.Labels.Name(int(label)))
			}
			count[label] = counts.Ints[r]
		}
	}
	return nil
}

// labelAt returns the label that row r of a column names, or its number.
func (p *planner) labelAt(col *columns.Column, r int) (int32, error) {
	labels := &p.plan.spec.Labels
	if col.Null != nil && col.Null[r] {
		return 0, errors.New("the label is null")
	}
	if col.Type == columns.String {
		name := col.Dict.Values()[col.Codes[r]]
		label, found := labels.Label(name)
		if !found {
			return 0, fmt.Errorf("%q is not one of the %d labels", name, labels.Len())
		}
		return int32(label), nil
	}
	label := col.Ints[r]
	if label < 0 || label >= int64(labels.Len()) {
		return 0, fmt.Errorf("label %d, expected an index from 0 to %d", label, labels.Len()-1)
	}
	return int32(label), nil
}
