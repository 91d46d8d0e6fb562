package transforms

import (
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/io/slice"
)

// asked finds the slices that a configuration asks for by their values and that no
// row is in.
type asked struct {
	met    map[string]bool                        // slices, and values of slices, as configurations write them
	values map[string]map[slice.Value]slice.Value // of each column, by their texts
}

// newAsked returns what is known from the slices that rows are in.
func newAsked(met []slice.Key) *asked {
	a := &asked{met: make(map[string]bool), values: make(map[string]map[slice.Value]slice.Value)}
	for _, key := range met {
		a.met[keyOf(key)] = true
		for i, v := range key {
			a.met[placeOf(key, i)] = true
			if a.values[v.Column] == nil {
				a.values[v.Column] = make(map[slice.Value]slice.Value)
			}
			text := textOf(v.Value)
			// A value may be of several types; it is that of the first.
			if old, known := a.values[v.Column][text]; !known || v.Value.Compare(old) < 0 {
				a.values[v.Column][text] = v.Value
			}
		}
	}
	return a
}

// keyOf tells slices apart, but not the types of their values.
func keyOf(key slice.Key) string {
	key = slices.Clone(key)
	for i := range key {
		key[i].Value = textOf(key[i].Value)
	}
	return string(key.AppendBinary(nil))
}

// placeOf is the key of value i among the slices of the same columns.
func placeOf(key slice.Key, i int) string {
	place := make(slice.Key, len(key), len(key)+1)
	for j, v := range key {
		place[j].Column = v.Column
	}
	return keyOf(append(place, key[i]))
}

// missing returns the slices of the specs all whose values are given and that were
// not met, and warnings of them and, of other specs, of the values that were not met.
func (a *asked) missing(specs []Slice) (list []slice.Key, warnings []string) {
	warned := &firstWarnings{}
	for _, spec := range specs {
		key := make(slice.Key, len(spec))
		spec = slices.SortedFunc(slices.Values(spec), func(a, b SliceColumn) int { return strings.Compare(a.Column, b.Column) })
		for i, c := range spec {
			key[i].Column = c.Column
		}
		if spec.limited() {
			a.combine(spec, key, 0, func() {
				if k := keyOf(key); !a.met[k] {
					a.met[k] = true
					list = append(list, slices.Clone(key))
					warned.add("no row is in slice %s, which is asked for", key)
				}
			})
			continue
		}
		for i, c := range spec {
			for _, v := range c.Values {
				key[i].Value = a.value(c.Column, v)
				if place := placeOf(key, i); !a.met[place] {
					a.met[place] = true
					warned.add("no row has the value %s, which is asked for", slice.Key{key[i]})
				}
			}
		}
	}
	return list, warned.list()
}

// combine calls each with all combinations of values from column i on.
func (a *asked) combine(spec Slice, key slice.Key, i int, each func()) {
	if i == len(spec) {
		each()
		return
	}
	for _, v := range spec[i].Values {
		key[i].Value = a.value(spec[i].Column, v)
		a.combine(spec, key, i+1, each)
	}
}

// value is a value that is asked for: a text, unless rows have it in another type.
func (a *asked) value(column string, v SliceValue) slice.Value {
	if v.Null {
		return slice.Null()
	}
	text := slice.String(v.Text)
	if met, ok := a.values[column][text]; ok {
		return met
	}
	return text
}

// limited says whether the values of all columns are given.
func (s Slice) limited() bool {
	return !slices.ContainsFunc(s, func(c SliceColumn) bool { return len(c.Values) == 0 })
}

// checkAsked returns an error if a slice asks for more than most combinations of
// values.
func checkAsked(specs []Slice, most int) error {
	for i, spec := range specs {
		n := 1
		for _, c := range spec {
			if n *= max(len(c.Values), 1); n > most && spec.limited() {
				return fmt.Errorf("slices: more than %d slices: slices[%d] asks for %d or more; list fewer values, or set max_slices", most, i, n)
			}
		}
	}
	return nil
}

// firstWarnings are warnings, of which the first are told and the others counted.
type firstWarnings struct {
	first []string
	n     int
}

func (w *firstWarnings) add(format string, args ...any) {
	if w.n++; w.n <= 10 {
		w.first = append(w.first, fmt.Sprintf(format, args...))
	}
}

func (w *firstWarnings) list() []string {
	if more := w.n - len(w.first); more > 0 {
		return append(w.first, fmt.Sprintf("no row has %d more of the slices and values that are asked for", more))
	}
	return w.first
}
