package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/beameval/beameval/internal/roles"
	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/metrics"
	"github.com/beameval/beameval/pipeline/config"
)

// origin is a role and the table that has its columns.
type origin struct {
	*table
	role roles.Role
}

// wide returns the columns of a role that has several.
func (o origin) wide() []config.WideColumn { return o.columns[o.role].Wide }

// listed reports whether a role has several columns that are in the order of the labels, whatever
// their names.
func (o origin) listed() bool { return o.wide() != nil && o.wide()[0].Label == "" }

// wideOrigins returns the roles with several columns; scores come first.
func (t *tables) wideOrigins() []origin {
	all := []origin{{t.predictions, roles.Score}}
	for r := range roles.All() {
		if about := r.Of(); r != roles.Score && about.Input.Wide && about.Shape != roles.List {
			all = append(all, origin{t.of(r), r})
		}
	}
	return slices.DeleteFunc(all, func(o origin) bool { return o.wide() == nil })
}

// checkWide fails if the task or the layout does not permit a column for each label.
func (t *tables) checkWide() error {
	for _, o := range t.wideOrigins() {
		if t.task&(metrics.Multiclass|metrics.Multilabel) == 0 && !(t.both != nil && len(o.wide()) == 2 && o.role != roles.Label) {
			return t.cfg.Errorf(o.key(o.role), "a column for each label is for tasks multiclass and multilabel, the task is %s: name one column", t.task)
		}
		if t.layout.long && o.table == t.predictions {
			return t.cfg.Errorf(o.key(o.role), "a column for each label is for layout example, the layout is %s: name one column", t.layout.name())
		}
	}
	return nil
}

// alignWide sorts columns that belong to one label each by the order of the labels. If nothing else
// names the labels, the columns do.
func (l *labels) alignWide(t *tables) error {
	all := t.wideOrigins()
	textual, err := t.namesAreTexts()
	if err != nil {
		return err
	}
	for _, o := range all {
		if o.listed() || l.Len() > 0 || l.number > 0 || areNumbered(o.wide()) && !textual {
			continue
		}
		for _, c := range o.wide() {
			l.Names = append(l.Names, c.Label)
		}
		l.known, l.Numbers = l.Names, areNumbers(o.wide()) || len(l.IntegerNames()) == l.Len()
		if err := l.refuseOrdered(o, t); err != nil {
			return err
		}
		t.note("labels: %d, named by %s", l.Len(), listColumns(o.wide()))
	}
	for _, o := range all {
		err := t.checkListed(o, l.known)
		if err == nil {
			err = o.align(l.known, cmp.Or(l.Len(), l.number, len(all[0].wide())))
		}
		if err != nil {
			return t.cfg.Errorf(o.key(o.role), "%w", err)
		}
		of := ""
		if o.table == t.truth {
			of = " of the truth"
		}
		t.note("%s: %s%s (%d labels)", o.role, listColumns(o.wide()), of, len(o.wide()))
	}
	return nil
}

// namesAreTexts reports whether the column of true labels has texts: then 0 in the name of a column of scores is the
// label "0", as it is an index if labels are whole numbers.
func (t *tables) namesAreTexts() (bool, error) {
	naming, err := t.naming()
	return err == nil && len(naming) > 0 && naming[0].Type == columns.String, err
}

// refuseOrdered fails if columns cannot name the labels: other values belong to labels by their
// order, which the columns do not define.
func (l *labels) refuseOrdered(o origin, t *tables) error {
	ordered, err := l.ordered(t)
	if err != nil || ordered == nil {
		return err
	}
	return t.cfg.Errorf(o.key(o.role), "%s name the labels, but nothing says which of them is which in column %q: set labels", listColumns(o.wide()), ordered[0].column(ordered[0].role))
}

// align sorts the columns by the order of n labels, which may have names.
func (o origin) align(names []string, n int) error {
	wide := o.wide()
	if len(wide) != n {
		return fmt.Errorf("%d labels, but a column for each of %d: %s", n, len(wide), listColumns(wide))
	}
	place := func(c config.WideColumn) int { return slices.Index(names, c.Label) }
	switch unknown := slices.IndexFunc(wide, func(c config.WideColumn) bool { return place(c) < 0 }); {
	case o.listed():
		place = func(config.WideColumn) int { return 0 } // they are listed in order
	case unknown < 0:
	case areNumbered(wide):
		place = func(c config.WideColumn) int { return number(c.Label) }
	case names == nil:
		return errors.New("the columns name labels, but labels are numbers: list the columns in the order of these")
	default:
		var found []string
		for _, c := range wide {
			found = append(found, c.Label)
		}
		ours, theirs := differing(names, found)
		return fmt.Errorf("column %q is of the label %q, which is not one of the labels: these are %s, but columns have %s", wide[unknown].Column, wide[unknown].Label, ours, theirs)
	}
	slices.SortStableFunc(wide, func(a, b config.WideColumn) int { return cmp.Compare(place(a), place(b)) })
	for i := range wide {
		if wide[i].Label = ""; names != nil {
			wide[i].Label = names[i]
		}
	}
	return nil
}
