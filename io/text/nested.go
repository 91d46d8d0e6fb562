package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/io/quote"
)

// maxColumns limits the number of columns of a file: a JSON object that is used as a map has an
// unlimited number of keys.
const maxColumns = 10_000

// nested is the tree of the columns of JSON. Each key is a column. A column of objects has a child
// for each key, and a column of lists has a single child for the elements. Parents precede their
// children.
type nested struct {
	file    string
	in      object
	columns []column
	numbers map[child]int
	usual   []habit[int] // of the keys of the file, and of each column
	known   known[int]   // columns of rows of one shape
}

// child identifies a column by its parent and its key.
type child struct {
	in      int
	name    string
	element bool
}

var errColumns = fmt.Errorf("more than %d columns", maxColumns)

// key returns the number of the column of the nth key of an object. It does not allocate if the key was there before.
func (t *nested) key(in, n int, name []byte) (int, error) {
	for len(t.usual) <= len(t.columns) {
		t.usual = append(t.usual, nil)
	}
	if i, is := t.usual[in].at(n, name); is {
		return i, nil
	}
	i, known := t.numbers[child{in: in, name: string(name)}]
	if !known {
		var err error
		if i, err = t.add(child{in: in, name: string(name)}); err != nil {
			return 0, err
		}
	}
	t.usual[in].set(n, name, i)
	return i, nil
}

// add returns the number of a column and adds the column if it is new.
func (t *nested) add(c child) (int, error) {
	if i, known := t.numbers[c]; known {
		return i, nil
	}
	if len(t.columns) >= maxColumns {
		return 0, errColumns
	}
	if t.numbers == nil {
		t.numbers = make(map[child]int)
	}
	t.columns = append(t.columns, column{in: c.in, name: c.name, element: c.element})
	t.numbers[c] = len(t.columns) - 1
	return t.numbers[c], nil
}

// path returns the name of a column for messages.
func (t *nested) path(in int) string {
	var keys []string
	for ; in > 0; in = t.columns[in-1].in {
		if c := t.columns[in-1]; !c.element {
			keys = append([]string{c.name}, keys...)
		}
	}
	if keys == nil {
		return "the file"
	}
	return quote.Value(strings.Join(keys, "."))
}

func (t *nested) none() census { return &nested{file: t.file} }

func (t *nested) meet(r *rows) (n int64, err error) {
	for ; ; n++ {
		row, line, err := r.next()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if err := t.row(row, place{t.file, line}); err != nil {
			return n, at(line, err)
		}
	}
}

// follow adds the columns of the rows behind.
func (t *nested) follow(behind census) error {
	_, err := t.merge(behind.(*nested).columns)
	return err
}

// merge adds other columns, and returns the numbers that they have here.
func (t *nested) merge(others []column) (numbers []int, err error) {
	numbers = make([]int, len(others))
	for j := range others {
		c := &others[j]
		in := 0
		if c.in > 0 {
			in = numbers[c.in-1] + 1
		}
		if numbers[j], err = t.add(child{in, c.name, c.element}); err != nil {
			return nil, err
		}
		t.columns[numbers[j]].merge(c)
	}
	return numbers, nil
}

// row adds the values of a row to the columns.
func (t *nested) row(row []byte, at place) error {
	if err := t.in.begin(row); err != nil {
		return err
	}
	if columns, is := t.known.of(&t.in); is {
		for n, i := range columns {
			t.in.tokens.to(n)
			if err := t.value(i, at); err != nil {
				return err
			}
		}
		return nil
	}
	if err := t.object(0, at); err != nil {
		return err
	}
	return t.in.end()
}

// object adds the members of an object to the children of a column.
func (t *nested) object(in int, at place) error {
	for n := 0; ; n++ {
		name, more, err := t.in.member()
		if err != nil || !more {
			return err
		}
		i, err := t.key(in, n, name)
		if in == 0 {
			t.known.set(&t.in, n, i)
		}
		if err == nil {
			err = t.value(i, at)
		}
		if err == errColumns {
			err = fmt.Errorf("%s has keys that make %w: write an object whose keys differ from row to row as an array of {label, score}", t.path(in), err)
		}
		if err != nil {
			return err
		}
	}
}

// value adds a value to column i.
func (t *nested) value(i int, at place) error {
	o := &t.in
	switch o.kind() {
	case 'n':
		return o.skip()
	case '{':
		t.columns[i].meetKind(anObject, at)
		if err := o.enter(); err != nil {
			return err
		}
		return t.object(i+1, at)
	case '[':
		t.columns[i].meetKind(aList, at)
		if err := o.enter(); err != nil {
			return err
		}
		elements, err := t.add(child{in: i + 1, element: true})
		if err != nil {
			return err
		}
		for {
			more, err := o.element()
			if err == nil && more {
				err = t.value(elements, at)
			}
			if err != nil || !more {
				return err
			}
		}
	}
	v, kind, number, err := o.single()
	if err != nil && err != errSurrogate { // it matters only to those who read the column
		return err
	}
	c := &t.columns[i]
	c.meetKind(aValue, at)
	switch kind {
	case '"':
		c.meetClass(isOther, v, at)
	case 't', 'f':
		c.meetClass(isBool, v, at)
	default:
		class := number.class
		if class == 0 {
			class = classOf(v)
		}
		c.meetClass(class, v, at)
	}
	return nil
}

// The kinds of JSON values.
const (
	aValue = iota
	aList
	anObject
)

var kinds = [...]struct {
	classes classes
	name    string
}{aValue: {^(isList | isObject), "a single value"}, aList: {isList, "an array"}, anObject: {isObject, "an object"}}

// meetKind records the kind of a value.
func (c *column) meetKind(kind int, at place) {
	if kind != aValue {
		c.classes |= kinds[kind].classes
	}
	if c.kinds[kind].line == 0 {
		c.kinds[kind] = at
	}
}

// mixed returns why a column has no type if it has values of several kinds; otherwise "".
func (c *column) mixed() string {
	var met []string
	for i, kind := range kinds {
		if c.classes&kind.classes == 0 {
			continue
		}
		name := kind.name
		if at := c.kinds[i]; at.line > 0 {
			name += fmt.Sprintf(" in %s, line %d", at.file, at.line)
		}
		met = append(met, name)
	}
	if len(met) < 2 {
		return ""
	}
	return fmt.Sprintf("it is %s: write one kind of values", strings.Join(met, " and "))
}

// leavesOf returns the leaf columns: those that hold single values, and those that cannot be read.
func leavesOf(list []column) (leaves []columns.Field) {
	names, lists, reasons := make([]columns.Name, len(list)), make([]int, len(list)), make([]string, len(list))
	for i := range list {
		c := &list[i]
		if c.in > 0 {
			names[i], lists[i], reasons[i] = names[c.in-1], lists[c.in-1], reasons[c.in-1]
		}
		if c.element {
			lists[i]++
		} else {
			names[i] = names[i].Below(c.name)
		}
		mixed := c.mixed()
		if reasons[i] == "" {
			reasons[i] = mixed
		}
		if mixed == "" && c.classes&(isList|isObject) != 0 {
			continue // only its children are leaves
		}
		leaf := columns.NewField(names[i], i, lists[i], c.logical(), reasons[i])
		if leaf.Reason == "" && !c.element && c.name == "" {
			leaf.Reason = "it has no name"
		}
		leaves = append(leaves, leaf)
	}
	return leaves
}
