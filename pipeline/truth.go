package pipeline

import (
	"context"
	"fmt"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// openTruth reads the footers of the files with the true labels, if these are not
// beside the predictions, and finds the labels.
func (p *planner) openTruth(ctx context.Context) error {
	cfg := &p.cfg.Truth
	if len(cfg.Files) == 0 {
		return nil
	}
	var err error
	if p.truth, err = open(ctx, cfg.Files, p.in.options); err != nil {
		return fmt.Errorf("truth: %w", err)
	}
	p.plan.truth = p.plan.count(p.truth)
	if p.cfg.Input.Columns.Label.Column != "" {
		return p.cfg.Errorf("input.columns.label", "the labels are in truth.files: set truth.columns.label")
	}
	c := &cfg.Columns
	if c.Label.Column == "" {
		// The predictions' column of classes is likely to be here, too, and may be called label.
		fits := func(f columns.Field) bool {
			return p.fitsLabel(f) && (f.List || f.Path != p.cfg.Input.Columns.Class)
		}
		c.Label.Column = p.truth.find(namesOfRole("label"), fits, c.Example, c.Class, c.Query, c.Item)
		p.note("label: column %q of the truth", c.Label.Column)
	}
	if c.Label.Column == "" {
		return fmt.Errorf("no label column in the truth: set truth.columns.label (%w)", p.truth.absent(namesOfRole("label")))
	}
	if err = p.truth.widen(&c.Label); err == nil {
		_, err = p.truth.field(c.Label.Column)
	}
	if err != nil {
		return p.cfg.Errorf("truth.columns.label", "%w", err)
	}
	return nil
}

// truthIDs settles which rows of the truth belong to which predictions.
func (p *planner) truthIDs(context.Context) error {
	if p.truth == nil {
		return nil
	}
	c, of := &p.cfg.Truth.Columns, &p.cfg.Input.Columns
	label, err := p.truth.field(c.Label.Column)
	if err != nil {
		return err
	}
	role, id := "example", &c.Example
	if p.task == metrics.Ranking {
		role, id = "query", &c.Query
		if err := p.truthItems(label); err != nil {
			return err
		}
	}
	_, predicted := p.idRole()
	if *id = p.truthColumn(role, *id, *predicted); *id == "" {
		return fmt.Errorf("no %s column in the truth, which says what prediction it belongs to: set truth.columns.%s (%w)", role, role, p.truth.absent(namesOfRole(role)))
	}
	if p.task == metrics.Multilabel && !label.List {
		if c.Class = p.truthColumn("class", c.Class, of.Class); c.Class == "" {
			return fmt.Errorf("the truth has a row for each label, but nothing says which: set truth.columns.class")
		}
	}
	if err := p.sameIDs(*predicted, *id, (*input).id); err != nil {
		return err
	}
	if c.Item != "" {
		if err := p.sameIDs(of.Item, c.Item, (*input).idOrList); err != nil {
			return err
		}
	}
	p.plan.join = &transforms.Truth{
		Columns:     transforms.Roles{Example: *id, Class: c.Class, Item: c.Item, Label: c.Label.Column},
		SkipMissing: p.cfg.Truth.Missing == config.Skip,
	}
	return nil
}

// truthItems settles which relevance is of which item: the truth has a row for each
// item, as the predictions have or, if both have lists, relevances in the order of
// the scores.
func (p *planner) truthItems(label columns.Field) error {
	c, of := &p.cfg.Truth.Columns, &p.cfg.Input.Columns
	item := p.truthColumn("item", c.Item, of.Item)
	switch long := p.plan.spec.Long; {
	case label.List && item != "":
		return fmt.Errorf("column %q of the truth is %s: beside the items in column %q, there must be a row for each item, with one value", label.Path, label.Physical, item)
	case label.List && long:
		return fmt.Errorf("column %q of the truth is %s, but the predictions have a row for each item: the truth must have one, too", label.Path, label.Physical)
	case label.List:
		return nil
	case item == "" || of.Item == "":
		return fmt.Errorf("the truth has a row for each item, but nothing says which: set truth.columns.item and input.columns.item")
	}
	c.Item = item
	return nil
}

// truthColumn returns the column of a role that the configuration names or, if it
// names none, that of the name that the predictions' column has or, if there is
// none, of one of the usual names.
func (p *planner) truthColumn(role, configured, predicted string) string {
	switch {
	case configured != "":
		return configured
	case predicted != "" && p.truth.everywhere(predicted):
		return predicted
	}
	column := p.truth.find(namesOfRole(role), func(columns.Field) bool { return true })
	if column != "" {
		p.note("%s: column %q of the truth", role, column)
	}
	return column
}

// sameIDs checks that ids of predictions and of the truth, in columns that find finds,
// can be equal.
func (p *planner) sameIDs(predicted, judged string, find func(*input, string) (columns.Field, error)) error {
	a, err := find(p.in, predicted)
	if err != nil {
		return err
	}
	b, err := find(p.truth, judged)
	if err != nil {
		return fmt.Errorf("truth: %w", err)
	}
	if a.Type != b.Type {
		return fmt.Errorf("column %q is %s in %s, but column %q of the truth is %s in %s: ids must be of one type, as 1 and \"1\" are not the same",
			a.Path, a.Physical, p.in.files[0].info.Name, b.Path, b.Physical, p.truth.files[0].info.Name)
	}
	return nil
}

// label returns the column of the true labels.
func (p *planner) label() (columns.Field, error) {
	in, column := p.labelColumn()
	return in.field(column)
}

// labelColumn returns the name of that column, and the files that have it.
func (p *planner) labelColumn() (*input, string) {
	if p.truth != nil {
		return p.truth, p.cfg.Truth.Columns.Label.Column
	}
	return p.in, p.cfg.Input.Columns.Label.Column
}
