package text

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
)

// wanted is the tree of the requested columns. A node stands for a JSON value: the value itself may
// be requested for columns of the batch, or parts of it.
type wanted struct {
	columns []int
	keys    map[string]*wanted
	usual   habit[*wanted] // nil for keys that nobody wants
	element *wanted
	each    []int // columns that get one value for each row or, at a list, for each element
}

// want adds a column of the batch, which is the given leaf of the layout.
func (w *wanted) want(list []column, leaf, column int) {
	var path []int
	for in := leaf + 1; in > 0; in = list[in-1].in {
		path = append(path, in-1)
	}
	around := w
	for _, i := range slices.Backward(path) {
		if list[i].element {
			if w.element == nil {
				w.element = new(wanted)
			}
			w = w.element
			around = w
			continue
		}
		if w.keys == nil {
			w.keys = make(map[string]*wanted)
		}
		if w.keys[list[i].name] == nil {
			w.keys[list[i].name] = new(wanted)
		}
		w = w.keys[list[i].name]
	}
	w.columns = append(w.columns, column)
	around.each = append(around.each, column)
}

// addObject adds a row that is an object.
func (r *reader) addObject(number int, row []byte) error {
	for i := range r.Batch.Columns {
		r.listNull[i] = true
	}
	err := r.object.begin(row)
	if err == nil {
		err = r.whole()
	}
	if r.object.plain && errors.Is(err, errKind) { // jsontext knows where
		if err = r.object.decode(row); err == nil {
			err = r.whole()
		}
	}
	if err != nil {
		return err
	}
	for i := range r.Batch.Columns {
		if c := &r.Batch.Columns[i]; c.Offsets != nil {
			if c.Len() > math.MaxInt32 {
				return errors.New("a batch has more than 2³¹ values: read fewer rows at a time")
			}
			c.Offsets = append(c.Offsets, int32(c.Len()))
			if r.listNull[i] {
				r.rowNulls[i].Set(number)
			}
		}
	}
	return r.fill(&r.wanted, number)
}

// whole adds the requested members of a row.
func (r *reader) whole() error {
	if list, is := r.known.of(&r.object); is {
		for n, below := range list {
			if below == nil {
				continue
			}
			r.object.tokens.to(n)
			if err := r.value(below); err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.members(&r.wanted); err != nil {
		return err
	}
	return r.object.end()
}

// members adds the requested members of an object.
func (r *reader) members(w *wanted) error {
	for n := 0; ; n++ {
		name, more, err := r.object.member()
		if err != nil || !more {
			return err
		}
		below, usual := w.usual.at(n, name)
		if !usual {
			below = w.keys[string(name)]
			w.usual.set(n, name, below)
		}
		if w == &r.wanted {
			r.known.set(&r.object, n, below)
		}
		if below != nil {
			err = r.value(below)
		} else {
			err = r.object.skip()
		}
		if err != nil {
			return err
		}
	}
}

var errKind = errors.New("is of another kind than when the run was planned")

// otherKind returns the error for the next value, whose kind was not planned.
func (r *reader) otherKind(kind string) error {
	if r.object.plain {
		return errKind
	}
	return fmt.Errorf("the %s at %s %w", kind, quote.Short(string(r.object.in.StackPointer())), errKind)
}

// value adds the requested parts of a value.
func (r *reader) value(w *wanted) error {
	switch r.object.kind() {
	case 'n':
		return r.object.skip()
	case '{':
		if w.keys == nil {
			return r.otherKind("object")
		}
		if err := r.object.enter(); err != nil {
			return err
		}
		return r.members(w)
	case '[':
		if w.element == nil {
			return r.otherKind("array")
		}
		return r.elements(w.element)
	}
	v, kind, number, err := r.object.single()
	if err != nil && err != errSurrogate {
		return err
	}
	if len(w.columns) == 0 {
		return r.otherKind("value")
	}
	if err != nil {
		return inColumn(r.Paths[w.columns[0]], err)
	}
	for _, i := range w.columns {
		if kind == '"' && r.Batch.Columns[i].Type != columns.String {
			return inColumn(r.Paths[i], fmt.Errorf("the string %.40q %w", v, errKind))
		}
		if err := r.add(i, v, number, false); err != nil {
			return err
		}
	}
	return nil
}

// elements adds the requested parts of the elements of an array.
func (r *reader) elements(w *wanted) error {
	if err := r.object.enter(); err != nil {
		return err
	}
	for _, i := range w.each {
		r.listNull[i] = false
	}
	for n := 1; ; n++ {
		more, err := r.object.element()
		if err != nil || !more {
			return err
		}
		if n > r.options.MaxRowValues {
			return inColumn(r.Paths[w.each[0]], r.options.TooManyValues(n))
		}
		before := r.Batch.Columns[w.each[0]].Len()
		if err := r.value(w); err != nil {
			return err
		}
		if err := r.fill(w, before); err != nil {
			return err
		}
	}
}

// fill appends null to the columns that got no value from the last row or element: their length is
// still before.
func (r *reader) fill(w *wanted, before int) error {
	for _, i := range w.each {
		if r.Batch.Columns[i].Len() == before {
			if err := r.add(i, nil, numeral{}, true); err != nil {
				return err
			}
		}
	}
	return nil
}
