package columns

import "encoding/hex"

// AppendUUID appends the text of the 16 bytes of a UUID.
func AppendUUID(dst, id []byte) []byte {
	start := 0
	for _, end := range []int{4, 6, 8, 10, 16} {
		if start > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, id[start:end])
		start = end
	}
	return dst
}
