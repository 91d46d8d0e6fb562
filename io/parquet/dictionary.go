package parquet

import (
	"errors"

	"github.com/parquet-go/parquet-go/format"

	"github.com/beameval/beameval/io/columns"
)

// Dictionary adds the dictionary of a textual column of a row group to a table, and reads
// nothing else. complete is true if the footer says that all values of the rows are in the
// dictionary; otherwise the table is unchanged. A dictionary may hold values that no row
// has.
func (f *File) Dictionary(rowGroup int, path string, into *columns.Strings) (complete bool, err error) {
	w, rows, err := f.Start(rowGroup, []string{path}, []*columns.Strings{into}, 1, true)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	l, textual := rows.(*reader).columns[0].(*leafReader[int32])
	switch c := &f.chunks[rowGroup][w.Fields[0].Leaf]; {
	case !textual:
		return false, nil
	case c.values == 0:
		return true, nil
	case !c.coded:
		return false, nil
	}
	if err := l.onlyDictionary(); err != nil {
		return false, f.Fail(rowGroup, &columns.Error{Column: path, Row: -1, Err: err})
	}
	return true, nil
}

// onlyDictionary reads the first page, which is the dictionary.
func (l *leafReader[T]) onlyDictionary() (err error) {
	defer columns.Contain(&err)
	h, err := l.read()
	if err != nil {
		return err
	}
	if h.Type != format.DictionaryPage {
		return errors.New("the column chunk has no dictionary, but the footer says so")
	}
	return l.dictionaryPage(h, l.readDictionary)
}

// isCoded says whether, according to the footer, all data pages refer to a dictionary.
func isCoded(m *format.ColumnMetaData) bool {
	refers, other := 0, 0
	for _, s := range m.EncodingStats {
		switch {
		case s.PageType == format.DictionaryPage:
		case s.Encoding == format.RLEDictionary || s.Encoding == plainDictionary:
			refers++
		default:
			other++
		}
	}
	if len(m.EncodingStats) == 0 {
		// PLAIN may be the encoding of the dictionary, or of data pages without one.
		for _, e := range m.Encoding {
			switch e {
			case format.RLEDictionary, plainDictionary:
				refers++
			case format.RLE, format.BitPacked: // levels
			default:
				other++
			}
		}
	}
	return refers > 0 && other == 0
}
