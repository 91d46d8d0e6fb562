package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// labels settles the set of labels and how they are written.
func (p *planner) labels(ctx context.Context) error {
	switch p.task {
	case metrics.Regression, metrics.Ranking:
		p.plan.spec.Labels = transforms.NumberedLabels(1)
		return nil
	case metrics.Binary:
		return p.binaryLabels(ctx)
	}
	if err := p.labelNames(ctx); err != nil {
		return err
	}
	if err := p.integers(); err != nil {
		return err
	}
	if err := p.encoding(); err != nil {
		return err
	}
	if err := p.alignWide(); err != nil {
		return err
	}
	spec := &p.plan.spec
	n, counted, err := p.countLabels(ctx)
	switch named := spec.Labels.Len(); {
	case err != nil:
		return err
	case named > 0:
		if counted != "" && n != named {
			return p.cfg.Errorf("labels", "%d labels are named, but %s has %d values a row", named, counted, n)
		}
		return nil
	case p.cfg.NumLabels > 0 && counted != "" && n != p.cfg.NumLabels:
		return p.cfg.Errorf("num_labels", "there are %d labels, but %s has %d values a row", p.cfg.NumLabels, counted, n)
	case p.cfg.NumLabels > 0 && spec.Long && spec.Params.Scores && !spec.Params.Sparse && int64(p.cfg.NumLabels) > p.plan.Rows:
		return p.cfg.Errorf("num_labels", "an example needs a row for each of %d labels, but there are %d rows; if labels without a row have no score, set input.columns.score_label to %q",
			p.cfg.NumLabels, p.plan.Rows, p.cfg.Input.Columns.Class)
	case p.cfg.NumLabels > 0:
		n, counted = p.cfg.NumLabels, ""
	case n == 0:
		return p.openLabels()
	}
	label, err := p.naming()
	if err != nil {
		return err
	}
	if label.Type == columns.String {
		return fmt.Errorf("column %q has label names, and %s a value for each label, but nothing says in which order: set labels or labels_file, or write the Parquet key-value metadata \"labels\"", label.Path, orElse(counted, "num_labels"))
	}
	if counted != "" {
		p.note("labels: %d, numbered from 0 (the length of the lists in %s)", n, counted)
	}
	spec.Labels = transforms.NumberedLabels(n)
	return nil
}

