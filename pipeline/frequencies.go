package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/files"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms/input"
)

// readFrequencies reads how often labels are true from the file that propensity.frequencies names,
// if any.
func (p *planner) readFrequencies(ctx context.Context) error {
	const key = "propensity.frequencies"
	cfg, l := &p.cfg.Propensity, p.labels
	if cfg.Frequencies == "" || cfg.Frequencies == config.FrequenciesTruth {
		return nil
	}
	if l.Len() == 0 {
		return p.cfg.Errorf(key, "needs a set of labels: set labels, labels_file or num_labels")
	}
	var count map[int32]int64
	var err error
	if strings.HasSuffix(cfg.Frequencies, ".parquet") {
		count, err = l.frequenciesOfColumns(ctx, cfg, p.predictions.options)
	} else {
		count, err = l.frequenciesOfLines(ctx, cfg.Frequencies)
	}
	if err != nil {
		return p.cfg.Errorf(key, "%w", err)
	}
	for label, n := range count {
		if n > int64(cfg.Examples) {
			return p.cfg.Errorf(key, "%s: label %q is true of %d examples, but propensity.examples is %d",
				cfg.Frequencies, l.Name(int(label)), n, cfg.Examples)
		}
	}
	p.spec.Labels.Frequencies = metrics.LabelFrequencies{Examples: int64(cfg.Examples), Count: count}
	return nil
}

// frequenciesOfLines reads a file with one count on each line.
func (l *labels) frequenciesOfLines(ctx context.Context, name string) (map[int32]int64, error) {
	labels := l.Len()
	data, err := files.ReadFile(ctx, name, mostBeside)
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

// frequenciesOfColumns reads a Parquet file with a column of labels and one of counts. Labels
// missing from the file are true of no example.
func (l *labels) frequenciesOfColumns(ctx context.Context, cfg *config.Propensity, o columns.Options) (map[int32]int64, error) {
	file, err := input.OpenFile(ctx, input.Shard{File: cfg.Frequencies, Options: o})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	whole := []columns.Type{columns.Int}
	for i, e := range []expectation{{"label", false, names}, {"count", false, whole}} {
		field, err := file.Schema().Lookup([]string{cfg.Columns.Label, cfg.Columns.Count}[i])
		if err == nil {
			err = e.check(field, "propensity.frequencies")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w; set propensity.columns", cfg.Frequencies, err)
		}
	}
	count := make(map[int32]int64)
	for group := range file.RowGroups() {
		for batch, err := range file.Read(group, []string{cfg.Columns.Label, cfg.Columns.Count}, nil, 1<<16) {
			if err != nil {
				return nil, err
			}
			if err := l.addFrequencies(batch, group, cfg.Columns.Count, count); err != nil {
				return nil, fmt.Errorf("%s: %w", cfg.Frequencies, err)
			}
		}
	}
	return count, file.Check()
}

// addFrequencies adds the counts of a batch of the given row group.
func (l *labels) addFrequencies(batch *columns.Batch, group int, column string, count map[int32]int64) error {
	named, counts := &batch.Columns[0], &batch.Columns[1]
	for r := range batch.Rows {
		label, err := l.labelAt(named, r)
		row := batch.Place(group, r)
		switch _, twice := count[label]; {
		case err != nil:
			return fmt.Errorf("%s: %w", row, err)
		case counts.IsNull(r):
			return fmt.Errorf("%s: column %q: null: expected a count of 0 or more", row, column)
		case counts.Ints[r] < 0:
			return fmt.Errorf("%s: column %q: %d: expected a count of 0 or more", row, column, counts.Ints[r])
		case twice:
			return fmt.Errorf("%s: label %q is there twice", row, l.Name(int(label)))
		}
		count[label] = counts.Ints[r]
	}
	return nil
}

// labelAt returns the number of the label in row r of a column.
func (l *labels) labelAt(col *columns.Column, r int) (int32, error) {
	if col.IsNull(r) {
		return 0, errors.New("the label is null")
	}
	if col.Type == columns.String {
		name := col.Dict.At(col.Codes[r])
		label, found := l.Label(name)
		if !found {
			return 0, fmt.Errorf("%q is not one of the %d labels", name, l.Len())
		}
		return int32(label), nil
	}
	label := col.Ints[r]
	if label < 0 || label >= int64(l.Len()) {
		return 0, fmt.Errorf("label %d, expected an index from 0 to %d", label, l.Len()-1)
	}
	return int32(label), nil
}

// findItemFrequencies finds the files that say how frequent items are, if metrics need them.
func (p *planner) findItemFrequencies(ctx context.Context) error {
	const key = "ranking.item_frequencies"
	cfg := &p.cfg.Ranking.ItemFrequencies
	switch item := p.predictions.column(roles.Item); {
	case len(cfg.Files) == 0:
		return nil
	case item == "":
		return p.cfg.Errorf(key, "needs the column of the items: set input.columns.item (%w)", p.predictions.absent(roles.Item.Of().Names))
	case !p.spec.Params.Has.Has(roles.Item):
		p.note("%s: not used, as no metric needs them", key)
		return nil
	}
	d, err := open(ctx, key, cfg.Format, cfg.Files, p.predictions.options)
	if err != nil {
		return p.cfg.Errorf(key, "%w", err)
	}
	defer d.close()
	t := newTable(d, key, config.Columns{roles.Item: {Column: cmp.Or(cfg.Item, p.predictions.column(roles.Item))}})
	p.agreeOnText(t, p.predictions, roles.Item)
	if err := t.holdsFrequencies(p.predictions, cfg.Count); err != nil {
		return p.cfg.Errorf(key, "%w", err)
	}
	p.spec.ItemFiles = &input.ItemFiles{Shards: shardsOf(d.shards()), Item: t.column(roles.Item), Count: cfg.Count, MaxItems: cfg.MaxItems}
	p.itemFiles = t.names()
	return nil
}

// holdsFrequencies checks that files have an item of the predictions and a number in each row.
func (t *table) holdsFrequencies(predictions *table, count string) error {
	item, err := t.lookupID(t.column(roles.Item))
	if err != nil {
		return fmt.Errorf("%w; set item", err)
	}
	number, err := t.lookup(count)
	if err != nil {
		return fmt.Errorf("%w; set count", err)
	}
	other, err := predictions.lookupID(predictions.column(roles.Item))
	if err != nil {
		return err
	}
	if err := (expectation{"frequency", false, numbers}).check(number, "an item"); err != nil {
		return err
	}
	if err := (expectation{"item", false, scalars}).check(item, "a frequency"); err != nil {
		return err
	}
	if (item.Type == columns.String) != (other.Type == columns.String) {
		return fmt.Errorf("column %q is %s, but column %q of the predictions is %s: ids must be of one type, as 1 and \"1\" are not the same", item.Path, item.Physical, other.Path, other.Physical)
	}
	return nil
}
