package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
)

// rows iterates over the rows of a text file: its non-empty lines. A line feed inside quotes does
// not end a row.
type rows struct {
	in     io.Reader
	quotes bool // quotes may contain line feeds
	most   int  // maximum size of a row in bytes
	names  settings.Names
	line   int64
	offset int64 // of the next row
	empty  int   // size of the empty lines since the last row

	buf        []byte
	start, end int  // the unread part of buf
	zero       bool // a byte of what was read is zero, which makes its row an error
	last       error
}

// at returns an error with a line. err may already have a column.
func at(line int64, err error) error {
	e, known := err.(*columns.Error)
	if !known {
		e = inColumn("", err)
	}
	e.Line = line
	return e
}

// inColumn returns an error with a column.
func inColumn(name string, err error) *columns.Error {
	return &columns.Error{Column: name, Row: -1, Err: err}
}

var bom = []byte("\xef\xbb\xbf")

// begin skips a byte order mark of UTF-8, and rejects UTF-16, UTF-32 and lines that end in CR alone.
func (r *rows) begin() error {
	for r.last == nil && r.end < firstBuffer && (r.end < 4 || bytes.IndexByte(r.buf[:r.end], '\n') < 0) {
		r.fill()
	}
	head := r.buf[:r.end]
	for _, other := range []struct{ mark, name string }{{"\xff\xfe\x00\x00", "UTF-32"}, {"\x00\x00\xfe\xff", "UTF-32"}, {"\xff\xfe", "UTF-16"}, {"\xfe\xff", "UTF-16"}} {
		if bytes.HasPrefix(head, []byte(other.mark)) {
			return at(1, fmt.Errorf("the file is %s: write it as UTF-8", other.name))
		}
	}
	if i := bytes.IndexByte(head, '\r'); i >= 0 && i+1 < len(head) && bytes.IndexByte(head, '\n') < 0 {
		return at(1, errors.New("the lines end in CR alone: write the file with LF or CRLF at the end of each line"))
	}
	if bytes.HasPrefix(head, bom) {
		r.start, r.offset = len(bom), int64(len(bom))
	}
	return nil
}

// next returns the next row without its line end, and the number of its first line. The row is
// valid until the next call. After the last row, the error is io.EOF.
func (r *rows) next() (row []byte, line int64, err error) {
	for {
		line = r.line
		length, open, err := r.find()
		if err != nil {
			return nil, line, err
		}
		if length == 0 {
			return nil, line, io.EOF
		}
		row = r.buf[r.start:][:length]
		r.start += length
		r.offset += int64(length)
		if open {
			return nil, line, at(line, errors.New("a quote of this row does not close: close it, write a quote in a quoted value twice, or set "+r.names.Of(settings.NoQuotes)+" if quotes are characters like any other"))
		}
		row = bytes.TrimSuffix(bytes.TrimSuffix(row, []byte{'\n'}), []byte{'\r'})
		if r.zero {
			if i := bytes.IndexByte(row, 0); i >= 0 {
				return nil, line, at(line, fmt.Errorf("byte %d of the line is zero: the file is not a text in UTF-8", i+1))
			}
		}
		if len(row) > 0 {
			r.empty = 0
			return row, line, nil
		}
		if r.empty += length; r.empty > r.most { // a small compressed file may have them without end
			return nil, line, at(line, fmt.Errorf("more than %d MiB of empty lines end here: remove them, or set %s if that is no mistake", r.most>>20, r.names.Of(settings.MaxPage)))
		}
	}
}

// find returns the length of the next row including its line end, and whether the text ends inside
// quotes. It counts lines.
func (r *rows) find() (length int, open bool, err error) {
	line, searched := r.line, 0 // searched is the length of the prefix of the rest that has no line feed
	for {
		rest := r.buf[r.start+length : r.end]
		end := bytes.IndexByte(rest[searched:], '\n')
		if length+len(rest) > r.most && (end < 0 || length+searched+end > r.most) {
			return 0, false, at(line, r.tooLong(open))
		}
		if end < 0 && r.last == nil {
			searched = len(rest)
			r.fill()
			continue
		}
		if end >= 0 {
			end += searched
		}
		searched = 0
		if end < 0 && r.last != io.EOF {
			return 0, false, at(r.line, r.last)
		}
		if end >= 0 {
			rest = rest[:end+1]
			r.line++
		}
		if length += len(rest); r.quotes && bytes.Count(rest, quotes)%2 == 1 {
			open = !open
		}
		if end < 0 || !open {
			return length, open, nil
		}
	}
}

func (r *rows) tooLong(open bool) error {
	quote := ""
	if open {
		quote = "; does a quote close?"
	}
	return fmt.Errorf("the row that begins here has more than %d MiB%s: set %s if that is no mistake", r.most>>20, quote, r.names.Of(settings.MaxPage))
}

var quotes = []byte{'"'}

// firstBuffer is the initial size of the buffer.
const firstBuffer = 64 << 10

// fill reads more bytes into the buffer. It first moves the unread part to the front or enlarges
// the buffer if necessary.
func (r *rows) fill() {
	switch {
	case r.start > 0 && r.start >= r.end/2:
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	case r.end == len(r.buf):
		larger := make([]byte, max(firstBuffer, min(2*len(r.buf), r.most+firstBuffer)))
		r.end = copy(larger, r.buf[r.start:r.end])
		r.buf, r.start = larger, 0
	}
	n, err := r.in.Read(r.buf[r.end:])
	r.zero = r.zero || bytes.IndexByte(r.buf[r.end:r.end+n], 0) >= 0
	r.end += n
	r.last = err
}

// rest returns what was read of the following rows.
func (r *rows) rest() []byte { return r.buf[r.start:r.end] }

// skip skips some lines of the rest.
func (r *rows) skip(size int, lines int64) {
	r.start += size
	r.offset += int64(size)
	r.line += lines
}

// quick goes to the next row and lists its fields if [fields.quick] can.
func (r *rows) quick(f *fields, n int, more bool) bool {
	if f.comma == 0 || r.zero {
		return false
	}
	size, lines := f.quick(r.rest(), n, more)
	if size == 0 || size > r.most {
		return false
	}
	r.skip(size, lines)
	r.empty = 0
	return true
}
