package columns

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// Source is a file with random access.
type Source interface {
	io.ReaderAt
	Size() int64
	Name() string // for messages
}

// ReadFull is like ReadAt, but accepts io.EOF together with the last bytes of the file.
func ReadFull(src io.ReaderAt, p []byte, offset int64) error {
	n, err := src.ReadAt(p, offset)
	switch {
	case n == len(p):
		return nil
	case err == nil || err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return err
}

// maxFooter limits the size of footers, which are read whole before anything in them can be
// checked.
const maxFooter = 64 << 20

// tailSize is the size of the first read at the end of a file. It usually includes the whole
// footer, which saves a round trip.
const tailSize = 64 << 10

// ReadFooter reads the footer of a file that ends in footer, length (four bytes) and magic, and
// begins with head bytes that cannot belong to the footer. If the file ends in another magic, it
// returns the error of other. The file must be long enough for an empty footer.
func ReadFooter(src Source, head int, magic string, other func(found string) error) ([]byte, error) {
	size := src.Size()
	after := 4 + len(magic)
	tail := make([]byte, min(size, tailSize))
	if err := ReadFull(src, tail, size-int64(len(tail))); err != nil {
		return nil, fmt.Errorf("reading the footer: %w", err)
	}
	body, end := tail[:len(tail)-after], tail[len(tail)-after:]
	if found := string(end[4:]); found != magic {
		return nil, other(found)
	}
	length := int64(binary.LittleEndian.Uint32(end))
	switch {
	case length > size-int64(head+after):
		return nil, fmt.Errorf("truncated or corrupt: a footer of %d bytes does not fit the %d bytes of the file", length, size)
	case length <= int64(len(body)):
		return body[int64(len(body))-length:], nil
	case length > maxFooter:
		return nil, fmt.Errorf("a footer of %d bytes, and at most %d are read: write larger row groups, fewer columns or less metadata", length, maxFooter)
	}
	footer := make([]byte, length)
	if err := ReadFull(src, footer, size-int64(after)-length); err != nil {
		return nil, fmt.Errorf("reading the footer: %w", err)
	}
	return footer, nil
}

// Ranger is a [Source] with slow requests, such as a remote file. It wants to know in advance what
// will be read.
type Ranger interface {
	Source
	// Ranges returns a reader of the source for a caller that will read each of these half-open
	// ranges completely.
	Ranges(ranges [][2]int64) io.ReaderAt
}

// OtherFormat says what a file is that begins with these bytes, if it is compressed in a way that no
// reader reads; otherwise it returns "".
func OtherFormat(head []byte) string {
	for _, known := range []struct{ magic, name, more string }{
		{"BZh", "bzip2", ""}, {"\xfd7zX", "xz", ""}, {"PK\x03\x04", "zip", "; save a workbook, such as .xlsx, as CSV"}, {"7z\xbc\xaf", "7-Zip", ""},
	} {
		if strings.HasPrefix(string(head), known.magic) {
			return "the file is compressed with " + known.name + ", which is not supported: decompress it or, if it is a text, compress it with gzip or zstd" + known.more
		}
	}
	return ""
}
