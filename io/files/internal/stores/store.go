// Package stores has the services that keep objects, each as its library speaks to it: Google Cloud
// Storage, Amazon S3 and Azure Blob Storage. What is done with them is the same for all, and for
// package files.
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

// Store is a service that keeps objects in buckets. Its methods return the errors of its
// library, which repeats requests that failed.
type Store interface {
	Attrs(ctx context.Context, o Object) (Attrs, error)
	// List yields the objects whose names begin with that of prefix. It asks for pages of at
	// most pageSize objects; 0 leaves the size to the service.
	List(ctx context.Context, prefix Object, pageSize int) iter.Seq2[Attrs, error]
	// Get returns length bytes of a version of an object. Where bytes are missing, reading
	// ends with io.EOF or io.ErrUnexpectedEOF.
	Get(ctx context.Context, o Object, id string, off, length int64) (io.ReadCloser, error)
	// Put creates an object unless it exists.
	Put(ctx context.Context, o Object, content *os.File, size int64, metadata map[string]string) error
	// MayPut returns an error if an object could not be created. It creates nothing.
	MayPut(ctx context.Context, o Object) error
	// Remove removes a version of an object.
	Remove(ctx context.Context, o Object, id string) error
	// Brief returns an error in few words; nil for nil.
	Brief(err error) error
	// Explain says what an error is and, if it knows more than that, what to do.
	Explain(o Object, err error) (Problem, string)
	// IDName is what the service calls the id of a version.
	IDName() string
}

// Problem is what an error of a store means.
type Problem int

const (
	otherwise Problem = iota
	NoObject
	NoBucket
	ConditionFailed // an object that was to be created exists, or the version is another
	Forbidden       // to this account
	UnknownAccount
	Unavailable // another try may succeed
)

// Object is the place of an object.
type Object struct{ Bucket, Name string }

// Attrs is what a store says of an object.
type Attrs struct {
	Name string
	Size int64
	ID   string // of the version
	// Compressed says that the store decompresses what is read, so that it allows no random
	// access.
	Compressed bool
	Metadata   map[string]string // nil if a listing does not tell
}

// Is says whether an error of a store means this.
func Is(st Store, err error, what Problem) bool {
	if err == nil {
		return false
	}
	p, _ := st.Explain(Object{}, err)
	return p == what
}

// Directory returns the prefix of everything in a directory. It is empty for a bucket.
func (o Object) Directory() Object {
	if o.Name != "" {
		o.Name += "/"
	}
	return o
}

const (
	chunkSize = 16 << 20 // of an upload
	// CleanupTime is how long removing what a failed upload has left may take.
	CleanupTime = 30 * time.Second
)

// maxAttempts is how often a request is made. With the pauses between attempts, which grow up
// to maxPause, that takes about a minute.
const (
	maxAttempts = 10
	maxPause    = 15 * time.Second
)

// contentType returns the content type, so that browsers need not guess.
func contentType(o Object) string {
	if t := mime.TypeByExtension(path.Ext(o.Name)); t != "" {
		return t
	}
	return "application/octet-stream"
}
