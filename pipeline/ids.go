package pipeline

import (
	"context"
	"fmt"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms/input"
)

// findIDs checks the column that identifies the examples that are listed, if each is a row. It may be
// missing.
func (t *tables) findIDs() error {
	id, p, key := t.layout.id(), t.predictions, t.listed()
	if key == "" {
		return nil
	}
	if !p.has(id) {
		t.note("%s: the examples have no id, only their files and rows in run.json: set input.columns.%s to name them", key, id)
		return nil
	}
	err := p.checkID(id)
	switch {
	case err != nil && p.found[id]:
		t.leave(id, "%v: not used", err)
		return nil
	case err != nil:
		return t.cfg.Errorf(p.key(id), "%w", err)
	case p.found[id]:
		t.note("%s: column %q", id, p.column(id))
	}
	return nil
}

// perQuery reports whether the report has the metrics of each query.
func (t *tables) perQuery() bool { return t.task == metrics.Ranking && t.cfg.Output.PerQuery }

// checkID checks that a column has ids of a single type, one in each row.
func (t *table) checkID(r roles.Role) error {
	field, err := t.lookupID(t.column(r))
	if err == nil && field.List {
		err = fmt.Errorf("%s: column %q is %s: ids must be one value a row", t.files[0].info.Name, field.Path, field.Physical)
	}
	return err
}

// orderRows is the number of rows of the first file whose ids are read to find out whether rows are in random order:
// among a billion, with five for each example, there are some ten pairs of an example.
const orderRows = 1 << 16

// findOrder finds out whether the rows of examples are in random order, from the first rows: then no pass over all
// ids has to look for examples whose rows are together.
func (p *planner) findOrder(ctx context.Context) error {
	if !p.spec.Long || p.spec.Truth != nil || p.spec.Baseline != nil {
		return nil
	}
	id, err := p.predictions.lookup(p.spec.Columns.Example)
	if err != nil {
		return err
	}
	var first input.Order
	_, err = p.predictions.eachGroupOf(ctx, &p.predictions.files[0], func(file columns.File, at place) (more bool, err error) {
		for batch, err := range file.Peek(at.group, []string{id.Path}, nil, firstRows) {
			if err != nil || first.Add(&batch.Columns[0]) >= orderRows {
				return false, err
			}
		}
		return true, nil
	})
	all, _ := p.predictions.rows()
	p.spec.Shuffled = first.Shuffled(all)
	return err
}
