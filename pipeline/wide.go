package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
	"github.com/beameval/beameval/transforms"
)

// Scores, true labels and predictions may be in several columns, one for each label.
// To the planner, and to all that follows but the reading of files, such columns are
// one of lists, which has a name that no column of the files has: that of the origin.

// widen makes a name with a * the columns that it stands for, unless there is a
// column of that very name, and makes several columns one of lists.
func (in *input) widen(o *config.Origin) error {
	if o.Wide == nil && strings.Count(o.Column, "*") == 1 && !in.somewhere(o.Column) {
		prefix, suffix, _ := strings.Cut(o.Column, "*")
		found := in.matching(prefix, suffix)
		if len(found) == 0 {
			return fmt.Errorf("no column has a name like %q (%w)", o.Column, in.absent([]string{o.Column}))
		}
		o.Widen(found)
	}
	if o.Wide != nil {
		o.Wide = slices.Clone(o.Wide) // which is put in order
		in.wide[o.Column] = o.Wide
	}
	return nil
}

// wide settles which roles have several columns.
func (p *planner) wide() error {
	c := &p.cfg.Input.Columns
	for _, o := range []wideOrigin{
		{"input.columns.score", "score", p.in, &c.Score},
		{"input.columns.label", "label", p.in, &c.Label},
		{"input.columns.prediction", "prediction", p.in, &c.Prediction},
	} {
		if err := o.in.widen(o.Origin); err != nil {
			return p.cfg.Errorf(o.key, "%w", err)
		}
	}
	return nil
}

// somewhere says whether a file has a column of this name.
func (in *input) somewhere(path string) bool {
	return slices.ContainsFunc(in.files, func(f inputFile) bool {
		_, err := f.schema.Lookup(path)
		return err == nil
	})
}

// matching returns the columns of any file whose names have something between prefix,
// case aside, and suffix, which is the label: in the order of numbers, if all labels
// are, or else of their bytes.
func (in *input) matching(prefix, suffix string) []config.WideColumn {
	var found []config.WideColumn
	add := func(path string) {
		if n := len(path) - len(suffix); n > len(prefix) && strings.EqualFold(path[:len(prefix)], prefix) && path[n:] == suffix {
			found = append(found, config.WideColumn{Label: path[len(prefix):n], Column: path})
		}
	}
	for _, f := range in.files {
		for _, field := range f.schema.Fields {
			add(field.Path)
		}
		for _, u := range f.schema.Unreadable {
			add(u.Path) // which becomes an error that says why
		}
	}
	numbered := wideOrigin{Origin: &config.Origin{Wide: found}}.numbers()
	slices.SortFunc(found, func(a, b config.WideColumn) int {
		if numbered && number(a.Label) != number(b.Label) {
			return cmp.Compare(number(a.Label), number(b.Label))
		}
		return cmp.Compare(a.Column, b.Column)
	})
	return slices.Compact(found)
}

