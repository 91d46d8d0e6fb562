package pipeline

import (
	"context"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/transforms"
)

// mostDictionaries is how many row groups may be looked at, one after another, for the
// positive label. Nearly always the first has it.
const mostDictionaries = 64

// positive refuses a positive label that no row can have, as the dictionaries of the label
// column tell. Where they don't, the run counts.
func (p *planner) positive(ctx context.Context) error {
	in, column := p.labelColumn()
	name := p.plan.spec.PositiveLabel
	if p.task != metrics.Binary || name == "" || in.rowGroups() > mostDictionaries {
		return nil
	}
	if label, err := in.field(column); err != nil || label.Type != columns.String {
		return err
	}
	var labels columns.Strings
	absent := false
	err := in.eachGroup(ctx, func(file *columns.File, at place) (more bool, err error) {
		complete, err := file.Dictionary(at.group, column, &labels)
		_, found := labels.Find(name)
		absent = err == nil && complete && !found // damage is for the run to find
		return absent, nil
	})
	if err != nil || !absent || labels.Len() == 0 {
		return err
	}
	return p.cfg.Errorf("positive_label", "%w", transforms.NoPositive(column, name, labels.Values()))
}

func (in *input) rowGroups() (n int) {
	for i := range in.files {
		n += len(in.files[i].groups)
	}
	return n
}
