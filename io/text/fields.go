package text

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
)

// dialect defines how a row is divided into fields.
type dialect struct {
	comma  byte     // separator; 0 means any white space, and then there are no quotes
	bare   bool     // quotes are like any other character
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
	names    settings.Names
	nulls    map[string]bool // texts that mean null
	ends     [256]bool       // what ends an unquoted value, or is odd in one
	skip     []bool          // whether a leading column is one that nobody reads; nil if all are read
	list     [][]byte
	numerals []numeral // of the list, or empty
	text     []byte    // contents of the quoted fields of the row
}

func newFields(d dialect, o columns.Options) fields {
	f := fields{dialect: d, names: o.Names}
	for _, c := range []byte{d.comma, '\n', '\r', '"'} {
		f.ends[c] = c != '"' || !d.bare
	}
	if d.comma != 0 && len(o.NullValues) > 0 {
		f.nulls = make(map[string]bool, len(o.NullValues))
		for _, text := range o.NullValues {
			f.nulls[text] = true
		}
	}
	return f
}

// isNull reports whether a value means null.
func (f *fields) isNull(v []byte) bool { return len(v) == 0 || f.nulls != nil && f.nulls[string(v)] }

// of returns at least the first n fields of a row, or fewer if the row has fewer; n = -1 means all.
// The fields are valid until the next call.
func (f *fields) of(row []byte, n int) ([][]byte, error) {
	f.list, f.numerals = f.list[:0], f.numerals[:0]
	switch {
	case f.comma == 0:
		for field := range bytes.FieldsSeq(row) {
			f.list = append(f.list, field)
		}
		return f.list, nil
	case !f.bare && bytes.IndexByte(row, '"') >= 0:
		err := f.unquote(row)
		return f.list, err
	}
	if !f.bare && bytes.IndexByte(row, '\r') >= 0 {
		return f.list, errBareCR
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

// quick splits the first row of a text if nothing about it is odd, as [rows.next] and [fields.of] would with many looks
// at each byte: each value is unquoted, or stands in quotes without any quote inside, and LF or CRLF end the row. It
// lists the first n fields, after which there may be more or none. It returns the size of the row and the number of its
// lines; size is 0 if the row may be odd, is empty, has another number of fields, or goes on behind the text.
func (f *fields) quick(text []byte, n int, more bool) (size int, lines int64) {
	f.list, f.numerals, lines = f.list[:0], f.numerals[:0], 1
	for i := 0; i < len(text); i++ {
		value, number, length := text[i:], numeral{}, 0
		if text[i] == '"' && !f.bare {
			value = text[i+1:]
			if number, length = numeralOf(value); length == len(value) || value[length] != '"' {
				number, length = numeral{}, bytes.IndexByte(value, '"')
				if length < 0 {
					return 0, 0
				}
				lines += int64(bytes.Count(value[:length], lineFeed))
			}
			i += length + 2
		} else {
			if at := len(f.list); at < len(f.skip) && f.skip[at] {
				length = f.unquoted(value)
			} else if number, length = numeralOf(value); length == len(value) || !f.ends[value[length]] {
				number, length = numeral{}, f.unquoted(value)
			}
			if i += length; i == 0 && text[0] != f.comma {
				return 0, 0
			}
		}
		if len(f.list) < n {
			f.list, f.numerals = append(f.list, value[:length]), append(f.numerals, number)
		}
		if i+1 < len(text) && text[i] == '\r' {
			i++
		} else if i < len(text) && text[i] == f.comma {
			if len(f.list) == n {
				if end := f.plainLine(text[i:]); end > 0 && more {
					return i + end, lines
				} else if !more {
					break
				}
			}
			continue
		}
		if i < len(text) && text[i] == '\n' && len(f.list) == n {
			return i + 1, lines
		}
		break
	}
	return 0, 0
}

// shortValue is the size of values that are searched for their end byte by byte.
const shortValue = 24

// unquoted returns the length of the unquoted value with which a text begins.
func (f *fields) unquoted(text []byte) int {
	for i, c := range text[:min(len(text), shortValue)] {
		if f.ends[c] {
			return i
		}
	}
	for _, end := range []byte{'\n', f.comma, '\r', '"'} {
		if i := bytes.IndexByte(text, end); i >= 0 && f.ends[end] {
			text = text[:i]
		}
	}
	return len(text)
}

// plainLine returns the size of the rest of a line that has no quotes, with its line feed, or 0.
func (f *fields) plainLine(rest []byte) int {
	end := bytes.IndexByte(rest, '\n')
	if end >= 0 && !f.bare && bytes.IndexByte(rest[:end], '"') >= 0 {
		return 0
	}
	return end + 1
}

var lineFeed = []byte{'\n'}

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
		case c == '"' && !f.bare:
			quoted = !quoted
		case c == f.comma && !quoted:
			n++
		}
	}
	return n, n > maxColumns
}

// unquote splits a row with quotes. What is in quotes stays as it is, line ends included.
func (f *fields) unquote(row []byte) error {
	f.text = f.text[:0]
	for {
		var field []byte
		end := bytes.IndexByte(row, f.comma)
		if len(row) > 0 && row[0] == '"' {
			begin := len(f.text)
			size, err := f.quoted(row[1:])
			if err != nil {
				return err
			}
			field, end = f.text[begin:], 1+size
			if row = row[end:]; len(row) == 0 {
				end = -1
			} else if end = 0; row[0] != f.comma {
				return f.badQuotes()
			}
		} else {
			if field = row; end >= 0 {
				field = row[:end]
			}
			switch {
			case bytes.IndexByte(field, '"') >= 0:
				return f.bareQuote()
			case bytes.IndexByte(field, '\r') >= 0:
				return errBareCR
			}
		}
		f.list = append(f.list, field)
		if end < 0 {
			return nil
		}
		row = row[end+1:]
	}
}

// quoted appends the contents of a quoted field to the text. row begins behind the opening quote;
// size is how much of it the field takes.
func (f *fields) quoted(row []byte) (size int, err error) {
	for {
		i := bytes.IndexByte(row[size:], '"')
		if i < 0 {
			return size, f.badQuotes()
		}
		f.text = append(f.text, row[size:size+i]...)
		size += i + 1
		if size == len(row) || row[size] != '"' {
			return size, nil
		}
		f.text = append(f.text, '"')
		size++
	}
}

// errBareCR is about a value that would end in CR or have one inside: others take it for the end of a row.
var errBareCR = errors.New("a carriage return (CR) that ends no line, in a value that is not quoted: end lines with LF or CRLF, not with CRCRLF, and quote a value that has one")

// bareQuote returns the error for a quote inside a value.
func (f *fields) bareQuote() error {
	return f.quoteError("a quote in a value that is not quoted: quote the value, and write each quote in it twice")
}

// badQuotes returns the error for a quoted value that does not end with its closing quote.
func (f *fields) badQuotes() error {
	return f.quoteError("a quoted value goes on after its closing quote, or does not close: write a quote in a quoted value twice")
}

func (f *fields) quoteError(what string) error {
	return fmt.Errorf("%s, or set %s if quotes are characters like any other", what, f.names.Of(settings.NoQuotes))
}
