package text

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

// dialect defines how a row is divided into fields.
type dialect struct {
	comma  byte     // separator; 0 means any white space, and then there are no quotes
	header []string // names of the columns; nil if the first row has them
	names  []string // columns that are text whatever their values look like
	number string   // the column that must be numeric
	json   bool     // a row is a JSON object and has no fields
}

// dialects maps format names to dialects.
var dialects = map[string]dialect{
	CSV:   {comma: ','},
	TSV:   {comma: '\t'},
	Run:   {header: []string{"query_id", "q0", "doc_id", "rank", "score", "tag"}, names: []string{"query_id", "q0", "doc_id", "tag"}, number: "score"},
	Qrels: {header: []string{"query_id", "iteration", "doc_id", "relevance"}, names: []string{"query_id", "iteration", "doc_id"}, number: "relevance"},
	JSON:  {json: true},
}

// fields splits rows into fields.
type fields struct {
	dialect
	list [][]byte
	// Rows with quotes are parsed by encoding/csv, which is fed one row at a time.
	quoted  *csv.Reader
	row     bytes.Reader
	newline bytes.Reader
	text    []byte // contents of the fields of the quoted row
}

// of returns at least the first n fields of a row, or fewer if the row has fewer; n = -1 means all.
// The fields are valid until the next call.
func (f *fields) of(row []byte, n int) ([][]byte, error) {
	f.list = f.list[:0]
	switch {
	case f.comma == 0:
		for field := range bytes.FieldsSeq(row) {
			f.list = append(f.list, field)
		}
		return f.list, nil
	case bytes.IndexByte(row, '"') >= 0:
		return f.list, f.unquote(row)
	}
	for len(f.list) != n {
		i := bytes.IndexByte(row, f.comma)
		if i < 0 {
			f.list = append(f.list, row)
			break
		}
		f.list = append(f.list, row[:i])
		row = row[i+1:]
	}
	return f.list, nil
}

// tooMany returns the number of fields of a row if it exceeds the maximum of any file. It counts
// without allocating, because a row of 128 MiB may have that many fields.
func (f *fields) tooMany(row []byte) (n int, are bool) {
	if len(row) < maxColumns || f.comma != 0 && bytes.Count(row, []byte{f.comma}) < maxColumns {
		return 0, false
	}
	if f.comma == 0 {
		for range bytes.FieldsSeq(row) {
			n++
		}
		return n, n > maxColumns
	}
	n = 1
	quoted := false
	for _, c := range row {
		switch {
		case c == '"':
			quoted = !quoted
		case c == f.comma && !quoted:
			n++
		}
	}
	return n, n > maxColumns
}

// unquote splits a row with quotes.
func (f *fields) unquote(row []byte) error {
	if f.quoted == nil {
		f.quoted = csv.NewReader(feed{f})
		f.quoted.Comma, f.quoted.ReuseRecord, f.quoted.FieldsPerRecord = rune(f.comma), true, -1
	}
	f.row.Reset(row)
	f.newline.Reset([]byte{'\n'})
	record, err := f.quoted.Read()
	if err == nil && f.row.Len()+f.newline.Len() > 0 {
		err = csv.ErrQuote
	}
	if err != nil {
		f.quoted = nil // it may have buffered part of the row
		return quoteError(err)
	}
	f.text = f.text[:0]
	for _, field := range record {
		f.text = append(f.text, field...)
	}
	at := 0
	for _, field := range record {
		f.list = append(f.list, f.text[at:][:len(field)])
		at += len(field)
	}
	return nil
}

// feed is a reader of one row and its line end for encoding/csv.
type feed struct{ *fields }

func (r feed) Read(p []byte) (int, error) {
	if n, err := r.row.Read(p); err != io.EOF {
		return n, err
	}
	return r.newline.Read(p)
}

// quoteError explains an error of encoding/csv.
func quoteError(err error) error {
	switch {
	case errors.Is(err, csv.ErrBareQuote):
		return errors.New(`a quote in a value that is not quoted: quote the value, and write each quote in it twice`)
	case errors.Is(err, csv.ErrQuote), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New(`a quoted value goes on after its closing quote, or does not close: write a quote in a quoted value twice`)
	}
	return fmt.Errorf("quotes: %w", err)
}
