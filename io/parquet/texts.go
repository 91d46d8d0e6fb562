package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// The texts of a page are delimited here rather than by parquet-go, because every length has to be
// checked anyway, and checking is delimiting: its decoders trust lengths in PLAIN pages, and those
// for AVX2 trust prefixes as well.
//
//	PLAIN                    length text length text …
//	DELTA_LENGTH_BYTE_ARRAY  deltas of lengths │ texts
//	DELTA_BYTE_ARRAY         deltas of prefixes │ deltas of suffix lengths │ suffixes

// texts delimits n texts. Those that are stored whole stay in src.
func (p *pages) texts(encoding format.Encoding, src []byte, n int) error {
	switch encoding {
	case format.Plain:
		return p.raw.plainTexts(src, n)
	case format.DeltaLengthByteArray:
		return p.raw.measuredTexts(src, n)
	}
	return p.prefixedTexts(src, n)
}

// plainTexts delimits texts that each follow their length.
func (r *raw) plainTexts(src []byte, n int) error {
	const prefix = 4
	r.text, r.prefix = src, prefix
	r.offsets = slices.Grow(r.offsets[:0], min(n, len(src)/prefix)+1)
	at := 0
	for i := range n {
		if len(src)-at < prefix {
			return fmt.Errorf("%d encoded values where the page has %d", i, n)
		}
		size := int(binary.LittleEndian.Uint32(src[at:]))
		if size > len(src)-at-prefix {
			return fmt.Errorf("text %d of the page has %d bytes, but %d are left", i, size, len(src)-at-prefix)
		}
		r.offsets = append(r.offsets, uint32(at))
		at += prefix + size
	}
	r.offsets = append(r.offsets, uint32(at))
	return noSurplus(bytes.TrimSuffix(src[at:], padding[:]))
}

// measuredTexts delimits texts whose lengths precede them all.
func (r *raw) measuredTexts(src []byte, n int) error {
	src, err := r.deltas(src, n, 32)
	if err != nil {
		return err
	}
	r.text, r.prefix = src, 0
	r.offsets = slices.Grow(r.offsets[:0], n+1)[:n+1]
	at := 0
	for i, size := range r.int64s {
		if size < 0 || size > int64(len(src)-at) {
			return fmt.Errorf("text %d of the page has %d bytes, but %d are left", i, size, len(src)-at)
		}
		r.offsets[i] = uint32(at)
		at += int(size)
	}
	r.offsets[n] = uint32(at)
	return noSurplus(src[at:])
}

// prefixedTexts joins texts that each begin with a prefix of the one before. Few bytes can so become
// many: at most Options.MaxPage.
func (p *pages) prefixedTexts(src []byte, n int) error {
	r := &p.raw
	src, err := r.deltas(src, n, 32)
	if err != nil {
		return fmt.Errorf("prefixes: %w", err)
	}
	prefixes := r.prefixes[:0]
	for _, v := range r.int64s {
		prefixes = append(prefixes, int32(v))
	}
	r.prefixes = prefixes
	if src, err = r.deltas(src, n, 32); err != nil {
		return fmt.Errorf("suffixes: %w", err)
	}
	r.prefix = 0
	out, offsets := r.joined[:0], append(r.offsets[:0], 0)
	last := 0 // length of the text before
	for i, size := range r.int64s {
		prefix := int(prefixes[i])
		switch {
		case prefix < 0 || prefix > last:
			return fmt.Errorf("text %d of the page shares %d bytes with the one before, which has %d", i, prefix, last)
		case size < 0 || size > int64(len(src)):
			return fmt.Errorf("text %d of the page ends in %d bytes, but %d are left", i, size, len(src))
		case int64(len(out)+prefix)+size > p.options.MaxPage:
			return p.tooLarge(fmt.Sprintf("more than %d bytes of text", p.options.MaxPage))
		}
		out = append(out, out[len(out)-last:][:prefix]...)
		out = append(out, src[:size]...)
		src = src[size:]
		last = prefix + int(size)
		offsets = append(offsets, uint32(len(out)))
	}
	r.text, r.joined, r.offsets = out, out, offsets
	return noSurplus(src)
}

// noSurplus returns an error if bytes follow the values of a page, which then were delimited wrongly.
func noSurplus(rest []byte) error {
	if len(rest) > 0 {
		return fmt.Errorf("%d bytes follow the last value", len(rest))
	}
	return nil
}

// deltas decodes n integers of a width in bits, which are the beginning of src, into int64s, and
// returns the rest of src.
func (r *raw) deltas(src []byte, n, bits int) (rest []byte, err error) {
	values, rest, wide, err := deltas(src, n)
	if err != nil {
		return nil, err
	}
	if wide > 64 {
		return nil, fmt.Errorf("differences of %d bits between integers of %d", wide, bits)
	}
	if r.int64s, err = parquet.LookupEncoding(format.DeltaBinaryPacked).DecodeInt64(r.int64s, values); err != nil {
		return nil, err
	}
	if wide > bits {
		// DuckDB writes integers of 32 bits, signed and unsigned, as if they had 64.
		for _, v := range r.int64s {
			if v>>bits != 0 && v>>(bits-1) != -1 {
				return nil, fmt.Errorf("%d does not fit %d bits", v, bits)
			}
		}
	}
	return rest, nil
}

// deltas divides src into the DELTA_BINARY_PACKED encoding of n integers, and what follows. It walks
// the whole encoding, because the decoder of parquet-go allocates what the header claims, and takes
// what is missing at the end from elsewhere:
//
//	block size, miniblocks, n, first │ min delta, widths │ miniblock │ miniblock …
//
// Some writers cut the last miniblock behind its last value; zeros are added in a copy. wide is the
// greatest width of a miniblock in bits.
func deltas(src []byte, n int) (values, rest []byte, wide int, err error) {
	at := 0
	var header [3]uint64 // block size, miniblocks per block, number of values
	for i := range header {
		v, k := binary.Uvarint(src[at:])
		if k <= 0 {
			return nil, nil, 0, errShort
		}
		header[i], at = v, at+k
	}
	if header[2] != uint64(n) {
		return nil, nil, 0, fmt.Errorf("%d encoded values where the page has %d", header[2], n)
	}
	const largest = 1 << 16 // block that parquet-go decodes
	if header[0] == 0 || header[0]%128 != 0 || header[0] > largest || header[1] == 0 || header[0]%header[1] != 0 || header[0]/header[1]%32 != 0 {
		return nil, nil, 0, fmt.Errorf("corrupt encoding: blocks of %d values in %d parts", header[0], header[1])
	}
	mini, each := int(header[1]), int(header[0]/header[1])
	skip := func() error { // a signed number
		_, k := binary.Varint(src[at:])
		if k <= 0 {
			return errShort
		}
		at += k
		return nil
	}
	if err := skip(); err != nil {
		return nil, nil, 0, err
	}
	for n--; n > 0; {
		if err := skip(); err != nil {
			return nil, nil, 0, err
		}
		if mini > len(src)-at {
			return nil, nil, 0, errShort
		}
		widths := src[at : at+mini]
		at += mini
		for _, w := range widths {
			if n <= 0 {
				break // the widths of unused miniblocks mean nothing
			}
			width := int(w)
			wide = max(wide, width)
			size, left := each*width/8, len(src)-at
			if size > left {
				if wide > 64 || (min(n, each)*width+7)/8 > left || n > each {
					return nil, nil, 0, errShort
				}
				src = append(slices.Clip(src), make([]byte, size-left)...)
			}
			at += size
			n -= each
		}
	}
	return src[:at], src[at:], wide, nil
}
