package parquet

import (
	"errors"
	"strconv"

	"github.com/parquet-go/parquet-go/format"

	"github.com/beameval/beameval/io/columns"
)

// Dictionary adds the dictionary of a column of texts or integers, these as text, of a row group to
// a table without reading any data pages. complete is true if, according to the footer, every value
// of the column chunk is in the dictionary; if it is false, the table is unchanged. A dictionary may
// contain values that no row has. Those that cannot be read, in rows neither, are left out.
func (f *File) Dictionary(rowGroup int, path string, into *columns.Strings) (complete bool, err error) {
	w, rows, err := f.Start(rowGroup, []string{path}, []*columns.Strings{into}, 1, true)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	field := &w.Fields[0]
	chunk := &f.chunks[rowGroup][field.Leaf]
	known := field.Type == columns.String || field.Type == columns.Int
	if !known || chunk.values == 0 || !chunk.coded {
		return known && chunk.values == 0, nil
	}
	switch l := rows.(*reader).columns[0].(type) {
	case *leafReader[int32]: // decoding adds the texts to the table
		complete, err = true, l.onlyDictionary()
	case *leafReader[int64]:
		err = l.onlyDictionary()
		if complete = err == nil && l.bad == nil; complete {
			for _, n := range l.dictionary {
				into.CodeOf(strconv.FormatInt(n, 10))
			}
		}
	}
	if err != nil {
		return false, f.Fail(rowGroup, &columns.Error{Column: path, Row: -1, Err: err})
	}
	return complete, nil
}

// onlyDictionary reads the first page, which must be the dictionary.
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

// isCoded reports whether, according to the footer, every data page is dictionary-encoded.
func isCoded(m *columnMetadata) bool {
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
		// PLAIN may be the encoding of the dictionary page or of data pages that do not use it.
		for _, e := range m.Encodings {
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
