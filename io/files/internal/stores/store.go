// Package stores wraps the client libraries of object stores: Google Cloud Storage, Amazon S3 and
// Azure Blob Storage. What is done with objects is the same for all of them and belongs to package
// files.
package stores

import (
	"context"
	"io"
	"iter"
	"mime"
	"os"
	"path"
	"time"
)

// Store is a service that keeps objects in buckets. Its methods return the errors of the underlying
// library, which retries failed requests.
type Store interface {
	Attrs(ctx context.Context, o Object) (Attrs, error)
	// List yields the objects whose names begin with the name of prefix. It requests pages of at
	// most pageSize objects; 0 leaves the page size to the service.
	List(ctx context.Context, prefix Object, pageSize int) iter.Seq2[Attrs, error]
	// Get returns length bytes of a version of an object. If bytes are missing, reading ends with
	// io.EOF or io.ErrUnexpectedEOF.
	Get(ctx context.Context, o Object, id string, off, length int64) (io.ReadCloser, error)
	// Put creates an object unless it exists.
	Put(ctx context.Context, o Object, content *os.File, size int64, metadata map[string]string) error
	// MayPut returns an error if an object could not be created. It creates nothing.
	MayPut(ctx context.Context, o Object) error
	// Remove removes a version of an object.
	Remove(ctx context.Context, o Object, id string) error
	// Brief shortens an error; nil stays nil.
	Brief(err error) error
	// Explain classifies an error and may add advice on what to do.
	Explain(o Object, err error) (Problem, string)
}

// Problem classifies the errors of stores.
type Problem int

const (
	otherwise Problem = iota
	NoObject
	NoBucket
	ConditionFailed // the object to be created exists, or the version differs
	Forbidden       // for this account
	UnknownAccount
	Unavailable // a retry may succeed
)

// Object locates an object.
type Object struct{ Bucket, Name string }

// Attrs are the attributes of an object.
type Attrs struct {
	Name string
	Size int64
	ID   string // of the version
	// Compressed means that the store decompresses the object while it is read, which makes random
	// access impossible.
	Compressed bool
	Metadata   map[string]string // nil if a listing lacks it
}

// Is reports whether an error of a store is of this kind.
func Is(st Store, err error, what Problem) bool {
	if err == nil {
		return false
	}
	p, _ := st.Explain(Object{}, err)
	return p == what
}

// Directory returns the common prefix of everything in a directory. It is empty for a bucket.
func (o Object) Directory() Object {
	if o.Name != "" {
		o.Name += "/"
	}
	return o
}

const (
	chunkSize = 16 << 20 // of an upload
	// CleanupTime limits the time for removing the remains of a failed upload.
	CleanupTime = 30 * time.Second
)

// maxAttempts is the number of attempts at a request. With the pauses between them, which grow up
// to maxPause, they take about a minute.
const (
	maxAttempts = 10
	maxPause    = 15 * time.Second
)

// contentType returns the content type by the extension of the name, so that browsers need not
// guess.
func contentType(o Object) string {
	if t := mime.TypeByExtension(path.Ext(o.Name)); t != "" {
		return t
	}
	return "application/octet-stream"
}
