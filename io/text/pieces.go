package text

import (
	"bytes"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/beameval/beameval/internal/processcounters"
)

// A file is planned in pieces: runs of whole rows that are read one after the other, and looked at side by side.
//
//	reading      piece │ piece │ piece │ …    ends behind a row, so outside quotes
//	helpers        meet    meet    meet       its rows by themselves: columns and types
//	in turn            follow  follow         adds them to the census of the rows before
//
// The first error in the order of the rows is the error of the file.

// pieceBytes is the approximate size of a piece: much larger than most rows, small enough for all caches and for files
// of many sizes.
const pieceBytes = 256 << 10

// census has the columns of some rows, and the types that their values allow.
type census interface {
	// none returns a census of no rows of the same file.
	none() census
	// meet adds rows, and returns their number.
	meet(r *rows) (n int64, err error)
	// follow adds the rows behind. If that fails, meeting them fails in the right place.
	follow(behind census) error
}

// helpers are shared by all files that are planned at the same time, because each piece takes memory: there are as many
// as cores, beside the goroutine of each file.
var helpers = make(chan struct{}, runtime.GOMAXPROCS(0)-1)

// survey is the planning of a file.
type survey struct {
	*layout
	all, none  census
	blockBytes int64
	free       chan []byte
	err        error // the first, in the order of the rows
	failed     atomic.Bool
}

// find divides the rows into blocks of about blockBytes bytes, and adds all rows to a census.
func (l *layout) find(r *rows, blockBytes int64, all census) error {
	size := int(max(min(pieceBytes, blockBytes, int64(r.most)), 1))
	s := &survey{layout: l, all: all, none: all.none(), blockBytes: blockBytes, free: make(chan []byte, cap(helpers)+1)}
	var running sync.WaitGroup
	turn := make(chan struct{})
	close(turn)
	for more := true; more && !s.failed.Load(); {
		var piece *rows
		piece, more = r.cut(size, s.free)
		before, done := turn, make(chan struct{})
		turn = done
		look := func() {
			s.look(piece, before)
			close(done)
		}
		if !more {
			look()
			break
		}
		select {
		case helpers <- struct{}{}:
			running.Go(func() {
				look()
				<-helpers
			})
		default:
			look()
		}
	}
	running.Wait()
	return s.err
}

// look looks at the rows of a piece and, when it is its turn, adds what it found.
func (s *survey) look(piece *rows, turn <-chan struct{}) {
	again := *piece
	found := s.none.none()
	n, err := found.meet(piece)
	processcounters.Planned.Add(n)
	<-turn
	if s.err == nil && err == nil {
		if err = s.all.follow(found); err != nil {
			rows := again
			if _, placed := s.all.meet(&rows); placed != nil {
				err = placed
			}
		}
	}
	if s.err == nil {
		s.add(block{offset: again.offset, size: piece.offset - again.offset, line: again.line, rows: n}, s.blockBytes)
		s.err = err
	}
	s.failed.Store(s.err != nil)
	select {
	case s.free <- again.buf:
	default:
	}
}

// add adds the rows of a piece to the last block, or begins another.
func (l *layout) add(piece block, blockBytes int64) {
	last := len(l.blocks) - 1
	switch {
	case piece.rows == 0:
	case last < 0 || l.compression == plain && l.blocks[last].size >= blockBytes:
		l.blocks = append(l.blocks, piece)
	default:
		b := &l.blocks[last]
		b.rows += piece.rows
		b.size = piece.offset + piece.size - b.offset
	}
}

// cut returns the next rows, about size bytes of them, in memory, and whether there are more. A row that is too long, or
// a failure to read, is left to the reader of the piece.
func (r *rows) cut(size int, free chan []byte) (piece *rows, more bool) {
	length, wanted := 0, size
	for {
		for r.last == nil && len(r.rest()) < wanted {
			r.fill()
		}
		if length = r.whole(size); length > 0 || r.last != nil {
			break
		}
		if n, lines := emptyLines(r.rest()); r.empty+n <= r.most {
			r.skip(n, lines)
			r.empty += n
		} else {
			break
		}
		if len(r.rest()) > r.most {
			break
		}
		wanted = min(max(size, 2*len(r.rest())), r.most+1)
	}
	this := *r
	piece = &this
	if length == 0 {
		return piece, false
	}
	piece.end, piece.last = r.start+length, io.EOF
	r.skip(length, int64(bytes.Count(piece.rest(), lineFeed)))
	r.empty = 0
	rest := r.rest()
	select {
	case r.buf = <-free:
	default:
		r.buf = nil
	}
	if most := max(size+firstBuffer, len(rest)); len(r.buf) < most {
		r.buf = make([]byte, most)
	}
	r.start, r.end = 0, copy(r.buf, rest)
	return piece, true
}

// whole returns the length of the first rows of the rest, of about size bytes. The last of these rows is not empty. The
// length is 0 if no row ends where the rest is known.
func (r *rows) whole(size int) int {
	rest := r.rest()
	if len(rest) < size {
		return 0
	}
	if length := r.endOfRow(rest, size-1, false); length > 0 {
		return length
	}
	return r.endOfRow(rest[:size], 0, true)
}

// endOfRow returns the end of the first or the last row of a text that is not empty and ends behind from; 0 if there is
// none.
func (r *rows) endOfRow(text []byte, from int, last bool) (found int) {
	open := r.quotes && bytes.Count(text[:from], quotes)%2 == 1
	for at := from; ; {
		size := bytes.IndexByte(text[at:], '\n')
		if size < 0 {
			return found
		}
		if r.quotes && bytes.Count(text[at:at+size], quotes)%2 == 1 {
			open = !open
		}
		at += size + 1
		if row := bytes.TrimSuffix(text[:at-1], []byte{'\r'}); !open && len(row) > 0 && row[len(row)-1] != '\n' {
			if found = at; !last {
				return found
			}
		}
	}
}

// emptyLines returns the size and the number of the empty lines with which a text begins.
func emptyLines(text []byte) (size int, lines int64) {
	for {
		rest := text[size:]
		switch {
		case bytes.HasPrefix(rest, []byte("\n")):
			size++
		case bytes.HasPrefix(rest, []byte("\r\n")):
			size += 2
		default:
			return size, lines
		}
		lines++
	}
}