// number returns the number that a label is, or -1.
func number(label string) int {
	n, err := strconv.ParseUint(label, 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

// wideField is the column of lists that several columns make.
func (in *input) wideField(path string) (columns.Field, error) {
	wide := in.wide[path]
	list := columns.Field{Path: path, Type: columns.Int, Bits: 64, List: true, Physical: fmt.Sprintf("%d columns", len(wide))}
	for _, c := range wide {
		f, err := in.field(c.Column)
		switch {
		case err != nil:
			return f, err
		case f.List || f.Type == columns.String:
			return f, fmt.Errorf("column %q is %s: the column of one label must have one number a row", c.Column, f.Physical)
		case f.Type == columns.Float && (list.Type == columns.Int || f.Bits > list.Bits):
			list.Type, list.Bits = columns.Float, f.Bits
		}
	}
	return list, nil
}

// wideOrigin is an origin that may have several columns.
type wideOrigin struct {
	key  string
	role string
	in   *input
	*config.Origin
}

// wideOrigins are the origins that have several columns; those of scores come first.
func (p *planner) wideOrigins() (all []wideOrigin) {
	c := &p.cfg.Input.Columns
	for _, o := range []wideOrigin{
		{"input.columns.score", "score", p.in, &c.Score},
		{"input.columns.label", "label", p.in, &c.Label},
		{"truth.columns.label", "label", p.truth, &p.cfg.Truth.Columns.Label},
		{"input.columns.prediction", "prediction", p.in, &c.Prediction},
	} {
		if o.Column != "" && o.Wide != nil {
			all = append(all, o)
		}
	}
	return all
}

// checkWide says for what there can be a column for each label.
func (p *planner) checkWide() error {
	for _, o := range p.wideOrigins() {
		if p.task&(metrics.Multiclass|metrics.Multilabel) == 0 {
			return p.cfg.Errorf(o.key, "a column for each label is for tasks multiclass and multilabel, the task is %s: name one column", p.cfg.Task)
		}
		if p.plan.spec.Long && o.in == p.in {
			return p.cfg.Errorf(o.key, "a column for each label is for layout example, the layout is %s: name one column", config.LayoutLabel)
		}
	}
	return nil
}

// alignWide puts the columns of labels into the order of these. If nothing else names
// the labels, the columns do.
func (p *planner) alignWide() error {
	all := p.wideOrigins()
	labels := &p.plan.spec.Labels
	for _, o := range all {
		if o.Wide[0].Label == "" || labels.Len() > 0 || p.cfg.NumLabels > 0 || o.numbered() {
			continue
		}
		if err := p.mayName(o); err != nil {
			return err
		}
		for _, c := range o.Wide {
			labels.Names = append(labels.Names, c.Label)
		}
		p.cfg.Labels, labels.Numbers = labels.Names, o.numbers()
		p.note("labels: %d, named by %s", labels.Len(), o.columns())
	}
	for _, o := range all {
		n := cmp.Or(labels.Len(), p.cfg.NumLabels)
		if err := o.align(labels.Names, cmp.Or(n, len(all[0].Wide))); err != nil {
			return p.cfg.Errorf(o.key, "%w", err)
		}
		of := ""
		if o.in == p.truth {
			of = " of the truth"
		}
		p.note("%s: %s%s (%d labels)", o.role, o.columns(), of, len(o.Wide))
	}
	p.plan.spec.Columns.Wide = p.in.wideNames()
	if p.truth != nil {
		p.plan.join.Columns.Wide = p.truth.wideNames()
	}
	return nil
}

// mayName says whether labels can be named by columns: not if other values are of
// labels by an order that these do not tell.
func (p *planner) mayName(o wideOrigin) error {
	c, encoding := &p.cfg.Input.Columns, p.plan.spec.Encoding
	dense := encoding == transforms.Indicator || encoding == transforms.Distribution
	labels := p.in
	if p.truth != nil {
		labels = p.truth
	}
	for _, other := range []struct {
		in *input
		config.Origin
		dense bool // it has lists with a value for each label
	}{{p.in, c.Score, c.ScoreLabel == ""}, {labels, p.labelOrigin(), dense}, {p.in, c.Prediction, dense}} {
		if other.Column == "" {
			continue
		}
		field, err := other.in.field(other.Column)
		if err != nil {
			return err
		}
		byOrder := other.dense || field.Type != columns.String && !o.numbers()
		if other.Wide != nil {
			byOrder = other.Wide[0].Label == "" || wideOrigin{Origin: &other.Origin}.numbered()
		}
		if byOrder {
			return p.cfg.Errorf(o.key, "%s name the labels, but nothing says which of them is which in column %q: set labels", o.columns(), other.Column)
		}
	}
	return nil
}

// numbers says whether the labels of the columns are numbers.
func (o wideOrigin) numbers() bool {
	return !slices.ContainsFunc(o.Wide, func(c config.WideColumn) bool { return number(c.Label) < 0 })
}

// labelOrigin is where the true labels come from.
func (p *planner) labelOrigin() config.Origin {
	if p.truth != nil {
		return p.cfg.Truth.Columns.Label
	}
	return p.cfg.Input.Columns.Label
}

// numbered says whether the labels of the columns are the numbers from 0 on.
func (o wideOrigin) numbered() bool {
	met := make([]bool, len(o.Wide))
	for _, c := range o.Wide {
		n := number(c.Label)
		if n < 0 || n >= len(met) || met[n] {
			return false
		}
		met[n] = true
	}
	return true
}

// align puts the columns into the order of n labels, which may have names.
func (o wideOrigin) align(names []string, n int) error {
	if len(o.Wide) != n {
		return fmt.Errorf("%d labels, but a column for each of %d: %s", n, len(o.Wide), o.columns())
	}
	place := func(c config.WideColumn) int { return slices.Index(names, c.Label) }
	switch {
	case o.Wide[0].Label == "":
		place = nil
	case !slices.ContainsFunc(o.Wide, func(c config.WideColumn) bool { return place(c) < 0 }):
	case o.numbered():
		place = func(c config.WideColumn) int { return number(c.Label) }
	case names == nil:
		return errors.New("the columns name labels, but labels are numbers: list the columns in the order of these")
	default:
		unknown := slices.IndexFunc(o.Wide, func(c config.WideColumn) bool { return place(c) < 0 })
		return fmt.Errorf("column %q is of the label %q, which is not one of the labels", o.Wide[unknown].Column, o.Wide[unknown].Label)
	}
	if place != nil {
		slices.SortFunc(o.Wide, func(a, b config.WideColumn) int { return cmp.Compare(place(a), place(b)) })
	}
	for i := range o.Wide {
		if o.Wide[i].Label = ""; names != nil {
			o.Wide[i].Label = names[i]
		}
	}
	return nil
}

// columns lists the columns, for people.
func (o wideOrigin) columns() string {
	const most = 3
	names := make([]string, 0, most+1)
	for _, c := range o.Wide[:min(len(o.Wide), most)] {
		names = append(names, strconv.Quote(c.Column))
	}
	if len(o.Wide) > most {
		names = append(names, "…")
	}
	return "columns " + strings.Join(names, ", ")
}

// wideNames returns the columns that each column of lists is made of; nil if there
// is none.
func (in *input) wideNames() map[string][]string {
	if len(in.wide) == 0 {
		return nil
	}
	names := make(map[string][]string)
	for name, columns := range in.wide {
		for _, c := range columns {
			names[name] = append(names[name], c.Column)
		}
	}
	return names
}

// findWide finds scores in columns called proba_<label> and the like, and labels in
// columns called label_<label>, if no column has them. As such names may mean anything,
// scores are only those where each true label of the first rows has a column, and
// labels those where each column has one of scores. What fits in two ways is left.
func (p *planner) findWide(ctx context.Context) error {
	c := &p.cfg.Input.Columns
	scores := p.families("score")
	if c.Score.Column != "" {
		scores = [][]config.WideColumn{c.Score.Wide}
	}
	type pair struct{ score, label []config.WideColumn }
	var fit []pair
	for _, s := range scores {
		switch label := p.labelOrigin(); {
		case label.Wide != nil:
			if sameLabels(s, label.Wide) {
				fit = append(fit, pair{score: s})
			}
		case label.Column != "":
			known, err := p.labelled(ctx, label.Column, s)
			if err != nil {
				return err
			}
			if known {
				fit = append(fit, pair{score: s})
			}
		default:
			for _, l := range p.families("label") {
				if sameLabels(s, l) {
					fit = append(fit, pair{s, l})
				}
			}
		}
	}
	if len(fit) != 1 || !p.mayBeWide() {
		return nil
	}
	if c.Score.Column == "" {
		p.adopt("score", &c.Score, fit[0].score)
	}
	if fit[0].label != nil {
		p.adopt("label", &c.Label, fit[0].label)
	}
	return nil
}

// mayBeWide says whether the configuration allows for columns of labels.
func (p *planner) mayBeWide() bool {
	in := &p.cfg.Input
	return slices.Contains([]metrics.Task{0, metrics.Multiclass, metrics.Multilabel}, p.cfg.Task) && in.Layout != config.LayoutLabel && in.Columns.Class == ""
}

func (p *planner) adopt(role string, o *config.Origin, wide []config.WideColumn) {
	o.Widen(wide)
	p.in.wide[o.Column] = wide
	p.found[role] = true
}

// families returns the columns, two or more and each of one number a row, that are
// called by a name of a role, an underscore or dot, and a label.
func (p *planner) families(role string) (all [][]config.WideColumn) {
	taken := p.withRoles()
	for _, name := range namesOfRole(role) {
		for _, separator := range []string{"_", "."} {
			family := slices.DeleteFunc(p.in.matching(name+separator, ""), func(c config.WideColumn) bool { return slices.Contains(taken, c.Column) })
			other := func(c config.WideColumn) bool {
				f, err := p.in.field(c.Column)
				return err != nil || f.List || f.Type == columns.String
			}
			if len(family) > 1 && !slices.ContainsFunc(family, other) {
				all = append(all, family)
			}
		}
	}
	return all
}

// perhaps says which columns of a role, one for each label, may have been meant.
func (p *planner) perhaps(role string) string {
	var patterns []string
	for _, family := range p.families(role) {
		first := family[0]
		patterns = append(patterns, strconv.Quote(strings.TrimSuffix(first.Column, first.Label)+"*"))
	}
	if patterns == nil {
		return ""
	}
	return fmt.Sprintf(", perhaps to %s,", strings.Join(patterns, " or "))
}

// sameLabels says whether columns are of the same labels.
func sameLabels(a, b []config.WideColumn) bool {
	has := make(map[string]bool)
	for _, c := range a {
		has[c.Label] = c.Label != ""
	}
	return len(a) == len(b) && !slices.ContainsFunc(b, func(c config.WideColumn) bool { return !has[c.Label] })
}

// labelled says whether the labels in the first rows of a column have a column each.
func (p *planner) labelled(ctx context.Context, column string, wide []config.WideColumn) (bool, error) {
	in := p.in
	if p.truth != nil {
		in = p.truth
	}
	labels, err := in.firstValues(ctx, column)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(labels, func(l string) bool {
		return !slices.ContainsFunc(wide, func(c config.WideColumn) bool { return c.Label == l })
	}), nil
}
