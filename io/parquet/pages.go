package parquet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/beameval/beameval/internal/settings"
	"github.com/beameval/beameval/io/columns"
)

// maxEntries is the maximum number of values of a column in a batch.
const maxEntries = 1 << 28

// readSize is the size of the read-ahead buffer of a column chunk. A page body larger than the
// buffer is read with a single call. Sources with high latency, such as object stores, read ahead
// themselves.
const readSize = 64 << 10

// maxHeader is the maximum size of a page header. Headers are small, except that some writers copy
// whole values into the statistics.
const maxHeader = 16 << 20

// page is a decompressed data page.
type page struct {
	n          int    // number of entries; each has a repetition level and a definition level
	reps, defs []byte // encoded levels
	repEnc     format.Encoding
	defEnc     format.Encoding
	encoding   format.Encoding
	data       []byte // encoded values
}

// pages iterates over the pages of a column chunk. Both versions of data pages hold two sequences
// of levels followed by the values:
//
//	version 1:  compress( length reps │ length defs │ values )
//	version 2:  reps │ defs │ compress( values )      lengths are in the header
//
// There is one repetition and one definition level for each entry, and one value for each entry
// whose definition level is the highest. A repetition level of 0 begins a row. Lower definition
// levels tell a null value from an empty list and from a null list. Columns without lists store no
// repetition levels, and required columns store no definition levels.
type pages struct {
	*leaf
	*scratch
	codec   format.CompressionCodec
	always  bool // pages of version 2 are compressed even if they say that they are not
	lowest  bool // levels that are BIT_PACKED begin with the lowest bit
	options columns.Options
	chunk   *io.SectionReader
	in      *bufio.Reader // reads from chunk
	left    int64         // bytes of the chunk that have not been read
	values  int64         // values of the chunk whose pages have not been read
}

// begin starts reading a chunk. It keeps only the memory of the previous chunk.
func (p *pages) begin(src io.ReaderAt, o columns.Options, l *leaf, c *chunk, s *scratch) {
	if p.in == nil {
		p.in = bufio.NewReaderSize(nil, readSize)
	}
	p.chunk = io.NewSectionReader(src, c.start, c.size)
	p.in.Reset(p.chunk)
	p.leaf, p.scratch, p.codec, p.always, p.lowest, p.options, p.left, p.values = l, s, c.codec, c.compressed, c.lowestFirst, o, c.size, c.values
}

// errNoPage is the error for rows that are wanted after the last page.
var errNoPage = errors.New("the column has fewer rows than its row group")

// next returns the next data page that has entries, or errNoPage. The page is valid until the next
// call. A dictionary page is passed to the given function.
func (p *pages) next(dictionary func(h *format.DictionaryPageHeader, src []byte) error) (d page, err error) {
	for p.values > 0 {
		h, err := p.read()
		if err != nil {
			return d, err
		}
		size := int(h.UncompressedPageSize)
		v1, v2 := &h.DataPageHeader, &h.DataPageHeaderV2
		switch {
		case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
			err = p.dictionaryPage(h, dictionary)
		case h.Type == format.DataPage && v1.Valid:
			d, err = p.version1(&v1.V, size)
		case h.Type == format.DataPageV2 && v2.Valid:
			d, err = p.version2(&v2.V, size)
		case h.Type <= format.DataPageV2 && h.Type != format.IndexPage:
			err = errors.New("corrupt page header")
		}
		if p.values -= int64(d.n); err != nil || d.n > 0 {
			return d, err
		}
	}
	return d, errNoPage
}

func (p *pages) dictionaryPage(h *format.PageHeader, dictionary func(h *format.DictionaryPageHeader, src []byte) error) error {
	of := &h.DictionaryPageHeader.V
	src, err := p.decompress(p.codec, p.body, int(h.UncompressedPageSize), int(of.NumValues), format.Plain)
	if err == nil {
		err = dictionary(of, src)
	}
	if err != nil {
		return fmt.Errorf("reading the dictionary: %w", err)
	}
	return nil
}

