package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// integers settles what integers mean in columns of labels, where labels have names:
// the label of that name if all names are integers, an index if none is. Of other
// labels input.label_encoding must say it.
func (p *planner) integers() error {
	number, err := p.numberOfLabel()
	if err != nil || number.Path == "" {
		return err
	}
	spec := &p.plan.spec
	known := spec.Labels // a copy, as what it looks up is not yet settled
	n, encoding := known.Integers(), p.cfg.Input.LabelEncoding
	switch byName := encoding == config.EncodingNames; {
	case n == 0 || encoding == config.EncodingIndices:
	case n < known.Len() && !byName:
		return p.cfg.Errorf("labels", "column %q is %s, and %d of the %d labels are integers, but not all: set input.label_encoding to %s if %s means the label of that name, or to %s if it means the place of the label, from 0",
			number.Path, number.Physical, n, known.Len(), config.EncodingNames, known.AnInteger(), config.EncodingIndices)
	case byName || !known.Numbered():
		spec.Labels.Numbers = true
	}
	if spec.Labels.Numbers && p.task == metrics.Multiclass {
		p.note("label_encoding: %s (column %q is %s: integers match labels by value)", config.EncodingNames, number.Path, number.Physical)
	}
	return nil
}

// numberOfLabel returns the first column of numbers that stand for labels, if any.
func (p *planner) numberOfLabel() (columns.Field, error) {
	first, err := p.naming()
	if err != nil {
		return first, err
	}
	others, err := p.alsoNaming()
	if err != nil {
		return first, err
	}
	var mean []columns.Field
	switch p.cfg.Input.LabelEncoding {
	case config.EncodingIndicator: // only scores may name labels
		mean = slices.DeleteFunc(others, func(f columns.Field) bool { return f.Path != p.cfg.Input.Columns.ScoreLabel })
	case config.EncodingDistribution:
		mean = others
	default:
		mean = append([]columns.Field{first}, others...)
	}
	i := slices.IndexFunc(mean, func(f columns.Field) bool { return numeric(f) && p.in.wide[f.Path] == nil })
	if i < 0 {
		return columns.Field{}, nil
	}
	return mean[i], nil
}

// firstLists is how many lists must look like indicators to be taken for some.
const firstLists = 4096

// indicators refuses lists of numbers that may be a 0 or 1 for each label as well as
// indices of labels, where nothing says which. Of indices, one of the first lists has
// another number, a number twice or another length.
func (p *planner) indicators(ctx context.Context) error {
	if !p.guessed {
		return nil
	}
	in, label := p.labelColumn()
	field, err := in.field(label)
	if err != nil {
		return err
	}
	advice := fmt.Sprintf("set it to %s if they have a 0 or 1 for each label, or to %s if they list the labels 0 and 1", transforms.Indicator, transforms.Indices)
	if field.Type == columns.String {
		advice = fmt.Sprintf("column %q has names of labels: predictions must be lists of names, too", label)
	}
	if err := p.indicatorsIn(ctx, in, label, advice); err != nil {
		return err
	}
	return p.indicatorsIn(ctx, p.in, p.cfg.Input.Columns.Prediction.Column, advice)
}

func (p *planner) indicatorsIn(ctx context.Context, in *input, column, advice string) error {
	if column == "" {
		return nil
	}
	if field, err := in.field(column); err != nil || field.Type == columns.String {
		return err
	}
	labels, lists := p.plan.spec.Labels.Len(), 0
	var first place
	list := "" // the first
	err := in.scan(ctx, column, 64, func(at place, batch *columns.Batch) (more bool) {
		c := &batch.Columns[0]
		for r := range batch.Rows {
			from, to := int(c.Offsets[r]), int(c.Offsets[r+1])
			switch {
			case from == to:
				continue
			case !mayIndicate(c, from, to, labels):
				list = ""
				return false
			case list == "":
				first, list = at, listOf(c, from, to)
				first.row += int64(r)
			}
			if lists++; lists == firstLists {
				return false
			}
		}
		return true
	})
	if err != nil || list == "" {
		return err
	}
	return p.cfg.Errorf("input.label_encoding", "%s: column %q: %s: all lists have only 0 and 1: %s", first, column, list, advice)
}

// mayIndicate says whether a list may have a 0 or 1 for each label: it is as long as
// there are labels (0: as many as the data has) or, as lists of labels never do, has a
// value twice.
func mayIndicate(c *columns.Column, from, to, labels int) bool {
	var met [2]bool
	twice := false
	for i := from; i < to; i++ {
		x := textOf(c, i)
		if c.Null != nil && c.Null[i] || x != "0" && x != "1" {
			return false
		}
		at := int(x[0] - '0')
		twice = twice || met[at]
		met[at] = true
	}
	return twice || to-from == labels || labels == 0 && to-from > 1
}

// listOf is a list for messages, which has the first values of a long one.
func listOf(c *columns.Column, from, to int) string {
	const most = 10
	var values []string
	for i := from; i < min(to, from+most); i++ {
		values = append(values, textOf(c, i))
	}
	if to-from > most {
		values = append(values, "…")
	}
	return "[" + strings.Join(values, ",") + "]"
}
