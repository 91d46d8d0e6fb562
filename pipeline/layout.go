package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
)

// layout settles whether examples have several rows, and which column says what
// rows belong together.
func (p *planner) layout(context.Context) error {
	in, spec := &p.cfg.Input, &p.plan.spec
	if p.task == metrics.Ranking {
		if in.Columns.Score.Column == "" {
			return fmt.Errorf("no score column: set input.columns.score (%w)", p.in.absent(namesOfRole("score")))
		}
		p.forget("example", "prediction")
		spec.PerQuery = p.cfg.Output.PerQuery
	} else {
		p.forget("query", "item")
	}
	if in.Layout == "" {
		layout, why, err := p.guessLayout()
		if err != nil {
			return err
		}
		if in.Layout = layout; why != "" {
			p.note("layout: %s (%s)", layout, why)
		}
	}
	spec.Long = in.Layout == config.LayoutLabel
	if spec.Long && p.task == metrics.Multilabel && in.Columns.Class == "" {
		return errors.New("layout label needs the column that says which label a row is about: set input.columns.class")
	}
	if !spec.Long && !spec.PerQuery && p.truth == nil {
		return nil
	}
	role, id := p.idRole()
	if *id == "" {
		return fmt.Errorf("no %s column, which says what rows belong together: set input.columns.%s (%w)", role, role, p.in.absent(namesOfRole(role)))
	}
	spec.Columns.Example = *id
	for _, r := range roleNames {
		if column := *r.column(&in.Columns); isID(r.role) && p.found[r.role] && column != "" {
			p.note("%s: column %q", r.role, column)
		}
	}
	_, err := p.in.id(*id)
	return err
}

// guessLayout tells the layout from the columns.
func (p *planner) guessLayout() (layout, why string, err error) {
	c := &p.cfg.Input.Columns
	switch {
	case p.task == metrics.Multilabel && c.Class != "":
		return config.LayoutLabel, "a row for each label, of which a column has the name", nil
	case p.task == metrics.Ranking:
		score, err := p.in.field(c.Score.Column)
		if err != nil {
			return "", "", err
		}
		if !score.List {
			return config.LayoutLabel, "a row for each item", nil
		}
		return config.LayoutExample, "a row for each query, with lists", nil
	}
	return config.LayoutExample, "", nil
}

// idRole returns the role whose column says what rows belong together, and the
// column.
func (p *planner) idRole() (role string, column *string) {
	if p.task == metrics.Ranking {
		return "query", &p.cfg.Input.Columns.Query
	}
	return "example", &p.cfg.Input.Columns.Example
}

// forget leaves aside columns that were found by their names, for roles that mean
// nothing to the task.
func (p *planner) forget(roles ...string) {
	for _, role := range roles {
		if p.found[role] {
			p.drop(role)
		}
	}
}

// id returns a column of ids, one a row, of which all files must have one type.
func (in *input) id(path string) (columns.Field, error) {
	field, err := in.idOrList(path)
	if err == nil && field.List {
		err = fmt.Errorf("%s: column %q is %s: ids must be one value a row", in.files[0].info.Name, path, field.Physical)
	}
	return field, err
}

// idOrList is id for a column that may have lists.
func (in *input) idOrList(path string) (columns.Field, error) {
	var first columns.Field
	for i, f := range in.files {
		field, err := f.schema.Lookup(path)
		switch {
		case err != nil:
			return field, fmt.Errorf("%s: %w", f.info.Name, err)
		case i == 0:
			first = field
		case field.Type != first.Type || field.List != first.List:
			return field, fmt.Errorf("column %q is %s in %s but %s in %s: ids must be of one type, as 1 and \"1\" are not the same", path, first.Physical, in.files[0].info.Name, field.Physical, f.info.Name)
		}
	}
	return first, nil
}
