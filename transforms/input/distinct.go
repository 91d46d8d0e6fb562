package input

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/beameval/beameval/io/columns"
	"github.com/beameval/beameval/transforms/internal/groupby"
)

// Distinct collects the hashes of the distinct values of a column. Several goroutines may use it at once, and the zero
// value is ready.
type Distinct struct {
	mu    sync.Mutex
	met   map[uint64]bool
	texts map[string]bool // those of the values that were met in row groups with dictionaries
}

// Add adds the values of a column of scalars except nulls, and returns the number of distinct values
// so far.
func (d *Distinct) Add(c *columns.Column) int {
	hashes := groupby.Hash(nil, c)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ready()
	for r, h := range hashes {
		if !c.IsNull(r) {
			d.met[h] = true
		}
	}
	return len(d.met)
}

// AddText adds a text that all rows of a file have, such as the value of a folder.
func (d *Distinct) AddText(s string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ready()
	d.met[groupby.HashString(s)] = true
	return len(d.met)
}

func (d *Distinct) ready() {
	if d.met == nil {
		d.met, d.texts = map[uint64]bool{}, map[string]bool{}
	}
}

// AddGroup adds the values of a column in a row group until there are more than most, and returns the number of distinct
// values so far. Where a dictionary has all values of the row group, it reads rows until each was met, and none if other
// row groups had them: a dictionary may have values that no row has.
func (d *Distinct) AddGroup(file columns.File, group int, path string, most int) (n int, err error) {
	var dictionary columns.Strings
	complete, err := file.Dictionary(group, path, &dictionary)
	if err != nil {
		return 0, err
	}
	unmet, n := d.unmet(&dictionary)
	if complete && len(unmet) == 0 {
		return n, nil
	}
	const rows = 8192
	for batch, err := range file.Peek(group, []string{path}, nil, rows) {
		if err != nil {
			return n, err
		}
		c := &batch.Columns[0]
		n = d.Add(c)
		if complete {
			d.meet(c, unmet)
		}
		if n > most || complete && len(unmet) == 0 {
			break
		}
	}
	return n, nil
}

// unmet returns the texts of a dictionary that no row had yet, and the number of distinct values so far.
func (d *Distinct) unmet(dictionary *columns.Strings) (map[string]bool, int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	unmet := map[string]bool{}
	for _, text := range dictionary.Values() {
		if !d.texts[text] {
			unmet[text] = true
		}
	}
	return unmet, len(d.met)
}

// meet takes the values of a column of texts or integers, which [Distinct.Add] has added, off those that are unmet.
func (d *Distinct) meet(c *columns.Column, unmet map[string]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := 0; i < c.Len() && len(unmet) > 0; i++ {
		if c.IsNull(i) {
			continue
		}
		text := ""
		if c.Type == columns.String {
			text = c.Dict.Values()[c.Codes[i]]
		} else {
			text = strconv.FormatInt(c.Ints[i], 10)
		}
		if unmet[text] {
			delete(unmet, text)
			d.texts[text] = true
		}
	}
}

// Hashes returns the hashes in ascending order.
func (d *Distinct) Hashes() []uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.met))
}
