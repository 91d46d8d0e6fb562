package transforms

import (
	"fmt"
	"slices"
	"strings"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/slice"
	"github.com/beameval/beameval/transforms/input"
	"github.com/beameval/beameval/transforms/internal/shuffle"
)

// requested finds the slices that are requested by their values but have no rows.
type requested struct {
	met    map[string]bool          // slices, and values of slices, as text
	values map[string][]slice.Value // by column, in order
}

// newRequested returns what the slices with rows show about values and their types.
func newRequested(met []slice.Key) *requested {
	a := &requested{met: make(map[string]bool), values: make(map[string][]slice.Value)}
	for _, key := range met {
		a.met[keyOf(key)] = true
		for i, v := range key {
			a.met[placeOf(key, i)] = true
			if at, found := slices.BinarySearchFunc(a.values[v.Column], v.Value, slice.Value.Compare); !found {
				a.values[v.Column] = slices.Insert(a.values[v.Column], at, v.Value)
			}
		}
	}
	return a
}

// keyOf identifies a slice regardless of the types of its values.
func keyOf(key slice.Key) string { return textOf(key).Encoded() }

// placeOf identifies value i of a slice among the slices of the same columns.
func placeOf(key slice.Key, i int) string {
	place := make(slice.Key, len(key), len(key)+1)
	for j, v := range key {
		place[j].Column = v.Column
	}
	return keyOf(append(place, key[i]))
}

// listedRequests is the largest number of slices and values without rows that warnings name.
const listedRequests = 10

// missing returns the slices without rows, of the sets that list all of their values, and warnings
// about them and, for all other sets, about listed values without rows.
func (a *requested) missing(sets []input.Slice) (list []slice.Key, warnings []string) {
	for _, set := range sets {
		key := make(slice.Key, len(set))
		set = slices.SortedFunc(slices.Values(set), func(a, b input.SliceColumn) int { return strings.Compare(a.Name(), b.Name()) })
		for i, c := range set {
			key[i].Column = c.Name()
		}
		if limited(set) {
			a.combine(set, key, 0, func() {
				if k := keyOf(key); !a.met[k] {
					a.met[k] = true
					list = append(list, slices.Clone(key))
					warnings = append(warnings, fmt.Sprintf("no row is in slice %s, which is asked for", key))
				}
			})
			continue
		}
		for i, c := range set {
			for _, v := range c.Values {
				key[i].Value = a.value(c.Name(), v)
				if place := placeOf(key, i); !a.met[place] {
					a.met[place] = true
					warnings = append(warnings, fmt.Sprintf("no row has the value %s, which is asked for", slice.Key{key[i]}))
				}
			}
		}
	}
	if more := len(warnings) - listedRequests; more > 0 {
		warnings = append(warnings[:listedRequests], fmt.Sprintf("no row has %d more of the slices and values that are asked for", more))
	}
	return list, warnings
}

// combine calls each with all combinations of values of the columns from i on.
func (a *requested) combine(set input.Slice, key slice.Key, i int, each func()) {
	if i == len(set) {
		each()
		return
	}
	for _, v := range set[i].Values {
		key[i].Value = a.value(set[i].Name(), v)
		a.combine(set, key, i+1, each)
	}
}

// value returns the value that is asked for, with its type in rows. If rows have it in several
// types, the first counts.
func (a *requested) value(column string, asked input.SliceValue) slice.Value {
	if i := slices.IndexFunc(a.values[column], asked.Constant().Is); i >= 0 {
		return a.values[column][i]
	}
	return asked.Key()
}

// limited reports whether the values of all columns of the set are listed.
func limited(set input.Slice) bool {
	return !slices.ContainsFunc(set, func(c input.SliceColumn) bool { return len(c.Values) == 0 })
}

// checkRequested returns an error if a set requests more slices than are allowed.
func checkRequested(j *shuffle.Job) error {
	limit, names := j.SliceLimit(), j.Params.Names
	for i, set := range j.Slices {
		n := 1
		for _, c := range set {
			if n *= max(len(c.Values), 1); n > limit && limited(set) {
				return fmt.Errorf("slices: more than %d slices: %s[%d] asks for %d or more; list fewer values, or set %s",
					limit, names.Of(settings.Slices), i, n, names.Of(settings.MaxSlices))
			}
		}
	}
	return nil
}
