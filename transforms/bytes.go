package transforms

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"strings"

	"github.com/beameval/beameval/io/report"
)

func appendUvarint(dst []byte, n int) []byte { return binary.AppendUvarint(dst, uint64(n)) }

var errTruncated = errors.New("decoding: truncated")

// cutUvarint splits data after a length and that many bytes.
func cutUvarint(data []byte) (head, rest []byte, err error) {
	n, size := binary.Uvarint(data)
	if size <= 0 || n > uint64(len(data)-size) {
		return nil, nil, errTruncated
	}
	return data[size:][:n], data[size:][n:], nil
}

// compareSkipped orders rows by place and, as predictions in memory may share
// one, by what is wrong with them.
func compareSkipped(a, b report.SkippedRow) int {
	return cmp.Or(
		strings.Compare(a.File, b.File), cmp.Compare(a.RowGroup, b.RowGroup), cmp.Compare(a.Row, b.Row),
		strings.Compare(a.Reason, b.Reason), strings.Compare(a.Column, b.Column), strings.Compare(a.Value, b.Value),
	)
}

func appendFloatInt(dst []byte, x float64, n int64) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
	return binary.LittleEndian.AppendUint64(dst, uint64(n))
}

func cutFloatInt(data []byte) (float64, int64, error) {
	if len(data) != 16 {
		return 0, 0, errTruncated
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(data)), int64(binary.LittleEndian.Uint64(data[8:])), nil
}
