package columns

import (
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// decodeThrift decodes the struct at the start of b and returns its length. v
// may refer to b afterwards.
func decodeThrift(b []byte, v any) (int, error) {
	var p thrift.CompactProtocol
	r := thriftReader{p.NewReaderFromBytes(b), len(b)}
	err := noEOF(thrift.NewDecoder(r).Decode(v))
	return r.BytesRead(), err
}

// thriftReader refuses lists that are longer than the bytes that are left: the
// decoder allocates them before it reads the elements, and memory that there
// is not ends the process.
type thriftReader struct {
	thrift.BytesReader
	size int
}

func (r thriftReader) ReadList() (thrift.List, error) {
	l, err := r.BytesReader.ReadList()
	least := 1
	if l.Type == thrift.STRUCT {
		least = 3 // no list has structs of fewer bytes than a union's
	}
	if err == nil && int(l.Size) > (r.size-r.BytesRead())/least {
		err = io.ErrUnexpectedEOF
	}
	return l, err
}

// Discard is what the decoder skips with.
func (r thriftReader) Discard(n int) (int, error) {
	return r.BytesReader.(interface{ Discard(int) (int, error) }).Discard(n)
}
