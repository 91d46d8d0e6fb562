package columns

import (
	"errors"

	"github.com/parquet-go/parquet-go/format"
)

// Dictionary adds to a table the values that rows of a row group can have in a textual
// column, where the footer says that all are in the dictionary of the column chunk, and
// reads nothing else. Otherwise, complete is false. No row need have a value of a dictionary.
func (f *File) Dictionary(rowGroup int, path string, into *Strings) (complete bool, err error) {
	r, err := f.reader(rowGroup, []string{path}, []*Strings{into})
	if err != nil {
		return false, err
	}
	defer r.recycle()
	field, err := f.schema.Lookup(path)
	if err != nil {
		return false, err
	}
	l, textual := r.columns[0].(*leafReader[int32])
	switch c := &f.groups[rowGroup].chunks[field.leaf]; {
	case !textual:
		return false, nil
	case c.values == 0:
		return true, nil
	case !c.coded:
		return false, nil
	}
	if err := l.onlyDictionary(); err != nil {
		return false, f.fail(rowGroup, path, -1, err)
	}
	return true, nil
}

// onlyDictionary reads the dictionary, which is the first page.
func (l *leafReader[T]) onlyDictionary() (err error) {
	defer contain(&err)
	h, err := l.read()
	if err != nil {
		return err
	}
	if h.Type != format.DictionaryPage {
		return errors.New("the column chunk has no dictionary, but the footer says so")
	}
	return l.dictionaryPage(h, l.readDictionary)
}

// isCoded says whether all data pages refer to a dictionary, so far as the footer tells.
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
		// PLAIN may be of the dictionary, or of pages that go on without it.
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