// read reads the header of the next page and its body as stored.
func (p *pages) read() (*format.PageHeader, error) {
	if p.left == 0 {
		return nil, fmt.Errorf("the column chunk ends %d values early", p.values)
	}
	h, err := p.header()
	if err != nil {
		return nil, err
	}
	size, limit := int64(h.CompressedPageSize), p.options.MaxPage
	switch {
	case size < 0 || h.UncompressedPageSize < 0:
		return nil, fmt.Errorf("corrupt page header: %d bytes, uncompressed %d", size, h.UncompressedPageSize)
	case size > p.left:
		return nil, fmt.Errorf("corrupt page header: a page of %d bytes where the column chunk has %d left", size, p.left)
	case max(size, int64(h.UncompressedPageSize)) > limit:
		return nil, p.tooLarge(fmt.Sprintf("%d bytes", max(size, int64(h.UncompressedPageSize))))
	}
	p.body = slices.Grow(p.body[:0], int(size))[:size]
	if _, err := io.ReadFull(p.in, p.body); err != nil {
		return nil, fmt.Errorf("reading a page of %d bytes: %w", size, noEOF(err))
	}
	p.left -= size
	if h.CRC != 0 && crc32.ChecksumIEEE(p.body) != uint32(h.CRC) {
		return nil, errors.New("the page's checksum does not match: the file is corrupt")
	}
	return h, nil
}

// header reads the header of the next page. The length of a header is not stored, so it decodes
// larger and larger prefixes until one is long enough.
func (p *pages) header() (*format.PageHeader, error) {
	h := new(format.PageHeader)
	for n := int64(4 << 10); ; n *= 4 {
		b, err := p.peek(min(n, p.left))
		if err != nil {
			return nil, fmt.Errorf("reading a page header: %w", noEOF(err))
		}
		size, err := decodeThrift(b, h)
		switch {
		case err == nil:
			p.left -= int64(size)
			if _, err := p.in.Discard(size); err != nil {
				return nil, fmt.Errorf("reading a page header: %w", noEOF(err))
			}
			return h, nil
		case n >= p.left || !errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("corrupt page header: %w", undecoded(err))
		case n >= maxHeader:
			return nil, fmt.Errorf("corrupt page header, or one of more than %d bytes: write the file again without statistics of pages", maxHeader)
		}
	}
}

// peek returns the next n bytes without consuming them. If they do not fit the read-ahead buffer,
// they are read into the memory for the page body.
func (p *pages) peek(n int64) ([]byte, error) {
	if n <= readSize {
		return p.in.Peek(int(n))
	}
	p.body = slices.Grow(p.body[:0], int(n))[:n]
	return p.body, columns.ReadFull(p.chunk, p.body, p.chunk.Size()-p.left)
}

// noEOF turns io.EOF into io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (p *pages) entries(n int32) (int, error) {
	switch {
	case n < 0 || int64(n) > p.values:
		return 0, fmt.Errorf("corrupt page header: %d values where the column chunk has %d left", n, p.values)
	case int64(n) > p.options.MaxPage/8:
		return 0, p.tooLarge(fmt.Sprintf("%d values, of 8 bytes each,", n))
	}
	return int(n), nil
}

// tooLarge returns the error for a page that exceeds Options.MaxPage.
func (p *pages) tooLarge(what string) error {
	return fmt.Errorf("a page of %s is larger than the limit of %d bytes: raise %s", what, p.options.MaxPage, p.options.Names.Of(settings.MaxPage))
}

// plausible checks the uncompressed size in a page header against its number of values, assuming
// the least compact encoding. Byte arrays can have any length.
func (p *pages) plausible(size, n int, encoding format.Encoding) error {
	const (
		slack  = 64 << 10
		levels = 8
	)
	width := 8
	switch {
	case encoding == format.RLEDictionary || encoding == plainDictionary:
	case p.physical == format.ByteArray:
		return nil
	case p.physical == format.Int96:
		width = 12
	case p.physical == format.FixedLenByteArray:
		width = max(width, p.length)
	}
	if int64(size) > slack+int64(n)*int64(levels+2*width) {
		return fmt.Errorf("corrupt page header: %d bytes are too many for %d values", size, n)
	}
	return nil
}

