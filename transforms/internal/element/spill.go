package element

import (
	"fmt"
	"os"
	"slices"

	"github.com/beameval/beameval/internal/wire"
)

// Spilled is data in a file or, if File is "", in memory.
type Spilled struct {
	File         string
	Offset, Size int64
	Bytes        []byte
}

// SpilledFields lists the fields for a coder.
func SpilledFields(c *wire.Coder, s *Spilled) {
	wire.String(c, &s.File)
	wire.Int(c, &s.Offset)
	wire.Int(c, &s.Size)
	c.Bytes(&s.Bytes)
}

// Empty says whether there are no data.
func (s *Spilled) Empty() bool { return s.Size == 0 && len(s.Bytes) == 0 }

// Read returns the data.
func (s *Spilled) Read() ([]byte, error) { return s.ReadInto(nil) }

// ReadInto is Read which may use the memory of buf.
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
	// So that no more memory is taken than there are data.
	if s.Offset < 0 || s.Size < 0 || s.Size > info.Size()-s.Offset {
		return nil, fmt.Errorf("%s: truncated: %d bytes were written at offset %d, but the file has %d bytes", s.File, s.Size, s.Offset, info.Size())
	}
	data := slices.Grow(buf[:0], int(s.Size))[:s.Size]
	_, err = file.ReadAt(data, s.Offset)
	return data, err
}

// Spill writes data to a file of its own in Dir or, if that is "", keeps them in memory:
// Beam's in-process runner holds whatever is shuffled in memory, several times over. A
// Spill is used by one goroutine. As a field of a DoFn, its Dir travels to the workers.
type Spill struct {
	Dir string

	file *os.File
	size int64
}

// Write stores a copy of the data.
func (s *Spill) Write(data []byte) (Spilled, error) {
	if s.Dir == "" {
		return Spilled{Bytes: append([]byte(nil), data...)}, nil
	}
	if s.file == nil {
		file, err := os.CreateTemp(s.Dir, "shuffle-*")
		if err != nil {
			return Spilled{}, fmt.Errorf("writing temporary data: %w", err)
		}
		s.file = file
	}
	if _, err := s.file.Write(data); err != nil {
		return Spilled{}, fmt.Errorf("writing temporary data: %w", err)
	}
	at := Spilled{File: s.file.Name(), Offset: s.size, Size: int64(len(data))}
	s.size += at.Size
	return at, nil
}

// Close closes the file; Write then begins another. Files stay until their directory is
// removed after the run.
func (s *Spill) Close() error {
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file, s.size = nil, 0
	if err := file.Close(); err != nil {
		return fmt.Errorf("writing temporary data: %w", err)
	}
	return nil
}

// Abandon removes what was written since the last Close: no element says where it is.
func (s *Spill) Abandon() {
	if s.file == nil {
		return
	}
	name := s.file.Name()
	_ = s.Close() // the data are not wanted
	_ = os.Remove(name)
}

func init() { Register(SpilledFields) }
