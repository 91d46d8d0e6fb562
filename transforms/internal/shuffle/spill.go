package shuffle

import (
	"bytes"
	"fmt"
	"os"
	"slices"

	"github.com/beameval/beameval/internal/wire"
)

// Spilled is data in consecutive parts of a file or, if File is "", in memory.
type Spilled struct {
	File  string
	Parts []FilePart
	Bytes []byte
}

// FilePart is Size bytes of a file.
type FilePart struct{ Offset, Size int64 }

// SpilledFields lists the fields of Spilled for a coder.
func SpilledFields(c *wire.Coder, s *Spilled) {
	wire.String(c, &s.File)
	wire.List(c, &s.Parts, func(c *wire.Coder, p *FilePart) {
		wire.Int(c, &p.Offset)
		wire.Int(c, &p.Size)
	})
	c.Bytes(&s.Bytes)
}

// Same reports whether s and other are the same data in the same place.
func (s *Spilled) Same(other *Spilled) bool {
	return s.File == other.File && slices.Equal(s.Parts, other.Parts) && bytes.Equal(s.Bytes, other.Bytes)
}

// Empty reports whether there are no data.
func (s *Spilled) Empty() bool { return s.size() == 0 && len(s.Bytes) == 0 }

func (s *Spilled) size() (n int64) {
	for _, p := range s.Parts {
		n += p.Size
	}
	return n
}

// Read returns the data.
func (s *Spilled) Read() ([]byte, error) { return s.ReadInto(nil) }

// ReadInto does the same as Read, but may use the memory of buf.
func (s *Spilled) ReadInto(buf []byte) ([]byte, error) {
	if s.File == "" {
		return s.Bytes, nil
	}
	data, err := s.readFile(buf)
	if err != nil {
		return nil, fmt.Errorf("reading temporary data: %w", err)
	}
	return data, nil
}

func (s *Spilled) readFile(buf []byte) ([]byte, error) {
	file, err := os.Open(s.File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	data := buf[:0]
	for _, p := range s.Parts {
		// Check the size first, so that no more memory is allocated than there are data.
		if p.Offset < 0 || p.Size < 0 || p.Size > info.Size()-p.Offset || int64(len(data)) > info.Size()-p.Size {
			return nil, fmt.Errorf("%s: truncated: %d bytes were written at offset %d, but the file has %d bytes", s.File, p.Size, p.Offset, info.Size())
		}
		data = slices.Grow(data, int(p.Size))
		part := data[len(data):][:p.Size]
		if _, err := file.ReadAt(part, p.Offset); err != nil {
			return nil, err
		}
		data = data[:len(data)+len(part)]
	}
	return data, nil
}

// Spill writes data to a file of its own in Dir or, if Dir is "", keeps them in memory. It exists
// because Beam's in-process runner holds everything that is shuffled in memory, several times. A
// Spill must be used by a single goroutine. As a field of a DoFn, its Dir travels to the workers.
type Spill struct {
	Dir string

	file *os.File
	size int64
}

// Write stores a copy of the data.
func (s *Spill) Write(data []byte) (Spilled, error) {
	var at Spilled
	return at, s.Extend(&at, data)
}

// Extend appends a copy of data to at, which must have been written since the last Close.
func (s *Spill) Extend(at *Spilled, data []byte) error {
	if s.Dir == "" {
		at.Bytes = append(at.Bytes, data...)
		return nil
	}
	if s.file == nil {
		file, err := os.CreateTemp(s.Dir, "shuffle-*")
		if err != nil {
			return notWritten(err)
		}
		s.file = file
	}
	if _, err := s.file.Write(data); err != nil {
		return notWritten(err)
	}
	at.File = s.file.Name()
	at.Parts = append(at.Parts, FilePart{s.size, int64(len(data))})
	s.size += int64(len(data))
	return nil
}

// Pack encodes a value and stores it.
func Pack[T any](to *Spill, v *T, fields func(*wire.Coder, *T)) (Spilled, error) {
	data, err := wire.Encode(v, fields)
	if err != nil {
		return Spilled{}, err
	}
	return to.Write(data)
}

// Unpack reads a value that Pack stored.
func Unpack[T any](from *Spilled, v *T, fields func(*wire.Coder, *T)) error {
	data, err := from.Read()
	if err != nil {
		return err
	}
	return wire.Decode(data, v, fields)
}

// Close closes the file; the next Write begins another. Files remain until their directory is
// removed after the run.
func (s *Spill) Close() error {
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file, s.size = nil, 0
	if err := file.Close(); err != nil {
		return notWritten(err)
	}
	return nil
}

// notWritten returns the error that temporary data could not be written, with advice.
func notWritten(err error) error {
	return fmt.Errorf("writing temporary data: %w; set TMPDIR to a directory that can be written and has enough space", err)
}

// Abandon removes what was written since the last Close, because no element refers to it.
func (s *Spill) Abandon() {
	if s.file == nil {
		return
	}
	name := s.file.Name()
	_ = s.Close() // the data are not wanted
	_ = os.Remove(name)
}

func init() { Register(SpilledFields) }