// version1 reads a page of version 1: it is compressed as a whole, and each sequence of levels
// follows its length.
func (p *pages) version1(h *format.DataPageHeader, size int) (d page, err error) {
	if d.n, err = p.entries(h.NumValues); err != nil {
		return page{}, err
	}
	if d.data, err = p.decompress(p.codec, p.body, size, d.n, h.Encoding); err != nil {
		return d, err
	}
	d.encoding, d.repEnc, d.defEnc = h.Encoding, h.RepetitionLevelEncoding, h.DefinitionLevelEncoding
	if d.reps, d.data, err = levelsV1(d.repEnc, d.data, d.n, p.rep); err != nil {
		return d, fmt.Errorf("repetition levels: %w", err)
	}
	if d.defs, d.data, err = levelsV1(d.defEnc, d.data, d.n, p.def); err != nil {
		return d, fmt.Errorf("definition levels: %w", err)
	}
	if p.lowest {
		d.reps, d.repEnc = asRun(d.reps, d.repEnc, d.n, p.rep)
		d.defs, d.defEnc = asRun(d.defs, d.defEnc, d.n, p.def)
	}
	return d, nil
}

// asRun makes a bit-packed run of RLE, which begins with the lowest bit, of levels that are BIT_PACKED.
func asRun(src []byte, encoding format.Encoding, n, highest int) ([]byte, format.Encoding) {
	if encoding != format.BitPacked {
		return src, encoding
	}
	groups := (n + 7) / 8
	run := append(binary.AppendUvarint(nil, uint64(groups)<<1|1), src...)
	return append(run, make([]byte, groups*width(highest)-len(src))...), format.RLE
}

func levelsV1(encoding format.Encoding, src []byte, n, highest int) (levels, rest []byte, err error) {
	size, start := 0, 0
	switch {
	case highest == 0:
	case encoding == format.BitPacked:
		size = (n*width(highest) + 7) / 8
	case encoding != format.RLE:
		return nil, nil, fmt.Errorf("encoding %s is not supported", encoding)
	case len(src) < 4:
		return nil, nil, errShort
	default:
		size, start = int(binary.LittleEndian.Uint32(src)), 4
	}
	if size > len(src)-start {
		return nil, nil, errShort
	}
	return src[start : start+size], src[start+size:], nil
}

// version2 reads a page of version 2: uncompressed levels precede the compressed values.
func (p *pages) version2(h *format.DataPageHeaderV2, size int) (d page, err error) {
	if d.n, err = p.entries(h.NumValues); err != nil {
		return page{}, err
	}
	rep, def := int(h.RepetitionLevelsByteLength), int(h.DefinitionLevelsByteLength)
	if rep < 0 || def < 0 || rep+def > len(p.body) || rep+def > size {
		return d, fmt.Errorf("corrupt page header: levels of %d and %d bytes in a page of %d", rep, def, len(p.body))
	}
	d.reps, d.defs, d.data = p.body[:rep], p.body[rep:rep+def], p.body[rep+def:]
	d.encoding, d.repEnc, d.defEnc = h.Encoding, format.RLE, format.RLE
	codec := p.codec
	if compressed, ok := h.IsCompressed.Get(); ok && !compressed && !p.always {
		codec = format.Uncompressed
	}
	d.data, err = p.decompress(codec, d.data, size-rep-def, d.n, h.Encoding)
	return d, err
}

// decompress returns the size bytes of values of a page that has n entries.
func (p *pages) decompress(codec format.CompressionCodec, src []byte, size, n int, encoding format.Encoding) ([]byte, error) {
	if err := p.plausible(size, n, encoding); err != nil {
		return nil, err
	}
	dst, err := decompress(codec, p.plain, src, size)
	if codec != format.Uncompressed && cap(dst) > cap(p.plain) {
		p.plain = dst
	}
	return dst, err
}
