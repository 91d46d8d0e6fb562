package rows

import (
	"encoding/binary"
	"math/bits"
)

// blockLen is how many integers a block has, except the last.
const blockLen = 128

// blockHead is how many bytes a block takes at least: its least value, the width of
// the others and how many there are.
const blockHead = 3

// appendBlocks appends the integers that stand for values.
func appendBlocks[T any](dst []byte, values []T, integer func(T) int64) []byte {
	var block [blockLen]int64
	for len(values) > 0 {
		n := min(blockLen, len(values))
		for i, v := range values[:n] {
			block[i] = integer(v)
		}
		dst = appendBlock(dst, block[:n])
		values = values[n:]
	}
	return dst
}

// appendBlock appends a block, which it changes.
func appendBlock(dst []byte, block []int64) []byte {
	least, most, runs := block[0], block[0], 1
	for i, v := range block[1:] {
		least, most = min(least, v), max(most, v)
		if v != block[i] {
			runs++
		}
	}
	width := bits.Len64(uint64(most) - uint64(least))
	dst = binary.AppendVarint(dst, least)
	if runs+packedLen(runs, width) < packedLen(len(block), width) {
		dst = append(dst, byte(width), byte(runs))
		dst, block = appendRuns(dst, block)
	} else {
		dst = append(dst, byte(width), byte(len(block)))
	}
	return appendPacked(dst, block, least, width)
}

// appendRuns appends the lengths of the runs of equal values, and returns one value
// of each.
func appendRuns(dst []byte, block []int64) ([]byte, []int64) {
	runs, begin := 0, 0
	for i := 1; i <= len(block); i++ {
		if i == len(block) || block[i] != block[begin] {
			dst = append(dst, byte(i-begin))
			block[runs] = block[begin]
			runs, begin = runs+1, i
		}
	}
	return dst, block[:runs]
}

// packedLen is how many bytes n values of so many bits take: whole words of 8.
func packedLen(n, width int) int { return (n*width + 63) / 64 * 8 }

// appendPacked appends how much more than the least the values are, from the lowest
// bits of the words on.
func appendPacked(dst []byte, values []int64, least int64, width int) []byte {
	if width == 0 {
		return dst
	}
	word, filled := uint64(0), 0
	for _, v := range values {
		more := uint64(v) - uint64(least)
		word |= more << filled
		if filled += width; filled >= 64 {
			dst = binary.LittleEndian.AppendUint64(dst, word)
			filled -= 64
			word = more >> (width - filled)
		}
	}
	if filled > 0 {
		dst = binary.LittleEndian.AppendUint64(dst, word)
	}
	return dst
}

// readBlocks reads n integers and what they stand for.
func readBlocks[T any](r *reader, n int, value func(int64) T) []T {
	// So that a claim costs no memory: there are as many blocks as it takes.
	if n == 0 || !r.has((n+blockLen-1)/blockLen*blockHead) {
		return nil
	}
	values := make([]T, n)
	var block [blockLen]int64
	for rest := values; len(rest) > 0 && r.err == nil; {
		n := min(blockLen, len(rest))
		r.block(block[:n])
		for i, v := range block[:n] {
			rest[i] = value(v)
		}
		rest = rest[n:]
	}
	return values
}

// block reads a block.
func (r *reader) block(block []int64) {
	least, width, n := r.varint(), int(r.byte()), int(r.byte())
	if width > 64 || n == 0 || n > len(block) {
		r.fail("corrupt block")
		return
	}
	var lengths []byte
	if n < len(block) {
		lengths = r.bytes(n)
	}
	packed := r.bytes(packedLen(n, width))
	if r.err != nil {
		return
	}
	unpack(block[:n], packed, least, width)
	if n < len(block) && !expand(block, lengths) {
		r.fail("corrupt runs")
	}
}

func unpack(values []int64, packed []byte, least int64, width int) {
	mask := uint64(1)<<width - 1
	word, filled := uint64(0), 0
	for i := range values {
		more := word
		if filled < width {
			next := binary.LittleEndian.Uint64(packed)
			packed = packed[8:]
			more |= next << filled
			word = next >> (width - filled)
			filled += 64
		} else {
			word >>= width
		}
		filled -= width
		values[i] = int64(uint64(least) + more&mask)
	}
}

// expand makes runs of the first values of a block, from the last on. It returns
// false if the lengths are not those of runs that fill it.
func expand(block []int64, lengths []byte) bool {
	end := len(block)
	for i := len(lengths) - 1; i >= 0; i-- {
		begin := end - int(lengths[i])
		if begin < i || begin == end {
			return false
		}
		v := block[i]
		for j := begin; j < end; j++ {
			block[j] = v
		}
		end = begin
	}
	return end == 0
}
