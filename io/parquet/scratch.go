package parquet

// scratch is memory that is needed only while a page is being loaded. The columns of a row group
// share it, because they load their pages one after another.
type scratch struct {
	body, plain []byte // the page as stored, and decompressed
	raw         raw
	indexes     []int32 // dictionary indexes
}

var scratches spares[scratch]
