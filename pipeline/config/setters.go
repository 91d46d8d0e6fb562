package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Setters of keys with one value or a list of values, by type. A value that
// cannot be decoded leaves the zero value rather than the default, so that
// nothing is concluded from a default the user did not want.
var (
	text    = one((*decoder).text)
	boolean = one((*decoder).boolean)
	count   = one((*decoder).count)
	whole   = one((*decoder).whole)
	number  = one((*decoder).number)

	texts   = many("a list of strings", (*decoder).text)
	labels  = many("a list of labels", (*decoder).label)
	counts  = many("a list of whole numbers", (*decoder).count)
	numbers = many("a list of numbers", (*decoder).number)
)

func one[T any](decode func(*decoder, *node, string) (T, bool)) func(func(*Config) *T) setter {
	return func(target func(*Config) *T) setter {
		return func(d *decoder, n *node, path string) {
			*target(d.c), _ = decode(d, n, path)
		}
	}
}

func many[T any](want string, decode func(*decoder, *node, string) (T, bool)) func(func(*Config) *[]T) setter {
	return func(target func(*Config) *[]T) setter {
		return func(d *decoder, n *node, path string) {
			values := []T{}
			d.items(n, path, want, func(d *decoder, n *node, path string) {
				if v, ok := decode(d, n, path); ok {
					values = append(values, v)
				}
			})
			*target(d.c) = values
		}
	}
}

// textOrTexts accepts a single string for a list of one.
func textOrTexts(target func(*Config) *[]string) setter {
	list := many("a string or a list of strings", (*decoder).text)(target)
	return func(d *decoder, n *node, path string) {
		if n.kind != kindString {
			list(d, n, path)
		} else if v, ok := d.text(n, path); ok {
			*target(d.c) = []string{v}
		}
	}
}

// label is a label where there is none by default, so not an empty one.
func label(target func(*Config) *string) setter {
	return func(d *decoder, n *node, path string) {
		v, ok := d.label(n, path)
		if ok && v == "" {
			d.fail(path, "must not be empty")
		}
		*target(d.c) = v
	}
}

// limit is a whole number or, as a string, a percentage.
func limit(target func(*Config) *Limit) setter {
	return func(d *decoder, n *node, path string) {
		percent, isPercent := strings.CutSuffix(n.text, "%")
		x, err := strconv.ParseFloat(percent, 64)
		switch {
		case n.kind == kindString && isPercent && err == nil:
			*target(d.c) = Limit{x, true}
		case n.kind == kindNumber:
			rows, _ := d.whole(n, path)
			*target(d.c) = Limit{float64(rows), false}
		default:
			d.wrongType(path, "a share of the rows, such as 1%, or a number of rows", n)
		}
	}
}

// threshold is a number, or numbers by label with the key default for the
// others: the label called default, should there be one, is among the others.
func threshold(d *decoder, n *node, path string) {
	switch n.kind {
	case kindNumber:
		if x, ok := d.number(n, path); ok {
			d.c.Decision.Threshold = &x
		}
	case kindString:
		d.c.Decision.ThresholdFile = n.text
	case kindMap:
		perLabel := map[string]float64{}
		for _, p := range n.pairs {
			here := join(path, p.key.text)
			d.place(here, p)
			x, ok := d.number(p.value, here)
			switch {
			case !ok:
			case p.key.text == defaultThreshold:
				d.c.Decision.Threshold = &x
			default:
				perLabel[p.key.text] = x
			}
		}
		if len(perLabel) > 0 {
			d.c.Decision.PerLabel = perLabel
		}
	default:
		d.wrongType(path, "a number, a mapping of labels to numbers or the name of a file with one", n)
	}
}

const defaultThreshold = "default"

func zeroDivision(d *decoder, n *node, path string) {
	d.c.ZeroDivision = ""
	if n.kind == kindString && strings.EqualFold(n.text, "nan") {
		d.c.ZeroDivision = ZeroDivisionNaN
		return
	}
	if n.kind == kindNumber {
		switch x, ok := d.number(n, path); {
		case !ok:
			return
		case x == 0:
			d.c.ZeroDivision = ZeroDivisionZero
			return
		case x == 1:
			d.c.ZeroDivision = ZeroDivisionOne
			return
		case math.IsNaN(x):
			d.c.ZeroDivision = ZeroDivisionNaN
			return
		}
	}
	d.wrongType(path, "0, 1 or nan", n)
}

func sliceList(d *decoder, n *node, path string) {
	d.c.Slices = []Slice{}
	d.items(n, path, "a list of slices", func(d *decoder, n *node, path string) {
		if s := d.slice(n, path); s != nil {
			d.c.Slices = append(d.c.Slices, s)
		}
	})
}

// slice is a column, a list of columns, or a mapping of columns to the values
// wanted.
func (d *decoder) slice(n *node, path string) (s Slice) {
	switch n.kind {
	case kindString:
		if column, ok := d.text(n, path); ok {
			return Slice{{Column: column}}
		}
		return nil
	case kindList:
		d.items(n, path, "", func(d *decoder, n *node, path string) {
			if column, ok := d.text(n, path); ok {
				s = append(s, SliceColumn{Column: column})
			}
		})
	case kindMap:
		for _, p := range n.pairs {
			here := join(path, p.key.text)
			d.place(here, p)
			column := SliceColumn{Column: p.key.text, Values: d.sliceValues(p.value, here)}
			if column.Values != nil {
				s = append(s, column)
			}
		}
	default:
		d.wrongType(path, "a column, a list of columns or a mapping of columns to values", n)
		return nil
	}
	if len(n.items)+len(n.pairs) == 0 {
		d.fail(path, "needs at least one column (the overall slice is always there)")
	}
	return s
}

func (d *decoder) sliceValues(n *node, path string) []SliceValue {
	var values []SliceValue
	d.items(n, path, "a list of values", func(d *decoder, n *node, path string) {
		if n.kind == kindNull {
			values = append(values, SliceValue{Null: true})
		} else if v, ok := d.scalar(n, path, "a value"); ok {
			values = append(values, SliceValue{Text: v})
		}
	})
	if n.kind == kindList && len(n.items) == 0 {
		d.fail(path, "needs at least one value; list the column without values for all of them")
	}
	return values
}

// perLabel is all, none, a list of labels or the largest number of labels.
func perLabel(d *decoder, n *node, path string) {
	d.c.PerLabel = PerLabel{}
	switch {
	case n.kind == kindString && n.text == perLabelAll:
		d.c.PerLabel.All = true
	case n.kind == kindString && n.text == perLabelNone:
	case n.kind == kindNumber:
		limit, ok := d.whole(n, path)
		if ok && limit < 0 {
			d.fail(path, "must not be negative, is %d", limit)
		}
		d.c.PerLabel.Limit = limit
	case n.kind == kindList && len(n.items) == 0:
		d.fail(path, "the list is empty; use none")
	case n.kind == kindList:
		labels(func(c *Config) *[]string { return &c.PerLabel.Names })(d, n, path)
	default:
		d.wrongType(path, fmt.Sprintf("%s, %s, a list of labels or a whole number", perLabelAll, perLabelNone), n)
	}
}

const (
	perLabelAll  = "all"
	perLabelNone = "none"
)

// logLossEps is checked here as well as in Validate, for which 0 is "not set".
func logLossEps(d *decoder, n *node, path string) {
	x, ok := d.number(n, path)
	if ok && x == 0 {
		d.fail(path, logLossEpsRange, x)
	}
	d.c.LogLossEps = x
}
