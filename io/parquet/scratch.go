package parquet

// scratch is memory that is needed only while a page is loaded. The columns of a row group share it, because
// their pages are loaded one after another.
type scratch struct {
	body, plain []byte // the page: as stored, and decompressed
	raw         raw
	indexes     []int32 // into the dictionary
}

var scratches spares[scratch]