// naming returns the column whose values are the labels.
func (p *planner) naming() (columns.Field, error) {
	if class := p.cfg.Input.Columns.Class; class != "" {
		return p.in.field(class)
	}
	if class := p.cfg.Truth.Columns.Class; class != "" {
		return p.truth.field(class)
	}
	return p.label()
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// binaryLabels settles what counts as positive.
func (p *planner) binaryLabels(ctx context.Context) error {
	spec := &p.plan.spec
	spec.PositiveLabel = p.cfg.PositiveLabel
	in, column := p.labelColumn()
	label, err := in.field(column)
	if err != nil {
		return err
	}
	if prediction := p.cfg.Input.Columns.Prediction.Column; prediction != "" && label.Type != columns.String {
		if label, err = p.in.field(prediction); err != nil {
			return err
		}
		in = p.in
	}
	if label.Type == columns.String && spec.PositiveLabel == "" {
		return fmt.Errorf("column %q has strings%s: set positive_label to the one that means positive", label.Path, in.suchAs(ctx, label.Path))
	}
	spec.Labels = transforms.NumberedLabels(2)
	if l := spec.PositiveLabel; l != "" && l != "1" {
		spec.Labels.Names = []string{"not " + l, l}
	}
	return nil
}

// encoding settles how the labels of multilabel examples are written.
func (p *planner) encoding() error {
	field, err := p.label()
	if p.task != metrics.Multilabel || err != nil {
		return err
	}
	encoding := &p.cfg.Input.LabelEncoding
	if !field.List {
		if *encoding == config.EncodingIndicator {
			return p.cfg.Errorf("input.label_encoding", "says how lists of labels are written, but column %q is %s", field.Path, field.Physical)
		}
		return nil
	}
	wide := p.labelOrigin().Wide != nil
	if *encoding == "" {
		why := fmt.Sprintf("column %q is %s", field.Path, field.Physical)
		switch {
		case wide:
			*encoding, why = config.EncodingIndicator, "a column for each label"
		case field.Type == columns.String:
			*encoding, p.guessed = config.EncodingNames, true
		case field.Type == columns.Bool:
			*encoding = config.EncodingIndicator
		case p.plan.spec.Labels.Numbers:
			*encoding, p.guessed = config.EncodingNames, true
			why += ": integers match labels by value"
		default:
			*encoding, p.guessed = config.EncodingIndices, true
		}
		p.note("label_encoding: %s (%s)", *encoding, why)
	}
	if indicator := *encoding == config.EncodingIndicator; !indicator && (wide || p.cfg.Input.Columns.Prediction.Wide != nil) {
		return p.cfg.Errorf("input.label_encoding", "%s, but there is a column for each label, which means %s: true labels and predictions must be written alike", *encoding, config.EncodingIndicator)
	}
	if named := *encoding == config.EncodingNames; named != (field.Type == columns.String) && !(named && p.plan.spec.Labels.Numbers) {
		return p.cfg.Errorf("input.label_encoding", "%s, but column %q is %s", *encoding, field.Path, field.Physical)
	}
	p.plan.spec.Encoding = transforms.Encoding(*encoding)
	return nil
}

// labelNames finds the names of labels: the configuration's, those of its
// labels_file, or those in the metadata of the files.
func (p *planner) labelNames(ctx context.Context) error {
	if p.cfg.LabelsFile != "" {
		return p.labelsFile(ctx)
	}
	labels := &p.plan.spec.Labels
	if labels.Names = p.cfg.Labels; len(p.cfg.Labels) > 0 || p.cfg.NumLabels > 0 {
		return nil
	}
	names, key, err := p.in.metadataLabels()
	if err != nil || names == nil {
		return err
	}
	p.cfg.Labels, labels.Names = names, names
	p.note("labels: %d (from the Parquet metadata %q)", len(names), key)
	return nil
}

// countLabels returns the length of the lists that have a value for each label,
// and the name of the column with them, if there is one.
func (p *planner) countLabels(ctx context.Context) (int, string, error) {
	in, column := p.in, p.cfg.Input.Columns.Score.Column
	if p.plan.spec.Params.Sparse || p.plan.spec.Long {
		column = ""
	}
	if e := p.plan.spec.Encoding; column == "" && (e == transforms.Indicator || e == transforms.Distribution) {
		in, column = p.labelColumn()
	}
	if column == "" {
		return 0, "", nil
	}
	n, err := in.listLength(ctx, column)
	if err != nil && (p.plan.spec.Labels.Len() > 0 || p.cfg.NumLabels > 0) {
		return 0, "", nil
	}
	return n, fmt.Sprintf("column %q", column), err
}

// openLabels leaves the labels to be found in the data.
func (p *planner) openLabels() error {
	spec := &p.plan.spec
	if spec.Encoding == transforms.Indices && !spec.Params.Sparse && !spec.Long {
		return errors.New("the number of labels is unknown: set labels or num_labels")
	}
	first, err := p.naming()
	if err != nil {
		return err
	}
	occur := []string{strconv.Quote(first.Path)}
	others, err := p.alsoNaming()
	if err != nil {
		return err
	}
	for _, other := range others {
		if (first.Type == columns.String) != (other.Type == columns.String) {
			return fmt.Errorf("column %q is %s but column %q is %s: they must both have names or both numbers, or set labels",
				first.Path, first.Physical, other.Path, other.Physical)
		}
		occur = append(occur, strconv.Quote(other.Path))
	}
	in := "column"
	if len(occur) > 1 {
		in = "columns"
	}
	p.note("labels: those that occur in %s %s", in, strings.Join(occur, " and "))
	return nil
}

// alsoNaming returns the columns with labels besides that of naming.
func (p *planner) alsoNaming() (others []columns.Field, err error) {
	in, t := &p.cfg.Input.Columns, &p.cfg.Truth.Columns
	from, names := p.in, []string{in.ScoreLabel, in.Prediction.Column}
	if p.plan.spec.Long {
		from, names = p.truth, []string{cmp.Or(t.Class, t.Label.Column)}
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		field, err := from.field(name)
		if err != nil {
			return nil, err
		}
		others = append(others, field)
	}
	return others, nil
}
