package join

import "github.com/beameval/beameval/io/columns"

// fewStrings gives a column of ids a dictionary where the row group has far fewer ids than rows, such as queries
// whose items are in random order. Ids are read into loose tables, because most are as many as rows; but the
// entries of a dictionary page are cheaper to pass on as codes: each is looked up once for each table, not for
// each row.
type fewStrings struct {
	loose *columns.Strings // the table of the row group
	read  int              // how many strings it had
	dict  *columns.Strings // these strings; nil if they are not few
	col   columns.Column
}

// rowsPerString is the least number of rows for each string that pays for a dictionary.
const rowsPerString = 16

// column returns a column of a batch of a row group with so many rows, or the same values with a
// dictionary: then it shares all memory but Dict with the given column, and is valid until the next
// call. After a dictionary page, the table grows only if later pages have no codes.
func (f *fewStrings) column(c *columns.Column, rows int64) *columns.Column {
	if c == nil || c.Type != columns.String || !c.Dict.Loose() {
		return c
	}
	n := c.Dict.Len()
	if f.loose != c.Dict {
		f.loose, f.read, f.dict = c.Dict, n, nil
		if rowsPerString*int64(n) <= rows && c.OfPage() {
			f.dict = columns.StringsOf(c.Dict.Values())
		}
	}
	if f.dict == nil || n > f.read {
		return c
	}
	f.col = *c
	f.col.Dict = f.dict
	return &f.col
}
