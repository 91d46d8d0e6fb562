package transforms

import (
	"fmt"
	"os"
)

// spilled is data in a file, or in memory if File is "".
type spilled struct {
	File         string
	Offset, Size int64
	Bytes        []byte
}

// read returns the data.
func (s *spilled) read() ([]byte, error) {
	if s.File == "" {
		return s.Bytes, nil
	}
	data, err := s.readFile()
	if err != nil {
		return nil, fmt.Errorf("reading temporary data: %w", err)
	}
	return data, nil
}

func (s *spilled) readFile() ([]byte, error) {
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
		return nil, fmt.Errorf("%s: truncated: it has %d bytes, but %d from %d on were written", s.File, info.Size(), s.Size, s.Offset)
	}
	data := make([]byte, s.Size)
	_, err = file.ReadAt(data, s.Offset)
	return data, err
}

// spill puts data into a file of its own, or keeps them in memory if there is no
// directory for files. Beam's in-process runner holds whatever is shuffled in
// memory, several times over.
type spill struct {
	dir  string
	file *os.File
	size int64
}

// write puts data away; the caller may reuse them.
func (s *spill) write(data []byte) (spilled, error) {
	if s.dir == "" {
		return spilled{Bytes: append([]byte(nil), data...)}, nil
	}
	if s.file == nil {
		file, err := os.CreateTemp(s.dir, "shuffle-*")
		if err != nil {
			return spilled{}, fmt.Errorf("writing temporary data: %w", err)
		}
		s.file = file
	}
	if _, err := s.file.Write(data); err != nil {
		return spilled{}, fmt.Errorf("writing temporary data: %w", err)
	}
	at := spilled{File: s.file.Name(), Offset: s.size, Size: int64(len(data))}
	s.size += at.Size
	return at, nil
}

// close ends writing. What was written stays: the directory is removed after the
// run.
func (s *spill) close() error {
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

// abandon removes what was written since the last close: nobody was told of it.
func (s *spill) abandon() {
	if s.file == nil {
		return
	}
	name := s.file.Name()
	_ = s.close() // whatever was written is not wanted
	_ = os.Remove(name)
}

// bundleSpill is the part of a DoFn that puts data away.
type bundleSpill struct{ spill *spill }

// into returns where to put data, in files in dir if that is not "".
func (s *bundleSpill) into(dir string) *spill {
	if s.spill == nil {
		s.spill = &spill{dir: dir}
	}
	return s.spill
}

// close ends the writing of a bundle.
func (s *bundleSpill) close() error {
	if s.spill == nil {
		return nil
	}
	return marked(s.spill.close())
}

// Teardown removes what a failed bundle left, if it was the last.
func (s *bundleSpill) Teardown() {
	if s.spill != nil {
		s.spill.abandon()
	}
}
